/** Sources of type `repository`: cloned by the system's git inside a sandbox of its own, never by git on the host. */
import { lstatSync, readdirSync, renameSync } from 'node:fs'
import { join, posix } from 'node:path'
import { BUNDLE_INSIDE, makeRoot } from './layout.ts'
import { removeTree } from './remove.ts'
import type { SourceWorld } from './sources.ts'
import { sourceError } from './targets.ts'
import type { Tree } from './tree.ts'

const CLONE = '/fetched'
const CLONES_WITHIN = 10 * 60_000
const MEASURED_EVERY = 500

/** Nothing of a repository is run, asked for or fetched from elsewhere. */
const HARDENED = [
  'protocol.allow=never',
  'protocol.https.allow=always',
  'core.hooksPath=/dev/null',
  'core.fsmonitor=false',
  'core.askPass=',
  'credential.helper=',
  'init.templateDir=',
  'submodule.recurse=false',
  'fetch.recurseSubmodules=false',
  'advice.detachedHead=false',
  'gc.auto=0',
  `http.sslCAInfo=${BUNDLE_INSIDE}`,
]
const GIT_ENV = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_LFS_SKIP_SMUDGE: '1',
  HOME: '/tmp',
}

/** Clones `address` to `target`. Throws ManagedError 400 with what git said, and leaves nothing of a failed one. */
export async function cloneRepository(
  address: string,
  target: string,
  index: number,
  world: SourceWorld,
): Promise<void> {
  const stop = new AbortController()
  const most = world.limits.repository
  let tooLarge = false
  makeRoot(world.scratch, world.tree.owner)
  const clone = join(world.scratch, CLONE)
  const watch = setInterval(() => {
    if (Math.max(sizeOf(join(clone, '.git')), sizeOf(clone, '.git')) <= most) return
    tooLarge = true
    stop.abort()
  }, MEASURED_EVERY)
  try {
    const end = await world.run(
      {
        argv: [
          'git',
          ...HARDENED.flatMap((setting) => ['-c', setting]),
          ...['clone', '--quiet', '--depth', '1', '--single-branch', '--no-tags', '--', address, CLONE],
        ],
        cwd: '/',
        env: GIT_ENV,
        timeout: CLONES_WITHIN,
        outputLimit: 16_384,
        signal: stop.signal,
      },
      world.scratch,
    )
    clearInterval(watch)
    tooLarge ||= end.exit === 0 && Math.max(sizeOf(join(clone, '.git')), sizeOf(clone, '.git')) > most
    if (tooLarge) throw sourceError(index, `the repository is larger than ${most} bytes`)
    if (end.timedOut) throw sourceError(index, 'the repository was not cloned in time')
    if (end.exit !== 0)
      throw sourceError(
        index,
        `the repository cannot be cloned: ${said(end.stderr) || (end.why ?? 'no reason was given')}`,
      )
    moveInto(clone, target, world.tree)
  } finally {
    clearInterval(watch)
    removeTree(posix.dirname(world.scratch), posix.basename(world.scratch))
  }
}

/** Git's own reason, in one line. */
function said(stderr: Uint8Array): string {
  const lines = Buffer.from(stderr).toString('utf8').split('\n')
  const fatal = lines.filter((line) => /^(?:fatal|error|remote):/.test(line))
  return (fatal.length > 0 ? fatal : lines.slice(-3))
    .map((line) => line.trim())
    .filter(Boolean)
    .join(' ')
    .slice(0, 600)
}

/** Bytes of the files below `directory`, without the entry `except`. What vanishes meanwhile counts nothing. */
function sizeOf(directory: string, except?: string): number {
  let sum = 0
  try {
    for (const entry of readdirSync(directory, { withFileTypes: true })) {
      if (entry.name === except) continue
      const at = join(directory, entry.name)
      sum += entry.isDirectory() ? sizeOf(at) : lstatSync(at).size
    }
  } catch {
    // Not there yet, or not any more.
  }
  return sum
}

/** Moves a directory that nothing runs in to `target`; what is there already stays unless the name is the same. */
export function moveInto(from: string, target: string, tree: Tree): void {
  using place = tree.walk(target, { follow: true, make: true })
  const there = kindOf(place.host)
  if (there === 'directory') {
    for (const name of readdirSync(from)) {
      const [at, to] = [join(from, name), posix.join(place.inside, name)]
      if (kindOf(at) === 'directory') moveInto(at, to, tree)
      else replace(at, to, tree)
    }
    return
  }
  if (there !== undefined) removeTree(place.beside('.'), place.name)
  renameSync(from, place.host)
}

function replace(at: string, to: string, tree: Tree): void {
  using place = tree.walk(to, { follow: false })
  if (kindOf(place.host) === 'directory') removeTree(place.beside('.'), place.name)
  renameSync(at, place.host)
}

function kindOf(path: string): 'directory' | 'other' | undefined {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats === undefined ? undefined : stats.isDirectory() ? 'directory' : 'other'
}
