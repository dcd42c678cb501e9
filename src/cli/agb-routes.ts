/** The verbs of `agb`, and those that it shares with `sallyport`: also all that the plugin's own program has. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import type { CompanionFlags, JsonFlag, MigrateFlags } from './agb.ts'
import { type Context, json, text } from './flags.ts'
import type { RailsCheckFlags } from './rails/check.ts'

const railsCommand = buildCommand<RailsCheckFlags, [], Context>({
  loader: async () => {
    const { railsCheck } = await import('./rails/check.ts')
    return function (this: Context, flags) {
      this.exit = railsCheck(flags, this.io, this.program)
    }
  },
  parameters: {
    flags: {
      base: text('the commit whose tickets and rails hold (needed)', 'ref'),
      head: text('the commit that is checked (default: HEAD)', 'ref'),
      staged: { kind: 'boolean', brief: 'check what is staged in place of a commit', optional: true },
      ticket: text('the ticket that the work belongs to (default: the current one)', 'id'),
      everyCommit: {
        kind: 'boolean',
        brief: 'what one commit did and another undid is a violation, too',
        optional: true,
      },
      json,
      cwd: text('the repository (default: here)', 'dir'),
    },
  },
  docs: {
    brief: 'Check a range of commits against what its base froze.',
    fullDescription:
      'Compares the head with the base without looking for renames. Rails, scope and policy are those of the base, so a change cannot free itself. Exit code: 0 clean, 1 where that cannot be told, 2 where something is violated.',
  },
})

export const railsRoutes = buildRouteMap({
  routes: { check: railsCommand },
  docs: { brief: 'Check what rails freeze.' },
})

export const hookCommand = buildCommand<Record<never, never>, string[], Context>({
  loader: async () => {
    const { hookMain } = await import('./hook.ts')
    return (_flags, ...args) => hookMain(args)
  },
  parameters: {
    flags: {},
    positional: {
      kind: 'array',
      parameter: { brief: 'host and event, as registered with the host', parse: String, placeholder: 'host event' },
    },
  },
  docs: {
    brief: 'Answer one event of a host: payload on stdin, its answer on stdout. Hosts call this; always exits 0.',
  },
})

const agbStatusCommand = buildCommand<JsonFlag, [], Context>({
  loader: async () => {
    const { agbStatus } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbStatus(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Say which plugin judges here, which tickets are active and what they freeze.' },
})

const agbDoctorCommand = buildCommand<JsonFlag, [], Context>({
  loader: async () => {
    const { agbDoctor } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbDoctor(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Try the plugin’s hook on a repository made for that, and check how it is installed.' },
})

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const

const agbMigrateCommand = buildCommand<MigrateFlags, [], Context>({
  loader: async () => {
    const { agbMigrate, askPerson } = await import('./agb.ts')
    return function (this: Context, flags) {
      this.exit = agbMigrate(flags, this.io, askPerson)
    }
  },
  parameters: {
    flags: {
      rollback: flag('put everything back as it was before'),
      force: flag('install the plugin anew; with --break-lock: do not ask'),
      forceRollback: flag('roll back although the plugin was changed since'),
      breakLock: flag('remove the lock of a run that is gone'),
      dryRun: flag('print the steps and change nothing'),
      yes: flag('do not ask before anything is changed'),
      finishUninstall: flag('finish a rollback that was cut off'),
    },
  },
  docs: { brief: 'Move an installation of the booster, or hooks wired by hand, to this plugin, and back.' },
})

const agbCompanionCommand = buildCommand<CompanionFlags, [string?], Context>({
  loader: async () => {
    const { agbCompanionInstall } = await import('./agb.ts')
    return function (this: Context, flags, what) {
      this.exit = agbCompanionInstall(flags, what, this.io)
    }
  },
  parameters: {
    flags: { sha512: text('the digest of the archive, from whoever you trust', 'digest') },
    positional: {
      kind: 'tuple',
      parameters: [
        { brief: 'an archive, or a package with its version', parse: String, placeholder: 'archive', optional: true },
      ],
    },
  },
  docs: { brief: 'Install the companion plugin from an archive whose digest you name.' },
})

export const AGB_ROUTES = {
  status: agbStatusCommand,
  doctor: agbDoctorCommand,
  migrate: agbMigrateCommand,
  companion: buildRouteMap({ routes: { install: agbCompanionCommand }, docs: { brief: 'The companion plugin.' } }),
  rails: railsRoutes,
  hook: hookCommand,
} as const
