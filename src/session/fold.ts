/** What the lines of a session come to. Pure: the file itself is `store.ts`. */
import { sha256Hex } from '../core/hash.ts'
import { byteLength } from '../core/utf8.ts'
import type { EffectIdentity } from '../core/verdict.ts'
import type { SessionLine, SessionState } from './session.ts'

export type Kind = SessionLine['kind']

/** Lines that count, the newest first of all. */
export const MOST_LINES = 512
/** Bytes of one line: a long list of paths is split. */
const MOST_LINE_BYTES = 4000
/** An approval that is older than ten minutes, or from a clock that ran ahead, is none. */
export const APPROVAL_MS = 10 * 60 * 1000
const CLOCK_SKEW_MS = 60 * 1000
/** 128 bits: a fingerprint that somebody else's effects could be made to share would carry an approval over. */
const FINGERPRINT_DIGITS = 32

/**
 * Lines of each kind that others cannot push out: an agent that makes five hundred harmless calls must not thereby
 * forget what it was denied. Together they leave room for the newest of any kind.
 */
const RESERVED: Readonly<Record<Kind, number>> = {
  denied: 128,
  created: 96,
  written: 64,
  downloaded: 48,
  approved: 16,
  hash: 16,
  seen: 16,
}

/** One text for one identity: equal for equal effects, whatever the command looked like. */
export const identityKey = (identity: EffectIdentity): string =>
  JSON.stringify([identity.act, identity.target, identity.tree])

/** The name of a set of effects: order and repetition do not count. */
export function fingerprint(effects: readonly EffectIdentity[]): string {
  const keys = [...new Set(effects.map(identityKey))].sort()
  return sha256Hex(keys.join('\n')).slice(0, FINGERPRINT_DIGITS)
}

/** A line for effects that were denied, approved or seen at `t`, milliseconds since the epoch. */
export function effectLine(
  kind: 'denied' | 'approved' | 'seen',
  t: number,
  effects: readonly EffectIdentity[],
  rule?: string,
): SessionLine {
  const line = { t, kind, fingerprint: fingerprint(effects), acts: [], paths: [], effects }
  return rule === undefined ? line : { ...line, rule }
}

/** The line that uses an approval up. */
export const usedLine = (t: number, print: string): SessionLine => ({
  t,
  kind: 'approved',
  fingerprint: print,
  acts: [],
  paths: [],
  uses: 0,
})

/** Lines for paths that this session made, wrote or fetched. */
export function pathLines(
  kind: 'created' | 'written' | 'downloaded',
  t: number,
  paths: readonly string[],
): SessionLine[] {
  if (paths.length === 0) return []
  const print = fingerprint(paths.map((target) => ({ act: kind, target, tree: false })))
  return splitLine({ t, kind, fingerprint: print, acts: [], paths: [...new Set(paths)] })
}

/**
 * A line in pieces of at most 4,000 bytes, as far as one path or effect allows. An approval stays whole, for it covers
 * all or nothing, and so does what was seen before a run, for it is looked up as one line after it.
 */
export function splitLine(line: SessionLine): SessionLine[] {
  const whole = line.kind === 'approved' || line.kind === 'seen'
  if (whole || byteLength(JSON.stringify(line)) <= MOST_LINE_BYTES) return [line]
  const { acts, paths, effects = [] } = line
  if (paths.length > 1) {
    const half = paths.length >> 1
    const inStep = acts.length === paths.length
    const first = { ...line, paths: paths.slice(0, half), effects, ...(inStep && { acts: acts.slice(0, half) }) }
    const second = { ...line, paths: paths.slice(half), effects: [], ...(inStep && { acts: acts.slice(half) }) }
    return [...splitLine(first), ...splitLine(second)]
  }
  if (effects.length > 1) {
    const half = effects.length >> 1
    return [
      ...splitLine({ ...line, effects: effects.slice(0, half) }),
      ...splitLine({ ...line, effects: effects.slice(half), acts: [], paths: [] }),
    ]
  }
  return [line]
}

const isText = (value: unknown): value is string => typeof value === 'string'
function isTexts(value: unknown): value is readonly string[] {
  if (!Array.isArray(value)) return false
  for (let i = 0; i < value.length; i++) if (typeof value[i] !== 'string') return false
  return true
}
const isIdentity = (value: unknown): value is EffectIdentity =>
  typeof value === 'object' &&
  value !== null &&
  isText((value as EffectIdentity).act) &&
  isText((value as EffectIdentity).target) &&
  typeof (value as EffectIdentity).tree === 'boolean'

/** One line of a session file, or undefined where it is none. Never throws. */
export function parseLine(text: string): SessionLine | undefined {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return undefined
  }
  if (typeof value !== 'object' || value === null) return undefined
  const line = value as SessionLine
  const whole =
    Number.isFinite(line.t) &&
    isText(line.kind) &&
    Object.hasOwn(RESERVED, line.kind) &&
    isText(line.fingerprint) &&
    isTexts(line.acts) &&
    isTexts(line.paths) &&
    (line.effects === undefined || (Array.isArray(line.effects) && line.effects.every(isIdentity))) &&
    (line.uses === undefined || Number.isFinite(line.uses)) &&
    (line.lasts === undefined || line.lasts === 'session') &&
    (line.sticky === undefined || line.sticky === false) &&
    (line.rule === undefined || isText(line.rule))
  return whole ? line : undefined
}

/** The newest 512 lines, oldest first, without repetitions and with a share kept for each kind. */
export function newestLines(lines: readonly SessionLine[]): readonly SessionLine[] {
  const last = new Map<string, number>()
  for (const [i, line] of lines.entries()) last.set(nameOf(line), i)
  const kept = new Set<number>()
  const all = [...last.values()].sort((a, b) => b - a)
  const count: Partial<Record<Kind, number>> = {}
  for (const i of all) {
    const { kind } = lines[i]!
    const before = count[kind] ?? 0
    if (before >= RESERVED[kind]) continue
    count[kind] = before + 1
    kept.add(i)
  }
  for (const i of all) {
    if (kept.size >= MOST_LINES) break
    kept.add(i)
  }
  return [...kept].sort((a, b) => a - b).map((i) => lines[i]!)
}

/** As many of `lines` as fit into `bytes`, in their order: what was denied and approved first, then the newest. */
export function fitting(lines: readonly SessionLine[], bytes: number): readonly SessionLine[] {
  const firm = (line: SessionLine) => line.kind === 'denied' || line.kind === 'approved'
  const order = [...lines.keys()].reverse()
  const kept = new Set<number>()
  let left = bytes
  for (const i of [...order.filter((i) => firm(lines[i]!)), ...order.filter((i) => !firm(lines[i]!))]) {
    left -= byteLength(JSON.stringify(lines[i])) + 1
    if (left < 0) break
    kept.add(i)
  }
  return lines.filter((_, i) => kept.has(i))
}

/** Of two lines with one name the later says all that both say. */
function nameOf(line: SessionLine): string {
  if (line.kind === 'approved') return `approved ${line.fingerprint}`
  // Never written down, so it need not be JSON.
  const effects = line.effects?.map(({ act, target, tree }) => `${act}\x01${target}\x01${tree}`) ?? []
  return [line.kind, line.fingerprint, String(line.sticky ?? ''), ...line.acts, '', ...line.paths, '', ...effects].join(
    '\0',
  )
}

function effectsOf(line: SessionLine): readonly EffectIdentity[] {
  if (line.effects) return line.effects
  return line.paths.flatMap((target, i) => {
    const act = line.acts[i]
    return act === undefined ? [] : [{ act, target, tree: false }]
  })
}

/** What the session did and was refused, at `now` (milliseconds since the epoch). Only the newest 512 lines count. */
export function foldSession(lines: readonly SessionLine[], now: number): SessionState {
  const paths = { created: new Set<string>(), written: new Set<string>(), downloaded: new Set<string>() }
  const denied = new Map<string, EffectIdentity>()
  const approved = new Map<string, EffectIdentity[]>()
  for (const line of lines.length <= MOST_LINES ? lines : newestLines(lines)) {
    switch (line.kind) {
      case 'created':
      case 'written':
      case 'downloaded':
        for (const path of line.paths) paths[line.kind].add(path)
        break
      case 'denied':
        if (line.sticky === false) break
        for (const effect of effectsOf(line)) denied.set(identityKey(effect), effect)
        break
      case 'approved': {
        const age = now - line.t
        const effects = effectsOf(line)
        const fresh = line.lasts === 'session' || age <= APPROVAL_MS
        const holds = (line.uses ?? 1) > 0 && fresh && age >= -CLOCK_SKEW_MS && effects.length > 0
        // The newest line of a fingerprint says it all: granted, or used up.
        if (holds) approved.set(line.fingerprint, [...effects])
        else approved.delete(line.fingerprint)
        break
      }
    }
  }
  return {
    created: [...paths.created],
    written: [...paths.written],
    downloaded: [...paths.downloaded],
    denied: [...denied.values()],
    approved: [...approved.values()],
    deniedCalls: [],
    approvedCalls: [],
  }
}
