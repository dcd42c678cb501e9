/**
 * A small shell beside the child: it makes the pipes, and it takes the child's processes down when we are gone, also after
 * SIGKILL. Node makes sockets where it is asked for pipes, and programs that open `/dev/stdout` anew cannot open a socket.
 */
import { spawn } from 'node:child_process'
import { closeSync, constants, openSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { isAbsolute, join } from 'node:path'

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
const SCRIPT = `trap '' HUP INT PIPE QUIT TERM
name=$1
count=$2
shift 2
dir=
for place; do
  mkdir -m 700 "$place/$name" 2>/dev/null && dir=$place/$name && break
done
[ "$dir" ] || exit 1
while [ "$count" -gt 0 ]; do
  count=$((count - 1))
  mkfifo -m 600 "$dir/$count" || { rm -rf -- "$dir"; exit 1; }
done
printf '%s\\n' "$dir"
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

/** Starts it with `count` pipes. Undefined where the machine has no `sh`, no `mkfifo` or no place for temporary files. */
export async function startLifeline(count: number, env: NodeJS.ProcessEnv): Promise<Lifeline | undefined> {
  // Where the names of the pipes are for a moment. The shell makes and removes it: it outlives us.
  const name = `ctx-run-${process.pid}-${process.hrtime.bigint().toString(36)}`
  const places = [tmpdir(), env['XDG_RUNTIME_DIR'] ?? '', '/dev/shm', '/tmp'].filter((place) => isAbsolute(place))
  // A group of its own: who ends the child's group, or ours, does not end it.
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'sh', name, String(count), ...places], {
    stdio: ['pipe', 'pipe', 'ignore'],
    detached: true,
    cwd: '/',
    // Where the caller's PATH lacks them, the usual programs are found all the same.
    env: { PATH: [env['PATH'], '/usr/bin:/bin'].filter(Boolean).join(':') },
  })
  shell.stdin.on('error', () => {})
  const dir = await new Promise<string | undefined>((resolve) => {
    let said = ''
    shell.once('error', () => resolve(undefined))
    shell.once('exit', () => resolve(undefined))
    shell.stdout.on('data', (part) => {
      said += String(part)
      if (said.endsWith('\n')) resolve(said.slice(0, -1))
    })
  })
  shell.unref()
  shell.stdout.destroy()
  const pipes: Pipe[] = []
  try {
    if (dir === undefined) throw new Error('the pipes were not made')
    for (let index = 0; index < count; index++) {
      const name = join(dir, String(index))
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
    if (dir !== undefined) rmSync(dir, { recursive: true, force: true })
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
