/** Runs `ctx` from the source in a scratch place, with streams that are pipes or files. */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { openStore } from '../store/store.ts'
import type { Store } from '../store/types.ts'

const CTX = fileURLToPath(new URL('../../../bin/ctx.js', import.meta.url))

export interface Ran {
  /** As a shell would give it. */
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
  readonly out: string
  readonly err: string
}

export interface Running {
  readonly pid: number
  readonly ended: Promise<Ran>
  /** Resolves when stdout or stderr has shown this. */
  shows(text: string): Promise<void>
}

export interface Scratch {
  readonly dir: string
  /** The store's place. */
  readonly state: string
  /** As a process finds it that is started now. */
  readonly store: Store
  start(argv: readonly string[], more?: Start): Running
  run(argv: readonly string[], more?: Start): Promise<Ran>
}

interface Start {
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Both streams into one pipe. */
  readonly merged?: true
}

/** A scratch place that is gone after the test. Streams of one character a byte. `ctx`: the program, by itself its source. */
export function scratch(t: TestContext, ctx = CTX): Scratch {
  const dir = mkdtempSync(join(tmpdir(), 'ctx-test-'))
  const state = join(dir, 'state')
  mkdirSync(join(dir, 'home'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  const start = (argv: readonly string[], { stdin, env = {}, merged }: Start = {}): Running => {
    const command = [process.execPath, ctx, ...argv]
    const whole = merged ? ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', ...command] : command
    const child = spawn(whole[0]!, whole.slice(1), {
      cwd: dir,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: join(dir, 'home'),
        CTX_STATE_HOME: state,
        XDG_STATE_HOME: join(dir, 'xdg'),
        XDG_RUNTIME_DIR: join(dir, 'runtime'),
        LANG: 'C.UTF-8',
        ...env,
      },
      stdio: [stdin === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    })
    let out = ''
    let err = ''
    const looks = new Set<() => void>()
    const saw = () => {
      for (const look of looks) look()
    }
    child.stdout!.on('data', (part: Buffer) => {
      out += part.toString('latin1')
      saw()
    })
    child.stderr!.on('data', (part: Buffer) => {
      err += part.toString('latin1')
      saw()
    })
    child.stdin?.on('error', () => {})
    child.stdin?.end(Buffer.from(stdin ?? '', 'latin1'))
    return {
      pid: child.pid!,
      ended: new Promise((resolve) => child.once('close', (code, signal) => resolve({ code, signal, out, err }))),
      shows: (text) =>
        new Promise((resolve) => {
          const look = () => {
            if (!out.includes(text) && !err.includes(text)) return
            looks.delete(look)
            resolve()
          }
          looks.add(look)
          look()
        }),
    }
  }
  const env = { CTX_STATE_HOME: state, XDG_RUNTIME_DIR: join(dir, 'runtime') }
  return {
    dir,
    state,
    get store() {
      return openStore({ env, home: join(dir, 'home') })
    },
    start,
    run: (argv, more) => start(argv, more).ended,
  }
}

/** Whether a process is there and no zombie. */
export function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    // One that nobody has waited for yet is dead.
    return !existsSync('/proc/self') || !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    return false
  }
}

/** Waits until something holds, for at most `ms`. */
export async function until(holds: () => boolean, ms = 8000): Promise<boolean> {
  for (const end = performance.now() + ms; performance.now() < end; ) {
    if (holds()) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return holds()
}
