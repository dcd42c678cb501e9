/** The shell classifier of the published guard: a line is followed segment by segment, the strictest stage wins. */
import { readRepo } from '../../adlc/adlc.ts'
import type { Action, ToolCall } from '../../core/call.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Span } from '../../core/value.ts'
import type { Finding } from '../../core/verdict.ts'
import { isAbsolute, isInside, normalise } from '../../paths/lexical.ts'
import { parseShell } from '../../shell/parse.ts'
import type { Reading } from '../../shell/tree.ts'
import type { Context } from '../context.ts'
import { CHANGES } from '../subject.ts'
import { type Facts, stage } from './facts.ts'
import { effectsIn, type Line, last } from './line.ts'
import { spell } from './roots.ts'
import { classify } from './stages.ts'
import { writerOf } from './tables.ts'
import { type Segment, type Token, viewOf } from './view.ts'
import { baseName, candidates, cdTarget, inlineOf, isCd, pathOf, unwrap } from './walk.ts'

/** Nested inline scripts (`sh -c`, `eval`); the published limit. */
const MOST_NESTED = 3

/** Segments of one call, nested scripts together. */
const MOST_SEGMENTS = 2_000

export type Shell = Extract<Action, { is: 'shell' }>

/** Judges one shell action. `reading`: its text as it was read; undefined for other shells than POSIX ones. */
export function* shellFindings(
  call: ToolCall,
  action: Shell,
  reading: Reading | undefined,
  given: Pick<Line, 'facts' | 'roots' | 'tools' | 'subjects'>,
  context: Context,
): Asking<readonly Finding[]> {
  const { facts } = given
  const { sense } = facts.adlc
  const cwd = action.cwd ?? call.cwd ?? call.workspaces[0]
  if (cwd === undefined) return [stage('cwd', 'deny', 'the command names no working directory')]
  if (facts.repos.length > 0 && !(yield* isHere(cwd, call, facts)))
    return [
      stage(
        'cwd',
        'deny',
        `the working directory ${cwd} lies in no workspace`,
        'run it from a directory of the workspace',
      ),
    ]
  const person = { home: context.home, user: context.user, sense }
  const line: Line = { ...given, person, call, out: [], left: MOST_SEGMENTS }
  const start = isAbsolute(cwd, sense.flavour) ? cwd : undefined
  if (reading === undefined) return [...(yield* unlexable(line, start, false))]
  yield* follow(line, reading, start, 0, undefined)
  return line.out
}

/** Whether the working directory lies in a workspace, by name or physically. */
function* isHere(cwd: string, call: ToolCall, facts: Facts): Asking<boolean> {
  const { sense } = facts.adlc
  if (!isAbsolute(cwd, sense.flavour)) return false
  const own = yield* spell(cwd, facts.adlc)
  for (const workspace of call.workspaces) {
    const there = yield* spell(workspace, facts.adlc)
    if (own.spellings.some((path) => there.spellings.some((root) => isInside(path, root, sense)))) return true
  }
  return false
}

/** What cannot be read as shell goes to the last stage; where it is too deep or too long, further. */
function* unlexable(line: Line, cwd: string | undefined, limited: boolean): Asking<readonly Finding[]> {
  const { facts } = line
  const repo = cwd === undefined ? 'none' : yield* readRepo(normalise(cwd, facts.adlc.sense.flavour), facts.adlc)
  const adlc = facts.repos.length > 0 || repo !== 'none'
  const active = facts.repos.some((one) => one.active) || (repo !== 'none' && repo.active)
  const why = limited
    ? 'the command is nested too deeply or too long to be read'
    : 'the command cannot be read as shell'
  if (limited && active) return [stage('unread', 'deny', why)]
  return last(line, { adlc, active }, why)
}

/** Follows one script. `outer`: the span of the top segment that it stands in. Returns where it leaves the shell. */
function* follow(
  line: Line,
  reading: Reading,
  start: string | undefined,
  depth: number,
  outer: Span | undefined,
): Asking<void> {
  const view = viewOf(reading)
  let cwd = start
  let searched: boolean | undefined
  for (const segment of view.segments) {
    if (line.left-- <= 0) {
      line.out.push(...(yield* unlexable(line, cwd, true)))
      return
    }
    const { words, sets } = unwrap(segment)
    const span = outer ?? segment.span
    if (sets.includes('CDPATH') || words.some(({ text }) => text.startsWith('CDPATH='))) searched = true
    if (cwd === undefined) line.out.push(...astray(line, segment, span))
    const inline = inlineOf(words)
    if (isCd(words)) {
      searched ??= (yield* ask('env', { name: 'CDPATH' })) !== 'unset'
      const to = cdTarget(words, cwd, line.person, searched)
      // A compound line that stays in the workspace only moves its anchor.
      const quiet = view.segments.length > 1 && to !== undefined && (yield* isHere(to, line.call, line.facts))
      if (!quiet) line.out.push(...(yield* classify(line, segment, cwd, span)))
      cwd = to
      continue
    }
    if (inline !== undefined) {
      yield* nested(line, segment, inline, cwd, depth, span)
      cwd = undefined
      continue
    }
    line.out.push(...(yield* classify(line, segment, cwd, span)))
    if (words.slice(1).some(({ text }) => text === 'cd' || text === 'pushd' || text === 'popd') && !isQuoting(words))
      cwd = undefined
  }
  if (!view.complete) line.out.push(...(yield* unlexable(line, start, reading.status === 'limited')))
}

/** Programs to which `cd` is a text. */
const isQuoting = (words: readonly Token[]): boolean =>
  /^(?:echo|printf|grep|rg|git|which|type|man)$/.test(words[0]!.text)

function* nested(
  line: Line,
  segment: Segment,
  inline: readonly Token[],
  cwd: string | undefined,
  depth: number,
  span: Span,
): Asking<void> {
  if (depth >= MOST_NESTED) {
    line.out.push(stage('nested', 'deny', `scripts are nested more than ${MOST_NESTED} deep`, 'run it directly'))
    return
  }
  // What the call itself redirects and sets is judged as a segment without words.
  const rest = { ...segment, argv: [], dynamic: inline.some((token) => token.dynamic) }
  line.out.push(...(yield* classify(line, rest, cwd, span)))
  if (rest.dynamic) return
  yield* follow(line, parseShell(inline.map(({ text }) => text).join(' ')), cwd, depth + 1, span)
}

/** With the working directory unknown, whatever changes a path by a relative name may hit anything. */
function astray(line: Line, segment: Segment, span: Span): readonly Finding[] {
  const change = effectsIn(line.subjects, span).find(({ effect }) => CHANGES.has(effect.act))
  const { words } = unwrap(segment)
  const written = segment.redirects.filter(({ writes }) => writes).map(({ target }) => target)
  const named = writerOf(words.map(({ text }, i) => (i === 0 ? baseName(text) : text))) ? candidates(words) : []
  const relative = [...written, ...named].some((token) => pathOf(token, undefined, line.person) === undefined)
  if (change === undefined && !relative) return []
  return [
    stage(
      'astray',
      'deny',
      `where this runs is unknown, and ${change?.effect.by ?? words[0]?.text ?? 'it'} changes a path`,
      'name the path from the root, or change directory with a plain `cd DIR`',
    ),
  ]
}
