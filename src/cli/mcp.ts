/** `sallyport mcp`: our server of the Model Context Protocol, and the proxy in front of others. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, text } from './flags.ts'
import type { ProxyFlags } from './mcp/proxy-verb.ts'

const serveCommand = buildCommand<Record<never, never>, [], Context>({
  loader: async () => {
    const { serveVerb } = await import('./mcp/serve-verb.ts')
    return async function (this: Context) {
      this.exit = await serveVerb(this.io)
    }
  },
  parameters: {},
  docs: {
    brief: 'Serve captures to a model over stdio: one tool that looks up what was captured, and runs nothing.',
  },
})

const proxyCommand = buildCommand<ProxyFlags, string[], Context>({
  loader: async () => {
    const { proxyVerb } = await import('./mcp/proxy-verb.ts')
    return async function (this: Context, flags, ...argv) {
      this.exit = await proxyVerb(flags, argv, this.io)
    }
  },
  parameters: {
    flags: {
      url: text('the address of a server that speaks HTTP', 'url'),
      header: {
        ...{
          kind: 'parsed',
          parse: String,
          brief: 'goes along with each request to it: Name: value',
          placeholder: 'header',
        },
        ...{ optional: true, variadic: true },
      } as const,
    },
    positional: {
      kind: 'array',
      parameter: { brief: 'behind --, the command that starts the server', parse: String, placeholder: 'command' },
    },
  },
  docs: {
    brief: 'Stand in front of another server and bound its results; all else passes.',
    fullDescription:
      'Relays between the host on stdio and a server that it starts, or one at an address. A result above 16,384 bytes is kept, and a digest with its address stands in its place. Exit code: 0 where the host ended it, 1 where the server ended or cannot be started, 2 for bad usage.',
  },
})

export const mcpRoutes = buildRouteMap({
  routes: { serve: serveCommand, proxy: proxyCommand },
  defaultCommand: 'serve',
  docs: { brief: 'Serve captures over the Model Context Protocol, or bound the results of another server.' },
})
