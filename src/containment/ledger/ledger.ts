/** The ledger's file: rows are added and never changed, so totals of the past stay what they were. */
import { closeSync, constants, fstatSync, openSync, readSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { makeDirs } from '../../session/store.ts'
import { containmentState } from '../store/layout.ts'
import { type LedgerRow, parseRow } from './row.ts'

export { rowOf } from './row.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Bytes of a line at most: one append of so much is whole, whoever else appends. */
const MOST_LINE = 4096
const CHUNK = 1 << 20

/** `ledger.jsonl` below `CTX_STATE_HOME`, else below the product's state directory. */
export const ledgerFile = (env: Env, home: string): string => join(containmentState(env, home), 'ledger.jsonl')

/**
 * Adds a row to the file (mode 0600), in one write. Returns undefined, or one clause without a full stop that says what
 * went wrong; a ledger that cannot be written holds nothing up. Never throws.
 */
export function book(row: LedgerRow, file: string): string | undefined {
  let handle: number | undefined
  try {
    makeDirs(join(file, '..'))
    const flags = constants.O_RDWR | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0)
    handle = openSync(file, flags | (constants.O_NONBLOCK ?? 0), 0o600)
    const found = fstatSync(handle)
    if (!found.isFile()) return `the ledger ${file} is no regular file`
    const bytes = Buffer.from(`${torn(handle, found.size) ? '\n' : ''}${JSON.stringify(row)}\n`)
    if (bytes.length > MOST_LINE) return 'a row of the ledger is too long'
    return writeSync(handle, bytes) === bytes.length ? undefined : `the ledger ${file} could not be written whole`
  } catch (error) {
    return `the ledger ${file} cannot be written (${(error as NodeJS.ErrnoException).code ?? String(error)})`
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Whether the last line has no end: its writer died, or another one is about to add it. An empty line harms nobody. */
function torn(handle: number, size: number): boolean {
  const last = Buffer.alloc(1)
  return size > 0 && readSync(handle, last, 0, 1, size - 1) === 1 && last[0] !== 0x0a
}

export interface ReadLedger {
  /** Lines that are no rows of ours. */
  readonly skipped: number
}

/** Hands every row of the file to `take`, oldest first, in memory that does not grow with it. Undefined: there is none. */
export function readLedger(file: string, take: (row: LedgerRow) => void): ReadLedger | undefined {
  let handle: number
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
  try {
    let skipped = 0
    let rest = ''
    const buffer = Buffer.alloc(CHUNK)
    const line = (text: string) => {
      const row = text.length > MOST_LINE ? undefined : parseRow(text)
      if (row !== undefined) take(row)
      else if (text.trim() !== '') skipped++
    }
    for (let got = readSync(handle, buffer); got > 0; got = readSync(handle, buffer)) {
      // Rows are ASCII but for what somebody else wrote, which is skipped anyway.
      const lines = (rest + buffer.toString('latin1', 0, got)).split('\n')
      rest = lines.pop()!
      // A line without an end that is longer than any row.
      if (rest.length > 2 * MOST_LINE) rest = rest.slice(0, MOST_LINE + 1)
      for (const text of lines) line(text)
    }
    line(rest)
    return { skipped }
  } finally {
    closeSync(handle)
  }
}
