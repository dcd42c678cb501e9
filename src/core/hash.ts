/**
 * SHA-256 (FIPS 180-4) in plain TypeScript: loading the platform's own costs more than hashing what a verdict hashes.
 * For naming things, not for keeping secrets.
 */
import { encodeUtf8 } from './utf8.ts'

/** Fractional parts of the cube roots of the first 64 primes. */
// biome-ignore format: a table
const ROUNDS = new Int32Array([
  0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
  0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
  0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
  0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
  0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
  0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
  0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
  0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
])

/** Fractional parts of the square roots of the first 8 primes. */
// biome-ignore format: a table
const START = [
  0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
] as const

const BLOCK = 64
/** A one bit and eight bytes of length follow the message. */
const TAIL = 9

/** SHA-256 of the UTF-8 form of `text`, as 64 hexadecimal digits. Lone surrogates count as U+FFFD. */
export const sha256Hex = (text: string): string => sha256HexOfBytes(encodeUtf8(text))

/** SHA-256 of `bytes`, as 64 hexadecimal digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + TAIL) / BLOCK)
  const data = new Uint8Array(blocks * BLOCK)
  data.set(bytes)
  data[bytes.length] = 0x80
  const bits = bytes.length * 8
  for (let i = 0; i < 8; i++) data[data.length - 1 - i] = Math.floor(bits / 2 ** (8 * i)) & 0xff
  const state = new Int32Array(START)
  const words = new Int32Array(64)
  for (let at = 0; at < data.length; at += BLOCK) mix(state, words, data, at)
  let out = ''
  for (let i = 0; i < 8; i++) out += (state[i]! >>> 0).toString(16).padStart(8, '0')
  return out
}

/**
 * One round of compression: of the block at `at`. Written out flat, since a hook hashes so little that the engine never
 * gets to optimise it: each call and each temporary would be paid for in full.
 */
function mix(state: Int32Array, words: Int32Array, data: Uint8Array, at: number): void {
  for (let i = 0, from = at; i < 16; i++, from += 4)
    words[i] = (data[from]! << 24) | (data[from + 1]! << 16) | (data[from + 2]! << 8) | data[from + 3]!
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    words[i] =
      (words[i - 16]! +
        (((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)) +
        words[i - 7]! +
        (((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10))) |
      0
  }
  let a = state[0]!
  let b = state[1]!
  let c = state[2]!
  let d = state[3]!
  let e = state[4]!
  let f = state[5]!
  let g = state[6]!
  let h = state[7]!
  for (let i = 0; i < 64; i++) {
    const one =
      (h +
        (((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))) +
        ((e & f) ^ (~e & g)) +
        ROUNDS[i]! +
        words[i]!) |
      0
    const two =
      ((((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))) +
        ((a & b) ^ (a & c) ^ (b & c))) |
      0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  state[0] = state[0]! + a
  state[1] = state[1]! + b
  state[2] = state[2]! + c
  state[3] = state[3]! + d
  state[4] = state[4]! + e
  state[5] = state[5]! + f
  state[6] = state[6]! + g
  state[7] = state[7]! + h
}

/** Multipliers of MurmurHash3 (x86, 128 bits). */
const M1 = 0x239b961b
const M2 = 0xab0e9789 | 0
const M3 = 0x38b34ae5
const M4 = 0xa1e38b93 | 0

/**
 * A name of 32 hexadecimal digits for a text: the mixing of MurmurHash3 (x86, 128 bits) over its UTF-16
 * units in whole blocks. Equal texts have equal
 * names and different ones in practice different names, but somebody can make two texts of one name: for comparing what
 * is one's own, never for proving that nothing was changed. Ten times faster than SHA-256 in code that runs once.
 */
export function nameOfText(text: string): string {
  let a = 0
  let b = 0
  let c = 0
  let d = 0
  const { length } = text
  for (let at = 0; at < length; at += 8) {
    // Beyond the end there is nothing, which counts as zero; the length makes up for it.
    let k = text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16)
    k = Math.imul(k, M1)
    a ^= Math.imul((k << 15) | (k >>> 17), M2)
    a = (Math.imul(((a << 19) | (a >>> 13)) + b, 5) + 0x561ccd1b) | 0
    k = text.charCodeAt(at + 2) | (text.charCodeAt(at + 3) << 16)
    k = Math.imul(k, M2)
    b ^= Math.imul((k << 16) | (k >>> 16), M3)
    b = (Math.imul(((b << 17) | (b >>> 15)) + c, 5) + 0x0bcaa747) | 0
    k = text.charCodeAt(at + 4) | (text.charCodeAt(at + 5) << 16)
    k = Math.imul(k, M3)
    c ^= Math.imul((k << 17) | (k >>> 15), M4)
    c = (Math.imul(((c << 15) | (c >>> 17)) + d, 5) + 0x96cd1c35) | 0
    k = text.charCodeAt(at + 6) | (text.charCodeAt(at + 7) << 16)
    k = Math.imul(k, M4)
    d ^= Math.imul((k << 18) | (k >>> 14), M1)
    d = (Math.imul(((d << 13) | (d >>> 19)) + a, 5) + 0x32ac3b17) | 0
  }
  a ^= length
  b ^= length
  c ^= length
  d ^= length
  a = (a + b + c + d) | 0
  const rest = [a, b + a, c + a, d + a].map(mixed)
  const sum = rest.reduce((x, y) => (x + y) | 0, 0)
  return [sum, ...rest.slice(1).map((word) => word + sum)]
    .map((word) => (word >>> 0).toString(16).padStart(8, '0'))
    .join('')
}

/** Each bit of a word reaches all others. */
function mixed(word: number): number {
  let h = word | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return h ^ (h >>> 16)
}
