/** What setup would do to a settings file of a host, and doing it. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import {
  hashOf,
  makeParents,
  type OnDisk,
  readForEdit,
  removeEmpty,
  removeFile,
  replaceFile,
  textOf,
  whyReadOnly,
} from './edit/disk.ts'
import { formatOf, valueAt } from './edit/format.ts'
import { BOM, type Edited, type Refusal } from './edit/insert.ts'
import { type FileRecord, firstOf, keepCopy, readCopy } from './record.ts'
import { commandOf, entriesOf, eventsOf, isOurs, type Program } from './wire/entries.ts'
import { type Edits, type Own, pathOf, type Scope, type Surroundings, type WireRow } from './wire/row.ts'

export interface FilePlan {
  readonly path: string
  readonly file: OnDisk
  /** The bytes that the way back leads to; undefined: no file. */
  readonly before: Uint8Array | undefined
  readonly beforeMode: number
  readonly edited: Edited
  readonly made: readonly (readonly string[])[]
  readonly mode: number
  readonly own: boolean
  /** SHA-256 of the file where it held entries of ours that no record tells of. */
  readonly found: string | undefined
  /** `keep`: all of it stands there already. */
  readonly does: 'make' | 'add' | 'renew' | 'keep'
}

export interface Refused extends Refusal {
  readonly path: string
  /** What a person may put there. */
  readonly snippet: string
}

/** What a plan rests on. */
export interface Making {
  readonly row: WireRow
  readonly scope: Scope
  readonly at: Surroundings
  readonly program: Program
  /** Of the host, where it is known. */
  readonly version: string | undefined
  readonly state: string
  /** Root of our package. */
  readonly root: string
  /** What setup did here before. */
  readonly former: readonly FileRecord[]
}

/** Reads the host's files and says what each would become. Changes nothing. Empty: it has none of this scope. */
export const planFiles = (making: Making): readonly (FilePlan | Refused)[] =>
  making.row.files.flatMap((target) => {
    const place = target.settings[making.scope]
    if (place === undefined) return []
    const path = pathOf(place, making.at)
    const former = making.former.find((one) => one.path === path)
    return [target.is === 'own' ? planOwn(target, path, former, making) : planEdits(target, path, former, making)]
  })

/** How a file is read and changed. */
export const formatIn = ({ reads, form }: Edits) => formatOf(reads, form.checked)

function planEdits(target: Edits, path: string, former: FileRecord | undefined, making: Making): FilePlan | Refused {
  const { row, program, version, state } = making
  const entries = entriesOf(row, target, program, version)
  const refuse = (refused: string): Refused => ({ refused, path, snippet: snippetOf(row, target, program, version) })
  if (target.form.expands && entries.some(({ value }) => JSON.stringify(value).includes('$')))
    return refuse('the runtime lies where a path holds $, which this host expands; name another place by XDG_DATA_HOME')
  const file = readForEdit(path)
  if ('refused' in file) return refuse(file.refused)
  const whole = file.bytes === undefined ? '' : textOf(file.bytes)
  if (whole === undefined) return refuse('it is not UTF-8')
  if (whole.startsWith(BOM) && !target.readsMark)
    return refuse('it begins with a byte order mark, and with one this host reads nothing of it')
  const origin = originOf(file, whole, target, former, state)
  if (origin === undefined) return refuse('our entries in it cannot be told from others')
  const before = origin.bytes === undefined ? '' : textOf(origin.bytes)!
  const edited = formatIn(target).insert(origin.base ?? before, entries, target.form.needed ?? [])
  if ('refused' in edited) return refuse(edited.refused)
  const emptied = origin.base === undefined ? [] : heldIn(whole, target)
  const made = madeBy(before, row, target, version, emptied)
  const found =
    former === undefined ? (origin.base === undefined ? undefined : hashOf(file.bytes!)) : former.found?.sha256
  const ways = { before: origin.bytes, beforeMode: origin.mode, made, found }
  const base = { path, file, edited, mode: file.mode, own: false, ...ways }
  if (edited.text === whole && file.bytes !== undefined) return { ...base, does: 'keep' }
  // Others wrote to it since, and ours is whole.
  if (former !== undefined && missingIn(whole, target, entries).length === 0) return { ...base, does: 'keep' }
  const readOnly = whyReadOnly(file)
  if (readOnly !== undefined) return refuse(readOnly)
  return { ...base, does: file.bytes === undefined ? 'make' : origin.bytes === file.bytes ? 'add' : 'renew' }
}

/**
 * What stood there without us: the copy where nothing else has written, else the text without our entries. `base`: where
 * no record tells of them, the text with their lists, emptied, still in it: ours go in where they were.
 */
function originOf(
  file: OnDisk,
  whole: string,
  target: Edits,
  record: FileRecord | undefined,
  state: string,
): { readonly bytes: Uint8Array | undefined; readonly mode: number; readonly base?: string } | undefined {
  if (record !== undefined && file.bytes !== undefined && hashOf(file.bytes) === record.after.sha256) {
    if (record.before === null) return { bytes: undefined, mode: file.mode }
    const bytes = readCopy(state, record.before.sha256)
    if (bytes !== undefined) return { bytes, mode: record.before.mode }
  }
  if (file.bytes === undefined || whole.trim() === '') return { bytes: file.bytes, mode: file.mode }
  const format = formatIn(target)
  // What cannot be read is refused by the edit, with the reason.
  if ('refused' in format.loose(whole)) return { bytes: file.bytes, mode: file.mode }
  const rest = format.cut(whole, target.form.at, isOurs, record?.made ?? [])
  if (rest === undefined) return undefined
  if (rest === whole) return { bytes: file.bytes, mode: file.mode }
  if (record !== undefined) return { bytes: Buffer.from(rest), mode: file.mode }
  const tidy = format.cut(whole, target.form.at, isOurs, heldIn(whole, target))
  return tidy === undefined ? undefined : { bytes: Buffer.from(tidy), mode: file.mode, base: rest }
}

/** The lists of events that hold something, and what holds them: those that were empty before us are somebody's. */
export function heldIn(whole: string, target: Edits): readonly (readonly string[])[] {
  const { at } = target.form
  const read = formatIn(target).loose(whole)
  const holder = 'refused' in read ? undefined : valueAt(read.values, at)
  const lists = Object.entries((typeof holder === 'object' && holder) || {})
    .filter(([, list]) => Array.isArray(list) && list.length > 0)
    .map(([key]) => [...at, key])
  return [...at.map((_, i) => at.slice(0, i + 1)), ...lists]
}

/** Lists and objects that an edit makes, from the outermost, and those of `emptied` that the way back leads past, too. */
function madeBy(
  whole: string,
  row: WireRow,
  target: Edits,
  version: string | undefined,
  emptied: readonly (readonly string[])[],
): readonly (readonly string[])[] {
  const { form } = target
  const read = whole.trim() === '' ? undefined : formatIn(target).loose(whole)
  const absent = (path: readonly string[]) =>
    read === undefined || 'refused' in read || valueAt(read.values, path) === undefined
  const paths = [
    ...form.at.map((_, i) => form.at.slice(0, i + 1)),
    ...eventsOf(row, version).map(({ name }) => [...form.at, name]),
    ...emptied,
  ]
  return paths.filter(absent)
}

/** What is wrong with our entries in a text, each as one clause. */
export function missingIn(whole: string, target: Edits, entries: ReturnType<typeof entriesOf>): readonly string[] {
  const read = formatIn(target).read(whole)
  if ('refused' in read) return [read.refused]
  const { event } = target.form
  const faults = entries.flatMap(({ at, value: wanted }) => {
    const list = valueAt(read.values, at)
    const name = event === undefined ? at.at(-1)! : String((wanted as Readonly<Record<string, unknown>>)[event])
    const ours = Array.isArray(list)
      ? list.filter((one) => isOurs(one) && (event === undefined || (one as Record<string, unknown>)[event] === name))
      : []
    if (ours.some((one) => JSON.stringify(one) === JSON.stringify(wanted))) return []
    return [`its entry for ${name} ${ours.length > 0 ? 'is not as setup wrote it' : 'is missing'}`]
  })
  // Entries of others that make the host drop ours, too, came in later.
  const edited = faults.length === 0 ? formatIn(target).insert(whole, entries, []) : undefined
  return edited !== undefined && 'refused' in edited ? [edited.refused] : faults
}

/** What is to be put where the file is left alone: the whole of a file that holds nothing else. */
export function snippetOf(row: WireRow, target: Edits | Own, program: Program, version: string | undefined): string {
  // A plugin is too long to be put there by hand.
  if (target.is === 'own') return 'plugin' in target.text ? '' : madeText(row, target.text, program)
  const edited = formatIn(target).insert('', entriesOf(row, target, program, version), target.form.needed ?? [])
  return 'refused' in edited ? '' : edited.text
}

const scriptOf = (row: WireRow, event: string, program: Program): string =>
  `#!/bin/sh\nexec ${commandOf(program, row, event)}\n`

/** The text of a file that is made of commands alone. */
function madeText(row: WireRow, text: Exclude<Own['text'], { readonly plugin: string }>, program: Program): string {
  if ('script' in text) return scriptOf(row, text.script, program)
  return `${JSON.stringify(
    text.json((event) => commandOf(program, row, event)),
    undefined,
    2,
  )}\n`
}

/** Stands in a plugin of the package for what starts the hook. */
const PLACE = "const COMMAND = ['NODE', 'HOOK']"

/** The text of a file of ours. Throws where the package lacks it. */
export function ownText(row: WireRow, { text }: Own, program: Program, root: string): string {
  if (!('plugin' in text)) return madeText(row, text, program)
  const plugin = readFileSync(join(root, text.plugin), 'utf8')
  if (!plugin.includes(PLACE)) throw new Error(`${text.plugin} has no place for its command`)
  return plugin.replace(PLACE, () => `const COMMAND = ${JSON.stringify([program.node, program.hook])}`)
}

function planOwn(target: Own, path: string, former: FileRecord | undefined, making: Making): FilePlan | Refused {
  const { row, program, version, root } = making
  const refuse = (refused: string): Refused => ({ refused, path, snippet: snippetOf(row, target, program, version) })
  const file = readForEdit(path)
  if ('refused' in file) return refuse(file.refused)
  const text = ownText(row, target, program, root)
  const edited = { text, spans: [] }
  const found = former === undefined && file.bytes !== undefined ? hashOf(file.bytes) : former?.found?.sha256
  const ways = { before: undefined, beforeMode: 0, made: [], found } as const
  const base = { path, file, edited, mode: target.mode, own: true, ...ways } as const
  if (file.bytes === undefined) return { ...base, does: 'make' }
  const now = textOf(file.bytes)
  if (now === text && (file.mode & target.mode) === target.mode) return { ...base, does: 'keep' }
  const ours = hashOf(file.bytes) === former?.after.sha256 || now === text || (now !== undefined && isOwn(now))
  return ours ? { ...base, does: 'renew' } : refuse('another file of this name stands there')
}

/** Whether a whole file is one of ours, of whatever version. */
export const isOwn = (text: string): boolean =>
  text.startsWith('/**\n * Sallyport in ') ||
  isOurs({ command: /^#!\/bin\/sh\nexec ([\s\S]*)\n$/.exec(text)?.[1] ?? '' }) ||
  isOwnJson(text)

function isOwnJson(text: string): boolean {
  try {
    const read: unknown = JSON.parse(text)
    if (isOurs(read)) return true
    const { name, description } = (read ?? {}) as { name?: unknown; description?: unknown }
    return name === 'sallyport' && String(description).startsWith('Sallyport')
  } catch {
    return false
  }
}

/** Writes what was planned. Gives what is to be remembered. Throws where it could not be written. */
export function applyPlan(plan: FilePlan, state: string, former: FileRecord | undefined): FileRecord {
  const { path, file, before, beforeMode, edited, made, own, found } = plan
  if (plan.does === 'keep' && former !== undefined && former.real === file.real) return former
  if (before !== undefined) keepCopy(state, before)
  // What a person had is kept, too, where it is not what the way back leads to.
  if (file.bytes !== undefined && file.bytes !== before) keepCopy(state, file.bytes)
  const bytes = Buffer.from(edited.text)
  const dirs = plan.does === 'keep' ? [] : makeParents(file.real)
  try {
    if (plan.does !== 'keep') replaceFile(file, bytes, plan.mode)
  } catch (error) {
    removeEmpty(dirs)
    throw error
  }
  const sha256 = before === undefined ? undefined : hashOf(before)
  // Where others removed it, there is none to go back to.
  const between = former !== undefined && sha256 !== undefined && firstOf(former)?.sha256 !== sha256
  return {
    path,
    real: file.real,
    ...(own ? { own } : {}),
    before: sha256 === undefined ? null : { sha256, mode: beforeMode },
    ...(between ? { first: firstOf(former) } : {}),
    ...(found === undefined ? {} : { found: { sha256: found } }),
    after: { sha256: hashOf(plan.does === 'keep' ? file.bytes! : bytes) },
    // Without them the lists that held ours before would stay, empty.
    chunks: found === undefined ? edited.spans.map(({ at, length }) => edited.text.slice(at, at + length)) : [],
    made,
    dirs: [...(former?.dirs ?? []), ...dirs],
  }
}

/** Undoes `applyPlan` at once. */
export function revertPlan({ does, file, edited }: FilePlan): void {
  if (does === 'keep') return
  const written = { ...file, bytes: Buffer.from(edited.text) }
  if (file.bytes === undefined) removeFile(written)
  else replaceFile(written, file.bytes)
}
