/** What a family asks about the commands of the line that was run. */
import type { Probe } from '../family.ts'

type Command = Probe['commands'][number]

/** Options of git in front of its verb that take the next word. */
const GIT_VALUES = new Set(['-C', '-c', '--git-dir', '--work-tree', '--namespace', '--exec-path', '--config-env'])

/** The verb of a git command; undefined for other programs and where no verb is told. */
export function gitVerb({ program, args }: Command): string | undefined {
  if (program !== 'git') return undefined
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    if (GIT_VALUES.has(arg)) i++
    else if (!arg.startsWith('-')) return arg
  }
  return undefined
}

/** Whether one of the commands is git with one of these verbs. */
export const isGit = (probe: Probe, ...verbs: readonly string[]): boolean =>
  probe.commands.some((command) => verbs.includes(gitVerb(command) ?? ''))

/** Whether one of the commands runs one of these programs. */
export const runs = (probe: Probe, ...programs: readonly string[]): boolean =>
  probe.commands.some(({ program }) => programs.includes(program))

/** Whether a short option letter or one of the long options stands among the words of a command. */
export const hasOption = ({ args }: Command, letter: string, ...long: readonly string[]): boolean =>
  args.some(
    (arg) =>
      (letter !== '' && /^-[A-Za-z]+$/.test(arg) && arg.includes(letter)) ||
      long.some((name) => arg === name || arg.startsWith(name + '=')),
  )

/** Programs that print nothing of their own. */
const SILENT = new Set([
  'cd',
  'pushd',
  'popd',
  'export',
  'set',
  'source',
  '.',
  'mkdir',
  'touch',
  'true',
  ':',
  'test',
  '[',
  'sleep',
  'wait',
])
/** Programs that pass on some lines of what they are given, where no operand names a file. */
const FILTERS = new Set(['head', 'tail', 'sort', 'cat', 'tee', 'less', 'more', 'grep', 'egrep', 'fgrep', 'rg'])

/** Whether the output is lines of this command alone: the others print nothing, or pass on what it printed. */
export function isAlone(probe: Probe, command: Command): boolean {
  const at = probe.commands.indexOf(command)
  return probe.commands.every((other, index) => {
    if (index === at || SILENT.has(other.program)) return true
    const operands = other.args.filter((arg) => !arg.startsWith('-') && !/^\d+$/u.test(arg))
    const search = /grep$|^rg$/u.test(other.program)
    if (index < at || !FILTERS.has(other.program)) return false
    if (search)
      return operands.length <= 1 && !hasOption(other, 'c', '--count') && !hasOption(other, 'n', '--line-number')
    return operands.length === 0
  })
}
