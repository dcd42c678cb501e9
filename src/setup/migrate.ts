/**
 * Moves an installation of the published booster, or hooks that were wired by hand, to this plugin, and back. Each step is
 * written down when it is done, and may be done again: a run that was cut off is taken up by the next one.
 */
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import {
  type Baseline,
  bytesBefore,
  FILES,
  type FileName,
  hashOf,
  REPLACED,
  readBaseline,
  removeLinks,
  restoreFile,
  restoreLinks,
  takeSnapshot,
} from './baseline.ts'
import { withHooksOf, withoutOurHooks } from './hooks-file.ts'
import { readImports, withImport, withoutImport } from './imports.ts'
import { bytesAt, readState, type Saved, save, snapshotDir, stateFile } from './migrate-state.ts'
import { acquireLock, adoptLock, breakLock, type Holder, holderOf } from './migration-lock.ts'
import { BOOSTER_NAME, OWN_NAME, type Places } from './plugin-root.ts'
import { LEFT_OUT, leavesOf, treeDigest, writeWhole } from './tree.ts'

export interface MigrateOptions {
  readonly places: Places
  /** Root of the plugin that is installed: a checkout's or a package's. */
  readonly source: string
  readonly now: () => Date
  readonly force?: boolean
  /**
   * Finishes a rollback from another process, since the program that runs lies in the plugin that goes: gets the token of
   * the lock, and says whether that process has taken the lock over. Absent: the rollback is finished here.
   */
  readonly finisher?: (token: string) => boolean
  /** Called before each step with its name; tests stop there. */
  readonly step?: (name: string) => void
}

export interface Outcome {
  /** 0, or 1 where nothing, or not everything, was done. */
  readonly code: 0 | 1
  readonly lines: readonly string[]
}

const no = (line: string): Outcome => ({ code: 1, lines: [line] })
const yes = (...lines: readonly string[]): Outcome => ({ code: 0, lines })

/** Installs this plugin in the place of what was there. Never throws. */
export const migrate = (options: MigrateOptions): Outcome => locked(options, () => forward(options))

/** Puts back what was there before. `force`: also where the plugin was changed since. Never throws. */
export const rollback = (options: MigrateOptions): Outcome => locked(options, (token) => back(options, token))

/**
 * The last step of a rollback, in the process that was started for it. `token`: the lock of the run that hands over;
 * `gone` waits until that run has ended. Never throws.
 */
export function finishRollback(options: MigrateOptions, token: string, gone: (holder: Holder) => void): Outcome {
  try {
    const before = holderOf(options.places.data)
    const lock = adoptLock(options.places.data, token, options.now())
    if (lock === undefined || typeof before !== 'object') return no('the lock of the rollback was not handed over')
    try {
      gone(before)
      const saved = readState(options.places)
      if (typeof saved !== 'object' || saved.state !== 'ROLLED_BACK_PENDING_UNINSTALL')
        return no('there is no rollback to finish')
      finishUninstall(saved, options)
      return yes('the rollback is finished')
    } finally {
      lock.release()
    }
  } catch (error) {
    return no(error instanceof Error ? error.message : String(error))
  }
}

/** Removes the lock of a run that cannot be told to be gone. Asking is the caller's. */
export const breakMigrationLock = ({ data }: Places): Outcome =>
  breakLock(data) ? yes('the migration lock was removed') : yes('there is no migration lock')

/** The holder of the lock in a person's words. */
export function lockHolder({ data }: Places): string | undefined {
  const held = holderOf(data)
  if (held === 'absent') return undefined
  return held === 'unknown' ? 'a run that left no name' : `process ${held.pid}, since ${held.startedAt}`
}

function locked({ places, now }: MigrateOptions, work: (token: string) => Outcome): Outcome {
  try {
    const lock = acquireLock(places.data, now())
    if ('heldBy' in lock)
      return no(`another migration is running (${lockHolder(places)}); if it is not, use agb migrate --break-lock`)
    try {
      return work(lock.token)
    } finally {
      lock.release()
    }
  } catch (error) {
    return no(error instanceof Error ? error.message : String(error))
  }
}

function forward(options: MigrateOptions): Outcome {
  const { places, force = false } = options
  let saved = readState(places)
  if (saved === 'unknown') return no('the migration’s state cannot be read; nothing was changed')
  if (saved?.state === 'ROLLBACK_IN_PROGRESS')
    return no('a rollback was cut off; finish it with agb migrate --rollback')
  if (saved?.state === 'MIGRATED' && !force) return no('already migrated; --force installs the plugin anew')
  if (saved?.state === 'ROLLED_BACK_PENDING_UNINSTALL') saved = finishUninstall(saved, options)
  if (saved?.state === 'ROLLED_BACK') {
    renameSync(stateFile(places), join(places.data, `migration-state.${saved.stamp}.json`))
    saved = undefined
  }
  checkSource(options.source)
  // Read before anything is changed: a file that cannot be understood is not ours to rewrite.
  readImports(bytesAt(places.imports))
  withoutOurHooks(bytesAt(places.hooks))
  saved ??= snapshot(options)
  const dir = snapshotDir(places, saved.stamp)
  const baseline = readBaseline(dir)
  if (saved.state === 'SNAPSHOT_CREATED') {
    options.step?.('links')
    removeLinks(baseline.links)
    saved = save(places, { ...saved, state: 'SYMLINKS_RECORDED' })
  }
  const again = saved.state === 'MIGRATED'
  if (saved.state === 'SYMLINKS_RECORDED' || again) {
    stage(options, dir, baseline)
    saved = save(places, { ...saved, state: 'PLUGINS_STAGED' })
  }
  options.step?.('shim')
  writeWhole(places.shim, shimText(places), 0o755)
  options.step?.('done')
  const written: Partial<Record<FileName, string>> = {}
  for (const name of FILES) {
    const bytes = bytesAt(places[name])
    if (bytes !== undefined) written[name] = hashOf(bytes)
  }
  save(places, { ...saved, state: 'MIGRATED', staged: treeDigest(join(places.plugins, OWN_NAME), LEFT_OUT), written })
  return yes(`${OWN_NAME} is installed`, 'restart agy; agb migrate --rollback puts everything back')
}

function snapshot(options: MigrateOptions): Saved {
  const { places } = options
  options.step?.('snapshot')
  const at = options.now().toISOString()
  const stamp = freeStamp(places, at.replace(/[:.]/g, '-'))
  const dir = snapshotDir(places, stamp)
  const part = `${dir}.part`
  rmSync(part, { recursive: true, force: true })
  takeSnapshot(part, places)
  options.step?.('snapshot-rename')
  renameSync(part, dir)
  options.step?.('snapshot-state')
  return save(places, { v: 1, state: 'SNAPSHOT_CREATED', stamp, at })
}

function freeStamp(places: Places, stamp: string): string {
  for (let n = 0; ; n++) {
    const name = n === 0 ? stamp : `${stamp}-${n}`
    if (!existsSync(snapshotDir(places, name))) return name
  }
}

/** Old plugins are moved aside whole, with what the snapshot left out; ours is put in place by one rename. */
function stage(options: MigrateOptions, dir: string, baseline: Baseline): void {
  const { places, source } = options
  const target = join(places.plugins, OWN_NAME)
  const self = resolve(source) === resolve(target)
  for (const name of REPLACED) {
    const [from, to] = [join(places.plugins, name), join(dir, 'displaced', name)]
    if (baseline.plugins[name] === null || existsSync(to) || !existsSync(from) || (self && name === OWN_NAME)) continue
    options.step?.(`displace ${name}`)
    mkdirSync(dirname(to), { recursive: true })
    renameSync(from, to)
  }
  if (!self) {
    options.step?.('copy')
    mkdirSync(places.plugins, { recursive: true })
    const work = workDir(places)
    try {
      // Named as the plugin, since the host takes the name of the directory.
      copyPlugin(source, join(work, OWN_NAME))
      options.step?.('place')
      rmSync(target, { recursive: true, force: true })
      renameSync(join(work, OWN_NAME), target)
    } finally {
      rmSync(work, { recursive: true, force: true })
    }
  }
  options.step?.('imports')
  const entry = {
    name: OWN_NAME,
    source: resolve(source),
    importedAt: options.now().toISOString(),
    components: ['mcpServers', 'hooks'],
  }
  writeWhole(places.imports, withImport(withoutImport(readImports(bytesAt(places.imports)), REPLACED), entry))
  options.step?.('hooks')
  const hooks = withoutOurHooks(bytesAt(places.hooks))
  if (hooks !== undefined) writeWhole(places.hooks, hooks, statSync(places.hooks).mode & 0o777)
}

/** Throws where this is no whole plugin of ours. */
export function checkSource(source: string): void {
  const read = JSON.parse(readFileSync(join(source, 'plugin.json'), 'utf8')) as { name?: unknown }
  const needed = ['hooks.json', 'bin/hook-runner.sh', 'bin/node-launcher.sh', 'dist/hooks/pre-tool-use.bundle.mjs']
  const missing = needed.filter((path) => !existsSync(join(source, path)))
  if (read.name !== OWN_NAME) throw new Error(`${source} is no ${OWN_NAME} plugin`)
  if (missing.length > 0) throw new Error(`the plugin is not whole: ${missing.join(', ')} is missing`)
}

function copyPlugin(source: string, target: string): void {
  mkdirSync(target)
  for (const { path, kind } of leavesOf(source, LEFT_OUT)) {
    if (kind === 'dir') mkdirSync(join(target, path), { recursive: true })
    else if (kind === 'file') {
      mkdirSync(dirname(join(target, path)), { recursive: true })
      copyFileSync(join(source, path), join(target, path))
      chmodSync(join(target, path), statSync(join(source, path)).mode & 0o777)
    } else throw new Error(`the plugin holds something that is no plain file: ${path}`)
  }
}

/** A place beside the plugins, from which a rename can put one in place. What runs that were cut off left is removed. */
function workDir(places: Places): string {
  const config = dirname(places.plugins)
  const prefix = '.sallyport-migrate-'
  for (const name of readdirSync(config))
    if (name.startsWith(prefix)) rmSync(join(config, name), { recursive: true, force: true })
  return mkdtempSync(join(config, prefix))
}

/** A program for the terminal that starts the plugin's own copy. */
const shimText = (places: Places): string =>
  `#!/bin/sh\nexec /bin/sh '${join(places.plugins, OWN_NAME, 'bin', 'node-launcher.sh').replaceAll("'", "'\\''")}' dist/agb.mjs "$@"\n`

function back(options: MigrateOptions, token: string): Outcome {
  const { places, force = false } = options
  let saved = readState(places)
  if (saved === 'unknown') return no('the migration’s state cannot be read; nothing was changed')
  if (saved === undefined || saved.state === 'ROLLED_BACK') return yes('there is nothing to roll back')
  if (saved.state === 'ROLLED_BACK_PENDING_UNINSTALL') {
    return uninstall(saved, options, token, 'the rollback is finished', [])
  }
  const own = join(places.plugins, OWN_NAME)
  if (saved.state === 'MIGRATED' && !force && treeDigest(own, LEFT_OUT) !== saved.staged)
    return no(`${OWN_NAME} was changed since the migration; --force-rollback throws the changes away`)
  const dir = snapshotDir(places, saved.stamp)
  const baseline = readBaseline(dir)
  const early = saved.state === 'SNAPSHOT_CREATED'
  if (!early) saved = save(places, { ...saved, state: 'ROLLBACK_IN_PROGRESS' })
  for (const name of FILES) {
    options.step?.(`restore ${name}`)
    putBack(name, { places, dir, baseline, saved })
  }
  options.step?.('restore links')
  const taken = restoreLinks(baseline.links)
  options.step?.('restore booster')
  restorePlugin(BOOSTER_NAME, dir, baseline, places)
  const notes = taken.map((path) => `${path} has been taken by something else and was left`)
  if (early) {
    // Nothing had been replaced yet: no trace is left.
    rmSync(stateFile(places), { force: true })
    rmSync(dir, { recursive: true, force: true })
    return yes('the migration is undone', ...notes)
  }
  options.step?.('pending')
  const pending = save(places, { ...saved, state: 'ROLLED_BACK_PENDING_UNINSTALL' })
  return uninstall(pending, options, token, 'everything is as it was before the migration', notes)
}

function uninstall(
  saved: Saved,
  options: MigrateOptions,
  token: string,
  done: string,
  notes: readonly string[],
): Outcome {
  if (options.finisher === undefined) {
    finishUninstall(saved, options)
    return yes(done, ...notes)
  }
  return options.finisher(token)
    ? yes(
        'everything else is as it was before the migration; this plugin goes as soon as its program has ended',
        ...notes,
      )
    : no('this plugin is still there; agb migrate --finish-uninstall takes it away')
}

/** The last step of a rollback: our own plugin goes. The program that runs is in memory by then. */
function finishUninstall(saved: Saved, options: MigrateOptions): Saved {
  const { places } = options
  const dir = snapshotDir(places, saved.stamp)
  options.step?.('uninstall')
  restorePlugin(OWN_NAME, dir, readBaseline(dir), places)
  options.step?.('rolled back')
  return save(places, { v: 1, state: 'ROLLED_BACK', stamp: saved.stamp, at: saved.at })
}

function restorePlugin(name: string, dir: string, baseline: Baseline, places: Places): void {
  const [at, aside] = [join(places.plugins, name), join(dir, 'displaced', name)]
  if (existsSync(aside)) {
    rmSync(at, { recursive: true, force: true })
    renameSync(aside, at)
  } else if (baseline.plugins[name] === null) {
    rmSync(at, { recursive: true, force: true })
  }
}

interface Back {
  readonly places: Places
  readonly dir: string
  readonly baseline: Baseline
  readonly saved: Saved
}

/** Byte for byte where nobody else has written since; else only our part is taken out and the old one put in. */
function putBack(name: FileName, { places, dir, baseline, saved }: Back): void {
  const now = bytesAt(places[name])
  const before = bytesBefore(dir, baseline, name)
  const ours = saved.written?.[name]
  const foreign = now !== undefined && ours !== undefined && hashOf(now) !== ours && !isSame(now, before)
  if (!foreign || name === 'shim') restoreFile(dir, baseline, name, places)
  else if (name === 'imports') {
    const old = readImports(before).imports.filter((one) => REPLACED.includes((one as { name: never })?.name))
    writeWhole(places.imports, withImport(withoutImport(readImports(now), REPLACED), ...(old as never[])))
  } else {
    writeWhole(places.hooks, withHooksOf(now, before), statSync(places.hooks).mode & 0o777)
  }
}

const isSame = (a: Uint8Array, b: Uint8Array | undefined): boolean => b !== undefined && Buffer.compare(a, b) === 0
