/** Captures of two bytes a character, read as UTF-8. */
import { type Bytes, bytesOf } from '../bytes.ts'
import { wideOf } from './magic.ts'

/** Longer ones stay as they are, and are then no text. */
const MOST = 16 << 20

export interface Narrow {
  readonly bytes: Bytes
  /** Whether lines have the same numbers in the capture itself. */
  readonly lines: boolean
  /** Bytes of the capture that a part of `bytes` stands for. */
  sizeOf(from: number, to: number): number
}

/** The capture as UTF-8 where it is UTF-16, by its mark or by every second byte of its beginning being zero. */
export function narrow(bytes: Bytes): Narrow | undefined {
  const wide = bytes.size > MOST ? undefined : wideOf(bytes.read(0, 4096))
  if (wide === undefined) return undefined
  const all = Buffer.from(bytes.read(wide.mark, bytes.size))
  const even = all.subarray(0, all.length - (all.length % 2))
  const text = (wide.order === 'be' ? Buffer.from(even).swap16() : even).toString('utf16le')
  const utf8 = Buffer.from(text)
  const sizeOf = (from: number, to: number) => 2 * utf8.toString('utf8', from, to).length
  return { bytes: bytesOf(utf8), lines: count(utf8) === count(all), sizeOf }
}

/** Bytes that are read as line ends. */
function count(bytes: Uint8Array): number {
  let found = 0
  for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) found++
  return found
}
