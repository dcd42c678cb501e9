/** Bytes of a file as the text that an answer carries. */
import type { FileText } from '../core/question.ts'

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * At most `limit` bytes as text. `unreadable` where a NUL byte shows that it is no text. A character that the limit
 * cuts in two is left out.
 */
export function textOfBytes(bytes: Uint8Array, limit: number): FileText {
  const cut = bytes.length > limit
  let end = Math.min(bytes.length, limit)
  if (cut) while (end > 0 && (bytes[end]! & 0xc0) === 0x80) end--
  const head = bytes.subarray(0, end)
  return head.includes(0) ? 'unreadable' : { text: UTF8.decode(head), cut }
}
