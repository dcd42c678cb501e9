/** What a migration or a rollback would do, for people. Reads only: not even the lock is taken. */
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { bytesBefore, FILES, linksInto, REPLACED, readBaseline } from './baseline.ts'
import { withoutOurHooks } from './hooks-file.ts'
import { readImports } from './imports.ts'
import { checkSource, type MigrateOptions, type Outcome } from './migrate.ts'
import { bytesAt, readState, snapshotDir } from './migrate-state.ts'
import { OWN_NAME } from './plugin-root.ts'
import { LEFT_OUT, treeDigest } from './tree.ts'

/** The steps of `migrate`, or why it would refuse. Never throws. */
export const planMigration = (options: MigrateOptions): Outcome => said(() => forward(options))

/** The steps of `rollback`, or why it would refuse. Never throws. */
export const planRollback = (options: MigrateOptions): Outcome => said(() => back(options))

function said(work: () => readonly string[]): Outcome {
  try {
    return { code: 0, lines: work() }
  } catch (error) {
    return { code: 1, lines: [error instanceof Error ? error.message : String(error)] }
  }
}

function forward({ places, source, force = false }: MigrateOptions): readonly string[] {
  const saved = readState(places)
  if (saved === 'unknown') throw new Error('the migration’s state cannot be read; nothing was changed')
  if (saved?.state === 'ROLLBACK_IN_PROGRESS')
    throw new Error('a rollback was cut off; finish it with agb migrate --rollback')
  if (saved?.state === 'MIGRATED' && !force) throw new Error('already migrated; --force installs the plugin anew')
  checkSource(source)
  const imports = readImports(bytesAt(places.imports)).imports as readonly { readonly name?: string }[]
  const hooks = withoutOurHooks(bytesAt(places.hooks))
  const own = join(places.plugins, OWN_NAME)
  const goes = imports
    .filter(({ name }) => (REPLACED as readonly string[]).includes(name ?? ''))
    .map(({ name }) => name)
  return [
    ...(saved?.state === 'ROLLED_BACK_PENDING_UNINSTALL' ? [`finish the rollback before: remove ${own}`] : []),
    `keep a copy of what is there in ${join(places.data, 'snapshots')}`,
    ...linksInto(places).map(({ path, target }) => `remove the link ${path} (to ${target})`),
    ...REPLACED.map((name) => join(places.plugins, name))
      .filter((path) => existsSync(path) && !(path === own && resolve(source) === resolve(own)))
      .map((path) => `move ${path} into that copy`),
    ...(resolve(source) === resolve(own) ? [] : [`copy ${resolve(source)} to ${own}`]),
    `write ${places.imports}: ${goes.length > 0 ? `${goes.join(', ')} out, ` : ''}${OWN_NAME} in`,
    ...(hooks === undefined ? [] : [`write ${places.hooks}: without the hooks of the guard that were wired by hand`]),
    `write ${places.shim}: starts the plugin’s own program`,
  ]
}

function back({ places, force = false }: MigrateOptions): readonly string[] {
  const saved = readState(places)
  const own = join(places.plugins, OWN_NAME)
  if (saved === 'unknown') throw new Error('the migration’s state cannot be read; nothing was changed')
  if (saved === undefined || saved.state === 'ROLLED_BACK') return ['there is nothing to roll back']
  const dir = snapshotDir(places, saved.stamp)
  const baseline = readBaseline(dir)
  const last = existsSync(join(dir, 'displaced', OWN_NAME)) ? `put ${own} back as it was` : `remove ${own}`
  if (saved.state === 'ROLLED_BACK_PENDING_UNINSTALL') return [last]
  if (saved.state === 'MIGRATED' && !force && treeDigest(own, LEFT_OUT) !== saved.staged)
    throw new Error(`${OWN_NAME} was changed since the migration; --force-rollback throws the changes away`)
  return [
    ...FILES.map((name) =>
      bytesBefore(dir, baseline, name) === undefined ? `remove ${places[name]}` : `put ${places[name]} back as it was`,
    ),
    ...baseline.links.map(({ path, target }) => `make the link ${path} (to ${target}) again`),
    ...REPLACED.filter((name) => name !== OWN_NAME && baseline.plugins[name] !== null).map(
      (name) => `put ${join(places.plugins, name)} back`,
    ),
    last,
  ]
}
