/** Archives for tests, entry by entry, good and bad. */
import { gzipSync } from 'node:zlib'

export interface Entry {
  readonly path: string
  readonly content?: string
  readonly type?: string
  readonly mode?: number
  /** What a link leads to. */
  readonly link?: string
}

/** A gzipped tar of these entries. */
export const packed = (entries: readonly Entry[]): Buffer => gzipSync(tarOf(entries))

export function tarOf(entries: readonly Entry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    const padding = Buffer.alloc((512 - (content.length % 512)) % 512)
    return [header(entry, content.length), content, padding]
  })
  return Buffer.concat([...blocks, Buffer.alloc(1024)])
}

function header({ path, type = '0', mode = 0o644, link = '' }: Entry, size: number): Buffer {
  const bytes = Buffer.alloc(512)
  const octal = (value: number, digits: number) => `${value.toString(8).padStart(digits, '0')}\0`
  bytes.write(path, 0, 100)
  bytes.write(octal(mode, 7), 100)
  bytes.write(octal(0, 7), 108)
  bytes.write(octal(0, 7), 116)
  bytes.write(octal(size, 11), 124)
  bytes.write(octal(0, 11), 136)
  bytes.write('        ', 148)
  bytes.write(type, 156, 1)
  bytes.write(link, 157, 100)
  bytes.write('ustar\0' + '00', 257)
  let sum = 0
  for (const byte of bytes) sum += byte
  bytes.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148)
  return bytes
}
