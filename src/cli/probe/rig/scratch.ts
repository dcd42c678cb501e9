/** A scratch home with a repository in it, where a scripted agent may do what it likes, and the running of a CLI there. */
import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Scratch {
  readonly root: string
  readonly home: string
  /** A git repository inside the home: `README.md` is committed, `draft.txt` is committed and then changed. */
  readonly cwd: string
  /** What the recorder kept. */
  readonly records: string
}

/** One run of the hook as the recorder saw it. */
export interface Recorded {
  readonly payload: string
  readonly answer: string
  readonly stderr: string
  /** Null when the hook was killed before it ended. */
  readonly exit: number | null
}

/**
 * Directory of the driven CLIs and of the scratch trees: `SALLYPORT_DRIVE_DIR`, else one in the user's cache. Not below a
 * directory for temporary files: losing what lies there is no loss to the guard.
 */
export function driveDirectory(): string {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache')
  return process.env['SALLYPORT_DRIVE_DIR'] ?? join(cache, 'sallyport-drive')
}

/** Makes a scratch tree. The caller removes it with `removeScratch`. */
export function makeScratch(): Scratch {
  mkdirSync(driveDirectory(), { recursive: true })
  const root = realpathSync(mkdtempSync(join(driveDirectory(), 'scratch-')))
  const home = join(root, 'home')
  const cwd = join(home, 'work', 'repo')
  const records = join(root, 'records')
  for (const directory of [cwd, records, join(root, 'tmp'), join(home, 'precious')])
    mkdirSync(directory, { recursive: true })
  writeFileSync(join(home, 'precious', 'letter.txt'), 'the only copy\n')
  writeFileSync(join(home, '.gitconfig'), '[user]\n\tname = Dev\n\temail = dev@example.com\n')
  writeFileSync(join(cwd, 'README.md'), 'A scratch repository.\n')
  writeFileSync(join(cwd, 'draft.txt'), 'first\n')
  const scratch = { root, home, cwd, records }
  for (const args of [
    ['init', '-q', '-b', 'main'],
    ['add', '.'],
    ['commit', '-q', '-m', 'Begin'],
  ]) {
    const git = spawnSync('git', args, { cwd, env: baseEnvironment(scratch) })
    if (git.status !== 0) throw new Error(`git ${args[0]} failed: ${String(git.stderr)}`)
  }
  writeFileSync(join(cwd, 'draft.txt'), 'first\nsecond, not committed\n')
  return scratch
}

export function removeScratch(scratch: Scratch): void {
  rmSync(scratch.root, { recursive: true, force: true, maxRetries: 3 })
}

/** Nothing of the caller's environment but what programs need to start. */
export function baseEnvironment(scratch: Scratch): Record<string, string> {
  return {
    HOME: scratch.home,
    PATH: [dirname(process.execPath), '/usr/local/bin', '/usr/bin', '/bin'].join(':'),
    TMPDIR: join(scratch.root, 'tmp'),
    LANG: 'C.UTF-8',
    TERM: 'dumb',
    GIT_CONFIG_NOSYSTEM: '1',
  }
}

/** Environment that sends everything but loopback to a proxy that refuses it. */
export function offline(proxy: string): Record<string, string> {
  const none = '127.0.0.1,localhost'
  return {
    HTTP_PROXY: proxy,
    HTTPS_PROXY: proxy,
    http_proxy: proxy,
    https_proxy: proxy,
    NO_PROXY: none,
    no_proxy: none,
  }
}

export interface Ended {
  readonly exit: number | null
  readonly timedOut: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Longest output of a CLI that is kept, in characters. */
const OUTPUT_LIMIT = 4 * 1024 * 1024

/** Runs a CLI in the scratch repository; at the deadline its whole process group is killed. `limit` in milliseconds. */
export async function runIn(
  scratch: Scratch,
  command: readonly [string, ...string[]],
  environment: Readonly<Record<string, string>>,
  limit: number,
): Promise<Ended> {
  const [program, ...args] = command
  const env = { ...baseEnvironment(scratch), ...environment }
  const child = spawn(program, args, { cwd: scratch.cwd, env, detached: true, stdio: ['ignore', 'pipe', 'pipe'] })
  const out = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const)
    child[name].setEncoding('utf8').on('data', (text: string) => {
      if (out[name].length < OUTPUT_LIMIT) out[name] += text
    })
  let timedOut = false
  const timer = setTimeout(() => {
    timedOut = true
    kill(-child.pid!)
  }, limit)
  try {
    const exit = await new Promise<number | null>((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', resolve)
    })
    return { exit, timedOut, ...out }
  } finally {
    clearTimeout(timer)
    if (child.pid !== undefined) kill(-child.pid)
    for (const left of leftovers(scratch)) kill(left)
    child.stdout.destroy()
    child.stderr.destroy()
  }
}

function kill(id: number): void {
  try {
    process.kill(id, 'SIGKILL')
  } catch {
    // Already gone.
  }
}

/** Processes that live in this scratch home, found by their environment where the system shows it (Linux). */
export function leftovers(scratch: Scratch): readonly number[] {
  let ids: readonly string[] = []
  try {
    ids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
  return ids.map(Number).filter((id) => id !== process.pid && environmentOf(id).includes(`HOME=${scratch.home}\0`))
}

function environmentOf(id: number): string {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8')
  } catch {
    return ''
  }
}

/** All runs of the hook, oldest first. */
export function recorded(scratch: Scratch): readonly Recorded[] {
  return readdirSync(scratch.records)
    .sort()
    .map((name) => JSON.parse(readFileSync(join(scratch.records, name), 'utf8')) as Recorded)
}

/** A word as `sh` reads it back. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
