/** `sallyport credential`. Everything heavy is loaded when a verb runs. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { AddFlags, ListFlags, StoreFlags } from './credential.ts'

const several = (brief: string, placeholder: string) => ({ ...text(brief, placeholder), variadic: true }) as const
const state = text('directory of the server’s state', 'dir')
const id = { brief: 'id of the credential', parse: String, placeholder: 'id' } as const

/** How many words stand behind `--`, which itself is not among a command's words. */
const behindDashes = (argv: readonly string[]): number =>
  argv.includes('--') ? argv.length - 1 - argv.indexOf('--') : 0

const addCommand = buildCommand<AddFlags, string[], Context>({
  loader: async () => {
    const { credentialAdd } = await import('./credential.ts')
    return async function (this: Context, flags, ...words) {
      this.exit = await credentialAdd(flags, words, behindDashes(this.argv), this.io)
    }
  },
  parameters: {
    flags: {
      state,
      type: {
        kind: 'enum',
        values: ['bearer_token', 'oauth2', 'environment_variable'],
        brief: 'what it is (default: bearer_token)',
        optional: true,
      },
      replace: { kind: 'boolean', brief: 'change the one that is there', optional: true },
      headerName: text('bearer_token: the header (default: Authorization)', 'name'),
      prefix: text('bearer_token: what stands before the token (default: Bearer)', 'word'),
      clientId: text('oauth2: the client', 'id'),
      tokenUrl: text('oauth2: where access tokens are renewed', 'url'),
      scope: several('oauth2: a scope', 'scope'),
      in: several('environment_variable: header, query or body', 'place'),
      trust: several('environment_variable: a domain that may get the value', 'domain'),
      upstreams: text('oauth2: where hosts really lie, by host:port', 'file'),
    },
    positional: {
      kind: 'array',
      parameter: { brief: 'id, then behind -- a command that prints the secret', parse: String, placeholder: 'id' },
      minimum: 1,
    },
  },
  docs: {
    brief: 'Store a secret that the proxy sets on requests and no environment sees.',
    fullDescription:
      'The secret comes from stdin, or from the output of the command behind --; never from an argument. For oauth2 it is a JSON object with client_secret and refresh_token. A running server uses it from the next request on. Exit code: 0, 1 where it cannot be stored, 2 for bad usage.',
  },
})

const listCommand = buildCommand<ListFlags, [], Context>({
  loader: async () => {
    const { credentialList } = await import('./credential.ts')
    return function (this: Context, flags) {
      this.exit = credentialList(flags, this.io)
    }
  },
  parameters: { flags: { state, json } },
  docs: { brief: 'List the credentials, without their secrets.' },
})

const removeCommand = buildCommand<StoreFlags, string[], Context>({
  loader: async () => {
    const { credentialRemove } = await import('./credential.ts')
    return async function (this: Context, flags, ...ids) {
      this.exit = await credentialRemove(flags, ids, this.io)
    }
  },
  parameters: { flags: { state }, positional: { kind: 'array', parameter: id, minimum: 1 } },
  docs: { brief: 'Remove credentials; requests that need one are refused from then on.' },
})

export const credentialRoutes = buildRouteMap({
  routes: { add: addCommand, ls: listCommand, rm: removeCommand },
  docs: { brief: 'Keep the secrets of managed agents.' },
})
