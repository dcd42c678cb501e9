/** Verbs with which a person answers the guard. */
import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { ReplayFlags } from '../replay/replay.ts'
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

export const PERSON_ROUTES = {
  pending: pendingCommand,
  approve: approveCommand,
  allow: allowCommand,
  pause: pauseCommand,
  why: whyCommand,
  replay: replayCommand,
} as const
