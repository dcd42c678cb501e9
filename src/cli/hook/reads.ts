/** How many bytes reads have brought in a session: one number in a file beside the session's lines. */
import { closeSync, constants, openSync, readSync, writeSync } from 'node:fs'
import type { ToolCall } from '../../core/call.ts'
import { openState, sessionFile } from '../../session/store.ts'

/** Digits of the number. */
const WIDTH = 15

/** Adds to the number and returns it; `bytes` alone where it cannot be kept. Calls at the same time may lose one another's. */
export function countRead(
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  call: ToolCall,
  bytes: number,
): number {
  let handle: number | undefined
  try {
    const state = openState(env, home)
    if ('refused' in state) return bytes
    const file = sessionFile(state, call.host, call.session).replace(/\.jsonl$/, '.reads')
    handle = openSync(file, constants.O_RDWR | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0), 0o600)
    const text = Buffer.alloc(WIDTH)
    const before = Number(text.toString('latin1', 0, readSync(handle, text, 0, WIDTH, 0)))
    const total = (Number.isSafeInteger(before) && before > 0 ? before : 0) + bytes
    writeSync(handle, String(total).padStart(WIDTH), 0)
    return total
  } catch {
    return bytes
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
