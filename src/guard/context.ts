/** What the guard knows beside the call and the world: policy, session, mode. All data. */
import type { Mode } from '../core/call.ts'
import type { Moved } from '../paths/moved.ts'
import type { Policy } from '../policy/policy.ts'
import type { SessionState } from '../session/session.ts'

export interface Context {
  readonly policy: Policy
  readonly session: SessionState
  readonly mode: Mode
  /** True where nobody can answer an ask. */
  readonly unattended: boolean
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly home: string
  readonly user: string
  /** Settings of hosts, and what else variables of this process moved. */
  readonly moved?: readonly Moved[]
  /** Whether the file system folds case; undefined: as the platform usually does. */
  readonly foldsCase?: boolean
}
