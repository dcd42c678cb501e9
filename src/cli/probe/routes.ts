/** The verb that drives the hosts of this machine. */
import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { ProbeFlags } from './probe.ts'

const probeCommand = buildCommand<ProbeFlags, string[], Context>({
  loader: async () => {
    const { probeVerb } = await import('./probe.ts')
    return async function (this: Context, flags, ...names) {
      this.exit = await probeVerb(flags, names, this.io)
    }
  },
  parameters: {
    flags: { json, program: text('this program of the one host that is named', 'file') },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'a host to drive; all that are found where none is named',
        parse: String,
        placeholder: 'host',
      },
    },
  },
  docs: {
    brief: 'Drive the agents of this machine offline against a scripted model, and say what their versions enforce.',
    fullDescription:
      'Each host runs in a scratch home, at most 90 s, with a model on loopback and no way out; nothing of yours is read or changed. Exit code: 0 everything as the table of hosts says, 1 a host differs, 2 nothing to probe.',
  },
})

export const PROBE_ROUTES = { probe: probeCommand }
