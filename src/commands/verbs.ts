/**
 * Programs whose first words are a verb (`aws s3 rm`, `kubectl delete`, `terraform destroy`): a table of verbs says what
 * each comes to. The first row that matches holds; a verb that is in no row does nothing that we judge.
 */
import type { OtherAct } from '../core/effect.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, showValue, textOf } from '../core/value.ts'
import type { Doing, Invocation, Reader } from './doing.ts'
import { type Parsed, parseArgs, type Specification, specify } from './options.ts'
import { byOptions } from './row.ts'

export interface Verb {
  /**
   * Words of the verb; `*` stands for any run of characters within a word, `|` separates alternatives of a word, a comma
   * and a blank separate verbs.
   */
  readonly words: string
  readonly act: OtherAct | 'none'
  readonly note?: string
  /** On this machine or a development copy. */
  readonly local?: true
  /** The row holds only where one of these flags is given, and not where one of `unless` is. */
  readonly flags?: string
  readonly unless?: string
  /** A command that shows what would go, or that gets there without loss. */
  readonly safer?: string
  readonly why: string
}

export interface VerbProgram {
  readonly names: string
  /** Name of the service, for people; the program's name where absent. */
  readonly service?: string
  /** Options that take a value, in the notation of `options.ts`; roles of values are those of rows. */
  readonly options: string
  /** Flags with which nothing is changed. */
  readonly dry?: string
  readonly single?: true
  readonly verbs: readonly Verb[]
  /** Paths that options or operands name, and what else a call does. */
  readonly more?: (parsed: Parsed, call: Invocation) => readonly Doing[]
}

/** Words that ask about the program. */
const HELP = '--help --version -help -version help version'.split(' ')

const specs = new WeakMap<VerbProgram, Specification>()

/** A reader for a program with verbs. */
export function verbReader(program: VerbProgram): Reader {
  return function* (call): Asking<readonly Doing[]> {
    return applyVerbs(program, call)
  }
}

/** What a call of a program with verbs does. Pure. */
export function applyVerbs(program: VerbProgram, call: Invocation): readonly Doing[] {
  let spec = specs.get(program)
  if (spec === undefined) {
    spec = specify(program.options)
    specs.set(program, spec)
  }
  const parsed = parseArgs(spec, call.args, program.single ? { single: true } : {})
  const words = parsed.operands.map((arg) => textOf(arg.value))
  const has = (flags: string | undefined) => flags?.split(' ').some((flag) => given(parsed, flag)) ?? false
  const asks = HELP.some((flag) => parsed.flags.has(flag)) || call.args.some((arg) => textOf(arg.value) === '-h')
  if (asks || words[0] === 'help' || words[0] === 'version') return []
  // What is read says nothing that the verb does not say.
  const files = byOptions(spec, parsed).filter((doing) => doing.do === 'path' && doing.act !== 'read')
  const more = [...files, ...(program.more?.(parsed, call) ?? [])]
  if (has(program.dry)) return more
  const verb = program.verbs.find(
    (row) => matchesWords(row.words, words) && (row.flags === undefined || has(row.flags)) && !has(row.unless),
  )
  if (verb === undefined || verb.act === 'none') return more
  const said = parsed.operands.map((arg) => showValue(arg.value)).join(' ')
  return [
    ...more,
    {
      do: 'other',
      act: verb.act,
      service: program.service ?? call.base,
      what: said,
      ...(verb.local ? { local: true } : {}),
      ...(verb.note === undefined ? {} : { note: verb.note }),
      ...(verb.safer === undefined ? {} : { safer: verb.safer }),
    },
  ]
}

/** A flag, or a flag with the value that it must have (`--dry-run=client`). */
function given(parsed: Parsed, flag: string): boolean {
  const at = flag.indexOf('=')
  if (at < 0) return parsed.flags.has(flag)
  return (parsed.values.get(flag.slice(0, at)) ?? []).some((arg: Arg) => textOf(arg.value) === flag.slice(at + 1))
}

/** Whether the words begin with those of a pattern; a word that is not known may be any. */
export function matchesWords(pattern: string, words: readonly (string | undefined)[]): boolean {
  return pattern.split(', ').some((verb) =>
    verb.split(' ').every((wanted, i) => {
      const word = words[i]
      // A word that is not known may be any verb: the row that would be the worst is tried by its own order.
      if (word === undefined) return i < words.length
      return wanted.split('|').some((one) => wild(one, word))
    }),
  )
}

/** `*` within one word; patterns hold two at most. */
function wild(pattern: string, word: string): boolean {
  const parts = pattern.split('*')
  if (parts.length === 1) return pattern === word
  if (
    !word.startsWith(parts[0]!) ||
    !word.endsWith(parts.at(-1)!) ||
    word.length < parts[0]!.length + parts.at(-1)!.length
  )
    return false
  let at = parts[0]!.length
  for (const part of parts.slice(1, -1)) {
    const found = word.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return true
}
