/** Rows of a file of reports: reading and checking them. A key that nobody knows is an error, never ignored. */

import { readFileSync } from 'node:fs'
import { type Check, each, flag, isObject, object, oneOf, shapeOf, text } from '../../core/check.ts'
import { HOSTS as REGISTERED } from '../../hosts/registry.ts'
import { type AllowEntry, SANDBOX_TOOLS, type SandboxTool, type Source } from '../../managed/contract.ts'

export type Face = 'guard' | 'containment' | 'hooks'

interface Common {
  readonly id: string
  readonly face: Face
  readonly source: string
  readonly why: string
}

/** `name`: a world file without `.json`; else that file with `set` merged in. */
export type WorldOf = string | { readonly base: string; readonly set?: unknown }

export interface GuardRow extends Common {
  readonly face: 'guard'
  readonly host: string
  readonly payload: unknown
  readonly shell?: 'powershell' | 'cmd'
  readonly world: WorldOf
  readonly policy?: Readonly<Record<string, unknown>>
  readonly expect: {
    readonly verdict: 'deny' | 'ask' | 'pass'
    readonly reason_has?: readonly string[]
    readonly reason_lacks?: readonly string[]
  }
}

export type OutputPart =
  | { readonly text: string; readonly repeat?: number }
  | { readonly text: string; readonly sequence: readonly [number, number] }

export interface ContainmentRow extends Common {
  readonly face: 'containment'
  readonly command: string
  readonly exit: number
  readonly output: readonly OutputPart[]
  readonly stream?: 'stdout' | 'stderr'
  readonly store?: { readonly seal?: boolean }
  readonly host?: string
  readonly host_applies?: boolean
  readonly host_appends?: number
  readonly expect: {
    readonly status?: 'ok' | 'failed'
    readonly exit_shown?: number
    readonly must_keep?: readonly string[]
    readonly must_not_contain?: readonly string[]
    readonly identical?: boolean
    readonly max_tokens?: number
    readonly masked?: number
    readonly repeat_shown?: { readonly text: string; readonly count: number }
    readonly addresses_resolve?: boolean
    readonly ledger?: { readonly net_max?: number; readonly net_min?: number }
  }
}

export interface HostRow extends Common {
  readonly face: 'hooks'
  readonly kind: 'host'
  readonly host: string
  readonly payload: unknown
  readonly world: WorldOf
  readonly host_version?: string
  readonly policy_rule?: Readonly<Record<string, unknown>>
  readonly expect: {
    readonly verdict?: 'deny' | 'ask' | 'pass'
    readonly reason_has?: readonly string[]
    readonly answer?: unknown
  }
}

/** What one handler gave. */
export interface HandlerResult {
  readonly stdout?: string
  readonly stderr?: string
  readonly exit?: number
  readonly timed_out?: boolean
}

/** A `hooks.json` with what its handlers gave, or the answer of one handler alone. */
export interface LintRow extends Common {
  readonly face: 'hooks'
  readonly kind: 'lint'
  /** The text of the file, or its value. */
  readonly hooks_json?: unknown
  readonly files?: Readonly<Record<string, string>>
  readonly results?: readonly HandlerResult[]
  readonly stdout?: string
  readonly exit?: number
  readonly fail_closed?: readonly string[]
  readonly expect: { readonly decision_in_runtime?: 'allow' | 'deny'; readonly lint_has?: readonly string[] }
}

/** A request through the way out of an environment. */
export interface EgressRow extends Common {
  readonly face: 'hooks'
  readonly kind: 'egress'
  /** Domains, or entries of an allowlist; absent: open. */
  readonly allow?: readonly (string | AllowEntry)[]
  /** As the API takes it. */
  readonly credential?: Readonly<Record<string, unknown>> & { readonly id: string; readonly type: string }
  readonly request: {
    readonly method: string
    readonly url: string
    readonly headers?: Readonly<Record<string, string>>
    /** So many zero bytes, streamed. */
    readonly body_bytes?: number
    /** Sent in place of TLS after CONNECT was answered. */
    readonly raw?: string
    readonly via: 'connect' | 'http' | 'transparent'
  }
  readonly expect: {
    readonly status?: number
    readonly upstream_saw?: boolean
    readonly upstream_headers?: Readonly<Record<string, string>>
    readonly upstream_raw?: string
    readonly upstream_body_bytes?: number
    readonly body_has?: readonly string[]
    readonly body_lacks?: readonly string[]
    readonly growth_max?: number
  }
}

/** One call of a tool in an environment. */
export interface SandboxRow extends Common {
  readonly face: 'hooks'
  readonly kind: 'sandbox'
  readonly sources: readonly Source[]
  /** Domains, or entries of an allowlist; absent: open. */
  readonly allow?: readonly (string | AllowEntry)[]
  readonly credential?: Readonly<Record<string, unknown>>
  /** Files of a scratch home of the runtime's own process; `{home}` in the arguments is its path. */
  readonly home?: Readonly<Record<string, string>>
  readonly tool: SandboxTool
  readonly args: Readonly<Record<string, unknown>>
  readonly expect: {
    readonly output_has?: readonly string[]
    readonly output_lacks?: readonly string[]
    readonly is_error?: boolean
    readonly upstream_saw?: boolean
  }
}

export type ReportRow = GuardRow | ContainmentRow | HostRow | LintRow | EgressRow | SandboxRow

const whole: Check = (value) => (Number.isInteger(value) ? undefined : 'must be a whole number')
const count: Check = (value) => (Number.isInteger(value) && (value as number) >= 0 ? undefined : 'must be a count')
const anything: Check = (value) => (value === undefined ? 'is missing' : undefined)
/** An object whose values are texts. */
const texts: Check = (value) => {
  if (!isObject(value)) return 'must be an object'
  const key = Object.keys(value).find((one) => typeof value[one] !== 'string')
  return key === undefined ? undefined : `.${key} must be a string`
}
const either =
  (...checks: readonly Check[]): Check =>
  (value) =>
    checks.some((check) => check(value) === undefined) ? undefined : checks.at(-1)!(value)

const shape = (keys: Readonly<Record<string, Check>>): Check => shapeOf(keys, 'such a row')

const TEXTS = each(text)
const FACES: readonly Face[] = ['guard', 'containment', 'hooks']
const HOSTS = oneOf(...REGISTERED.map(({ id }) => id))
const VERDICT = oneOf('deny', 'ask', 'pass')
const WORLD = either(text, shape({ base: text, 'set?': object }))
const COMMON = { id: text, face: text, source: text, why: text }

const GUARD = shape({
  ...COMMON,
  host: HOSTS,
  payload: object,
  'shell?': oneOf('powershell', 'cmd'),
  world: WORLD,
  'policy?': object,
  expect: shape({ verdict: VERDICT, 'reason_has?': TEXTS, 'reason_lacks?': TEXTS }),
})

const RANGE: Check = (value) =>
  Array.isArray(value) && value.length === 2 && value.every(Number.isInteger) && value[0] <= value[1]
    ? undefined
    : 'must be two whole numbers, the first no larger than the second'

const CONTAINMENT = shape({
  ...COMMON,
  command: text,
  exit: count,
  output: each(either(shape({ text, sequence: RANGE }), shape({ text, 'repeat?': count }))),
  'stream?': oneOf('stdout', 'stderr'),
  'store?': shape({ 'seal?': flag }),
  'host?': HOSTS,
  'host_applies?': (value) => (value === false ? undefined : 'can only be false'),
  'host_appends?': count,
  expect: shape({
    'status?': oneOf('ok', 'failed'),
    'exit_shown?': count,
    'must_keep?': TEXTS,
    'must_not_contain?': TEXTS,
    'identical?': flag,
    'max_tokens?': count,
    'masked?': count,
    'repeat_shown?': shape({ text, count }),
    'addresses_resolve?': flag,
    'ledger?': shape({ 'net_max?': whole, 'net_min?': whole }),
  }),
})

const HOST = shape({
  ...COMMON,
  kind: text,
  host: HOSTS,
  payload: object,
  world: WORLD,
  'host_version?': text,
  'policy_rule?': object,
  expect: shape({ 'verdict?': VERDICT, 'reason_has?': TEXTS, 'answer?': anything }),
})

const LINT = shape({
  ...COMMON,
  kind: text,
  'hooks_json?': anything,
  'files?': texts,
  'results?': each(shape({ 'stdout?': text, 'stderr?': text, 'exit?': whole, 'timed_out?': flag })),
  'stdout?': text,
  'exit?': whole,
  'fail_closed?': TEXTS,
  expect: shape({ 'decision_in_runtime?': oneOf('allow', 'deny'), 'lint_has?': TEXTS }),
})

const CREDENTIAL_OF: Check = (value) =>
  object(value) ?? text((value as Record<string, unknown>)['id']) ?? text((value as Record<string, unknown>)['type'])
const MANAGED: Readonly<Record<'egress' | 'sandbox', Check>> = {
  egress: shape({
    ...COMMON,
    kind: text,
    'allow?': each(either(text, object)),
    'credential?': CREDENTIAL_OF,
    request: shape({
      method: text,
      url: text,
      'headers?': object,
      'body_bytes?': count,
      'raw?': text,
      via: oneOf('connect', 'http', 'transparent'),
    }),
    expect: shape({
      'status?': count,
      'upstream_saw?': flag,
      'upstream_headers?': object,
      'upstream_raw?': text,
      'upstream_body_bytes?': count,
      'body_has?': TEXTS,
      'body_lacks?': TEXTS,
      'growth_max?': count,
    }),
  }),
  sandbox: shape({
    ...COMMON,
    kind: text,
    sources: each(object),
    'allow?': each(either(text, object)),
    'credential?': CREDENTIAL_OF,
    'home?': texts,
    tool: oneOf(...SANDBOX_TOOLS),
    args: object,
    expect: shape({ 'output_has?': TEXTS, 'output_lacks?': TEXTS, 'is_error?': flag, 'upstream_saw?': flag }),
  }),
}

function checkOf(row: Readonly<Record<string, unknown>>): Check {
  if (row['face'] === 'guard') return GUARD
  if (row['face'] === 'containment') return CONTAINMENT
  if (row['face'] !== 'hooks') return () => `.face must be one of ${FACES.join(', ')}`
  const kind = row['kind']
  if (kind === 'host') return HOST
  if (kind === 'lint') return LINT
  return kind === 'egress' || kind === 'sandbox'
    ? MANAGED[kind]
    : () => '.kind must be one of lint, host, egress, sandbox'
}

/** Reads the rows of a file. Throws one sentence that names the file, the line and what is wrong. */
export function readReports(file: string): readonly ReportRow[] {
  const rows: ReportRow[] = []
  const seen = new Map<string, number>()
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    const at = `${file}, line ${i + 1}`
    let row: unknown
    try {
      row = JSON.parse(line)
    } catch {
      throw new Error(`${at} is no JSON`)
    }
    if (!isObject(row)) throw new Error(`${at} is no object`)
    const problem = checkOf(row)(row)
    if (problem !== undefined) throw new Error(`${at}: ${problem}`)
    const { id } = row as { id: string }
    if (seen.has(id)) throw new Error(`${at}: the id ${JSON.stringify(id)} stands in line ${seen.get(id)}, too`)
    seen.set(id, i + 1)
    rows.push(row as unknown as ReportRow)
  }
  return rows
}
