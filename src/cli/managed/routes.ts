/** Verbs of the managed runtime. */
import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { HooksLintFlags } from './hooks-lint.ts'
import type { HooksTestFlags } from './hooks-test.ts'

const file = {
  kind: 'tuple',
  parameters: [
    { brief: 'the configuration (default: .agents/hooks.json)', parse: String, placeholder: 'file', optional: true },
  ],
} as const
const environment = text('an environment as the API takes it: its inline sources and its network', 'file')
const argsStyle = {
  kind: 'enum',
  values: ['seed', 'pascal', 'both'],
  brief: 'how the runtime names arguments (default: seed)',
  optional: true,
} as const

const lintCommand = buildCommand<HooksLintFlags, [string?], Context>({
  loader: async () => {
    const { hooksLint } = await import('./hooks-lint.ts')
    return function (this: Context, flags, name) {
      this.exit = hooksLint(flags, name, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      environment,
      pinned: { kind: 'boolean', brief: 'the runtime freezes configuration and scripts', optional: true },
      argsStyle,
    },
    positional: file,
  },
  docs: {
    brief: 'Say what is wrong with a hooks.json, above all what silently allows. Nothing is run.',
    fullDescription:
      'Reads the configuration and the scripts that its commands name. Exit code: 0, 1 where something silently allows, 2 for bad input.',
  },
})

const testCommand = buildCommand<HooksTestFlags, [string?], Context>({
  loader: async () => {
    const { hooksTest } = await import('./hooks-test.ts')
    return async function (this: Context, flags, name) {
      this.exit = await hooksTest(flags, name, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      environment,
      tool: text('the tool that is called, as code_execution', 'name'),
      args: text('its arguments as JSON (default: {})', 'json'),
      event: { kind: 'enum', values: ['pre', 'post'], brief: 'before or after it runs (default: pre)', optional: true },
      error: text('with --event post: the error of the tool', 'text'),
      expect: { kind: 'enum', values: ['allow', 'deny'], brief: 'exit 1 where it is the other one', optional: true },
      stopOnDeny: { kind: 'boolean', brief: 'no further handler runs after a deny', optional: true },
      failClosed: text('groups whose failures deny', 'list'),
      argsStyle,
      network: {
        kind: 'boolean',
        brief: 'let handlers out under the network rules of --environment (without: open)',
        optional: true,
      },
      upstreams: text('with --network: where hosts really lie, by host:port', 'file'),
    },
    positional: file,
  },
  docs: {
    brief: 'Run the handlers of a hooks.json on one call, in a sandbox, and show the trace.',
    fullDescription:
      'Commands run in a new environment with a copy of the files; without --network nothing leaves it and http handlers are not called. Exit code: 0, 1 where a handler fails or gives no decision, or the decision is not the expected one, 2 for bad input.',
  },
})

export const MANAGED_ROUTES = {
  hooks: buildRouteMap({
    routes: { lint: lintCommand, test: testCommand },
    docs: { brief: 'Look at hooks of the managed runtime.' },
  }),
}
