/** What a server offers to a host: who they are, and all tools that it lists. It changes nothing of what passes. */
import type { Json } from '../core/call.ts'
import type { Watching } from './relay.ts'

type Fields = { readonly [key: string]: Json }

/** One list of tools, complete. */
export interface Offered {
  /** What the host calls itself; empty where it did not say. */
  readonly client: string
  /** What the server calls itself; empty where it did not say. */
  readonly server: string
  readonly tools: readonly Json[]
}

const fieldsOf = (value: Json | undefined): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : {}

const nameOf = (value: Json | undefined): string => {
  const name = fieldsOf(value)['name']
  return typeof name === 'string' ? name : ''
}

/** Requests that are open at most, and tools that are counted. */
const MOST_OPEN = 100
const MOST_TOOLS = 10_000

/** Tells `then` of each list of tools once all of its pages have passed. */
export class Surface implements Watching {
  readonly #then: (offered: Offered) => void
  /** Requests by their id: an introduction, or a page of the list and whether it is the first. */
  readonly #open = new Map<Json, 'introduction' | 'first' | 'next'>()
  #client = ''
  #server = ''
  #tools: Json[] = []

  constructor(then: (offered: Offered) => void) {
    this.#then = then
  }

  fromHost(message: Json): void {
    if (Array.isArray(message)) {
      for (const one of message as readonly Json[]) this.fromHost(one)
      return
    }
    const { id, method, params } = fieldsOf(message)
    if (id === undefined || this.#open.size >= MOST_OPEN) return
    if (method === 'initialize') {
      this.#client = nameOf(fieldsOf(params)['clientInfo'])
      this.#open.set(id, 'introduction')
    } else if (method === 'tools/list') this.#open.set(id, fieldsOf(params)['cursor'] === undefined ? 'first' : 'next')
  }

  fromServer(message: Json): Json {
    if (Array.isArray(message)) {
      for (const one of message as readonly Json[]) this.fromServer(one)
      return message
    }
    const { id, method, result } = fieldsOf(message)
    const asked = id === undefined || method !== undefined ? undefined : this.#open.get(id)
    if (asked === undefined) return message
    this.#open.delete(id!)
    const fields = fieldsOf(result)
    if (asked === 'introduction') this.#server = nameOf(fields['serverInfo'])
    else this.#page(asked === 'first', fields)
    return message
  }

  #page(first: boolean, { tools, nextCursor }: Fields): void {
    if (!Array.isArray(tools)) return
    if (first) this.#tools = []
    if (this.#tools.length < MOST_TOOLS) this.#tools.push(...(tools as readonly Json[]))
    if (nextCursor === undefined || nextCursor === null)
      this.#then({ client: this.#client, server: this.#server, tools: this.#tools })
  }
}
