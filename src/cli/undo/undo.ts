/** `sallyport undo list|show|restore`: brings back what a call lost. */
import {
  chmodSync,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { counted } from '../../core/count.ts'
import { statePath } from '../../session/store.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { plain } from '../log.ts'
import { shownTime } from '../time.ts'
import { copyOf, type Snapshot, type SnapshotEntry, snapshotsOf } from './snapshots.ts'

const stateOf = (io: Io): string => statePath(io.env, homeOf(io.env))

/** Exit 0. */
export function undoList(flags: { readonly json?: boolean }, io: Io): number {
  const all = snapshotsOf(stateOf(io))
  if (flags.json) io.out(`${JSON.stringify(all, undefined, 2)}\n`)
  else for (const one of all) io.out(line(one))
  if (!flags.json && all.length === 0)
    io.out('there are no snapshots; they are taken where the policy says "snapshots": { "on": true }\n')
  return EXIT.ok
}

function line(one: Snapshot): string {
  const time = shownTime(one.at)
  const files = `${counted(one.entries.length, 'file')}, ${counted(one.bytes, 'byte')}`
  return `${one.id}  ${time}  ${plain(one.host)}  ${files}${one.cut ? ', not all' : ''}  ${plain(one.call).slice(0, 100)}\n`
}

/** Exit 0, or 1 where there is no such snapshot. */
export function undoShow(id: string | undefined, io: Io): number {
  const found = find(id, 'show', io)
  if (typeof found === 'number') return found
  io.out(line(found))
  for (const entry of found.entries)
    io.out(`  ${stateOfEntry(found, entry, entry.path, io).padEnd(9)}  ${plain(entry.path)}\n`)
  for (const [repo, head] of Object.entries(found.heads))
    io.out(`  HEAD was ${head} in ${plain(repo)}; git branch NAME ${head.slice(0, 12)} keeps it\n`)
  if (found.cut) io.out('  some files were left out: too many, too large, or no time\n')
  return EXIT.ok
}

export interface RestoreFlags {
  /** Puts everything below this directory in place of where it was. */
  readonly to?: string
  /** Also over files that have changed since; these are kept beside as `NAME.before-undo`. */
  readonly force?: boolean
}

/** `paths`: only these files, or what lies below them. Exit 0 where all is back, 1 where something is not, 2 for bad usage. */
export function undoRestore(flags: RestoreFlags, args: readonly string[], io: Io): number {
  const [id, ...paths] = args
  const found = find(id, 'restore', io)
  if (typeof found === 'number') return found
  const wanted = paths.map((path) => resolve(io.cwd, path))
  const entries = found.entries.filter(
    ({ path }) => wanted.length === 0 || wanted.some((one) => path === one || path.startsWith(`${one}/`)),
  )
  if (entries.length === 0) {
    io.err(`sallyport undo restore: the snapshot ${found.id} holds none of that; see sallyport undo show ${found.id}\n`)
    return EXIT.problem
  }
  const base = flags.to === undefined ? undefined : resolve(io.cwd, flags.to)
  let failed = 0
  let done = 0
  let there = 0
  for (const entry of entries) {
    const to = base === undefined ? entry.path : join(base, entry.path)
    const state = stateOfEntry(found, entry, to, io)
    if (state === 'the same') {
      there++
      continue
    }
    if (state !== 'gone' && !flags.force) {
      io.err(
        `sallyport undo restore: ${plain(to)} has changed since; --force keeps it beside as ${plain(to)}.before-undo\n`,
      )
      failed++
      continue
    }
    try {
      put(copyOf(stateOf(io), found, entry), entry, to, state !== 'gone')
      done++
    } catch (error) {
      io.err(
        `sallyport undo restore: ${plain(to)} could not be written (${(error as NodeJS.ErrnoException).code ?? String(error)})\n`,
      )
      failed++
    }
  }
  const rest = there === 0 ? '' : `, ${counted(there, 'was', 'were')} there already`
  io.out(`${done} of ${counted(entries.length, 'file')} brought back${rest}\n`)
  return failed === 0 ? EXIT.ok : EXIT.problem
}

function put(copy: string, entry: SnapshotEntry, to: string, replaces: boolean): void {
  mkdirSync(dirname(to), { recursive: true })
  const made = `${to}.undo-${process.pid}`
  if (entry.kind === 'link') symlinkSync(entry.at, made)
  else {
    copyFileSync(copy, made)
    chmodSync(made, entry.mode)
  }
  if (replaces) renameSync(to, `${to}.before-undo`)
  renameSync(made, to)
}

function stateOfEntry(found: Snapshot, entry: SnapshotEntry, path: string, io: Io): 'gone' | 'changed' | 'the same' {
  try {
    const now = lstatSync(path)
    if (entry.kind === 'link') return now.isSymbolicLink() && readlinkSync(path) === entry.at ? 'the same' : 'changed'
    if (!now.isFile() || now.size !== entry.size) return 'changed'
    return readFileSync(path).equals(readFileSync(copyOf(stateOf(io), found, entry))) ? 'the same' : 'changed'
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'gone' : 'changed'
  }
}

function find(id: string | undefined, verb: string, io: Io): Snapshot | number {
  if (id === undefined || !/^s_[0-9a-f]{4,12}$/.test(id)) {
    io.err(`sallyport undo ${verb}: name a snapshot, s_ and its digits, as sallyport undo list shows it\n`)
    return EXIT.usage
  }
  const found = snapshotsOf(stateOf(io)).filter((one) => one.id.startsWith(id))
  if (found.length === 1) return found[0]!
  io.err(
    found.length === 0
      ? `sallyport undo ${verb}: there is no snapshot ${id}; see sallyport undo list\n`
      : `sallyport undo ${verb}: ${id} may be any of ${found.map((one) => one.id).join(', ')}; name more digits\n`,
  )
  return EXIT.problem
}
