/** Readers of other languages by name. A text in a language without one is opaque. */
import type { Doing, Language } from '../commands/doing.ts'
import type { Arg } from '../core/value.ts'
import { readAppleScript } from './applescript.ts'
import { readAwk } from './awk.ts'
import { readCmd } from './cmd.ts'
import { withEdits } from './edits.ts'
import type { Grammar, Known } from './grammar.ts'
import { javascript } from './javascript.ts'
import { lua } from './lua.ts'
import { perl } from './perl.ts'
import { php } from './php.ts'
import { readPowerShell } from './powershell.ts'
import { python } from './python.ts'
import { readProgram } from './read.ts'
import { ruby } from './ruby.ts'

/** Doings of one program: more than people write; the rest is summed up in one that says so. */
export const MOST_DOINGS = 500

type CodeReader = (text: string, args: readonly Arg[], known: Known) => readonly Doing[]

const byGrammar =
  (grammar: Grammar): CodeReader =>
  (text, args, known) =>
    readProgram(grammar, text, args, known)

const READERS: Partial<Readonly<Record<Language, CodeReader>>> = {
  applescript: readAppleScript,
  awk: readAwk,
  cmd: readCmd,
  javascript: byGrammar(javascript),
  lua: byGrammar(lua),
  perl: byGrammar(perl),
  php: byGrammar(php),
  powershell: readPowerShell,
  python: byGrammar(python),
  ruby: byGrammar(ruby),
}

/**
 * What a program text does. `args` are its arguments (`$1` first); `known` are the home directory and the file that the
 * text is from, where the caller knows them. Never throws; text that is too long or too deep is opaque.
 */
export function readCode(language: Language, text: string, args: readonly Arg[], known: Known = {}): readonly Doing[] {
  const reader = READERS[language]
  if (reader === undefined) return [{ do: 'opaque', what: `${language} program`, note: 'language' }]
  const doings = withEdits(reader(text, args, known), text)
  if (doings.length <= MOST_DOINGS) return doings
  return [...doings.slice(0, MOST_DOINGS), { do: 'opaque', what: `${language} program`, note: 'too-much' }]
}
