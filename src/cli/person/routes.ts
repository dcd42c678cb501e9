/** Verbs with which a person answers the guard. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { ReplayFlags } from '../replay/replay.ts'
import type { RestoreFlags } from '../undo/undo.ts'
import type { AllowFlags } from './allow.ts'
import type { ApproveFlags } from './pending.ts'

const yes = { kind: 'boolean', brief: 'do not ask', optional: true } as const
const one = (brief: string, placeholder: string) =>
  ({ kind: 'tuple', parameters: [{ brief, parse: String, placeholder, optional: true }] }) as const

const pendingCommand = buildCommand<{ readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { pendingVerb } = await import('./pending.ts')
    return function (this: Context, flags) {
      this.exit = pendingVerb(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'Show what was refused in the last day, with the code that approves it. For a person at a terminal.' },
})

const approveCommand = buildCommand<ApproveFlags, [string?], Context>({
  loader: async () => {
    const { approveVerb } = await import('./pending.ts')
    return function (this: Context, flags, code) {
      this.exit = approveVerb(flags, code, this.io)
    }
  },
  parameters: {
    flags: {
      session: {
        kind: 'boolean',
        brief: 'every use of exactly these effects, as long as the session lasts',
        optional: true,
      },
      yes,
    },
    positional: one('what sallyport pending shows', 'code'),
  },
  docs: {
    brief: 'Approve what was refused: its exact effects, one use, ten minutes.',
    fullDescription:
      'Binds to the effects and their targets, not to the text of the command. Frozen paths, the trust root and tampering cannot be approved. Exit code: 0 approved, 1 not approved, 2 for bad usage.',
  },
})

const allowCommand = buildCommand<AllowFlags, string[], Context>({
  loader: async () => {
    const { allowVerb } = await import('./allow.ts')
    return function (this: Context, flags, ...words) {
      this.exit = allowVerb(flags, words, this.io)
    }
  },
  parameters: {
    flags: {
      command: text('an exact command in place of an effect and a target', 'command'),
      remove: text('take an entry away', 'number'),
      yes,
    },
    positional: {
      kind: 'array',
      parameter: { brief: 'an effect and its target', parse: String, placeholder: 'effect target' },
    },
  },
  docs: {
    brief: 'Allow an effect on a target for good, in your own policy; without arguments the list.',
    fullDescription:
      'Comments and order of the policy file stay; the former file is kept beside it as policy.jsonc.bak. Exit code: 0 done, 1 not done, 2 for bad usage.',
  },
})

const pauseCommand = buildCommand<Record<never, never>, [string?], Context>({
  loader: async () => {
    const { pauseVerb } = await import('./pause.ts')
    return function (this: Context, _flags, length) {
      this.exit = pauseVerb(length, this.io)
    }
  },
  parameters: { flags: {}, positional: one('30s, 10m, 1h at most, or off; absent: whether it is on', 'time') },
  docs: { brief: 'Let the guard only watch for a while. For a person at a terminal.' },
})

const whyCommand = buildCommand<{ readonly json?: boolean }, [string?], Context>({
  loader: async () => {
    const { whyVerb } = await import('./why.ts')
    return function (this: Context, flags, id) {
      this.exit = whyVerb(flags, id, this.io)
    }
  },
  parameters: { flags: { json }, positional: one('the id of a verdict in the log, or last', 'id') },
  docs: { brief: 'Say what one logged verdict rested on.' },
})

const replayCommand = buildCommand<ReplayFlags, string[], Context>({
  loader: async () => {
    const { replayVerb } = await import('../replay/replay.ts')
    return function (this: Context, flags, ...paths) {
      this.exit = replayVerb(flags, paths, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      unattended: { kind: 'boolean', brief: 'judge as if nobody could be asked', optional: true },
    },
    positional: {
      kind: 'array',
      parameter: { brief: 'a transcript, or a directory of them', parse: String, placeholder: 'path' },
    },
  },
  docs: {
    brief: 'Say what the guard would have answered to the calls of past sessions of Claude Code and Codex.',
    fullDescription:
      'Nothing is run. The disk is asked as it is now. Prints totals and the ten kinds of calls that would have been held up most often although they ran well; --json prints a line a call. Exit code: 0, 1 where a file could not be read, 2 for bad usage.',
  },
})

const undoRoutes = buildRouteMap({
  routes: {
    list: buildCommand<{ readonly json?: boolean }, [], Context>({
      loader: async () => {
        const { undoList } = await import('../undo/undo.ts')
        return function (this: Context, flags) {
          this.exit = undoList(flags, this.io)
        }
      },
      parameters: { flags: { json } },
      docs: { brief: 'List the snapshots that were taken before calls that could lose something.' },
    }),
    show: buildCommand<Record<never, never>, [string?], Context>({
      loader: async () => {
        const { undoShow } = await import('../undo/undo.ts')
        return function (this: Context, _flags, id) {
          this.exit = undoShow(id, this.io)
        }
      },
      parameters: { flags: {}, positional: one('a snapshot', 'id') },
      docs: { brief: 'Show the files of a snapshot, and what became of each.' },
    }),
    restore: buildCommand<RestoreFlags, string[], Context>({
      loader: async () => {
        const { undoRestore } = await import('../undo/undo.ts')
        return function (this: Context, flags, ...args) {
          this.exit = undoRestore(flags, args, this.io)
        }
      },
      parameters: {
        flags: {
          to: text('put the files below this directory', 'dir'),
          force: {
            kind: 'boolean',
            brief: 'also over files that have changed; these stay beside as NAME.before-undo',
            optional: true,
          },
        },
        positional: {
          kind: 'array',
          parameter: { brief: 'a snapshot, and files of it (default: all)', parse: String, placeholder: 'id paths' },
        },
      },
      docs: { brief: 'Bring files of a snapshot back.' },
    }),
  },
  docs: { brief: 'Bring back what a call lost, where the policy had it kept.' },
})

export const PERSON_ROUTES = {
  pending: pendingCommand,
  approve: approveCommand,
  allow: allowCommand,
  pause: pauseCommand,
  why: whyCommand,
  replay: replayCommand,
  undo: undoRoutes,
} as const
