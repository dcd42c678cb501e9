/**
 * What earlier steps of the same line changed. Questions about the disk pass through it before they reach the world,
 * so `ln -s spec s2 && echo x > s2/a` resolves as it will when it runs. Persistent: each change is a new head.
 */
import type { GitOp } from '../core/git-op.ts'
import type { Answer, Asking, Question, Stat } from '../core/question.ts'
import type { Taint } from '../core/value.ts'
import { freshView, learn, type PathBudget } from '../paths/resolve.ts'

/** Paths are physical entry paths (links of the parents followed, the last component not). */
export type Change =
  /** Made on this line. `fresh`: surely made here, where nothing was; its loss is nobody's. */
  | {
      readonly is: 'made'
      readonly path: string
      readonly kind: 'file' | 'dir'
      readonly text: string | undefined
      /** A file whose text is what this one says, as it was before the line: it is read where that matters. */
      readonly copyOf?: string
      readonly fresh: boolean
      /** It may be a directory, or not be there at all: a step that was to make it says neither. */
      readonly unsure?: true
      readonly taints?: readonly Taint[]
    }
  | { readonly is: 'gone'; readonly path: string }
  | { readonly is: 'link'; readonly path: string; readonly target: string; readonly hard: boolean }
  /** What lay at `from` lies here now, with its state. */
  | { readonly is: 'moved'; readonly path: string; readonly from: string }
  | { readonly is: 'git'; readonly path: string; readonly op: GitOp }
  /** Files came to lie below (an archive, a clone) that nobody has seen. */
  | { readonly is: 'brought'; readonly path: string }
  /** A copy of `from` was made at `path` (empty: a place that is not known): its content is safe as long as that is there. */
  | { readonly is: 'saved'; readonly path: string; readonly from: string }

export interface Overlay {
  readonly change: Change
  readonly before: Overlay | undefined
  readonly size: number
  /** This change or one before it moved something. */
  readonly moves: boolean
  /** Of this change and all before it, once something asked. */
  index: Index | undefined
}

/** A line that changes more than this many paths is not followed further; what lies beyond is the world's. */
const MOST_CHANGES = 4096

export function withChange(overlay: Overlay | undefined, change: Change): Overlay | undefined {
  const last = overlay?.change
  // The same file written again: only what it is now counts.
  if (last?.is === 'made' && change.is === 'made' && last.path === change.path)
    return { ...overlay!, change, index: undefined }
  const size = overlay?.size ?? 0
  const moves = change.is === 'moved' || overlay?.moves === true
  return size >= MOST_CHANGES ? overlay : { change, before: overlay, size: size + 1, moves, index: undefined }
}

const below = (path: string, dir: string): boolean =>
  path.length > dir.length &&
  path.startsWith(dir) &&
  (dir.endsWith('/') || path[dir.length] === '/' || path[dir.length] === '\\')

/** All changes, the newest first. */
export function* changesOf(overlay: Overlay | undefined): Generator<Change> {
  for (let at = overlay; at !== undefined; at = at.before) yield at.change
}

/** Whether two changes concern the same path, or one of them what lies below the other. */
const meets = (a: Change, b: Change): boolean =>
  a.is !== 'git' &&
  a.is !== 'saved' &&
  a.is !== 'brought' &&
  (a.path === b.path || below(a.path, b.path) || below(b.path, a.path))

/** Whether a change on one branch alone counts as it is, as long as the other has none. */
const staysPossible = (change: Change): boolean => change.is !== 'gone' && change.is !== 'saved'

/** Whether a change is one of these: nearly always the very same one, else one that says the same. */
function among(changes: readonly Change[]): (change: Change) => boolean {
  const by = new Map<string, Change[]>()
  for (const change of changes) {
    const there = by.get(change.path)
    if (there === undefined) by.set(change.path, [change])
    else there.push(change)
  }
  const isEqual = (a: Change, b: Change) => a === b || (a.is === b.is && JSON.stringify(a) === JSON.stringify(b))
  return (change) => by.get(change.path)?.some((other) => isEqual(other, change)) === true
}

/** After two branches: what surely or possibly happened. A removal on one branch only did not surely happen. */
export function joinOverlays(a: Overlay | undefined, b: Overlay | undefined): Overlay | undefined {
  if (a === b) return a
  // Each change counts one more than those before it.
  let [x, fork] = [a, b]
  while (x !== fork) {
    if ((x?.size ?? 0) >= (fork?.size ?? 0)) x = x?.before
    else fork = fork?.before
  }
  const since = (head: Overlay | undefined): Change[] => {
    const out: Change[] = []
    for (let at = head; at !== undefined && at !== fork; at = at.before) out.push(at.change)
    return out.reverse()
  }
  const left = since(a)
  const right = since(b)
  // One branch that only adds to the other is what both come to.
  if (left.length === 0 && right.every(staysPossible)) return b
  if (right.length === 0 && left.every(staysPossible)) return a
  const both = left.length > 0 && right.length > 0
  const isLeft = both ? among(left) : () => false
  const isRight = both ? among(right) : () => false
  let joined = fork
  const add = (change: Change, sure: boolean, others: readonly Change[]) => {
    if (sure) joined = withChange(joined, change)
    // What was made where nothing was is either there and this line's own, or not there at all.
    else if (change.is === 'made') {
      const fresh = change.fresh && !others.some((other) => meets(other, change))
      joined = withChange(joined, fresh === change.fresh ? change : { ...change, fresh })
    } else if (change.is === 'link' || change.is === 'moved' || change.is === 'git' || change.is === 'brought')
      joined = withChange(joined, change)
  }
  for (const change of left) add(change, isRight(change), right)
  for (const change of right) if (!isLeft(change)) add(change, false, left)
  return joined
}

/** Whether a step of the line was to make something here of which it is not known what it is, or that it is there. */
export function isUnsure(overlay: Overlay | undefined, path: string): boolean {
  const place = lookUp(overlay, path)
  return place.is === 'change' && place.change.is === 'made' && place.change.unsure === true
}

/** Where a path's content was before this line, and whether it is there now. */
type Place =
  | { readonly is: 'world'; readonly path: string }
  | { readonly is: 'change'; readonly change: Change }
  | { readonly is: 'gone' }

/** Changes that are looked through one by one before an index of the older ones is asked. */
const BLOCK = 16

/** Changes up to one: the newest at each path, and those that say what lies below them, the newest first. */
interface Index {
  readonly at: ReadonlyMap<string, Overlay>
  readonly wide: readonly Overlay[]
}

const isWide = (change: Change): boolean =>
  change.is === 'gone' || change.is === 'moved' || (change.is === 'made' && change.kind === 'dir' && change.fresh)

const saysNothing = ({ is }: Change): boolean => is === 'git' || is === 'saved' || is === 'brought'

function indexOf(head: Overlay): Index {
  if (head.index !== undefined) return head.index
  const since: Overlay[] = []
  let at: Overlay | undefined = head
  do {
    since.push(at)
    at = at.before
  } while (at !== undefined && at.size % BLOCK !== 0)
  const before = at === undefined ? undefined : indexOf(at)
  const newest = new Map(before?.at)
  for (const one of since.toReversed()) if (!saysNothing(one.change)) newest.set(one.change.path, one)
  const index = { at: newest, wide: [...since.filter(({ change }) => isWide(change)), ...(before?.wide ?? [])] }
  head.index = index
  return index
}

/** The newest of a block's end and the changes before it that concerns a path. */
function newestAbout(path: string, head: Overlay): Overlay | undefined {
  const { at, wide } = indexOf(head)
  const exact = at.get(path)
  return wide.find(({ change, size }) => size > (exact?.size ?? 0) && below(path, change.path)) ?? exact
}

/** Looks a physical path up. */
export function lookUp(overlay: Overlay | undefined, path: string): Place {
  let wanted = path
  let next = overlay
  while (next !== undefined) {
    const at: Overlay | undefined = next.size % BLOCK === 0 ? newestAbout(wanted, next) : next
    if (at === undefined) break
    next = at.before
    const change = at.change
    if (saysNothing(change)) continue
    if (change.path === wanted) {
      if (change.is === 'gone') return { is: 'gone' }
      if (change.is === 'moved') wanted = change.from
      else return { is: 'change', change }
    } else if (below(wanted, change.path)) {
      if (change.is === 'gone') return { is: 'gone' }
      if (change.is === 'moved') wanted = change.from + wanted.slice(change.path.length)
      else if (change.is === 'made' && change.kind === 'dir' && change.fresh) return { is: 'gone' }
    }
  }
  return { is: 'world', path: wanted }
}

/** Where what lies at a path lay before this line moved it; undefined where it did not. */
export function movedFrom(overlay: Overlay | undefined, path: string): string | undefined {
  if (overlay?.moves !== true) return undefined
  const place = lookUp(overlay, path)
  return place.is === 'world' && place.path !== path ? place.path : undefined
}

/** Paths that this line made where nothing was, and that are still its own. */
export function* freshPaths(overlay: Overlay | undefined): Generator<string> {
  for (const change of changesOf(overlay)) {
    if (change.is === 'made' && change.fresh && change.path !== '') yield change.path
  }
}

/** Whether a path is one of these, or lies below one. */
export function isFresh(overlay: Overlay | undefined, path: string): boolean {
  for (let at = overlay; at !== undefined; at = at.before) {
    const { change } = at
    if (change.is !== 'made' || !change.fresh || change.path === '' || !path.startsWith(change.path)) continue
    if (path.length === change.path.length || change.path.endsWith('/') || path[change.path.length] === '/') return true
  }
  return false
}

/** Git steps earlier on this line in a repository, oldest first. */
export function gitSteps(overlay: Overlay | undefined, repo: string): GitOp[] {
  const out: GitOp[] = []
  for (const change of changesOf(overlay)) if (change.is === 'git' && change.path === repo) out.push(change.op)
  return out.reverse()
}

/**
 * Whether the content that a path had before this line was copied elsewhere on it, and the copy is still there. What the
 * line itself wrote since is its own. `going`: what the step that asks takes away with it.
 */
export function isSaved(overlay: Overlay | undefined, path: string, going: readonly string[] = []): boolean {
  const spoiled = [...going]
  const within = (inner: string, outer: string): boolean => inner === outer || below(inner, outer)
  for (const change of changesOf(overlay)) {
    if (change.is === 'git') continue
    if (change.is === 'saved') {
      if (within(path, change.from) && !spoiled.some((gone) => within(change.path, gone))) return true
      continue
    }
    // What came from elsewhere is not what was copied.
    if (change.is !== 'made' && within(path, change.path)) return false
    spoiled.push(change.path)
  }
  return false
}

/** Whether files that nobody has seen may lie at a path since an earlier step of the line. */
export function isBrought(overlay: Overlay | undefined, path: string): boolean {
  for (const change of changesOf(overlay)) {
    if (change.is === 'brought' && below(path, change.path)) return true
    if (change.is === 'made' && change.path === path) return false
  }
  return false
}

/**
 * Where the state lay that goes with the removal of `path` and what is below it: what this line moved there, and what
 * it copied there and has removed since, so that the copy was all that was left.
 */
export function originsBelow(overlay: Overlay | undefined, path: string): readonly string[] {
  const out = new Set<string>()
  const gone: string[] = []
  for (const change of changesOf(overlay)) {
    if (change.is === 'gone') gone.push(change.path)
    if (change.is !== 'moved' && change.is !== 'saved') continue
    if (change.path !== path && !below(change.path, path)) continue
    const from = lookUp(overlay, change.from)
    const here = lookUp(overlay, change.path)
    const there =
      change.is === 'moved'
        ? here.is === 'world' && here.path === change.from
        : !gone.some((dir) => change.path === dir || below(change.path, dir))
    if (there && from.is !== 'world') out.add(change.from)
    if (out.size >= MOST_ORIGINS) break
  }
  return [...out]
}

/** Moved and copied paths that one removal is judged for; more are as bad as these. */
const MOST_ORIGINS = 32

const statOf = (change: Change): Stat | 'absent' => {
  const base = { size: 0, mtime: 0, inode: `line:${change.path}`, links: 1, mode: 0o644 }
  if (change.is === 'link') return { ...base, kind: 'link', target: change.target }
  if (change.is === 'made') return { ...base, kind: change.kind, size: change.text?.length ?? 0 }
  return 'absent'
}

/** Answers a question from the overlay, or says which question the world should get instead. */
function fromOverlay(overlay: Overlay, question: Question): { answer: Answer } | { instead: Question } | undefined {
  if (question.ask === 'stat') {
    const place = lookUp(overlay, question.path)
    if (place.is === 'gone') return { answer: 'absent' }
    if (place.is === 'change') return { answer: statOf(place.change) }
    return place.path === question.path ? undefined : { instead: { ...question, path: place.path } }
  }
  if (question.ask === 'text') {
    const place = lookUp(overlay, question.path)
    if (place.is === 'gone') return { answer: 'absent' }
    if (place.is === 'change') {
      const { change } = place
      if (change.is === 'link') return { instead: { ...question, path: change.target } }
      if (change.is === 'made' && change.kind === 'file') {
        if (change.copyOf !== undefined) return { instead: { ...question, path: change.copyOf } }
        return {
          answer:
            change.text === undefined
              ? 'unreadable'
              : { text: change.text.slice(0, question.limit), cut: change.text.length > question.limit },
        }
      }
      return { answer: 'unreadable' }
    }
    return place.path === question.path ? undefined : { instead: { ...question, path: place.path } }
  }
  if (question.ask === 'gitConfig') {
    const key = question.key.toLowerCase()
    for (const change of changesOf(overlay)) {
      const setting = change.is === 'git' && change.op.is === 'other' ? change.op.setting : undefined
      if (setting?.key === key) return { answer: setting.value === undefined ? 'unknown' : [setting.value] }
    }
  }
  return undefined
}

/** What the overlay adds to or takes from a directory listing. */
function relist(overlay: Overlay, dir: string, reply: Answer): Answer {
  const names = new Map<string, Stat['kind']>()
  let cut = false
  if (typeof reply === 'object' && 'cut' in reply && 'entries' in reply) {
    for (const entry of reply.entries) names.set(entry.name, entry.kind)
    cut = reply.cut
  } else if (reply === 'unknown') return reply
  let changed = false
  for (const change of [...changesOf(overlay)].reverse()) {
    if (!below(change.path, dir) || change.is === 'git' || change.is === 'saved' || change.is === 'brought') continue
    const name = change.path.slice(dir.length + (dir.endsWith('/') ? 0 : 1))
    if (name.includes('/')) continue
    changed = true
    if (change.is === 'gone') names.delete(name)
    else names.set(name, change.is === 'link' ? 'link' : change.is === 'made' ? change.kind : 'file')
  }
  if (!changed && reply === 'absent') return reply
  return { entries: [...names].map(([name, kind]) => ({ name, kind })), cut }
}

/** Changes from one step of a line to another that are looked through one by one. */
const MOST_STEPS_BETWEEN = 64

/**
 * Makes what was learnt of paths under the overlay `from` (`null`: nobody knows which) good for `to`. A file or a link that
 * came to be is what it is, and all else stays; whatever takes away, moves or makes a directory changes what lies below.
 */
export function turnView(budget: PathBudget, from: Overlay | undefined | null, to: Overlay | undefined): void {
  if (from === to) return
  const made: Change[] = []
  for (let at = to; at !== from; at = at?.before) {
    const change = made.length < MOST_STEPS_BETWEEN ? at?.change : undefined
    if (
      change === undefined ||
      change.is === 'gone' ||
      change.is === 'moved' ||
      (change.is === 'made' && change.kind === 'dir')
    ) {
      freshView(budget)
      return
    }
    if (change.is === 'made' || change.is === 'link') made.push(change)
  }
  // The newest one last: of one path it is what counts.
  for (const change of made.reverse()) learn(budget, change.path, statOf(change))
}

/** Runs a computation with the overlay between it and the world. */
export function* through<T>(asking: Asking<T>, overlay: Overlay | undefined): Asking<T> {
  if (overlay === undefined) return yield* asking
  let step = asking.next()
  while (!step.done) {
    const question = step.value
    const mine = fromOverlay(overlay, question)
    if (mine && 'answer' in mine) step = asking.next(mine.answer)
    else if (question.ask === 'list') {
      const place = lookUp(overlay, question.dir)
      let reply: Answer = 'absent'
      if (place.is === 'world') reply = yield { ...question, dir: place.path }
      else if (
        place.is === 'change' &&
        place.change.is === 'made' &&
        place.change.kind === 'dir' &&
        !place.change.fresh
      )
        reply = yield question
      step = asking.next(relist(overlay, question.dir, reply))
    } else step = asking.next(yield mine ? mine.instead : question)
  }
  return step.value
}
