/**
 * Lines of nothing but the published first stage, told before any ticket is read: they pass whatever is frozen, and a store
 * of hundreds of files is left alone.
 */
import type { ToolCall } from '../../core/call.ts'
import type { Effect } from '../../core/effect.ts'
import { type Asking, ask } from '../../core/question.ts'
import { isAbsolute, isInside, join, type PathSense } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import type { Plan } from '../plan.ts'
import { isDropped } from '../subject.ts'
import { gitRead, isFirst, programSet } from './readers.ts'
import { isPure } from './step.ts'
import { type Segment, viewOf } from './view.ts'
import { baseName, unwrap } from './walk.ts'

/**
 * Whether all that a call does is reading by programs of the first stage, in a directory of the workspace. False where that
 * is not sure: then what tickets say decides.
 */
export function* readsPlainly(plan: Plan, call: ToolCall, sense: PathSense): Asking<boolean> {
  const [action, more] = call.actions
  const [reading] = plan.readings
  if (action?.is !== 'shell' || more !== undefined || reading === undefined || plan.status !== 'complete') return false
  if (!plan.effects.every(onlyReads)) return false
  const cwd = action.cwd ?? call.cwd
  if (cwd === undefined || !isAbsolute(cwd, sense.flavour)) return false
  if (!call.workspaces.some((root) => isAbsolute(root, sense.flavour) && isInside(cwd, root, sense))) return false
  const { segments, complete } = viewOf(reading)
  if (!complete || segments.length === 0) return false
  const verbs = new Set<string>()
  for (const segment of segments) {
    const words = wordsOf(segment, cwd)
    if (words === undefined) return false
    const verb = gitRead(words)
    if (verb !== undefined) verbs.add(verb)
  }
  return verbs.size === 0 || (yield* startsNothing(verbs, cwd, sense))
}

const onlyReads = (effect: Effect): boolean =>
  isDropped(effect) || (effect.target.is === 'path' && (effect.act === 'read' || effect.act === 'names'))

/** The words of a segment of the first stage; undefined for any other. A `cd` among them is left to the whole evaluation. */
function wordsOf(segment: Segment, cwd: string): readonly string[] | undefined {
  const unwrapped = unwrap(segment)
  const words = unwrapped.words.map(({ text }, i) => (i === 0 ? baseName(text) : text))
  if (words.some((word) => word === 'cd' || word === 'pushd' || word === 'popd')) return undefined
  return isFirst({ pure: isPure(segment, unwrapped, cwd), words, sets: unwrapped.sets }) ? words : undefined
}

/** Whether git is set to run no program for these readers, in an ADLC repository that is git's as well. */
function* startsNothing(verbs: ReadonlySet<string>, cwd: string, sense: PathSense): Asking<boolean> {
  const repo = yield* repoOf(cwd, sense.flavour)
  if (typeof repo === 'string') return false
  const adlc = yield* ask('stat', { path: join(repo.root, '.adlc', sense.flavour) })
  if (typeof adlc === 'string' || adlc.kind !== 'dir') return false
  for (const verb of verbs) if ((yield* programSet(verb, repo.root)) !== undefined) return false
  return true
}
