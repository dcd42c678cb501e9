/** Files that are there whole or not at all. */
import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs'

/** Writes beside the file, then puts the new one in its place. */
export function writeWhole(file: string, text: string, mode: number): void {
  const beside = `${file}.${randomBytes(6).toString('hex')}`
  const fd = openSync(beside, 'wx', mode)
  try {
    const bytes = Buffer.from(text)
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at)
    fsyncSync(fd)
  } catch (error) {
    closeSync(fd)
    rmSync(beside, { force: true })
    throw error
  }
  closeSync(fd)
  renameSync(beside, file)
}
