import { buildCommand } from '@stricli/core'
import { type Context, json, text } from '../flags.ts'
import type { SearchFlags } from './search-verb.ts'

const flag = (brief: string) => ({ kind: 'boolean', brief, optional: true }) as const

export const searchCommand = buildCommand<SearchFlags, string[], Context>({
  loader: async () => {
    const { searchVerb } = await import('./search-verb.ts')
    return async function (this: Context, flags, ...words) {
      this.exit = await searchVerb(flags, words, this.io)
    }
  },
  parameters: {
    flags: {
      fixed: flag('patterns are texts, not expressions'),
      all: flag('a line must have every pattern'),
      context: text('lines around each match', 'lines'),
      glob: text('of a directory, files of this form only', 'glob'),
      maxMatches: text('matches that are shown at most (default: 80)', 'n'),
      query: text('words that matches are ranked by; without a pattern, lines with any of them', 'words'),
      skip: text('matches that were shown already', 'n'),
      budget: text('tokens of the answer (default: 1200)', 'tokens'),
      json,
    },
    positional: {
      kind: 'array',
      parameter: { brief: 'an address, then patterns', parse: String, placeholder: 'address patterns' },
    },
  },
  docs: {
    brief: 'Look for patterns in a capture, or in the files of the workspace (repo:<path>).',
    fullDescription:
      'Looks for JavaScript’s expressions, or texts with --fixed, line by line. Exit code: 0, also where nothing is found; 1 where expressions took too long; 2 for an address that names nothing or a pattern that is none.',
  },
})
