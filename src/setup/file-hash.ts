/** Hashes of files that are looked at again and again in one run: a Node is 100 MB and more, and every wired host has it. */
import { createHash } from 'node:crypto'
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'

const CHUNK = 1024 * 1024

/** Milliseconds in which a second change of a file may leave its times as they are: some disks count no finer. */
const FRESH = 2_000

/** What a file had for a hash, by what changes with its content. */
const known = new Map<string, string>()

/** SHA-256 of a file in hexadecimal digits. It is read again only where it is another file, or was or may have been written since. Throws. */
export function hashOfFile(path: string): string {
  const file = openSync(path, 'r')
  try {
    const { dev, ino, size, mtimeNs, ctimeNs } = fstatSync(file, { bigint: true })
    const key = [dev, ino, size, mtimeNs, ctimeNs].join(' ')
    let hash = known.get(key)
    if (hash === undefined) {
      hash = hashed(file)
      if (ctimeNs / 1_000_000n < Date.now() - FRESH) known.set(key, hash)
    }
    return hash
  } finally {
    closeSync(file)
  }
}

/** In pieces: a buffer for all of it costs more than the hash. */
function hashed(file: number): string {
  const hash = createHash('sha256')
  const chunk = Buffer.allocUnsafe(CHUNK)
  for (let count = readSync(file, chunk); count > 0; count = readSync(file, chunk))
    hash.update(chunk.subarray(0, count))
  return hash.digest('hex')
}
