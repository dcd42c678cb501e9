/** Readers of other languages by name. A text in a language without one is opaque. */
import type { Doing, Language } from '../commands/doing.ts'
import type { Arg } from '../core/value.ts'
import type { Grammar, Known } from './grammar.ts'
import { javascript } from './javascript.ts'
import { lua } from './lua.ts'
import { perl } from './perl.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { readProgram } from './read.ts'
import { ruby } from './ruby.ts'

const GRAMMARS: Partial<Readonly<Record<Language, Grammar>>> = { javascript, lua, perl, php, python, ruby }

/**
 * What a program text does. `args` are its arguments (`$1` first); `known` are the home directory and the file that the
 * text is from, where the caller knows them. Never throws; text that is too long or too deep is opaque.
 */
export function readCode(language: Language, text: string, args: readonly Arg[], known: Known = {}): readonly Doing[] {
  const grammar = GRAMMARS[language]
  if (grammar) return readProgram(grammar, text, args, known)
  return [{ do: 'opaque', what: `${language} program`, note: 'language' }]
}
