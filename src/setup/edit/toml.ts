/**
 * Reads TOML settings of hosts, and puts tables at the end of one. Nothing that stands there changes: a table of a list may
 * stand anywhere, and the end is the one place where it takes no other's keys.
 */
import { parse, stringify } from 'smol-toml'
import type { Edited, Entry, Needed, Refusal } from './insert.ts'

type Table = Readonly<Record<string, unknown>>

/** The values of a TOML text; undefined where it is none. */
export function readToml(text: string): Table | undefined {
  try {
    return parse(text)
  } catch {
    return undefined
  }
}

/** Adds each entry as one more table of the list that it names by one key. `checked`: what is wrong with a table there. */
export function insertToml(
  whole: string,
  entries: readonly Entry[],
  needed: readonly Needed[],
  checked: (table: Table) => string | undefined = () => undefined,
): Edited | Refusal {
  const before = readToml(whole)
  if (before === undefined) return { refused: 'it is not TOML' }
  const keys = [...new Set(entries.map(({ at }) => at.join('.')))]
  for (const key of keys) {
    const list = before[key]
    if (list !== undefined && !Array.isArray(list))
      return { refused: `${key} holds ${kindOf(list)} where a list is needed` }
    for (const [i, one] of (list ?? []).entries()) {
      const fault = isTable(one) ? checked(one) : 'is no table'
      if (fault !== undefined)
        return { refused: `entry ${i + 1} of ${key} ${fault}, and with such a one this host drops them all` }
    }
  }
  if (needed.some(({ at }) => valueAt(before, at) === undefined)) return { refused: 'it lacks what this host needs' }
  const eol = /\r\n/.test(whole) ? '\r\n' : '\n'
  const tables = entries.map(({ at, value }) => `[[${at.join('.')}]]\n${stringify(value).trimEnd()}\n`).join('\n')
  const gap = whole === '' ? '' : /\n$/.test(whole) ? (whole.trim() === '' ? '' : eol) : eol + eol
  const added = gap + tables.replaceAll('\n', eol)
  const text = whole + added
  const after = readToml(text)
  // A list in brackets takes no further table.
  if (after === undefined) return { refused: `${keys.join(', ')} stands there in a form that takes no further table` }
  return { text, spans: [{ at: whole.length, length: added.length }] }
}

const isTable = (value: unknown): value is Table =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date)

const kindOf = (value: unknown): string =>
  isTable(value)
    ? 'a table'
    : (({ string: 'a text', number: 'a number', boolean: 'true or false' } as const)[typeof value as 'string'] ??
      'a date')

const valueAt = (table: Table, at: readonly string[]): unknown =>
  at.reduce<unknown>((inner, key) => (isTable(inner) ? inner[key] : undefined), table)

/** A line that begins a table. */
const HEADER = /^[ \t]*\[/
const EMPTY = /^[ \t]*(?:#.*)?\r?$/

/** The text without the tables of the list `key` that `isOurs` knows; undefined where it cannot be read or they cannot be told apart. */
export function cutToml(whole: string, key: string, isOurs: (value: unknown) => boolean): string | undefined {
  let text = whole
  for (;;) {
    const values = readToml(text)
    if (values === undefined) return undefined
    const list = values[key]
    const index = Array.isArray(list) ? list.findIndex(isOurs) : -1
    if (index < 0) return text
    const rest = (list as unknown[]).filter((_, i) => i !== index)
    const { [key]: _gone, ...others } = values
    const wanted = JSON.stringify(sorted(rest.length === 0 ? others : { ...others, [key]: rest }))
    const shorter = candidates(text, key).find((one) => JSON.stringify(sorted(readToml(one) ?? {})) === wanted)
    if (shorter === undefined) return undefined
    text = shorter
  }
}

/** The text without one table of the list, for each that it may hold: with its keys alone first, then to its end. */
function candidates(text: string, key: string): readonly string[] {
  const lines = text.split(/(?<=\n)/)
  const header = new RegExp(`^[ \\t]*\\[\\[[ \\t]*["']?${key}["']?[ \\t]*\\]\\][ \\t]*(?:#.*)?\\r?\\n?$`)
  return lines.flatMap((line, from) => {
    if (!header.test(line)) return []
    const next = lines.findIndex((one, i) => i > from && HEADER.test(one))
    const end = next < 0 ? lines.length : next
    const blank = lines.findIndex((one, i) => i > from && i < end && EMPTY.test(one.replace(/\n$/, '')))
    let last = end
    while (last > from + 1 && EMPTY.test(lines[last - 1]!.replace(/\n$/, ''))) last--
    // The blank line that set it off goes with it.
    const start = from > 0 && lines[from - 1]!.trim() === '' ? from - 1 : from
    return [blank < 0 ? last : blank, last].map((to) => [...lines.slice(0, start), ...lines.slice(to)].join(''))
  })
}

/** A value whose tables have their keys in order, so that two can be compared as text. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value instanceof Date) return value.toISOString()
  if (typeof value === 'bigint') return `${value}n`
  if (!isTable(value)) return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
