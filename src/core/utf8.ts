/** UTF-8 without the platform: lengths, offsets and cuts. A lone surrogate counts as U+FFFD, three bytes. */

/** The code point at `index`, with a lone surrogate as U+FFFD. */
function pointAt(text: string, index: number): number {
  const point = text.codePointAt(index)!
  return point >= 0xd800 && point <= 0xdfff ? 0xfffd : point
}

const bytesOf = (point: number): number => (point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4)

/** How many UTF-16 units the code point at `index` takes. */
const unitsOf = (point: number): number => (point > 0xffff ? 2 : 1)

/** Length of `text` in UTF-8 bytes. */
export function byteLength(text: string): number {
  let bytes = text.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x80) continue
    const point = pointAt(text, i)
    bytes += bytesOf(point) - unitsOf(point)
    i += unitsOf(point) - 1
  }
  return bytes
}

/** The byte offset of each UTF-16 offset, one pass over `text` however many are asked. Offsets beyond the end clamp. */
export function byteOffsets(text: string, offsets: readonly number[]): number[] {
  const order = offsets.map((offset, index) => ({ offset: Math.max(0, offset), index }))
  order.sort((a, b) => a.offset - b.offset)
  const out = new Array<number>(offsets.length).fill(0)
  let at = 0
  let bytes = 0
  for (const { offset, index } of order) {
    while (at < offset && at < text.length) {
      const point = pointAt(text, at)
      // An offset inside a surrogate pair means the start of its character.
      if (at + unitsOf(point) > offset) break
      bytes += bytesOf(point)
      at += unitsOf(point)
    }
    out[index] = bytes
  }
  return out
}

/** The longest start of `text` that takes at most `limit` bytes and ends between two characters. */
export function cutBytes(text: string, limit: number): string {
  // Three bytes a UTF-16 unit is the most there can be.
  if (text.length * 3 <= limit) return text
  let bytes = 0
  let at = 0
  while (at < text.length) {
    const point = pointAt(text, at)
    bytes += bytesOf(point)
    if (bytes > limit) return text.slice(0, at)
    at += unitsOf(point)
  }
  return text
}

/** `text` in UTF-8. */
export function encodeUtf8(text: string): Uint8Array {
  const out = new Uint8Array(byteLength(text))
  let to = 0
  if (out.length === text.length) {
    for (; to < out.length; to++) out[to] = text.charCodeAt(to)
    return out
  }
  for (let at = 0; at < text.length; ) {
    const point = pointAt(text, at)
    at += unitsOf(point)
    if (point < 0x80) {
      out[to++] = point
    } else if (point < 0x800) {
      out[to++] = 0xc0 | (point >> 6)
      out[to++] = 0x80 | (point & 0x3f)
    } else if (point < 0x10000) {
      out[to++] = 0xe0 | (point >> 12)
      out[to++] = 0x80 | ((point >> 6) & 0x3f)
      out[to++] = 0x80 | (point & 0x3f)
    } else {
      out[to++] = 0xf0 | (point >> 18)
      out[to++] = 0x80 | ((point >> 12) & 0x3f)
      out[to++] = 0x80 | ((point >> 6) & 0x3f)
      out[to++] = 0x80 | (point & 0x3f)
    }
  }
  return out
}
