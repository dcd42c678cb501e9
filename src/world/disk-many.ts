/** Questions about many files at once: one look each, in as few steps as the platform allows. */
import { lstatSync, readdirSync, readlinkSync } from 'node:fs'
import { isAbsolute, resolve, sep } from 'node:path'
import type { Asks } from '../core/question.ts'

/** Names, inodes, times and sizes of at most `limit` entries as one short text. Throws as the file system does. */
export function stampOf(dir: string, limit: number): Asks['stamp'][1] {
  const names = readdirSync(dir).sort()
  let facts = String(names.length > limit)
  for (const name of names.slice(0, limit)) {
    const found = lstatSync(dir + sep + name, { throwIfNoEntry: false })
    // The change time too: a modification time can be set back, this one cannot.
    facts += `\0${name}\0${found && `${found.ino} ${found.mode} ${found.mtimeMs} ${found.ctimeMs} ${found.size}`}`
  }
  // Loaded when it is asked for: it costs a hook more than its verdict.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return { stamp: createHash('sha256').update(facts).digest('hex') }
}

/** What the system says of a path that leads to no link: nothing is there, or a loop of links stands before it. */
const NO_LINK = new Set(['ENOENT', 'ENOTDIR', 'ENAMETOOLONG', 'ELOOP'])

/** The links among `paths`; relative ones start at `cwd`. */
export function linksAmong(paths: readonly string[], cwd: string): Asks['links'][1] | 'unknown' {
  const out: { path: string; target: string }[] = []
  for (const path of paths) {
    const at = isAbsolute(path) ? path : resolve(cwd, path)
    try {
      const found = lstatSync(at, { throwIfNoEntry: false })
      if (found?.isSymbolicLink()) out.push({ path, target: readlinkSync(at) })
    } catch (error) {
      if (!NO_LINK.has(String((error as { code?: unknown } | null)?.code ?? ''))) return 'unknown'
    }
  }
  return out
}
