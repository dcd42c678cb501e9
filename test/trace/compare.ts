/** Holds what the kernel did against what the guard foresaw. */
import { dirname, resolve } from 'node:path'
import { type CaseResult, judgeCase } from '../../src/cli/check/case.ts'
import type { World } from '../../src/core/world.ts'
import { CHANGES, type Place } from '../../src/guard/locate.ts'
import { EMPTY_SESSION } from '../../src/session/session.ts'
import { absolute, DIRTY, HOME, isProtected, PLACES, ROOT } from '../execution/tree.ts'
import { type Change, changesOf, type Links } from './strace.ts'

export interface Compared {
  readonly command: string
  readonly verdict: 'deny' | 'ask' | 'pass'
  /** Changes outside temp that count, and how they were foreseen. */
  readonly changes: number
  readonly foreseen: number
  /** Covered only by an effect whose target is not known. */
  readonly unknownOnly: number
  readonly missed: readonly Change[]
  /** Places that were said to go for sure, and did not. */
  readonly neverHappened: readonly string[]
  /** A frozen path or the only copy of work changed although the call passed. */
  readonly harmed: readonly string[]
}

/** The judgement of one command in the tree, with nobody there to ask. */
export const judged = (command: string, world: World): CaseResult =>
  judgeCase(
    {
      ...{ command, cwd: ROOT, workspaces: [ROOT], mode: { is: 'headless' }, unattended: true },
      ...{ session: EMPTY_SESSION, profile: 'standard' },
      person: { home: HOME, user: 'dev', platform: 'linux' },
    },
    world,
  )

/** What is nobody's: temp, devices, the kernel's own files. */
const NOBODYS = /^\/(?:tmp|dev|proc|sys|run|var\/tmp)(?:\/|$)/
/** What git keeps for itself, for lines that run git; and caches of interpreters, which nothing depends on. */
const BOOKS = /\/\.git(?:\/|$)/
const CACHES = /\/__pycache__(?:\/|$)|\.pyc(?:\.\d+)?$|^\/home\/dev\/\.(?:cache|npm|config)(?:\/|$)/

/** Links of the tree that every run starts from. */
const LINKS: Links = new Map(
  PLACES.flatMap(({ path, link }) => {
    const at = absolute(path)
    return link === undefined ? [] : [[at, resolve(dirname(at), link)] as const]
  }),
)

/** Compares one run. `trace`: what strace wrote of it. */
export function compare(command: string, trace: string, result: CaseResult): Compared {
  const { verdict, plan, subjects } = result
  const made = new Set<string>()
  const all = changesOf(trace, ROOT, LINKS)
  const runsGit =
    plan.effects.some(({ target, act }) => target.is === 'git' || (act === 'run' && target.is === 'thing')) ||
    /\bgit\b/.test(command)
  const counted = all.filter((change) => {
    // What a program makes and takes away again, or renames into place, is its own affair: the place counts.
    const own = made.has(change.path) && change.kind !== 'write'
    if (change.kind === 'write') made.add(change.path)
    return (
      change.kind !== 'connect' &&
      change.path.startsWith('/') &&
      !own &&
      !NOBODYS.test(change.path) &&
      !CACHES.test(change.path) &&
      !(runsGit && BOOKS.test(change.path))
    )
  })
  const gone = new Set(all.filter(({ kind }) => kind === 'delete' || kind === 'rename').map(({ path }) => path))
  const transient = (change: Change): boolean => change.kind === 'write' && gone.has(change.path)
  const real = counted.filter((change) => !transient(change))
  const changing = subjects.filter(({ effect }) => CHANGES.has(effect.act) || effect.target.is === 'git')
  const places = changing.flatMap((subject) => subject.places)
  const gitTouches = changing.some(({ effect }) => effect.target.is === 'git')
  const unknown = subjects.some(
    ({ effect, located }) =>
      effect.act === 'opaque' ||
      effect.act === 'run-remote' ||
      effect.target.is === 'unknown' ||
      located.is === 'unresolved' ||
      effect.note === 'unlisted',
  )
  const open = places.some((place) => place.open)
  const foreseen = real.filter(({ path }) => places.some((place) => covers(place, path)) || gitTouches)
  const rest = real.filter((change) => !foreseen.includes(change))
  const covered = unknown || open || plan.status !== 'complete'
  return {
    command,
    verdict: verdict.decision,
    changes: real.length,
    foreseen: foreseen.length,
    unknownOnly: covered ? rest.length : 0,
    missed: covered ? [] : rest,
    neverHappened: subjects
      .filter(({ effect }) => effect.act === 'delete' && effect.when === 'always' && effect.provenance === 'literal')
      .flatMap((subject) => subject.places)
      .filter((place) => place.exists && place.pattern === undefined && !place.open && !NOBODYS.test(place.path))
      .filter(({ path }) => ![...gone].some((one) => one === path || one.startsWith(`${path}/`)))
      .map(({ path }) => path),
    harmed:
      verdict.decision === 'pass'
        ? real
            .map(({ path }) => path)
            .filter((path) => isProtected(path) || (path === `${ROOT}/${DIRTY.path}` && gone.has(path)))
        : [],
  }
}

/** Whether a place foresees a change of a path: the path itself, below it, or a directory that has to be made for it. */
function covers(place: Place, path: string): boolean {
  if (place.path === path || place.path.startsWith(`${path}/`)) return true
  // Names that a program makes up: of `mktemp`, of `git format-patch`.
  const template = /new\d+$|\d{4}-[^/]*\.patch$/.exec(place.path)
  if (template !== null && path.startsWith(place.path.slice(0, template.index))) return true
  if (place.names?.some((name) => name.path === path || path.startsWith(`${name.path}/`))) return true
  const below = path.startsWith(place.path === '/' ? '/' : `${place.path}/`)
  return below && (place.tree || place.pattern !== undefined || place.open === true)
}
