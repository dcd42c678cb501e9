/** What setup would do to one host's settings, and doing it. */

import { cutEntries, nodeAt, plainOf } from './edit/cut.ts'
import {
  hashOf,
  makeParents,
  type OnDisk,
  readForEdit,
  removeFile,
  replaceFile,
  textOf,
  whyReadOnly,
} from './edit/disk.ts'
import { BOM, type Edited, insertJson, type Refusal, treeOf } from './edit/insert.ts'
import { type FileRecord, keepCopy, readCopy, type Wired } from './record.ts'
import { entriesOf, eventsOf, isOurs, type Program } from './wire/entries.ts'
import { pathOf, type Scope, type Surroundings, type WireRow } from './wire/row.ts'

export interface FilePlan {
  readonly path: string
  readonly file: OnDisk
  /** The bytes that the way back leads to; undefined: no file. */
  readonly before: Uint8Array | undefined
  readonly beforeMode: number
  readonly edited: Edited
  readonly made: readonly (readonly string[])[]
  /** `keep`: all of it stands there already. */
  readonly does: 'make' | 'add' | 'renew' | 'keep'
}

export interface Refused extends Refusal {
  readonly path: string
  /** What a person may put there. */
  readonly snippet: string
}

/** Reads the settings and says what they would become. Changes nothing. `former`: what setup did here before. */
export function planFile(
  row: WireRow,
  scope: Scope,
  at: Surroundings,
  program: Program,
  version: string | undefined,
  state: string,
  former: Wired | undefined,
): FilePlan | Refused | undefined {
  const place = row.settings[scope]
  if (place === undefined) return undefined
  const path = pathOf(place, at)
  const entries = entriesOf(row, program, version)
  const needed = row.form.needed ?? []
  const refuse = (refused: string): Refused => ({ refused, path, snippet: snippetOf(row, program, version) })
  const file = readForEdit(path)
  if ('refused' in file) return refuse(file.refused)
  const whole = file.bytes === undefined ? '' : textOf(file.bytes)
  if (whole === undefined) return refuse('it is not UTF-8')
  if (whole.startsWith(BOM) && !row.readsMark)
    return refuse('it begins with a byte order mark, and with one this host reads nothing of it')
  const origin = originOf(file, whole, row, former, state)
  if (origin === undefined) return refuse('it is not JSON')
  const before = origin.bytes === undefined ? '' : textOf(origin.bytes)!
  const edited = insertJson(before, entries, needed, row.reads)
  if ('refused' in edited) return refuse(edited.refused)
  const made = madeBy(before, row, version)
  const base = { path, file, before: origin.bytes, beforeMode: origin.mode, edited, made }
  if (edited.text === whole && file.bytes !== undefined) return { ...base, does: 'keep' }
  if (standsThere(whole, row, entries)) {
    // Others wrote to it since, and ours is whole.
    if (former !== undefined) return { ...base, does: 'keep' }
  }
  const readOnly = whyReadOnly(file)
  if (readOnly !== undefined) return refuse(readOnly)
  return { ...base, does: file.bytes === undefined ? 'make' : origin.bytes === file.bytes ? 'add' : 'renew' }
}

/** What stood there without us: the copy where nothing else has written, else the text without our entries. */
function originOf(
  file: OnDisk,
  whole: string,
  row: WireRow,
  former: Wired | undefined,
  state: string,
): { readonly bytes: Uint8Array | undefined; readonly mode: number } | undefined {
  const record = former?.file
  if (record !== undefined && file.bytes !== undefined && hashOf(file.bytes) === record.after.sha256) {
    if (record.before === null) return { bytes: undefined, mode: file.mode }
    const bytes = readCopy(state, record.before.sha256)
    if (bytes !== undefined) return { bytes, mode: record.before.mode }
  }
  if (file.bytes === undefined || whole.trim() === '') return { bytes: file.bytes, mode: file.mode }
  const tree = treeOf(whole.replace(BOM, ''), 'jsonc')
  // What cannot be read is refused by the edit, with the reason.
  if ('refused' in tree) return { bytes: file.bytes, mode: file.mode }
  const rest = cutEntries(whole, row.form.at, isOurs, record?.made ?? [])
  if (rest === undefined) return undefined
  return { bytes: rest === whole ? file.bytes : Buffer.from(rest), mode: file.mode }
}

/** Lists and objects that an edit makes, from the outermost. */
function madeBy(whole: string, row: WireRow, version: string | undefined): readonly (readonly string[])[] {
  const tree = whole.trim() === '' ? undefined : treeOf(whole.replace(BOM, ''), 'jsonc')
  const absent = (path: readonly string[]) =>
    tree === undefined || 'refused' in tree || nodeAt(tree, path) === undefined
  const paths = [
    ...row.form.at.map((_, i) => row.form.at.slice(0, i + 1)),
    ...eventsOf(row, version).map(({ name }) => [...row.form.at, name]),
  ]
  return paths.filter(absent)
}

/** Whether every entry stands in a text as we would write it, and no other of ours. */
function standsThere(whole: string, row: WireRow, entries: ReturnType<typeof entriesOf>): boolean {
  return missingIn(whole, row, entries).length === 0
}

/** What is wrong with our entries in a text, each as one clause. */
export function missingIn(whole: string, row: WireRow, entries: ReturnType<typeof entriesOf>): readonly string[] {
  const tree = treeOf(whole.replace(BOM, ''), row.reads)
  if ('refused' in tree) return [tree.refused]
  let value: unknown
  try {
    value = row.reads === 'json' ? JSON.parse(whole.replace(BOM, '')) : plainOf(tree)
  } catch {
    return ['it is not JSON']
  }
  return entries.flatMap(({ at, value: wanted }) => {
    const list = at.reduce<unknown>((inner, key) => (inner as Record<string, unknown> | undefined)?.[key], value)
    const ours = Array.isArray(list) ? list.filter(isOurs) : []
    if (ours.some((one) => JSON.stringify(one) === JSON.stringify(wanted))) return []
    return [`its entry for ${at.at(-1)} ${ours.length > 0 ? 'is not as setup wrote it' : 'is missing'}`]
  })
}

/** What is to be put where the file is left alone: the whole of a file that holds nothing else. */
export function snippetOf(row: WireRow, program: Program, version: string | undefined): string {
  const edited = insertJson('', entriesOf(row, program, version), row.form.needed ?? [], row.reads)
  return 'refused' in edited ? '' : edited.text
}

/** Writes what was planned. Gives what is to be remembered. Throws where it could not be written. */
export function applyPlan(plan: FilePlan, state: string, former: Wired | undefined): FileRecord {
  const { path, file, before, beforeMode, edited, made } = plan
  if (plan.does === 'keep' && former !== undefined && former.file.real === file.real) return former.file
  if (before !== undefined) keepCopy(state, before)
  // What a person had is kept, too, where it is not what the way back leads to.
  if (file.bytes !== undefined && file.bytes !== before) keepCopy(state, file.bytes)
  const bytes = Buffer.from(edited.text)
  const dirs = plan.does === 'keep' ? [] : makeParents(file.real)
  if (plan.does !== 'keep') replaceFile(file, bytes)
  return {
    path,
    real: file.real,
    before: before === undefined ? null : { sha256: hashOf(before), mode: beforeMode },
    after: { sha256: hashOf(plan.does === 'keep' ? file.bytes! : bytes) },
    chunks: edited.spans.map(({ at, length }) => edited.text.slice(at, at + length)),
    made,
    dirs: [...(former?.file.dirs ?? []), ...dirs],
  }
}

/** Undoes `applyPlan` at once. */
export function revertPlan({ does, file, edited }: FilePlan): void {
  if (does === 'keep') return
  const written = { ...file, bytes: Buffer.from(edited.text) }
  if (file.bytes === undefined) removeFile(written)
  else replaceFile(written, file.bytes)
}
