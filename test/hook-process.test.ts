/** The hook as hosts start it: a process with a payload on stdin. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import {
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { buildSync } from 'esbuild'
import { HOSTS } from '../src/hosts/registry.ts'
import type { SessionLine } from '../src/session/session.ts'
import { mutationsOf } from './hook-mutate.ts'
import { bytesOf, readAnswer, rowBytes, rowsOf } from './hook-support.ts'

/** The deadline of the hook is 5 s; starting it on a busy machine takes a while, too. */
const DEADLINE = 5_000
const SLACK = 3_000

let scratch: string
let hook: string
let env: NodeJS.ProcessEnv

before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'hook-'))
  hook = join(scratch, 'hook.cjs')
  mkdirSync(join(scratch, 'home', 'shop'), { recursive: true })
  buildSync({
    entryPoints: [join(import.meta.dirname, 'hook-child.ts')],
    ...{ bundle: true, platform: 'node', format: 'cjs', outfile: hook },
  })
  env = {
    PATH: process.env['PATH'],
    HOME: join(scratch, 'home'),
    USER: 'ana',
    NODE_COMPILE_CACHE: join(scratch, 'cache'),
  }
})

after(() => rmSync(scratch, { recursive: true, force: true }))

const project = (...rest: string[]) => join(scratch, 'home', 'shop', ...rest)

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
  readonly ms: number
}

function run(args: readonly string[], input: Uint8Array | string, extra: NodeJS.ProcessEnv = {}): Ran {
  const start = performance.now()
  const done = spawnSync(process.execPath, [hook, ...args], { input, env: { ...env, ...extra }, cwd: scratch })
  return { code: done.status, out: String(done.stdout), err: String(done.stderr), ms: performance.now() - start }
}

/** Lets `feed` write to stdin and leaves it open. */
async function hang(feed: (child: ChildProcess) => void, stdin: 'pipe' | number = 'pipe'): Promise<Ran> {
  const start = performance.now()
  const args = [hook, 'claude', 'PreToolUse']
  const child = spawn(process.execPath, args, { env, cwd: scratch, stdio: [stdin, 'pipe', 'pipe'] })
  let out = ''
  let err = ''
  child.stdout?.on('data', (chunk) => (out += chunk))
  child.stderr?.on('data', (chunk) => (err += chunk))
  child.stdin?.on('error', () => {})
  feed(child)
  const code = await new Promise<number | null>((resolve) => child.on('exit', resolve))
  const ms = performance.now() - start
  child.stdin?.destroy()
  return { code, out, err, ms }
}

const bash = (command: string, more: object = {}) =>
  JSON.stringify({
    ...{ session_id: 's', cwd: project(), permission_mode: 'default', hook_event_name: 'PreToolUse' },
    ...{ tool_name: 'Bash', tool_input: { command }, tool_use_id: 'u1', ...more },
  })

const decisionOf = (host: string, { code, out }: Ran): string => {
  assert.equal(code, 0)
  const said = readAnswer(host, out)
  return said === 'nothing' ? said : said.decision
}

describe('the hook as a process', () => {
  const cases: readonly [name: string, args: string[], input: () => string, decision: string][] = [
    ['denies', ['claude', 'PreToolUse'], () => bash('deny x'), 'deny'],
    ['asks', ['claude', 'PreToolUse'], () => bash('ask'), 'ask'],
    ['passes', ['claude', 'PreToolUse'], () => bash('ls'), 'pass'],
    ['knows hosts by alias', ['claude-code', 'pre-tool-use'], () => bash('deny x'), 'deny'],
    ['takes a flag for unattended', ['claude', 'PreToolUse', '--unattended'], () => bash('ask'), 'deny'],
    ['denies when the judge breaks', ['claude', 'PreToolUse'], () => bash('crash'), 'deny'],
    ['denies when every answer is used up', ['claude', 'PreToolUse'], () => bash('spin'), 'deny'],
    ['denies an empty payload', ['claude', 'PreToolUse'], () => '', 'deny'],
    ['denies a payload above 8 MiB', ['claude', 'PreToolUse'], () => bash(`ls ${'x'.repeat(9 << 20)}`), 'deny'],
    ['denies for an unknown event', ['claude', 'NoSuchEvent'], () => bash('ls', { hook_event_name: 'No' }), 'deny'],
    ['denies for no event', ['claude'], () => bash('ls', { hook_event_name: undefined }), 'deny'],
  ]
  for (const [name, args, input, decision] of cases) {
    it(name, () => {
      const ran = run(args, input())
      assert.equal(decisionOf('claude', ran), decision)
      assert.doesNotMatch(ran.out + ran.err, /secret\.ts|\n\s+at /)
      assert.equal(ran.err, '')
    })
  }

  it('a result of 9 MiB is contained, one below the budget stays', () => {
    const after = (size: number) =>
      run(['claude', 'PostToolUse'], bash('ls', { hook_event_name: 'PostToolUse', tool_response: 'x'.repeat(size) }))
    const { hookSpecificOutput: output } = JSON.parse(after(9 << 20).out)
    assert.equal(output.hookEventName, 'PostToolUse')
    assert.match(output.updatedToolOutput, /^\[ctx .*\| run:[0-9a-f]{12} \| ls\]\n/)
    assert.ok(output.updatedToolOutput.length < 4096)
    assert.equal(after(16_384).out, '')
  })

  it('answers for an unknown host in the dialect that most hosts read, and says so on stderr', () => {
    for (const host of ['nobody', '', '../x']) {
      const ran = run([host, 'PreToolUse'], bash('ls'))
      assert.equal(decisionOf('claude', ran), 'deny')
      assert.match(ran.err, /^sallyport hook: unknown host "[^\n]*"\n$/)
    }
  })

  it('takes the environment for unattended', () => {
    const ran = run(['claude', 'PreToolUse'], bash('ask'), { SALLYPORT_UNATTENDED: '1' })
    assert.equal(decisionOf('claude', ran), 'deny')
  })

  it('answers by the version that setup wrote down, and by none where the file is broken', () => {
    const dir = join(scratch, 'state', 'sallyport', 'hosts')
    mkdirSync(dir, { recursive: true, mode: 0o700 })
    const state = { XDG_STATE_HOME: join(scratch, 'state') }
    const payload = JSON.stringify({ workspacePaths: [project()], toolCall: { name: 'finish', args: {} } })
    const rows: readonly [string, string][] = [
      ['{"version":"1.0.16"}', '{"decision":""}\n'],
      ['{"version":"1.0.2"}', '{"decision":"ask","reason":""}\n'],
      ['{"version":7}', '{"decision":"ask","reason":""}\n'],
      ['{', '{"decision":"ask","reason":""}\n'],
    ]
    for (const [text, expected] of rows) {
      writeFileSync(join(dir, 'antigravity.json'), text)
      assert.equal(run(['antigravity', 'PreToolUse'], payload, state).out, expected, text)
    }
  })

  it('passes in the profile that only observes, whatever breaks', () => {
    const config = join(scratch, 'config', 'sallyport')
    mkdirSync(config, { recursive: true })
    writeFileSync(join(config, 'policy.jsonc'), '{"profile":"observe"}')
    const observe = { XDG_CONFIG_HOME: join(scratch, 'config') }
    for (const input of [bash('deny x'), bash('crash'), '{nope', ''])
      assert.equal(decisionOf('claude', run(['claude', 'PreToolUse'], input, observe)), 'pass', input.slice(0, 99))
  })

  it('goes on without a session where the state directory cannot be used', () => {
    const ran = run(['claude', 'PreToolUse'], bash('deny x'), { XDG_STATE_HOME: hook })
    assert.equal(decisionOf('claude', ran), 'deny')
    assert.match(ran.err, /^sallyport hook: the state directory [^\n]*\n$/)
  })

  it('ends well when nobody reads the answer', async () => {
    const ran = await hang((child) => {
      child.stdout?.destroy()
      child.stdin?.end(bash('deny x'))
    })
    assert.equal(ran.code, 0)
  })
})

describe('stdin of any kind', () => {
  const quoted = () => `'${process.execPath}' '${hook}' claude PreToolUse`

  it('a file', () => {
    const payload = join(scratch, 'payload.json')
    writeFileSync(payload, bash('deny x'))
    const done = spawnSync('sh', ['-c', `${quoted()} < '${payload}'`], { env })
    assert.equal(decisionOf('claude', { code: done.status, out: String(done.stdout), err: '', ms: 0 }), 'deny')
  })

  it('nothing, or closed', () => {
    for (const from of ['</dev/null', '<&-']) {
      const done = spawnSync('sh', ['-c', `${quoted()} ${from}`], { env })
      assert.equal(decisionOf('claude', { code: done.status, out: String(done.stdout), err: '', ms: 0 }), 'deny', from)
    }
  })

  it('a pipe that brings the payload in pieces', () => {
    const whole = bash('ask')
    const [head, tail] = [whole.slice(0, 40), whole.slice(40)]
    const script = `{ printf '%s' '${head}'; sleep 0.3; printf '%s' '${tail}'; } | ${quoted()}`
    const done = spawnSync('sh', ['-c', script], { env })
    assert.equal(decisionOf('claude', { code: done.status, out: String(done.stdout), err: '', ms: 0 }), 'ask')
  })

  it('a terminal', (t) => {
    if (spawnSync('script', ['--version']).status !== 0) return t.skip('no program that makes a terminal')
    // Raw, since a terminal's own line editing takes no line above 4 KiB and would echo the payload.
    const script = `stty raw -echo; ${quoted()}`
    const done = spawnSync('script', ['-qec', script, '/dev/null'], { env, input: bash('deny x') })
    assert.match(String(done.stdout), /"permissionDecision":"deny"/)
    assert.equal(done.status, 0)
  })

  it('a whole payload is answered though the stream stays open', async () => {
    const ran = await hang((child) => child.stdin?.write(bash('ask')))
    assert.equal(decisionOf('claude', ran), 'ask')
    assert.ok(ran.ms < DEADLINE, 'it does not wait for the end')
  })

  it('a stream that stays open gets a decision by the deadline', { concurrency: true }, async () => {
    const half = bash('ls').slice(0, 50)
    const fifo = join(scratch, 'fifo')
    assert.equal(spawnSync('mkfifo', [fifo]).status, 0)
    // Open for writing, too: it never ends.
    const pipe = openSync(fifo, 'r+')
    writeSync(pipe, half)
    try {
      const all = await Promise.all([hang(() => {}), hang((child) => child.stdin?.write(half)), hang(() => {}, pipe)])
      for (const ran of all) {
        assert.equal(decisionOf('claude', ran), 'deny')
        assert.ok(ran.ms < DEADLINE + SLACK, `took ${ran.ms} ms`)
      }
    } finally {
      closeSync(pipe)
    }
  })
})

describe('what a session remembers', () => {
  const lines = (state: string): SessionLine[] =>
    readdirSync(join(scratch, state, 'sallyport', 'sessions')).flatMap((name) =>
      readFileSync(join(scratch, state, 'sallyport', 'sessions', name), 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as SessionLine),
    )
  const write = (path: string, event: string, id: string) =>
    bash('', {
      hook_event_name: event,
      tool_name: 'Write',
      tool_input: { file_path: path, content: 'x' },
      tool_use_id: id,
    })

  it('a path that was absent before and is there afterwards was created; one that was there was written', () => {
    const env = { XDG_STATE_HOME: join(scratch, 's1') }
    writeFileSync(project('old.txt'), 'old')
    const made: readonly [id: string, path: string][] = [
      ['1', project('deep', 'er', 'new.txt')],
      ['2', project('old.txt')],
      ['3', project('never.txt')],
    ]
    for (const [id, path] of made) run(['claude', 'PreToolUse'], write(path, 'PreToolUse', id), env)
    mkdirSync(project('deep', 'er'), { recursive: true })
    writeFileSync(project('deep', 'er', 'new.txt'), 'x')
    writeFileSync(project('by-hand.txt'), 'x')
    for (const [id, path] of [...made, ['4', project('by-hand.txt')] as const])
      assert.equal(run(['claude', 'PostToolUse'], write(path, 'PostToolUse', id), env).out, '')
    const said = (kind: string) =>
      lines('s1')
        .filter((line) => line.kind === kind)
        .flatMap((line) => line.paths)
    assert.deepEqual(said('created'), [project('deep')], 'the topmost directory that was absent')
    assert.deepEqual(said('written'), [project('deep', 'er', 'new.txt'), project('old.txt')])
  })

  it('a denied effect is remembered, a passed one leaves nothing of that kind', () => {
    const env = { XDG_STATE_HOME: join(scratch, 's2') }
    for (const command of ['deny /a/b', 'deny /a/b', 'ls']) run(['claude', 'PreToolUse'], bash(command), env)
    const denied = lines('s2').filter((line) => line.kind === 'denied')
    assert.deepEqual(
      denied.map((line) => line.effects),
      [[{ act: 'delete', target: '/a/b', tree: true }]],
    )
  })
})

describe('the log', () => {
  const log = (state: string) =>
    readFileSync(join(scratch, state, 'sallyport', 'log.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>)

  it('gets one line for a decision and for a failure, none for an event that decides nothing', () => {
    const env = { XDG_STATE_HOME: join(scratch, 'l1') }
    const secret = 'ghp_0123456789abcdefghijABCDEFGHIJ456789'
    const events: readonly [event: string, input: string][] = [
      ['PreToolUse', bash(`deny ${secret}`)],
      ['PreToolUse', bash('ls')],
      ['PostToolUse', bash('ls', { hook_event_name: 'PostToolUse' })],
      ['PreToolUse', bash('crash')],
      ['PreToolUse', '{nope'],
      ['PostToolUse', '{nope'],
    ]
    for (const [event, input] of events) run(['claude', event], input, env)
    const lines = log('l1')
    assert.deepEqual(
      lines.map(({ verdict, rule, event }) => [verdict, rule, event]),
      [
        ['deny', 'test.words', 'PreToolUse'],
        ['pass', 'test.words', 'PreToolUse'],
        ['deny', 'reading.payload', 'PreToolUse'],
        ['deny', 'reading.payload', 'PreToolUse'],
        ['pass', 'reading.payload', 'PostToolUse'],
      ],
    )
    assert.equal(JSON.stringify(lines).includes(secret), false, 'no secret in the log')
    assert.equal(lines[1]?.['call'], 'ls')
    assert.deepEqual(new Set(lines.map(({ via }) => via)), new Set(['hook']))
    assert.equal(new Set(lines.map(({ prev }) => prev)).size, lines.length, 'each line names the one before')
  })
})

describe('damaged payloads in a process', () => {
  for (const host of HOSTS) {
    // A process each: forty for hosts that stand in the core of the hook, a few for those that come as its parts.
    const isCore = ['claude', 'codex', 'antigravity'].includes(host.id)
    const title = isCore
      ? `${host.title}: forty of them, one valid answer each, exit 0`
      : `${host.title}: six of them, one valid answer each, exit 0`
    it(title, () => {
      const seeds = rowsOf(host.id).map((row) => ({ event: row.event, bytes: rowBytes(row) }))
      for (const { bytes, event, n } of mutationsOf(seeds, isCore ? 40 : 6, 4_711)) {
        const ran = run([host.id, event], bytes)
        assert.equal(ran.code, 0, `mutation ${n}`)
        assert.doesNotThrow(() => readAnswer(host.id, ran.out), `mutation ${n}: ${ran.out}`)
        assert.doesNotMatch(ran.out + ran.err, /\n\s+at /)
      }
    })
  }

  it('bytes that are no text at all', () => {
    const ran = run(['codex', 'PreToolUse'], Uint8Array.of(...bytesOf('{"tool_name":"'), 0xff, 0x22, 0x7d))
    assert.equal(decisionOf('codex', ran), 'deny')
  })
})
