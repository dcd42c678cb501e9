/** `sallyport serve` and `sallyport env` as processes: starting, stopping, being killed, bad usage. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { type GatheredIo, gatheredIo } from '../../src/cli/io.testing.ts'
import { envList, envRemove, envShow } from '../../src/cli/managed/env.ts'
import { type ServeFlags, serveVerb } from '../../src/cli/managed/serve.ts'
import { AGENT, type Body, canIsolate, command, resultsOf, until } from './support.ts'

const root = mkdtempSync(join(tmpdir(), 'serve-'))
const started = new Set<ChildProcess>()
after(async () => {
  for (const child of started) child.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

const PROGRAM = resolve('bin/sallyport.js')
const env = { PATH: process.env['PATH'], HOME: root }

interface Served {
  readonly child: ChildProcess
  readonly base: string
  out(): string
  /** Sends a signal; the exit code, or the signal that ended it. */
  stop(signal: NodeJS.Signals): Promise<number | NodeJS.Signals | null>
}

async function start(
  state: string,
  args: readonly string[] = ['--key', 'k'],
  more: Readonly<Record<string, string>> = {},
): Promise<Served> {
  const argv = [PROGRAM, 'serve', '--port', '0', '--state', state, ...args]
  const child = spawn(process.execPath, argv, {
    cwd: root,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  started.add(child)
  let text = ''
  for (const stream of [child.stdout, child.stderr]) stream!.on('data', (part) => (text += String(part)))
  const ended = new Promise<number | NodeJS.Signals | null>((done) =>
    child.once('close', (code, signal) => done(signal ?? code)),
  )
  const port = await until(() => {
    if (child.exitCode !== null) throw new Error(text)
    return /127\.0\.0\.1:(\d+)/.exec(text)?.[1]
  }, 30_000)
  return {
    ...{ child, base: `http://127.0.0.1:${port}`, out: () => text },
    async stop(signal) {
      child.kill(signal)
      const end = await ended
      started.delete(child)
      return end
    },
  }
}

async function ask(base: string, method: string, path: string, body?: object, key = 'k'): Promise<Body> {
  const answer = await fetch(base + path, {
    ...{ method, headers: { 'x-goog-api-key': key } },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Body
}

const run = (base: string, input: string, more: object = {}) =>
  ask(base, 'POST', '/v1/interactions', { agent: AGENT, input, ...more })

function sallyport(args: readonly string[], input = '', more: Readonly<Record<string, string>> = {}) {
  const done = spawnSync(process.execPath, [PROGRAM, ...args], {
    cwd: root,
    env: { ...env, ...more },
    input,
    encoding: 'utf8',
    timeout: 60_000,
  })
  return { code: done.status, out: done.stdout, err: done.stderr }
}

describe('sallyport serve', () => {
  const bad: readonly (readonly [name: string, flags: ServeFlags, code: number, sentence: RegExp])[] = [
    ['a port that is none', { port: 'x' }, 2, /--port x is no port/],
    ['a port that is too high', { port: '70000' }, 2, /no port/],
    ['two keys', { key: 'a', keyFile: 'b' }, 2, /two keys/],
    ['a key file that is not there', { keyFile: 'none' }, 2, /key file none cannot be read/],
    ['an empty key', { key: '' }, 2, /key is empty/],
    ['a model that is none', { model: ['gpt'] }, 2, /no model/],
    ['a model without its key', { model: ['gemini:x'] }, 2, /GEMINI_API_KEY/],
    ['upstreams that are not there', { upstreams: 'none.json' }, 2, /none\.json cannot be read/],
    ['a network that is none', { allowPrivate: ['x'] }, 1, /x/],
    ['a state that cannot be made', { state: '/proc/none' }, 1, /\/proc\/none cannot be made/],
  ]
  for (const [name, flags, code, sentence] of bad)
    test(`refuses ${name}`, async () => {
      const io = gatheredIo(root, env)
      assert.equal(await serveVerb({ state: join(root, 'refused'), ...flags }, io), code)
      assert.match(io.errors, /^sallyport serve: [^\n]*\n$/)
      assert.match(io.errors, sentence)
    })

  test('says that a port is taken', async (t) => {
    if (!canIsolate(t)) return
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    const { port } = taken.address() as { port: number }
    const io = gatheredIo(root, env)
    assert.equal(await serveVerb({ port: String(port), key: 'k', state: join(root, 'taken') }, io), 1)
    taken.close()
    assert.match(io.errors, new RegExp(`^sallyport serve: port ${port} is taken; choose another with --port\n$`))
  })

  test('makes a key, shows it once, and keeps nobody else’s files open', async (t) => {
    if (!canIsolate(t)) return
    const state = join(root, 'made')
    const served = await start(state, [])
    const key = await until(() => /stops: (\S+)/.exec(served.out())?.[1])
    assert.ok(key.length >= 24)
    assert.equal((await ask(served.base, 'GET', '/v1/environments', undefined, 'k')).error.code, 'unauthenticated')
    assert.ok('environments' in (await ask(served.base, 'GET', '/v1/environments', undefined, key)))
    for (const path of [state, join(state, 'interactions'), join(state, 'admin')])
      assert.equal(statSync(path).mode & 0o077, 0, path)
    const io = gatheredIo(root, env)
    assert.equal(await serveVerb({ port: '0', key: 'k', state }, io), 1)
    assert.match(io.errors, /in use by process \d+/)
    assert.equal(await served.stop('SIGINT'), 0)
  })

  test('takes its key from a file or a variable', async (t) => {
    if (!canIsolate(t)) return
    writeFileSync(join(root, 'key'), 'from-file\n')
    const state = join(root, 'keys')
    for (const [args, more, key] of [
      [['--key-file', 'key'], {}, 'from-file'],
      [[], { SALLYPORT_KEY: 'from-env' }, 'from-env'],
    ] as const) {
      const served = await start(state, args, more)
      assert.ok('environments' in (await ask(served.base, 'GET', '/v1/environments', undefined, key)))
      assert.doesNotMatch(served.out(), /from-/)
      await served.stop('SIGTERM')
    }
  })

  test('prints one line an interaction, and logs the rest', async (t) => {
    if (!canIsolate(t)) return
    const state = join(root, 'lines')
    const served = await start(state)
    const one = await run(served.base, 'Run `curl -sS -m 5 http://127.0.0.1/`', { environment: 'remote' })
    await run(served.base, 'hello')
    assert.equal(await served.stop('SIGTERM'), 0)
    const lines = served.out().trim().split('\n')
    assert.equal(lines.length, 4, served.out())
    assert.match(lines[1]!, new RegExp(`^\\S+ ${one.id} completed in ${one.environment_id}, 4 steps, \\d+ ms$`))
    assert.match(readFileSync(join(state, 'events.jsonl'), 'utf8'), /egress\.refused/)
  })

  test('is stopped with a command at work: it is failed, and nothing is left', async (t) => {
    if (!canIsolate(t)) return
    const state = join(root, 'stopped')
    const served = await start(state)
    const { id, environment_id } = await run(served.base, command('echo kept > a; sleep 60.0701'), {
      environment: 'remote',
      background: true,
    })
    await until(() => (isThere('60.0701') ? true : undefined))
    const begun = Date.now()
    assert.equal(await served.stop('SIGTERM'), 0)
    assert.ok(Date.now() - begun < 10_000)
    assert.equal(isThere('60.0701'), false)
    const next = await start(state)
    const found = await ask(next.base, 'GET', `/v1/interactions/${id}`)
    assert.deepEqual([found.status, found.errors?.[0]?.code], ['failed', 'aborted'])
    assert.match(resultsOf(await run(next.base, 'Run `cat a`', { environment: environment_id }))[0]!.text, /^kept/)
    await next.stop('SIGTERM')
  })

  test('is killed with a command at work: the next one fails it, ends what was left, and keeps the files', async (t) => {
    if (!canIsolate(t)) return
    const state = join(root, 'killed')
    const served = await start(state)
    const done = await run(served.base, 'Run `echo done`', { environment: 'remote' })
    const { id, environment_id } = await run(served.base, command('echo kept > a; sync; sleep 60.0801'), {
      environment: 'remote',
      background: true,
    })
    await until(() => (isThere('60.0801') ? true : undefined))
    assert.equal(await served.stop('SIGKILL'), 'SIGKILL')
    const next = await start(state)
    await until(() => (isThere('60.0801') ? undefined : true), 5_000)
    const found = await ask(next.base, 'GET', `/v1/interactions/${id}`)
    assert.deepEqual([found.status, found.errors?.[0]?.code], ['failed', 'aborted'])
    assert.deepEqual(await ask(next.base, 'GET', `/v1/interactions/${done.id}`), done)
    assert.match(resultsOf(await run(next.base, 'Run `cat a`', { environment: environment_id }))[0]!.text, /^kept/)
    await next.stop('SIGTERM')
  })
})

/** Whether a process that sleeps this long is there. */
const isThere = (seconds: string): boolean =>
  spawnSync('pgrep', ['-f', `^sleep ${seconds.replace('.', '\\.')}$`]).status === 0

describe('sallyport env', () => {
  test('a state that is not there is named, and not made', async () => {
    const io = gatheredIo(root, env)
    const state = join(root, 'wrong')
    assert.equal(await envList({ state }, io), 1)
    assert.match(io.errors, new RegExp(`^sallyport env ls: there is no state directory ${state}; `))
    assert.deepEqual([io.text, existsSync(state)], ['', false])
  })

  test('a serve that fails leaves no state behind, and touches none that was there', async (t) => {
    if (!canIsolate(t)) return
    const taken = createServer()
    await new Promise<void>((done) => taken.listen(0, '127.0.0.1', done))
    t.after(() => taken.close())
    const { port } = taken.address() as { port: number }
    const kept = join(root, 'kept')
    mkdirSync(kept)
    writeFileSync(join(kept, 'mine'), '')
    for (const state of [join(root, 'failed/below'), kept]) {
      const io = gatheredIo(root, env)
      assert.equal(await serveVerb({ state, key: 'k', port: String(port) }, io), 1)
      assert.match(io.errors, /^sallyport serve: port \d+ is taken; [^\n]+\n$/)
    }
    assert.deepEqual([existsSync(join(root, 'failed')), existsSync(join(kept, 'mine'))], [false, true])
  })

  test('looks at environments, works in one, and removes it, with and without a server', async (t) => {
    if (!canIsolate(t)) return
    const state = join(root, 'env')
    const served = await start(state)
    const { environment_id: id } = await run(served.base, 'Run `echo one > a`', {
      environment: {
        type: 'remote',
        network: { allowlist: [{ domain: 'a.test', transform: { Authorization: 'S3CRET' } }] },
      },
    })
    const said = async (verb: (io: GatheredIo) => Promise<number>) => {
      const io = gatheredIo(root, env)
      return { code: await verb(io), out: io.text, err: io.errors }
    }
    const both = async () => {
      // First: a state belongs to the process that opened it, as long as that lives.
      const shell = sallyport(['env', 'shell', '--state', state, id!], 'cat a\ncd /tmp\npwd\necho err >&2; false\n')
      assert.deepEqual([shell.out, shell.err, shell.code], ['one\n/tmp\n', 'err\n', 1])
      const listed = await said((io) => envList({ state }, io))
      assert.equal(listed.code, 0, listed.err)
      assert.match(listed.out, new RegExp(`^${id} {2}active .* files +1 `))
      const shown = await said((io) => envShow({ state }, id!, io))
      assert.equal(JSON.parse(shown.out).id, id)
      assert.doesNotMatch(shown.out, /S3CRET/)
      const none = await said((io) => envShow({ state }, 'env_none', io))
      assert.deepEqual([none.code, none.err], [1, "sallyport env show: Environment 'env_none' not found\n"])
    }
    await both()
    await served.stop('SIGTERM')
    await both()
    const removed = await said((io) => envRemove({ state }, [id!], io))
    assert.deepEqual(removed, { code: 0, out: `${id} is gone.\n`, err: '' })
    assert.equal((await said((io) => envList({ state }, io))).out, 'There are no environments.\n')
    assert.equal((await said((io) => envList({ state, json: true }, io))).out, '')
  })
})
