/** Verbs that put the guard in place and look after it. */
import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import { EXIT } from '../io.ts'
import type { DoctorFlags } from './doctor.ts'
import type { SetupFlags } from './setup.ts'
import type { WatchFlags } from './watch.ts'
import type { WrapFlags } from './wrap.ts'

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const

const changing = {
  yes: flag('do not ask'),
  dryRun: flag('say what would be done and change nothing'),
  host: text('these hosts alone, separated by commas', 'hosts'),
  scope: text('settings of the user (default) or of the project', 'user|project'),
} as const

const setupCommand = buildCommand<SetupFlags, [], Context>({
  loader: async () => {
    const { setupVerb } = await import('./setup.ts')
    return async function (this: Context, flags) {
      this.exit = await setupVerb(flags, this.io, this.program)
    }
  },
  parameters: { flags: changing },
  docs: {
    brief: 'Wire the agents of this machine: find them, show the plan, edit their settings, try the gates.',
    fullDescription:
      'A host that is named by --host is wired even where its program is not found. Settings are changed by insertions alone, atomically, with a copy kept; what cannot be read or is not ours is left as it is, and the snippet is printed. Exit code: 0 all wired, 1 one could not be, 2 for bad usage.',
  },
})

const uninstallCommand = buildCommand<SetupFlags, [], Context>({
  loader: async () => {
    const { uninstallVerb } = await import('./uninstall.ts')
    return async function (this: Context, flags) {
      this.exit = await uninstallVerb(flags, this.io, `${this.program} uninstall`)
    }
  },
  parameters: {
    flags: { ...changing, scope: text('of the user or of this project alone (default: all)', 'user|project') },
  },
  docs: {
    brief: 'Take the guard out of the agents’ settings again; all wired hosts where none is named.',
    fullDescription:
      'A file that nothing else changed since is as it was, byte for byte; else the changes of others stay and are named. For a person: refused below an agent. Exit code: 0 all out, 1 something is left, 2 for bad usage.',
  },
})

const doctorCommand = buildCommand<DoctorFlags, [], Context>({
  loader: async () => {
    const { doctorVerb } = await import('./doctor.ts')
    return async function (this: Context, flags) {
      this.exit = await doctorVerb(flags, this.io, this.program)
    }
  },
  parameters: {
    flags: {
      json,
      fix: flag('set up anew what does not hold'),
      static: flag('do not start the hosts to see whether they call the hook'),
      host: text('these hosts alone, separated by commas', 'hosts'),
    },
  },
  docs: {
    brief: 'Say of each wired host whether its gate stands and answers, and what it does not cover.',
    fullDescription: 'Exit code: 0 everything holds, 1 something does not, 2 for bad usage.',
  },
})

const statusCommand = buildCommand<{ readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { statusVerb } = await import('./status.ts')
    return async function (this: Context, flags) {
      this.exit = await statusVerb(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: {
    brief: 'Say which gates stand, and what became of them in each session of the last week.',
    fullDescription:
      'Exit code: 0 every gate stands and was asked, 1 one is dead, no host is wired or a person has paused the guard.',
  },
})

const watchCommand = buildCommand<WatchFlags, [], Context>({
  loader: async () => {
    const { watchVerb } = await import('./watch.ts')
    return async function (this: Context, flags) {
      this.exit = await watchVerb(flags, this.io)
    }
  },
  parameters: { flags: { notify: flag('also as a notice of the desktop') } },
  docs: { brief: 'Watch the hosts’ own records of sessions, and tell of calls that no gate was asked about.' },
})

const wrapCommand = buildCommand<WrapFlags, string[], Context>({
  loader: async () => {
    const { wrapVerb } = await import('./wrap.ts')
    return async function (this: Context, flags, what, ...args) {
      // `--` with nothing behind it asks for a session, too.
      const session = this.argv.includes('--') ? args : undefined
      if (session === undefined && args.length > 0) {
        this.io.err(`${this.program} wrap: the words for the host go behind --\n`)
        this.exit = EXIT.usage
      } else this.exit = await wrapVerb(flags, what, session, this.io, this.program)
    }
  },
  parameters: {
    flags: { printConfig: flag('print what would be written where, and write nothing'), json },
    positional: {
      kind: 'array',
      parameter: { brief: 'a host, or detect; words for the host behind --', parse: String, placeholder: 'host' },
    },
  },
  docs: {
    brief: 'Wire one host for good, start it guarded for one session (behind --), or list all hosts (detect).',
    fullDescription:
      'Exit code: for a session the host’s own, 127 where its program is not found; else 0 done, 1 it could not be wired, 2 for bad usage.',
  },
})

const unwrapCommand = buildCommand<Record<never, never>, [string], Context>({
  loader: async () => {
    const { uninstallVerb } = await import('./uninstall.ts')
    return async function (this: Context, _flags, host) {
      this.exit = await uninstallVerb({ yes: true, host }, this.io, `${this.program} unwrap`)
    }
  },
  parameters: {
    flags: {},
    positional: { kind: 'tuple', parameters: [{ brief: 'the host', parse: String, placeholder: 'host' }] },
  },
  docs: { brief: 'Take the guard out of one host’s settings again. For a person.' },
})

/** Verbs of `sallyport` alone. */
export const GATE_ROUTES = { uninstall: uninstallCommand, status: statusCommand, watch: watchCommand } as const
/** Verbs that `ctx` has, too. */
export const SETUP_ROUTES = {
  setup: setupCommand,
  doctor: doctorCommand,
  wrap: wrapCommand,
  unwrap: unwrapCommand,
} as const
