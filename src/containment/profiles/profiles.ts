/** The families that a repository brings along and a person trusts, for who makes digests. */
import type { UserFamily } from './compile.ts'
import { profileRoot, trustedHashes } from './files.ts'

type Env = Readonly<Record<string, string | undefined>>

/**
 * The trusted families for a command that runs in `cwd`, to be asked before the built-in ones. Most repositories have
 * none, and then neither the reader of profiles nor its engine is loaded. Never throws.
 */
export async function userFamilies(env: Env, home: string, cwd: string): Promise<readonly UserFamily[]> {
  try {
    if (profileRoot(cwd)?.has !== true || trustedHashes(env, home).size === 0) return []
    const { trustedFamilies } = await import('./load.ts')
    return trustedFamilies(env, home, cwd)
  } catch {
    return []
  }
}
