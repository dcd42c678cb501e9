/** Copies an environment's files for a fork. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ManagedError } from '../contract.ts'

/** Ends with the runtime: a copy that goes on would write into what the next runtime clears away. `$0` is the runtime. */
const COPY = '[[ $PPID == "$0" ]] && exec cp -a --reflink=auto --no-target-directory -- "$@"'

/**
 * Copies the tree `from` to `to`, which must not exist. Blocks are shared where the file system can; never hard links, since a
 * change of the fork must not reach the base.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  try {
    const words = [
      '--pdeathsig',
      'KILL',
      '--',
      'bash',
      '--noprofile',
      '--norc',
      '-c',
      COPY,
      String(process.pid),
      from,
      to,
    ]
    await promisify(execFile)('setpriv', words, { maxBuffer: 1024 * 1024 })
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? '').split('\n')[0] ?? ''
    throw new ManagedError(400, 'failed_precondition', `the environment cannot be forked: ${said.replaceAll(from, '')}`)
  }
}
