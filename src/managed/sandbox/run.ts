/** Runs one program in a cell to its end, within its deadline and its share of output. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock, ProgramEnd, ProgramRun } from '../contract.ts'
import type { Cell, Running } from './driver.ts'

export interface RunOptions {
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly linger: boolean
  /** Another writable root in place of the environment's. */
  readonly root?: string
}

/** Milliseconds of silence after the end of a program that lingers, until its output counts as complete. */
const DRAIN = 30
const MOST_DRAINS = 10

/** Never rejects: a program that could not be started is told in the answer. */
export async function runProgram(cell: Cell, run: ProgramRun, options: RunOptions, clock: Clock): Promise<ProgramEnd> {
  const started = clock.now()
  const end = (parts: Partial<ProgramEnd>): ProgramEnd => ({
    started: true,
    exit: null,
    killedBy: null,
    timedOut: false,
    cancelled: false,
    cut: false,
    stdout: new Uint8Array(),
    stderr: new Uint8Array(),
    ...parts,
    ms: clock.now() - started,
  })
  if (run.signal?.aborted === true)
    return end({ started: false, why: 'it was cancelled before it started', cancelled: true })
  let running: Running
  try {
    const { argv, cwd } = run
    running = cell.start({ argv, cwd, ...options })
  } catch (error) {
    return end({ started: false, why: (error as Error).message })
  }
  let timedOut = false
  let cancelled = false
  const stop = clock.after(run.timeout, () => {
    timedOut = true
    running.kill()
  })
  const cancel = () => {
    cancelled = true
    running.kill()
  }
  run.signal?.addEventListener('abort', cancel, { once: true })
  const kill = run.killAtLimit === true ? () => running.kill() : undefined
  const stdout = new Kept(running.stdout, run.outputLimit, kill)
  const stderr = new Kept(running.stderr, run.outputLimit, kill)
  // A program need not read what it is sent.
  running.stdin.end(run.stdin ?? '')
  const exit = await running.ended
  stop()
  run.signal?.removeEventListener('abort', cancel)
  if (options.linger) await quiet(stdout, stderr, running)
  else await Promise.all([running.gone, stdout.ended, stderr.ended])
  const common = {
    timedOut,
    cancelled,
    cut: stdout.cut || stderr.cut,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
  }
  if (exit.why !== undefined) return end({ ...common, started: false, why: exit.why })
  const refused = /^bwrap: .*/.exec(Buffer.from(common.stderr).toString('utf8'))
  if (exit.status === 1 && refused !== null) return end({ ...common, started: false, why: refused[0] })
  const killedBy = exit.status === undefined ? 'SIGKILL' : signalOf(exit.status)
  return end({ ...common, exit: exit.status ?? null, killedBy })
}

/** What is left of a program that lingers may hold the pipes: its output is complete when nothing has come for a while. */
async function quiet(stdout: Kept, stderr: Kept, running: Running): Promise<void> {
  const over = Promise.all([running.gone, stdout.ended, stderr.ended]).then(() => true)
  for (let drains = 0; drains < MOST_DRAINS; drains++) {
    const before = stdout.seen + stderr.seen
    const timer = new Promise<boolean>((resolve) => setTimeout(resolve, DRAIN, false))
    if ((await Promise.race([over, timer])) || stdout.seen + stderr.seen === before) return
  }
}

/** A status above 128 is the signal that ended the program, as shells say it. */
function signalOf(status: number): string | null {
  const number = status - 128
  for (const [name, value] of Object.entries(constants.signals)) if (value === number) return name
  return null
}

/** The first bytes of a stream; the rest is read and dropped. */
class Kept {
  seen = 0
  cut = false
  readonly ended: Promise<void>
  readonly #chunks: Buffer[] = []

  constructor(stream: Readable, limit: number, kill: (() => void) | undefined) {
    this.ended = new Promise((resolve) => {
      stream.on('close', resolve)
      stream.on('error', () => resolve())
    })
    stream.on('data', (chunk: Buffer) => {
      const room = limit - this.seen
      this.seen += chunk.length
      if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
      if (chunk.length <= room || this.cut) return
      this.cut = true
      kill?.()
    })
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }
}
