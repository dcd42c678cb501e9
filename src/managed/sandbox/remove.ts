/** Deletes trees that a program may be changing meanwhile, and that may hold directories without any permission. */
import { chmodSync, closeSync, constants, openSync, readdirSync, rmdirSync, unlinkSync } from 'node:fs'

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** Deletes `name` in the directory that `directory` leads to, with everything below. No link is followed on the way down. */
export function removeTree(directory: string, name: string): void {
  const at = `${directory}/${name}`
  try {
    unlinkSync(at)
    return
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code
    if (code === 'ENOENT') return
    if (code !== 'EISDIR' && code !== 'EPERM') throw error
  }
  const fd = openForced(at)
  try {
    const here = `/proc/self/fd/${fd}`
    for (const child of readdirSync(here)) removeTree(here, child)
  } finally {
    closeSync(fd)
  }
  rmdirSync(at)
}

function openForced(at: string): number {
  // A directory is emptied through its own permissions, whatever a program made of them.
  const path = openSync(at, 0o10000000 | DIRECTORY)
  try {
    const self = `/proc/self/fd/${path}`
    chmodSync(self, 0o700)
    return openSync(`${self}/.`, DIRECTORY)
  } finally {
    closeSync(path)
  }
}
