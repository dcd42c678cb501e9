/** What protects a path in one repository. */
import type { Asking } from '../core/question.ts'
import { join, keyOfPath, type PathSense, relativeTo } from '../paths/lexical.ts'
import { type ImplicitHit, implicitHit, lookedUpHit } from './implicit.ts'
import type { LinkedRail } from './linked.ts'
import type { RailHit, RepoFacts } from './model.ts'
import type { RailKind } from './rails.ts'
import { hasShardForm } from './ticket.ts'

/** The path below the root with `/`; what lies in the real `.adlc` counts as below the root. */
function relativeIn(repo: RepoFacts, path: string, sense: PathSense): string | undefined {
  const fold = (text: string) => {
    const key = text === '' ? '' : keyOfPath(text, sense)
    return sense.flavour === 'win32' ? key.replaceAll('\\', '/') : key
  }
  const rel = relativeTo(repo.root, path, sense) ?? relativeTo(repo.named, path, sense)
  if (rel !== undefined) return fold(rel)
  const inner = relativeTo(repo.dir, path, sense)
  return inner === undefined ? undefined : inner === '' ? '.adlc' : `.adlc/${fold(inner)}`
}

/** What protects a path in a repository: tickets that cannot be read, the root itself, implicit and declared rails. */
export function* protects(repo: RepoFacts, path: string, tree: boolean, sense: PathSense): Asking<RailHit | 'none'> {
  const { root } = repo
  const base = { root, tickets: [] as readonly string[] }
  const rel = relativeIn(repo, path, sense)
  const around =
    rel === undefined && [repo.root, repo.named, repo.dir].some((dir) => relativeTo(path, dir, sense) !== undefined)
  if (rel !== undefined || around) {
    if (repo.unreadable !== undefined) {
      return { ...base, source: 'store', kind: 'closed', rail: repo.dir, why: repo.unreadable }
    }
    if (rel === '' || around) return { ...base, source: 'root', kind: rel === '' ? 'exact' : 'ancestor', rail: root }
    const implicit: ImplicitHit | undefined =
      repo.by === 'override'
        ? undefined
        : (implicitHit(rel!, (name) => isNew(repo, name)) ?? (yield* lookedUpHit(root, rel!, tree, sense)))
    if (implicit) return { ...base, source: 'implicit', ...implicit }
  }
  const declared = declaredHit(repo, path, rel, tree, sense)
  if (declared) return declared
  for (const outer of repo.outer) {
    const inOuter = relativeIn(outer, path, sense)
    const hit = declaredHit(outer, path, inOuter, tree, sense)
    if (hit) return hit
    if (outer.unreadable !== undefined && inOuter !== undefined) {
      return { ...base, root: outer.root, source: 'store', kind: 'closed', rail: outer.dir, why: outer.unreadable }
    }
  }
  return 'none'
}

/** How much a kind says: the surest is the one to name. */
const RANK: readonly RailKind[] = ['exact', 'inside', 'glob', 'closed', 'ancestor', 'below']

/** The rail that says the most of a path. `rel`: the path below the root of the repository, where it lies there. */
function declaredHit(
  repo: RepoFacts,
  path: string,
  rel: string | undefined,
  tree: boolean,
  sense: PathSense,
): RailHit | undefined {
  let best: RailHit | undefined
  const at = rel === undefined ? path : join(repo.root, rel, sense.flavour)
  const near = repo.near(at, tree)
  for (const rail of repo.linked.length === 0 ? near : [...near, ...repo.linked]) {
    const kind = rail.meets(at, tree)
    if (kind === undefined) continue
    if (best && RANK.indexOf(best.kind) <= RANK.indexOf(kind)) continue
    best = {
      ...{ source: 'declared', kind, rail: rail.text, tickets: rail.tickets, root: repo.root },
      ...(rail.problem !== undefined && { why: `it ${rail.problem}` }),
      ...('via' in rail && { via: (rail as LinkedRail).via }),
    }
    if (kind === 'exact') return best
  }
  return best
}

/** A name that may come into the ticket directory: of the right form, and not there in any spelling. */
function isNew(repo: RepoFacts, name: string): boolean {
  if (!hasShardForm(name)) return false
  const names = repo.store.is === 'none' ? undefined : repo.store.names
  return names === undefined ? repo.store.is === 'none' : ![...names].some((other) => other.toLowerCase() === name)
}

/** The name of a shard that does not exist yet, where the path is one. */
export function newShard(repo: RepoFacts, path: string, sense: PathSense): string | undefined {
  if (repo.by !== 'directory') return undefined
  const rel = relativeIn(repo, path, sense)
  const name = rel?.startsWith('.adlc/tickets/') ? rel.slice('.adlc/tickets/'.length) : undefined
  return name !== undefined && !name.includes('/') && isNew(repo, name) ? name : undefined
}
