/** What is done with a settings file, whatever it is written in. */
import { cutEntries, plainOf } from './cut.ts'
import { BOM, type Dialect, type Edited, type Entry, insertJson, type Needed, type Refusal, treeOf } from './insert.ts'
import { cutToml, insertToml, readToml } from './toml.ts'

/** How the host reads the file. */
export type Reads = Dialect | 'toml'

type Fields = Readonly<Record<string, unknown>>

export interface Values {
  readonly values: Fields
}

export interface Format {
  /** The text with the entries in it, by insertions alone. */
  insert(whole: string, entries: readonly Entry[], needed: readonly Needed[]): Edited | Refusal
  /** The values of a text as the host reads it. */
  read(whole: string): Values | Refusal
  /** The same, where a person's comments do not matter. */
  loose(whole: string): Values | Refusal
  /** The text without the entries below `at` that are ours, and without what was `made` for them as far as it is empty. */
  cut(
    whole: string,
    at: readonly string[],
    isOurs: (value: unknown) => boolean,
    made: readonly (readonly string[])[],
  ): string | undefined
  /** Holds nothing, not even a comment. */
  empty(whole: string): boolean
}

const json = (dialect: Dialect): Format => ({
  insert: (whole, entries, needed) => insertJson(whole, entries, needed, dialect),
  read: (whole) => valuesOf(whole, dialect),
  loose: (whole) => valuesOf(whole, 'jsonc'),
  cut: cutEntries,
  empty(whole) {
    if (whole.trim() === '') return true
    const tree = treeOf(whole.replace(BOM, ''), 'jsonc')
    return !('refused' in tree) && (tree.children ?? []).length === 0 && !/\/[/*]/.test(whole)
  },
})

function valuesOf(whole: string, dialect: Dialect): Values | Refusal {
  const text = whole.replace(BOM, '')
  const tree = treeOf(text, dialect)
  if ('refused' in tree) return { refused: tree.refused }
  return { values: (dialect === 'json' ? JSON.parse(text) : plainOf(tree)) as Fields }
}

const toml = (checked: ((table: Fields) => string | undefined) | undefined): Format => {
  const read = (whole: string): Values | Refusal => {
    const values = readToml(whole)
    return values === undefined ? { refused: 'it is not TOML' } : { values }
  }
  return {
    insert: (whole, entries, needed) => insertToml(whole, entries, needed, checked),
    read,
    loose: read,
    cut: (whole, at, isOurs) => cutToml(whole, at.join('.'), isOurs),
    empty: (whole) => whole.trim() === '',
  }
}

/** `checked`: what is wrong with an entry of somebody else, for a host that then drops all of them. */
export const formatOf = (reads: Reads, checked?: (table: Fields) => string | undefined): Format =>
  reads === 'toml' ? toml(checked) : json(reads)

/** The value at a path of keys; undefined where it is not there. */
export const valueAt = (values: Fields, at: readonly string[]): unknown =>
  at.reduce<unknown>(
    (inner, key) =>
      typeof inner === 'object' && inner !== null && Object.hasOwn(inner, key) ? (inner as Fields)[key] : undefined,
    values,
  )
