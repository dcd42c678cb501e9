/**
 * The core of the hook: bytes in, the host's answer out. Whatever comes in or breaks, the outcome is one valid answer in
 * the host's dialect, since hosts run the call when a hook fails. No I/O: the world and the session come as arguments.
 */
import { missingTicketAt } from '../../adlc/adlc.ts'
import type { Action, ToolCall, ToolResult } from '../../core/call.ts'
import { answer, type Budget, type Fact } from '../../core/driver.ts'
import type { Asking } from '../../core/question.ts'
import { compareStrictness, type EffectIdentity, type Finding, type Verdict } from '../../core/verdict.ts'
import type { World } from '../../core/world.ts'
import { canaryOf } from '../../guard/canary.ts'
import type { Context } from '../../guard/context.ts'
import { byApproval } from '../../guard/decide.ts'
import { eventOf } from '../../hosts/events.ts'
import { parsed } from '../../hosts/guards.ts'
import type { Host, HostAnswer, Launch, Starting } from '../../hosts/host.ts'
import { hostOf } from '../../hosts/registry.ts'
import { usuallyFolds } from '../../paths/layout.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { Policy } from '../../policy/policy.ts'
import { strictText } from '../../world/bytes.ts'
import type { Gates } from './gates.ts'
import type { Incoming } from './stdin.ts'

export interface Request {
  /** Host and event as registered, not yet checked. */
  readonly host: string
  readonly event: string
  readonly launch: Launch
  /** The way in, for the log; the hook where absent. */
  readonly via?: 'hook' | 'runner'
}

/** What the core needs and cannot know. Each may throw: that is an internal error, and answered. */
export interface Deps {
  readonly world: World
  readonly budget: Budget
  /** Absolute working directory of the hook itself: where a policy is looked for when no call could be read. */
  readonly cwd: string
  readonly person: Pick<Context, 'home' | 'user' | 'platform' | 'moved'>
  readonly sessionOf: (call: ToolCall) => Context['session']
  /** Uses one approval of the session up; false where another call was faster. */
  readonly claim: (call: ToolCall, approval: readonly EffectIdentity[]) => boolean
  readonly judge: (call: ToolCall, context: Context) => Asking<Verdict>
  /** The gates of containment; without them nothing is contained. */
  readonly gates?: Gates
  /** What the host's model reads of a deny or an ask. */
  readonly words: (verdict: Verdict, extra: { policyErrors: Policy['errors']; unattended: boolean }) => string
}

export interface Outcome {
  /** The exact bytes for stdout. */
  readonly stdout: string
  /** A sentence for stderr, or empty. */
  readonly stderr: string
  readonly kind: 'pre' | 'post' | 'other' | 'stand-down'
  /** The adapter that wrote the answer. */
  readonly host: Host
  readonly call?: ToolCall
  readonly result?: ToolResult
  /** What the host sent, where it could be read. */
  readonly payload?: unknown
  readonly policy?: Policy
  readonly verdict?: Verdict
  /** What the host was told; absent where there was nothing to decide. */
  readonly answered?: HostAnswer
  /** What went wrong, as one clause. */
  readonly problem?: string
  /** True where something broke in us: the problem says nothing about the call. */
  readonly broke?: boolean
  readonly facts: readonly Fact[]
  /** Milliseconds that the verdict took. */
  readonly ms: number
}

/** Reasons are read by a model that pays for each word of them. */
const LONGEST_REASON = 600
/** An answer for hosts that we do not know: most of them read this dialect. */
const COMMON_HOST = 'claude'

/** Answers one event. Never throws. */
export function respond(incoming: Incoming, request: Request, deps: Deps): Outcome {
  const known = hostOf(request.host)
  const host = known ?? hostOf(COMMON_HOST)!
  const kind = eventOf(host.events, request.event)?.kind ?? 'pre'
  if (known === undefined) {
    const name = JSON.stringify(request.host.slice(0, 64))
    const outcome = failed(
      { host, kind, request, deps },
      `the hook is registered for ${name}, which is no host we know`,
    )
    return { ...outcome, stderr: `sallyport hook: unknown host ${name}` }
  }
  try {
    return answered(incoming, { host, kind, request, deps })
  } catch (error) {
    return broken({ host, kind, request, deps }, error)
  }
}

interface Case {
  readonly host: Host
  readonly kind: 'pre' | 'post' | 'other'
  readonly request: Request
  readonly deps: Deps
}

function answered(incoming: Incoming, at: Case): Outcome {
  if (incoming.end === 'large') return failed(at, 'the payload is larger than a hook reads')
  if (incoming.end === 'failed') return failed(at, 'the payload could not be received')
  if (incoming.bytes.length === 0)
    return failed(at, incoming.end === 'late' ? 'no payload came in time' : 'the payload is empty')
  const text = strictText(incoming.bytes)
  if (text === undefined) return failed(at, 'the payload is not UTF-8')
  const payload = parsed(text)
  if (payload === undefined)
    return failed(at, incoming.end === 'late' ? 'the payload did not end in time' : 'the payload is not JSON')
  return { ...answeredTo(payload, incoming.bytes.length, at), payload }
}

function answeredTo(payload: unknown, bytes: number, at: Case): Outcome {
  const { host, request } = at
  const decoded = host.decode(payload, request.event, request.launch)
  const base = { stderr: '', host, facts: [], ms: 0 } as const
  switch (decoded.is) {
    case 'bad':
      return failed({ ...at, kind: decoded.event }, decoded.why)
    case 'other':
      return { ...base, kind: 'other', stdout: begun(decoded.start, at) ?? host.encodePost(request.launch) }
    case 'stand-down':
      return { ...base, kind: 'stand-down', stdout: '', problem: decoded.why }
    case 'post':
      return behind(decoded.result, bytes, at)
    case 'pre':
      return judged(decoded.call, { ...at, kind: 'pre' })
  }
}

function judged(call: ToolCall, at: Case): Outcome {
  const { host, deps, request } = at
  const canary = canaryOf(call)
  if (canary !== undefined) {
    const answered: HostAnswer = { decision: 'deny', reason: canary.reason }
    const stdout = host.encodePre(answered, request.launch, call.event)
    return { stdout, stderr: '', kind: 'pre', host, call, verdict: canary, answered, facts: [], ms: 0 }
  }
  let policy: Policy | undefined
  const unattended = call.mode.is !== 'interactive'
  function* asking(): Asking<Verdict> {
    policy = yield* policyAt(call.workspaces[0] ?? call.cwd ?? deps.cwd, call.workspaces, deps)
    const session = deps.sessionOf(call)
    return yield* approving(call, { ...deps.person, policy, session, mode: call.mode, unattended }, deps)
  }
  try {
    const start = deps.world.now()
    const { value: verdict, facts } = answer(asking(), deps.world, deps.budget)
    const ms = deps.world.now() - start
    const given = gated(toHost(verdict, policy, unattended, deps.words), call, verdict, policy, at)
    const stdout = host.encodePre(given, request.launch, call.event)
    return {
      ...{ stdout, stderr: '', kind: 'pre', host, call, verdict, answered: given, facts, ms },
      ...(policy === undefined ? {} : { policy }),
    }
  } catch (error) {
    return broken(at, error, call, policy)
  }
}

/** A call that goes on passes the gate of containment, which may put another input in its place. It holds nothing up. */
function gated(
  given: HostAnswer,
  call: ToolCall,
  verdict: Verdict,
  policy: Policy | undefined,
  { host, request, deps }: Case,
): HostAnswer {
  if (deps.gates === undefined || policy === undefined || verdict.decision !== 'pass') return given
  if (!call.actions.some(({ is }) => is === 'shell' || is === 'read' || is === 'search')) return given
  try {
    return answer(deps.gates.before(call, host, request.launch, policy), deps.world, deps.budget).value ?? given
  } catch {
    return given
  }
}

/** What a session is told at its start; undefined: nothing. Nobody who observes alone is told. */
function begun(start: Starting | undefined, { host, deps }: Case): string | undefined {
  if (start === undefined || host.encodeStart === undefined) return undefined
  const policy = answer(policyAt(start.cwd, [start.cwd], deps), deps.world, deps.budget).value
  const told = [ticketNote(start, policy, deps), deps.gates?.start(start, host, policy)].filter(
    (text) => text !== undefined,
  )
  return told.length === 0 ? undefined : host.encodeStart(told.join('\n'))
}

/** Calls of a session whose ticket is not there pass as if it had none: said once, not at each of them. */
function ticketNote({ cwd }: Starting, { profile }: Policy, { world, budget, person }: Deps): string | undefined {
  if (profile === 'observe') return undefined
  const sense = { flavour: flavourOf(person.platform), foldsCase: usuallyFolds(person.platform) }
  const missing = answer(missingTicketAt(cwd, { home: person.home, sense }), world, budget).value
  return missing && `Sallyport: ${missing}. Tell the user, who may have misspelt it.`
}

const CHANGES: ReadonlySet<Action['is']> = new Set(['write', 'edit', 'delete', 'move'])

/** Payloads of so few bytes hold no result that is over budget. */
const MOST_RESULT = 16_384

/** A result: one that is over budget passes the gate of containment. */
function behind(result: ToolResult, bytes: number, { host, request, deps }: Case): Outcome {
  const base = { stderr: '', host, facts: [], ms: 0, kind: 'post', call: result.call, result } as const
  const stdout = host.encodePost(request.launch)
  if (deps.gates === undefined || bytes <= MOST_RESULT || result.response === undefined) return { ...base, stdout }
  // Of a change the model reads a sentence, whatever the result holds.
  if (result.call.actions.every(({ is }) => CHANGES.has(is))) return { ...base, stdout }
  const { workspaces, cwd } = result.call
  const policy = answer(policyAt(workspaces[0] ?? cwd ?? deps.cwd, workspaces, deps), deps.world, deps.budget).value
  const { stdout: replaced, problem } = deps.gates.after(result, host, policy)
  return { ...base, stdout: replaced ?? stdout, policy, ...(problem === undefined ? {} : { problem }) }
}

/**
 * Judges a call, and uses up the approvals that it needs. Without approvals, which is nearly always, it is judged once.
 * Else what is refused without them tells which of them the milder verdict rests on.
 */
function* approving(call: ToolCall, context: Context, deps: Deps): Asking<Verdict> {
  const { session } = context
  if (session.approved.length === 0) return yield* deps.judge(call, context)
  const without = yield* deps.judge(call, { ...context, session: { ...session, approved: [] } })
  if (without.decision === 'pass') return without
  const verdict = yield* deps.judge(call, context)
  if (compareStrictness(verdict.decision, without.decision) >= 0) return verdict
  const refused = without.findings.filter(({ decision }) => decision !== 'pass')
  const needed = session.approved.filter((approval) => refused.some((finding) => covers(approval, finding)))
  return needed.every((approval) => deps.claim(call, approval)) ? byApproval(verdict, without) : without
}

/** Whether an approval may be what lifted a finding. A finding without a name may have been lifted by any. */
const covers = (approval: readonly EffectIdentity[], { identity, identities }: Finding): boolean => {
  const own = identity === undefined ? (identities ?? []) : [identity]
  return (
    own.length === 0 || own.some((one) => approval.some(({ act, target }) => act === one.act && target === one.target))
  )
}

/** The policy of the project that the host opened: a call that changes directory does not change the project. */
function* policyAt(root: string, workspaces: readonly string[], deps: Deps): Asking<Policy> {
  const repo = yield* repoOf(root)
  return yield* loadPolicy({
    home: deps.person.home,
    repo: typeof repo === 'string' ? undefined : repo.root,
    cwd: root,
    workspaces,
  })
}

function toHost(verdict: Verdict, policy: Policy | undefined, unattended: boolean, words: Deps['words']): HostAnswer {
  if (policy?.profile === 'observe' || verdict.decision === 'pass') return { decision: 'pass', reason: '' }
  const reason = words(verdict, { policyErrors: policy?.errors ?? [], unattended })
  // The guard turns an ask that nobody can answer into a deny; this holds should a rule forget it.
  const decision = unattended ? 'deny' : verdict.decision
  return { decision, reason: shortened(reason) || 'Refused by the guard' }
}

const broken = (at: Case, error: unknown, call?: ToolCall, policy?: Policy): Outcome => ({
  ...failed(at, `an internal error came up (${clauseOf(error)})`, call, policy),
  broke: true,
})

/** The answer where no verdict could be had. */
function failed(at: Case, problem: string, call?: ToolCall, policy?: Policy): Outcome {
  const { host, kind, request, deps } = at
  const base = {
    ...{ stderr: '', host, problem, facts: [], ms: 0 },
    ...(call === undefined ? {} : { call }),
  }
  if (kind !== 'pre') return { ...base, kind, stdout: host.encodePost(request.launch) }
  const effective = policy ?? policyOrNone(deps)
  const harmless = call?.actions.every(readsOnly) ?? false
  const decision = effective?.profile === 'observe' || harmless ? 'pass' : 'deny'
  const reason = decision === 'pass' ? '' : shortened(`Sallyport refused this call: ${problem}`)
  const given: HostAnswer = { decision, reason }
  return {
    ...{ ...base, kind, answered: given, stdout: host.encodePre(given, request.launch, call?.event ?? request.event) },
    ...(effective === undefined ? {} : { policy: effective }),
  }
}

/** Whether the action changes nothing and sends nothing: such a call may go on when we fail. */
const readsOnly = (action: Action): boolean =>
  action.is === 'read' || action.is === 'search' || action.is === 'harmless'

function policyOrNone(deps: Deps): Policy | undefined {
  try {
    return answer(policyAt(deps.cwd, [], deps), deps.world, deps.budget).value
  } catch {
    return undefined
  }
}

/** At most 600 characters, cut between characters. */
function shortened(text: string): string {
  const clean = text.trim()
  if (clean.length <= LONGEST_REASON) return clean
  const cut = clean.slice(0, LONGEST_REASON - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}

/** The first line of an error's message: never a stack. */
function clauseOf(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0]!.slice(0, 120)
}
