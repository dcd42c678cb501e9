/** Starting a child, passing signals on to it, and taking it down. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { closeSync, constants as files, openSync } from 'node:fs'
import { constants } from 'node:os'
import { findProgram } from './program.ts'

export interface ChildPlan {
  readonly argv: readonly string[]
  /** What is started in place of `argv` and becomes it. */
  readonly spelled?: readonly string[]
  /** Where it runs: a place of its own, or where we are already (which may be gone by now). */
  readonly cwd: string
  readonly elsewhere: boolean
  /** It only makes a terminal for the command, which is in a session of its own then. */
  readonly pty: boolean
  readonly env: NodeJS.ProcessEnv
  /** For descriptor 0, 1, 2: a number of ours, or none. */
  readonly stdio: readonly [number | 'ignore', number, number]
  /** Further descriptors of ours that it gets under the same number. */
  readonly more: readonly number[]
  /** The soft limit of open files to give back to it. */
  readonly fileLimit: number | undefined
}

/** How a child ended: one of the two is there. */
export interface Ended {
  readonly exit?: number
  readonly signal?: NodeJS.Signals
}

export interface Child {
  readonly pid: number
  /** What a signal reaches, and what dies with us. */
  readonly reach: 'group' | 'tree'
  /** Resolves when the child itself has ended; others may still hold its pipes. */
  readonly ended: Promise<Ended>
  /** Sends what we were sent. */
  signal(signal: NodeJS.Signals): void
  /** Ends all of it. */
  kill(signal: 'SIGTERM' | 'SIGKILL'): void
}

/** `code`: what a shell gives for it. `refused`: a clause. */
export interface NotStarted {
  readonly code: 125 | 126 | 127
  readonly refused: string
}

/**
 * Where we have a terminal the child stays in our process group: the keyboard's signals reach it as they reach us, and it
 * may read from the terminal. Without one it gets a session and a group of its own, so that all of it can be reached.
 */
export function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', files.O_RDONLY | files.O_NOCTTY | files.O_NONBLOCK))
    return true
  } catch {
    return false
  }
}

/** Starts it. The argv goes to the program as it is; no shell reads it. */
export async function startChild(plan: ChildPlan, terminal: boolean): Promise<Child | NotStarted> {
  const [name = ''] = plan.argv
  const found = findProgram(name, plan.cwd, plan.env['PATH'])
  if ('refused' in found) return found
  const [file = '', ...words] = plan.spelled ?? plan.argv
  const limit = plan.fileLimit === undefined ? undefined : findProgram('prlimit', '/', plan.env['PATH'])
  const own = limit === undefined || 'refused' in limit
  let child: ChildProcess
  try {
    child = spawn(own ? file : limit.path, own ? words : [`--nofile=${plan.fileLimit}:`, '--', file, ...words], {
      ...(plan.elsewhere ? { cwd: plan.cwd } : {}),
      env: plan.env,
      stdio: stdioOf(plan),
      detached: !terminal,
    })
  } catch (error) {
    return notStarted(name, error as NodeJS.ErrnoException)
  }
  const { pid } = child
  if (pid === undefined) {
    return notStarted(name, await new Promise<NodeJS.ErrnoException>((resolve) => child.once('error', resolve)))
  }
  const reach = terminal || plan.pty ? 'tree' : 'group'
  let over = false
  const signal = (by: NodeJS.Signals): void => {
    if (over) return
    const commands = plan.pty && !OF_TERMINALS.has(by) ? childrenOf(pid) : []
    // On a terminal of its own the command leads a group of its own.
    if (commands.length > 0) for (const command of commands) send(-command, by)
    else send(reach === 'group' ? -pid : pid, by)
  }
  return {
    pid,
    reach,
    ended: new Promise((resolve) => {
      child.once('exit', (exit, signal) => {
        over = true
        resolve(signal === null ? { exit: exit ?? 0 } : { signal })
      })
    }),
    signal,
    kill(by) {
      if (reach === 'group') send(-pid, by)
      else if (plan.pty && by === 'SIGTERM') signal(by)
      else if (!over) for (const one of [...descendants(pid)].reverse()) send(one, by)
    },
  }
}

function stdioOf({ stdio, more }: ChildPlan): (number | 'ignore')[] {
  const all: (number | 'ignore')[] = [...stdio]
  for (const fd of more) {
    while (all.length < fd) all.push('ignore')
    all[fd] = fd
  }
  return all
}

function notStarted(name: string, error: NodeJS.ErrnoException): NotStarted {
  const shown = JSON.stringify(name)
  switch (error.code) {
    case 'ENOENT':
      return { code: 127, refused: `there is no command ${shown}` }
    case 'E2BIG':
      return { code: 126, refused: `the arguments of ${shown} are too long for this system` }
    default:
      return { code: 126, refused: `${shown} cannot be executed (${error.code ?? error.message})` }
  }
}

/** What a program that makes terminals handles itself. */
const OF_TERMINALS: ReadonlySet<string> = new Set(['SIGWINCH', 'SIGTSTP', 'SIGCONT'])

/** Pairs of a process and its parent. */
function processes(): readonly (readonly number[])[] {
  const listed = spawnSync('ps', ['-A', '-o', 'pid=', '-o', 'ppid='], { encoding: 'latin1' }).stdout ?? ''
  return listed.split('\n').map((line) => line.trim().split(/\s+/).map(Number))
}

const childrenOf = (pid: number): readonly number[] =>
  processes().flatMap(([one = 0, parent]) => (parent === pid ? [one] : []))

/** `pid` and the processes that descend from it, as far as their parents live. */
function descendants(pid: number): readonly number[] {
  const pairs = processes()
  const found = [pid]
  for (const parent of found) for (const [one, of] of pairs) if (of === parent && one !== undefined) found.push(one)
  return found
}

function send(to: number, signal: NodeJS.Signals): void {
  try {
    process.kill(to, signal)
  } catch {
    // Nobody is there any more.
  }
}

/** The exit code that stands for how it ended. */
export const codeOf = (ended: Ended): number =>
  ended.signal === undefined ? (ended.exit ?? 0) : 128 + constants.signals[ended.signal]
