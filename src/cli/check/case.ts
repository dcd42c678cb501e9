/** One case: a command or a tool call in a frozen world, judged as the hook would judge it. */
import type { Action, Dialect, Mode, ToolCall } from '../../core/call.ts'
import { answer, type Budget } from '../../core/driver.ts'
import type { Asking } from '../../core/question.ts'
import type { World } from '../../core/world.ts'
import type { Context } from '../../guard/context.ts'
import { type Judgement, judge } from '../../guard/judge.ts'
import { plan } from '../../guard/plan.ts'
import { hostOf } from '../../hosts/registry.ts'
import { flavourOf } from '../../paths/lexical.ts'
import { repoOf } from '../../paths/repo.ts'
import { loadPolicy } from '../../policy/load.ts'
import type { Policy, Profile } from '../../policy/policy.ts'
import { type EarlierCall, EMPTY_SESSION, type SessionState } from '../../session/session.ts'
import type { FrozenWorldFile } from '../../world/frozen.ts'

/** What is judged, and where. */
export interface Subject {
  readonly command?: string
  readonly dialect?: Dialect
  /** A tool of Claude Code, for worlds with `call`. */
  readonly call?: { readonly tool: string; readonly input: unknown }
  readonly cwd: string
  readonly workspaces: readonly string[]
  readonly mode: Mode
  readonly unattended: boolean
  readonly session: SessionState
  /** Earlier calls that ran: what they fetched and wrote counts. */
  readonly history?: readonly EarlierCall[]
  readonly person: Pick<Context, 'home' | 'user' | 'platform'>
  readonly foldsCase?: boolean
  /** Used in place of the user's policy file. */
  readonly userPolicy?: unknown
  readonly profile?: Profile
}

/** Enough for any case; a person at a terminal waits longer than a host. */
export const CASE_BUDGET = { ms: 5_000, questions: 20_000 } as const

export interface CaseResult extends Judgement {
  readonly policy: Policy
  readonly spent: { readonly questions: number; readonly ms: number; readonly out: boolean }
  readonly facts: ReturnType<typeof answer>['facts']
}

/** Judges a subject against a world. Throws where a frozen world lacks an asked fact. */
export function judgeCase(
  subject: Subject,
  world: World,
  limits: { ms: number; questions: number } = CASE_BUDGET,
): CaseResult {
  const budget: Budget = { ms: limits.ms, questions: limits.questions, start: world.now() }
  const { value, facts, spent } = answer(whole(subject), world, budget)
  return { ...value, facts, spent }
}

function* whole(subject: Subject): Asking<Judgement & { policy: Policy }> {
  const call = callOf(subject)
  const root = subject.workspaces[0] ?? subject.cwd
  const repo = yield* repoOf(subject.cwd, flavourOf(subject.person.platform))
  const read = yield* loadPolicy({
    home: subject.person.home,
    repo: typeof repo === 'object' ? repo.root : root,
    ...(subject.userPolicy === undefined ? {} : { user: subject.userPolicy }),
  })
  const policy: Policy = subject.profile === undefined ? read : { ...read, profile: subject.profile }
  const context: Context = {
    policy,
    session: subject.session,
    mode: subject.mode,
    unattended: subject.unattended,
    ...subject.person,
    ...(subject.foldsCase === undefined ? {} : { foldsCase: subject.foldsCase }),
  }
  const session = yield* withHistory(subject.session, subject.history ?? [], call, context)
  return { ...(yield* judge(call, { ...context, session })), policy }
}

/** What the calls of a session's history fetched and wrote, as the post events of a real session would have told. */
function* withHistory(
  session: SessionState,
  history: readonly EarlierCall[],
  call: ToolCall,
  context: Context,
): Asking<SessionState> {
  const written: string[] = []
  const downloaded: string[] = []
  for (const earlier of history) {
    const input = 'call' in earlier ? (earlier.call.input as { command?: unknown }) : earlier
    if (typeof input?.command !== 'string') continue
    const { effects } = yield* plan(
      { ...call, actions: [{ is: 'shell', text: input.command, dialect: 'posix' }] },
      context,
    )
    for (const { act, target, from } of effects) {
      if ((act !== 'write' && act !== 'append') || target.is !== 'path') continue
      if (from?.includes('remote')) downloaded.push(target.path)
      else written.push(target.path)
    }
  }
  return { ...session, written: [...session.written, ...written], downloaded: [...session.downloaded, ...downloaded] }
}

function callOf(subject: Subject): ToolCall {
  const base = {
    host: 'claude' as const,
    event: 'PreToolUse',
    cwd: subject.cwd,
    workspaces: subject.workspaces,
    session: 'check',
    mode: subject.mode,
  }
  if (subject.call !== undefined) {
    const payload = {
      session_id: 'check',
      cwd: subject.cwd,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: subject.call.tool,
      tool_input: subject.call.input,
    }
    const decoded = hostOf('claude')!.decode(payload, 'PreToolUse', { version: undefined, unattended: false, env: {} })
    const actions: readonly Action[] =
      decoded.is === 'pre'
        ? decoded.call.actions
        : [{ is: 'malformed', why: decoded.is === 'bad' ? decoded.why : 'it is no tool call' }]
    return { ...base, tool: subject.call.tool, actions }
  }
  return {
    ...base,
    tool: 'Bash',
    actions: [{ is: 'shell', text: subject.command ?? '', dialect: subject.dialect ?? 'posix' }],
  }
}

/** The subject of a frozen world and a row of a case file. */
export function subjectOfWorld(
  world: FrozenWorldFile,
  row: { readonly command?: string; readonly shell?: string },
): Subject {
  const { session } = world
  const calls = (list: readonly Readonly<Record<string, unknown>>[] | undefined): EarlierCall[] =>
    (list ?? []).flatMap((item): EarlierCall[] => {
      if (item['uses'] === 0) return []
      if (typeof item['command'] === 'string') return [{ command: item['command'] }]
      return item['call'] === undefined ? [] : [{ call: item['call'] as { tool: string; input: unknown } }]
    })
  const call = row.command === undefined ? world.call : undefined
  return {
    ...(row.command === undefined ? {} : { command: row.command }),
    ...(row.shell === 'powershell' || row.shell === 'cmd' ? { dialect: row.shell } : {}),
    ...(call === undefined ? {} : { call }),
    cwd: world.cwd,
    workspaces: world.workspaces,
    mode: session?.interactive === false ? { is: 'headless' } : { is: 'interactive' },
    unattended: session?.interactive === false,
    session: {
      ...EMPTY_SESSION,
      created: session?.created ?? [],
      deniedCalls: calls(session?.denied),
      approvedCalls: calls(session?.approved),
    },
    person: { home: world.home, user: world.user, platform: world.platform },
    ...(world.case_insensitive === undefined ? {} : { foldsCase: world.case_insensitive }),
    history: calls(session?.history?.map((item) => ({ call: { tool: item['tool'], input: item['input'] } }))),
    ...(world.policy === undefined ? {} : { userPolicy: world.policy }),
  }
}
