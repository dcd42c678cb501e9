/** Copies an environment's files for a fork. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ManagedError } from '../contract.ts'

/**
 * Copies the tree `from` to `to`, which must not exist. Blocks are shared where the file system can; never hard links, since a
 * change of the fork must not reach the base.
 */
export async function copyTree(from: string, to: string): Promise<void> {
  try {
    await promisify(execFile)('cp', ['-a', '--reflink=auto', '--no-target-directory', '--', from, to], {
      maxBuffer: 1024 * 1024,
    })
  } catch (error) {
    const said = String((error as { stderr?: unknown }).stderr ?? '').split('\n')[0] ?? ''
    throw new ManagedError(400, 'failed_precondition', `the environment cannot be forked: ${said.replaceAll(from, '')}`)
  }
}
