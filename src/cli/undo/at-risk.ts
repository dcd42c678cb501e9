/** Which files a call may lose for good: what it deletes or replaces and git cannot bring back. */
import { spawnSync } from 'node:child_process'
import { lstatSync, readdirSync, realpathSync } from 'node:fs'
import { basename, dirname, join, relative, sep } from 'node:path'
import type { Effect } from '../../core/effect.ts'
import { matchPattern } from '../../shell/expand.ts'

/** Files of one snapshot: more is no work of somebody's hands. */
const MOST_FILES = 20_000
/** Milliseconds for one question to git. */
const GIT_MS = 2_000
/** Directories that tools rebuild. */
const REBUILT = new Set(
  'node_modules dist build out target coverage .next .turbo .cache __pycache__ .venv .pytest_cache .mypy_cache'.split(
    ' ',
  ),
)

export interface AtRisk {
  readonly files: readonly string[]
  /** Heads of the repositories whose history may change, so that commits can be found again. */
  readonly heads: Readonly<Record<string, string>>
  /** Some were left out: too many, or no time. */
  readonly cut: boolean
}

/** The files that `effects` may lose. `left`: milliseconds that it may take, asked for again and again. */
export function atRisk(effects: readonly Effect[], left: () => number): AtRisk {
  const files = new Set<string>()
  const heads: Record<string, string> = {}
  let cut = false
  const add = (path: string): boolean => {
    if (files.size >= MOST_FILES || left() <= 0) cut = true
    else files.add(path)
    return !cut
  }
  for (const { act, target } of effects) {
    if (target.is === 'git') {
      if (target.repo === undefined) continue
      for (const path of changedIn(target.repo, target.op.is === 'clean' && target.op.ignored, left))
        if (!add(path)) break
      const head = git(target.repo, ['rev-parse', 'HEAD'], left).trim()
      if (head !== '') heads[target.repo] = head
      continue
    }
    if (target.is !== 'path' || target.open || (act !== 'delete' && act !== 'write')) continue
    for (const path of placesOf(target)) for (const file of filesBelow(path, target.tree, left)) if (!add(file)) break
  }
  return { files: [...withoutCommitted(files, left)], heads, cut }
}

/** The paths that a target means: a pattern is matched against its directory. */
function placesOf({ path, pattern }: Extract<Effect['target'], { is: 'path' }>): readonly string[] {
  if (pattern === undefined) return [path]
  try {
    return readdirSync(path)
      .filter((name) => matchPattern(pattern, name))
      .map((name) => join(path, name))
  } catch {
    return []
  }
}

function* filesBelow(path: string, tree: boolean, left: () => number): Generator<string> {
  let kind: ReturnType<typeof lstatSync>
  try {
    kind = lstatSync(path)
  } catch {
    return
  }
  if (!kind.isDirectory()) {
    yield path
    return
  }
  if (!tree || REBUILT.has(basename(path)) || left() <= 0) return
  let names: readonly string[]
  try {
    names = readdirSync(path)
  } catch {
    return
  }
  for (const name of names) yield* filesBelow(join(path, name), true, left)
}

/** What is not as it was committed, and with `ignored` what git does not look at. */
function changedIn(repo: string, ignored: boolean, left: () => number): readonly string[] {
  const out = git(
    repo,
    ['status', '--porcelain=v1', '-z', '--untracked-files=all', ...(ignored ? ['--ignored=matching'] : [])],
    left,
  )
  const root = git(repo, ['rev-parse', '--show-toplevel'], left).trim() || repo
  const paths: string[] = []
  const entries = out.split('\0')
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i]!
    if (entry.length < 4) continue
    const path = join(root, entry.slice(3))
    if (entry[0] === 'R' || entry[0] === 'C') i++
    if (entry.endsWith('/')) paths.push(...filesBelow(path, true, left))
    else paths.push(path)
  }
  return paths
}

/** Leaves out what a commit holds as it is. */
function withoutCommitted(files: ReadonlySet<string>, left: () => number): ReadonlySet<string> {
  const roots = new Map<string, ReadonlySet<string> | undefined>()
  const kept = new Set<string>()
  for (const file of files) {
    const dir = dirname(file)
    const root = rootOf(dir)
    if (root === undefined) {
      kept.add(file)
      continue
    }
    let clean = roots.get(root)
    if (clean === undefined) {
      clean = committedIn(root, left)
      roots.set(root, clean)
    }
    if (
      !clean.has(
        relative(root, realIn(dir, basename(file)))
          .split(sep)
          .join('/'),
      )
    )
      kept.add(file)
  }
  return kept
}

const realIn = (dir: string, name: string): string => {
  try {
    return join(realpathSync(dir), name)
  } catch {
    return join(dir, name)
  }
}

function rootOf(dir: string): string | undefined {
  let at = realIn(dir, '')
  for (let level = 0; level < 64; level++) {
    try {
      lstatSync(join(at, '.git'))
      return at
    } catch {
      if (dirname(at) === at) return undefined
      at = dirname(at)
    }
  }
  return undefined
}

/** Tracked files that are neither modified nor staged. */
function committedIn(root: string, left: () => number): ReadonlySet<string> {
  const tracked = new Set(git(root, ['ls-files', '-z'], left).split('\0'))
  for (const path of git(root, ['diff', '--name-only', '-z', 'HEAD'], left).split('\0')) tracked.delete(path)
  return tracked
}

/** Output of git; empty where it fails. No hook, monitor or optional lock of the repository runs. */
function git(cwd: string, args: readonly string[], left: () => number): string {
  const { status, stdout } = spawnSync(
    'git',
    ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', ...args],
    {
      cwd,
      encoding: 'utf8',
      timeout: Math.max(1, Math.min(GIT_MS, left())),
      killSignal: 'SIGKILL',
      maxBuffer: 64 << 20,
      env: { ...process.env, GIT_OPTIONAL_LOCKS: '0' },
    },
  )
  return status === 0 ? stdout : ''
}
