/**
 * Questions about many files at once. What was read is kept in this process as long as the file system says that it is
 * the same, so that a process which judges many calls reads once; every answer is checked against the disk anew.
 */
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, isAbsolute, resolve, sep } from 'node:path'
import type { Asks, FileText, TextEntry } from '../core/question.ts'
import { textOfBytes } from './bytes.ts'
import { clock } from './clock.ts'
import { kindOf } from './disk-list.ts'
import { isSame, type Mark, markOf } from './marks.ts'

/** Directories whose texts are kept. */
const MOST_DIRS = 8

/** Neither a link nor a pipe that came into a file's place is followed or waited for. */
const READING = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOFOLLOW ?? 0)

/** Looks at a directory that found nothing changed, after which its files are held open: a process that judges on and on. */
const SETTLED_LOOKS = 3

/** Files that are held open. Asking one for its times takes a third of walking to it by its path. */
const MOST_HELD = 1_024
let held = 0

/** A file or a directory that may be held open. */
interface Held {
  readonly mark: Mark | undefined
  fd?: number
}

interface KeptEntry extends Held {
  readonly mark: Mark | undefined
  readonly entry: TextEntry
  /** The file held open. As long as the directory stays the same, its name leads to it. */
  fd?: number
}

interface KeptDir {
  looks: number
  /** All its files are held open: one look at each of them tells whether it is as it was. */
  whole?: boolean
  readonly dir: Mark
  readonly names: readonly string[]
  readonly entries: readonly KeptEntry[]
  readonly answer: Exclude<Asks['texts'][1], 'absent'>
}

/** By what was asked, the newest last. */
const kept = new Map<string, KeptDir>()

const LOOK = { throwIfNoEntry: false } as const

/**
 * The entries of a directory with their texts, in the order of their names. `unknown` where more than `left` milliseconds
 * went by. Throws as the file system does.
 */
export function textsIn(question: Asks['texts'][0], left: number): Asks['texts'][1] | 'unknown' {
  const { dir, limit, each, total } = question
  const until = clock() + left
  const key = `${limit} ${each} ${total} ${dir}`
  const before = kept.get(key)
  const now = Date.now()
  const self = statSync(dir)
  const sameNames = before !== undefined && isSame(before.dir, self)
  if (sameNames && before.whole && areStill(before.entries)) return before.answer
  const names = sameNames ? before.names : readdirSync(dir).sort()
  const old = sameNames ? undefined : new Map(before?.entries.map((one) => [one.entry.name, one]))
  const entries: KeptEntry[] = []
  let same = sameNames
  let size = 0
  for (let i = 0; i < names.length && i < limit; i++) {
    const name = names[i]!
    const known = old === undefined ? before!.entries[i] : old.get(name)
    const path = dir + sep + name
    const found = sameNames && known?.fd !== undefined ? fstatSync(known.fd) : lstatSync(path, LOOK)
    const needs = known?.entry.kind === 'file' && known.entry.text === undefined && size <= total
    if (known !== undefined && isSame(known.mark, found) && !needs) {
      entries.push(known)
    } else {
      if (clock() > until) return 'unknown'
      entries.push(entryAt(path, name, found, now, size > total ? undefined : each))
      same = false
    }
    const { text } = entries[i]!.entry
    size += typeof text === 'object' ? text.text.length : 0
  }
  if (same) {
    if (++before!.looks === SETTLED_LOOKS) {
      for (const one of entries) if (one.entry.kind === 'file') hold(dir + sep + one.entry.name, one)
      before!.whole = entries.every(({ fd }) => fd !== undefined)
    }
    return before!.answer
  }
  const still = new Set(entries)
  for (const one of before?.entries ?? []) if (!still.has(one)) release(one)
  const answer = { entries: entries.map(({ entry }) => entry), cut: names.length > limit }
  kept.delete(key)
  kept.set(key, { looks: 0, dir: markOf(self, now), names, entries, answer })
  for (const [oldest, { entries: gone }] of kept) {
    if (kept.size <= MOST_DIRS) break
    kept.delete(oldest)
    for (const one of gone) release(one)
  }
  return answer
}

function hold(path: string, one: Held): void {
  if (one.fd !== undefined || held >= MOST_HELD) return
  try {
    const fd = openSync(path, READING)
    one.fd = fd
    held++
    if (!isSame(one.mark, fstatSync(fd))) release(one)
  } catch {}
}

/** Whether all of these, which are held open, are as they were marked. */
function areStill(held: readonly Held[]): boolean {
  for (const { fd, mark } of held) if (!isSame(mark, fstatSync(fd!))) return false
  return true
}

function release(one: Held): void {
  if (one.fd === undefined) return
  closeSync(one.fd)
  delete one.fd
  held--
}

function entryAt(
  path: string,
  name: string,
  found: Stats | undefined,
  now: number,
  limit: number | undefined,
): KeptEntry {
  // It was listed and went away before it was looked at.
  if (found === undefined) return { mark: undefined, entry: { name, kind: 'file', text: 'absent' } }
  const kind = kindOf(found)
  const mark = markOf(found, now)
  if (kind !== 'file') return { mark, entry: { name, kind } }
  if (limit === undefined) return { mark, entry: { name, kind } }
  const text = textOf(path, found.size, limit)
  // Whether a file can be read does not hang on what its marks say.
  if (typeof text === 'string') return { mark: undefined, entry: { name, kind, text } }
  return { mark, entry: { name, kind, text, ...(mark.firm && { mark: shown(mark) }) } }
}

const shown = ({ dev, ino, size, mtimeMs, ctimeMs }: Mark): string => `${dev}:${ino} ${size} ${mtimeMs} ${ctimeMs}`

/** Where files are read into, one after the other. */
let buffer = new Uint8Array(0)

/** As one call of the platform reads a whole file. */
const WHOLE = { encoding: 'utf8', flag: READING as unknown as string } as const

/** The text of a regular file that was just looked at; in as few steps as there are, for there may be thousands. */
function textOf(path: string, size: number, limit: number): FileText | 'absent' | 'unknown' {
  let fd: number | undefined
  try {
    if (size <= limit) {
      const text = readFileSync(path, WHOLE)
      // It may have grown since.
      if (text.length <= limit) return text.includes('\0') ? 'unreadable' : { text, cut: false }
    }
    // One byte more than asked tells whether there is more.
    const wanted = Math.min(size, limit) + 1
    if (buffer.length < wanted) buffer = new Uint8Array(wanted * 2)
    fd = openSync(path, READING)
    // A regular file gives less than was asked for at its end alone.
    const read = readSync(fd, buffer, 0, wanted, null)
    return textOfBytes(buffer.subarray(0, read), limit)
  } catch (error) {
    const code = codeOf(error)
    return code === 'ENOENT' ? 'absent' : code === 'EACCES' || code === 'EPERM' ? 'unreadable' : 'unknown'
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

/** What the system says of a path that leads to no link: nothing is there, or a loop of links stands before it. */
const NO_LINK = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

interface KeptPlace {
  readonly path: string
  /** Undefined: there was none. */
  readonly mark: Mark | undefined
  /** It is another one's entry: as long as that stays the same, its name leads to it. */
  readonly below: boolean
  /** The directory held open. */
  fd?: number
}

interface KeptLinks {
  looks: number
  readonly cwd: string
  /** The directories that hold the paths. */
  readonly dirs: readonly KeptPlace[]
  readonly answer: Asks['links'][1]
}

/** By the very list that was asked about. */
const keptLinks = new WeakMap<readonly string[], KeptLinks>()

/** Those of which directories are held open, the newest last. */
const open = new Set<KeptLinks>()

/**
 * The links among `paths`; relative ones start at `cwd`. A list that was asked about before costs one look at each
 * directory: while that stays the same, so does what is a link in it.
 */
export function linksAmong(paths: readonly string[], cwd: string): Asks['links'][1] | 'unknown' {
  const before = keptLinks.get(paths)
  if (before?.cwd === cwd && areThere(before.dirs)) {
    // Behind a link a directory may be another one although no name of the list changed.
    if (++before.looks === SETTLED_LOOKS && before.answer.length === 0) holdAll(before)
    return before.answer
  }
  if (before !== undefined) releaseAll(before)
  const now = Date.now()
  const all = paths.map((path) => (isAbsolute(path) ? path : resolve(cwd, path)))
  // Before the links themselves: a change meanwhile then shows the next time.
  const names = new Set(all.map((path) => dirname(path)))
  const dirs = [...names].map((path): KeptPlace => {
    const found = lookAt(path)
    const mark = typeof found === 'object' ? markOf(found, now) : undefined
    return { path, mark, below: names.has(dirname(path)) && dirname(path) !== path }
  })
  const out: { path: string; target: string }[] = []
  for (const [i, at] of all.entries()) {
    try {
      const found = lstatSync(at, LOOK)
      if (found?.isSymbolicLink()) out.push({ path: paths[i]!, target: readlinkSync(at) })
    } catch (error) {
      if (!NO_LINK.has(codeOf(error))) return 'unknown'
    }
  }
  keptLinks.set(paths, { looks: 0, cwd, dirs, answer: out })
  return out
}

/** Whether all of these are as they were. */
function areThere(places: readonly KeptPlace[]): boolean {
  for (const { path, mark, fd } of places) {
    const found = fd === undefined ? lookAt(path) : fstatSync(fd)
    if (mark === undefined ? found !== 'absent' : typeof found !== 'object' || !isSame(mark, found)) return false
  }
  return true
}

function holdAll(links: KeptLinks): void {
  for (const oldest of open) {
    if (open.size < MOST_DIRS) break
    releaseAll(oldest)
  }
  open.add(links)
  for (const dir of links.dirs) if (dir.below && dir.mark !== undefined) hold(dir.path, dir)
}

function releaseAll(links: KeptLinks): void {
  open.delete(links)
  for (const dir of links.dirs) release(dir)
}

/** A directory behind all links on the way to it. */
function lookAt(dir: string): Stats | 'absent' | undefined {
  try {
    return statSync(dir, LOOK) ?? 'absent'
  } catch (error) {
    return NO_LINK.has(codeOf(error)) ? 'absent' : undefined
  }
}

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code ?? '')
