/** Replays what a host sent before a call: decode, judge on the frozen world, encode, look at the bytes. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { ToolCall } from '../../core/call.ts'
import { answer } from '../../core/driver.ts'
import type { Asking } from '../../core/question.ts'
import type { Verdict } from '../../core/verdict.ts'
import type { World } from '../../core/world.ts'
import type { Context } from '../../guard/context.ts'
import { judgeCall } from '../../guard/judge.ts'
import type { Host, HostAnswer, Launch } from '../../hosts/host.ts'
import { HOSTS, hostOf } from '../../hosts/registry.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { newPathBudget, resolvePath } from '../../paths/resolve.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { Policy } from '../../policy/policy.ts'
import { reasonFor } from '../../record/reason.ts'
import { buildRecord } from '../../record/record.ts'
import { foldSession } from '../../session/fold.ts'
import type { EarlierCall, SessionLine } from '../../session/session.ts'
import { type FrozenWorldFile, frozenWorld, mergeWorld, parseFrozenWorld } from '../../world/frozen.ts'
import { logOf } from '../hook/log.ts'
import { linesAfter, linesBefore, type Places } from '../hook/notes.ts'
import { CASE_BUDGET, subjectOfWorld } from './case.ts'
import type { GuardRow, HostRow, WorldOf } from './reports-read.ts'
import { hasWord } from './reports-words.ts'

/** What came of a row. `notRun`: a part that it needs is not built. */
export type Outcome = { readonly got: unknown; readonly misses: readonly string[] } | { readonly notRun: string }

/** Replays a row of the face guard, or one of the kind `host`. Throws where the row's world cannot be had. */
export function replayHost(row: GuardRow | HostRow, worlds: string): Outcome {
  const host = hostOf(row.host)
  if (host === undefined) return { notRun: `there is no adapter for ${row.host}` }
  const file = worldOf(row.world, worlds)
  const version = row.face === 'hooks' ? row.host_version : undefined
  const unattended = file.session?.interactive === false
  const launch: Launch = { version, unattended, env: {}, adapters: HOSTS.map(({ id }) => id) }
  const decoded = host.decode(row.payload, host.events.pre[0]!, launch)
  if (decoded.is !== 'pre')
    return { got: { decoded: decoded.is }, misses: [`the payload was not read as a call (${decoded.is})`] }
  const call = placed(decoded.call, file, row.face === 'guard' ? row.shell : undefined)
  const judged = judgeOn(file, call, policyOf(file, row), host, row.payload, launch)
  return compare(row, judged, host, launch)
}

export interface Judged {
  readonly call: ToolCall
  readonly verdict: Verdict
  readonly policy: Policy
  readonly answered: HostAnswer
  readonly stdout: string
  readonly record: ReturnType<typeof buildRecord>
  readonly logLine: string
}

function worldOf(given: WorldOf, dir: string): FrozenWorldFile {
  const name = typeof given === 'string' ? given : given.base
  const path = join(dir, `${name}.json`)
  const base = parseFrozenWorld(readFileSync(path, 'utf8'), path)
  return typeof given === 'string' || given.set === undefined
    ? base
    : mergeWorld(base, given.set, `${name} with its set`)
}

/** The row's policy on top of the world's own; a rule of the row is added to its rules. */
function policyOf(file: FrozenWorldFile, row: GuardRow | HostRow): unknown {
  if (row.face === 'guard') return { ...file.policy, ...row.policy }
  const rules = (file.policy?.['rules'] as readonly unknown[] | undefined) ?? []
  return { ...file.policy, ...(row.policy_rule === undefined ? {} : { rules: [...rules, row.policy_rule] }) }
}

/** A host that names only the working directory still has the roots that the world says it declared. */
function placed(call: ToolCall, file: FrozenWorldFile, shell: GuardRow['shell']): ToolCall {
  const { cwd, workspaces } = call
  const actions =
    shell === undefined
      ? call.actions
      : call.actions.map((action) => (action.is === 'shell' ? { ...action, dialect: shell } : action))
  return {
    ...call,
    actions,
    cwd: cwd ?? file.cwd,
    workspaces: workspaces.every((root) => root === cwd) ? file.workspaces : workspaces,
  }
}

function judgeOn(
  file: FrozenWorldFile,
  call: ToolCall,
  userPolicy: unknown,
  host: Host,
  payload: unknown,
  launch: Launch,
): Judged {
  const world = frozenWorld(file)
  const subject = subjectOfWorld(file, {})
  const unattended = call.mode.is !== 'interactive'
  let policy: Policy | undefined
  function* whole(): Asking<Verdict> {
    policy = yield* policyAt(call, file, userPolicy)
    const context: Context = {
      ...{ policy, mode: call.mode, unattended, ...subject.person },
      ...(subject.foldsCase === undefined ? {} : { foldsCase: subject.foldsCase }),
      session: subject.session,
    }
    const session = yield* sessionAfter(file, context, host, payload, launch, world)
    return yield* judgeCall(call, { ...context, session })
  }
  const { value: verdict, facts } = answer(whole(), world, { ...CASE_BUDGET, start: world.now() })
  const known = policy!
  const answered = answerOf(verdict, known, unattended)
  const stdout = host.encodePre(answered, launch, call.event)
  const shown = call.actions.flatMap((action) => (action.is === 'shell' ? [action.text] : []))
  const record = buildRecord({
    ...{ verdict, policy: known, facts, ms: 0, seed: 'report' },
    ...(shown.length === 1 ? { call: shown[0]! } : {}),
  })
  const outcome = {
    stdout,
    stderr: '',
    kind: 'pre',
    host,
    call,
    policy: known,
    verdict,
    answered,
    facts,
    ms: 0,
  } as const
  const request = { host: host.id, event: call.event, launch }
  const logLine = logOf(outcome, request, { now: new Date(0), pid: 1, cwd: file.cwd })?.('') ?? ''
  return { call, verdict, policy: known, answered, stdout, record, logLine }
}

function* policyAt(call: ToolCall, file: FrozenWorldFile, user: unknown): Asking<Policy> {
  const root = call.workspaces[0] ?? call.cwd ?? file.cwd
  const repo = yield* repoOf(root, flavourOf(file.platform))
  const at = typeof repo === 'string' ? undefined : repo.root
  return yield* loadPolicy({ home: file.home, repo: at, cwd: root, workspaces: call.workspaces, user })
}

/** As the hook words it: an ask that nobody can answer is a deny. */
function answerOf(verdict: Verdict, policy: Policy, unattended: boolean): HostAnswer {
  if (policy.profile === 'observe' || verdict.decision === 'pass') return { decision: 'pass', reason: '' }
  const reason = reasonFor(verdict, { policyErrors: policy.errors, unattended })
  return { decision: unattended ? 'deny' : verdict.decision, reason }
}

/** The session after the calls of its history went through the events after a run. */
function* sessionAfter(
  file: FrozenWorldFile,
  context: Context,
  host: Host,
  payload: unknown,
  launch: Launch,
  world: World,
): Asking<Context['session']> {
  const denied: EarlierCall[] = [...context.session.deniedCalls]
  const lines: SessionLine[] = []
  const places = placesOf(file, world)
  for (const { tool, input, outcome } of (file.session?.history ?? []) as readonly Readonly<
    Record<string, unknown>
  >[]) {
    if (outcome === 'denied') denied.push({ call: { tool: String(tool), input } })
    // What the host's own sandbox refused did not happen.
    if (outcome !== 'ok' && outcome !== 'failed') continue
    const event = host.events.post[outcome === 'failed' ? host.events.post.length - 1 : 0]!
    const decoded = host.decode(afterwards(payload, tool, input, event), event, launch)
    if (decoded.is !== 'post') throw new Error(`the event after ${String(tool)} was read as ${decoded.is}`)
    const call = placed(decoded.result.call, file, undefined)
    const verdict = yield* judgeCall(call, context)
    const seen = linesBefore(call, { ...verdict, decision: 'pass' }, 0, places)
    lines.push(...seen, ...linesAfter({ ...decoded.result, call }, seen, 0, places))
  }
  const folded = foldSession(lines, 0)
  const { session } = context
  return {
    ...session,
    created: [...session.created, ...folded.created],
    written: [...session.written, ...folded.written],
    downloaded: [...session.downloaded, ...folded.downloaded],
    deniedCalls: denied,
  }
}

/** The row's payload as that host would send it after another call. */
function afterwards(payload: unknown, tool: unknown, input: unknown, event: string): unknown {
  const before = payload as Readonly<Record<string, unknown>>
  if ('toolCall' in before) return { ...before, toolCall: { name: tool, args: input } }
  if ('input' in before) return { input: { ...(before['input'] as object), tool, args: input }, output: { output: '' } }
  const inner = before['event']
  if (typeof inner === 'object' && inner !== null)
    return { ...before, name: event, event: { ...inner, type: event, toolName: tool, tool, input } }
  if ('tool_info' in before) return { ...before, agent_action_name: `post_${tool}`, tool_info: input }
  if ('toolName' in before)
    return { ...before, hookEventName: event, toolName: tool, ['toolArgs' in before ? 'toolArgs' : 'toolInput']: input }
  return { ...before, hook_event_name: event, tool_name: tool, tool_input: input, tool_response: {} }
}

/** The places of a frozen world: nothing there comes or goes. */
function placesOf(file: FrozenWorldFile, world: World): Places {
  const flavour = flavourOf(file.platform)
  const resolved = (path: string, follow: boolean) =>
    answer(resolvePath(path, { follow, budget: newPathBudget(flavour, file.case_insensitive) }), world, {
      ...CASE_BUDGET,
      start: world.now(),
    }).value
  return {
    exists: (path) => {
      const found = resolved(path, false)
      return found.is === 'path' && found.exists
    },
    locate: (path) => {
      const found = resolved(path, true)
      return found.is === 'path' ? { path: found.target, made: found.exists ? undefined : found.target } : undefined
    },
  }
}

function compare(row: GuardRow | HostRow, judged: Judged, host: Host, launch: Launch): Outcome {
  const { answered, stdout, record, logLine, call, policy } = judged
  const { expect } = row
  const misses: string[] = []
  if (expect.verdict !== undefined && answered.decision !== expect.verdict)
    misses.push(`${answered.decision} in place of ${expect.verdict} (${record.rule})`)
  const words = `${record.reason} ${record.safer ?? ''}`.toLowerCase()
  for (const word of expect.reason_has ?? [])
    if (!hasWord(words, word)) misses.push(`the reason lacks ${JSON.stringify(word)}`)
  for (const secret of row.face === 'guard' ? (row.expect.reason_lacks ?? []) : [])
    for (const [name, text] of [
      ['record', JSON.stringify(record)],
      ['log line', logLine],
      ['answer', stdout],
    ] as const)
      if (text.includes(secret)) misses.push(`the ${name} holds a secret`)
  const form = formFault(host, answered, stdout, launch, call.event)
  if (form !== undefined) misses.push(form)
  if (row.face === 'hooks' && row.expect.answer !== undefined && !isDeepStrictEqual(parsed(stdout), row.expect.answer))
    misses.push(`the answer is ${stdout.trim() === '' ? 'empty' : stdout.trim()}`)
  for (const error of policy.errors) misses.push(`the policy has an error: ${error.message}`)
  const { rule, reason, safer } = record
  const got = { verdict: answered.decision, rule, reason, ...(safer === undefined ? {} : { safer }) }
  return { got: row.face === 'hooks' ? { ...got, answer: parsed(stdout) ?? stdout } : got, misses }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** What is wrong with the bytes of an answer, for the hosts that we have: the right form, and no key more. */
function formFault(
  { id }: Host,
  { decision, reason }: HostAnswer,
  stdout: string,
  { version }: Launch,
  event: string,
): string | undefined {
  const wanted = formOf(id, decision, reason, version, event)
  if (wanted === undefined) return stdout === '' ? undefined : `the answer should be empty and is ${stdout.trim()}`
  const found = parsed(stdout)
  if (decision !== 'pass' && reason.trim() === '') return 'the answer has no reason'
  return isDeepStrictEqual(found, wanted) ? undefined : `the answer has another form: ${stdout.trim()}`
}

/** What is said for a pass where silence is none. */
const PASSES: Readonly<Record<string, unknown>> = { cursor: {}, droid: {}, cline: { cancel: false } }
/** Hosts with the object of Claude Code that get a denial for an ask. */
const NO_ASK: ReadonlySet<string> = new Set(['codex', 'devin', 'kimi'])

type Form = (decision: 'deny' | 'ask', reason: string, event: string) => unknown

const denial: Form = (_decision, reason) => ({ decision: 'deny', reason })

/** Forms that are not the object of Claude Code; undefined where the event has that one. */
const FORMS: Readonly<Record<string, Form>> = {
  gemini: (decision, reason) => (decision === 'ask' ? { decision, systemMessage: reason } : { decision, reason }),
  cursor: (permission, reason) => ({ permission, user_message: reason, agent_message: reason }),
  // What the plugin throws.
  opencode: (_decision, reason) => ({ throw: reason }),
  copilot: (permissionDecision, reason, event) =>
    event === 'PreToolUse' ? undefined : { permissionDecision, permissionDecisionReason: reason },
  pi: (decision, reason) => (decision === 'ask' ? { confirm: reason } : { block: true, reason }),
  amp: (decision, reason) => (decision === 'ask' ? { confirm: reason } : { reject: reason }),
  cline: (_decision, reason) => ({ cancel: true, errorMessage: reason }),
  goose: (_decision, reason) => ({ decision: 'block', reason }),
  grok: denial,
  windsurf: denial,
  // Its third engine alone asks; all have one name for the event in the answer.
  kiro: (decision, reason, event) => ({
    hookSpecificOutput: {
      hookEventName: 'PreToolUse',
      permissionDecision: event === 'PreToolUse' ? decision : 'deny',
      permissionDecisionReason: reason,
    },
  }),
}

/** The forms of the hosts' contracts; undefined where silence is the form. */
function formOf(
  host: string,
  decision: HostAnswer['decision'],
  reason: string,
  version: string | undefined,
  event: string,
): unknown {
  if (host === 'antigravity') {
    if (decision !== 'pass') return { decision: decision === 'ask' ? 'force_ask' : 'deny', reason }
    const [, major = 0, minor = 0, patch = 0] = (/^v?(\d+)\.(\d+)\.(\d+)/.exec(version ?? '') ?? []).map(Number)
    const recent = major > 1 || (major === 1 && (minor > 0 || patch >= 16))
    return recent ? { decision: '' } : { decision: 'ask', reason: '' }
  }
  if (decision === 'pass') return PASSES[host]
  const flat = FORMS[host]?.(decision, reason, event)
  if (flat !== undefined) return flat
  if (event === 'PermissionRequest') {
    // A host that is about to ask a person needs no ask of ours.
    if (decision === 'ask' && host !== 'codex') return undefined
    return { hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message: reason } } }
  }
  // Codex drops an answer that asks; of others it is not known that they ask.
  const permissionDecision = NO_ASK.has(host) ? 'deny' : decision
  return { hookSpecificOutput: { hookEventName: event, permissionDecision, permissionDecisionReason: reason } }
}
