/** Variables, functions and limits of one program while it is read. */
import type { Value } from '../core/value.ts'
import type { Token } from './lexer.ts'
import { eitherThing, type Thing } from './things.ts'

/** Expressions looked at in one program. A program that needs more is not read, and says so. */
export const MOST_STEPS = 150_000
/** Expressions within expressions: far more than people write, far less than the stack holds. */
export const MOST_NESTING = 240
/** Functions of the program that are in each other. */
export const MOST_CALLS_DEEP = 8
/** Calls of the program's own functions that are gone through. */
export const MOST_CALLS = 400

export interface Code {
  readonly tokens: readonly Token[]
  readonly name: string
  readonly params: readonly string[]
  /** Half-open range of tokens. */
  readonly from: number
  readonly to: number
  /** An expression without braces: its value is what the function returns. */
  readonly expression: boolean
  scope: Scope
  seen: boolean
}

interface Binding {
  readonly thing: Thing
  readonly blocks: readonly number[]
}

/** Variables of one function, and of those around it. */
export class Scope {
  readonly vars = new Map<string, Binding>()
  readonly outer: Scope | undefined

  constructor(outer: Scope | undefined) {
    this.outer = outer
  }

  find(name: string): { readonly scope: Scope; readonly binding: Binding } | undefined {
    for (let scope: Scope | undefined = this; scope; scope = scope.outer) {
      const binding = scope.vars.get(name)
      if (binding) return { scope, binding }
    }
    return undefined
  }

  get(name: string): Thing | undefined {
    return this.find(name)?.binding.thing
  }

  /**
   * Sets a variable inside `blocks` (outermost first). The old value is gone where the present block encloses the one
   * that set it; else the variable may be either.
   */
  set(name: string, thing: Thing, blocks: readonly number[], fresh = false): void {
    const old = fresh ? undefined : this.find(name)
    const scope = old?.scope ?? this
    const here = blocks.at(-1)
    const encloses = here === undefined || old?.binding.blocks.includes(here) === true
    const value = old === undefined || encloses ? thing : eitherThing(old.binding.thing, thing)
    scope.vars.set(name, { thing: value, blocks })
  }
}

/** What changes while a program is gone through. */
export interface Progress {
  scope: Scope
  blocks: readonly number[]
  nextBlock: number
  steps: number
  depth: number
  calls: number
  /** A limit was reached: what is left is not read. */
  limited: boolean
  cwd: Value | undefined
  readonly running: number[]
  readonly returns: Thing[][]
}

export const newProgress = (): Progress => ({
  scope: new Scope(undefined),
  blocks: [],
  nextBlock: 1,
  steps: 0,
  depth: 0,
  calls: 0,
  limited: false,
  cwd: undefined,
  running: [],
  returns: [],
})
