/** The user's key for masks: random, made once, never shown. */
import { randomBytes } from 'node:crypto'
import { closeSync, constants, fstatSync, linkSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { openState } from '../../session/store.ts'

const LENGTH = 32
const NAME = 'redact.key'

/** Used where no key can be kept: masks are alike within this process only. */
let ownKey: Uint8Array | undefined

/**
 * The key of this user, 32 bytes, from `redact.key` (0600) in the state directory; made where it is absent. Where the
 * directory cannot be used, or the file is not ours alone, a key that lives as long as the process. Never throws.
 */
export function redactionKey(env: Readonly<Record<string, string | undefined>>, home: string): Uint8Array {
  const state = openState(env, home)
  if (!('refused' in state)) {
    const file = join(state.path, NAME)
    const kept = read(file) ?? (make(file) ? read(file) : undefined)
    if (kept !== undefined) return kept
  }
  ownKey ??= randomBytes(LENGTH)
  return ownKey
}

function read(file: string): Uint8Array | undefined {
  let handle: number | undefined
  try {
    handle = openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0))
    const found = fstatSync(handle)
    const mine = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0)
    const bytes = new Uint8Array(LENGTH)
    return found.isFile() && mine && found.size === LENGTH && readSync(handle, bytes) === LENGTH ? bytes : undefined
  } catch {
    return undefined
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}

/** Writes a new key beside and links it into place: of two processes one wins, and neither reads half a key. */
function make(file: string): boolean {
  const beside = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
  try {
    const handle = openSync(beside, 'wx', 0o600)
    try {
      if (writeSync(handle, randomBytes(LENGTH)) !== LENGTH) return false
    } finally {
      closeSync(handle)
    }
    linkSync(beside, file)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EEXIST'
  } finally {
    try {
      unlinkSync(beside)
    } catch {}
  }
}
