/** Words of a command as constant text, and what its options say. Nothing is expanded. */
import type { Word } from '../../shell/tree.ts'

/** The text of a word that holds nothing but literal text; undefined where a shell would put something in. */
export function constantOf(word: Word): string | undefined {
  let text = ''
  for (const part of word.parts) {
    if (part.is !== 'literal') return undefined
    text += part.text
  }
  return text
}

/** A command as far as it is known: `undefined` stands for a word that a shell would fill. */
export interface Argv {
  /** Name without its directory. */
  readonly base: string
  /** As it was written. */
  readonly name: string
  readonly args: readonly (string | undefined)[]
}

export const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

const lists = new Map<string, readonly string[]>()

/** The words of a list that a table holds as one text. */
export function listOf(text: string): readonly string[] {
  let list = lists.get(text)
  if (list === undefined) {
    list = text === '' ? [] : text.split(' ')
    lists.set(text, list)
  }
  return list
}

/** Whether one of the options (or words) of `options` is there. `--` ends options, not words. */
export function has(args: readonly (string | undefined)[], options: string | undefined): boolean {
  if (options === undefined) return false
  const wanted = listOf(options)
  for (const arg of args) {
    if (arg === undefined) continue
    if (wanted.some((option) => isOption(arg, option))) return true
  }
  return false
}

const isLetter = (char: string): boolean => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z')

function isOption(arg: string, option: string): boolean {
  if (arg === option) return true
  if (option.startsWith('--')) return arg.startsWith(`${option}=`)
  // A letter inside a bundle. Digits and signs end one: they are a value.
  if (option.length !== 2 || arg[0] !== '-') return false
  for (let at = 1; at < arg.length && isLetter(arg[at]!); at++) if (arg[at] === option[1]) return true
  return false
}

/** The count that one of the options gives: `-n 5`, `-n5`, `-5`, `--lines=5`. Undefined where none does, or it is no number. */
export function countOf(args: readonly (string | undefined)[], options: string): number | undefined {
  const wanted = listOf(options)
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) continue
    // What follows an option is its value, whatever it looks like.
    const own = wanted.includes(arg) ? args[++at] : attached(arg, wanted)
    if (own !== undefined && /^\d+$/.test(own)) return Number(own)
  }
  return undefined
}

/** The value that stands in the word of its option. */
function attached(arg: string, wanted: readonly string[]): string | undefined {
  if (/^-\d+$/.test(arg)) return wanted.includes('-n') ? arg.slice(1) : undefined
  for (const option of wanted) {
    const start = option.startsWith('--') ? `${option}=` : option
    if (arg.startsWith(start)) return arg.slice(start.length)
  }
  return undefined
}

/** Words that are neither options nor values of the options in `values`. Everything behind `--` is an operand. */
export function operandsOf(args: readonly (string | undefined)[], values = ''): readonly (string | undefined)[] {
  const out: (string | undefined)[] = []
  const valued = listOf(values)
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === '--') return [...out, ...args.slice(at + 1)]
    if (arg !== undefined && arg.length > 1 && arg.startsWith('-')) {
      if (valued.includes(arg)) at++
    } else out.push(arg)
  }
  return out
}
