/** Opens the managed runtime for the verbs that need it, with what only drivers know: the policy and the captures. */
import { answer } from '../../core/driver.ts'
import type { LookUp } from '../../managed/agent/output-gate.ts'
import { type Managed, type ManagedOptions, openManaged } from '../../managed/open.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { Policy } from '../../policy/policy.ts'
import { diskWorld } from '../../world/disk.ts'
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'
import { answerCall } from '../mcp/tool.ts'
import { CannotOpen, stateOf } from './state.ts'

export { CannotOpen, stateOf }

/** The policy of the person who runs the server; no project's. */
export function operatorPolicy(io: Io): Policy {
  const world = diskWorld({ env: io.env, cwd: io.cwd })
  const budget = { ms: 5_000, start: world.now(), questions: 5_000 }
  return answer(loadPolicy({ home: homeOf(io.env), repo: undefined }), world, budget).value
}

/** Opens the runtime. Throws `CannotOpen`. */
export async function open(io: Io, options: Omit<ManagedOptions, 'env' | 'home' | 'lookUp'>): Promise<Managed> {
  const lookUp: LookUp = (args, env) => answerCall(args as Parameters<typeof answerCall>[0], { ...io, env })
  try {
    return await openManaged({ ...options, env: io.env, home: homeOf(io.env), lookUp })
  } catch (error) {
    throw new CannotOpen(error instanceof Error ? error.message.replace(/\.$/, '') : String(error))
  }
}
