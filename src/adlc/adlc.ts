/**
 * ADLC repositories as the guard sees them: tickets, what they freeze, what they may touch. A verdict makes one `Adlc`
 * and asks it as often as it likes; each repository is read once.
 */
import type { Asking } from '../core/question.ts'
import { keyOfPath, normalise, type PathSense, relativeTo } from '../paths/lexical.ts'
import { type ResolvedPath, resolvePath } from '../paths/resolve.ts'
import type { Adlc, AdlcRepo, Judged, RailHit } from './model.ts'
import { overrideHit, readRepo } from './read-repo.ts'

export { dudRails, type LintRow, lintRepo } from './lint.ts'
export { missingTicket, missingTicketAt } from './missing.ts'
export { type Adlc, type AdlcRepo, type Judged, newAdlc, type RailHit } from './model.ts'
export { readRepo } from './read-repo.ts'
export { type CurrentTicket, currentTicket, inScope, isPointer, scopeMatcher } from './scope.ts'
export { readArchive } from './store.ts'
export { canonicalName } from './ticket.ts'
export { canAdd } from './validity.ts'

/**
 * Everything that protects one absolute path, judged as it is named, as the entry that it is, and as what it leads to.
 * `tree`: the effect takes in what lies below. `follow` (default true): it reaches what a link in the last component
 * points to; false for what acts on the link alone.
 */
export function* hitsOn(
  path: string,
  adlc: Adlc,
  how: { readonly tree?: boolean; readonly follow?: boolean } = {},
): Asking<Judged> {
  const { follow = true, tree = false } = how
  const key = `${follow} ${tree} ${path}`
  const known = adlc.judged.get(key)
  if (known !== undefined) return known
  const judged = yield* judge(path, adlc, { follow, tree })
  if (adlc.judged.size < MOST_JUDGED) adlc.judged.set(key, judged)
  return judged
}

/** Paths of one verdict that are remembered; some of it judges each of them, and some of it again. */
const MOST_JUDGED = 2_000

function* judge(path: string, adlc: Adlc, how: { readonly tree: boolean; readonly follow: boolean }): Asking<Judged> {
  const { sense } = adlc
  const { follow } = how
  const place = yield* resolvePath(path, { follow, budget: adlc.paths })
  const named = normalise(path, sense.flavour)
  const spellings = place.is === 'path' ? spelled(named, place, follow, sense) : [named]
  const { repos: anchored, unsure } = yield* anchoredOf(adlc)
  const repos = new Set<AdlcRepo>()
  const hits: RailHit[] = []
  for (const spelling of spellings) {
    const override = yield* overrideHit(spelling, adlc)
    if (override !== 'none') hits.push(override)
    const own = yield* readRepo(spelling, adlc)
    if (own !== 'none') {
      repos.add(own)
      const hit = yield* own.protects(spelling, how)
      if (hit !== 'none') hits.push(hit)
    }
    for (const repo of anchored) {
      // A repository inside another one answers for itself, and names the outer one where that counts.
      if (repo === own || relativeTo(repo.root, spelling, sense) !== undefined) continue
      const hit = yield* repo.protects(spelling, how)
      if (hit !== 'none') hits.push(hit)
    }
  }
  const unresolved = place.is === 'unresolved' || unsure
  return { hits, repos: [...repos], unresolved, overridesUnknown: adlc.overrides?.unsure !== undefined }
}

/** The texts by which a path is judged, each once: nearly always it is all of them. */
function spelled(named: string, place: ResolvedPath, follow: boolean, sense: PathSense): readonly string[] {
  if (place.entry === named && (!follow || place.target === named)) return [named]
  const all = [named, place.entry, ...(follow ? [place.target] : [])]
  return [...new Map(all.map((one) => [keyOfPath(one, sense), one])).values()]
}

/** The repositories of the anchors, and whether one of them is not known whole. */
function* anchoredOf(adlc: Adlc): Asking<NonNullable<Adlc['anchored']>> {
  if (adlc.anchored === undefined) {
    const repos = new Set<AdlcRepo>()
    for (const anchor of adlc.anchors) {
      const repo = yield* readRepo(anchor, adlc)
      if (repo !== 'none') repos.add(repo)
    }
    adlc.anchored = { repos: [...repos], unsure: [...repos].some(({ unsure }) => unsure) }
  }
  return adlc.anchored
}
