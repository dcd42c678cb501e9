/** Which shell runs the line of `--shell`, and how. */
import { accessSync, constants, readFileSync } from 'node:fs'
import { basename, dirname, isAbsolute } from 'node:path'
import { quoted } from './line.ts'
import { findProgram } from './program.ts'

/** Shells that read the lines which agents write. A line means something else to fish, csh or nu. */
const KNOWN = new Set(['bash', 'zsh', 'ksh', 'mksh', 'dash', 'ash', 'sh'])
/** Shells that tell the status of each stage of a pipeline, by the name of the variable. */
const STAGES: Readonly<Record<string, string>> = { bash: 'PIPESTATUS', zsh: 'pipestatus' }

/** Where systems keep their shells; anything else must stand in the list of login shells. */
const SHELL_DIRS = new Set(['/bin', '/usr/bin', '/usr/local/bin', '/opt/homebrew/bin', '/run/current-system/sw/bin'])
const LOGIN_SHELLS = '/etc/shells'

export interface Shell {
  readonly path: string
  readonly name: string
}

/**
 * The shell that a host of this user gives a line to: `$SHELL` where that is of the family of `sh` and a shell of the
 * system, which no file in a workspace is, whatever its name; without it bash where
 * there is one, since hosts call their tool after it; else `/bin/sh`.
 */
export function shellOf(env: Readonly<Record<string, string | undefined>>): Shell {
  const own = env['SHELL']
  if (own !== undefined && isAbsolute(own) && KNOWN.has(basename(own)) && ofSystem(own) && executable(own))
    return { path: own, name: basename(own) }
  const bash = findProgram('bash', '/', env['PATH'])
  return 'path' in bash ? { path: 'bash', name: 'bash' } : { path: '/bin/sh', name: 'sh' }
}

/** The argv that gives `line` to the shell. */
export const shellArgv = (shell: Shell, line: string): readonly string[] => [shell.path, '-c', line]

/**
 * The line with a second one that writes the status of each stage of its last pipeline to `file`, and leaves with the
 * status that the line has. Undefined for shells that keep no such list. Only for a line that ends in a pipeline.
 */
export function withStages(shell: Shell, line: string, file: string): string | undefined {
  const list = STAGES[shell.name]
  if (list === undefined) return undefined
  const to = quoted(file)
  return `${line}\n__ctx_stages=("$?" "\${${list}[@]}"); printf '%s\\n' "\${__ctx_stages[@]}" >| ${to}; exit "\${__ctx_stages[@]:0:1}"`
}

/** What `withStages` wrote: the shell's own status, then that of each stage. Undefined where the line left before. */
export function readStages(text: string): readonly number[] | undefined {
  const numbers = text.trim().split('\n').map(Number)
  return numbers.length > 2 && numbers.every(Number.isInteger) ? numbers.slice(1) : undefined
}

function ofSystem(file: string): boolean {
  if (SHELL_DIRS.has(dirname(file))) return true
  try {
    return readFileSync(LOGIN_SHELLS, 'utf8').split('\n').includes(file)
  } catch {
    return false
  }
}

function executable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
