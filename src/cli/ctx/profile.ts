import { buildCommand, buildRouteMap } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { NewFlags, TestFlags } from './profile-verbs.ts'

const testCommand = buildCommand<TestFlags, string[], Context>({
  loader: async () => {
    const { testProfiles } = await import('./profile-verbs.ts')
    return function (this: Context, flags, ...which) {
      this.exit = testProfiles(flags, which, this.io)
    }
  },
  parameters: {
    flags: {
      json,
      show: { kind: 'boolean', brief: 'print the digest of each test', optional: true },
      trust: { kind: 'boolean', brief: 'ask at this terminal whether to use it, once per content', optional: true },
    },
    positional: {
      kind: 'array',
      parameter: {
        brief: 'files, or names of profiles (default: all of the repository)',
        parse: String,
        placeholder: 'profile',
      },
    },
  },
  docs: {
    brief: 'Try the tests that profiles bring along.',
    fullDescription:
      'Reads each profile, reports every fault with its line, and tries its tests. Nothing is run. Exit code: 0 where all holds, 1 where a test or a profile does not, 2 for bad input. With --trust a person at a controlling terminal is asked to trust exactly this content; an agent’s shell has no such terminal.',
  },
})

const newCommand = buildCommand<NewFlags, [string], Context>({
  loader: async () => {
    const { newProfile } = await import('./profile-verbs.ts')
    return function (this: Context, flags, id) {
      this.exit = newProfile(flags, id, this.io)
    }
  },
  parameters: {
    flags: { command: text('what the tool is called by (default: the name)', 'command') },
    positional: { kind: 'tuple', parameters: [{ brief: 'its name', parse: String, placeholder: 'name' }] },
  },
  docs: { brief: 'Write a profile to start from, below .sallyport/digests of the repository.' },
})

const listCommand = buildCommand<{ readonly json?: boolean }, [], Context>({
  loader: async () => {
    const { listProfiles } = await import('./profile-verbs.ts')
    return function (this: Context, flags) {
      this.exit = listProfiles(flags, this.io)
    }
  },
  parameters: { flags: { json } },
  docs: { brief: 'List the profiles of the repository and whether they are used.' },
})

export const profileRoutes = buildRouteMap({
  routes: { test: testCommand, new: newCommand, list: listCommand },
  docs: { brief: 'Digests for tools that have no family: profiles of the repository.' },
})
