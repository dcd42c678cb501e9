/**
 * `sallyport replay`: what the guard would have said to the calls of past sessions, before anybody switches it on. The
 * disk is asked as it is now, so what a session made and removed again is judged as if it had been there all along.
 */
import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { counted } from '../../core/count.ts'
import type { Decision, Verdict } from '../../core/verdict.ts'
import type { World } from '../../core/world.ts'
import { judgeCall } from '../../guard/judge.ts'
import { isInside } from '../../paths/lexical.ts'
import { reasonFor } from '../../record/reason.ts'
import { redact } from '../../record/redact.ts'
import { foldSession } from '../../session/fold.ts'
import type { SessionLine } from '../../session/session.ts'
import { diskWorld } from '../../world/disk.ts'
import { linesAfter, linesBefore, type Places } from '../hook/notes.ts'
import { homeOf, whoseOf } from '../hook/person.ts'
import { respond } from '../hook/respond.ts'
import { EXIT, type Io } from '../io.ts'
import { plain } from '../log.ts'
import { type PastCall, readTranscript } from './transcript.ts'

/** Larger transcripts are no longer one session's. */
const MOST_BYTES = 256 * 1024 * 1024
const MOST_ANNOYING = 10
const MOST_SHOWN = 100
const BUDGET = { ms: 5_000, questions: 50_000 }

export interface ReplayFlags {
  readonly json?: boolean
  /** Judges as if nobody could be asked. */
  readonly unattended?: boolean
}

export interface Judged {
  readonly call: PastCall
  readonly decision: Decision
  readonly rule: string
  readonly reason: string
  /** The command, or the tool with its target. */
  readonly shown: string
}

/** `paths`: transcripts, or directories of them. Exit 0, 1 where a file could not be read, 2 for bad usage. */
export function replayVerb(flags: ReplayFlags, paths: readonly string[], io: Io): number {
  if (paths.length === 0) {
    io.err(
      'sallyport replay: name transcripts, or directories of them, such as ~/.claude/projects or ~/.codex/sessions\n',
    )
    return EXIT.usage
  }
  let failed = false
  const complain = (sentence: string): void => {
    io.err(`sallyport replay: ${sentence}\n`)
    failed = true
  }
  const judged: Judged[] = []
  let sessions = 0
  for (const path of paths.flatMap((one) => filesOf(resolve(io.cwd, one), complain))) {
    const found = transcriptAt(path)
    if (typeof found === 'string') {
      complain(`${path} ${found}`)
      continue
    }
    if (found.broken > 0)
      io.err(`sallyport replay: ${path}: ${counted(found.broken, 'line is', 'lines are')} no JSON and left out\n`)
    if (found.calls.length > 0) sessions++
    const start = startOf(found.calls)
    for (const dir of renewedOf(start, stoodOf(found.calls, io)))
      io.err(
        `sallyport replay: ${path}: ${dir} is newer than the session; what lies there counts as there from the start\n`,
      )
    for (const one of judgeCalls(found.calls, flags, io)) {
      judged.push(one)
      if (flags.json) io.out(`${JSON.stringify(asJson(one))}\n`)
    }
  }
  if (!flags.json) io.out(report(judged, sessions))
  return failed ? EXIT.problem : EXIT.ok
}

function filesOf(path: string, complain: (sentence: string) => void): readonly string[] {
  try {
    if (!statSync(path).isDirectory()) return [path]
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.jsonl'))
    if (names.length === 0) complain(`${path} holds no transcripts, which end in .jsonl`)
    return names.sort().map((name) => join(path, name))
  } catch (error) {
    complain(`${path} ${unread(error)}`)
    return []
  }
}

function transcriptAt(path: string) {
  try {
    if (statSync(path).size > MOST_BYTES) return 'is larger than 256 MiB, which no session is'
    return readTranscript(readFileSync(path, 'utf8')) ?? 'is no transcript of Claude Code or Codex'
  } catch (error) {
    return unread(error)
  }
}

/** Why a file cannot be read, to stand behind its name. */
function unread(error: unknown): string {
  const { code } = error as NodeJS.ErrnoException
  return code === 'ENOENT' ? 'is not there' : `cannot be read (${code ?? String(error)})`
}

/** Where a session surely stood when it began: the home, and where its first call ran. */
const stoodOf = (calls: readonly PastCall[], io: Pick<Io, 'env' | 'cwd'>): readonly string[] => [
  homeOf(io.env),
  calls[0]?.cwd ?? io.cwd,
]

/** When a session began, in milliseconds since the epoch; infinite where no call tells its time. */
const startOf = (calls: readonly PastCall[]): number =>
  Math.min(...calls.map(({ at }) => at ?? Number.POSITIVE_INFINITY))

/** Judges the calls of one session in order; each sees what the ones before it did. */
export function judgeCalls(
  calls: readonly PastCall[],
  flags: Pick<ReplayFlags, 'unattended'>,
  io: Pick<Io, 'env' | 'cwd'>,
): readonly Judged[] {
  const start = startOf(calls)
  const past = new Past(start, stoodOf(calls, io))
  const lines: SessionLine[] = []
  return calls.map((call) => {
    const cwd = call.cwd ?? io.cwd
    const world = past.world(diskWorld({ env: io.env, cwd }))
    const event = (name: string, more: object) =>
      respond(
        {
          end: 'whole',
          bytes: new TextEncoder().encode(
            JSON.stringify({
              ...{
                session_id: call.session,
                transcript_path: '',
                cwd,
                permission_mode: 'default',
                turn_id: 't',
                model: '',
              },
              ...{ hook_event_name: name, tool_name: call.tool, tool_input: call.input, tool_use_id: call.id, ...more },
            }),
          ),
        },
        {
          host: call.host,
          event: name,
          launch: { version: undefined, unattended: flags.unattended === true, env: {} },
        },
        {
          world,
          budget: { ...BUDGET, start: world.now() },
          cwd,
          person: { ...whoseOf(io.env), user: io.env['USER'] ?? 'user', platform: platform() },
          sessionOf: () => foldSession(lines, call.at ?? 0),
          claim: () => false,
          judge: judgeCall,
          words: reasonFor,
        },
      )
    const before = event('PreToolUse', {})
    const { verdict } = before
    if (before.call !== undefined && verdict !== undefined && call.outcome !== 'failed') {
      // What the host ran then ran whatever would be said now.
      lines.push(...linesBefore(before.call, { ...verdict, decision: 'pass' }, call.at ?? 0, past.places))
      const after = event('PostToolUse', { tool_response: '' })
      const made = after.result === undefined ? [] : linesAfter(after.result, lines, call.at ?? 0, past.places)
      past.learn(made)
      lines.push(...made)
    }
    return {
      call,
      decision: decisionOf(verdict, before.answered?.decision),
      rule: verdict?.rule ?? 'reading.payload',
      reason: before.answered?.reason || before.problem || '',
      shown: shownOf(call),
    }
  })
}

const decisionOf = (verdict: Verdict | undefined, answered: Decision | undefined): Decision =>
  verdict?.decision ?? answered ?? 'pass'

const platform = () => (process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux')

/** What the disk was like while the session went on, as far as the disk of today tells. */
class Past {
  /** What calls have made so far. */
  private readonly made = new Set<string>()
  private readonly start: number
  /** Where the session began: these were there, whatever the disk says since a move, a copy or a new clone. */
  private readonly stood: readonly string[]
  /** Those of them that are newer than the session: nothing tells what in them is. */
  private readonly renewed: readonly string[]

  constructor(start: number, stood: readonly string[]) {
    this.start = start
    this.stood = stood
    this.renewed = renewedOf(start, stood)
  }

  /** Whether a path came to be in the session, later than the call that is judged. */
  private later(path: string): boolean {
    if (this.made.has(path) || this.stood.some((one) => isInside(one, path))) return false
    if (this.renewed.some((one) => isInside(path, one))) return false
    return bornAt(path) >= this.start
  }

  /** The disk without what only came to be later. */
  world(disk: World): World {
    return {
      now: disk.now,
      answer: (question, left) => {
        if ((question.ask === 'stat' || question.ask === 'text') && this.later(question.path)) return 'absent'
        const answer = disk.answer(question, left)
        if (question.ask !== 'git' || typeof answer !== 'object' || !('untracked' in answer)) return answer
        return {
          ...answer,
          untracked: answer.untracked?.filter((path) => !this.later(join(question.repo, path))) ?? [],
        }
      },
    }
  }

  /** What is not there today was made and removed by the session, as what came to be later was made by it. */
  readonly places: Places = {
    exists: () => true,
    locate: (path) => {
      try {
        lstatSync(path)
        return { path, made: this.later(path) ? path : undefined }
      } catch {
        return { path, made: path }
      }
    },
  }

  learn(lines: readonly SessionLine[]): void {
    for (const { kind, paths } of lines) if (kind === 'created') for (const path of paths) this.made.add(path)
  }
}

/** When a path came to be, in milliseconds since the epoch; 0 where there is none. */
function bornAt(path: string): number {
  try {
    return lstatSync(path).birthtimeMs
  } catch {
    return 0
  }
}

/** Directories that were made anew since `start`, although the session stood there. */
const renewedOf = (start: number, stood: readonly string[]): readonly string[] =>
  stood.filter((path) => [path, join(path, '.git')].some((one) => bornAt(one) >= start))

function shownOf({ tool, input }: PastCall): string {
  const fields = (typeof input === 'object' && input !== null ? input : {}) as Record<string, unknown>
  const text = fields['command'] ?? fields['file_path'] ?? fields['path'] ?? fields['url']
  const words = typeof text === 'string' ? text : JSON.stringify(input ?? '')
  return redact(tool === 'Bash' ? words : `${tool} ${words}`)
}

const asJson = ({ call, decision, rule, reason, shown }: Judged) => ({
  ...{ host: call.host, session: call.session, id: call.id, tool: call.tool, outcome: call.outcome },
  ...{ verdict: decision, rule, reason, call: shown },
})

/** Totals, by rule, and the calls that would have been held up most often although they ran well. */
export function report(judged: readonly Judged[], sessions: number): string {
  const of = (decision: Decision) => judged.filter((one) => one.decision === decision)
  const share = (count: number) => (judged.length === 0 ? '' : ` (${((100 * count) / judged.length).toFixed(1)} %)`)
  const out = [`${counted(judged.length, 'call')} of ${counted(sessions, 'session')}`]
  for (const decision of ['pass', 'ask', 'deny'] as const) {
    const count = of(decision).length
    out.push(`  ${decision.padEnd(5)} ${String(count).padStart(6)}${share(count)}`)
  }
  const stopped = judged.filter(({ decision }) => decision !== 'pass')
  for (const { key, ones } of grouped(stopped, ({ decision, rule }) => `${decision} ${rule}`))
    out.push(`  ${String(ones.length).padStart(6)}  ${key}`)
  const annoying = grouped(
    stopped.filter(({ call }) => call.outcome === 'ok'),
    ({ rule, shown }) => `${rule}  ${plain(shown).split(' ').slice(0, 2).join(' ')}`,
  ).slice(0, MOST_ANNOYING)
  if (annoying.length > 0) out.push('stopped most often although the call ran and succeeded:')
  for (const { ones } of annoying) {
    const [one] = ones
    out.push(`  ${ones.length}×  ${one!.decision}  ${one!.rule}  ${plain(one!.shown).slice(0, MOST_SHOWN)}`)
    out.push(`        ${plain(one!.reason).slice(0, 2 * MOST_SHOWN)}`)
  }
  return `${out.join('\n')}\n`
}

function grouped(ones: readonly Judged[], by: (one: Judged) => string) {
  const groups = new Map<string, Judged[]>()
  for (const one of ones) {
    const key = by(one)
    groups.set(key, [...(groups.get(key) ?? []), one])
  }
  return [...groups].map(([key, all]) => ({ key, ones: all })).sort((a, b) => b.ones.length - a.ones.length)
}
