/** The launcher for hosts that take a denial by exit code: whatever the hook does, the host gets its answer in time. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { canaryLine, canaryReason } from '../src/guard/canary.ts'
import { framed } from '../src/hosts/exit-code.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { builtPackage } from './built.testing.ts'
import { launchOf, rowsOf } from './hook-support.ts'
import { need } from './need.ts'
import { type Ran, runIn, shells } from './runner-support.ts'

const ROOT = join(import.meta.dirname, '..')
const LAUNCHER = join(ROOT, 'bin', 'exit-code.sh')

let dir: string

before(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'exit-code-')))
})

after(() => rmSync(dir, { recursive: true, force: true }))

const refused = (why: string): string => `Sallyport refused this call: ${why}\n`

/** A hook as lines of shell, and what the host gets before a run and after it: exit code, stdout, stderr. */
interface Row {
  readonly name: string
  readonly hook: string
  readonly before: readonly [number, string, string]
  readonly after: readonly [number, string, string]
}

const SILENCE = [0, '', ''] as const
const NO_ANSWER = [2, '', refused('the hook gave no proper answer')] as const

const ROWS: readonly Row[] = [
  {
    name: 'a pass is exit 0 and silence',
    hook: String.raw`printf 'pass\n\nend\n'`,
    before: SILENCE,
    after: SILENCE,
  },
  {
    name: 'a pass with an object is that object',
    hook: String.raw`printf 'pass\n{}\nend\n'`,
    before: [0, '{}\n', ''],
    after: [0, '{}\n', ''],
  },
  {
    name: 'a denial is exit 2 with the reason on stderr',
    hook: String.raw`printf 'deny\n\nno, not this\nend\n'`,
    before: [2, '', 'no, not this\n'],
    after: SILENCE,
  },
  {
    name: 'an object stands beside a denial where the host wants one',
    hook: String.raw`printf 'deny\n{"decision":"deny"}\nno\nend\n'`,
    before: [2, '{"decision":"deny"}\n', 'no\n'],
    after: [0, '{"decision":"deny"}\n', ''],
  },
  {
    name: 'a reason may have lines, and lines like our own words',
    hook: String.raw`printf 'deny\n\nend\npass\n\n  two\nend\n'`,
    before: [2, '', 'end\npass\n\n  two\n'],
    after: SILENCE,
  },
  {
    name: 'nothing in an answer is run or taken for a format',
    hook: String.raw`printf '%s\n' deny '{"a":"$(touch ran) %s \n"}' '$(touch ran)' '\`touch ran\` %d \t "$HOME" -n' end`.replaceAll(
      '\\`',
      '`',
    ),
    before: [2, '{"a":"$(touch ran) %s \\n"}\n', '$(touch ran)\n`touch ran` %d \\t "$HOME" -n\n'],
    after: [0, '{"a":"$(touch ran) %s \\n"}\n', ''],
  },
  {
    name: 'a denial without a reason gets one, since some hosts let it pass else',
    hook: String.raw`printf 'deny\n\nend\n'`,
    before: [2, '', 'Refused by the guard\n'],
    after: SILENCE,
  },
  { name: 'a hook that says nothing', hook: ':', before: NO_ANSWER, after: SILENCE },
  { name: 'a hook that says something else', hook: 'echo hello', before: NO_ANSWER, after: SILENCE },
  {
    name: 'a hook that answers in its plain form',
    hook: `echo '{"decision":"allow"}'`,
    before: NO_ANSWER,
    after: SILENCE,
  },
  { name: 'a pass that was cut off', hook: String.raw`printf 'pass\n\n'`, before: NO_ANSWER, after: SILENCE },
  { name: 'a pass without an end of line', hook: String.raw`printf 'pass\n\nend'`, before: NO_ANSWER, after: SILENCE },
  {
    name: 'a word that only begins like one',
    hook: String.raw`printf 'passing\n\nend\n'`,
    before: NO_ANSWER,
    after: SILENCE,
  },
  {
    name: 'a pass with a reason is none of ours',
    hook: String.raw`printf 'pass\n\nwhy\nend\n'`,
    before: NO_ANSWER,
    after: SILENCE,
  },
  {
    name: 'a hook that crashes',
    hook: 'exit 70',
    before: [2, '', refused('the hook ended with 70')],
    after: SILENCE,
  },
  {
    name: 'a hook that crashes behind a pass',
    hook: String.raw`printf 'pass\n\nend\n'; exit 1`,
    before: [2, '', refused('the hook ended with 1')],
    after: SILENCE,
  },
  {
    name: 'a hook that is killed',
    hook: 'kill -KILL $$',
    before: [2, '', refused('the hook ended with 137')],
    after: SILENCE,
  },
  {
    name: 'what the hook tells a person stands on stderr of a pass',
    hook: String.raw`echo 'sallyport hook: a note' >&2; printf 'pass\n\nend\n'`,
    before: [0, '', 'sallyport hook: a note\n'],
    after: [0, '', 'sallyport hook: a note\n'],
  },
  {
    name: 'what the hook tells a person is no part of a reason',
    hook: String.raw`echo 'sallyport hook: a note' >&2; printf 'deny\n\nno\nend\n'`,
    before: [2, '', 'no\n'],
    after: [0, '', ''],
  },
  {
    name: 'an answer that is too long',
    hook: String.raw`printf 'deny\n\n'; i=0; while [ $i -lt 700 ]; do printf '%0100d' 0; i=$((i+1)); done; printf '\nend\n'`,
    before: NO_ANSWER,
    after: SILENCE,
  },
  {
    name: 'the hook gets the payload and the option behind its words',
    hook: String.raw`printf 'deny\n\n%s|%s|%s\nend\n' "$(cat)" "$*" "$#"`,
    before: [2, '', 'the payload|two words --exit-code|2\n'],
    after: SILENCE,
  },
]

let count = 0

/** Plays a hook under the launcher. */
async function play(shell: string, moment: string, hook: string, more: Partial<Play> = {}): Promise<Ran> {
  const script = join(dir, `hook ${count++}.sh`)
  writeFileSync(script, `${hook}\n`)
  const { env = {}, options = [], ...how } = more
  const args = [LAUNCHER, moment, ...options, '/bin/sh', script, 'two words']
  return runIn(shell, args, {
    ...{ cwd: dir, input: 'the payload', ...how },
    env: { PATH: process.env['PATH'], HOME: dir, TMPDIR: dir, ...env },
  })
}

interface Play {
  readonly env: NodeJS.ProcessEnv
  readonly options: readonly string[]
  readonly input: string | 'open'
  readonly started: (signal: (name: NodeJS.Signals) => void) => void
}

const got = ({ code, out, err }: Ran): readonly unknown[] => [code, out, err]
/** Nothing of ours is left where files were made. */
const isClean = (): boolean => !readdirSync(dir).some((name) => name.startsWith('sallyport-hook.'))

for (const shell of shells())
  describe(`the launcher by exit code under ${shell}`, { concurrency: 4 }, () => {
    for (const row of ROWS)
      test(row.name, async (t) => {
        if (!need(t, shell)) return
        assert.deepEqual(got(await play(shell, 'before', row.hook)), row.before, 'before a run')
        assert.deepEqual(got(await play(shell, 'after', row.hook)), row.after, 'after a run')
        assert.ok(!existsSync(join(dir, 'ran')))
      })

    test('a hook that hangs is ended in time, and nothing is left', async (t) => {
      if (!need(t, shell)) return
      const mark = join(dir, `${shell}.pid`)
      const hangs = `echo $$ >'${mark}'; exec sleep 60`
      const ran = await play(shell, 'before', hangs, { options: ['--seconds', '1'] })
      assert.deepEqual(got(ran), [2, '', refused('the hook did not answer in 1 seconds')])
      assert.ok(ran.ms < 8_000, `${ran.ms} ms`)
      assert.throws(() => process.kill(Number(readFileSync(mark, 'utf8')), 0), { code: 'ESRCH' })
      const later = await play(shell, 'after', 'exec sleep 60', { options: ['--seconds', '1'] })
      assert.deepEqual(got(later), SILENCE)
    })

    test('a hook that waits for a payload that never ends is ended, too', async (t) => {
      if (!need(t, shell)) return
      const ran = await play(shell, 'before', 'cat', { options: ['--seconds', '1'], input: 'open' })
      assert.deepEqual(got(ran), [2, '', refused('the hook did not answer in 1 seconds')])
    })

    test('a child of the hook that lives on holds nothing up', async (t) => {
      if (!need(t, shell)) return
      const ran = await play(shell, 'before', String.raw`sleep 15 & printf 'pass\n\nend\n'; echo $! >'${dir}/lives'`)
      assert.deepEqual(got(ran), SILENCE)
      assert.ok(ran.ms < 8_000, `${ran.ms} ms`)
      process.kill(Number(readFileSync(join(dir, 'lives'), 'utf8')))
    })

    for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      test(`a launcher that is stopped by ${name} refuses`, async (t) => {
        if (!need(t, shell)) return
        const ran = await play(shell, 'before', 'exec sleep 60', {
          started: (signal) => setTimeout(() => signal(name), 700),
        })
        assert.deepEqual(got(ran), [2, '', refused('the hook was stopped')])
      })

    test('what would load foreign code does not reach the hook', async (t) => {
      if (!need(t, shell)) return
      const names = ['NODE_OPTIONS', 'NODE_PATH', 'LD_PRELOAD', 'BASH_ENV', 'ENV', 'OPENSSL_CONF']
      const said = names.map((name) => `\${${name}-}`).join('')
      const env = Object.fromEntries(names.map((name) => [name, name === 'LD_PRELOAD' ? '' : join(dir, 'nothing')]))
      const hook = String.raw`printf 'deny\n\n[%s]%s\nend\n' "${said}" "$PATH"`
      const ran = await play(shell, 'before', hook, { env: { ...env, PATH: '/nowhere:/usr/bin:/bin' } })
      assert.deepEqual(got(ran), [2, '', '[]/nowhere:/usr/bin:/bin\n'])
    })

    test('functions of the environment stand in for nothing', async (t) => {
      if (!need(t, shell)) return
      const env = Object.fromEntries(
        ['cat', 'rm', 'mktemp', 'wc', 'sleep', 'kill'].map((name) => [
          `BASH_FUNC_${name}%%`,
          '() { echo pass; exit 0; }',
        ]),
      )
      const ran = await play(shell, 'before', String.raw`printf 'deny\n\nno\nend\n'`, { env })
      assert.deepEqual(got(ran), [2, '', 'no\n'])
    })

    test('without a place for files it refuses', async (t) => {
      if (!need(t, shell)) return
      for (const TMPDIR of [join(dir, 'none'), 'relative'])
        assert.deepEqual(
          got(await play(shell, 'before', String.raw`printf 'pass\n\nend\n'`, { env: { TMPDIR } })),
          [2, '', refused('no temporary directory could be made (TMPDIR)')],
          TMPDIR,
        )
    })

    test('a registration that is wrong refuses and says why', async (t) => {
      if (!need(t, shell)) return
      const env = { PATH: process.env['PATH'], TMPDIR: dir }
      const words: readonly (readonly [readonly string[], RegExp])[] = [
        [[], /without before or after/],
        [['node', 'hook.cjs', 'droid', 'PreToolUse'], /without before or after/],
        [['before'], /without the hook/],
        [['before', '--seconds', '0', '/bin/true'], /no whole number/],
        [['before', '--seconds', '1.5', '/bin/true'], /no whole number/],
        [['before', '/nowhere/node', 'hook.cjs'], /the hook ended with 127/],
      ]
      for (const [args, why] of words) {
        const ran = await runIn(shell, [LAUNCHER, ...args], { cwd: dir, env, input: '' })
        assert.deepEqual([ran.code, ran.out], [2, ''], args.join(' '))
        assert.match(ran.err, why)
        assert.match(ran.err, /^Sallyport refused this call: [^\n]+\n$/)
      }
    })

    test('without stdin a call is refused, and one that ran is left alone', async (t) => {
      if (!need(t, shell)) return
      const env = { PATH: process.env['PATH'], TMPDIR: dir }
      // Bash ends with another code where it was started as `sh`.
      for (const options of shell === 'bash' ? [[], ['--posix']] : [[]]) {
        for (const [moment, code, err] of [
          ['before', 2, refused('it was started without stdin')],
          ['after', 0, ''],
        ] as const) {
          const words = ['-c', 'exec "$@" <&-', 'sh', shell, ...options, LAUNCHER, moment, '/bin/true']
          assert.deepEqual(got(await runIn('/bin/sh', words, { cwd: dir, env, input: '' })), [code, '', err])
        }
      }
    })

    test('any reason comes through as it is but for control characters', async (t) => {
      if (!need(t, shell)) return
      const file = join(dir, `${shell}.answer`)
      const answers = fc.record({
        reason: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 200 }).filter((text) => text.trim() !== ''),
        stdout: fc.oneof(
          fc.constant(''),
          fc.json().map((text) => `${text}\n`),
        ),
      })
      await fc.assert(
        fc.asyncProperty(answers, async ({ reason, stdout }) => {
          writeFileSync(file, framed({ code: 2, stdout, reason }))
          const ran = await play(shell, 'before', `cat '${file}'`)
          const shown = Buffer.from(reason.replace(/[\0-\x08\x0b-\x1f\x7f]/g, ' ')).toString()
          assert.deepEqual(got(ran), [2, stdout, `${shown}\n`])
        }),
        { numRuns: 25, seed: 20_261 },
      )
    })

    test('nothing is left where files were made', async (t) => {
      if (!need(t, shell)) return
      const own = mkdtempSync(join(dir, 'own-'))
      const env = { TMPDIR: own }
      await play(shell, 'before', String.raw`printf 'deny\n\nno\nend\n'`, { env })
      await play(shell, 'after', 'exit 3', { env })
      await play(shell, 'before', 'exec sleep 60', { env, options: ['--seconds', '1'] })
      assert.deepEqual(readdirSync(own), [])
    })
  })

describe('the hook itself behind the launcher', () => {
  let root: string

  before(async () => {
    root = join(dir, 'package')
    await builtPackage(root)
  })

  for (const host of HOSTS.filter(({ exits }) => exits !== undefined))
    test(`${host.title}: a denial, a pass and the sign of life`, async (t) => {
      if (!need(t, 'sh')) return
      const [event, behind] = [host.events.pre[0]!, host.events.post[0]!]
      const call = rowsOf(host.id).find((row) => row.name === 'end to end: the home directory is not deleted')!
      const harmless = rowsOf(host.id).find((row) => row.name === 'end to end: listing files passes')!
      const home = mkdtempSync(join(dir, 'home-'))
      const env = { PATH: process.env['PATH'], HOME: home, XDG_STATE_HOME: join(home, 'state'), TMPDIR: dir }
      const launch = (moment: string, name: string, payload: unknown) =>
        runIn(
          'sh',
          [join(root, 'bin/exit-code.sh'), moment, process.execPath, join(root, 'dist/hook.cjs'), host.id, name],
          {
            ...{ cwd: home, env, input: JSON.stringify(payload) },
          },
        )
      const encode = (decision: 'deny' | 'pass', reason: string) =>
        host.encodePre({ decision, reason }, launchOf(), call.event)
      const denied = await launch('before', event, call.payload)
      assert.equal(denied.code, 2, denied.err)
      const reason = denied.err.slice(0, -1)
      assert.ok(reason.length > 10)
      assert.equal(denied.out, host.exits === 'beside' ? encode('deny', reason) : '')
      const passed = await launch('before', event, harmless.payload)
      assert.deepEqual([passed.code, passed.out], [0, encode('pass', '')], passed.err)
      const word = 'abcdefabcdef'
      const text = JSON.stringify(harmless.payload).replaceAll('ls -la src', canaryLine(word))
      const alive = await launch('before', event, JSON.parse(text))
      assert.deepEqual([alive.code, alive.err], [2, `${canaryReason(word)}\n`])
      const broken = await launch('before', event, [])
      assert.deepEqual([broken.code, broken.err], [2, refused('the payload is no JSON object')])
      const done = await launch('after', behind, [])
      assert.deepEqual([done.code, done.out], [0, host.encodePost(launchOf())])
    })
})

test('shellcheck has nothing to say of it', async (t) => {
  if (!need(t, 'shellcheck')) return
  const ran = await runIn('shellcheck', ['-s', 'sh', LAUNCHER], { cwd: ROOT, env: process.env, input: '' })
  assert.deepEqual([ran.code, ran.out], [0, ''])
  assert.ok(isClean())
})

test('the launcher is a script for a POSIX shell alone', () => {
  const all = readdirSync(join(ROOT, 'bin')).filter((name) => name.startsWith('exit-code'))
  assert.deepEqual(all, ['exit-code.sh'])
  assert.ok(readFileSync(LAUNCHER, 'utf8').startsWith('#!/bin/sh\n'))
})
