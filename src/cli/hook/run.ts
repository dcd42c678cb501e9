/**
 * The hook's I/O: reads the payload, asks the core, writes the answer, then what the session remembers. Exits with 0
 * whatever happens, since hosts take any other code for a hook that may be ignored.
 */
import { existsSync, readFileSync, writeSync } from 'node:fs'
import type { ToolCall } from '../../core/call.ts'
import { type EffectIdentity, PUBLISHED_RAIL, type Verdict } from '../../core/verdict.ts'
import { whilePaused } from '../../guard/decide.ts'
import { eventOf } from '../../hosts/events.ts'
import { exitAnswer, framed } from '../../hosts/exit-code.ts'
import { type Fields, fieldsOf, parsed, textOf } from '../../hosts/guards.ts'
import type { Host, HostAnswer, Launch } from '../../hosts/host.ts'
import { HOSTS, hostOf } from '../../hosts/registry.ts'
import { appendLog } from '../../record/log-file.ts'
import { MOST_REASON, reasonFor } from '../../record/reason.ts'
import { fingerprint, foldSession, usedLine } from '../../session/fold.ts'
import { isMarked, UNASKED } from '../../session/mark.ts'
import { pausedUntil } from '../../session/pause.ts'
import { EMPTY_SESSION, type SessionLine } from '../../session/session.ts'
import {
  appendSession,
  claimApproval,
  openState,
  readSession,
  type StateDir,
  sessionName,
  statePath,
} from '../../session/store.ts'
import { clock } from '../../world/clock.ts'
import { diskWorld } from '../../world/disk.ts'
import { snapshot } from '../undo/take.ts'
import { startedBy } from './ancestors.ts'
import { gatesOf } from './gates.ts'
import { endedUnseen, markSession, missedGate, sessionIn } from './live.ts'
import { logOf } from './log.ts'
import { linesAfter, linesBefore } from './notes.ts'
import { homeOf, platformOf, userOf, whoseOf } from './person.ts'
import { diskPlaces } from './places.ts'
import { type Deps, type Outcome, type Request, respond } from './respond.ts'
import { type Incoming, leave, pause, readAll } from './stdin.ts'
import { type Changed, changeClause, compareWatched, foldWatch, nearTo, toldLines, withChanges } from './watch.ts'
import { watchDisk } from './watch-disk.ts'

/** Longest time that a host waits for us, in milliseconds from our start, whatever it would grant. */
const DEADLINE = 5_000
/** Time kept for us between our deadline and the host's. */
const HOST_MARGIN = 1_000
/** Time kept for writing the answer after the last question. */
const ANSWER_MARGIN = 250
/** A verdict may begin this late at most: reading ends before. */
const JUDGE_MARGIN = 500
/** Bytes of a payload before and after a run. */
const MOST_BYTES = { pre: 8 * 1024 * 1024, post: 64 * 1024 * 1024 } as const
/** Questions put to the disk in one verdict: about a second of look-ups. */
const MOST_QUESTIONS = 50_000

/**
 * Runs the hook: `argv` is `<host> <event> [--unattended] [--exit-code]`. Writes at most one answer to stdout, in the form
 * for `bin/exit-code.sh` where it is asked for, and at most one sentence to stderr, then ends the process with code 0.
 */
export function runHook(argv: readonly string[], judge: Deps['judge']): void {
  try {
    const deadline = deadlineOf(hostOf(argv[0] ?? ''))
    const shell = new Shell(argv, deadline)
    shell.read((incoming) => answer(argv, shell, incoming, judge))
  } catch (error) {
    lastResort(argv, error)
    process.exit(0)
  }
}

function answer(argv: readonly string[], shell: Shell, incoming: Incoming, judge: Deps['judge']): void {
  let told = false
  const { deadline } = shell
  try {
    const outcome = shell.seen(respond(incoming, shell.request, shell.deps(judge)))
    // What may be lost is kept before the host hears that the call may run.
    shell.keep(outcome)
    told = true
    write(1, shell.sent(outcome), deadline)
    // The host has its answer: nothing that fails from here on may change it.
    shell.remember(outcome)
    const note = outcome.stderr || shell.refused
    if (note) write(2, `${note}\n`, deadline)
  } catch (error) {
    if (!told) lastResort(argv, error)
  } finally {
    leave(0, incoming)
  }
}

const deadlineOf = (host: Host | undefined): number =>
  Math.min(DEADLINE, (host?.timeout ?? DEADLINE + HOST_MARGIN) - HOST_MARGIN)

/** What one run of the hook knows of its process. */
export class Shell {
  readonly request: Request
  readonly most: number
  /** Why the session cannot be kept, as a sentence for stderr; empty where it can. */
  refused = ''
  readonly deadline: number
  private readonly exits: boolean
  private readonly home: string
  private state: StateDir | undefined
  private lines: readonly SessionLine[] = []
  private told: readonly Changed[] = []
  private root: string | undefined

  /** `argv`: host and event, and options; `deadline`: milliseconds from the start of the process. */
  constructor(argv: readonly string[], deadline: number, via: 'hook' | 'runner' = 'hook') {
    const [host = '', event = ''] = argv.filter((word) => !word.startsWith('-'))
    const env = process.env
    this.deadline = deadline
    this.home = homeOf(env)
    // A flag that is misspelt was meant to make us stricter: it is told, and taken for that.
    const strange = argv.find((word) => word.startsWith('-') && word !== '--unattended' && word !== EXIT_CODE)
    if (strange !== undefined)
      this.refused = `sallyport hook: ${JSON.stringify(strange.slice(0, 64))} is no option of the hook; there are --unattended, which it is taken for, and ${EXIT_CODE}`
    this.exits = argv.includes(EXIT_CODE)
    const unattended = strange !== undefined || argv.includes('--unattended') || env['SALLYPORT_UNATTENDED'] === '1'
    const known = hostOf(host)
    const version = known === undefined ? undefined : versionOf(known, env, this.home)
    const home = this.home
    const launch: Launch = {
      version,
      unattended,
      env,
      // Looked up only where another host's marks are on the call.
      get adapters() {
        return HOSTS.filter((one) => isWired(one, env, home)).map((one) => one.id)
      },
      started: startedBy,
    }
    this.request = { host, event, launch, via }
    const kind = known === undefined ? 'pre' : eventOf(known.events, event)?.kind
    this.most = kind === 'post' ? MOST_BYTES.post : MOST_BYTES.pre
  }

  /** What is written to stdout. */
  sent({ host, stdout, answered, call }: Outcome): string {
    if (!this.exits) return stdout
    const { launch, event } = this.request
    return framed(exitAnswer(host, stdout, answered, launch, call?.event ?? event))
  }

  /** Hands on the payload on stdin, as far as it comes in time. */
  read(then: (incoming: Incoming) => void): void {
    readAll(0, { most: this.most, until: this.deadline - JUDGE_MARGIN }, then)
  }

  deps(judge: Deps['judge']): Deps {
    const world = diskWorld()
    const elapsed = clock()
    return {
      world,
      budget: { ms: this.deadline - ANSWER_MARGIN, start: world.now() - elapsed, questions: MOST_QUESTIONS },
      cwd: process.cwd(),
      person: { ...whoseOf(process.env), user: userOf(process.env), platform: platformOf() },
      sessionOf: (call) => this.sessionOf(call),
      claim: (call, approval) => this.claim(call, approval),
      judge: this.pausing(judge),
      words: this.naming(reasonFor),
      gates: gatesOf(process.env, this.home),
    }
  }

  /** While a person has paused the guard, nothing is stopped but what no approval lifts: nothing may lengthen a pause. */
  private pausing(judge: Deps['judge']): Deps['judge'] {
    if (pausedUntil(statePath(process.env, this.home), Date.now()) === undefined) return judge
    return function* (call, context) {
      return whilePaused(yield* judge(call, context))
    }
  }

  /** Words that also name changes of frozen files that no reason has named yet. */
  naming(words: Deps['words']): Deps['words'] {
    return (verdict, extra) => {
      const reason = words(verdict, extra)
      const untold = nearTo(foldWatch(this.lines), this.root)
      // The published wording of a rail stays as it is, word for word.
      const room = reason === '' || verdict.rule === PUBLISHED_RAIL ? 0 : MOST_REASON
      const named = withChanges(reason, untold, this.root, room)
      if (named === undefined) return reason
      this.told = untold
      return named
    }
  }

  private sessionOf(call: ToolCall) {
    this.root = call.workspaces[0] ?? call.cwd
    this.readLines(call)
    return this.state === undefined ? EMPTY_SESSION : foldSession(this.lines, Date.now())
  }

  private readLines(call: ToolCall): void {
    const state = openState(process.env, this.home)
    if ('refused' in state) {
      this.refused = `sallyport hook: ${state.refused}`
      return
    }
    this.state = state
    const read = readSession(state, call.host, call.session)
    if ('refused' in read) this.refused = `sallyport hook: ${read.refused}`
    else this.lines = read.lines
  }

  /** Whether this call is the one that an approval was given for; the approval is used up thereby. */
  private claim(call: ToolCall, approval: readonly EffectIdentity[]): boolean {
    const print = fingerprint(approval)
    const given = this.lines.findLast((line) => line.kind === 'approved' && line.fingerprint === print)
    if (given?.lasts === 'session') return true
    if (this.state === undefined || given === undefined || !claimApproval(this.state, print, given.t)) return false
    appendSession(this.state, call.host, call.session, [usedLine(Date.now(), print)])
    return true
  }

  /** Keeps files that the call may lose, where the policy says so and the call may run. */
  keep({ call, verdict, policy, answered }: Outcome): void {
    if (policy?.settings?.snapshots?.on !== true || call === undefined || verdict === undefined) return
    if (answered?.decision === 'deny') return
    const state = this.state ?? openState(process.env, this.home)
    if ('refused' in state) return
    const taken = snapshot(state.path, call, verdict, policy, () => this.deadline - ANSWER_MARGIN - clock())
    if (taken?.cut)
      this.refused = `sallyport hook: not all that this call may lose was kept; see sallyport undo show ${taken.id}`
  }

  /** Writes down what was answered, and what this event says about the session. */
  remember(outcome: Outcome): void {
    this.log(outcome)
    this.mark(outcome)
    const { call, verdict, result } = outcome
    if (call === undefined) return
    if (result !== undefined) this.readLines(call)
    if (this.state === undefined) return
    const now = Date.now()
    const lines =
      result !== undefined
        ? linesAfter(result, this.lines, now, diskPlaces)
        : verdict === undefined
          ? []
          : linesBefore(call, verdict, now, diskPlaces)
    // What is denied again and again is written down once.
    const known = new Set(this.lines.flatMap((line) => (line.kind === 'denied' ? [line.fingerprint] : [])))
    const fresh = lines.filter((line) => line.kind !== 'denied' || !known.has(line.fingerprint))
    const watched = [...this.watched(outcome, call, now), ...toldLines(now, this.told)]
    const failed = appendSession(this.state, call.host, call.session, [...fresh, ...watched])
    if (failed !== undefined) this.refused = `sallyport hook: ${failed.refused}`
  }

  /** The outcome with a word on it where it is a result of a session whose calls no gate was asked about. */
  seen(outcome: Outcome): Outcome {
    const { kind, call, host } = outcome
    if (kind !== 'post' || call === undefined || call.session === 'unknown') return outcome
    const state = this.opened()
    if (state === undefined || isMarked(state.path, sessionName(host.id, call.session), 'pre')) return outcome
    const missed = missedGate(state.path, outcome, Date.now())
    if (missed === undefined) return outcome
    this.log({ ...outcome, answered: PASSED, verdict: UNSEEN })
    const silent = outcome.stdout === host.encodePost(this.request.launch)
    return { ...outcome, stderr: missed.note, ...(silent ? { stdout: missed.stdout } : {}) }
  }

  /** Marks that the session had an event of this kind, the first time. */
  private mark(outcome: Outcome): void {
    const { kind, call, host, payload, verdict } = outcome
    if (kind === 'stand-down' || verdict?.rule === 'gate.canary') return
    const session = call?.session ?? (kind === 'other' ? sessionIn(payload) : undefined)
    if (session === undefined || session === 'unknown') return
    const state = this.opened()
    if (state === undefined) return
    if (kind !== 'other') {
      if (!isMarked(state.path, sessionName(host.id, session), kind))
        markSession(state.path, outcome, this.request, session, Date.now())
      return
    }
    markSession(state.path, outcome, this.request, session, Date.now())
    if (!endedUnseen(state.path, outcome, session)) return
    this.refused = `sallyport hook: ${UNASKED}`
    this.log({ ...outcome, answered: PASSED, verdict: UNSEEN })
  }

  /** The state directory; undefined where it cannot be used. */
  private opened(): StateDir | undefined {
    if (this.state !== undefined) return this.state
    const state = openState(process.env, this.home)
    if ('refused' in state) this.refused = `sallyport hook: ${state.refused}`
    else this.state = state
    return this.state
  }

  /** Compares frozen files with what they were; what differs is a line of the log as well. */
  private watched(outcome: Outcome, call: ToolCall, now: number): readonly SessionLine[] {
    const base = call.workspaces[0] ?? call.cwd
    const runs = outcome.verdict === undefined || outcome.answered?.decision !== 'deny'
    const { lines, changes } = compareWatched(
      runs ? base : undefined,
      this.lines,
      now,
      watchDisk(process.env, this.home),
    )
    if (changes.length > 0) {
      const reason = changes.map((change) => changeClause(change, base)).join('; ')
      this.log({ ...outcome, answered: PASSED, verdict: { ...CHANGED, reason: reason.slice(0, MOST_REASON) } })
    }
    return lines
  }

  private log(outcome: Outcome): void {
    const make = logOf(outcome, this.request, { now: new Date(), pid: process.pid, cwd: process.cwd() })
    if (make === undefined) return
    const state = this.opened()
    if (state === undefined) return
    const failed = appendLog(state.path, make)
    if (failed !== undefined) this.refused = `sallyport hook: ${failed}`
  }
}

/** The option of the launcher for hosts that take a denial by exit code. */
const EXIT_CODE = '--exit-code'

/** What the log says of frozen files that differ: nothing was decided about it. */
const CHANGED: Verdict = {
  decision: 'pass',
  rule: 'frozen.changed',
  reason: '',
  status: 'complete',
  findings: [],
  effects: [],
}
/** What the log says of a session whose calls no gate was asked about. */
const UNSEEN: Verdict = { ...CHANGED, rule: 'gate.dead', reason: UNASKED }
const PASSED: HostAnswer = { decision: 'pass', reason: '' }

/** The version that setup or doctor wrote down; undefined where nobody did. */
const versionOf = (host: Host, env: NodeJS.ProcessEnv, home: string): string | undefined =>
  textOf(recordOf(host, env, home)?.['version'])

/** Whether setup registered our hook for the person, not for one project only. */
function isWired(host: Host, env: NodeJS.ProcessEnv, home: string): boolean {
  const wired = recordOf(host, env, home)?.['wired']
  return Array.isArray(wired) && wired.some((one) => fieldsOf(one)?.['scope'] === 'user')
}

/** What setup wrote down of a host. */
function recordOf(host: Host, env: NodeJS.ProcessEnv, home: string): Fields | undefined {
  try {
    const file = `${statePath(env, home)}/hosts/${host.id}.json`
    return existsSync(file) ? fieldsOf(parsed(readFileSync(file, 'utf8'))) : undefined
  } catch {
    return undefined
  }
}

/** Writes all of it; a reader that is slow is waited for until the deadline, one that is gone is not. */
function write(fd: number, text: string, until: number): void {
  const bytes = Buffer.from(text)
  let at = 0
  while (at < bytes.length) {
    try {
      at += writeSync(fd, bytes, at)
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EAGAIN' || clock() > until + ANSWER_MARGIN) return
      pause(1)
    }
  }
}

/** Something broke outside the core, which catches its own: still one answer, and no stack. */
function lastResort(argv: readonly string[], error: unknown): void {
  const host = hostOf(argv[0] ?? '') ?? hostOf('claude')!
  const launch: Launch = { version: undefined, unattended: true, env: {} }
  const after = eventOf(host.events, argv[1] ?? '')?.kind === 'post'
  const reason = `Sallyport refused this call: an internal error came up (${error instanceof Error ? error.name : 'unknown'})`
  const deny = { decision: 'deny', reason } as const
  const event = argv[1] ?? ''
  const said = after ? host.encodePost(launch) : host.encodePre(deny, launch, event)
  const exits = argv.includes(EXIT_CODE)
  write(1, exits ? framed(exitAnswer(host, said, after ? undefined : deny, launch, event)) : said, clock() + 500)
}
