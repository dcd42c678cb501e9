/** What sessions leave behind, and how a gate that died is told: by the hook, by status, by watch. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { gatheredIo } from '../src/cli/io.testing.ts'
import { watchVerb } from '../src/cli/setup/watch.ts'
import { type Home, type Ran, shipped } from './setup.testing.ts'

const { home } = shipped()

class Session {
  readonly at: Home
  readonly id: string
  readonly transcript: string
  private calls = 0

  constructor(at: Home, id: string) {
    this.at = at
    this.id = id
    this.transcript = at.file(`.claude/projects/work/${id}.jsonl`)
    mkdirSync(dirname(this.transcript), { recursive: true })
  }

  /** An event of the host, at the hook that setup registered. */
  fire(event: string, more: object = {}): Ran {
    const [name] = readdirSync(join(this.at.data, 'sallyport'))
    const hook = join(this.at.data, 'sallyport', name!, 'dist/hook.cjs')
    const base = { session_id: this.id, cwd: this.at.file('work'), transcript_path: this.transcript }
    const payload = { ...base, permission_mode: 'default', hook_event_name: event, ...more }
    return this.at.start([hook, 'claude', event], { input: JSON.stringify(payload) })
  }

  /** A call as the host tells it before and after, as far as `gates` has it, and as it stands in the host's record. */
  call(gates: { pre: boolean; post: boolean }): readonly Ran[] {
    const id = `toolu_${++this.calls}`
    const tool = { tool_name: 'Bash', tool_input: { command: 'true' }, tool_use_id: id }
    const ran: Ran[] = []
    this.line({
      type: 'assistant',
      message: { content: [{ type: 'tool_use', id, name: 'Bash', input: tool.tool_input }] },
    })
    if (gates.pre) ran.push(this.fire('PreToolUse', tool))
    if (gates.post)
      ran.push(this.fire('PostToolUse', { ...tool, tool_response: { stdout: '', stderr: '', interrupted: false } }))
    this.line({ type: 'user', message: { content: [{ type: 'tool_result', tool_use_id: id, content: '' }] } })
    return ran
  }

  private line(row: object): void {
    const base = { sessionId: this.id, cwd: this.at.file('work'), timestamp: new Date().toISOString() }
    appendFileSync(this.transcript, `${JSON.stringify({ ...base, ...row })}\n`)
  }
}

function wired(): Home {
  const at = home(true)
  const { code, out } = at.run(['setup', '--yes', '--host', 'claude'])
  assert.equal(code, 0, out)
  return at
}

interface Told {
  readonly gate: string
  readonly asked: number
  readonly events: readonly string[]
  readonly why?: string
}

function statusOf(at: Home, id: string): Told & { readonly code: number | null } {
  const { code, out } = at.run(['status', '--json'])
  const found = (JSON.parse(out).sessions as (Told & { session: string })[]).find(({ session }) => session === id)
  assert.ok(found, out)
  return { ...found, code }
}

const BOTH = { pre: true, post: true }

describe('sessions', () => {
  test('a session that is guarded is live', () => {
    const session = new Session(wired(), 'live')
    assert.deepEqual([session.fire('SessionStart').code, statusOf(session.at, 'live').gate], [0, 'idle'])
    for (let i = 0; i < 3; i++) for (const { out, err } of session.call(BOTH)) assert.deepEqual([out, err], ['', ''])
    assert.equal(session.fire('SessionEnd').err, '')
    const { gate, asked, events, code } = statusOf(session.at, 'live')
    assert.deepEqual([gate, asked, code], ['live', 3, 0])
    assert.deepEqual(new Set(events), new Set(['SessionStart', 'PreToolUse', 'PostToolUse', 'SessionEnd']))
  })

  test('results without a gate before them are told once, to the model and on stderr', () => {
    const session = new Session(wired(), 'deaf')
    const [first] = session.call({ pre: false, post: true })
    assert.match(first!.err, /^sallyport hook: the gate before a run was not asked[^\n]+\n$/)
    assert.match(JSON.parse(first!.out).hookSpecificOutput.additionalContext, /nothing was guarded/)
    const [second] = session.call({ pre: false, post: true })
    assert.deepEqual([second!.out, second!.err], ['', ''])
    const { gate, why, code } = statusOf(session.at, 'deaf')
    assert.deepEqual([gate, code], ['dead', 1])
    assert.match(why!, /^2 of 2 calls ran without being asked about/)
    assert.match(session.at.read('.local/state/sallyport/log.jsonl'), /"rule":"gate\.dead"/)
  })

  test('a session in which no event of a call comes is told at its end', () => {
    const session = new Session(wired(), 'mute')
    session.fire('SessionStart')
    session.call({ pre: false, post: false })
    assert.match(session.fire('SessionEnd').err, /^sallyport hook: the gate before a run was not asked/)
    assert.equal(statusOf(session.at, 'mute').gate, 'dead')
  })

  test('a gate that dies in the middle is told by status', () => {
    const session = new Session(wired(), 'dying')
    session.call(BOTH)
    assert.equal(statusOf(session.at, 'dying').gate, 'live')
    session.call({ pre: false, post: false })
    const { gate, why } = statusOf(session.at, 'dying')
    assert.equal(gate, 'dead')
    assert.match(why!, /^1 of 2 calls/)
  })

  test('the gate’s own file is gone: status tells which, and what became of the session', () => {
    const session = new Session(wired(), 'gone')
    session.call(BOTH)
    rmSync(session.at.file('.claude/settings.json'))
    session.call({ pre: false, post: false })
    const { code, out } = session.at.run(['status'])
    assert.equal(code, 1)
    assert.match(out, /Claude Code \(user\): its gate is DEAD\n {2}settings: [^\n]+settings\.json is gone/)
    assert.match(out, /claude gone in [^\n]+DEAD: 1 of 2 calls ran without being asked about/)
  })

  test('a canary is no session', () => {
    const at = wired()
    at.run(['doctor', '--host', 'claude'])
    assert.deepEqual(JSON.parse(at.run(['status', '--json']).out).sessions, [])
  })
})

describe('watch', () => {
  test('tells of calls as they come into the host’s record, and not of those that were asked about', async () => {
    const at = wired()
    const guarded = new Session(at, 'guarded')
    const io = gatheredIo(at.file('work'), at.env())
    const stop = new AbortController()
    const watching = watchVerb({}, io, stop.signal)
    await sleep(300)
    guarded.call(BOTH)
    new Session(at, 'open').call({ pre: false, post: false })
    for (let i = 0; i < 100 && !/session open/.test(io.errors); i++) await sleep(200)
    await sleep(2_000)
    stop.abort()
    assert.equal(await watching, 0)
    assert.match(
      io.errors,
      /sallyport watch: Claude Code ran a call in [^\n]+ that no gate was asked about, the last Bash \(session open\)/,
    )
    assert.doesNotMatch(io.errors, /session guarded/)
  })

  test('without a record there is nothing to watch', () => {
    const { code, err } = home(true).run(['watch'])
    assert.equal(code, 1)
    assert.match(err, /^sallyport watch: no host has written a record/)
  })
})
