/** Questions about many files at once: one look each, in as few steps as the platform allows. */
import { createHash } from 'node:crypto'
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { sep } from 'node:path'
import type { Asks } from '../core/question.ts'

/** Names, inodes, times and sizes of at most `limit` entries as one short text. Throws as the file system does. */
export function stampOf(dir: string, limit: number): Asks['stamp'][1] {
  const names = readdirSync(dir).sort()
  const hash = createHash('sha256').update(String(names.length > limit))
  for (const name of names.slice(0, limit)) {
    const found = lstatSync(dir + sep + name, { throwIfNoEntry: false })
    // The change time too: a modification time can be set back, this one cannot.
    const facts = found && `${found.ino} ${found.mode} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`
    hash.update(`\0${name}\0${facts}`)
  }
  return { stamp: hash.digest('hex') }
}

/** The links among `paths`, each given as the question writes it and as the system finds it. */
export function linksAmong(paths: readonly (readonly [asked: string, at: string])[]): Asks['links'][1] | 'unknown' {
  const out: { path: string; target: string }[] = []
  for (const [path, at] of paths) {
    try {
      const found = lstatSync(at, { throwIfNoEntry: false })
      if (found?.isSymbolicLink()) out.push({ path, target: readlinkSync(at) })
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code ?? '')
      if (code !== 'ENOENT' && code !== 'ENOTDIR' && code !== 'ENAMETOOLONG') return 'unknown'
    }
  }
  return out
}
