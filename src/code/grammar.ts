/** What a language's file tells the reader: how it is written, and what its functions do. */
import type { Language } from '../commands/doing.ts'
import type { Lexing } from './lexer.ts'
import type { Thing } from './things.ts'

/**
 * What a function does, in data. `does` is a list of deeds separated by `;`, each a verb and places of arguments.
 *
 * Verbs: the path acts (`delete`, `write`, …; `/` behind: the tree), `copy`, `copy/`, `move`, `link`, `symlink`, `unpack`
 * (from, to); `open` (path, mode); `argv` (a list, or a text for a shell where `shell` is set or the language splits it);
 * `words` (all arguments from this place are words); `spawn` (program, list of arguments, options); `shell`, `eval`,
 * `script`, `module`; `sql` (text for a database), `lose` (the data of a database); `send` (address, content), `fetch`, `chdir`, `show`, `kill`, `env` (name, value).
 * Places: a number, `self`, or `*` (each argument); `:name` behind it: the keyword of the same meaning.
 */
export interface CallRow {
  /** Full names, separated by blanks. `?.name`: a method of something unknown. */
  readonly call: string
  readonly does: string
  /** The tree is only meant where this option is truthy (`rm(path, {recursive: true})`). */
  readonly treeIf?: string
  /** With this constant among the arguments, this beginning of an option's value (`flag:a`), or this option set (`a?`), it does that instead. */
  readonly instead?: readonly [mark: string, does: string]
  readonly why: string
}

/** Facts that stand still while a program runs. */
export interface Known {
  /** Home directory, absolute. */
  readonly home?: string
  /** The file that the program is in, absolute. */
  readonly file?: string
}

/** What the reader adds: the program's arguments. */
export interface Facts extends Known {
  readonly args: readonly Thing[]
}

export interface CallOf {
  readonly name: string
  readonly self: Thing | undefined
  readonly args: readonly Thing[]
  readonly named: ReadonlyMap<string, Thing>
  readonly known: Facts
}

/** What a function gives, where that can be told. */
export type Give = (call: CallOf) => Thing | undefined

export interface Grammar {
  readonly language: Language
  readonly lexing: Lexing
  /** Where a block ends: by brackets, by indentation, or by the word `end`. */
  readonly blocks: 'brace' | 'indent' | 'end'
  readonly members: readonly string[]
  readonly concat: readonly string[]
  /** Functions may be called without parentheses. */
  readonly bare: boolean
  /** Words that are no names. */
  readonly keywords: ReadonlySet<string>
  /** Functions that may be named in the language without an import. */
  readonly rows: readonly CallRow[]
  readonly gives: Readonly<Record<string, Give>>
  /** Functions that take `$_` where nothing is given. */
  readonly implicit?: ReadonlySet<string>
  /** Properties that are values: `os.sep`, `process.env.HOME`. */
  readonly values?: (name: string, known: Facts) => Thing | undefined
  /** A full name as the table writes it: aliases of modules taken off. */
  readonly canonical?: (name: string) => string
}
