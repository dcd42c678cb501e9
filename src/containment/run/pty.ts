/** A terminal for the child, made by a program of the system: Node has none of its own. */
import type { NotStarted } from './child.ts'
import { lineOf } from './line.ts'
import { findProgram } from './program.ts'

/** What python runs: the command is its arguments, its status becomes ours as a shell would give it. */
const PYTHON = `import os, pty, sys
def status(raw):
    return 128 + os.WTERMSIG(raw) if os.WIFSIGNALED(raw) else os.WEXITSTATUS(raw)
sys.exit(status(pty.spawn(sys.argv[1:])))`

/**
 * The argv that runs `argv` on a terminal: by `script`, else by Python. What the child writes comes as one stream, with
 * the line ends that a terminal makes. `refused`: a clause with the way out.
 */
export function ptyArgv(
  argv: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string | undefined>>,
  platform: string,
): readonly string[] | NotStarted {
  const command = findProgram(argv[0] ?? '', cwd, env['PATH'])
  if ('refused' in command) return command
  const script = findProgram('script', '/', env['PATH'])
  if ('path' in script) {
    if (platform !== 'linux') return [script.path, '-q', '/dev/null', ...argv]
    // It gives one line to the shell that SHELL names, which need not know our quoting.
    const shell = env['SHELL'] === undefined ? 'unset SHELL; ' : `SHELL=${lineOf([env['SHELL']])} `
    const line = `${shell}exec ${lineOf(argv)}`
    return ['/usr/bin/env', 'SHELL=/bin/sh', script.path, '-q', '-e', '-f', '-c', line, '/dev/null']
  }
  const python = findProgram('python3', '/', env['PATH'])
  if ('path' in python) return [python.path, '-c', PYTHON, ...argv]
  return {
    code: 125,
    refused:
      '--pty needs the program script (util-linux) or python3, and neither is on PATH; install one or leave --pty out',
  }
}
