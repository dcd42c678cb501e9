/**
 * Credentials at rest: one file, each entry's fields sealed with AES-256-GCM and bound to its id and type. Several
 * processes may use it: changes are made under a lock and put in place whole, readers look whether the file changed.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { writeWhole } from '../egress/write-whole.ts'
import type { Fields } from './fields.ts'
import { keyOfFile } from './key.ts'

export type Entry = Fields & {
  readonly id: string
  readonly status: 'active' | 'revoked'
  readonly created: number
  readonly updated: number
  /** Anew with each change by a person; not with a token that was renewed. */
  readonly revision: string
}

export interface Vault {
  /** All entries as they are now, oldest first. Throws one sentence where the file cannot be read. */
  entries(): ReadonlyMap<string, Entry>
  /** Changes the entries under the lock; what `act` throws leaves them as they were. */
  change<T>(act: (entries: Map<string, Entry>) => T): Promise<T>
}

interface Stored {
  readonly id: string
  readonly type: Entry['type']
  readonly status: Entry['status']
  readonly created: number
  readonly updated: number
  readonly revision: string
  readonly nonce: string
  readonly sealed: string
}

const CIPHER = 'aes-256-gcm'
const TAG = 16
/** A lock that is older was left by a process that died. */
const LOCK_MS = 30_000
const WAIT_MS = 10_000

/** `key`: in place of the key file `key` in `dir`. The directory is made. */
export function openVault(dir: string, key?: Buffer): Vault {
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  const file = join(dir, 'credentials.json')
  const lock = join(dir, 'lock')
  let secret = key
  let kept: { readonly stamp: string; readonly entries: Map<string, Entry> } | undefined

  const keyFor = (mayMake: boolean): Buffer => {
    secret ??= keyOfFile(join(dir, 'key'), mayMake)
    return secret
  }

  const stampOf = (): string => {
    const stat = statSync(file, { bigint: true, throwIfNoEntry: false })
    return stat === undefined ? '' : `${stat.ino} ${stat.mtimeNs} ${stat.size}`
  }

  const entries = (): Map<string, Entry> => {
    const stamp = stampOf()
    if (kept?.stamp !== stamp) kept = { stamp, entries: stamp === '' ? new Map() : read(file, keyFor(false)) }
    return kept.entries
  }

  return {
    entries,
    async change(act) {
      const free = await take(lock)
      try {
        const next = new Map(entries())
        const result = act(next)
        const sealing = keyFor(kept?.stamp === '')
        writeWhole(
          file,
          `${JSON.stringify({ v: 1, entries: [...next.values()].map((one) => seal(one, sealing)) })}\n`,
          0o600,
        )
        kept = undefined
        return result
      } finally {
        free()
      }
    },
  }
}

const bound = ({ id, type, revision }: Pick<Stored, 'id' | 'type' | 'revision'>): Buffer =>
  Buffer.from(JSON.stringify([id, type, revision]))

function seal({ fields, ...entry }: Entry, key: Buffer): Stored {
  const nonce = randomBytes(12)
  const cipher = createCipheriv(CIPHER, key, nonce)
  cipher.setAAD(bound(entry))
  const sealed = Buffer.concat([cipher.update(JSON.stringify(fields), 'utf8'), cipher.final(), cipher.getAuthTag()])
  return { ...entry, nonce: nonce.toString('base64'), sealed: sealed.toString('base64') }
}

function read(file: string, key: Buffer): Map<string, Entry> {
  let stored: readonly Stored[]
  try {
    const parsed = JSON.parse(readFileSync(file, 'utf8')) as { v: unknown; entries: readonly Stored[] }
    if (parsed.v !== 1 || !Array.isArray(parsed.entries)) throw new Error('another version')
    stored = parsed.entries
  } catch {
    throw new Error(`the credential store ${file} cannot be read: it is damaged or of another version`)
  }
  const entries = new Map<string, Entry>()
  for (const { nonce, sealed, ...entry } of stored) {
    try {
      const bytes = Buffer.from(sealed, 'base64')
      const decipher = createDecipheriv(CIPHER, key, Buffer.from(nonce, 'base64'), { authTagLength: TAG })
      decipher.setAAD(bound(entry))
      decipher.setAuthTag(bytes.subarray(bytes.length - TAG))
      const plain = Buffer.concat([decipher.update(bytes.subarray(0, bytes.length - TAG)), decipher.final()])
      entries.set(entry.id, { ...entry, fields: JSON.parse(plain.toString('utf8')) } as Entry)
    } catch {
      throw new Error(`the credential store ${file} cannot be opened with this key, or was changed by somebody else`)
    }
  }
  return entries
}

/** Waits for the lock file; the answer frees it. */
async function take(lock: string): Promise<() => void> {
  const until = performance.now() + WAIT_MS
  for (;;) {
    try {
      const fd = openSync(lock, 'wx', 0o600)
      writeSync(fd, String(process.pid))
      closeSync(fd)
      return () => rmSync(lock, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    if (isLeft(lock)) rmSync(lock, { force: true })
    else if (performance.now() > until) throw new Error(`the credential store is locked by another process (${lock})`)
    else await pause(20)
  }
}

function isLeft(lock: string): boolean {
  try {
    if (Date.now() - statSync(lock).mtimeMs > LOCK_MS) return true
    const pid = Number(readFileSync(lock, 'utf8'))
    if (!Number.isInteger(pid) || pid <= 0) return false
    process.kill(pid, 0)
    return false
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH'
  }
}
