/** What an answer on stdout says, read for each driven host by its own contract, apart from the adapters. */
import { type Json, object } from './script.ts'

export const DRIVEN = ['claude', 'codex', 'qwen', 'copilot', 'gemini', 'opencode', 'pi', 'cline'] as const
export type DrivenHost = (typeof DRIVEN)[number]

export interface Answer {
  /** `nothing`: no verdict, but a new input, another result or a note. */
  readonly said: 'pass' | 'ask' | 'deny' | 'nothing'
  readonly reason: string
}

type Reader = (answer: Json) => readonly [verdict: unknown, reason: unknown]

const claudes: Reader = (answer) => {
  const output = object(answer['hookSpecificOutput'])
  return [output['permissionDecision'], output['permissionDecisionReason']]
}

const READERS: Readonly<Record<DrivenHost, Reader>> = {
  claude: claudes,
  codex: claudes,
  qwen: claudes,
  copilot: (answer) => [answer['permissionDecision'], answer['permissionDecisionReason']],
  gemini: (answer) => [answer['decision'], answer['decision'] === 'ask' ? answer['systemMessage'] : answer['reason']],
  opencode: (answer) => ['throw' in answer ? 'deny' : undefined, answer['throw']],
  pi: (answer) =>
    answer['block'] === true
      ? ['deny', answer['reason']]
      : ['confirm' in answer ? 'ask' : undefined, answer['confirm']],
  cline: (answer) => [
    answer['cancel'] === true
      ? 'deny'
      : answer['cancel'] === false && !('overrideInput' in answer)
        ? 'pass'
        : undefined,
    answer['errorMessage'],
  ],
}

/** Verdict and reason in an answer; silence is a pass. `isAfter`: after a run, where nothing is a verdict. */
export function readAnswer(host: DrivenHost, answer: string, isAfter = false): Answer {
  if (answer.trim() === '' || (isAfter && answer.trim() === '{}')) return { said: 'pass', reason: '' }
  if (isAfter) return { said: 'nothing', reason: '' }
  let parsed: unknown
  try {
    parsed = JSON.parse(answer)
  } catch {
    return { said: 'nothing', reason: '' }
  }
  const [said, reason] = READERS[host](object(parsed))
  if (said !== 'deny' && said !== 'ask' && said !== 'pass') return { said: 'nothing', reason: '' }
  return { said, reason: typeof reason === 'string' ? reason : '' }
}
