/** What the evaluation of the profile starts from, and whether there is anything to evaluate: most calls need no more. */
import type { ToolCall } from '../../core/call.ts'
import type { Asking } from '../../core/question.ts'
import type { Context } from '../context.ts'
import type { Plan } from '../plan.ts'
import { CHANGES, isDropped, type Subject, type Tools } from '../subject.ts'
import { type Facts, type Needs, senseOf } from './facts.ts'
import { ticketCommand } from './lifecycle.ts'
import { readsPlainly } from './plain.ts'
import { useOf } from './use.ts'

export interface Given {
  readonly call: ToolCall
  readonly context: Context
  readonly plan: Plan
  readonly subjects: readonly Subject[]
  readonly tools: Tools
  readonly facts: Facts
}

/** Whether the stages of the published guard apply: by profile, and to its workers in every profile. */
export const isPublished = (context: Context): boolean =>
  context.policy.profile === 'adlc' ||
  context.policy.profile === 'strict' ||
  context.mode.is === 'worker' ||
  context.mode.is === 'readonly'

/** Zones that tickets decide about. */
const TICKET_ZONES: ReadonlySet<string> = new Set(['frozen', 'out-of-scope'])

/**
 * Whether it can matter what tickets say. Where a tool only reads, or a command of a person's session, it cannot, and a
 * store of hundreds of files is left alone.
 */
export function* needsOf(plan: Plan, context: Context, call: ToolCall): Asking<Needs> {
  if (context.policy.rules.some(({ zone }) => zone !== undefined && TICKET_ZONES.has(zone))) return 'tickets'
  if (isPublished(context)) {
    if (useOf(call).is === 'read') return 'nothing'
    return (yield* readsPlainly(plan, call, senseOf(context))) ? 'plain' : 'tickets'
  }
  const counts =
    plan.status !== 'complete' ||
    plan.effects.some((effect) => (CHANGES.has(effect.act) && !isDropped(effect)) || effect.target.is === 'git') ||
    plan.ran.some(({ words }) => ticketCommand(words) !== undefined)
  return counts ? 'tickets' : 'nothing'
}

/** Whether there is nothing to judge: no stage applies, no repository is around, and nothing is changed anywhere. */
export const isIdleFor = ({ context, facts, subjects }: Given): boolean =>
  !isPublished(context) && facts.repos.length === 0 && !subjects.some(({ effect }) => CHANGES.has(effect.act))
