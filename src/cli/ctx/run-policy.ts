/** Reads the settings of captures from the effective policy. */
import type { Env } from '../../containment/store/types.ts'
import { answer } from '../../core/driver.ts'
import { loadPolicy } from '../../policy/load.ts'
import { diskWorld } from '../../world/disk.ts'
import type { CaptureSettings } from './run-settings.ts'

/** A few small files on a disk that answers; who waits for a command does not wait for this. */
const BUDGET = { ms: 1000, questions: 1000 }

/** The settings that hold; what is wrong in a file is not used, and `policy check` names it. */
export function readSettings(env: Env, home: string, cwd: string): CaptureSettings {
  const world = diskWorld({ env, cwd })
  const policy = answer(loadPolicy({ home, repo: undefined, cwd, env }), world, { ...BUDGET, start: world.now() }).value
  const { store = {}, budgets = {} } = policy.settings ?? {}
  return {
    ...(typeof store.seal === 'boolean' ? { seal: store.seal } : {}),
    ...(typeof store.maxBytes === 'number' ? { maxBytes: store.maxBytes } : {}),
    ...(typeof store.days === 'number' ? { days: store.days } : {}),
    ...(typeof budgets.digest === 'number' ? { digest: budgets.digest } : {}),
  }
}
