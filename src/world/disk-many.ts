/** Questions about many files at once: one look each, in as few steps as the platform allows. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { sep } from 'node:path'
import type { Asks } from '../core/question.ts'

/** Names, inodes, times and sizes of at most `limit` entries as one short text. Throws as the file system does. */
export function stampOf(dir: string, limit: number): Asks['stamp'][1] {
  const names = readdirSync(dir).sort()
  // Loaded when it is asked for: it costs a hook more than its verdict.
  const hash = process
    .getBuiltinModule('node:crypto')
    .createHash('sha256')
    .update(String(names.length > limit))
  for (const name of names.slice(0, limit)) {
    const found = lstatSync(dir + sep + name, { throwIfNoEntry: false })
    // The change time too: a modification time can be set back, this one cannot.
    const facts = found && `${found.ino} ${found.mode} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`
    hash.update(`\0${name}\0${facts}`)
  }
  return { stamp: hash.digest('hex') }
}

/** What the system says of a path that leads to no link: nothing is there, or a loop of links stands before it. */
const NO_LINK = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

/** The links among `paths`, each given as the question writes it and as the system finds it. */
export function linksAmong(paths: readonly (readonly [asked: string, at: string])[]): Asks['links'][1] | 'unknown' {
  const out: { path: string; target: string }[] = []
  for (const [path, at] of paths) {
    try {
      const found = lstatSync(at, { throwIfNoEntry: false })
      if (found?.isSymbolicLink()) out.push({ path, target: readlinkSync(at) })
    } catch (error) {
      const code = String((error as { code?: unknown } | null)?.code ?? '')
      if (!NO_LINK.has(code)) return 'unknown'
    }
  }
  return out
}
