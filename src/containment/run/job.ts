/**
 * Commands that go on in the background. A process of its own runs and captures them: it is in no session of ours, so it
 * outlives us. Until it is let go it dies with us, as a command in the foreground does.
 */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { Socket } from 'node:net'
import type { Store } from '../store/types.ts'
import { capture, type Source, type Taker } from './capture.ts'
import { codeOf, type NotStarted } from './child.ts'
import { softFileLimit } from './inherited.ts'
import { startLifeline } from './lifeline.ts'
import type { RunOptions } from './options.ts'
import { ptyArgv } from './pty.ts'
import { shellArgv, shellOf } from './shell.ts'
import { samePlace } from './sink.ts'

/** What the process of a job is told by the one that started it, as JSON. */
export interface JobOrder {
  /** 12 hexadecimal digits. */
  readonly id: string
  /** 1: both streams through one pipe. */
  readonly pipes: 1 | 2
  /** The descriptor that leads to whoever started it. */
  readonly control: number
  readonly inherited: readonly number[]
  readonly fileLimit?: number
}

/** The order in a text; undefined for anything else. */
export function readOrder(text: string): JobOrder | undefined {
  try {
    const order = JSON.parse(text) as Partial<JobOrder> | null
    const numbers = [order?.pipes, order?.control, ...(order?.inherited ?? [])]
    return /^[0-9a-f]{12}$/.test(order?.id ?? '') && numbers.every(Number.isInteger) ? (order as JobOrder) : undefined
  } catch {
    return undefined
  }
}

/** Asks the process of a job to end it. Ignored by every process that does not know it. */
export const END_SIGNAL = 'SIGURG'

export interface Job {
  readonly id: string
  /** The process that captures. */
  readonly pid: number
  /** Resolves when that process has ended. */
  readonly ended: Promise<void>
  /** From now on it outlives us. */
  letGo(): void
}

/**
 * Starts the process of a job and waits until the command runs, or does not. `program`: how this program is started, up
 * to its verb. `words`: flags and command for it.
 */
export async function startJob(
  program: readonly string[],
  words: readonly string[],
  options: RunOptions,
  inherited: readonly number[],
  env: NodeJS.ProcessEnv,
): Promise<Job | NotStarted> {
  const control = [3, ...inherited.map((fd) => fd + 1)].find((fd) => !inherited.includes(fd)) ?? 3
  const fileLimit = softFileLimit()
  const order: JobOrder = {
    id: randomBytes(6).toString('hex'),
    pipes: samePlace(1, 2) ? 1 : 2,
    control,
    inherited,
    ...(fileLimit === undefined ? {} : { fileLimit }),
  }
  const stdio: (number | 'ignore' | 'pipe')[] = [options.bgAfterMs === 0 ? 'ignore' : 0, 'ignore', 'ignore']
  for (const fd of [...inherited, control]) {
    while (stdio.length <= fd) stdio.push('ignore')
    stdio[fd] = fd === control ? 'pipe' : fd
  }
  const [file = process.execPath, ...args] = program
  const child = spawn(file, [...args, '--as-job', JSON.stringify(order), ...words], {
    stdio,
    detached: true,
    ...(options.elsewhere ? { cwd: options.cwd } : {}),
    env,
  })
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  const line = child.stdio[control] as Socket | null | undefined
  if (!line || child.pid === undefined) return { code: 125, refused: 'the process of the job could not be started' }
  line.on('error', () => {})
  const said = await answerOf(line)
  if (said.code !== 0) {
    line.destroy()
    child.unref()
    return { code: said.code, refused: said.text }
  }
  return {
    id: order.id,
    pid: child.pid,
    ended,
    letGo() {
      line.write('go\n')
      line.destroy()
      child.unref()
    },
  }
}

/** What the process of the job says first: that it runs, or why not. */
function answerOf(line: Socket): Promise<{ readonly code: 0 | 125 | 126 | 127; readonly text: string }> {
  return new Promise((resolve) => {
    let text = ''
    const end = () => resolve({ code: 125, text: 'the process of the job ended before the command began' })
    line.on('data', (chunk) => {
      text += String(chunk)
      const found = /^(\d+) (.*)\n/.exec(text)
      if (found) resolve({ code: Number(found[1]) as 0 | 125 | 126 | 127, text: found[2] ?? '' })
    })
    line.once('close', end)
  })
}

/** The process of a job: runs the command, captures it and seals it. Prints nothing. Gives its own exit code. */
export async function superviseJob(
  options: RunOptions,
  order: JobOrder,
  store: Store,
  env: NodeJS.ProcessEnv,
): Promise<number> {
  const control = new Socket({ fd: order.control, readable: true, writable: true })
  control.on('error', () => {})
  const answer = (code: number, text: string) => void control.write(`${code} ${text.replaceAll('\n', ' ')}\n`)
  const argv = options.shell ? shellArgv(shellOf(env), options.argv[0] ?? '') : options.argv
  const child = options.pty ? ptyArgv(argv, options.cwd, env, process.platform) : argv
  const refuse = ({ code, refused }: NotStarted): number => {
    answer(code, refused)
    control.end()
    control.unref()
    return code
  }
  if ('refused' in child) return refuse(child)
  const lifeline = startLifeline(options.pty ? 1 : order.pipes, env)
  const spool = store.create({ argv, cwd: options.cwd, job: order.id })
  const end = new AbortController()
  const wanted = () => end.abort()
  process.on(END_SIGNAL, wanted)
  const outcome = await capture(
    {
      argv: child,
      cwd: options.cwd,
      elsewhere: false,
      pty: options.pty,
      env,
      more: order.inherited,
      fileLimit: order.fileLimit,
      stdin: 'inherit',
      lifeline,
      end: end.signal,
      ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
      started() {
        answer(0, 'runs')
        dieUnlessLetGo(control, wanted)
      },
    },
    recorder((source, chunk) => spool.append(source, chunk)),
  )
  process.off(END_SIGNAL, wanted)
  if ('refused' in outcome) {
    spool.drop()
    return refuse(outcome)
  }
  const { exit, signal, timedOut, ms } = outcome
  spool.seal({
    ...(exit === undefined ? {} : { exit }),
    ...(signal === undefined ? {} : { signal }),
    ...(timedOut ? { timedOut } : {}),
    ms: Math.round(ms),
  })
  control.destroy()
  return codeOf(outcome)
}

/** Whoever started us ends without having let go: the command was in the foreground, and ends, too. */
function dieUnlessLetGo(control: Socket, end: () => void): void {
  let text = ''
  control.on('data', (chunk) => {
    text += String(chunk)
  })
  control.on('close', () => {
    if (!text.startsWith('go\n')) end()
  })
  control.unref()
}

const recorder = (append: (source: Source, chunk: Uint8Array) => void): Taker => ({
  take(source, chunk) {
    append(source, chunk)
    return true
  },
  unwanted: () => false,
  afterwards: () => 'nowhere',
})
