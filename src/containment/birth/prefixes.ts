/** Programs that run another one, as far as what that one prints matters here. The guard has tables of its own for what they do. */
import { lists } from '../../commands/list.ts'
import { type Argv, baseOf, listOf } from './words.ts'

interface Prefix {
  readonly names: string
  /** Options whose value is a word of its own. */
  readonly values?: string
  /** Operands before the command. */
  readonly before?: number
  /** Words that stand before the command, one of which has to be there. */
  readonly verbs?: string
  readonly assignments?: true
  /** Ends the command after a time. */
  readonly ends?: true
  /** Prints of its own accord, too. */
  readonly loud?: true
}

const PREFIXES: readonly Prefix[] = [
  { names: 'env genv', values: '-u --unset -C --chdir', assignments: true },
  { names: 'sudo doas', values: '-u -g -h -p -C -D -R -T -U -r -t --user --group', assignments: true },
  { names: 'nice gnice', values: '-n --adjustment' },
  { names: 'nohup setsid command builtin exec time gtime catchsegv unbuffer' },
  { names: 'ionice chrt taskset numactl', values: '-c -n -p' },
  { names: 'stdbuf gstdbuf', values: '-i -o -e --input --output --error' },
  { names: 'timeout gtimeout', values: '-k -s --kill-after --signal', before: 1, ends: true },
  { names: 'xvfb-run dbus-run-session', values: '-s -e -n' },
  { names: 'dotenv cross-env env-cmd', values: '-f -e', assignments: true },
  {
    names: 'uv poetry pipenv pdm rye hatch',
    verbs: 'run',
    values: '--with --extra --group -p --python --project --directory',
    loud: true,
  },
  { names: 'bundle', verbs: 'exec' },
  { names: 'npx pnpx bunx', values: '-p --package -c', loud: true },
  { names: 'npm pnpm yarn bun', verbs: 'exec dlx x', loud: true },
  { names: 'conda mamba micromamba', verbs: 'run', values: '-n -p --name --prefix' },
  { names: 'asdf mise direnv nvm rbenv pyenv', verbs: 'exec x', before: 0 },
]

/** One line asks for few names: the rows are searched as they are. */
const prefixOf = (name: string): Prefix | undefined =>
  name.includes(' ') ? undefined : PREFIXES.find((prefix) => lists(prefix.names, name))

/** Whether a bare name is that of a program that runs another. */
export const isPrefix = (name: string): boolean => prefixOf(name) !== undefined

export interface Unwrapped {
  readonly argv: Argv
  /** The command is ended after a time. */
  readonly ends: boolean
  /** A prefix prints of its own accord. */
  readonly loud: boolean
}

const ASSIGNMENT = /^[A-Za-z_]\w*=/

/** The command behind `env A=1 timeout 5 …`; the argv itself where nothing stands before it. */
export function unwrapped(argv: Argv): Unwrapped {
  let at = argv
  let ends = false
  let loud = false
  for (let depth = 0; depth < 8; depth++) {
    const prefix = prefixOf(at.base)
    const next = prefix === undefined ? undefined : behind(prefix, at.args)
    if (prefix === undefined || next === undefined) break
    ends ||= prefix.ends === true
    loud ||= prefix.loud === true
    at = next
  }
  return { argv: at, ends, loud }
}

function behind(prefix: Prefix, args: readonly (string | undefined)[]): Argv | undefined {
  const valued = listOf(prefix.values ?? '')
  let left = prefix.before ?? 0
  let verb = prefix.verbs === undefined
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]
    if (arg === undefined) return undefined
    if (arg === '--') continue
    if (arg.startsWith('-') && arg.length > 1) {
      if (valued.includes(arg)) at++
      continue
    }
    if (!verb) {
      if (!listOf(prefix.verbs ?? '').includes(arg)) return undefined
      verb = true
      continue
    }
    if (prefix.assignments && ASSIGNMENT.test(arg)) continue
    if (left-- > 0) continue
    return { base: baseOf(arg), name: arg, args: args.slice(at + 1) }
  }
  return undefined
}
