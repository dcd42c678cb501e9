/** `sallyport uninstall`, `ctx unwrap`: takes out again what setup put into the hosts' settings. */
import { runtimesNamed } from '../../setup/by-hand.ts'
import { codeOf, hashOf, removeEmpty } from '../../setup/edit/disk.ts'
import { KNOWN, type Known } from '../../setup/hosts.ts'
import {
  allRecords,
  copyPath,
  dropCopies,
  dropRecord,
  firstOf,
  type HostRecord,
  readCopy,
  readRecord,
  type Wired,
  writeRecord,
} from '../../setup/record.ts'
import { applyRemoval, type PlannedRemoval, planRemoval, type Removal, strayWiring } from '../../setup/remove.ts'
import { dropRuntimes, runtimesIn } from '../../setup/runtime.ts'
import type { Scope } from '../../setup/wire/row.ts'
import { EXIT, type Io } from '../io.ts'
import { agentAround } from '../person/person.ts'
import { alone } from './alone.ts'
import { keptLines } from './kept.ts'
import { Halt, halting, namedHosts, notKeptByNpm, scopeOf, sourceOf, stateOf, surroundingsOf } from './places.ts'
import { type Answering, isYes, type SetupFlags, terminal } from './setup.ts'

/** Exit 0 where all of it is out, 1 where something is left, 2 for bad usage. */
export const uninstallVerb = (flags: SetupFlags, io: Io, name: string, asker = () => terminal(io)): Promise<number> =>
  halting(io, name, () => {
    notKeptByNpm(flags, io, name)
    const go = () => takeOut(flags, io, asker)
    return flags.dryRun ? go() : alone(stateOf(io), io, name, go)
  })

interface Task extends Known {
  readonly wired: Wired
  readonly removals: readonly PlannedRemoval[]
}

function takeOut(flags: SetupFlags, io: Io, asker: () => Answering): number {
  const named = namedHosts(flags.host)
  const scope = flags.scope === undefined ? undefined : scopeOf(flags.scope)
  const state = stateOf(io)
  const at = surroundingsOf(io)
  const tasks = (named ?? KNOWN).flatMap((known): readonly Task[] => {
    const wired = (readRecord(state, known.host.id)?.wired ?? []).filter(
      (one) => scope === undefined || (one.scope === scope && (scope === 'user' || one.root === at.project)),
    )
    const stray =
      wired.length > 0
        ? []
        : (scope === undefined ? (['user', 'project'] as const) : [scope]).flatMap(
            (one: Scope) => strayWiring(known.row, one, at) ?? [],
          )
    return [...wired, ...stray].map((one) => ({ ...known, wired: one, removals: planRemoval(known.row, one, state) }))
  })
  if (tasks.length === 0) {
    io.out(
      `nothing of setup is registered with ${named === undefined ? 'any host' : named.map(({ host }) => host.title).join(', ')}\n`,
    )
    return allRecords(state).length === 0 ? dropLeftCopies(flags, state, io, asker) : EXIT.ok
  }
  for (const { host, removals } of tasks) for (const removal of removals) io.out(`${host.title}: ${planned(removal)}\n`)
  if (flags.dryRun) {
    io.out('nothing was changed (--dry-run)\n')
    return EXIT.ok
  }
  const names = [...new Set(tasks.map(({ host }) => host.title))].join(', ')
  agree(`Take the guard out of ${names}?`, flags, asker())
  let left = false
  for (const task of tasks) left = !undo(task, state, io) || left
  // Several files may share a directory that was made for one of them.
  removeEmpty(
    tasks.flatMap(({ removals }) => removals.flatMap((removal) => ('refused' in removal ? [] : removal.record.dirs))),
  )
  const records = allRecords(state)
  const { to } = sourceOf(io)
  const used = records.flatMap(({ wired }) => wired.map(({ runtime }) => runtime))
  // A host that still runs was told to stop each call when the hook is not there: it must be started anew.
  if (!left) dropRuntimes(to, new Set([...used, ...runtimesNamed(runtimesIn(to), at)]), 0)
  io.out('sessions that are running now were begun with the hooks: start them anew\n')
  if (!left && records.length === 0) io.out(keptLines(io, state))
  return left ? EXIT.problem : EXIT.ok
}

/** Of entries that no record told of when setup came, or that none tells of now. */
const EARLIER = 'before setup or without it'

/** Removes copies of the program where nothing is registered: setup made one and could wire nothing. Then tells what is left. */
function dropLeftCopies(flags: SetupFlags, state: string, io: Io, asker: () => Answering): number {
  const { to } = sourceOf(io)
  const named = runtimesNamed(runtimesIn(to), surroundingsOf(io))
  const idle = runtimesIn(to).filter((dir) => !named.has(dir))
  for (const dir of idle) io.out(`removes ${dir}, a copy of this program that no settings found here name\n`)
  if (idle.length > 0) {
    if (flags.dryRun) io.out('nothing was changed (--dry-run)\n')
    if (flags.dryRun) return EXIT.ok
    agree(`Remove ${idle.join(', ')}?`, flags, asker())
    for (const dir of dropRuntimes(to, named, 0)) io.out(`${dir} is gone\n`)
  }
  io.out(keptLines(io, state))
  return EXIT.ok
}

function planned(removal: PlannedRemoval): string {
  if ('refused' in removal) return `leaves ${removal.path} as it is: ${removal.refused}`
  const { path, is, bytes } = removal
  if (is === 'gone') return `${path} holds nothing of setup any more`
  if (is === 'found')
    return bytes === undefined
      ? `removes ${path}, which was there ${EARLIER} and holds nothing else`
      : `takes its entries out of ${path}, which were there ${EARLIER}`
  if (is === 'foreign' && bytes !== undefined) return `takes its entries out of ${path}, which others changed since`
  return bytes === undefined ? `removes ${path}, which setup made` : `puts ${path} back as it was`
}

function agree(question: string, { yes }: SetupFlags, { around, ask }: Answering): void {
  // No agent may switch its own guard off, whoever said yes.
  const agent = agentAround(around)
  if (agent !== undefined) throw new Halt(agent, EXIT.problem)
  if (yes) return
  if (!around.terminal) throw new Halt('nobody can be asked here; say --yes', EXIT.problem)
  if (!isYes(ask(`${question} Type yes: `))) throw new Halt('nothing was changed', EXIT.problem)
}

/** True where nothing of ours is left. */
function undo({ host, wired, removals }: Task, state: string, io: Io): boolean {
  let left = false
  for (const removal of removals) {
    if ('refused' in removal) {
      io.out(`${host.title}: ${removal.path} was left as it is: ${removal.refused}\n`)
      left = true
      continue
    }
    try {
      applyRemoval(removal, state)
    } catch (error) {
      io.out(`${host.title}: ${removal.path} could not be changed (${codeOf(error)}); it is as it was\n`)
      left = true
      continue
    }
    io.out(`${host.title}: ${done(removal)}\n`)
    const kept = keptAs(removal)
    if (kept !== undefined && readCopy(state, kept.name) !== undefined)
      io.out(`  ${kept.what} it is kept in ${copyPath(state, kept.name)}\n`)
  }
  if (left) return false
  forget(host.id, wired, state)
  dropCopies(
    state,
    removals.flatMap((removal) => ('refused' in removal || removal.is === 'foreign' ? [] : [removal.record])),
  )
  return true
}

/** The copy that stays where others changed a file. */
function keptAs({ is, file, bytes, record }: Removal): { readonly what: string; readonly name: string } | undefined {
  const was = record.found ?? firstOf(record)
  if (is === 'found' && was) return { what: 'as it was with them', name: was.sha256 }
  if (is !== 'foreign') return undefined
  if (bytes === undefined)
    return file.bytes === undefined ? undefined : { what: 'as it was changed', name: hashOf(file.bytes) }
  return was === null ? undefined : { what: 'as it was before setup', name: was.sha256 }
}

function done(removal: Removal): string {
  const { path, is, bytes, changed } = removal
  if (is === 'gone') return `${path} held nothing of setup any more`
  if (is === 'found')
    return bytes === undefined
      ? `${path} is gone; it was there ${EARLIER} and held nothing else`
      : `${path} is without its entries, which were there ${EARLIER}`
  if (is === 'foreign' && bytes === undefined) return `${path} is gone, though others changed it since`
  if (is === 'foreign')
    return `${path} is without its entries; others changed it since, and this stays: ${changed.join(', ')}`
  return bytes === undefined ? `${path} is gone, as before setup` : `${path} is as it was, byte for byte`
}

function forget(host: HostRecord['host'], wired: Wired, state: string): void {
  const record = readRecord(state, host)
  if (record === undefined) return
  const rest = record.wired.filter((one) => one.scope !== wired.scope || one.root !== wired.root)
  if (rest.length === 0) dropRecord(state, host)
  else writeRecord(state, { ...record, wired: rest })
}
