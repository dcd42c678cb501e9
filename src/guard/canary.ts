/**
 * A call that only asks whether the gate answers: a shell line that does nothing, with a word that its asker chose. It is
 * denied whatever the policy says, so that whoever asks can tell an answer from silence; where no gate is, nothing happens.
 */
import type { ToolCall } from '../core/call.ts'
import type { Verdict } from '../core/verdict.ts'

const LINE = /^: sallyport-canary ([0-9a-z]{1,32})$/

/** The rule of the answer. */
export const CANARY_RULE = 'gate.canary'

/** The line for a word of up to 32 letters and digits. */
export const canaryLine = (word: string): string => `: sallyport-canary ${word}`

/** What is answered to the line with that word. */
export const canaryReason = (word: string): string => `Sallyport canary ${word}: this gate answers`

/** The verdict on a canary call; undefined for any other call. */
export function canaryOf(call: ToolCall): Verdict | undefined {
  const [action, ...more] = call.actions
  if (action?.is !== 'shell' || more.length > 0 || action.text.charCodeAt(0) !== COLON) return undefined
  const word = LINE.exec(action.text)?.[1]
  if (word === undefined) return undefined
  return {
    decision: 'deny',
    rule: CANARY_RULE,
    reason: canaryReason(word),
    status: 'complete',
    findings: [],
    effects: [],
  }
}

/** The first sign of the line: nearly every other call is told from it by this alone. */
const COLON = 58
