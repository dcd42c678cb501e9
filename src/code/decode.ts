/** Decoding of texts that programs hide behind: base64, hex, rot13, character codes. No engine globals. */

/** A decoded text longer than this is not read. */
const MOST_DECODED = 256 * 1024

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'

/** Bytes of a base64 or base64url text, or undefined where it is none. Blanks and padding are ignored. */
export function base64Bytes(text: string): readonly number[] | undefined {
  const plain = text.replace(/\s+/g, '').replace(/=+$/, '').replaceAll('-', '+').replaceAll('_', '/')
  if (plain.length > MOST_DECODED || plain.length % 4 === 1) return undefined
  const bytes: number[] = []
  let bits = 0
  let count = 0
  for (const c of plain) {
    const value = ALPHABET.indexOf(c)
    if (value < 0) return undefined
    bits = ((bits << 6) | value) & 0xffff
    count += 6
    if (count >= 8) {
      count -= 8
      bytes.push((bits >> count) & 0xff)
    }
  }
  return bytes
}

/** UTF-8 bytes as text; a byte that does not fit becomes U+FFFD. */
export function utf8(bytes: readonly number[]): string {
  let out = ''
  for (let i = 0; i < bytes.length; ) {
    const first = bytes[i++]!
    const more = first < 0x80 ? 0 : first >= 0xf0 ? 3 : first >= 0xe0 ? 2 : first >= 0xc0 ? 1 : -1
    if (more < 0) {
      out += '\ufffd'
      continue
    }
    let code = more === 0 ? first : first & (0x3f >> more)
    let left = more
    while (left > 0 && i < bytes.length && (bytes[i]! & 0xc0) === 0x80) {
      code = (code << 6) | (bytes[i++]! & 0x3f)
      left--
    }
    out += left > 0 || code > 0x10ffff ? '\ufffd' : String.fromCodePoint(code)
  }
  return out
}

/** Text of base64, UTF-8 within. */
export function base64Text(text: string): string | undefined {
  const bytes = base64Bytes(text)
  return bytes === undefined ? undefined : utf8(bytes)
}

/** Text of base64 with UTF-16LE within, as PowerShell's encoded commands are. */
export function base64Utf16(text: string): string | undefined {
  const bytes = base64Bytes(text)
  if (bytes === undefined || bytes.length % 2 !== 0) return undefined
  let out = ''
  for (let i = 0; i < bytes.length; i += 2) out += String.fromCharCode(bytes[i]! | (bytes[i + 1]! << 8))
  return out
}

/** Text of hexadecimal digits. */
export function hexText(text: string): string | undefined {
  const plain = text.replace(/\s+/g, '')
  if (plain.length % 2 !== 0 || plain.length > MOST_DECODED || !/^[0-9a-fA-F]*$/.test(plain)) return undefined
  const bytes: number[] = []
  for (let i = 0; i < plain.length; i += 2) bytes.push(Number.parseInt(plain.slice(i, i + 2), 16))
  return utf8(bytes)
}

/** Letters moved by thirteen places. */
export const rot13 = (text: string): string =>
  text.replace(/[A-Za-z]/g, (c) => {
    const base = c <= 'Z' ? 65 : 97
    return String.fromCharCode(((c.charCodeAt(0) - base + 13) % 26) + base)
  })
