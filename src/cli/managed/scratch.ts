/**
 * Runs handlers of a `hooks.json` that somebody tries out: in bubblewrap, without network, on a scratch tree that is
 * removed afterwards. Nothing of this machine is there but its programs, read only.
 */
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, posix } from 'node:path'
import type { ProgramEnd, ProgramRun } from '../../managed/contract.ts'

export interface ScratchFile {
  readonly bytes: Uint8Array
  /** Absent where that is not known. */
  readonly executable?: boolean
}

export interface Scratch {
  /** Where the tree lies on this machine. */
  readonly dir: string
  run(run: ProgramRun): Promise<ProgramEnd>
  close(): void
}

const SYSTEM = ['/bin', '/sbin', '/lib', '/lib64', '/lib32'].filter((path) => existsSync(path))
const isLink = (path: string): boolean => lstatSync(path).isSymbolicLink()

/** Paths of a sandbox that are this machine's, read only: nothing can be put there. */
export const isSystem = (path: string): boolean => /^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys)(?:\/|$)/.test(path)

/** A new tree with these files, and links to directories of the system as they are here. Nothing is written outside of it. */
function newTree(files: ReadonlyMap<string, ScratchFile>): string {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-hooks-'))
  try {
    mkdirSync(join(dir, 'workspace'))
    for (const [path, { bytes, executable }] of files) {
      const inside = posix.normalize(`/${path}`)
      if (isSystem(inside)) throw new Error(`${inside} belongs to the system`)
      const at = join(dir, inside)
      mkdirSync(dirname(at), { recursive: true })
      writeFileSync(at, bytes)
      if (executable) chmodSync(at, 0o755)
    }
    for (const path of SYSTEM.filter(isLink)) symlinkSync(readlinkSync(path), join(dir, path))
    return dir
  } catch (error) {
    rmSync(dir, { recursive: true, force: true })
    throw error
  }
}

const ETC = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'python3', 'perl'].map(
  (name) => `/etc/${name}`,
)

/** Why there can be no sandbox on this machine, or undefined where there can. */
export async function noSandbox(): Promise<string | undefined> {
  const dir = newTree(new Map())
  try {
    const tried = await bubble(dir, { argv: ['/bin/sh', '-c', ':'], cwd: '/', timeout: 20_000, outputLimit: 4_096 })
    if (!tried.started) return /ENOENT/.test(tried.why ?? '') ? 'bubblewrap (bwrap) is not installed' : tried.why
    if (tried.exit === 0) return undefined
    return Buffer.from(tried.stderr).toString('utf8').trim() || `bwrap ended with ${tried.exit ?? tried.killedBy}`
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

/** Lays `files` (absolute paths of the sandbox) out. Throws where that cannot be done. */
export function openScratch(files: ReadonlyMap<string, ScratchFile>): Scratch {
  const dir = newTree(files)
  return { dir, run: (run) => bubble(dir, run), close: () => rmSync(dir, { recursive: true, force: true }) }
}

function argvOf(dir: string, { argv, cwd, env = {} }: ProgramRun): readonly string[] {
  const variables = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: '/workspace', LANG: 'C.UTF-8', ...env }
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--clearenv', '--uid', '1000', '--gid', '1000'],
    ...['--hostname', 'sandbox', '--bind', dir, '/', '--ro-bind', '/usr', '/usr'],
    ...SYSTEM.filter((path) => !isLink(path)).flatMap((path) => ['--ro-bind', path, path]),
    ...ETC.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(64 << 20), '--tmpfs', '/tmp', '--chdir', cwd],
    ...Object.entries(variables).flatMap(([name, value]) => ['--setenv', name, value]),
    ...['--', ...argv],
  ]
}

/** One run. Killing bubblewrap ends everything in it. */
function bubble(dir: string, run: ProgramRun): Promise<ProgramEnd> {
  const from = performance.now()
  const stdout = new Kept(run.outputLimit)
  const stderr = new Kept(run.outputLimit)
  let [timedOut, cancelled] = [false, false]
  return new Promise((done) => {
    const end = (rest: Pick<ProgramEnd, 'started' | 'exit' | 'killedBy'> & { readonly why?: string }): void => {
      clearTimeout(timer)
      run.signal?.removeEventListener('abort', cancel)
      const cut = stdout.cut || stderr.cut
      const ms = Math.round(performance.now() - from)
      done({ ...rest, timedOut, cancelled, cut, stdout: stdout.bytes(), stderr: stderr.bytes(), ms })
    }
    const child = spawn('bwrap', argvOf(dir, run), { stdio: 'pipe', env: { PATH: process.env['PATH'] } })
    const kill = (): void => void child.kill('SIGKILL')
    const timer = setTimeout(() => {
      timedOut = true
      kill()
    }, run.timeout)
    const cancel = (): void => {
      cancelled = true
      kill()
    }
    if (run.signal?.aborted) cancel()
    run.signal?.addEventListener('abort', cancel)
    child.on('error', (error) => end({ started: false, why: error.message, exit: null, killedBy: null }))
    child.on('close', (exit, killedBy) => end({ started: true, exit, killedBy }))
    const reads = (kept: Kept) => (part: Buffer) => {
      if (kept.add(part) && run.killAtLimit) kill()
    }
    child.stdout.on('data', reads(stdout))
    child.stderr.on('data', reads(stderr))
    // A handler need not read what it is given.
    child.stdin.on('error', () => {})
    child.stdin.end(run.stdin ?? '')
  })
}

/** The first bytes of a stream. */
class Kept {
  private readonly most: number
  private readonly parts: Buffer[] = []
  private size = 0
  cut = false

  constructor(most: number) {
    this.most = most
  }

  /** Whether there is more than is kept. */
  add(part: Buffer): boolean {
    const room = this.most - this.size
    if (part.length > room) this.cut = true
    if (room > 0) this.parts.push(part.subarray(0, room))
    this.size = Math.min(this.most, this.size + part.length)
    return this.cut
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.parts)
  }
}
