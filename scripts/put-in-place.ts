/** Replaces a directory of built files while programs run from it: no file is ever missing. */
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

/** Names the files of the last build, one path a line: what else lies there is of builds before it. Setup reads it. */
const LIST = 'files.txt'

/** How long files of earlier builds stay, in ms: a server that runs loads some of its own only when it needs them. */
const STAY = 3600 * 1000

/** Where the files for `to` are made: beside it, so that a rename puts them in place. */
export const beside = (to: string): string => join(dirname(to), `.dist-${process.pid}`)

/**
 * Moves all files below `from` to `to`, each over the one of its name; `last` in their order after all others. Files
 * of the build before stay for `stay` ms, counted from now, and go in a later call; with 0 they go at once.
 */
export function putInPlace(from: string, to: string, last: readonly string[], stay = STAY): void {
  const rank = (path: string): number => last.indexOf(path)
  const files = filesBelow(from).sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
  const before = new Set(listed(to))
  for (const path of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true })
    renameSync(join(from, path), join(to, path))
  }
  const current = new Set(files)
  if (stay > 0) {
    writeFileSync(join(from, LIST), `${files.join('\n')}\n`)
    renameSync(join(from, LIST), join(to, LIST))
    current.add(LIST)
  }
  const now = Date.now()
  for (const path of filesBelow(to)) {
    if (current.has(path)) continue
    const at = join(to, path)
    // Times tell since when a file is of no present build.
    if (stay > 0 && (before.has(path) || before.size === 0)) utimesSync(at, now / 1000, now / 1000)
    else if (stay === 0 || now - statSync(at).mtimeMs >= stay) {
      rmSync(at)
      removeEmpty(dirname(at), to)
    }
  }
}

function listed(dir: string): readonly string[] {
  try {
    return readFileSync(join(dir, LIST), 'utf8').split('\n').filter(Boolean)
  } catch {
    return []
  }
}

function filesBelow(dir: string): string[] {
  return readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(dir, '/').length))
}

function removeEmpty(dir: string, top: string): void {
  for (let at = dir; at !== top && readdirSync(at).length === 0; at = dirname(at)) rmdirSync(at)
}
