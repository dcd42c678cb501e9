/**
 * The script of a scripted model: what it says at each step of a conversation, and what it was shown.
 * The step is found from the request alone (how many tool results it carries), so a retried request gets the same reply.
 */

/** One tool call, in the words of the host's model API. */
export interface Call {
  /** Unique in the script; the host sends it back with the result. */
  readonly id: string
  readonly tool: string
  /** Group that the tool is in, where the API has such groups (Responses API: an MCP server). */
  readonly namespace?: string
  /** Arguments. A string is the input of a free-form tool (Responses API only). */
  readonly input: Readonly<Record<string, unknown>> | string
}

export interface Turn {
  readonly calls: readonly Call[]
}

/** Turns of a conversation; after the last one the model says `done` and stops. */
export interface Script {
  readonly turns: readonly Turn[]
  /** Other conversations in the same process (a sub-agent), known by a text in their first user message. */
  readonly others?: readonly { readonly when: string; readonly turns: readonly Turn[] }[]
}

/** What the host showed the model as the result of a call. */
export interface Shown {
  readonly id: string
  readonly text: string
  /** The host marked it as an error; always false where its API has no such mark. */
  readonly error: boolean
}

/** A scripted model that listens on loopback. */
export interface Model {
  /** Address without a path, such as `http://127.0.0.1:40001`. */
  readonly url: string
  /** Bodies of all requests that carried a conversation, in order. */
  readonly requests: readonly unknown[]
  /** Results by the id of their call, over all requests. */
  shown(): ReadonlyMap<string, Shown>
  /** Hosts that somebody tried to reach through the proxy; empty when the CLI stayed offline. */
  readonly strays: readonly string[]
  close(): Promise<void>
}

/** What every side job and every finished conversation gets. */
export const FINAL_TEXT = 'done'

/**
 * The turn that comes after `results` tool results; undefined when the script is at its end.
 * `first` is the text of the first user message.
 */
export function nextTurn(script: Script, first: string, results: number): Turn | undefined {
  const other = script.others?.find((one) => first.includes(one.when))
  let before = 0
  for (const turn of other ? other.turns : script.turns) {
    if (results <= before) return turn
    before += turn.calls.length
  }
  return undefined
}

export type Json = Readonly<Record<string, unknown>>

/** Narrows to an object with string keys; anything else becomes an empty one. */
export function object(value: unknown): Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Json) : {}
}

/** Narrows to a list; anything else becomes an empty one. */
export function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/** The text of a content field: a string, or parts with a `text` each. */
export function textOf(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => object(part)['text'])
    .filter((text) => typeof text === 'string')
    .join('\n')
}
