/** Cases of the published guard: payloads as its host sends them, in frozen worlds and in the same worlds on disk. */
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { answer, type Fact } from '../src/core/driver.ts'
import type { Question } from '../src/core/question.ts'
import type { Decision } from '../src/core/verdict.ts'
import type { World } from '../src/core/world.ts'
import { MOST_BELOW } from '../src/guard/adlc/effects.ts'
import { judgeCall } from '../src/guard/judge.ts'
import { hostOf } from '../src/hosts/registry.ts'
import { EMPTY_POLICY, type Profile } from '../src/policy/policy.ts'
import { EMPTY_SESSION } from '../src/session/session.ts'
import { diskWorld } from '../src/world/disk.ts'
import { type FrozenWorldFile, frozenWorld, mergeWorld, parseFrozenWorld } from '../src/world/frozen.ts'

const FOLDER = 'cases/adlc-published'

export interface PublishedCase {
  readonly id: string
  readonly row: number | string
  readonly source: string
  readonly world: string
  readonly mode: 'int' | 'W' | 'R'
  /** The worker's ticket; T1 where none is given. */
  readonly ticket?: string
  readonly unattended?: boolean
  readonly profiles?: readonly Profile[]
  /** The event as Antigravity sends it, or the bytes of one that is no JSON. */
  readonly payload?: unknown
  readonly stdin?: string
  /** `HOME` where it is not the world's, relative to the base of the world. */
  readonly home?: string
  readonly verdict: readonly Decision[]
  /** The exact reason. */
  readonly reason?: string
  /** What the reason must name. */
  readonly names?: string
}

interface Special {
  readonly base: string
  readonly note: string
  readonly set?: Record<string, unknown>
  /** It says what no disk of a test machine does. */
  readonly frozenOnly?: boolean
  /** Second names of files: on disk the same file, which no frozen world has words for. */
  readonly second?: Readonly<Record<string, string>>
  /** Directories that cannot be listed, and those that hold more than anybody looks at. */
  readonly unlisted?: readonly string[]
  readonly endless?: readonly string[]
}

export const readCases = (file: string): readonly PublishedCase[] =>
  JSON.parse(readFileSync(`${FOLDER}/${file}.json`, 'utf8')) as PublishedCase[]

const specials = JSON.parse(readFileSync(`${FOLDER}/worlds/special.json`, 'utf8')) as Record<string, Special>

export const worldFile = (name: string): FrozenWorldFile => {
  const special = specials[name]
  const path = `${FOLDER}/worlds/${special?.base ?? name}.json`
  const base = parseFrozenWorld(readFileSync(path, 'utf8'), path)
  return special?.set === undefined ? base : mergeWorld(base, special.set, name)
}

/** Whether a world can be laid on the disk of any machine: a Linux file system that folds case is not to be had. */
export const canBeLaid = (name: string): boolean => specials[name]?.frozenOnly !== true

/** Whether it holds directories that mode bits close, which root does not feel. */
export const isClosed = (name: string): boolean => specials[name]?.unlisted !== undefined

/** Answers that a file format has no words for. */
function withLimits(world: World, special: Special | undefined): World {
  if (special?.unlisted === undefined && special?.endless === undefined) return world
  return {
    now: () => world.now(),
    answer(question: Question, left: number) {
      if (question.ask === 'list') {
        if (special.unlisted?.includes(question.dir)) return 'unknown'
        if (special.endless?.some((dir) => question.dir === dir)) {
          const entries = Array.from({ length: question.limit }, (_, i) => ({ name: `f${i}`, kind: 'dir' as const }))
          return { entries, cut: true }
        }
        if (special.endless?.some((dir) => question.dir.startsWith(`${dir}/`))) return { entries: [], cut: false }
      }
      return world.answer(question, left)
    },
  }
}

/** Where the worlds lie in their files. */
const BASE = '/lab'

/** A world as files below a scratch directory. */
export interface Laid {
  readonly base: string
  remove(): void
}

/** Writes a world's files below a new directory; its git repositories are made by git. */
export function lay(name: string): Laid {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-adlc-')))
  const file = worldFile(name)
  const at = (path: string) => base + path.slice(BASE.length)
  const moved = (text: string) => text.replaceAll(/\/lab(?=[/"\s]|$)/g, base)
  for (const [path, entry] of Object.entries(file.files)) {
    if (path !== BASE && !path.startsWith(`${BASE}/`)) continue
    mkdirSync(dirname(at(path)), { recursive: true })
    if (entry.type === 'dir') mkdirSync(at(path), { recursive: true })
    else if (entry.type === 'symlink') symlinkSync(moved(entry.target ?? ''), at(path))
    else if (specials[name]?.second?.[path] !== undefined) continue
    else writeFileSync(at(path), moved(entry.content ?? ''), { mode: Number.parseInt(entry.mode ?? '0644', 8) })
  }
  for (const [path, other] of Object.entries(specials[name]?.second ?? {})) linkSync(at(other), at(path))
  for (const [repo, state] of Object.entries(file.git)) {
    // The other repositories of the world only have to be there.
    if (!file.workspaces.includes(repo)) continue
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', at(repo), '-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        stdio: 'ignore',
        env: { PATH: process.env['PATH'], HOME: base, GIT_CONFIG_NOSYSTEM: '1' },
      })
    git('init', '-q', '-b', 'main')
    git('add', '-A')
    for (const path of state.untracked ?? []) git('rm', '-q', '--cached', path)
    git('commit', '-q', '-m', 'all', '--no-verify')
    for (const path of state.modified ?? []) writeFileSync(join(at(repo), path), 'changed\n')
    for (const [key, value] of Object.entries(state.config ?? {})) git('config', key, moved(String(value)))
  }
  const { endless = [], unlisted = [] } = specials[name] ?? {}
  for (const dir of endless) for (let i = 0; i <= MOST_BELOW; i++) writeFileSync(join(at(dir), `f${i}`), '')
  for (const dir of unlisted) chmodSync(at(dir), 0)
  // Another user may have to look.
  if (unlisted.length > 0) chmodSync(base, 0o755)
  return {
    base,
    remove() {
      for (const dir of unlisted) chmodSync(at(dir), 0o700)
      rmSync(base, { recursive: true, force: true })
    },
  }
}

/** What is wrong with the verdicts on rows, in every profile that they hold in. */
export function faultsOf(rows: readonly PublishedCase[], laid?: Laid): string[] {
  const faultOf = (row: PublishedCase, profile: Profile): readonly string[] => {
    const { decision, rule, reason } = judgeCase(row, profile, laid)
    const right =
      row.verdict.includes(decision) &&
      (row.reason === undefined || reason === row.reason) &&
      (row.names === undefined || reason.includes(row.names))
    if (right) return []
    const wanted = row.verdict.join(' or ')
    return [`${row.id} [${profile}]: ${wanted} expected, ${decision} given (${rule}: ${reason.slice(0, 160)})`]
  }
  return rows.flatMap((row) => (row.profiles ?? (['adlc'] as const)).flatMap((profile) => faultOf(row, profile)))
}

/** `«text*n»` is the text n times; `{"$nest": n}` and `{"$paths": [n, m]}` are values too large to be written down. */
function expand(value: unknown): unknown {
  if (typeof value === 'string')
    return value.replace(/«(.*?)\*(\d+)»/g, (_, text: string, n: string) => text.repeat(Number(n)))
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(expand)
  const fields = value as Record<string, unknown>
  if (typeof fields['$nest'] === 'number') {
    let out: unknown = 'x'
    for (let i = 0; i < fields['$nest']; i++) out = { a: out }
    return out
  }
  if (Array.isArray(fields['$paths'])) {
    const [count, parts] = fields['$paths'] as [number, number]
    return { paths: Array.from({ length: count }, (_, i) => `/lab/${'a/'.repeat(parts - 2)}${i}`) }
  }
  return Object.fromEntries(Object.entries(fields).map(([key, item]) => [key, expand(item)]))
}

/** A row about bytes that are no call: the guard's own reading of its input answers it, so only the whole runner shows it. */
export const isNoCall = ({ stdin, payload }: PublishedCase): boolean =>
  stdin !== undefined || !(payload as { toolCall?: { name?: string } } | undefined)?.toolCall?.name

export interface Judged {
  readonly facts?: readonly Fact[]
  readonly decision: Decision
  readonly rule: string
  readonly reason: string
}

/** The verdict on a case, in the frozen world or in a laid one. */
export function judgeCase(
  row: PublishedCase,
  profile: Profile,
  laid?: Laid,
  through?: (world: World) => World,
): Judged {
  const file = worldFile(row.world)
  const moved = (text: string) => (laid === undefined ? text : text.replaceAll(/\/lab(?=[/"\s'\\:;]|$)/g, laid.base))
  const payload = expand(JSON.parse(moved(JSON.stringify(row.payload))))
  const host = hostOf('antigravity')!
  const env =
    row.mode === 'R'
      ? { AGB_WORKER_MODE: 'readonly' }
      : row.mode === 'W'
        ? { AGB_WORKER_TICKET: row.ticket ?? 'T1' }
        : {}
  const decoded = host.decode(payload, 'PreToolUse', { version: '1.3.1', unattended: row.unattended ?? false, env })
  if (decoded.is !== 'pre') throw new Error(`${row.id} is no call`)
  const { call } = decoded
  const world =
    laid === undefined
      ? withLimits(frozenWorld(file), specials[row.world])
      : diskWorld({
          env: Object.fromEntries(Object.entries(file.env).map(([key, value]) => [key, moved(value)])),
          cwd: laid.base,
        })
  const base = laid?.base ?? BASE
  const context = {
    policy: { ...EMPTY_POLICY, profile },
    session: EMPTY_SESSION,
    mode: call.mode,
    unattended: call.mode.is !== 'interactive',
    platform: file.platform,
    home: row.home === undefined ? moved(file.home) : join(base, row.home),
    user: file.user,
    ...(file.case_insensitive === undefined ? {} : { foldsCase: file.case_insensitive }),
  }
  const asked = through?.(world) ?? world
  const limits = { ms: 60_000, start: world.now(), questions: 500_000 }
  const { value, facts } = answer(judgeCall(call, context), asked, limits)
  return { decision: value.decision, rule: value.rule, reason: value.reason, facts }
}
