/** What the disk says of the files that are watched. */
import { lstatSync, readFileSync, readlinkSync } from 'node:fs'
import type { WatchDisk } from './watch.ts'
import { listOf } from './watch-list.ts'

/** Bytes of one file whose content is named. */
const MOST_BYTES = 1 << 20
const HEX = 32

/** The disk. `env` and `home` as the hook knows them. */
export function watchDisk(env: Readonly<Record<string, string | undefined>>, home: string): WatchDisk {
  return { stamp, content, list: (base) => listOf(base, env, home) }
}

function stamp(path: string): string | undefined {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    if (found === undefined) return undefined
    const { ino, mode, size, mtimeMs, ctimeMs } = found
    // A program can set the time of modification back, but not the one of the last change.
    const times = mtimeMs === ctimeMs ? ctimeMs : `${ctimeMs} ${mtimeMs}`
    return `${ino} ${mode} ${size} ${times}`
  } catch {
    return undefined
  }
}

function content(path: string): string {
  try {
    const found = lstatSync(path)
    const { createHash } = process.getBuiltinModule('node:crypto')
    const name = (what: string | Uint8Array) => createHash('sha256').update(what).digest('hex').slice(0, HEX)
    if (found.isSymbolicLink()) return name(`link ${found.mode} ${readlinkSync(path)}`)
    if (!found.isFile() || found.size > MOST_BYTES) return ''
    return name(Buffer.concat([Buffer.from(`file ${found.mode} `), readFileSync(path)]))
  } catch {
    return ''
  }
}
