/** What the tests of the hook share: a small frozen world, and the core with everything around it replaced. */
import { readFileSync } from 'node:fs'
import { type Deps, type Outcome, respond } from '../src/cli/hook/respond.ts'
import type { Incoming } from '../src/cli/hook/stdin.ts'
import type { ToolCall } from '../src/core/call.ts'
import type { Asking } from '../src/core/question.ts'
import type { Decision, Verdict } from '../src/core/verdict.ts'
import type { HostAnswer, Launch } from '../src/hosts/host.ts'
import { EMPTY_SESSION } from '../src/session/session.ts'
import { type FrozenWorldFile, frozenWorld } from '../src/world/frozen.ts'

export const HOME = '/home/ana'
export const PROJECT = `${HOME}/shop`

const dir = { type: 'dir' } as const
const file = (content: string) => ({ type: 'file', content }) as const

/** A clean, pushed repository in a home directory that holds a key. */
export const WORLD: FrozenWorldFile = {
  platform: 'linux',
  user: 'ana',
  home: HOME,
  cwd: PROJECT,
  workspaces: [PROJECT],
  env: { HOME, USER: 'ana', PATH: '/usr/bin:/bin' },
  env_unset: ['XDG_CONFIG_HOME', 'TMPDIR', 'CDPATH'],
  files: {
    [`${HOME}/.ssh/id_ed25519`]: file('key'),
    [`${HOME}/.claude/settings.json`]: file('{}'),
    [`${HOME}/.codex/hooks.json`]: file('{}'),
    [`${HOME}/.gemini/config/hooks.json`]: file('{}'),
    [`${PROJECT}/.git`]: dir,
    [`${PROJECT}/package.json`]: file('{"name":"shop","scripts":{"test":"node --test"}}'),
    [`${PROJECT}/src/a.ts`]: file('export const a = 1\n'),
    '/etc/passwd': file('root'),
    '/tmp': dir,
  },
  git: {
    [PROJECT]: {
      branch: 'feature',
      default_branch: 'main',
      upstream: 'origin/feature',
      ahead: 0,
      behind: 0,
      remotes: { origin: 'git@example.org:ana/shop.git' },
      modified: [],
      staged: [],
      untracked: [],
      ignored: [],
      stashes: 0,
    },
  },
} as unknown as FrozenWorldFile

export const launchOf = (given: Partial<Launch> = {}): Launch => ({
  version: given.version,
  unattended: given.unattended ?? false,
  env: given.env ?? {},
  ...(given.adapters === undefined ? {} : { adapters: given.adapters }),
})

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

export const whole = (bytes: Uint8Array): Incoming => ({ bytes, end: 'whole' })

/** A judge that always says the same. */
export const saying = (answer: HostAnswer): Deps['judge'] =>
  function* (): Asking<Verdict> {
    return { ...answer, rule: 'test.fixed', status: 'complete', findings: [], effects: [] }
  }

/** The core's arguments, in the small world unless another one is given. */
export function depsOf(judge: Deps['judge'], over: Partial<Deps> = {}): Deps {
  return {
    world: frozenWorld(WORLD),
    budget: { ms: 5_000, start: 0, questions: 10_000 },
    cwd: PROJECT,
    person: { home: HOME, user: 'ana', platform: 'linux' },
    sessionOf: () => EMPTY_SESSION,
    claim: () => true,
    judge,
    words: ({ reason }) => reason,
    ...over,
  }
}

export interface Row {
  readonly name: string
  readonly event: string
  readonly payload?: unknown
  readonly raw?: string
  readonly launch?: Partial<Launch>
  readonly verdict?: HostAnswer
  readonly expect?: string
  readonly actions?: unknown
  readonly mode?: unknown
  readonly call?: Partial<ToolCall>
  readonly outcome?: string
  readonly is?: string
  readonly decision?: Decision | 'not-pass'
}

export const rowsOf = (host: string): readonly Row[] =>
  JSON.parse(readFileSync(new URL(`../cases/hosts/${host}.json`, import.meta.url), 'utf8')) as Row[]

export const rowBytes = (row: Row): Uint8Array => bytesOf(row.raw ?? JSON.stringify(row.payload))

export function respondTo(host: string, row: Row, deps: Deps): Outcome {
  return respond(whole(rowBytes(row)), { host, event: row.event, launch: launchOf(row.launch) }, deps)
}

/**
 * What an answer says, read as strictly as the strictest build of that host does; throws for anything else. For hosts
 * whose pass is silence that is what silence reads as.
 */
export function readAnswer(host: string, stdout: string): HostAnswer | 'nothing' {
  if (stdout === '' && host !== 'antigravity') return { decision: 'pass', reason: '' }
  if (!stdout.endsWith('\n') || stdout.indexOf('\n') !== stdout.length - 1) throw new Error('not exactly one line')
  const said = JSON.parse(stdout) as Record<string, unknown>
  if (host === 'antigravity') return readAntigravity(said)
  const forms = FORMS[host]
  return forms === undefined ? readClaudeLike(host, said) : readForm(forms, said)
}

/** Exact forms: the keys and fixed values of an answer, and the key of its reason. */
interface Form {
  readonly says: HostAnswer['decision'] | 'nothing'
  readonly is?: Readonly<Record<string, unknown>>
  readonly reason?: string
  /** Keys with anything in them. */
  readonly any?: readonly string[]
  /** Keys that may be absent. */
  readonly maybe?: readonly string[]
}

const FORMS: Readonly<Record<string, readonly Form[]>> = {
  gemini: [
    { says: 'deny', is: { decision: 'deny' }, reason: 'reason' },
    { says: 'ask', is: { decision: 'ask' }, reason: 'systemMessage' },
    { says: 'pass', any: ['hookSpecificOutput'] },
  ],
  copilot: [
    { says: 'deny', is: { permissionDecision: 'deny' }, reason: 'permissionDecisionReason' },
    { says: 'ask', is: { permissionDecision: 'ask' }, reason: 'permissionDecisionReason' },
    { says: 'pass', any: ['modifiedArgs'], maybe: ['additionalContext'] },
  ],
  opencode: [
    { says: 'deny', reason: 'throw' },
    { says: 'pass', any: ['args'] },
  ],
  pi: [
    { says: 'deny', is: { block: true }, reason: 'reason' },
    { says: 'ask', reason: 'confirm' },
    { says: 'pass', any: ['input'] },
  ],
  cursor: [
    { says: 'pass' },
    { says: 'deny', is: { permission: 'deny' }, reason: 'user_message', any: ['agent_message'] },
    { says: 'ask', is: { permission: 'ask' }, reason: 'user_message', any: ['agent_message'] },
    { says: 'pass', any: ['updated_input'] },
  ],
  goose: [{ says: 'deny', is: { decision: 'block' }, reason: 'reason' }],
  droid: [{ says: 'pass' }],
  grok: [{ says: 'deny', is: { decision: 'deny' }, reason: 'reason' }],
  windsurf: [{ says: 'deny', is: { decision: 'deny' }, reason: 'reason' }],
  amp: [
    { says: 'deny', reason: 'reject' },
    { says: 'ask', reason: 'confirm' },
    { says: 'pass', any: ['input'] },
  ],
  cline: [
    { says: 'nothing' },
    { says: 'deny', is: { cancel: true }, reason: 'errorMessage' },
    { says: 'pass', is: { cancel: false }, maybe: ['overrideInput'] },
  ],
}

/** Hosts with Claude's object that take no ask. */
const UNASKED: ReadonlySet<string> = new Set(['codex', 'kimi', 'devin'])

function readForm(forms: readonly Form[], said: Record<string, unknown>): HostAnswer | 'nothing' {
  // Claude's object: for the other spelling of Copilot's events, and for what Droid does not pass.
  if ((forms === FORMS['copilot'] || forms === FORMS['droid']) && 'hookSpecificOutput' in said)
    return readClaudeLike('claude', said)
  const form = forms.find(({ is = {}, reason, any = [], maybe = [] }) => {
    const wanted = [...Object.keys(is), ...(reason === undefined ? [] : [reason]), ...any]
    const keys = Object.keys(said)
    return (
      wanted.every((key) => keys.includes(key)) &&
      keys.every((key) => wanted.includes(key) || maybe.includes(key)) &&
      Object.entries(is).every(([key, value]) => said[key] === value)
    )
  })
  if (form === undefined) throw new Error(`no form of this host: ${JSON.stringify(said)}`)
  if (form.says === 'nothing' || form.says === 'pass')
    return form.says === 'pass' ? { decision: 'pass', reason: '' } : 'nothing'
  const reason = said[form.reason!]
  if (typeof reason !== 'string' || reason.trim() === '') throw new Error('no reason')
  return { decision: form.says, reason }
}

function readAntigravity(said: Record<string, unknown>): HostAnswer | 'nothing' {
  const { decision, reason } = said
  const keys = Object.keys(said).join()
  if (keys === '') return 'nothing'
  if (keys === 'decision' && decision === '') return { decision: 'pass', reason: '' }
  if (keys !== 'decision,reason' || typeof reason !== 'string') throw new Error(`keys ${keys}`)
  if (decision === 'ask' && reason === '') return { decision: 'pass', reason }
  if (reason.trim() === '') throw new Error('no reason')
  if (decision === 'deny') return { decision, reason }
  if (decision === 'force_ask') return { decision: 'ask', reason }
  throw new Error(`decision ${String(decision)}`)
}

/** A new input without a decision: the call goes on in the host's own way, and its output is captured. */
function readRewrite({ updatedInput, additionalContext, ...others }: Record<string, unknown>): HostAnswer {
  if (Object.keys(others).length > 0) throw new Error(`unknown keys ${Object.keys(others)}`)
  if (typeof updatedInput !== 'object' || updatedInput === null) throw new Error('no new input')
  if (additionalContext !== undefined && typeof additionalContext !== 'string') throw new Error('no note')
  return { decision: 'pass', reason: '' }
}

function readClaudeLike(host: string, said: Record<string, unknown>): HostAnswer {
  if (Object.keys(said).join() !== 'hookSpecificOutput') throw new Error(`keys ${Object.keys(said)}`)
  const { hookEventName, ...rest } = said['hookSpecificOutput'] as Record<string, unknown>
  if (hookEventName === 'PermissionRequest') {
    const { behavior, message, ...others } = rest['decision'] as Record<string, unknown>
    if (Object.keys(rest).join() !== 'decision' || Object.keys(others).length > 0) throw new Error('unknown keys')
    if (behavior !== 'deny' || typeof message !== 'string' || message.trim() === '') throw new Error('no denial')
    return { decision: 'deny', reason: message }
  }
  if (!['PreToolUse', 'PreSkillShellCommand'].includes(String(hookEventName))) throw new Error('another event')
  const { permissionDecision: decision, permissionDecisionReason: reason, ...others } = rest
  if (decision === undefined && reason === undefined) return readRewrite(others)
  if (Object.keys(others).length > 0) throw new Error(`unknown keys ${Object.keys(others)}`)
  if (typeof reason !== 'string' || reason.trim() === '') throw new Error('no reason')
  if (decision === 'deny' || (decision === 'ask' && !UNASKED.has(host))) return { decision, reason }
  throw new Error(`decision ${String(decision)}`)
}
