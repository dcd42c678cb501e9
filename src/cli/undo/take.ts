/** Before a call runs that may lose something: keeps it, where the policy says so. A part of the hook, loaded then only. */
import { randomBytes } from 'node:crypto'
import type { ToolCall } from '../../core/call.ts'
import type { Verdict } from '../../core/verdict.ts'
import type { Policy } from '../../policy/policy.ts'
import { redact } from '../../record/redact.ts'
import { shown } from '../hook/log.ts'
import { atRisk } from './at-risk.ts'
import { keep, LIMITS, type Snapshot } from './snapshots.ts'

/** Characters of the call that are kept. */
const MOST_CALL = 400

/** Never throws. `left`: milliseconds until the answer is due. Undefined where nothing is at risk, or could be kept. */
export function snapshot(
  state: string,
  call: ToolCall,
  verdict: Verdict,
  policy: Policy,
  left: () => number,
): Snapshot | undefined {
  try {
    const { files, heads, cut } = atRisk(verdict.effects, left)
    if (files.length === 0 && Object.keys(heads).length === 0) return undefined
    const given = policy.settings?.snapshots
    const limits = { maxBytes: given?.maxBytes ?? LIMITS.maxBytes, days: given?.days ?? LIMITS.days }
    const id = `s_${randomBytes(6).toString('hex')}`
    const about = {
      id,
      at: Date.now(),
      host: call.host,
      session: call.session,
      call: redact(shown(call)).slice(0, MOST_CALL),
    }
    return keep(state, { ...about, heads, cut }, files, limits, left)
  } catch {
    return undefined
  }
}
