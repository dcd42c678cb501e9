/**
 * Frozen files as a session saw them: before its first call what they are is noted, and from then on each event compares.
 * So what no text of a call shows is seen afterwards: a program that writes, a write that is undone again, a download.
 * Nothing is prevented here; a difference is named. In the common case each file costs one `lstat`.
 */
import { nameOfText } from '../../core/hash.ts'
import type { SessionLine } from '../../session/session.ts'

/** What became of a file. `restored`: it was written or touched, and holds what it held. */
export type Became = 'changed' | 'restored' | 'deleted' | 'created'

export interface Changed {
  readonly path: string
  readonly what: Became
  /** Milliseconds since the epoch at which it was seen. */
  readonly t: number
}

/** What a session noted about frozen files. */
export interface Watch {
  /** Directories that lists were made for. */
  readonly bases: ReadonlySet<string>
  /** What each file was, and when that was noted. */
  readonly files: ReadonlyMap<string, { readonly was: string; readonly t: number }>
  /** Directories where a change means that the list is to be made anew. */
  readonly dirs: ReadonlyMap<string, string>
  /** All differences, the oldest first; the newest of each path. */
  readonly changes: readonly Changed[]
  /** Those that no reason has named yet. */
  readonly untold: readonly Changed[]
}

/** What is to be watched around a directory. */
export interface WatchList {
  readonly files: readonly string[]
  readonly dirs: readonly string[]
}

/** What watching needs of the disk. Neither throws. */
export interface WatchDisk {
  /** What changes with each write to an entry, links not followed; undefined where it is absent. */
  stamp(path: string): string | undefined
  /** A name of what it holds; empty where that is too much to read. */
  content(path: string): string
  list(base: string): WatchList
}

const ABSENT = 'absent'
const DIR = 'dir '
const BASE = 'base'
const TOLD = 'told'
const WHAT: ReadonlySet<string> = new Set<Became>(['changed', 'restored', 'deleted', 'created'])
/** A fingerprint names a set of effects elsewhere; here it only tells lines apart. */
const PRINT = 16

/** Reads a session's lines. */
export function foldWatch(lines: readonly SessionLine[]): Watch {
  const bases = new Set<string>()
  const files = new Map<string, { was: string; t: number }>()
  const dirs = new Map<string, string>()
  const changes = new Map<string, Changed>()
  const untold = new Map<string, Changed>()
  for (const { kind, t, acts, paths } of lines) {
    if (kind !== 'hash') continue
    for (let i = 0; i < paths.length; i++) {
      const path = paths[i]!
      const act = acts[i]
      if (act === undefined) continue
      // Nearly all.
      if (act === ABSENT || act.includes('#')) files.set(path, { was: act, t })
      else if (act === BASE) bases.add(path)
      else if (act === TOLD) untold.delete(path)
      else if (act.startsWith(DIR)) dirs.set(path, act)
      else if (WHAT.has(act)) {
        const change = { path, what: act as Became, t }
        // Put in anew, so that the order is that of the newest.
        changes.delete(path)
        changes.set(path, change)
        untold.set(path, change)
      } else files.set(path, { was: act, t })
    }
  }
  return { bases, files, dirs, changes: [...changes.values()], untold: [...untold.values()] }
}

export interface Compared {
  /** Lines for the session. */
  readonly lines: readonly SessionLine[]
  /** What differs and was not written openly. */
  readonly changes: readonly Changed[]
}

/**
 * Compares what is watched with what is there, and notes what is new. `base`: the directory that the session works in, or
 * undefined where no list is to be made. What an earlier call wrote openly, so that the guard could judge it, is no news.
 */
export function compareWatched(
  base: string | undefined,
  lines: readonly SessionLine[],
  now: number,
  disk: WatchDisk,
): Compared {
  const watch = foldWatch(lines)
  const noted = new Map<string, string>()
  const listed: (readonly [string, string])[] = []
  const changes: Changed[] = []
  const openly = writtenOpenly(lines)
  let again = false
  for (const [path, { was, t }] of watch.files) {
    const stamp = disk.stamp(path)
    if (stamp === undefined ? was === ABSENT : was.startsWith(`${stamp}#`)) continue
    const is = stamp === undefined ? ABSENT : `${stamp}#${disk.content(path)}`
    noted.set(path, is)
    if (inAdlc(path)) again = true
    if ((openly.get(path) ?? Number.NEGATIVE_INFINITY) >= t) continue
    changes.push({ path, t: now, what: becameOf(was, is) })
  }
  const moved = new Set<string>()
  for (const [path, was] of watch.dirs) {
    const is = `${DIR}${disk.stamp(path) ?? ABSENT}`
    if (is === was) continue
    moved.add(path)
    noted.set(path, is)
    again = true
  }
  const fresh = base !== undefined && !watch.bases.has(base)
  const roots = [...(again ? watch.bases : []), ...(fresh ? [base] : [])]
  for (const root of roots) {
    const { files, dirs } = disk.list(root)
    for (const path of files) {
      if (watch.files.has(path) || noted.has(path)) continue
      const stamp = disk.stamp(path)
      noted.set(path, stamp === undefined ? ABSENT : `${stamp}#${disk.content(path)}`)
      const came = moved.has(parentOf(path)) && !inAdlc(path) && !openly.has(path)
      if (stamp !== undefined && came) changes.push({ path, t: now, what: 'created' })
    }
    for (const path of dirs) {
      if (!watch.dirs.has(path) && !noted.has(path)) noted.set(path, `${DIR}${disk.stamp(path) ?? ABSENT}`)
    }
    if (!watch.bases.has(root)) listed.push([root, BASE])
  }
  return {
    lines: [
      // The mark of a list comes first: where old lines are forgotten it goes before the files, and they are noted anew.
      ...line(now, [...listed, ...noted]),
      ...line(
        now,
        changes.map(({ path, what }) => [path, what] as const),
      ),
    ],
    changes,
  }
}

function becameOf(was: string, is: string): Became {
  if (was === ABSENT) return 'created'
  if (is === ABSENT) return 'deleted'
  const content = is.slice(is.indexOf('#') + 1)
  return content !== '' && content === was.slice(was.indexOf('#') + 1) ? 'restored' : 'changed'
}

/** When paths were last about to be written by a call that the guard let run. */
function writtenOpenly(lines: readonly SessionLine[]): ReadonlyMap<string, number> {
  const out = new Map<string, number>()
  for (const { kind, t, paths } of lines) {
    if (kind === 'seen' || kind === 'written' || kind === 'created') for (const path of paths) out.set(path, t)
  }
  return out
}

const inAdlc = (path: string): boolean => /[\\/]\.adlc[\\/]/.test(path)
const parentOf = (path: string): string => path.replace(/(?<=.)[\\/][^\\/]*$/, '')

function line(t: number, entries: readonly (readonly [string, string])[]): SessionLine[] {
  if (entries.length === 0) return []
  const acts = entries.map(([, act]) => act)
  const paths = entries.map(([path]) => path)
  return [{ t, kind: 'hash', fingerprint: nameOfText(JSON.stringify([t, acts, paths])).slice(0, PRINT), acts, paths }]
}

/** Lines that say that a reason named these. */
export const toldLines = (now: number, changes: readonly Changed[]): readonly SessionLine[] =>
  line(
    now,
    changes.map(({ path }) => [path, TOLD] as const),
  )

/** Those that a reason on a call around `root` may name: what lies around another directory of the session can wait. */
export const nearTo = ({ untold, bases }: Watch, root: string | undefined): readonly Changed[] =>
  untold.filter(({ path }) => {
    const around = [...bases].filter((base) => within(path, base))
    return root === undefined || around.length === 0 || around.some((base) => within(root, base) || within(base, root))
  })

const within = (path: string, dir: string): boolean =>
  path === dir || path.startsWith(dir.endsWith('/') ? dir : `${dir}/`)

const WORDS: Readonly<Record<Became, string>> = {
  changed: 'was changed',
  restored: 'was written or touched, and holds what it held',
  deleted: 'is gone',
  created: 'came into being',
}

/** One clause a difference. `root`: paths below it are shown from there. */
export const changeClause = ({ path, what }: Changed, root?: string): string =>
  `${root !== undefined && path.startsWith(`${root}/`) ? path.slice(root.length + 1) : path} ${WORDS[what]}`

/** Characters that a reason has left for what was seen meanwhile. */
const MOST_NOTE = 200

/**
 * `reason` with a sentence about differences that no reason has named, where it fits into `most` characters with all
 * that the reason says; undefined where it does not.
 */
export function withChanges(
  reason: string,
  untold: readonly Changed[],
  root: string | undefined,
  most: number,
): string | undefined {
  if (untold.length === 0) return undefined
  const clauses = untold.map((change) => changeClause(change, root))
  for (let n = clauses.length; n >= 0; n--) {
    const left = clauses.length - n
    const rest = left === 0 ? '' : n === 0 ? `${left} frozen files differ` : `, and ${left} more`
    const note = ` Seen since: ${clauses.slice(0, n).join('; ')}${rest}; these are frozen.`
    if ((n === 0 || note.length <= MOST_NOTE) && reason.length + note.length <= most) return reason + note
  }
  return undefined
}
