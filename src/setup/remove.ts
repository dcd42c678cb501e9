/** The way back: takes out of a host's settings what setup put there. */
import { cutVerbatim } from './edit/cut.ts'
import {
  hashOf,
  type OnDisk,
  readForEdit,
  removeEmpty,
  removeFile,
  replaceFile,
  textOf,
  whyReadOnly,
} from './edit/disk.ts'
import { type Format, valueAt } from './edit/format.ts'
import type { Refusal } from './edit/insert.ts'
import { formatIn, heldIn, isOwn } from './plan.ts'
import { type FileRecord, firstOf, keepCopy, readCopy, type Wired } from './record.ts'
import { isOurs } from './wire/entries.ts'
import { type Edits, pathOf, type Scope, type Surroundings, type WireRow } from './wire/row.ts'

export interface Removal {
  readonly path: string
  readonly file: OnDisk
  /** What the file becomes; undefined: it goes. */
  readonly bytes: Uint8Array | undefined
  readonly mode: number
  /**
   * `same`: the file is what it was before setup, byte for byte. `found`: without entries of ours, which it held before
   * setup or without one. `foreign`: others changed it since, and their changes stay. `gone`: there is nothing of ours.
   */
  readonly is: 'same' | 'found' | 'foreign' | 'gone'
  /** For `foreign`: where it differs from what it was. */
  readonly changed: readonly string[]
  readonly record: FileRecord
}

export type PlannedRemoval = Removal | (Refusal & { readonly path: string })

/** Says what the way back would do, for each file. Changes nothing. */
export const planRemoval = (row: WireRow, wired: Wired, state: string): readonly PlannedRemoval[] =>
  wired.files.map((record) => (record.own ? planOwnRemoval(record, state) : planEditRemoval(row, record, state)))

function planEditRemoval(row: WireRow, record: FileRecord, state: string): PlannedRemoval {
  const { path } = record
  const file = readForEdit(path)
  if ('refused' in file) return { refused: file.refused, path }
  const before = record.before === null ? undefined : readCopy(state, record.before.sha256)
  const base = { path, file, record, mode: record.before?.mode ?? file.mode, changed: [] } as const
  if (file.bytes === undefined) return { ...base, bytes: undefined, is: 'gone' }
  const known = record.before === null || before !== undefined
  const first = firstOf(record)
  const was = first === null ? undefined : readCopy(state, first.sha256)
  const held = was === undefined ? '' : textOf(was)!
  const whole = record.found === undefined ? 'same' : 'found'
  const readOnly = whyReadOnly(file)
  const target = editsOf(row)
  if (target === undefined) return { refused: 'nothing is known of such a file', path }
  const format = formatIn(target)
  if (hashOf(file.bytes) === record.after.sha256 && known) {
    if (readOnly !== undefined) return { refused: readOnly, path }
    const back = { ...base, bytes: before }
    if (first?.sha256 === record.before?.sha256) return { ...back, is: whole }
    return { ...back, is: 'foreign', changed: differences(held, textOf(before!)!, format) }
  }
  const text = textOf(file.bytes)
  const rest = text === undefined ? undefined : without(text, target, format, record)
  if (text === undefined || rest === undefined)
    return { refused: 'it cannot be read, so nothing was taken out of it', path }
  // A file that was made for us and holds nothing else by now goes.
  const empty = record.before === null && format.empty(rest)
  if (rest === text) return { ...base, bytes: file.bytes, is: 'gone' }
  if (readOnly !== undefined) return { refused: readOnly, path }
  // No setup is known, so nothing is known of what it was.
  const stray = record.before === null && record.found !== undefined
  if (empty || stray || (known && rest === held && (first === null || was !== undefined)))
    return { ...base, bytes: empty ? undefined : Buffer.from(rest), is: whole }
  return { ...base, mode: file.mode, bytes: Buffer.from(rest), is: 'foreign', changed: differences(held, rest, format) }
}

/** A file of ours goes, or is again what the record says; where it was changed since, a copy stays. */
function planOwnRemoval(record: FileRecord, state: string): PlannedRemoval {
  const { path } = record
  const file = readForEdit(path)
  if ('refused' in file) return { refused: file.refused, path }
  const bytes = record.before === null ? undefined : readCopy(state, record.before.sha256)
  const base = { path, file, record, mode: file.mode, bytes } as const
  if (file.bytes === undefined) return { ...base, is: 'gone', changed: [] }
  if (hashOf(file.bytes) === record.after.sha256)
    return { ...base, is: record.found === undefined ? 'same' : 'found', changed: [] }
  if (!isOwn(textOf(file.bytes) ?? '')) return { refused: 'it is another file by now, and none of ours', path }
  return { ...base, is: 'foreign', changed: [] }
}

const editsOf = (row: WireRow): Edits | undefined => row.files.find((target) => target.is === 'entries')

/** The text without what is ours: sign by sign what was inserted where it still stands so, else entry by entry. */
function without(text: string, { form }: Edits, format: Format, record: FileRecord): string | undefined {
  const clean = (rest: string) => {
    if (rest.trim() === '') return true
    const read = format.loose(rest)
    if ('refused' in read) return false
    const held = valueAt(read.values, form.at) ?? {}
    const lists = Array.isArray(held) ? [held] : Object.values(held as object)
    return !lists.some((list) => Array.isArray(list) && list.some(isOurs))
  }
  return cutVerbatim(text, record.chunks, clean) ?? format.cut(text, form.at, isOurs, record.made)
}

/** Differences that are named at most. */
const MOST_NAMED = 8

/** Where two settings differ, as paths of keys. */
function differences(before: string, after: string, format: Format): readonly string[] {
  const value = (text: string): unknown => {
    const read = format.loose(text)
    return 'refused' in read ? {} : read.values
  }
  const found = [...differing(value(before), value(after), [])]
  return found.length === 0 ? ['blanks and comments alone'] : found.slice(0, MOST_NAMED)
}

function* differing(a: unknown, b: unknown, path: readonly string[]): Generator<string> {
  if (JSON.stringify(a) === JSON.stringify(b)) return
  if (!isFields(a) || !isFields(b) || path.length > 3) yield path.join('.') || 'all of it'
  else
    for (const key of new Set([...Object.keys(a), ...Object.keys(b)])) yield* differing(a[key], b[key], [...path, key])
}

const isFields = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Does what was planned. Throws where it could not be done; then the file is as it was. */
export function applyRemoval({ file, bytes, mode, is, record }: Removal, state: string): void {
  if (is === 'gone') return
  if (file.bytes !== undefined && hashOf(file.bytes) === record.found?.sha256) keepCopy(state, file.bytes)
  if (bytes !== undefined) {
    replaceFile(file, bytes, mode)
    return
  }
  if (is === 'foreign' && file.bytes !== undefined) keepCopy(state, file.bytes)
  removeFile(file)
  removeEmpty(record.dirs)
}

/** The wiring with a way back to what setup found, entries of ours and all. */
export const backToFound = (wired: Wired): Wired => ({
  ...wired,
  files: wired.files.map(({ found, ...file }) =>
    found === undefined ? file : { ...file, before: { mode: file.before?.mode ?? 0, sha256: found.sha256 } },
  ),
})

/** Text of any command of ours. */
const NAMES_US = /sallyport|hook\.cjs/

/** A wiring of which no record is left, as far as the files show it; undefined where they hold nothing of ours. */
export function strayWiring(row: WireRow, scope: Scope, at: Surroundings): Wired | undefined {
  const files = row.files.flatMap((target): readonly FileRecord[] => {
    const place = target.settings[scope]
    if (place === undefined) return []
    const path = pathOf(place, at)
    const file = readForEdit(path)
    const text = 'refused' in file || file.bytes === undefined ? undefined : textOf(file.bytes)
    if (text === undefined) return []
    const found = { sha256: hashOf(Buffer.from(text)) }
    const base = { path, real: path, before: null, found, chunks: [], made: [], dirs: [] }
    if (target.is === 'own') return isOwn(text) ? [{ ...base, own: true, after: found }] : []
    const { form } = target
    const rest = formatIn(target).cut(text, form.at, isOurs, [])
    // A file that cannot be read counts only where it may hold something of ours.
    if (rest === text || (rest === undefined && !NAMES_US.test(text))) return []
    return [{ ...base, made: heldIn(text, target), after: { sha256: '' } }]
  })
  if (files.length === 0) return undefined
  const root = scope === 'project' ? { root: at.project } : {}
  return { scope, ...root, at: '', sallyport: '', runtime: '', node: '', commands: [], files }
}
