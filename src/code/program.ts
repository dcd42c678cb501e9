/** One program while it is read: its tokens, what is known, and the doings found so far. */
import type { Doing } from '../commands/doing.ts'
import type { Value } from '../core/value.ts'
import type { Cursor } from './cursor.ts'
import type { CallRow, Facts, Grammar } from './grammar.ts'
import { type Code, newProgress, type Progress } from './state.ts'
import type { Thing } from './things.ts'

export interface Program {
  readonly grammar: Grammar
  readonly known: Facts
  cursor: Cursor
  readonly progress: Progress
  readonly doings: Doing[]
  readonly codes: Code[]
  readonly byName: Map<string, number>
  /** Functions by the first token of their body, so that none is noted twice. */
  readonly byPlace: Map<number, number>
  readonly rows: ReadonlyMap<string, readonly CallRow[]>
  /** Reads statements up to a token index. */
  readonly statements: (program: Program, to: number) => void
  /** Reads one expression. */
  readonly expression: (program: Program) => Thing
  /** The value of a text of code within a string. */
  readonly inner: (program: Program, code: string) => Value
}

export const newProgram = (
  parts: Pick<Program, 'grammar' | 'known' | 'cursor' | 'rows' | 'statements' | 'expression' | 'inner'>,
): Program => ({ ...parts, progress: newProgress(), doings: [], codes: [], byName: new Map(), byPlace: new Map() })

/** Binds a variable where the program is now. */
export const bind = (p: Program, name: string, thing: Thing, fresh = false): void =>
  p.progress.scope.set(name, thing, p.progress.blocks, fresh)
