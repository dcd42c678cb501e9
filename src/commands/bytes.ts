/** Encodings of text, by hand: the verdict path knows no Buffer. */

/** How long a text may be that is decoded or changed exactly; longer text counts as unknown. */
export const MOST_EXACT = 256 * 1024

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

/** Text of UTF-8 bytes, or undefined where they are none. */
export function textOfBytes(bytes: readonly number[]): string | undefined {
  try {
    return decodeURIComponent(bytes.map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''))
  } catch {
    return undefined
  }
}

/** UTF-8 bytes of a text, or undefined where it holds half a character. */
export function bytesOfText(text: string): readonly number[] | undefined {
  try {
    const bytes: number[] = []
    const encoded = encodeURIComponent(text)
    for (let i = 0; i < encoded.length; i++) {
      if (encoded[i] === '%') {
        bytes.push(Number.parseInt(encoded.slice(i + 1, i + 3), 16))
        i += 2
      } else bytes.push(encoded.charCodeAt(i))
    }
    return bytes
  } catch {
    return undefined
  }
}

/** Reads digits of `bits` bits each into bytes. Characters that are no digits are skipped or end it. */
function fromDigits(text: string, alphabet: string, bits: number, lenient: boolean): readonly number[] {
  const bytes: number[] = []
  let held = 0
  let count = 0
  for (const char of text) {
    if (/\s/.test(char)) continue
    if (char === '=') {
      // Padding ends a group; more digits may follow.
      held = 0
      count = 0
      continue
    }
    const digit = alphabet.indexOf(char)
    if (digit < 0) {
      if (lenient) continue
      // What stands before is decoded and printed all the same.
      break
    }
    held = ((held << bits) | digit) & 0xffff
    count += bits
    if (count >= 8) {
      count -= 8
      bytes.push((held >> count) & 0xff)
    }
  }
  return bytes
}

export type Encoding = 'base64' | 'base64url' | 'base32' | 'hex'

/** The text that an encoding stands for, or undefined where it is no text. */
export function decode(text: string, encoding: Encoding, lenient = false): string | undefined {
  if (text.length > MOST_EXACT) return undefined
  const bytes =
    encoding === 'hex'
      ? fromDigits(text.toLowerCase().replace(/[^0-9a-f\s]/g, ''), '0123456789abcdef', 4, true)
      : encoding === 'base32'
        ? fromDigits(text, BASE32, 5, lenient)
        : fromDigits(
            encoding === 'base64url' ? text.replaceAll('-', '+').replaceAll('_', '/') : text,
            ALPHABET,
            6,
            lenient,
          )
  return textOfBytes(bytes)
}

/** A text in base64, without line breaks. */
export function encodeBase64(text: string): string | undefined {
  if (text.length > MOST_EXACT) return undefined
  const bytes = bytesOfText(text)
  if (bytes === undefined) return undefined
  let out = ''
  for (let i = 0; i < bytes.length; i += 3) {
    const [a, b, c] = [bytes[i]!, bytes[i + 1], bytes[i + 2]]
    out += ALPHABET[a >> 2]! + ALPHABET[((a & 3) << 4) | ((b ?? 0) >> 4)]!
    out += b === undefined ? '=' : ALPHABET[((b & 15) << 2) | ((c ?? 0) >> 6)]!
    out += c === undefined ? '=' : ALPHABET[c & 63]!
  }
  return out
}
