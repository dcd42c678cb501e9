/** A program that reads a file and then writes it again edits it, as `sed -i` does. */
import type { Doing } from '../commands/doing.ts'
import { textsOf, type Value } from '../core/value.ts'

/** Undefined for a value that may be anything: two of those need not be the same path. */
const keyOf = (value: Value): string | undefined =>
  value.is === 'unknown' || value.is === 'partly' ? undefined : JSON.stringify(value)

/** Calls that put something into an opened file. */
const PUTS =
  /\.\s*(?:write|write_text|write_bytes|writelines|puts|print|printf)\s*\(?|\bdump\s*\(|\bfile\s*=|\bprint\s+\{?\$?\w+\}?\s|\b(?:fwrite|fputs|copyfileobj)\s*\(|\.(?:save|to_\w+)\s*\(/g

/** Such calls with a text of the program's own. */
const OWN =
  /\.\s*(?:write|write_text|write_bytes)\s*\(\s*[rbu]{0,2}(?:"[^"\\]*(?:\\.[^"\\]*)*"|'[^'\\]*(?:\\.[^'\\]*)*')\s*[),]/g

const count = (text: string, pattern: RegExp): number => [...text.matchAll(pattern)].length

/**
 * Turns each write of a file that the program read before into an edit, unless all it writes are texts of its own.
 * `text` is the program.
 */
export function withEdits(doings: readonly Doing[], text: string): readonly Doing[] {
  const read = new Set<string>()
  let derives: boolean | undefined
  return doings.map((doing) => {
    if (doing.do !== 'path') return doing
    const key = keyOf(doing.at.value)
    if (key === undefined) return doing
    if (doing.act === 'read') read.add(key)
    if (doing.act !== 'write' || !read.has(key) || doing.tree) return doing
    derives ??= count(text, PUTS) > count(text, OWN)
    const edits = doing.content === undefined ? derives : textsOf(doing.content.text) === undefined
    return edits ? { ...doing, act: 'edit' } : doing
  })
}
