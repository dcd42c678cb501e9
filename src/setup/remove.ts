/** The way back: takes out of a host's settings what setup put there. */
import { cutEntries, cutVerbatim, nodeAt, plainOf } from './edit/cut.ts'
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
import { BOM, type Refusal, treeOf } from './edit/insert.ts'
import { readCopy, type Wired } from './record.ts'
import { isOurs } from './wire/entries.ts'
import { pathOf, type Scope, type Surroundings, type WireRow } from './wire/row.ts'

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
  readonly dirs: readonly string[]
}

/** Says what the way back would do. Changes nothing. */
export function planRemoval(
  row: WireRow,
  wired: Wired,
  state: string,
): Removal | (Refusal & { readonly path: string }) {
  const { file: record } = wired
  const { path } = record
  const file = readForEdit(path)
  if ('refused' in file) return { refused: file.refused, path }
  const before = record.before === null ? undefined : readCopy(state, record.before.sha256)
  const base = { path, file, mode: record.before?.mode ?? file.mode, changed: [], dirs: record.dirs } as const
  if (file.bytes === undefined) return { ...base, bytes: undefined, is: 'gone' }
  const known = record.before === null || before !== undefined
  const readOnly = whyReadOnly(file)
  if (hashOf(file.bytes) === record.after.sha256 && known)
    return readOnly === undefined ? { ...base, bytes: before, is: 'same' } : { refused: readOnly, path }
  const text = textOf(file.bytes)
  const rest = text === undefined ? undefined : without(text, row, wired)
  if (text === undefined || rest === undefined)
    return { refused: 'it cannot be read, so nothing was taken out of it', path }
  const held = before === undefined ? '' : textOf(before)!
  // A file that was made for us and holds nothing else by now goes.
  const empty = record.before === null && isEmpty(rest)
  if (rest === text) return { ...base, bytes: file.bytes, is: 'gone' }
  if (readOnly !== undefined) return { refused: readOnly, path }
  if (empty || (known && rest === held)) return { ...base, bytes: empty ? undefined : Buffer.from(rest), is: 'same' }
  return { ...base, mode: file.mode, bytes: Buffer.from(rest), is: 'foreign', changed: differences(held, rest) }
}

/** The text without what is ours: sign by sign what was inserted where it still stands so, else entry by entry. */
function without(text: string, row: WireRow, { file }: Wired): string | undefined {
  const clean = (rest: string) => {
    const tree = treeOf(rest.replace(BOM, ''), 'jsonc')
    if (rest.trim() === '') return true
    if ('refused' in tree) return false
    const holder = nodeAt(tree, row.form.at)
    const value = holder === undefined ? {} : plainOf(holder)
    return !Object.values(value as object).some((list) => Array.isArray(list) && list.some(isOurs))
  }
  return cutVerbatim(text, file.chunks, clean) ?? cutEntries(text, row.form.at, isOurs, file.made)
}

function isEmpty(text: string): boolean {
  if (text.trim() === '') return true
  const tree = treeOf(text.replace(BOM, ''), 'jsonc')
  return !('refused' in tree) && (tree.children ?? []).length === 0 && !/\/[/*]/.test(text)
}

/** Differences that are named at most. */
const MOST_NAMED = 8

/** Where two settings differ, as paths of keys. */
function differences(before: string, after: string): readonly string[] {
  const value = (text: string): unknown => {
    const tree = treeOf(text.replace(BOM, ''), 'jsonc')
    return 'refused' in tree ? {} : plainOf(tree)
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
export function applyRemoval({ file, bytes, mode, is, dirs }: Removal): void {
  if (is === 'gone') return
  if (bytes === undefined) {
    removeFile(file)
    removeEmpty(dirs)
  } else replaceFile(file, bytes, mode)
}

/** A wiring of which no record is left, as far as the settings show it; undefined where they hold nothing of ours. */
export function strayWiring(row: WireRow, scope: Scope, at: Surroundings): Wired | undefined {
  const place = row.settings[scope]
  if (place === undefined) return undefined
  const path = pathOf(place, at)
  const file = readForEdit(path)
  const text = 'refused' in file || file.bytes === undefined ? undefined : textOf(file.bytes)
  if (text === undefined || cutEntries(text, row.form.at, isOurs, []) === text) return undefined
  const made = [
    ...row.form.at.map((_, i) => row.form.at.slice(0, i + 1)),
    ...row.events.map(({ name }) => [...row.form.at, name]),
  ]
  const record = { path, real: path, before: null, after: { sha256: '' }, chunks: [], made, dirs: [] }
  const root = scope === 'project' ? { root: at.project } : {}
  return { scope, ...root, at: '', sallyport: '', runtime: '', node: '', commands: [], file: record }
}
