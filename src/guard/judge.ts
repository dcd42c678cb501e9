/** Read → plan → assess → decide, for one call. */
import type { ToolCall } from '../core/call.ts'
import type { Asking } from '../core/question.ts'
import type { Verdict } from '../core/verdict.ts'
import { evaluateAdlc, underAdlc } from './adlc/evaluate.ts'
import { factsOf } from './adlc/facts.ts'
import { isIdleFor, needsOf } from './adlc/given.ts'
import { assess } from './assess.ts'
import type { Context } from './context.ts'
import { decide, readonlyFindings } from './decide.ts'
import { type Plan, plan } from './plan.ts'
import { commandFindings } from './rules/commands.ts'
import { liveSecretFindings } from './rules/live-secrets.ts'
import { testFindings } from './rules/test-weakened.ts'
import { identities, standingOf } from './sticky.ts'
import type { Subject } from './subject.ts'
import { toolsFor } from './tools.ts'

export interface Judgement {
  readonly verdict: Verdict
  readonly plan: Plan
  readonly subjects: readonly Subject[]
}

/** Judges a call and keeps the way to the verdict, for `explain` and records. */
export function* judge(call: ToolCall, context: Context): Asking<Judgement> {
  const planned = yield* plan(call, context)
  const facts = yield* factsOf(call, context, yield* needsOf(planned, context, call))
  const tools = yield* toolsFor(call, context, facts)
  const { findings, subjects } = yield* assess(planned, tools)
  const standing = yield* standingOf(subjects, call, context, tools)
  const given = { call, context, plan: planned, subjects, tools, facts }
  const engine = [
    ...findings,
    ...commandFindings(planned, call, context),
    ...readonlyFindings(planned, context.mode),
    ...(yield* testFindings(call, context, tools)),
    ...(yield* liveSecretFindings(call, tools)),
  ]
  const own = context.policy.profile === 'adlc' ? yield* underAdlc(engine, given) : engine
  const all = isIdleFor(given) ? own : [...(yield* evaluateAdlc(given)), ...own]
  const effects = subjects.map(({ effect, places }) => ({
    ...effect,
    zones: places.length === 1 ? [...places[0]!.zones] : [...new Set(places.flatMap((place) => [...place.zones]))],
  }))
  const verdict = named({ ...decide(planned, all, context, standing, tools.show), effects }, subjects)
  return { verdict: context.policy.profile === 'observe' ? observed(verdict) : verdict, plan: planned, subjects }
}

/** Each finding with what its effect comes to, so that it can be remembered and approved. */
function named(verdict: Verdict, subjects: readonly Subject[]): Verdict {
  if (verdict.findings.length === 0) return verdict
  const findings = verdict.findings.map((finding) => {
    const subject = subjects.find(({ effect }) => effect === finding.effect)
    const all = subject === undefined ? [] : identities(subject)
    return all.length === 0 ? finding : { ...finding, identities: all }
  })
  return { ...verdict, findings }
}

/** Judges a call. */
export function* judgeCall(call: ToolCall, context: Context): Asking<Verdict> {
  return (yield* judge(call, context)).verdict
}

/** `observe` passes and keeps what it would have said. */
const observed = (verdict: Verdict): Verdict => ({
  ...verdict,
  decision: 'pass',
  rule: verdict.decision === 'pass' ? 'none' : verdict.rule,
})
