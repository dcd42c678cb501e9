import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { userFamilies } from '../../containment/profiles/profiles.ts'
import { runProgram } from '../program.ts'
import { testProfiles } from './profile-verbs.ts'

interface At {
  readonly dir: string
  readonly env: Readonly<Record<string, string>>
  run(...argv: string[]): Promise<{ code: number; out: string; err: string }>
  io(): {
    out: (text: string) => void
    err: (text: string) => void
    cwd: string
    env: Readonly<Record<string, string>>
    colour: boolean
    said: string[]
  }
}

function within(use: (at: At) => Promise<void>): () => Promise<void> {
  return async () => {
    const dir = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-profile-')))
    try {
      mkdirSync(join(dir, '.git'))
      const env = { XDG_STATE_HOME: join(dir, 'state'), HOME: dir }
      const io = () => {
        const said: string[] = []
        return {
          out: (text: string) => void said.push(text),
          err: (text: string) => void said.push(text),
          cwd: dir,
          env,
          colour: false,
          said,
        }
      }
      await use({
        ...{ dir, env, io },
        async run(...argv) {
          const [out, err]: [string[], string[]] = [[], []]
          const code = await runProgram('ctx', ['profile', ...argv], {
            ...io(),
            out: (text) => void out.push(text),
            err: (text) => void err.push(text),
          })
          return { code, out: out.join(''), err: err.join('') }
        },
      })
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

test(
  'new writes a profile whose test holds, and never over another',
  within(async ({ dir, run }) => {
    assert.equal((await run('list')).code, 0)
    assert.match((await run('test')).err, /there are no profiles .*ctx profile new/)
    const file = join(dir, '.sallyport', 'digests', 'acme.jsonc')
    assert.deepEqual(await run('new', 'acme', '--command', 'acme  build'), {
      ...{ code: 0, out: `${file}\n` },
      err: 'ctx profile new: edit it, try it with ctx profile test acme, and use it with ctx profile test --trust acme\n',
    })
    assert.match(readFileSync(file, 'utf8'), /"command": \["acme build"\]/)
    assert.equal((await run('new', 'acme')).code, 2)
    for (const bad of [['Bad'], ['../x'], ['x', '--command', '/bin/x'], ['x', '--command', ' ']]) {
      const { code, err } = await run('new', ...bad)
      assert.equal(code, 2)
      assert.equal(err.trim().split('\n').length, 1)
    }
    const tried = await run('test')
    assert.deepEqual([tried.code, tried.out], [0, 'ok     .sallyport/digests/acme.jsonc: an error among many steps\n'])
    assert.match((await run('test', '--show', 'acme')).out, /L401: error: parser\.c/)
    assert.match((await run('list')).out, /^acme +not trusted +\.sallyport\/digests\/acme\.jsonc$/m)
    assert.equal((await run('test', 'nobody')).code, 2)
  }),
)

test(
  'faults and misses are told with their line, and give 1',
  within(async ({ dir, run }) => {
    mkdirSync(join(dir, '.sallyport', 'digests'), { recursive: true })
    const file = join(dir, '.sallyport', 'digests', 'x.jsonc')
    writeFileSync(file, '{"id": "x", "detect": {"command": "x"},\n"fold": ["("]}')
    const { code, out } = await run('test')
    assert.equal(code, 1)
    assert.match(out, /^fault {2}.*x\.jsonc:2: `fold\[0\]` is no expression/)
    assert.equal((await run('list')).code, 1)
    writeFileSync(
      file,
      '{"id": "x", "detect": {"command": "x"}, "fold": ["a"], "tests": [{"command": "x", "output": ["a"], "shows": "zebra"}]}',
    )
    const json = JSON.parse((await run('test', '--json')).out)
    assert.deepEqual([json.id, json.trusted, json.tests[0].ok], ['x', false, false])
    assert.equal((await run('test')).code, 1)
  }),
)

test(
  'trust needs a person who says yes, and a profile that holds',
  within(async ({ dir, env, run, io }) => {
    await run('new', 'acme')
    const used = async () => (await userFamilies(env, dir, dir)).map(({ id }) => id)
    const nobody = io()
    assert.equal(
      testProfiles({ trust: true }, [], nobody, () => 'only a person may answer'),
      1,
    )
    assert.match(nobody.said.join(''), /is not trusted: only a person may answer/)
    assert.equal(
      testProfiles({ trust: true }, [], io(), () => false),
      1,
    )
    assert.deepEqual(await used(), [])
    const asked: string[] = []
    const yes = (question: string) => {
      asked.push(question)
      return true
    }
    assert.equal(testProfiles({ trust: true }, [], io(), yes), 0)
    assert.deepEqual(await used(), ['user-acme'])
    assert.equal(testProfiles({ trust: true }, [], io(), yes), 0)
    assert.equal(asked.length, 1, 'once per content')
    assert.match(asked[0]!, /acme\.jsonc \(acme, sha256 [0-9a-f]{12}\)\?$/)
    writeFileSync(join(dir, '.sallyport', 'digests', 'broken.jsonc'), '{}')
    assert.equal(testProfiles({ trust: true }, ['broken'], io(), yes), 1)
    assert.equal(asked.length, 1, 'what is broken is not asked about')
    assert.ok(existsSync(join(dir, 'state', 'sallyport', 'digests.jsonl')))
  }),
)
