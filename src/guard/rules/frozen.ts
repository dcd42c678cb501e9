/** Frozen paths: content, mode, owner, removal, renaming and by-products are covered. */
import { INTO } from '../../commands/row.ts'
import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import type { PathMatcher } from '../../paths/glob.ts'
import { isInside, join } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { broughtFindings } from '../git-brings.ts'
import { factsOf } from '../git-state.ts'
import type { Place } from '../locate.ts'
import { startOf } from '../loss-git.ts'
import { type Overlay, through } from '../overlay.ts'
import { gitRegion } from '../region.ts'
import { CHANGES, finding, isIdle, type Subject, type Tools } from '../subject.ts'

const SAFER = 'leave the frozen path as it is and say in your answer what you would change there'

export function* frozen(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect, places } = subject
  if (effect.target.is === 'git') return [...(yield* takenBack(subject, tools)), ...(yield* brought(subject, tools))]
  if (!CHANGES.has(effect.act)) return []
  if (subject.located.is === 'unresolved') {
    if (effect.act === 'create' || tools.frozen.all().length === 0) return []
    return [
      finding(
        subject,
        'frozen',
        'unknown',
        'ask',
        `${effect.by} changes a path that is unknown (${subject.located.what}), and paths here are frozen`,
        { safer: 'name the path literally' },
      ),
    ]
  }
  const out: Finding[] = []
  for (const place of places) {
    const into = effect.note === INTO
    if (isIdle(effect, place) && !into) continue
    const known = place.pattern === undefined && place.open !== true
    for (const rail of known ? tools.frozen.near(place.path) : tools.frozen.all()) {
      const hit = into && rail.matches(`${place.path}/${ANY_NAME}`) ? 'yes' : hits(rail, place, effect.act, effect.note)
      if (hit === 'no') continue
      if (effect.note === 'git-clean' && (yield* keepsAll(rail, place, effect.seen as Overlay | undefined, tools)))
        continue
      const target = tools.show(place.path)
      const what =
        hit === 'below'
          ? `${effect.by} ${verb(effect.act, effect.note)} ${target}, which holds frozen paths (${rail.glob})`
          : `${target} is frozen (${rail.glob})`
      out.push(
        finding(
          subject,
          'frozen',
          hit === 'below' ? 'holds' : 'path',
          hit === 'maybe' || effect.note === 'lock-maybe' ? 'ask' : 'deny',
          what,
          {
            safer: SAFER,
          },
        ),
      )
      break
    }
  }
  return out
}

/** Whether what git does not track below a place holds nothing that is frozen: then `git clean` leaves the frozen as it is. */
function* keepsAll(rail: PathMatcher, place: Place, overlay: Overlay | undefined, tools: Tools): Asking<boolean> {
  const { sense } = tools
  const repo = yield* repoOf(place.path, sense.flavour)
  if (typeof repo !== 'object') return false
  const state = yield* through(factsOf(repo.root, ['changes', 'ignored']), overlay)
  if (typeof state !== 'object' || state.untracked === undefined || state.ignored === undefined) return false
  return ![...state.untracked, ...state.ignored].some((name) => {
    const path = join(repo.root, name, sense.flavour).replace(/[/\\]$/, '')
    const inside = isInside(path, place.path, sense) || isInside(place.path, path, sense)
    return inside && (rail.matches(path) || rail.mayContain(path))
  })
}

/** What other revisions say of paths that a policy freezes; those of tickets are judged with the tickets. */
function* brought(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const own = tools.frozen.all().slice(0, tools.context.policy.frozen.length)
  if (own.length === 0) return []
  const frozenBy = (path: string) => own.find((one) => one.matches(path))?.glob
  return yield* broughtFindings(subject, frozenBy, tools, tools.sense)
}

/** git puts files back to what a commit or the index says: frozen ones that were changed meanwhile, too. */
function* takenBack(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  if (effect.target.is !== 'git' || effect.target.repo === undefined) return []
  const { op, repo } = effect.target
  if (op.is !== 'stash-push' && !(op.is === 'discard' && op.keeps !== true)) return []
  if (tools.frozen.all().length === 0) return []
  const overlay = effect.seen as Overlay | undefined
  const state = yield* through(factsOf(repo, ['changes']), overlay)
  if (state === 'none') return []
  const { sense } = tools
  const region = gitRegion(op.paths, repo, startOf(effect, repo), sense)
  if (state === 'unknown' || region.unknown) {
    const what = `${effect.by} may put frozen files back to what they were`
    return [finding(subject, 'frozen', 'unknown', 'ask', what, { safer: 'name the files that are meant' })]
  }
  const untracked = op.is === 'stash-push' && op.untracked ? (state.untracked ?? []) : []
  for (const name of [...(state.modified ?? []), ...(state.staged ?? []), ...untracked]) {
    const path = join(repo, name, sense.flavour)
    const rail = region.touches(path) ? tools.frozen.all().find((one) => one.matches(path)) : undefined
    if (rail === undefined) continue
    const what = `${effect.by} would put ${tools.show(path)} back to what it was, and it is frozen (${rail.glob})`
    return [finding(subject, 'frozen', 'path', 'deny', what, { safer: 'name only the files that are yours' })]
  }
  return []
}

/** A pattern as a word of the shell has it, where nothing at all is unknown. */
const isPlain = (pattern: NonNullable<Place['pattern']>): boolean =>
  pattern.every(({ is }) => is !== 'any' && is !== 'deep')

/** Stands for the names of files that a program chooses: what is frozen under any name is meant. */
const ANY_NAME = 'x'

/** Acts that may make files. */
const MAKES: ReadonlySet<string> = new Set(['create', 'write', 'append', 'edit'])

const verb = (act: string, note: string | undefined): string =>
  note === 'second-name'
    ? 'gives second names to what is in'
    : note === 'move'
      ? 'moves'
      : act === 'delete'
        ? 'deletes'
        : act === 'mode'
          ? 'changes the mode of'
          : 'writes below'

/** Whether a place is frozen, holds something frozen that the effect reaches, or may be. */
function hits(
  rail: PathMatcher,
  place: Place,
  act: string,
  note: string | undefined,
): 'yes' | 'below' | 'maybe' | 'no' {
  if (place.pattern !== undefined) {
    // Where nothing has such a name yet, one that is made may.
    if (place.names !== undefined && (place.names.length > 0 || !MAKES.has(act) || !isPlain(place.pattern))) {
      for (const name of place.names) {
        const hit = hits(rail, { path: name.path, tree: place.tree, exists: true, kind: name.kind }, act, note)
        if (hit !== 'no') return hit
      }
      return 'no'
    }
    if (!rail.mayMatch(place.pattern, `${place.path}/`, { tree: place.tree })) return 'no'
    // What only may be meant is sure where everything there is frozen.
    const some = place.pattern.some((part) => part.is === 'any')
    return some && !rail.matches(`${place.path}/x`) ? 'maybe' : 'below'
  }
  if (place.open) {
    const dir = place.path.slice(0, place.path.lastIndexOf('/') + 1)
    if (place.tree && place.path === dir && rail.mayContain(dir)) return 'below'
    return rail.mayMatch([{ is: 'any' }], place.path, { tree: place.tree, dots: true }) ? 'maybe' : 'no'
  }
  if (rail.matches(place.path)) return 'yes'
  // A link on the way to what is frozen: without it, that is another file or none.
  if (place.kind === 'link' && rail.holds(place.path)) return 'below'
  // Removing, moving or re-moding a parent takes what is below with it, with or without a recursive flag for a move.
  if (place.tree && rail.mayContain(place.path) && (place.kind === undefined || place.kind === 'dir')) {
    if (note === 'unpack') return rail.holds(place.path) ? 'maybe' : 'maybe'
    return 'below'
  }
  return 'no'
}
