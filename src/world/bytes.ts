/**
 * Bytes as text. A decoder of the platform (`TextDecoder`) costs a hook a millisecond before it has read anything; buffers
 * are there already.
 */
import { isUtf8 } from 'node:buffer'
import type { FileText } from '../core/question.ts'

/** Bytes as UTF-8 text, what is none as U+FFFD; a byte order mark stays. */
const decoded = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')

/** Bytes as UTF-8 text without a byte order mark in front; undefined where they are no such text. */
export function strictText(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined
  const text = decoded(bytes)
  return text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
}

/**
 * At most `limit` bytes as text. `unreadable` where a NUL byte shows that it is no text. A character that the limit
 * cuts in two is left out.
 */
export function textOfBytes(bytes: Uint8Array, limit: number): FileText {
  const cut = bytes.length > limit
  let end = Math.min(bytes.length, limit)
  if (cut) while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  const head = bytes.subarray(0, end)
  return head.includes(0) ? 'unreadable' : { text: decoded(head), cut }
}
