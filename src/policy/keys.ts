/** The words that a policy file may use, as data. `schema/policy.schema.json` says the same to editors. */
import type { HostId } from '../core/call.ts'
import type { Act, PathAct } from '../core/effect.ts'
import type { Family } from '../core/verdict.ts'
import type { Zone } from '../paths/zones.ts'
import type { Profile } from './policy.ts'

/** Every key of a policy file. `$schema` is for editors and means nothing here. */
export const KEYS = [
  '$schema',
  'v',
  'profile',
  'frozen',
  'scope',
  'disposable',
  'denyRead',
  'allow',
  'transparent',
  'rules',
  'families',
  'snapshots',
  'store',
  'budgets',
  'hosts',
] as const

export type Key = (typeof KEYS)[number]

/** A file that comes with a repository may only make things stricter. */
export const PROJECT_KEYS: readonly Key[] = ['$schema', 'v', 'frozen', 'scope', 'denyRead', 'rules', 'families']

export const PROFILES: readonly Profile[] = ['adlc', 'standard', 'strict', 'observe']

/** Families that a policy can switch. */
export const FAMILIES = [
  'trust-root',
  'frozen',
  'scope',
  'loss',
  'secrets',
  'remote-code',
  'tamper',
  'hooks-bypass',
  'test-weakened',
  'publish',
  'infra',
] as const satisfies readonly Family[]

export const LEVELS = ['off', 'ask', 'deny'] as const

export type Level = (typeof LEVELS)[number]

/** Families that say nothing until a policy raises them. */
export const OFF_BY_DEFAULT: readonly Family[] = ['test-weakened']

/** What is done to paths: their targets are globs. */
export const PATH_ACTS = [
  'read',
  'names',
  'create',
  'write',
  'append',
  'edit',
  'delete',
  'mode',
  'run',
] as const satisfies readonly PathAct[]

export const ACTS = [
  ...PATH_ACTS,
  'send',
  'fetch',
  'run-remote',
  'install',
  'publish',
  'change',
  'destroy',
  'kill',
  'system',
  'reveal',
  'git',
  'guard',
  'opaque',
] as const satisfies readonly Act[]

/** Zones that a rule can name. */
export const ZONES = [
  'trust-root',
  'persistence',
  'secret',
  'system',
  'device',
  'stream',
  'temp',
  'frozen',
  'out-of-scope',
  'deny-read',
  'disposable',
  'regenerable',
  'git-dir',
  'project',
  'outside',
  'created',
  'home',
  'program',
] as const satisfies readonly Zone[]

/** Does not compile where an act or a zone is missing above. */
type All<Whole, Listed extends Whole> = [Exclude<Whole, Listed>] extends [never] ? true : Exclude<Whole, Listed>
const COMPLETE: readonly [All<Act, (typeof ACTS)[number]>, All<Zone, (typeof ZONES)[number]>] = [true, true]
void COMPLETE

export const MATCH_KEYS = ['tool', 'command', 'effect', 'zone', 'path'] as const

export const RULE_KEYS = ['id', 'match', 'verdict', 'reason', 'must', 'must_not'] as const

export const HOST_IDS: readonly HostId[] = [
  'claude',
  'codex',
  'antigravity',
  'gemini',
  'cursor',
  'copilot',
  'vscode',
  'opencode',
  'qwen',
  'windsurf',
  'devin',
  'kiro',
  'cline',
  'amp',
  'goose',
  'pi',
  'droid',
  'grok',
  'kimi',
  'antigravity-sdk',
]

/** Keys of the settings objects and what each holds. Counts are whole numbers from 1. */
export const SETTINGS = {
  snapshots: { on: 'boolean', maxBytes: 'count', days: 'count' },
  store: { seal: 'boolean', maxBytes: 'count', days: 'count' },
  budgets: { digest: 'count', result: 'count' },
} as const satisfies Readonly<Record<string, Readonly<Record<string, 'boolean' | 'count'>>>>

/** How many letters may differ for one word to be taken for a slip of another. */
const NEAR = 3

/** The known word that `word` is most likely meant to be, or undefined where none is near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  let best: string | undefined
  let least = Math.min(NEAR, Math.ceil(word.length / 2)) + 1
  for (const candidate of known) {
    const steps = distance(word.toLowerCase(), candidate.toLowerCase(), least)
    if (steps < least) {
      least = steps
      best = candidate
    }
  }
  return best
}

/** Letters to insert, delete or replace to turn `a` into `b`; at least `limit` is as good as far. */
function distance(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + same))
    }
    row = next
  }
  return row[b.length]!
}
