/**
 * SHA-256 (FIPS 180-4) in plain TypeScript: loading the platform's own costs more than hashing what a verdict hashes.
 * For naming things, not for keeping secrets.
 */
import { encodeUtf8 } from './utf8.ts'

/** Fractional parts of the cube roots of the first 64 primes. */
// biome-ignore format: a table
const ROUNDS = new Uint32Array([
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

const turn = (word: number, by: number): number => (word >>> by) | (word << (32 - by))

/** SHA-256 of the UTF-8 form of `text`, as 64 hexadecimal digits. Lone surrogates count as U+FFFD. */
export const sha256Hex = (text: string): string => sha256HexOfBytes(encodeUtf8(text))

/** SHA-256 of `bytes`, as 64 hexadecimal digits. */
export function sha256HexOfBytes(bytes: Uint8Array): string {
  const blocks = Math.ceil((bytes.length + TAIL) / BLOCK)
  const data = new Uint8Array(blocks * BLOCK)
  data.set(bytes)
  data[bytes.length] = 0x80
  const view = new DataView(data.buffer)
  const bits = bytes.length * 8
  view.setUint32(data.length - 8, Math.floor(bits / 2 ** 32))
  view.setUint32(data.length - 4, bits >>> 0)

  const state = new Uint32Array(START)
  const words = new Uint32Array(64)
  for (let at = 0; at < data.length; at += BLOCK) {
    for (let i = 0; i < 16; i++) words[i] = view.getUint32(at + i * 4)
    mix(state, words)
  }
  let out = ''
  for (const word of state) out += word.toString(16).padStart(8, '0')
  return out
}

/** One round of compression: `words` holds the block in its first 16 places. */
function mix(state: Uint32Array, words: Uint32Array): void {
  for (let i = 16; i < 64; i++) {
    const x = words[i - 15]!
    const y = words[i - 2]!
    const low = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3)
    const high = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10)
    words[i] = words[i - 16]! + low + words[i - 7]! + high
  }
  let [a, b, c, d, e, f, g, h] = state as unknown as [number, number, number, number, number, number, number, number]
  for (let i = 0; i < 64; i++) {
    const one = (h + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + ROUNDS[i]! + words[i]!) | 0
    const two = ((turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + one) | 0
    d = c
    c = b
    b = a
    a = (one + two) | 0
  }
  const sums = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i++) state[i] = state[i]! + sums[i]!
}
