/** What the loop asks of a model: one turn at a time. A model keeps nothing; the steps are the whole conversation. */
import type { Arguments, Step } from './steps.ts'

/** A tool as a model is told of it. `parameters` is a JSON schema of an object. */
export interface Tool {
  readonly name: string
  readonly description: string
  readonly parameters: Readonly<Record<string, unknown>>
}

export interface Turn {
  readonly instructions: string
  readonly steps: readonly Step[]
  readonly tools: readonly Tool[]
  readonly signal: AbortSignal
  /** Takes the text as it comes. What was handed on here is the beginning of the reply's text. */
  readonly text: (piece: string) => void
}

export interface Tokens {
  readonly input: number
  readonly output: number
}

export interface Reply {
  readonly text: string
  readonly calls: readonly { readonly name: string; readonly args: Arguments; readonly signature?: string }[]
  readonly tokens: Tokens
  /** The model was cut off at its own limit. */
  readonly cut?: boolean
}

export interface Model {
  readonly name: string
  /** One turn. Rejects where the model cannot be reached, and with the signal's reason where that fired. */
  turn(turn: Turn): Promise<Reply>
}

/** A model failed: the sentence is for the person who called, and holds no secret. */
export class ModelError extends Error {}
