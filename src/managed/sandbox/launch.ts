/** Starts a program of the host with exactly the descriptors it is meant to have, inside the limits of a cell. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

/** Descriptors of what is started, beside the three of every program. */
export const FD = { args: 3, seccomp: 4, info: 5 } as const

/**
 * Enters control groups, closes what the runtime itself was started with (an open directory of the host would be a way
 * out), puts pipes where Node gives sockets, since `/dev/stdin` and its like cannot be opened anew on a socket, and becomes
 * the program. `$1`: directories of control groups, one a line; `$2`: which of 0, 1, 2 become pipes; `$3`: the last
 * descriptor that stays; `$4`: who owns the pipes.
 */
const STAGE = `
while IFS= read -r group; do [[ -z $group ]] || echo 0 > "$group/cgroup.procs" || exit 91; done <<< "$1"
for file in /proc/self/fd/*; do number=\${file##*/}; (( number <= $3 )) || eval "exec $number>&-"; done
pipes=$2 owner=$4
shift 4
[[ $pipes != *0* ]] || exec 0< <(exec cat 3<&- 4<&-)
[[ $pipes != *1* ]] || exec 1> >(exec cat 3<&- 4<&-)
[[ $pipes != *2* ]] || exec 2> >(exec cat >&2 3<&- 4<&-)
[[ -z $owner ]] || chown "$owner" /proc/self/fd/0 /proc/self/fd/1 /proc/self/fd/2 || exit 92
exec "$@"
`

export interface Launch {
  readonly argv: readonly string[]
  readonly stdio: Extract<StdioOptions, readonly unknown[]>
  /** Which of 0, 1, 2 become pipes. */
  readonly pipes: string
  /** User of the host whom the pipes belong to; undefined: the runtime's own. */
  readonly owner?: number | undefined
  readonly groups: readonly string[]
  readonly serialization?: 'json'
}

/** Where the programs of the host are looked for; nothing else of the runtime's environment is passed on. */
const HOST_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Programs of the host that every sandbox takes, by the package that has them in most systems. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  bubblewrap: ['bwrap'],
  iproute2: ['ip'],
  'util-linux': ['mount', 'nsenter', 'prlimit', 'setpriv', 'setsid', 'unshare'],
  coreutils: ['mkfifo'],
  bash: ['bash'],
}

/** Which of them is missing, as the begin of a sentence; undefined where none is. */
export function missingProgram(): string | undefined {
  const isThere = (program: string) => HOST_PATH.split(':').some((directory) => existsSync(join(directory, program)))
  for (const [name, programs] of Object.entries(NEEDED)) {
    const missing = programs.find((program) => !isThere(program))
    if (missing !== undefined) return `${missing} is not installed (package ${name})`
  }
  return undefined
}

/** Starts it in a session of its own; it keeps the process id it gets here. */
export function launch(plan: Launch): ChildProcess {
  return spawn(
    'bash',
    [
      '--noprofile',
      '--norc',
      '-c',
      STAGE,
      'sandbox',
      plan.groups.join('\n'),
      plan.pipes,
      String(plan.stdio.length - 1),
      String(plan.owner ?? ''),
      ...plan.argv,
    ],
    {
      cwd: '/',
      env: { PATH: HOST_PATH, LC_ALL: 'C' },
      stdio: plan.stdio,
      detached: true,
      ...(plan.serialization === undefined ? {} : { serialization: plan.serialization }),
    },
  )
}
