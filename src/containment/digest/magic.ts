import { isUtf8 } from 'node:buffer'

/** What a capture is by its first bytes, where it is no text. */

const MAGIC: readonly (readonly [string, string])[] = [
  ['7f454c46', 'ELF binary'],
  ['89504e470d0a1a0a', 'PNG image'],
  ['ffd8ff', 'JPEG image'],
  ['47494638', 'GIF image'],
  ['25504446', 'PDF document'],
  ['504b0304', 'zip archive'],
  ['504b0506', 'empty zip archive'],
  ['1f8b', 'gzip data'],
  ['425a68', 'bzip2 data'],
  ['fd377a585a00', 'xz data'],
  ['28b52ffd', 'zstd data'],
  ['377abcaf271c', '7z archive'],
  ['cafebabe', 'Java class or Mach-O binary'],
  ['cffaedfe', 'Mach-O binary'],
  ['feedfacf', 'Mach-O binary'],
  ['0061736d', 'WebAssembly module'],
  ['53514c69746520666f726d617420330', 'SQLite database'],
  ['4d5a', 'DOS or Windows binary'],
  ['213c617263683e0a', 'ar archive'],
  ['4f676753', 'Ogg media'],
  ['494433', 'MP3 audio'],
  ['52494646', 'RIFF media'],
  ['774f4632', 'WOFF2 font'],
]

/** The format that the first bytes name. */
export function formatOf(head: Uint8Array): string | undefined {
  const hex = Buffer.from(head.subarray(0, 24)).toString('hex')
  const found = MAGIC.find(([magic]) => hex.startsWith(magic))?.[1]
  if (found !== undefined) return found
  return Buffer.from(head.subarray(257, 262)).toString('latin1') === 'ustar' ? 'tar archive' : undefined
}

type Order = 'le' | 'be'

const markOf = (head: Uint8Array): Order | undefined => {
  if (head[0] === 0xff && head[1] === 0xfe && !(head[2] === 0 && head[3] === 0)) return 'le'
  return head[0] === 0xfe && head[1] === 0xff ? 'be' : undefined
}

/** Whether what stands behind a mark reads as two bytes a character: the mark's bytes may be any program's. */
function looksWide(bytes: Uint8Array, order: Order): boolean {
  const pairs = bytes.length >> 1
  const high = order === 'le' ? 1 : 0
  let printable = 0
  let ascii = 0
  let broken = 0
  let open = false
  for (let i = 0; i < pairs; i++) {
    const upper = bytes[2 * i + high]!
    const lower = bytes[2 * i + 1 - high]!
    if (isPrintable(upper)) printable++
    if (isPrintable(lower)) printable++
    if (upper === 0 && isPrintable(lower)) ascii++
    const second = upper >= 0xdc && upper <= 0xdf
    if (open !== second) broken++
    open = upper >= 0xd8 && upper <= 0xdb
  }
  if (printable >= 2 * pairs * 0.9) return pairs === 0
  return broken <= pairs * 0.05 && (ascii > 0 || !isNarrow(bytes))
}

const isPrintable = (c: number): boolean => (c >= 0x20 && c < 0x7f) || c === 0x09 || c === 0x0a || c === 0x0d

/** Whether bytes are UTF-8, which may be cut in a character at the end. */
const isNarrow = (bytes: Uint8Array): boolean =>
  [0, 1, 2, 3].some((less) => bytes.length > less && isUtf8(bytes.subarray(0, bytes.length - less)))

/** Two bytes a character, told by the mark or, without one, by every second byte being zero. */
export function wideOf(head: Uint8Array): { readonly order: 'le' | 'be'; readonly mark: 0 | 2 } | undefined {
  const marked = markOf(head)
  if (marked !== undefined) return looksWide(head.subarray(2, 4096), marked) ? { order: marked, mark: 2 } : undefined
  const pairs = Math.min(head.length, 4096) >> 1
  if (pairs < 16) return undefined
  let low = 0
  let high = 0
  for (let i = 0; i < pairs; i++) {
    const a = head[2 * i]!
    const b = head[2 * i + 1]!
    if (b === 0 && a >= 0x09 && a < 0x80) low++
    if (a === 0 && b >= 0x09 && b < 0x80) high++
  }
  if (low >= pairs * 0.95) return { order: 'le', mark: 0 }
  return high >= pairs * 0.95 ? { order: 'be', mark: 0 } : undefined
}
