/** `sallyport serve` and `sallyport env`. Everything heavy is loaded when one of them runs. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { EnvFlags } from './env.ts'
import type { ServeFlags } from './serve.ts'

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const
const several = (brief: string, placeholder: string) => ({ ...text(brief, placeholder), variadic: true }) as const

const serveCommand = buildCommand<ServeFlags, [], Context>({
  loader: async () => {
    const { serveVerb } = await import('./serve.ts')
    return async function (this: Context, flags) {
      this.exit = await serveVerb(flags, this.io)
    }
  },
  parameters: {
    flags: {
      port: text('port on 127.0.0.1 (default: 8420; 0: a free one)', 'n'),
      key: text('what clients send as x-goog-api-key; others on this machine may see it here', 'key'),
      keyFile: text('… from a file; or set SALLYPORT_KEY', 'file'),
      state: text('directory of what survives a restart', 'dir'),
      model: several('scripted, gemini:NAME, anthropic:NAME or openai:NAME; the first is the standard one', 'model'),
      guard: {
        kind: 'enum',
        values: ['off', 'observe', 'enforce'],
        brief: 'the guard’s rules before the hooks (default: off)',
        optional: true,
      },
      denyNetwork: flag('environments that name no network get none'),
      allowPrivate: several('a private network that environments may reach, as 10.1.0.0/16', 'cidr'),
      upstreams: text('JSON: where host:port really lies, {"host:port": {address, port, ca}}', 'file'),
      objects: text('address of the object store behind gs://', 'url'),
      pinHooks: flag('freeze the hooks of an environment, and their scripts, when it is made'),
      stopOnDeny: flag('no further handler runs after a deny'),
      failClosed: several('a group of hooks whose failures deny', 'group'),
      argsStyle: {
        kind: 'enum',
        values: ['seed', 'pascal', 'both'],
        brief: 'how hooks see the names of arguments (default: seed)',
        optional: true,
      },
      allowWeaker: flag('work where user namespaces are missing, with less isolation'),
      verbose: flag('print every event'),
    },
  },
  docs: {
    brief: 'Serve managed agents with hooks to the @google/genai SDK, on loopback.',
    fullDescription:
      'Speaks the Interactions API: interactions, environments, files, credentials and agents. Prints one line for each interaction. Exit code: 0 after SIGINT or SIGTERM, 1 where it cannot start, 2 for bad usage.',
  },
})

const at = { state: text('directory of the server’s state', 'dir'), json } as const
const id = { brief: 'id of the environment', parse: String, placeholder: 'id' } as const
const one = { kind: 'tuple', parameters: [id] } as const

const listCommand = buildCommand<EnvFlags, [], Context>({
  loader: async () => {
    const { envList } = await import('./env.ts')
    return async function (this: Context, flags) {
      this.exit = await envList(flags, this.io)
    }
  },
  parameters: { flags: at },
  docs: { brief: 'List the environments.' },
})

const showCommand = buildCommand<EnvFlags, [string], Context>({
  loader: async () => {
    const { envShow } = await import('./env.ts')
    return async function (this: Context, flags, name) {
      this.exit = await envShow(flags, name, this.io)
    }
  },
  parameters: { flags: at, positional: one },
  docs: { brief: 'Show one environment, without its secrets.' },
})

const removeCommand = buildCommand<EnvFlags, string[], Context>({
  loader: async () => {
    const { envRemove } = await import('./env.ts')
    return async function (this: Context, flags, ...names) {
      this.exit = await envRemove(flags, names, this.io)
    }
  },
  parameters: { flags: at, positional: { kind: 'array', parameter: id, minimum: 1 } },
  docs: { brief: 'Remove environments with all their files; what works in them fails.' },
})

const shellCommand = buildCommand<EnvFlags, [string], Context>({
  loader: async () => {
    const { envShell } = await import('./env.ts')
    return async function (this: Context, flags, name) {
      this.exit = await envShell(flags, name, this.io)
    }
  },
  parameters: { flags: at, positional: one },
  docs: { brief: 'Run lines of shell inside an environment. No hook fires for them.' },
})

export const SERVE_ROUTES = {
  serve: serveCommand,
  env: buildRouteMap({
    routes: { ls: listCommand, show: showCommand, rm: removeCommand, shell: shellCommand },
    docs: { brief: 'Look at the environments of managed agents, and work in one.' },
  }),
} as const
