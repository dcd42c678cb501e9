/**
 * What the proxy changes of what passes: results of tools and resources that are over budget. Their shape stays: `content`
 * a list of blocks, `isError` as it was, `structuredContent` a value that the tool's own schema allows.
 */
import { canonical, isOurText, isOver, wholeOf } from '../containment/output.ts'
import type { Json } from '../core/call.ts'
import type { Watching } from './relay.ts'

type Fields = { readonly [key: string]: Json }

/** A result over budget, as whoever keeps it is told. */
export interface Oversized {
  /** The tool's name, or the address of the resource. */
  readonly name: string
  readonly text: string
  /** All of the result as JSON, where it holds more than the text. */
  readonly json: string | undefined
}

export interface Bounds {
  /** Bytes of a result that passes as it is. */
  readonly most: number
  /** What stands for the text of a result. */
  readonly contain: (result: Oversized) => string
  /** Whether a value is what a tool's schema allows. */
  readonly allows: (schema: Json, value: Json) => boolean
}

interface Asked {
  readonly method: string
  readonly name: string
}

/** Requests that are open at most; a host that asks for more gets old ones unbounded. */
const MOST_OPEN = 10_000

const isList = (value: Json): value is readonly Json[] => Array.isArray(value)

const fieldsOf = (value: Json | undefined): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** Watches a conversation, to know what a response answers. */
export class Bounding implements Watching {
  readonly #bounds: Bounds
  readonly #open = new Map<Json, Asked>()
  readonly #schemas = new Map<string, Json>()

  constructor(bounds: Bounds) {
    this.#bounds = bounds
  }

  /** A message of the host, which passes as it is. */
  fromHost(message: Json): void {
    // Older versions of the protocol send several messages as a list.
    if (isList(message)) {
      for (const one of message) this.fromHost(one)
      return
    }
    const fields = fieldsOf(message)
    const id = fields?.['id']
    const method = fields?.['method']
    if (id === undefined || typeof method !== 'string') return
    const params = fieldsOf(fields?.['params'])
    const name = params?.[method === 'resources/read' ? 'uri' : 'name']
    if (this.#open.size >= MOST_OPEN) this.#open.delete(this.#open.keys().next().value!)
    this.#open.set(id, { method, name: typeof name === 'string' ? name : method })
  }

  /** A message of the server: the same, or with a result that is bounded. */
  fromServer(message: Json): Json {
    if (isList(message)) {
      const bounded = message.map((one) => this.fromServer(one))
      return bounded.every((one, at) => one === message[at]) ? message : bounded
    }
    const fields = fieldsOf(message)
    const id = fields?.['id']
    if (fields === undefined || id === undefined || fields['method'] !== undefined) return message
    const asked = this.#open.get(id)
    this.#open.delete(id)
    const result = fieldsOf(fields['result'])
    if (asked === undefined || result === undefined) return message
    switch (asked.method) {
      case 'tools/list':
        this.#noteSchemas(result)
        return message
      case 'tools/call': {
        const bounded = this.#toolResult(asked.name, result)
        return bounded === undefined ? message : { ...fields, result: bounded }
      }
      case 'resources/read': {
        const bounded = this.#contents(asked.name, result)
        return bounded === undefined ? message : { ...fields, result: bounded }
      }
      default:
        return message
    }
  }

  #noteSchemas(result: Fields): void {
    const tools = result['tools']
    if (!Array.isArray(tools)) return
    for (const tool of tools as readonly Json[]) {
      const fields = fieldsOf(tool)
      const name = fields?.['name']
      const schema = fields?.['outputSchema']
      if (typeof name !== 'string') continue
      if (schema === undefined) this.#schemas.delete(name)
      else this.#schemas.set(name, schema)
    }
  }

  #toolResult(name: string, result: Fields): Json | undefined {
    const { most, contain } = this.#bounds
    const whole = wholeOf(result)
    if (whole?.with === undefined || isOurText(whole.text)) return undefined
    const structured = result['structuredContent']
    const large = isOver(whole.text, most)
    if (!large && !(structured !== undefined && isOver(JSON.stringify(structured), most))) return undefined
    // Where the text is a word about the structured content, that is what floods.
    const text = large ? whole.text : JSON.stringify(structured)
    const json =
      result['content'] !== undefined && Object.keys(result).length === 1 && !hasOthers(result)
        ? undefined
        : canonical(result)
    const bounded = fieldsOf(whole.with(contain({ name, text, json })))!
    if (structured === undefined) return bounded
    return { ...bounded, structuredContent: this.#structured(name, structured) }
  }

  /** Less of a structured content, where the tool's schema still allows it; without a schema any object will do. */
  #structured(name: string, value: Json): Json {
    const schema = this.#schemas.get(name)
    if (schema === undefined) return { ctxContained: true }
    for (const keep of KEEPS) {
      const less = lessOf(value, keep, 0)
      if (!isOver(JSON.stringify(less), this.#bounds.most) && this.#bounds.allows(schema, less)) return less
    }
    // A host may refuse a result that its schema does not allow: rather all of it than a refusal.
    return value
  }

  #contents(name: string, result: Fields): Json | undefined {
    const contents = result['contents']
    if (!Array.isArray(contents)) return undefined
    let changed = false
    // Many texts that pass one by one flood together.
    let left = this.#bounds.most
    const bounded = (contents as readonly Json[]).map((entry) => {
      const fields = fieldsOf(entry)
      const text = fields?.['text']
      if (typeof text !== 'string' || isOurText(text)) return entry
      if (!isOver(text, left)) {
        left -= Buffer.byteLength(text)
        return entry
      }
      changed = true
      return { ...fields, text: this.#bounds.contain({ name, text, json: undefined }) }
    })
    return changed ? { ...result, contents: bounded } : undefined
  }
}

/** Whether blocks of another kind than text are there. */
const hasOthers = (result: Fields): boolean =>
  (result['content'] as readonly Json[]).some((block) => fieldsOf(block)?.['type'] !== 'text')

/** Entries of lists and characters of texts that are kept, the most first. */
const KEEPS = [
  { entries: 20, letters: 400 },
  { entries: 5, letters: 120 },
  { entries: 1, letters: 40 },
] as const

const MOST_DEPTH = 64

/** A value with the beginnings of its long lists and texts. Keys stay: a schema may need them. */
function lessOf(value: Json, keep: (typeof KEEPS)[number], depth: number): Json {
  if (typeof value === 'string')
    return value.length > keep.letters ? `${value.slice(0, keep.letters).replace(/[\ud800-\udbff]$/, '')}…` : value
  if (typeof value !== 'object' || value === null || depth > MOST_DEPTH) return value
  if (Array.isArray(value))
    return (value as readonly Json[]).slice(0, keep.entries).map((one) => lessOf(one, keep, depth + 1))
  return Object.fromEntries(Object.entries(value as Fields).map(([key, one]) => [key, lessOf(one, keep, depth + 1)]))
}
