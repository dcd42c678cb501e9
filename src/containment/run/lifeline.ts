/**
 * A small shell beside the child: it makes the pipes, and it takes the child's processes down when we are gone, also after
 * SIGKILL. Node makes sockets where it is asked for pipes, and programs that open `/dev/stdout` anew cannot open a socket.
 */
import { spawn } from 'node:child_process'
import { closeSync, constants, mkdtempSync, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Both ends of a pipe. Who starts the child closes `write` behind it. */
export interface Pipe {
  readonly read: number
  readonly write: number
}

export interface Lifeline {
  readonly pipes: readonly Pipe[]
  /** Tells what dies with us: the process group of `pid`, or `pid` and what descends from it. */
  guard(what: 'group' | 'tree', pid: number): void
  /** Nothing dies any more. */
  release(): void
}

/**
 * The first line read tells what to take down, the second that all is well. Instead of the second comes the end of the
 * file where the process that would write it is dead: only it holds the other end. Where it died before it could tell, those
 * who hold the pipes are its child's processes (seen on Linux).
 */
const SCRIPT = `trap '' HUP INT QUIT TERM
dir=$1
shift
[ $# -eq 0 ] || mkfifo -m 600 "$@" || exit 1
echo ready
exec >/dev/null 2>&1
down() {
  kill -s STOP "$1"
  ps -A -o pid= -o ppid= | while read -r pid parent; do
    [ "$parent" != "$1" ] || echo "$pid"
  done | while read -r pid; do down "$pid"; done
  kill -s KILL "$1"
}
if ! read -r what pid; then
  for fd in /proc/[0-9]*/fd/[12]; do
    case $(readlink "$fd") in
      "$dir"/*) pid=\${fd#/proc/} && kill -s KILL "\${pid%%/*}" ;;
    esac
  done
elif ! read -r well; then
  case $what in
    group) kill -s KILL -- "-$pid" ;;
    tree) down "$pid" ;;
  esac
fi
rm -rf -- "$dir"
`

/** A directory of our own for the names of the pipes, which are gone again before the child starts. */
function scratch(env: NodeJS.ProcessEnv): string | undefined {
  for (const place of [tmpdir(), env['XDG_RUNTIME_DIR'], '/dev/shm', '/tmp']) {
    try {
      if (place) return mkdtempSync(join(place, 'ctx-run-'))
    } catch {
      // The next one.
    }
  }
  return undefined
}

/** Starts it with `count` pipes. Undefined where the machine has no `sh`, no `mkfifo` or no place for temporary files. */
export async function startLifeline(count: number, env: NodeJS.ProcessEnv): Promise<Lifeline | undefined> {
  const dir = scratch(env)
  if (dir === undefined) return undefined
  const names = Array.from({ length: count }, (_, index) => join(dir, String(index)))
  // A group of its own: who ends the child's group, or ours, does not end it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', dir, ...names], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: env['PATH'] ?? '/usr/bin:/bin' },
  })
  shell.stdin.on('error', () => {})
  const ready = await new Promise<boolean>((resolve) => {
    shell.once('error', () => resolve(false))
    shell.once('exit', () => resolve(false))
    shell.stdout.once('data', () => resolve(true))
  })
  shell.unref()
  shell.stdout.destroy()
  const pipes: Pipe[] = []
  try {
    if (!ready) throw new Error('the pipes were not made')
    for (const name of names) {
      // The reading end first: it does not wait for a writer, and the writer then finds a reader.
      const read = openSync(name, constants.O_RDONLY | constants.O_NONBLOCK)
      pipes.push({ read, write: -1 })
      pipes[pipes.length - 1] = { read, write: openSync(name, constants.O_WRONLY) }
    }
  } catch {
    for (const { read, write } of pipes) {
      closeSync(read)
      if (write >= 0) closeSync(write)
    }
    shell.stdin.destroy()
    return undefined
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
  ;(shell.stdin as unknown as { unref(): void }).unref()
  return {
    pipes,
    guard: (what, pid) => void shell.stdin.write(`${what} ${pid}\n`),
    release() {
      shell.stdin.write('well\n')
      shell.stdin.destroy()
    },
  }
}
