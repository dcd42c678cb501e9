/** Our own small tree of a shell text. Spans are UTF-16 offsets into the text that was parsed. */
import type { Span } from '../core/value.ts'
import type { ParseStatus } from '../core/verdict.ts'

/** A text that has been read: its tree, and how far the tree can be trusted. */
export interface Reading {
  readonly text: string
  readonly script: Script
  readonly status: ParseStatus
  /** What could not be read, with its place. Empty where the status is complete. */
  readonly problems: readonly Problem[]
  readonly comments: readonly Span[]
}

export interface Problem {
  readonly span: Span
  readonly what: string
}

export interface Script {
  readonly statements: readonly Statement[]
  readonly span: Span
  /**
   * The text that spans below this script index, where it is not the enclosing one (escaped backquotes are decoded
   * before they are parsed). Absent: the enclosing text.
   */
  readonly source?: string
}

export interface Statement {
  readonly node: Node
  readonly background: boolean
  readonly span: Span
}

export type Node =
  | Simple
  | Pipeline
  | AndOr
  | Group
  | If
  | Loop
  | For
  | ArithmeticFor
  | Case
  | FunctionDefinition
  | Test
  | ArithmeticCommand
  | Coproc

export interface Simple {
  readonly is: 'simple'
  readonly assigns: readonly Assign[]
  /** Command name and arguments. Assignment-like arguments (`export A=1`) are words here, too. */
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface Pipeline {
  readonly is: 'pipeline'
  readonly negated: boolean
  readonly timed: boolean
  readonly commands: readonly Node[]
  readonly span: Span
}

export interface AndOr {
  readonly is: 'and-or'
  readonly first: Node
  readonly rest: readonly { readonly op: '&&' | '||'; readonly node: Node }[]
  readonly span: Span
}

export interface Group {
  readonly is: 'group' | 'subshell'
  readonly body: Script
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface If {
  readonly is: 'if'
  readonly clauses: readonly { readonly test: Script; readonly then: Script }[]
  readonly otherwise: Script | undefined
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface Loop {
  readonly is: 'while' | 'until'
  readonly test: Script
  readonly body: Script
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface For {
  readonly is: 'for' | 'select'
  readonly variable: string
  /** Absent: the positional parameters. */
  readonly words: readonly Word[] | undefined
  readonly body: Script
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface ArithmeticFor {
  readonly is: 'arithmetic-for'
  /** The three expressions, with their semicolons. */
  readonly header: Word
  /** Command substitutions inside the three expressions. */
  readonly scripts: readonly Script[]
  readonly body: Script
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface Case {
  readonly is: 'case'
  readonly word: Word
  readonly items: readonly {
    readonly patterns: readonly Word[]
    readonly body: Script
    /** `;;` ends, `;&` falls through, `;;&` goes on testing. */
    readonly end: ';;' | ';&' | ';;&'
  }[]
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface FunctionDefinition {
  readonly is: 'function'
  readonly name: string
  readonly body: Node
  readonly span: Span
}

/** `[[ … ]]`. Operands and operators (`-f`, `==`, `&&`, `!`, `(`) are words in the order written; `constant` is the outcome where only literals are compared. */
export interface Test {
  readonly is: 'test'
  readonly words: readonly Word[]
  readonly redirects: readonly Redirect[]
  readonly constant: boolean | undefined
  readonly span: Span
}

/** `(( … ))`. */
export interface ArithmeticCommand {
  readonly is: 'arithmetic'
  readonly text: string
  /** The expression as a word, which is expanded before it is computed. */
  readonly body: Word
  readonly scripts: readonly Script[]
  readonly redirects: readonly Redirect[]
  readonly span: Span
}

export interface Coproc {
  readonly is: 'coproc'
  readonly body: Node
  readonly span: Span
}

export interface Assign {
  readonly name: string
  readonly append: boolean
  /** An array element or a whole array: its values are words, but the variable becomes unknown text. */
  readonly index: Word | undefined
  readonly value: Word | undefined
  readonly array: readonly Word[] | undefined
  readonly span: Span
}

export interface Redirect {
  readonly op: '>' | '>>' | '<' | '<>' | '<&' | '>&' | '>|' | '&>' | '&>>' | '<<<' | '<<' | '<<-'
  /** The descriptor as a number, or undefined for `{name}>`; defaults (0 or 1) are filled in. */
  readonly descriptor: number | undefined
  /** The target, or the here-string. Absent for here-documents and where it is missing. */
  readonly target: Word | undefined
  readonly heredoc: HereDoc | undefined
  readonly span: Span
}

export interface HereDoc {
  readonly delimiter: string
  /** Quoted delimiter: the body is data and nothing in it is expanded. */
  readonly quoted: boolean
  /** The body as a word; for a quoted one a single literal part. Leading tabs of `<<-` are gone. */
  readonly body: Word
  readonly span: Span
}

/** A word as it stands in the text, in parts. */
export interface Word {
  readonly parts: readonly Part[]
  /** As written. */
  readonly text: string
  readonly span: Span
}

export type Part =
  | { readonly is: 'literal'; readonly text: string; readonly quoted: boolean; readonly span: Span }
  /**
   * Unquoted pattern characters. `extended` is `@(…)` and its family, as written. `inside`: expansions within a class or
   * an extended pattern, which make it unknown but still run.
   */
  | {
      readonly is: 'glob'
      readonly kind: 'star' | 'question' | 'class' | 'extended'
      readonly text: string
      readonly inside?: readonly Part[]
      readonly span: Span
    }
  /** `~`, `~user`, `~+`, `~-` where the shell would expand it. `user` is what follows the tilde. */
  | { readonly is: 'tilde'; readonly user: string; readonly span: Span }
  | Parameter
  | { readonly is: 'command'; readonly script: Script; readonly quoted: boolean; readonly span: Span }
  /** `$((…))`. `text` is the expression, `body` the same as a word, which is expanded before it is computed. */
  | {
      readonly is: 'arithmetic'
      readonly text: string
      readonly body: Word
      readonly scripts: readonly Script[]
      readonly quoted: boolean
      readonly span: Span
    }
  | { readonly is: 'process'; readonly direction: '<' | '>'; readonly script: Script; readonly span: Span }
  /**
   * A word with `{a,b}` or `{1..9}` in it, expanded to its alternatives: it is the only part of its word, and each
   * alternative is a whole word. Undefined where there are too many; then `inside` holds the expansions that still run.
   */
  | {
      readonly is: 'brace'
      readonly alternatives: readonly (readonly Part[])[] | undefined
      readonly inside?: readonly Part[]
      readonly span: Span
    }

/** `$x`, `${x…}`. */
export interface Parameter {
  readonly is: 'parameter'
  /** `x`, `1`, `@`, `*`, `?`, `#`, `$`, `!`, `-`, `0`. */
  readonly name: string
  /** `#` in front: the length; `!` in front: the variable that the value names. */
  readonly prefix: '#' | '!' | undefined
  /** `[…]` of an array element, as a word. */
  readonly index: Word | undefined
  readonly operation: Operation | undefined
  readonly quoted: boolean
  readonly span: Span
}

export type Operation =
  | {
      readonly is: 'default'
      readonly operator: '-' | ':-' | '=' | ':=' | '+' | ':+' | '?' | ':?'
      readonly word: Word
    }
  | { readonly is: 'remove'; readonly operator: '#' | '##' | '%' | '%%'; readonly word: Word }
  | { readonly is: 'replace'; readonly operator: '/' | '//' | '/#' | '/%'; readonly pattern: Word; readonly by: Word }
  | { readonly is: 'slice'; readonly offset: Word; readonly length: Word | undefined }
  | { readonly is: 'case'; readonly operator: '^' | '^^' | ',' | ',,'; readonly word: Word | undefined }
  /** `@Q` and its family, names by prefix, and what is not known: the value becomes unknown. */
  | { readonly is: 'other'; readonly words: readonly Word[] }
