/** Secrets come by stdin or a command, are listed without their values, and count for whoever has the store open. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { createCredentials } from '../../managed/credentials/credentials.ts'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'

const SECRET = 's3cret-EXAMPLE'
let dir: string
before(() => {
  dir = mkdtempSync(join(tmpdir(), 'credential-'))
})
after(() => rmSync(dir, { recursive: true, force: true }))

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function sallyport(state: string, argv: readonly string[], stdin = ''): Promise<Ran> {
  const [verb, ...rest] = argv
  const child = spawn(
    process.execPath,
    ['bin/sallyport.js', 'credential', verb!, '--state', join(dir, state), ...rest],
    {
      env: { PATH: process.env['PATH'] ?? '', HOME: dir },
    },
  )
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => {
    out += part
  })
  child.stderr.on('data', (part) => {
    err += part
  })
  child.stdin.on('error', () => {})
  child.stdin.end(stdin)
  return new Promise((resolve) => child.on('close', (code) => resolve({ code, out, err })))
}

const opened = (state: string, key?: Buffer) =>
  createCredentials({
    dir: join(dir, state, 'credentials'),
    clock: { now: Date.now },
    request: async () => ({ ok: false, why: 'No.', refused: false, timedOut: false }),
    ...(key === undefined ? {} : { key }),
  })

describe('sallyport credential', () => {
  test('stores from stdin and from a command, changes, lists and removes', async () => {
    const node = process.execPath
    assert.deepEqual(await sallyport('a', ['add', 'api'], `${SECRET}\n`), {
      code: 0,
      out: 'Stored api (bearer_token).\n',
      err: '',
    })
    const store = opened('a')
    assert.equal((await store.header('api')).value, `Bearer ${SECRET}`)
    const flags = ['--type', 'environment_variable', '--in', 'header', '--in', 'query', '--trust', 'api.test']
    const printed = await sallyport('a', ['add', ...flags, 'var', '--', node, '-e', `console.log('${SECRET}-2')`])
    assert.deepEqual([printed.code, printed.err], [0, ''])
    assert.deepEqual(store.variable('var')?.value, `${SECRET}-2`)
    assert.deepEqual([...(store.variable('var')?.places ?? [])], ['header', 'query'])
    const changed = await sallyport('a', ['add', '--replace', '--prefix', '', 'api'], 'new')
    assert.equal(changed.out, 'Changed api (bearer_token).\n')
    assert.equal((await store.header('api')).value, 'new')

    const list = await sallyport('a', ['ls'])
    assert.match(list.out, /^api {2}bearer_token {2}active {2}20.*\nvar {2}environment_variable {2}active/)
    assert.equal((await sallyport('a', ['rm', 'api', 'var'])).out, 'Removed api, var.\n')
    assert.deepEqual(store.list(), [])
  })

  const print = (text: string): readonly string[] => ['--', process.execPath, '-e', `process.stdout.write('${text}')`]
  const REFUSED: readonly (readonly [name: string, argv: readonly string[], code: number, says: RegExp])[] = [
    ['no secret', ['add', 'x', ...print('')], 2, /the secret is empty/],
    ['a bad id', ['add', 'a b', ...print(SECRET)], 2, /Field 'id'/],
    ['a flag of another type', ['add', '--trust', 'a.test', 'x', ...print(SECRET)], 2, /--trust belongs to the type/],
    [
      'a bad domain',
      ['add', '--type', 'environment_variable', '--trust', 'a.*.b', 'x', ...print(SECRET)],
      2,
      /wildcard/,
    ],
    ['nothing to replace', ['add', '--replace', 'x', ...print(SECRET)], 1, /there is no credential x to replace/],
    ['oauth2 without JSON', ['add', '--type', 'oauth2', 'x', ...print(SECRET)], 2, /JSON object with client_secret/],
    ['a secret in the place of a command', ['add', 'x', SECRET], 2, /stands behind --/],
    ['a command without --', ['add', 'x', process.execPath, 'print'], 2, /stands behind --/],
    ['a word before --', ['add', 'x', SECRET, ...print(SECRET)], 2, /stands behind --/],
    ['a command that is not there', ['add', 'x', '--', '/nowhere/program'], 1, /could not be started/],
    ['a variable that goes nowhere', ['add', '--type', 'environment_variable', 'x', ...print(SECRET)], 2, /--trust/],
    ['a command that fails', ['add', 'x', '--', process.execPath, '-e', 'process.exit(3)'], 1, /ended with 3/],
    ['one that is not there', ['rm', 'x'], 1, /there is no credential x/],
  ]
  for (const [name, [verb, ...rest], code, says] of REFUSED)
    test(`refuses: ${name}`, async () => {
      const io = gatheredIo(dir, { HOME: dir })
      const ended = await runProgram('sallyport', ['credential', verb!, '--state', join(dir, 'b'), ...rest], io)
      assert.equal(ended, code, io.errors)
      assert.match(io.errors, new RegExp(`^sallyport credential ${verb}: [^\\n]+\\n$`))
      assert.match(io.errors, says)
      assert.doesNotMatch(io.text + io.errors, new RegExp(SECRET))
      assert.deepEqual(opened('b').list(), [])
    })

  test('a state that is not there is named, and not made', async () => {
    for (const argv of [['ls'], ['rm', 'x']]) {
      const io = gatheredIo(dir, { HOME: dir })
      const code = await runProgram('sallyport', ['credential', ...argv, '--state', join(dir, 'wrong')], io)
      const says = `sallyport credential ${argv[0]}: there is no state directory ${join(dir, 'wrong')};`
      assert.deepEqual([code, io.text, io.errors.startsWith(says)], [1, '', true], io.errors)
    }
    assert.equal(readdirSync(dir).includes('wrong'), false)
  })

  test('a second one of the same id is refused, and the first stays', async () => {
    const add = async (secret: string) => {
      const io = gatheredIo(dir, { HOME: dir })
      const argv = ['credential', 'add', '--state', join(dir, 'c'), 'api', ...print(secret)]
      return { code: await runProgram('sallyport', argv, io), err: io.errors }
    }
    assert.equal((await add(SECRET)).code, 0)
    assert.deepEqual(await add('other'), {
      code: 1,
      err: 'sallyport credential add: there is a credential api already; change it with --replace\n',
    })
    assert.equal((await opened('c').header('api')).value, `Bearer ${SECRET}`)
  })

  test('a key of the operator, and no secret in any file', async () => {
    const run = async (verb: readonly string[], env: Record<string, string> = {}) => {
      const io = gatheredIo(dir, { HOME: dir, ...env })
      return {
        code: await runProgram('sallyport', ['credential', ...verb, '--state', join(dir, 'd')], io),
        err: io.errors,
      }
    }
    const io = gatheredIo(dir, { HOME: dir, SALLYPORT_CREDENTIALS_KEY: 'ab'.repeat(32) })
    const argv = ['credential', 'add', '--state', join(dir, 'd'), 'api', ...print(SECRET)]
    assert.equal(await runProgram('sallyport', argv, io), 0)
    assert.deepEqual(readdirSync(join(dir, 'd', 'credentials')), ['credentials.json'])
    assert.doesNotMatch(readFileSync(join(dir, 'd', 'credentials', 'credentials.json'), 'utf8'), new RegExp(SECRET))
    assert.equal((await opened('d', Buffer.from('ab'.repeat(32), 'hex')).header('api')).value, `Bearer ${SECRET}`)
    const wrong = await run(['ls'], { SALLYPORT_CREDENTIALS_KEY: 'cd'.repeat(32) })
    assert.deepEqual([wrong.code, /cannot be opened with this key/.test(wrong.err)], [1, true])
    assert.match((await run(['ls'])).err, /the key file .* is missing/)
  })
})
