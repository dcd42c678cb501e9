/**
 * The published evaluation (profile `adlc`), and what of it holds in the others. Everything rests on the same plan, tree
 * and effects as the rest of the guard; only the order of stages is its own.
 */
import { readRepo } from '../../adlc/adlc.ts'
import type { Asking } from '../../core/question.ts'
import { type Family, type Finding, PUBLISHED_RAIL } from '../../core/verdict.ts'
import { isInside } from '../../paths/lexical.ts'
import { CHANGES, type Subject } from '../subject.ts'
import { effectFindings } from './effects.ts'
import { exactFindings } from './exact.ts'
import { type Facts, stage } from './facts.ts'
import { type Given, isPublished } from './given.ts'
import { ticketCommand, ticketFinding } from './lifecycle.ts'
import { type Roots, rootsOf } from './roots.ts'
import { shellFindings } from './shell.ts'
import { useOf } from './use.ts'

/** Findings of the profile, beside those of the effects engine. */
export function* evaluateAdlc(given: Given): Asking<readonly Finding[]> {
  const { call, context, subjects, facts, tools } = given
  const { profile } = context.policy
  const use = useOf(call)
  if (use.is === 'finish') return []
  const published = isPublished(context)
  const wide = profile === 'adlc' || profile === 'strict'
  const roots = published || facts.repos.length > 0 ? yield* rootsOf(facts.adlc) : undefined
  const out: Finding[] = []
  if (published && roots) {
    if (use.is !== 'shell') out.push(...(yield* exactFindings(use, { facts, roots, tools, context, call })))
    else if (use.missing) out.push(stage('schema', 'deny', 'the call holds no command'))
    else {
      const readings = [...given.plan.readings]
      for (const action of call.actions) {
        if (action.is !== 'shell') continue
        const reading = action.dialect === 'posix' ? readings.shift() : undefined
        out.push(...(yield* shellFindings(call, action, reading, { facts, roots, tools, subjects }, context)))
      }
    }
  } else if (facts.repos.length > 0) out.push(...lifecycle(given), ...unread(given))
  if (published) out.push(...unsure(given, roots))
  // Exact tools of that profile are judged exactly; what runs is judged by what it does.
  if (use.is === 'shell' || !published) {
    const dots = given.plan.ran.some(({ words }) => words[0] === 'shopt' && words.includes('dotglob'))
    out.push(
      ...(yield* effectFindings(subjects, facts, tools, {
        dots,
        shell: use.is === 'shell',
        roots: wide ? roots : undefined,
      })),
    )
  }
  if (!published && roots && use.is === 'file') out.push(...(yield* ticketsOnly(given, roots)))
  return out
}

/** Tickets are written whole and valid, and no tree is moved onto a rail, whatever the profile. */
function* ticketsOnly(given: Given, roots: Parameters<typeof exactFindings>[1]['roots']): Asking<readonly Finding[]> {
  const { facts, tools, context, call } = given
  if (facts.repos.length === 0) return []
  const use = useOf(call)
  if (use.is !== 'file') return []
  const found = yield* exactFindings({ ...use, violation: undefined }, { facts, roots, tools, context, call })
  return found.filter(({ rule }) => rule === 'adlc.shard' || rule === PUBLISHED_RAIL)
}

/** Facts that protect places anywhere and could not be had: whatever changes something is asked for. */
function unsure({ facts, subjects }: Given, roots: Roots | undefined): readonly Finding[] {
  const why =
    facts.adlc.overrides?.unsure ?? (roots?.unsure ? 'where the home directory lies could not be found out' : undefined)
  if (why === undefined || !subjects.some(({ effect }) => CHANGES.has(effect.act))) return []
  return [stage('unsure', facts.limits === 'int' ? 'ask' : 'deny', why)]
}

/** A command that nobody can read may change a rail. */
function unread({ plan, facts }: Given): readonly Finding[] {
  if (plan.status !== 'limited' || !facts.repos.some((repo) => repo.active)) return []
  return [stage('unread', 'deny', 'paths are frozen here, and the command is nested too deeply or too long to be read')]
}

/** Commands that end or change tickets, wherever on the line they run. */
function lifecycle({ plan, facts }: Given): readonly Finding[] {
  return plan.ran.flatMap(({ words }) => {
    const command = ticketCommand(words)
    const found = command && ticketFinding(command, facts.limits)
    return found ? [found] : []
  })
}

/** Families that the published guard knows nothing of: under its profile they are not judged. */
const UNKNOWN: ReadonlySet<Family> = new Set([
  'remote-code',
  'infra',
  'publish',
  'hooks-bypass',
  'test-weakened',
  'scope',
])

/** What a plain repository's own git data is to the rest of the guard; the published guard leaves it to the person. */
const OWN_GIT: ReadonlySet<string> = new Set(['trust-root.holds', 'trust-root.git-config'])

const inWorkspace = ({ effect }: Finding, { subjects, call, facts }: Given): boolean =>
  (subjects.find((subject) => subject.effect === effect)?.places ?? []).every((place) =>
    call.workspaces.some((root) => isInside(place.path, root, facts.adlc.sense)),
  )

/** What of the findings of the effects engine holds under the profile `adlc`. */
export function* underAdlc(findings: readonly Finding[], given: Given): Asking<readonly Finding[]> {
  const { facts, subjects, call } = given
  const use = useOf(call)
  if (use.is === 'finish') return []
  const out: Finding[] = []
  for (const finding of findings) {
    if (UNKNOWN.has(finding.family)) continue
    const somewhere = facts.repos.length > 0 || facts.plain
    if (finding.family === 'reading' && finding.rule !== 'reading.unresolved' && !somewhere) continue
    if (
      finding.family === 'secrets' &&
      use.is === 'read' &&
      finding.effect?.target.is === 'path' &&
      finding.effect.target.tree
    )
      continue
    if (OWN_GIT.has(finding.rule) && !(yield* inAdlc(finding, subjects, facts)) && inWorkspace(finding, given)) continue
    if (finding.family === 'loss' && !(yield* inAdlc(finding, subjects, facts))) continue
    out.push(finding)
  }
  return out
}

/** Whether what would be lost lies in an ADLC repository: elsewhere the published guard has no say. */
function* inAdlc(finding: Finding, subjects: readonly Subject[], facts: Facts): Asking<boolean> {
  const { effect } = finding
  if (effect === undefined) return facts.repos.length > 0
  if (effect.target.is === 'git') {
    const { repo } = effect.target
    return repo === undefined ? facts.repos.length > 0 : (yield* readRepo(repo, facts.adlc)) !== 'none'
  }
  const places = subjects.find((subject) => subject.effect === effect)?.places ?? []
  for (const place of places) if ((yield* readRepo(place.path, facts.adlc)) !== 'none') return true
  return places.length === 0 && facts.repos.length > 0
}
