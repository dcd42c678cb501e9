/** Reads shell text. The only file that knows the parser; everybody else sees our own tree. */
import { type ParsedScript, parse } from 'unbash'
import { findComments } from './comments.ts'
import { type Convert, convertScript } from './convert-command.ts'
import { overLimit } from './limits.ts'
import type { Problem, Reading, Script } from './tree.ts'
import { scriptHasCommand } from './walk.ts'

export type * as Ast from 'unbash'

/** The parser, for texts inside the text (bodies of arithmetic). */
export type Parse = (text: string) => ParsedScript

/**
 * Reads a text as bash reads it. Never throws and never guesses: what cannot be read is named in `problems`.
 * Status: `complete`; `partial` where errors leave a readable part; `invalid` where they leave none; `limited` where the
 * text is longer, deeper or more nested than `limits.ts` allows (then the tree may lack anything).
 */
export function parseShell(text: string): Reading {
  const span = { from: 0, to: text.length }
  const nothing: Script = { statements: [], span }
  const over = overLimit(text)
  if (over) return { text, script: nothing, status: 'limited', problems: [over], comments: [] }
  const state = { problems: [] as Problem[], limited: false, level: 0, parse }
  const convert: Convert = { text, shift: 0, anchor: undefined, state }
  let script: Script
  try {
    script = convertScript(convert, parse(text), span)
  } catch (error) {
    // The parser is another's work: text that breaks it must not switch the gate off.
    const what = `the text could not be read (${error instanceof Error ? error.message : 'no reason given'})`
    return { text, script: nothing, status: 'limited', problems: [{ span, what }], comments: [] }
  }
  const problems = state.problems.map((problem) => within(problem, text.length))
  const status = state.limited
    ? 'limited'
    : problems.length === 0
      ? 'complete'
      : scriptHasCommand(script)
        ? 'partial'
        : 'invalid'
  return { text, script, status, problems, comments: findComments(text, script) }
}

/** Texts that are read by themselves end with lines of ours, which a problem may be found in. */
function within(problem: Problem, length: number): Problem {
  const { from, to } = problem.span
  return to <= length ? problem : { ...problem, span: { from: Math.min(from, length), to: length } }
}
