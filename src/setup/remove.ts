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
import { formatIn, isOwn } from './plan.ts'
import { type FileRecord, keepCopy, readCopy, type Wired } from './record.ts'
import { isOurs } from './wire/entries.ts'
import { type Edits, pathOf, type Scope, type Surroundings, type WireRow } from './wire/row.ts'

export interface Removal {
  readonly path: string
  readonly file: OnDisk
  /** What the file becomes; undefined: it goes. */
  readonly bytes: Uint8Array | undefined
  readonly mode: number
  /**
   * `same`: the file is what it was before setup, byte for byte. `foreign`: others changed it since, and their changes
   * stay. `gone`: there is nothing of ours.
   */
  readonly is: 'same' | 'foreign' | 'gone'
  /** For `foreign`: where it differs from what it was. */
  readonly changed: readonly string[]
  readonly record: FileRecord
}

export type PlannedRemoval = Removal | (Refusal & { readonly path: string })

/** Says what the way back would do, for each file. Changes nothing. */
export const planRemoval = (row: WireRow, wired: Wired, state: string): readonly PlannedRemoval[] =>
  wired.files.map((record) => (record.own ? planOwnRemoval(record) : planEditRemoval(row, record, state)))

function planEditRemoval(row: WireRow, record: FileRecord, state: string): PlannedRemoval {
  const { path } = record
  const file = readForEdit(path)
  if ('refused' in file) return { refused: file.refused, path }
  const before = record.before === null ? undefined : readCopy(state, record.before.sha256)
  const base = { path, file, record, mode: record.before?.mode ?? file.mode, changed: [] } as const
  if (file.bytes === undefined) return { ...base, bytes: undefined, is: 'gone' }
  const known = record.before === null || before !== undefined
  const readOnly = whyReadOnly(file)
  if (hashOf(file.bytes) === record.after.sha256 && known)
    return readOnly === undefined ? { ...base, bytes: before, is: 'same' } : { refused: readOnly, path }
  const text = textOf(file.bytes)
  const target = editsOf(row)
  if (target === undefined) return { refused: 'nothing is known of such a file', path }
  const format = formatIn(target)
  const rest = text === undefined ? undefined : without(text, target, format, record)
  if (text === undefined || rest === undefined)
    return { refused: 'it cannot be read, so nothing was taken out of it', path }
  const held = before === undefined ? '' : textOf(before)!
  // A file that was made for us and holds nothing else by now goes.
  const empty = record.before === null && format.empty(rest)
  if (rest === text) return { ...base, bytes: file.bytes, is: 'gone' }
  if (readOnly !== undefined) return { refused: readOnly, path }
  if (empty || (known && rest === held)) return { ...base, bytes: empty ? undefined : Buffer.from(rest), is: 'same' }
  return { ...base, mode: file.mode, bytes: Buffer.from(rest), is: 'foreign', changed: differences(held, rest, format) }
}

/** A file of ours goes; where it was changed since, a copy stays. */
function planOwnRemoval(record: FileRecord): PlannedRemoval {
  const { path } = record
  const file = readForEdit(path)
  if ('refused' in file) return { refused: file.refused, path }
  const base = { path, file, record, mode: file.mode, bytes: undefined } as const
  if (file.bytes === undefined) return { ...base, is: 'gone', changed: [] }
  if (hashOf(file.bytes) === record.after.sha256) return { ...base, is: 'same', changed: [] }
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
  if (bytes !== undefined) {
    replaceFile(file, bytes, mode)
    return
  }
  if (is === 'foreign' && file.bytes !== undefined) keepCopy(state, file.bytes)
  removeFile(file)
  removeEmpty(record.dirs)
}

/** A wiring of which no record is left, as far as the files show it; undefined where they hold nothing of ours. */
export function strayWiring(row: WireRow, scope: Scope, at: Surroundings): Wired | undefined {
  const files = row.files.flatMap((target): readonly FileRecord[] => {
    const place = target.settings[scope]
    if (place === undefined) return []
    const path = pathOf(place, at)
    const file = readForEdit(path)
    const text = 'refused' in file || file.bytes === undefined ? undefined : textOf(file.bytes)
    if (text === undefined) return []
    const base = { path, real: path, before: null, chunks: [], made: [], dirs: [] }
    if (target.is === 'own')
      return isOwn(text) ? [{ ...base, own: true, after: { sha256: hashOf(Buffer.from(text)) } }] : []
    const { form } = target
    if (formatIn(target).cut(text, form.at, isOurs, []) === text) return []
    const made = [
      ...form.at.map((_, i) => form.at.slice(0, i + 1)),
      ...row.events.map(({ name }) => [...form.at, name]),
    ]
    return [{ ...base, made, after: { sha256: '' } }]
  })
  if (files.length === 0) return undefined
  const root = scope === 'project' ? { root: at.project } : {}
  return { scope, ...root, at: '', sallyport: '', runtime: '', node: '', commands: [], files }
}
