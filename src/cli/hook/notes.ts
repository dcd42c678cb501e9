/**
 * Facts that a session gathers about itself. Before a run the places that it would make or write are noted; after the
 * run what was absent then and is there now was created by this session. Nothing is judged here.
 */
import type { ToolCall, ToolResult } from '../../core/call.ts'
import type { Effect } from '../../core/effect.ts'
import { sha256Hex } from '../../core/hash.ts'
import type { EffectIdentity, Finding, Verdict } from '../../core/verdict.ts'
import { effectLine, identityKey, pathLines } from '../../session/fold.ts'
import type { SessionLine } from '../../session/session.ts'

/** What notes need of the disk. Both never throw. */
export interface Places {
  /** Links are not followed. */
  exists(path: string): boolean
  /**
   * The physical path, as far as it exists, with the rest as written; `made`: the topmost part of it that is absent.
   * Undefined where that cannot be told.
   */
  locate(path: string): { readonly path: string; readonly made: string | undefined } | undefined
}

/** A call that touches more places than this is noted in part: a note costs less than it saves. */
const MOST_PLACES = 64

const MAKES = new Set(['create', 'write', 'append', 'edit'])

/** Joins the events before and after a run: the host's id of the call, or what the call says where there is none. */
export function callName(call: ToolCall): string {
  const about = call.id ?? JSON.stringify([call.tool, call.cwd, call.actions])
  return sha256Hex(`call ${about}`).slice(0, 32)
}

/** Lines to add after a verdict that lets the call run, or that denies it. */
export function linesBefore(call: ToolCall, verdict: Verdict, now: number, places: Places): readonly SessionLine[] {
  if (verdict.decision === 'deny') {
    const firm = new Map<string, EffectIdentity>()
    const all = new Map<string, EffectIdentity>()
    for (const finding of verdict.findings) {
      for (const effect of refusedEffects(finding, places)) {
        if (all.size >= MOST_PLACES) break
        all.set(identityKey(effect), effect)
        if (!wasAsked(finding)) firm.set(identityKey(effect), effect)
      }
    }
    // What no approval lifts decides whether one would help.
    const rule = verdict.findings.find((one) => one.decision === 'deny' && FIRM.test(one.rule))?.rule ?? verdict.rule
    const line = (effects: ReadonlyMap<string, EffectIdentity>) =>
      effects.size > 0 ? [effectLine('denied', now, [...effects.values()], rule)] : []
    // What a person can still be asked does not stick, but can be approved together with the rest.
    return [
      ...line(firm),
      ...(all.size > firm.size ? line(all).map((one) => ({ ...one, sticky: false as const })) : []),
    ]
  }
  const acts: string[] = []
  const paths: string[] = []
  const note = (act: string, path: string) => {
    if (acts.length >= MOST_PLACES || paths.some((known, at) => known === path && acts[at] === act)) return
    acts.push(act)
    paths.push(path)
  }
  for (const effect of verdict.effects) {
    const path = placeOf(effect)
    const at = path === undefined || acts.length >= MOST_PLACES ? undefined : places.locate(path)
    if (at === undefined) continue
    if (at.made !== undefined) note('create', at.made)
    if (effect.act !== 'create') note(effect.from?.includes('remote') ? 'download' : 'write', at.path)
  }
  return acts.length > 0 ? [{ t: now, kind: 'seen', fingerprint: callName(call), acts, paths }] : []
}

/** Families that no approval lifts. */
export const FIRM = /^(?:frozen|trust-root|tamper)\./

/** An ask that nobody could answer was not refused: it may be asked again when somebody is there. */
const wasAsked = ({ reason }: Finding): boolean => /\(unattended: [^)]*\)$/.test(reason)

/** The effects that a finding refuses, as far as they have names. */
function refusedEffects(finding: Finding, places: Places): readonly EffectIdentity[] {
  if (finding.decision !== 'deny') return []
  if (finding.identity !== undefined) return [finding.identity]
  if (finding.effect === undefined) return []
  const { identities = [] } = finding
  if (finding.effect.target.is !== 'path') return identities
  const { act, target } = finding.effect
  if (target.is !== 'path' || target.pattern !== undefined || target.open) return identities
  const path = places.locate(target.path)?.path
  return path === undefined ? [] : [{ act, target: path, tree: target.tree }]
}

/** The one place that an effect makes or writes; undefined for patterns and for places that are not known. */
function placeOf({ act, target }: Effect): string | undefined {
  if (!MAKES.has(act) || target.is !== 'path' || target.pattern !== undefined || target.open) return undefined
  return target.path
}

/** Lines to add after a run: what is there now of what was noted before. A failed run may have done half of it. */
export function linesAfter(
  result: ToolResult,
  lines: readonly SessionLine[],
  now: number,
  places: Places,
): readonly SessionLine[] {
  const name = callName(result.call)
  const seen = lines.findLast((line) => line.kind === 'seen' && line.fingerprint === name)
  if (seen === undefined) return []
  const here = (act: string) => seen.paths.filter((path, at) => seen.acts[at] === act && places.exists(path))
  return [
    ...pathLines('created', now, here('create')),
    ...pathLines('written', now, here('write')),
    ...pathLines('downloaded', now, here('download')),
  ]
}
