/** What a person approved or allows, and what was denied before: by effect and target, never by text. */
import type { Action, ToolCall } from '../core/call.ts'
import type { Asking } from '../core/question.ts'
import type { EffectIdentity, Finding } from '../core/verdict.ts'
import { compileGlob } from '../paths/glob.ts'
import { flavourOf, isInside } from '../paths/lexical.ts'
import type { EarlierCall } from '../session/session.ts'
import { subjectOf } from './assess.ts'
import type { Context } from './context.ts'
import type { Standing } from './decide.ts'
import { gitIdentities } from './git-identity.ts'
import { actOf, identitiesOf, sameIdentity, touches } from './identity.ts'
import { newView } from './locate.ts'
import { plan } from './plan.ts'
import { canonical } from './rules/commands.ts'
import { sameAct } from './rules/person.ts'
import type { Subject, Tools } from './subject.ts'

/** Earlier calls that are read again for one verdict; the session file holds identities, so only frozen worlds need it. */
const MOST_EARLIER = 32

/** Identities of one subject: places, remote things, and what a git step does. */
export function identities(subject: Subject): readonly EffectIdentity[] {
  if (subject.effect.target.is === 'git')
    return gitIdentities(subject.effect.target.op, subject.effect.target.repo, subject.effect.note)
  return identitiesOf(subject.effect, subject.places)
}

/** What lifts findings and what makes them stick, for the subjects of this call. */
export function* standingOf(
  subjects: readonly Subject[],
  call: ToolCall,
  context: Context,
  tools: Tools,
): Asking<Standing> {
  const { session, policy } = context
  const approved: EffectIdentity[] = session.approved.flat()
  for (const earlier of session.approvedCalls.slice(0, MOST_EARLIER))
    approved.push(...(yield* effectsOf(earlier, call, context, tools)))
  const refused: EffectIdentity[] = [...session.denied]
  for (const earlier of session.deniedCalls.slice(0, MOST_EARLIER))
    refused.push(...(yield* effectsOf(earlier, call, context, tools)))
  const sense = { flavour: flavourOf(context.platform), foldsCase: context.foldsCase ?? false, closed: 'none' as const }
  const allows = policy.allow.flatMap((allow) =>
    allow.is === 'effect'
      ? [{ act: allow.act, glob: compileGlob(allow.target, tools.workspaces[0] ?? context.home, sense) }]
      : [],
  )
  const commands = new Set(policy.allow.flatMap((allow) => (allow.is === 'command' ? [canonical(allow.command)] : [])))

  const isApproved = (identity: EffectIdentity) => approved.some((one) => sameIdentity(one, identity))
  const lifted = (finding: Finding): boolean => {
    const subject = finding.effect === undefined ? undefined : subjects.find((one) => one.effect === finding.effect)
    const own = finding.identity ? [finding.identity] : subject === undefined ? [] : identities(subject)
    if (own.length > 0 && own.every(isApproved)) return true
    const text = finding.via?.[0]?.text
    if (text !== undefined && commands.size > 0 && finding.via?.length === 1 && commands.has(canonical(text)))
      return true
    if (finding.family !== 'loss' && finding.family !== 'scope') return false
    return (
      own.length > 0 &&
      own.every((identity) =>
        allows.some(({ act, glob }) => sameAct(act, identity.act) && glob.matches(identity.target)),
      )
    )
  }
  const denied: Finding[] = []
  for (const subject of subjects) {
    if (subject.effect.act === 'read' && subject.effect.note === 'copied') continue
    for (const identity of identities(subject)) {
      if (!refused.some((one) => one.act !== 'read' && holdsOn(one, identity, tools)) || isApproved(identity)) continue
      denied.push({
        rule: 'loss.denied-before',
        family: 'loss',
        decision: 'deny',
        reason: `the same effect was denied before in this session (${actOf(identity.act)} ${tools.show(identity.target)})`,
        safer: 'leave it, or ask the person to approve it',
        effect: subject.effect,
        via: subject.effect.via,
        identity,
      })
    }
  }
  return { lifted, denied }
}

/** Effects of an earlier call, as the disk is now. */
function* effectsOf(
  earlier: EarlierCall,
  call: ToolCall,
  context: Context,
  tools: Tools,
): Asking<readonly EffectIdentity[]> {
  const action: Action | undefined =
    'command' in earlier ? { is: 'shell', text: earlier.command, dialect: 'posix' } : fileAction(earlier.call)
  if (action === undefined) return []
  const planned = yield* plan({ ...call, actions: [action] }, context)
  const out: EffectIdentity[] = []
  const view = newView()
  for (const effect of planned.effects) out.push(...identities(yield* subjectOf(effect, planned, tools, view)))
  return out
}

/** File tools of the hosts, by the keys that they share. */
function fileAction(call: { readonly tool: string; readonly input: unknown }): Action | undefined {
  const input = call.input as Record<string, unknown>
  const path = input?.['file_path'] ?? input?.['path'] ?? input?.['TargetFile'] ?? input?.['AbsolutePath']
  if (typeof input?.['command'] === 'string') return { is: 'shell', text: input['command'], dialect: 'posix' }
  if (typeof path !== 'string') return undefined
  if (/read|view|cat/i.test(call.tool)) return { is: 'read', path, what: 'content' }
  return /write|create/i.test(call.tool) ? { is: 'write', path } : { is: 'edit', path }
}

/**
 * Whether a refusal holds on to a later effect. One that was refused for how much it takes (home, a workspace, what lies
 * above them) names no part of it: parts are judged by themselves, as the refusal itself advises.
 */
function holdsOn(refused: EffectIdentity, later: EffectIdentity, tools: Tools): boolean {
  if (!touches(refused, later)) return false
  if (refused.target === later.target || !refused.tree) return true
  const vast = [tools.context.home, ...tools.workspaces].some((root) => isInside(root, refused.target))
  return !vast || isInside(refused.target, later.target)
}
