/** What the parts of the planner share: the engine, a frame of execution, and what a step came to. */
import type { Content, Doing, Elsewhere } from '../commands/doing.ts'
import type { Act, Effect, Target, Via } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, exact, type Provenance, type Span, unknown, type Value } from '../core/value.ts'
import type { PathBudget } from '../paths/resolve.ts'
import type { Node, Script } from '../shell/tree.ts'
import type { Context } from './context.ts'
import type { Machine, Places } from './machine.ts'
import type { Overlay } from './overlay.ts'
import type { Pace } from './pace.ts'

/** Simple commands of one verdict: enough for any script that a person would read, and an end for those that loop. */
export const MOST_STEPS = 20_000

/** Nested shells, scripts and functions. Deeper is not read, and says so. */
export const MOST_DEPTH = 24

/** Effects of one verdict; the rest is summed up in one that cannot be read. */
export const MOST_EFFECTS = 2_000

/** Texts of scripts read in one verdict, in characters. */
export const MOST_SCRIPT_TEXT = 2_000_000

/** Where a step of the call runs, and how it came there. */
export interface Frame {
  /** The text that spans index. */
  readonly source: string
  /** `call`, a path, or what was read. */
  readonly label: string
  /** The way here, outermost first. */
  readonly via: readonly Via[]
  readonly when: Effect['when']
  readonly depth: number
  readonly where: Elsewhere | undefined
  readonly stdin: Content
  /** Inside the test of a `while`: `read` may give any line. */
  readonly loop: boolean
  /** Functions, aliases and scripts that are running: a circle counts once. */
  readonly running: readonly string[]
  /** Inside a pipeline or the background, for a function that calls itself there. */
  readonly forked: boolean
  /** Physical paths where a test on the way here found nothing; emptied by the first change, which may be to one of them. */
  readonly absent?: Set<string>
}

export interface Outcome {
  readonly status: 'ok' | 'fail' | 'either'
  readonly out: Content
  /** Where the shell is after success and after failure, where that differs (`cd`). */
  readonly okCwd?: Places
  readonly failCwd?: Places
  /** A path that holds nothing where it succeeded, or where it failed (`[ -f x ]`). */
  readonly okAbsent?: string
  readonly failAbsent?: string
}

export interface Engine {
  readonly context: Context
  /** Roots that the host declared, as it wrote them. */
  readonly workspaces: readonly string[]
  readonly effects: Effect[]
  readonly paths: PathBudget
  /** The step of the line that `paths` knows the disk at. */
  view: Overlay | undefined
  /** Simple commands that were run. */
  steps: number
  readonly pace: Pace
  scriptText: number
  /** Streams behind `<(…)`: the name that the word got → what it says. */
  readonly streams: Map<string, Content>
  /** What patterns stood for when they were last looked up: to tell what a word says, and again by what acts on it. */
  readonly globs: Map<Value, LookedUp>
  /** Simple commands that ran, wrappers off, for a person's rules about exact commands. */
  readonly ran: Ran[]
  /** Something ran that nobody has read: it may have made what the line names later. */
  ranUnseen: boolean
  /** Set where something could not be read to its end. */
  partial: boolean
  invalid: boolean
  limited: boolean
  script(script: Script, m: Machine, frame: Frame): Asking<Outcome>
  node(node: Node, m: Machine, frame: Frame): Asking<Outcome>
  text(text: string, m: Machine, frame: Frame): Asking<Outcome>
  argv(args: readonly Arg[], m: Machine, frame: Frame, how?: ArgvOptions): Asking<Outcome>
  /** A shell process ends: its traps run. */
  endShell(m: Machine, frame: Frame): Asking<void>
  perform(doings: readonly Doing[], m: Machine, frame: Frame, by: By): Asking<Outcome>
}

/** One name that a pattern matches. */
export interface Match {
  readonly text: string
  readonly link: boolean
}

export interface LookedUp {
  readonly overlay: Overlay | undefined
  readonly cwd: Machine['cwd']
  /** Undefined: too much to tell. */
  readonly found: readonly Match[] | undefined
}

export interface ArgvOptions {
  readonly env?: ReadonlyMap<string, Value>
  /** The variables of `env` are the machine's already. */
  readonly given?: boolean
  /** `command x`: functions and aliases are passed over. */
  readonly plain?: boolean
  readonly span?: Span
}

/** A command that ran, as words where they are known. */
export interface Ran {
  readonly words: readonly (string | undefined)[]
  readonly via: readonly Via[]
}

/** The program that does something, and its place on the line. */
export interface By {
  readonly name: string
  readonly span: Span
}

export const NO_STDIN: Content = { text: exact(''), taints: [], none: true }

export const UNKNOWN_OUT: Content = { text: unknown('substitution'), taints: [] }

export const NO_OUT: Content = { text: exact(''), taints: [] }

export const OK: Outcome = { status: 'ok', out: NO_OUT }

export const EITHER: Outcome = { status: 'either', out: UNKNOWN_OUT }

/** At most this many characters of a span are kept for people. */
const SHOWN = 120

/** The trail to a span of a frame's text. */
export function trail(frame: Frame, span: Span): readonly Via[] {
  const text = frame.source.slice(span.from, span.to)
  const shown = text.length > SHOWN ? `${text.slice(0, SHOWN)}…` : text
  const line = frame.label === 'call' ? undefined : lineOf(frame.source, span.from)
  return [...frame.via, { source: frame.label, span, text: shown, ...(line === undefined ? {} : { line }) }]
}

function lineOf(text: string, offset: number): number {
  let line = 1
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++
  return line
}

export interface EmitOptions {
  readonly note?: string
  readonly safer?: string
  readonly when?: Effect['when'] | undefined
  readonly provenance?: Provenance
  readonly from?: Effect['from']
  readonly seen?: unknown
}

const UNSEEN: ReadonlySet<Act> = new Set<Act>(['opaque', 'run-remote', 'install'])
const UNREAD: ReadonlySet<string> = new Set(['unlisted', 'unreadable', 'unknown', 'cut'])

/** Adds an effect. Beyond the limit one last effect says that there is more. */

export function emit(engine: Engine, act: Act, target: Target, frame: Frame, by: By, options: EmitOptions = {}): void {
  if (engine.effects.length > MOST_EFFECTS) return
  if (UNSEEN.has(act) || (act === 'run' && UNREAD.has(options.note ?? ''))) engine.ranUnseen = true
  const when = options.when && options.when !== 'always' ? options.when : frame.when
  if (engine.effects.length === MOST_EFFECTS) {
    engine.partial = true
    engine.pace.over = true
    engine.effects.push({
      act: 'opaque',
      target: { is: 'thing', name: 'more than can be followed' },
      when,
      via: frame.via,
      provenance: 'unknown',
      by: by.name,
      note: 'budget',
    })
    return
  }
  engine.effects.push({
    act,
    target,
    when,
    via: trail(frame, by.span),
    provenance: options.provenance ?? 'literal',
    by: by.name,
    ...(options.note === undefined ? {} : { note: options.note }),
    ...(options.safer === undefined ? {} : { safer: options.safer }),
    ...(options.from === undefined || options.from.length === 0 ? {} : { from: options.from }),
    ...(options.seen === undefined ? {} : { seen: options.seen }),
  })
}

/** Says that there is more than was followed: whatever it may be, somebody looks. */
export function unfollowed(engine: Engine, frame: Frame, span: Span): void {
  engine.partial = true
  const target = { is: 'thing', name: 'more steps than can be followed' } as const
  emit(engine, 'opaque', target, frame, { name: 'sh', span }, { note: 'budget', provenance: 'unknown' })
}

/** Two streams one after the other. */
export function joinContent(a: Content, b: Content): Content {
  if (a === NO_OUT || (a.text.is === 'exact' && a.text.text === '' && a.taints.length === 0 && !a.paths && !a.files))
    return b
  if (b === NO_OUT || (b.text.is === 'exact' && b.text.text === '' && b.taints.length === 0 && !b.paths && !b.files))
    return a
  const text =
    a.text.is === 'exact' && b.text.is === 'exact' ? exact(a.text.text + b.text.text) : unknown('substitution')
  const paths = [...(a.paths ?? []), ...(b.paths ?? [])]
  return { text, taints: [...new Set([...a.taints, ...b.taints])], ...(paths.length > 0 ? { paths } : {}) }
}
