/** What the policy says about answers: which files nobody is shown, and how long an answer is. */
import type { Env } from '../../containment/store/types.ts'
import { answer } from '../../core/driver.ts'
import { compileGlob } from '../../paths/glob.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { loadPolicy } from '../../policy/load.ts'
import { diskWorld } from '../../world/disk.ts'

export interface AnswerPolicy {
  /** Why a file, as a real path, is not shown; undefined where it may be. */
  readonly hides: (path: string) => string | undefined
  /** Tokens of an answer. */
  readonly result?: number
}

/** A few small files on a disk that answers. */
const BUDGET = { ms: 1000, questions: 1000 }

/** The policy that holds in a workspace. A file that cannot be read hides everything: what it protects is not known. */
export function readAnswerPolicy(env: Env, home: string, workspace: string): AnswerPolicy {
  const world = diskWorld({ env, cwd: workspace })
  const asked = loadPolicy({ home, repo: workspace, cwd: workspace, env })
  const { denyRead, settings, errors } = answer(asked, world, { ...BUDGET, start: world.now() }).value
  const { platform } = process
  const flavour = flavourOf(platform === 'win32' || platform === 'darwin' ? platform : 'linux')
  const sense = { flavour, foldsCase: platform === 'win32' || platform === 'darwin' }
  const closed = denyRead.map(({ glob, base }) => compileGlob(glob, base, { ...sense, closed: 'match' }))
  const broken = errors.find(({ whole }) => whole === true)
  const result = settings?.budgets?.result
  return {
    hides(path) {
      if (broken !== undefined) return `the policy ${broken.file} cannot be used: ${broken.message}`
      const glob = closed.find((matcher) => matcher.matches(path))
      return glob === undefined ? undefined : `denyRead of the policy names it: ${glob.glob}`
    },
    ...(typeof result === 'number' ? { result } : {}),
  }
}
