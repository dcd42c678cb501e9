/** Runs one program in a cell to its end, within its deadline and its share of output. */
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import type { Clock, ProgramEnd, ProgramRun } from '../contract.ts'
import type { Cell, Running } from './driver.ts'
import { tooLong } from './limits.ts'

export interface RunOptions {
  /** The whole environment of the program. */
  readonly env: Readonly<Record<string, string>>
  readonly linger: boolean
  /** Another writable root in place of the environment's. */
  readonly root?: string
}

/** What the programs say that start another one, where they cannot. */
const NOT_STARTED = /^(?:bwrap: |setpriv: failed to execute ).*/

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
  const aborted = () => run.signal?.aborted === true
  if (aborted()) return end({ started: false, why: 'it was cancelled before it started', cancelled: true })
  const long = tooLong(run.argv, options.env)
  if (long !== undefined) return end({ started: false, why: long })
  let running: Running
  try {
    const { argv, cwd } = run
    running = await cell.start({ argv, cwd, input: run.stdin ?? '', ...options })
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
  if (aborted()) cancel()
  else run.signal?.addEventListener('abort', cancel, { once: true })
  const kill = run.killAtLimit === true ? () => running.kill() : undefined
  const stdout = new Kept(running.stdout, run.outputLimit, kill, running.mark)
  const stderr = new Kept(running.stderr, run.outputLimit, kill, running.mark)
  const exit = await running.ended
  stop()
  run.signal?.removeEventListener('abort', cancel)
  await Promise.all([stdout.ended, stderr.ended])
  if (!options.linger) await running.gone
  const common = {
    timedOut,
    cancelled,
    cut: stdout.cut || stderr.cut,
    stdout: stdout.bytes(),
    stderr: stderr.bytes(),
  }
  if (exit.why !== undefined) return end({ ...common, started: false, why: exit.why })
  const refused = NOT_STARTED.exec(Buffer.from(common.stderr).toString('utf8'))
  if ([1, 126, 127].includes(exit.status ?? 0) && refused !== null)
    return end({ ...common, started: false, why: refused[0] })
  if (exit.signal !== undefined) return end({ ...common, killedBy: signalName(exit.signal) })
  // What the runtime starts by itself, hooks, is the line of a shell: a status above 128 is how that one says a signal.
  const said = options.linger ? null : exit.status === undefined ? null : shellSignal(exit.status)
  return end({ ...common, exit: exit.status ?? null, killedBy: exit.status === undefined ? 'SIGKILL' : said })
}

function shellSignal(status: number): string | null {
  return Object.values(constants.signals).includes((status - 128) as never) ? signalName(status - 128) : null
}

function signalName(number: number): string {
  for (const [name, value] of Object.entries(constants.signals)) if (value === number) return name
  return `signal ${number}`
}

/** The first bytes of a stream, up to its end or the mark of the end; the rest is read and dropped. */
class Kept {
  cut = false
  /** The stream has ended or the mark has come. */
  readonly ended: Promise<void>
  readonly #limit: number
  readonly #mark: Buffer | undefined
  readonly #kill: (() => void) | undefined
  readonly #chunks: Buffer[] = []
  #kept = 0
  /** What may be the begin of the mark. */
  #held: Buffer = Buffer.alloc(0)
  #over = false

  constructor(stream: Readable, limit: number, kill: (() => void) | undefined, mark: string | undefined) {
    this.#limit = limit
    this.#kill = kill
    this.#mark = mark === undefined ? undefined : Buffer.from(mark)
    this.ended = new Promise((resolve) => {
      stream.on('data', (chunk: Buffer) => {
        if (!this.#over && this.#take(chunk)) resolve()
      })
      stream.on('close', () => {
        if (!this.#over) this.#keep(this.#held)
        this.#over = true
        resolve()
      })
      stream.on('error', () => resolve())
    })
  }

  bytes(): Uint8Array {
    return Buffer.concat(this.#chunks)
  }

  /** Whether the mark has come. */
  #take(chunk: Buffer): boolean {
    if (this.#mark === undefined) {
      this.#keep(chunk)
      return false
    }
    const all = Buffer.concat([this.#held, chunk])
    const at = all.indexOf(this.#mark)
    this.#over = at >= 0
    const sure = this.#over ? at : Math.max(0, all.length - this.#mark.length + 1)
    this.#keep(all.subarray(0, sure))
    this.#held = all.subarray(sure)
    return this.#over
  }

  #keep(chunk: Buffer): void {
    const room = this.#limit - this.#kept
    this.#kept += chunk.length
    if (room > 0) this.#chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    if (chunk.length <= room || this.cut) return
    this.cut = true
    this.#kill?.()
  }
}
