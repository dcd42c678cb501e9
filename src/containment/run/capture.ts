/** Runs a child and takes in what it writes: into the spool, and to whoever else wants it. */
import { closeSync, readFileSync } from 'node:fs'
import { type Child, type ChildPlan, type Ended, hasTerminal, type NotStarted, startChild } from './child.ts'
import { type Intake, intakeOf, type Take } from './intake.ts'
import type { Lifeline, Pipe } from './lifeline.ts'

export type Source = 'stdout' | 'stderr'

/** Whom the bytes go to. */
export interface Taker {
  /** As `Take`: false where it is busy, and calls `again` later. The chunk may be used again after a true. */
  take(source: Source, chunk: Uint8Array, again: () => void): boolean
  /** Nobody wants more of this stream: the child is to get SIGPIPE, as it would from a pipe without a reader. */
  unwanted(source: Source): boolean
  /** Where a process that still writes when the child has ended writes to from then on. */
  afterwards(source: Source): number | 'nowhere'
}

export interface CaptureRequest extends Omit<ChildPlan, 'stdio'> {
  readonly stdin: 'inherit' | 'ignore'
  /**
   * With one pipe for both streams, which keeps their order exactly but does not tell them apart, or with one for each.
   * On its way already, since it takes as long as a small command.
   */
  readonly lifeline: Promise<Lifeline | undefined>
  readonly timeoutMs?: number
  /** Called once the child runs. */
  readonly started?: () => void
  /** When it is aborted the child is ended: SIGTERM, and where that is not enough SIGKILL. */
  readonly end?: AbortSignal
}

export interface Outcome extends Ended {
  readonly timedOut: boolean
  /** Milliseconds from its start to its end. */
  readonly ms: number
  /** Streams that others still held when we stopped waiting for them. */
  readonly held: boolean
  /** There was no way to take the output in: the child wrote to our own streams. */
  readonly uncaptured?: true
}

/** Sent on to the child. INT, QUIT and TSTP of a keyboard reach it by themselves where it shares our terminal. */
const PASSED_SIGNALS = [
  'SIGINT',
  'SIGTERM',
  'SIGHUP',
  'SIGQUIT',
  'SIGUSR1',
  'SIGUSR2',
  'SIGALRM',
  'SIGTSTP',
  'SIGCONT',
  'SIGWINCH',
] as const
/** Those that would not have ended a command before it began. */
const HARMLESS: ReadonlySet<string> = new Set(['SIGTSTP', 'SIGCONT', 'SIGWINCH'])
const OF_KEYBOARD: ReadonlySet<string> = new Set(['SIGINT', 'SIGQUIT', 'SIGTSTP', 'SIGWINCH'])

/** How long a pipe may stay silent, and how long it may be held in all, once the child has ended. */
const SILENCE_MS = 250
const HELD_MS = 1000
/** From SIGTERM to SIGKILL. */
const GRACE_MS = 2000

/** Runs it to its end. A child that could not be started is told as `refused`. */
export async function capture(request: CaptureRequest, taker: Taker): Promise<Outcome | NotStarted> {
  const terminal = request.stdin === 'inherit' && hasTerminal()
  let early: NodeJS.Signals | undefined
  let child: Child | undefined
  const unhook = handleSignals((signal) => {
    if (child !== undefined) passSignal(child, terminal, signal)
    else if (!HARMLESS.has(signal)) early ??= signal
  })
  try {
    const lifeline = await request.lifeline
    if (lifeline === undefined)
      return await uncaptured(request, terminal, (one) => {
        child = one
      })
    const ends = () => {
      for (const { write } of lifeline.pipes) closeSync(write)
    }
    const [out, err = out] = lifeline.pipes as readonly [Pipe, Pipe?]
    if (early !== undefined) {
      lifeline.release()
      return { signal: early, timedOut: false, ms: 0, held: false }
    }
    const began = performance.now()
    const plan = { ...request, stdio: [request.stdin === 'inherit' ? 0 : 'ignore', out.write, err.write] } as const
    const started = await startChild(plan, terminal)
    ends()
    if ('refused' in started) {
      for (const { read } of lifeline.pipes) closeSync(read)
      lifeline.release()
      return started
    }
    child = started
    lifeline.guard(started.reach, started.pid)
    request.started?.()
    const outcome = await follow(started, lifeline.pipes, request, taker, began)
    lifeline.release()
    return outcome
  } finally {
    unhook()
  }
}

/** For a machine where no pipe can be made: better the output as it is than none. */
async function uncaptured(
  request: CaptureRequest,
  terminal: boolean,
  started: (child: Child) => void,
): Promise<Outcome | NotStarted> {
  const began = performance.now()
  const child = await startChild({ ...request, stdio: [request.stdin === 'inherit' ? 0 : 'ignore', 1, 2] }, terminal)
  if ('refused' in child) return child
  started(child)
  request.started?.()
  const deadline = deadlineOf(child, request)
  const ended = await child.ended
  const timedOut = deadline.stop()
  return { ...ended, timedOut, ms: performance.now() - began, held: false, uncaptured: true }
}

async function follow(
  child: Child,
  pipes: readonly Pipe[],
  request: CaptureRequest,
  taker: Taker,
  began: number,
): Promise<Outcome> {
  const deadline = deadlineOf(child, request)
  const sources = pipes.length === 1 ? (['stdout'] as const) : (['stdout', 'stderr'] as const)
  let open = pipes.length
  let allEnded = () => {}
  const drained = new Promise<void>((resolve) => {
    allEnded = resolve
  })
  const intakes = pipes.map(({ read }, index) => {
    const source = sources[index] ?? 'stdout'
    const take: Take = (chunk, again) => {
      const wanted = () => {
        if (taker.unwanted(source)) intake.close()
        else again()
      }
      const taken = taker.take(source, chunk, wanted)
      if (taken && taker.unwanted(source)) setImmediate(() => intake.close())
      return taken
    }
    const intake: Intake = intakeOf(read, take, () => {
      open--
      if (open === 0) allEnded()
    })
    return intake
  })
  const ended = await child.ended
  const ms = performance.now() - began
  const timedOut = deadline.stop()
  const waiting = silence(intakes)
  const held = !(await Promise.race([drained.then(() => true), waiting.over]))
  waiting.stop()
  if (held)
    for (const [index, intake] of intakes.entries())
      if (!intake.ended) intake.leave(taker.afterwards(sources[index] ?? 'stdout'))
  return { ...ended, timedOut, ms, held }
}

/** `over` resolves when the pipes are silent, or held for too long. Time in which the taker is busy does not count. */
function silence(intakes: readonly Intake[]): { readonly over: Promise<false>; stop(): void } {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise<false>((resolve) => {
    const from = performance.now()
    let busyMs = 0
    let before = from
    timer = setInterval(() => {
      const now = performance.now()
      const open = intakes.filter((intake) => !intake.ended)
      if (open.some((intake) => intake.busy)) busyMs += now - before
      else if (
        now - from - busyMs > HELD_MS ||
        open.every((intake) => now - Math.max(intake.last, from) > SILENCE_MS + busyMs)
      )
        resolve(false)
      before = now
    }, 25)
  })
  return { over, stop: () => clearInterval(timer) }
}

/** Ends the child when its time is over, or when somebody wants it ended. `stop` says whether its time was over. */
function deadlineOf(child: Child, { timeoutMs, end }: CaptureRequest): { stop(): boolean } {
  let late = false
  let grace: NodeJS.Timeout | undefined
  const down = () => {
    child.kill('SIGTERM')
    // What is stopped would not see it.
    child.signal('SIGCONT')
    grace ??= setTimeout(() => child.kill('SIGKILL'), GRACE_MS)
  }
  const timer =
    timeoutMs === undefined
      ? undefined
      : setTimeout(() => {
          late = true
          down()
        }, timeoutMs)
  end?.addEventListener('abort', down, { once: true })
  if (end?.aborted) down()
  return {
    stop() {
      clearTimeout(timer)
      clearTimeout(grace)
      end?.removeEventListener('abort', down)
      // What did not end with the child ends now.
      if (grace !== undefined) child.kill('SIGKILL')
      return late
    },
  }
}

/** Whether the terminal's keys go to our process group. Where that cannot be told, they do. */
function inForeground(): boolean {
  try {
    const [, , group, , , foreground] = readFileSync('/proc/self/stat', 'latin1').split(') ').at(-1)!.split(' ')
    return group === foreground
  } catch {
    return true
  }
}

function passSignal(child: Child, terminal: boolean, signal: NodeJS.Signals): void {
  const stops = signal === 'SIGTSTP'
  if (!(terminal && OF_KEYBOARD.has(signal) && inForeground())) {
    child.signal(signal)
    // A session without a terminal ignores the gentle form.
    if (stops) child.signal('SIGSTOP')
  }
  if (stops) process.kill(process.pid, 'SIGSTOP')
}

/** Takes all signals that are passed on, until the result is called. */
export function handleSignals(take: (signal: NodeJS.Signals) => void): () => void {
  const handlers = PASSED_SIGNALS.map((signal) => {
    const handler = () => take(signal)
    process.on(signal, handler)
    return () => void process.off(signal, handler)
  })
  return () => {
    for (const off of handlers) off()
  }
}
