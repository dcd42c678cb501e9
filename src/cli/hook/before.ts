/**
 * The gate before a run, for a call that the guard let pass: its input is replaced by one that is captured or bounded, or,
 * where the host takes no other input, the call is named the way that answers. No permission is given here: a host that
 * would treat the new input otherwise than the old one keeps the old one.
 */
import { birthOf, named, quoted, startedAs, wrapped } from '../../containment/birth.ts'
import type { Action, Json, ToolCall } from '../../core/call.ts'
import { type Asking, ask } from '../../core/question.ts'
import { type Fields, fieldsOf } from '../../hosts/guards.ts'
import type { Bound, Host, HostAnswer, Launch } from '../../hosts/host.ts'
import { treatsAlike } from '../../hosts/permissions.ts'
import { capabilitiesOf } from '../../hosts/versions.ts'

export interface Before {
  readonly host: Host
  readonly launch: Launch
  readonly home: string
  /** The words that start our program `ctx`; undefined where it cannot be started from here. */
  readonly launcher: () => readonly string[] | undefined
  /** Whether that program is ours, by its path. */
  readonly isOurs: (path: string) => boolean
  /** The words that the host was started with; undefined where they cannot be told. */
  readonly started: () => readonly string[] | undefined
  /** Counts bytes that a read brings to the model; the session's total with them. Absent: nothing is counted. */
  readonly reads?: (bytes: number) => number
}

/** Bytes of a file that are read whole, and lines and matches that are shown beyond that. */
const MOST_BYTES = 16_384
const MOST_LINES = 240
const MOST_MATCHES = 60
/** Bytes that reads of one session may bring before they get smaller, and the lines that stay however many came. */
const MOST_READ = 262_144
const LEAST_LINES = 20

/** What the host is told in place of a pass; undefined where the call goes on as it is. A call of one action. */
export function* beforeRun(call: ToolCall, at: Before): Asking<HostAnswer | undefined> {
  const action = call.actions[0]
  const args = fieldsOf(call.args)
  if (action === undefined || args === undefined) return undefined
  if (action.is === 'shell') return yield* beforeShell(call, action, args, at)
  const bound = Object.hasOwn(at.host.bounds, call.tool) ? at.host.bounds[call.tool] : undefined
  return bound === undefined ? undefined : yield* bounded(call, action, args, bound, at)
}

function* beforeShell(
  call: ToolCall,
  action: Extract<Action, { is: 'shell' }>,
  args: Fields,
  at: Before,
): Asking<HostAnswer | undefined> {
  const { text, dialect } = action
  const birth = birthOf(text, dialect)
  if (birth.is === 'leave' || args['run_in_background'] === true) return undefined
  const key = Object.keys(args).find((name) => args[name] === text)
  if (key === undefined || LIVE.has(call.tool)) return undefined
  if (birth.files !== undefined && (yield* small(birth.files, action.cwd ?? call.cwd))) return undefined
  for (const program of birth.names) if (typeof (yield* ask('which', { program })) !== 'object') return undefined
  if (capabilitiesOf(at.host, at.launch.version)['pre.rewrite'].support === 'yes') {
    const launcher = launcherText(at)
    if (launcher === undefined) return undefined
    const rewrite = { ...at, call, line: text, launcher, runs: birth.runs, changes: birth.changes }
    if (!(yield* treatsAlike(rewrite))) return undefined
    const ours = (yield* wayOf(at))?.launcher === undefined
    return pass({ ...args, [key]: wrapped(birth, launcher) }, ours ? undefined : `[ctx] ${startedAs(launcher)}`)
  }
  const way = yield* wayOf(at)
  return way === undefined ? undefined : { decision: 'deny', reason: named(birth, text, way.launcher) }
}

/** Tools whose text is typed into a running program, or whose output is watched while it comes. */
const LIVE = new Set(['Monitor', 'write_stdin', 'send_command_input', 'manage_task'])

const pass = (input: { readonly [key: string]: Json }, note?: string): HostAnswer => ({
  decision: 'pass',
  reason: '',
  input,
  ...(note === undefined ? {} : { note }),
})

/** Whether the files are there and hold little, all together. */
function* small(files: readonly string[], cwd: string | undefined): Asking<boolean> {
  let bytes = 0
  for (const file of files) {
    const size = yield* sizeOf(file, cwd)
    if (size === undefined) return false
    bytes += size
  }
  return bytes <= MOST_BYTES
}

/** Bytes of a regular file; undefined for anything else. */
function* sizeOf(file: string, cwd: string | undefined): Asking<number | undefined> {
  const path = file.startsWith('/') ? file : cwd === undefined ? undefined : `${cwd}/${file}`
  if (path === undefined) return undefined
  const stat = yield* ask('stat', { path })
  return typeof stat === 'object' && stat.kind === 'file' ? stat.size : undefined
}

/** The launcher as shell text. */
const launcherText = (at: Before): string | undefined => at.launcher()?.map(quoted).join(' ')

/** How the model can start our program: as `ctx`, and by `launcher` as well where `ctx` is another one. Undefined: not at all. */
function* wayOf(at: Before): Asking<{ readonly launcher: string | undefined } | undefined> {
  const found = yield* ask('which', { program: 'ctx' })
  if (typeof found === 'object' && at.isOurs(found.path)) return { launcher: undefined }
  const launcher = launcherText(at)
  return launcher === undefined ? undefined : { launcher }
}

/** Files that are shown as something else than their lines. */
const NO_LINES = /\.(?:png|jpe?g|gif|webp|bmp|ico|tiff?|pdf|ipynb|svg|mp[34]|mov|wav|zip|gz|docx?|xlsx?|pptx?)$/i

function* bounded(
  call: ToolCall,
  action: Action,
  args: Fields,
  bound: Bound,
  at: Before,
): Asking<HostAnswer | undefined> {
  if (bound.unless.some((key) => args[key] !== undefined && args[key] !== null)) return undefined
  if (bound.only !== undefined && args[bound.only.key] !== bound.only.is) return undefined
  if (action.is !== 'read' && action.is !== 'search') return undefined
  const below = relativeTo(action.path, call)
  if (bound.of === 'matches') {
    if (bound.by !== undefined) return pass({ ...args, [bound.by]: MOST_MATCHES })
    const query = bound.query === undefined ? undefined : args[bound.query]
    if (typeof query !== 'string' || below === undefined) return undefined
    return yield* instead(at, `search repo:${below} ${quoted(query)}`, `${call.tool} shows every match`)
  }
  if (NO_LINES.test(action.path)) return undefined
  const size = yield* sizeOf(action.path, call.cwd)
  if (size === undefined) return undefined
  const total = at.reads?.(Math.min(size, MOST_BYTES)) ?? 0
  const lines = linesAfter(total)
  if (size <= MOST_BYTES && lines === MOST_LINES) return undefined
  const from = bound.from === undefined ? undefined : args[bound.from]
  const first = typeof from === 'number' && Number.isInteger(from) && from > 0 ? from : 1
  const price =
    lines === MOST_LINES
      ? `it is ${size} bytes (about ${Math.ceil(size / 4000)}k tokens)`
      : `reads of this session have brought ${total} bytes`
  if (bound.by === undefined) {
    if (below === undefined) return undefined
    return yield* instead(at, `get ${quoted(`repo:${below}`)} --lines 1:${lines}`, price)
  }
  const way = below === undefined ? undefined : yield* wayOf(at)
  const next = `${quoted(`repo:${below}`)} --lines ${first + lines}:${first + 2 * lines - 1}`
  const get = way === undefined ? '' : `, or ${way.launcher ?? 'ctx'} get ${next}`
  const note = `[ctx] ${below ?? action.path}: ${price}, so at most ${lines} lines from line ${first} on are shown. Others: ${call.tool} with ${bound.from ?? 'another range'} and ${bound.by}${get}`
  return pass({ ...args, [bound.by]: lines }, note)
}

/** Lines of one read, where reads have brought `total` bytes. */
const linesAfter = (total: number): number =>
  total <= MOST_READ ? MOST_LINES : Math.max(LEAST_LINES, Math.floor((MOST_LINES * MOST_READ) / (4 * total)))

/** A denial that names the command which answers. */
function* instead(at: Before, command: string, why: string): Asking<HostAnswer | undefined> {
  const way = yield* wayOf(at)
  if (way === undefined) return undefined
  return { decision: 'deny', reason: `CTX_CONTEXT_GUARD: ${why}. Run: ${way.launcher ?? 'ctx'} ${command}` }
}

/** The path below the first workspace, as addresses name it; undefined outside of all. */
function relativeTo(path: string, call: ToolCall): string | undefined {
  const root = call.workspaces[0] ?? call.cwd
  if (!path.startsWith('/')) return path.split('/').includes('..') ? undefined : path
  if (root === undefined || !path.startsWith(`${root.replace(/\/$/, '')}/`)) return undefined
  const below = path.slice(root.replace(/\/$/, '').length + 1)
  return below.split('/').includes('..') ? undefined : below
}
