/** The newest receipt of a host that this package brings. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export interface ReceiptHead {
  readonly version: string
  /** The day on which the host was driven. */
  readonly date: string
}

/** Undefined where the host was not driven. `root`: of the package. */
export function lastReceipt(root: string, host: string): ReceiptHead | undefined {
  const dir = join(root, 'receipts')
  const files = [
    ...namesIn(dir)
      .filter((name) => name.startsWith(`${host}-`))
      .map((name) => join(dir, name)),
    ...namesIn(join(dir, host)).map((name) => join(dir, host, name)),
  ]
  return files
    .filter((file) => file.endsWith('.json'))
    .flatMap((file) => headOf(file, host) ?? [])
    .sort((a, b) => a.date.localeCompare(b.date))
    .at(-1)
}

function headOf(file: string, host: string): ReceiptHead | undefined {
  try {
    const read = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
    const { version, date } = read
    return read['host'] === host && typeof version === 'string' && typeof date === 'string'
      ? { version, date }
      : undefined
  } catch {
    return undefined
  }
}

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}
