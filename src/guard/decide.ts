/** Decide: findings and the context become one verdict. Pure; asks nothing. */
import { compareStrictness, type Family, type Finding, type Verdict } from '../core/verdict.ts'
import type { Context } from './context.ts'
import { PAUSED_REASON } from './paused.ts'
import type { Plan } from './plan.ts'
import { reasonOf } from './words.ts'

/** Families whose findings no approval and no allow rule lifts. */
const FIRM: ReadonlySet<Family> = new Set(['frozen', 'trust-root', 'tamper'])

/** Families that are off unless a policy switches them on. */
const OFF_BY_DEFAULT: ReadonlySet<Family> = new Set(['test-weakened'])

/** What lifts a finding, and what makes it stick: answers of `sticky.ts`. */
export interface Standing {
  /** A person approved exactly this effect, or allows it for good. */
  lifted(finding: Finding): boolean
  /** Effects that were denied before in this session, as findings. */
  readonly denied: readonly Finding[]
}

/** The verdict of a planned and assessed call. `show`: a path as people read it. */
export function decide(
  plan: Plan,
  findings: readonly Finding[],
  context: Context,
  standing: Standing,
  show: (path: string) => string = (path) => path,
): Verdict {
  const all = [
    ...findings.map((finding) => switched(finding, context)).filter((finding) => finding !== undefined),
    ...standing.denied,
    ...unread(plan, context),
    ...unusable(plan, context),
  ]
  const held = all.filter((finding) => !(standing.lifted(finding) && !FIRM.has(finding.family)))
  const answerable = held.map((finding) => unattended(finding, context))
  const sorted = [...answerable].sort((a, b) => compareStrictness(b.decision, a.decision) || weight(a) - weight(b))
  const worst = sorted[0]
  const base = { status: plan.status, findings: sorted, effects: plan.effects }
  if (worst === undefined || worst.decision === 'pass') return { decision: 'pass', rule: 'none', reason: '', ...base }
  return {
    decision: worst.decision,
    rule: worst.rule,
    reason: reasonOf(sorted, show),
    ...(worst.safer === undefined ? {} : { safer: worst.safer }),
    ...(worst.loss === undefined ? {} : { loss: worst.loss }),
    ...base,
  }
}

/** A verdict while a person has paused the guard: what no approval lifts stands, all else passes and is told. */
export function whilePaused(verdict: Verdict): Verdict {
  if (verdict.decision === 'pass') return verdict
  const firm = verdict.findings.filter((finding) => finding.decision !== 'pass' && FIRM.has(finding.family))
  const worst = firm[0]
  if (worst === undefined) return { ...verdict, decision: 'pass', reason: `${PAUSED_REASON}; else: ${verdict.reason}` }
  const { decision, rule, safer } = worst
  const reason = reasonOf(firm, (path) => path)
  return { ...verdict, decision, rule, reason, ...(safer === undefined ? {} : { safer }) }
}

/** A verdict that a person's approval has made milder, with what it would have been. */
export const byApproval = (verdict: Verdict, without: Verdict): Verdict =>
  verdict.decision === 'pass'
    ? { ...verdict, rule: without.rule, reason: `a person approved it; else: ${without.reason}` }
    : verdict

/**
 * Of two equally strict reasons the one about the target itself says more than the one about what lies below it, and
 * either says more than that a target is not known.
 */
const weight = ({ rule }: Finding): number => (/\.(?:unknown|maybe)$/.test(rule) ? 2 : rule.endsWith('.holds') ? 1 : 0)

function switched(finding: Finding, context: Context): Finding | undefined {
  const set = context.policy.families[finding.family]
  if (set === undefined) return OFF_BY_DEFAULT.has(finding.family) ? undefined : finding
  if (set === 'off') return undefined
  return finding.decision === 'pass' ? finding : { ...finding, decision: set }
}

/** A policy file that cannot be used at all: what it protects is not known, so whatever changes something asks. */
function unusable(plan: Plan, context: Context): Finding[] {
  const error = context.policy.errors.find(({ whole }) => whole === true)
  if (error === undefined || plan.effects.every((effect) => HARMLESS.has(effect.act) || effect.act === 'run')) return []
  const where = `${error.file}${error.line === undefined ? '' : `:${error.line}`}`
  return [
    {
      rule: 'reading.policy',
      family: 'reading',
      decision: 'ask',
      reason: `the policy file ${where} cannot be used, so what it protects is not known`,
      safer: 'have the person mend it; sallyport policy check names the fault',
    },
  ]
}

/** Limits and broken syntax. */
function unread(plan: Plan, context: Context): Finding[] {
  const safer = 'send it in smaller parts that can be read'
  if (plan.status === 'limited') {
    const strict = context.policy.frozen.length > 0 || context.mode.is === 'worker' || context.mode.is === 'readonly'
    return [
      {
        rule: 'reading.limited',
        family: 'reading',
        decision: strict ? 'deny' : 'ask',
        reason: 'the command is nested too deeply or too long to be read',
        safer,
      },
    ]
  }
  if (plan.status === 'complete') return []
  const harmless = plan.effects.every((effect) => HARMLESS.has(effect.act) && effect.note !== 'budget')
  return harmless
    ? []
    : [
        {
          rule: 'reading.syntax',
          family: 'reading',
          decision: 'ask',
          reason: 'a part of the command cannot be read as shell, and the rest does more than read',
          safer: 'mend the quoting',
        },
      ]
}

const HARMLESS: ReadonlySet<string> = new Set(['read', 'names', 'fetch'])

/** An ask that nobody can answer is a deny that says so. */
function unattended(finding: Finding, context: Context): Finding {
  if (finding.decision !== 'ask' || !context.unattended) return finding
  return { ...finding, decision: 'deny', reason: `${finding.reason} (unattended: nobody can be asked)` }
}

/** Readonly runs may change nothing at all. */
export const readonlyFindings = (plan: Plan, mode: Context['mode']): Finding[] => {
  if (mode.is !== 'readonly') return []
  const change = plan.effects.find((effect) => !HARMLESS.has(effect.act) && effect.act !== 'run')
  if (change === undefined) return []
  return [
    {
      rule: 'scope.readonly',
      family: 'scope',
      decision: 'deny',
      reason: `this worker may only read, and ${change.by} changes something`,
      effect: change,
      via: change.via,
    },
  ]
}
