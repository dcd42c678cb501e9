/** From words to targets: absolute, but links not followed yet. And what an effect on them changes for later steps. */
import type { Content, Elsewhere } from '../commands/doing.ts'
import type { PathAct, PathTarget, Target } from '../core/effect.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, exact, type GlobPart, showValue, textOf, type Value } from '../core/value.ts'
import { dirsAbove, isInside } from '../paths/lexical.ts'
import { type By, type EmitOptions, type Engine, emit, type Frame } from './engine.ts'
import { goesWhole } from './git-cleaned.ts'
import { linksAmong } from './globs.ts'
import type { Machine } from './machine.ts'
import { type Change, lookUp, type Overlay, through, withChange } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { MOST_TEXT } from './streams.ts'

export interface PathOptions {
  readonly tree?: boolean
  readonly follow?: boolean
  readonly only?: 'untracked' | 'ignored'
}

/** The targets that a word names. An empty word names none: the program fails. */
export function targetsOf(value: Value, m: Machine, engine: Engine, options: PathOptions = {}): readonly Target[] {
  const make = (path: string, extra: Partial<PathTarget> = {}): PathTarget => ({
    is: 'path',
    path,
    tree: options.tree ?? false,
    follow: options.follow ?? /[/\\]$/.test(path),
    ...(options.only ? { only: options.only } : {}),
    ...extra,
  })
  const nowhere = (what: string): Target => ({ is: 'unknown', what, ...(options.tree ? { tree: true } : {}) })
  const from = (text: string, extra: Partial<PathTarget> = {}): readonly Target[] =>
    absolutes(text, m, engine)?.map((path) => make(path, extra)) ?? [nowhere(text)]
  switch (value.is) {
    case 'exact':
      return value.text === '' ? [] : from(value.text)
    case 'oneOf':
      return value.texts.filter((text) => text !== '').flatMap((text) => from(text))
    case 'unknown':
      return [nowhere(showValue(value))]
    case 'partly':
      if (value.prefix === '') {
        const end = /^[/\\]/.test(value.suffix) ? { end: value.suffix } : {}
        return [{ ...nowhere(showValue(value)), ...end } as Target]
      }
      return from(value.prefix, { open: true, ...(value.suffix === '' ? {} : { end: value.suffix }) })
    case 'glob': {
      const { dir, rest } = splitGlob(value.parts, engine.paths.flavour === 'win32')
      if (dir === undefined) return [nowhere(showValue(value))]
      if (dir !== '') return from(dir, { pattern: rest, follow: false })
      if (m.cwd.length === 0) return [nowhere(showValue(value))]
      return m.cwd.map((path) => make(path, { pattern: rest, follow: false }))
    }
  }
}

/** The part of a pattern that is a plain directory, and the rest. */
function splitGlob(
  parts: readonly GlobPart[],
  windows: boolean,
): { dir: string | undefined; rest: readonly GlobPart[] } {
  const first = parts[0]
  if (first === undefined) return { dir: undefined, rest: [] }
  if (first.is === 'any') return { dir: undefined, rest: parts }
  if (first.is !== 'text') return { dir: '', rest: parts }
  const cut = Math.max(first.text.lastIndexOf('/'), windows ? first.text.lastIndexOf('\\') : -1) + 1
  const tail = first.text.slice(cut)
  return {
    dir: first.text.slice(0, cut),
    rest: tail === '' ? parts.slice(1) : [{ is: 'text', text: tail }, ...parts.slice(1)],
  }
}

/** Where a path lies for a program that runs in a container or on another machine: ours, or theirs. */
function* elsewhere(target: Target, frame: Frame): Generator<Target> {
  if (target.is !== 'path' || !frame.where) return
  for (const mount of frame.where.mounts ?? []) {
    const here = textOf(mount.here.value)
    if (here === undefined) continue
    if (isInside(target.path, mount.there)) {
      yield { ...target, path: here + target.path.slice(mount.there === '/' ? 0 : mount.there.length) }
    } else if (target.tree && isInside(mount.there, target.path)) yield { ...target, path: here }
  }
}

/**
 * Whatever number stands in a path, the names that are there now tell what a deletion can reach (`/tmp/out-$$`). Some
 * shells leave the number out.
 */
function withAnyNumber(value: Value): readonly Value[] {
  if (value.is !== 'partly' || value.why !== 'number' || /(?:^|[/\\])$/.test(value.prefix)) return [value]
  const { prefix, suffix } = value
  const parts: readonly GlobPart[] = [
    { is: 'text', text: prefix },
    { is: 'class', text: '[0-9]' },
    { is: 'star' },
    ...(suffix === '' ? [] : [{ is: 'text' as const, text: suffix }]),
  ]
  return [{ is: 'glob', parts }, exact(prefix + suffix)]
}

/** Acts on what a word names: emits the effects, and notes what the disk will look like after it. */
export function* affect(
  engine: Engine,
  act: PathAct,
  at: Arg,
  m: Machine,
  frame: Frame,
  by: By,
  options: PathOptions & EmitOptions & Omit<MakeOptions, 'unsure'> = {},
): Asking<void> {
  // What is written into `>(cmd)` went to that command, and is no file.
  const name = textOf(at.value)
  if (name !== undefined && engine.streams.has(name) && act !== 'read' && act !== 'run') return
  const how = act === 'delete' || options.follow !== undefined ? options : { ...options, follow: true }
  const values: readonly Value[] =
    act === 'delete' ? withAnyNumber(at.value) : [at.value, ...(yield* linksAmong(engine, at.value, m)).map(exact)]
  const targets = values.flatMap((value) => targetsOf(value, m, engine, how))
  for (const target of targets) {
    if (frame.where && !frame.where.same) {
      for (const ours of elsewhere(target, frame))
        emit(engine, act, ours, frame, by, { ...options, provenance: provenanceOf(at), seen: m.overlay })
      if (!isOwnOf(frame.where, target)) remoteEffect(engine, act, target, frame, by)
      continue
    }
    const does = (yield* writesNew(engine, act, target, m, frame)) ? 'create' : act
    emit(engine, does, target, frame, by, { ...options, provenance: provenanceOf(at), seen: m.overlay })
    if (target.is === 'path' && !target.pattern && !target.open)
      yield* noteChange(engine, act, target, m, {
        ...options,
        unsure: makesFiles(by.name) ? false : act === 'create',
      })
  }
}

/** Whether a write is the first change where a test has found that nothing is there: then it replaces nothing. */
function* writesNew(engine: Engine, act: PathAct, target: Target, m: Machine, frame: Frame): Asking<boolean> {
  if (frame.absent === undefined || frame.absent.size === 0) return false
  if (act === 'read' || act === 'names' || act === 'run' || act === 'create') return false
  const plain = act === 'write' && target.is === 'path' && !target.tree && !target.pattern && !target.open
  const found = plain ? yield* physical(engine, target.path, target.follow, m.overlay) : undefined
  const fresh = found?.is === 'path' && frame.absent.has(found.target)
  frame.absent.clear()
  return fresh
}

const provenanceOf = (at: Arg) =>
  at.provenance ?? (at.value.is === 'exact' || at.value.is === 'glob' ? 'literal' : 'unknown')

/** What nobody keeps in a container: its temp, and what tools rebuild. */
const SCRATCH = /^\/(?:var\/)?tmp\/[^/]|\/(?:node_modules|__pycache__|\.cache|\.pytest_cache|coverage)\/?$/

/** Whether a path lies in a container that this call makes, and in no volume: it goes with the container. */
function isOwnOf(where: Elsewhere, target: Target): boolean {
  if (!where.fresh || target.is !== 'path') return false
  return !(where.volumes ?? []).some((dir) => isInside(target.path, dir) || (target.tree && isInside(dir, target.path)))
}

/** What a change to files elsewhere comes to: trees that go are lost there, the rest is theirs. */
function remoteEffect(engine: Engine, act: PathAct, target: Target, frame: Frame, by: By): void {
  const where = frame.where!
  const name = target.is === 'path' ? target.path : target.is === 'unknown' ? target.what : ''
  if (
    where.is === 'container' &&
    target.is === 'path' &&
    SCRATCH.test(target.path) &&
    !/\/\.\.?(?:\/|$)/.test(target.path)
  )
    return
  if (act === 'delete') {
    const tree = target.is !== 'path' || target.tree
    emit(
      engine,
      tree ? 'destroy' : 'change',
      { is: 'remote', service: where.is, name: `${where.name}:${name}` },
      frame,
      by,
    )
  }
}

interface MakeOptions {
  readonly content?: Content
  /** The file whose text is the content. */
  readonly copyOf?: string
  readonly folder?: boolean
  /** Whether it is a file or a directory is not known. */
  readonly unsure?: boolean
}

/** What these make where nothing was is no directory. */
const MAKES_FILES: readonly string[] = 'touch mkfifo mknod mktemp split csplit tee dd truncate'.split(' ')

const makesFiles = (name: string): boolean =>
  MAKES_FILES.includes(name) || (name.startsWith('g') && MAKES_FILES.includes(name.slice(1)))

/** Notes of git's own removals. */
const STAYS: ReadonlySet<string> = new Set(['git', 'git-clean'])

function* noteChange(
  engine: Engine,
  act: PathAct,
  target: PathTarget,
  m: Machine,
  options: MakeOptions & { readonly note?: string },
): Asking<void> {
  if (act === 'read' || act === 'names' || act === 'mode' || act === 'run') return
  // What is no longer in the source goes; the directory stays.
  if (act === 'delete' && options.note === 'mirror') return
  // Git takes what it tracks, or what it does not, and refuses the rest: what stays is as it was.
  const stays = act === 'delete' && STAYS.has(options.note ?? '')
  if (stays && target.only !== 'ignored') return
  const found = yield* physical(engine, target.path, act !== 'delete' || target.follow, m.overlay)
  if (found.is !== 'path') return
  // Without a recursive flag a directory that holds something stays: the program refuses.
  if (act === 'delete' && found.kind === 'dir' && !target.tree && !(yield* isEmpty(found.target, m.overlay))) return
  const path = act === 'delete' ? (target.follow ? found.target : found.entry) : found.target
  if (stays && !(yield* goesWhole(path, m.overlay, engine.paths))) return
  if (act !== 'delete' && !found.exists)
    m.overlay = yield* withParents(engine, path, m.overlay, options.note === 'parents')
  // What is written into a directory leaves it one.
  const folder = options.folder === true || (found.exists && found.kind === 'dir')
  const earlier = act === 'append' ? yield* textRead(m.overlay, path) : m.overlay
  m.overlay = withChange(m.overlay, changeAfter(act, path, found.exists, earlier, { ...options, folder }))
}

/** Whether a directory surely holds nothing at this step. */
function* isEmpty(dir: string, overlay: Overlay | undefined): Asking<boolean> {
  const listed = yield* through(ask('list', { dir, limit: 1 }), overlay)
  // Of one that the line itself made there is no listing as long as it made nothing in it.
  return listed === 'absent' || (typeof listed === 'object' && !listed.cut && listed.entries.length === 0)
}

/** The overlay with the text of a copy in it, for what is added to that text. */
function* textRead(overlay: Overlay | undefined, path: string): Asking<Overlay | undefined> {
  const { change } = { change: undefined, ...lookUp(overlay, path) }
  if (change?.is !== 'made' || change.copyOf === undefined) return overlay
  const { copyOf, ...rest } = change
  const found = yield* ask('text', { path: copyOf, limit: MOST_TEXT })
  return withChange(overlay, { ...rest, text: typeof found === 'object' && !found.cut ? found.text : undefined })
}

/**
 * Directories above a new path that are not there, nearest first: whoever made the path made them, too, or failed. `mkdir -p`
 * surely made them.
 */
function* withParents(
  engine: Engine,
  path: string,
  overlay: Overlay | undefined,
  sure: boolean,
): Asking<Overlay | undefined> {
  const missing: string[] = []
  for (const dir of dirsAbove(path, engine.paths.flavour)) {
    const found = yield* physical(engine, dir, true, overlay)
    if (found.is !== 'path' || found.exists) break
    missing.push(dir)
  }
  return missing.reduceRight<Overlay | undefined>(
    (all, dir) => withChange(all, { is: 'made', path: dir, ...EMPTY_DIR, ...(sure ? {} : { unsure: true }) }),
    overlay,
  )
}

const EMPTY_DIR = { kind: 'dir', text: undefined, fresh: true } as const

function changeAfter(
  act: PathAct,
  path: string,
  exists: boolean,
  overlay: Overlay | undefined,
  options: MakeOptions,
): Change {
  if (act === 'delete') return { is: 'gone', path }
  const before = lookUp(overlay, path)
  const earlier = before.is === 'change' && before.change.is === 'made' ? before.change : undefined
  if (act === 'create') {
    if (exists)
      return earlier ?? { is: 'made', path, kind: options.folder ? 'dir' : 'file', text: undefined, fresh: false }
    const { content, copyOf } = options
    return {
      is: 'made',
      path,
      kind: options.folder ? 'dir' : 'file',
      text: options.folder || copyOf !== undefined ? undefined : content === undefined ? '' : textOf(content.text),
      ...(copyOf !== undefined && !options.folder ? { copyOf } : {}),
      fresh: true,
      ...(options.unsure && !options.folder && content === undefined && copyOf === undefined ? { unsure: true } : {}),
      ...(content && content.taints.length > 0 ? { taints: content.taints } : {}),
    }
  }
  if (options.folder)
    return { is: 'made', path, kind: 'dir', text: undefined, fresh: earlier?.kind === 'dir' ? earlier.fresh : !exists }
  const content = textOf(options.content?.text)
  const text =
    act === 'write' || (act === 'edit' && content !== undefined)
      ? content
      : act === 'append' && content !== undefined && (earlier?.text !== undefined || !exists)
        ? (earlier?.text ?? '') + content
        : undefined
  const taints = [...(act === 'append' ? (earlier?.taints ?? []) : []), ...(options.content?.taints ?? [])]
  return {
    is: 'made',
    path,
    kind: 'file',
    text,
    ...(act === 'write' && options.copyOf !== undefined ? { copyOf: options.copyOf } : {}),
    fresh: earlier?.fresh ?? !exists,
    ...(options.content === undefined && options.copyOf === undefined && !exists ? { unsure: true } : {}),
    ...(taints.length > 0 ? { taints } : {}),
  }
}
