/** Every text and key in the arguments of a tool that may name a path. Pure; ends for any value. */
import type { Json } from '../../core/call.ts'

/** Depth and number of values that are looked at; the published limits. */
const MOST_DEPTH = 64
const MOST_NODES = 20_000

export interface Words {
  readonly args: Json
}

export interface Scanned {
  /** `prose`: words to people rather than a path; only a plain hit counts. */
  readonly words: readonly { readonly text: string; readonly prose: boolean }[]
  /** There is more than is looked at. */
  readonly over: boolean
}

const PATH_LIKE = /^(?:[/.~]|\$HOME|\$\{HOME\}|file:|[A-Za-z]:[\\/])|[\\/]/i
const PATH_KEY = /(?:path|file|filename|dir|directory|folder|source|destination|target|cwd|uri)s?$/i

/** All path-like texts, the keys of objects included. */
export function scanArguments(args: Json): Scanned {
  const words: { text: string; prose: boolean }[] = []
  const todo: { value: Json; key: string; depth: number }[] = [{ value: args, key: '', depth: 0 }]
  const take = (text: string, key: string) => {
    if (!PATH_LIKE.test(text) && !(PATH_KEY.test(key) && text !== '')) return
    if (text.includes('\0')) return
    words.push({ text, prose: /\s/.test(text) && !PATH_KEY.test(key) })
  }
  let seen = 0
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    const { value, key, depth } = next
    if (++seen > MOST_NODES || depth > MOST_DEPTH) return { words, over: true }
    if (typeof value === 'string') take(value, key)
    else if (Array.isArray(value)) for (const item of value) todo.push({ value: item as Json, key, depth: depth + 1 })
    else if (typeof value === 'object' && value !== null) {
      for (const [name, item] of Object.entries(value)) {
        take(name, '')
        todo.push({ value: item as Json, key: name, depth: depth + 1 })
      }
    }
  }
  return { words, over: false }
}
