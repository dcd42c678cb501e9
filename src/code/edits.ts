/** A program that reads a file and then writes it again edits it, as `sed -i` does. */
import type { Doing } from '../commands/doing.ts'
import { textsOf, type Value } from '../core/value.ts'

/** Undefined for a value that may be anything: two of those need not be the same path. */
const keyOf = (value: Value): string | undefined =>
  value.is === 'unknown' || value.is === 'partly' ? undefined : JSON.stringify(value)

/** Turns each write of a file that the program read before into an edit, unless what it writes is a text of its own. */
export function withEdits(doings: readonly Doing[]): readonly Doing[] {
  const read = new Set<string>()
  return doings.map((doing) => {
    if (doing.do !== 'path') return doing
    const key = keyOf(doing.at.value)
    if (key === undefined) return doing
    if (doing.act === 'read') read.add(key)
    if (doing.act !== 'write' || !read.has(key) || doing.tree) return doing
    const own = doing.content !== undefined && textsOf(doing.content.text) !== undefined
    return own ? doing : { ...doing, act: 'edit' }
  })
}
