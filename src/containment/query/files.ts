/** The files of a workspace that are looked through: what git knows or would add, else what lies there. */
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import picomatch from 'picomatch'
import { type Asker, hiddenFile } from './source.ts'

/** Files of one answer. */
const MOST_FILES = 50_000
/** A file above this is data that nobody edits. */
const MOST_BYTES = 64 * 1024 * 1024
const GIT_MS = 10_000
/** Directories that hold what others made, where git does not say so. */
const SKIPPED = new Set(['.git', '.hg', '.svn', 'node_modules', '__pycache__', '.venv', 'target', 'dist'])

export interface Listed {
  /** Paths from the workspace on, sorted. */
  readonly paths: readonly string[]
  /** Files that are not shown to anybody. */
  readonly hidden: number
  /** Files that were left out: they are larger than anything that is looked through this way. */
  readonly large: number
  /** Not all were listed. */
  readonly cut: boolean
}

/** Regular files below `path` of the workspace that fit `glob`. Links are not followed. */
export function filesBelow(workspace: string, path: string, glob: string | undefined, hides: Asker['hides']): Listed {
  const fits = glob === undefined ? () => true : picomatch(glob, { dot: true, basename: !glob.includes('/') })
  const found = (gitFiles(workspace, path) ?? walk(workspace, path)).filter((name) => fits(name))
  const paths: string[] = []
  let hidden = 0
  let large = 0
  for (const name of [...found].sort()) {
    if (paths.length === MOST_FILES) break
    const file = lstatSync(join(workspace, name), { throwIfNoEntry: false })
    if (file?.isFile() !== true) continue
    if (file.size > MOST_BYTES) large++
    else if (hiddenFile(join(workspace, name), hides) === undefined) paths.push(name)
    else hidden++
  }
  return { paths, hidden, large, cut: paths.length === MOST_FILES }
}

function gitFiles(workspace: string, path: string): readonly string[] | undefined {
  // A repository may name a program that tells what changed; looking for files must not run it.
  const quiet = ['-c', 'core.fsmonitor=false', '--no-optional-locks']
  const args = [
    ...quiet,
    '-C',
    workspace,
    'ls-files',
    '-z',
    '--cached',
    '--others',
    '--exclude-standard',
    '--',
    path || '.',
  ]
  const { status, stdout } = spawnSync('git', args, { encoding: 'utf8', timeout: GIT_MS, maxBuffer: 1 << 28 })
  return status === 0 ? [...new Set(stdout.split('\0').filter((name) => name !== ''))] : undefined
}

function walk(workspace: string, path: string): readonly string[] {
  const out: string[] = []
  const open = [path]
  for (let dir = open.pop(); dir !== undefined && out.length < 2 * MOST_FILES; dir = open.pop()) {
    let entries: ReturnType<typeof list>
    try {
      entries = list(join(workspace, dir))
    } catch {
      continue
    }
    for (const entry of entries) {
      const name = dir === '' ? entry.name : `${dir}/${entry.name}`
      if (entry.isFile()) out.push(name)
      else if (entry.isDirectory() && !SKIPPED.has(entry.name)) open.push(name)
    }
  }
  return out
}

const list = (dir: string) => readdirSync(dir, { withFileTypes: true })
