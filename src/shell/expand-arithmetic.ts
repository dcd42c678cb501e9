/** Arithmetic within words: expanded first, as between double quotes, then computed. */
import type { Asking } from '../core/question.ts'
import { exact, oneOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { assignedNames, evaluate, type Numbers } from './arithmetic.ts'
import { parseShell } from './parse.ts'
import { type Expanding, textOfWord } from './pieces.ts'
import type { Word } from './tree.ts'

/** The number of an expression, the numbers it may have, or undefined where it is not known. */
export function* evaluateBody(body: Word, expanding: Expanding): Asking<bigint | Value | undefined> {
  const value = yield* textOfWord(body, expanding)
  const texts = textsOf(value)
  if (!texts) {
    for (const name of assignedNames(body.text)) expanding.env.assign(name, unknown('arithmetic'))
    return undefined
  }
  const numbers = numbersOf(expanding)
  if (texts.length === 1) return yield* evaluate(texts[0]!, numbers)
  const results: string[] = []
  for (const text of texts) {
    // Which of the texts it is decides what is assigned.
    const result = yield* evaluate(text, { ...numbers, assign: (name) => numbers.assign(name, undefined) })
    if (result === undefined) return undefined
    results.push(String(result))
  }
  return oneOf(results)
}

/** A word as a number, for `${x:offset:length}`. */
export function* numberOfWord(word: Word, expanding: Expanding): Asking<bigint | undefined> {
  const text = textOf(yield* textOfWord(word, expanding))
  return text === undefined ? undefined : yield* evaluate(text, numbersOf(expanding))
}

/** Longest text of a variable that is read as an expression. */
const LONGEST = 4_096

/**
 * A variable's text is an expression again, and bash expands what stands in its subscripts: `x='a[$(cmd)]'; ((x))` runs
 * the command.
 */
export function* runSubscripts(text: string, expanding: Expanding): Asking<void> {
  if (/\[.*(?:\$\(|`)/s.test(text)) yield* runCommandsIn(text, expanding)
}

/** Runs the command substitutions of a text that the shell expands once more (`${x@P}`, subscripts). */
export function* runCommandsIn(text: string, expanding: Expanding): Asking<void> {
  if (text.length > LONGEST || !/\$\(|`/.test(text) || expanding.subscripts.has(text)) return
  expanding.subscripts.add(text)
  const line = `((${text}))`
  const node = parseShell(line).script.statements[0]?.node
  if (node?.is !== 'arithmetic') return
  for (const script of node.scripts) yield* expanding.env.command(script, script.source ?? line)
}

const numbersOf = (expanding: Expanding): Numbers => ({
  *read(name) {
    const value = yield* expanding.env.variable(name)
    for (const text of value === 'unset' ? [] : (textsOf(value) ?? [])) yield* runSubscripts(text, expanding)
    return value === 'unset' ? '' : textOf(value)
  },
  assign(name, value) {
    expanding.env.assign(name, value === undefined ? unknown('arithmetic') : exact(String(value)))
  },
})
