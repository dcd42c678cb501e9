/** One segment of a line with all that its stages look at. */
import { type AdlcRepo, readRepo } from '../../adlc/adlc.ts'
import type { Asking } from '../../core/question.ts'
import type { Span } from '../../core/value.ts'
import { normalise } from '../../paths/lexical.ts'
import type { Subject } from '../subject.ts'
import { effectsIn, type Involved, type Line } from './line.ts'
import { spell } from './roots.ts'
import * as table from './tables.ts'
import type { Segment, Token } from './view.ts'
import { baseName, candidates, pathOf, type Unwrapped, unwrap } from './walk.ts'

export interface Target {
  readonly token: Token
  readonly path: string
  readonly spellings: readonly string[]
  readonly unresolved: boolean
  /** A redirection writes it. */
  readonly written: boolean
}

export interface Step {
  readonly line: Line
  readonly segment: Segment
  readonly cwd: string | undefined
  /** Program by its base name, then the words. */
  readonly words: readonly string[]
  readonly tokens: readonly Token[]
  readonly sets: readonly string[]
  readonly targets: readonly Target[]
  readonly effects: readonly Subject[]
  readonly writer: table.Writer | undefined
  /** Nothing open, nothing set, nothing written, no home in front: the published condition of the first stages. */
  readonly pure: boolean
}

/** A step with the repositories that it touches; to know them, tickets are read. */
export interface PlacedStep extends Step {
  readonly repos: readonly AdlcRepo[]
  readonly involved: Involved
}

export function* stepOf(line: Line, segment: Segment, cwd: string | undefined, span: Span): Asking<Step> {
  const { facts, person } = line
  const { adlc } = facts
  const unwrapped = unwrap(segment)
  const { words: tokens, sets } = unwrapped
  const words = tokens.map(({ text }, i) => (i === 0 ? baseName(text) : text))
  const written = segment.redirects.filter(({ writes }) => writes).map(({ target }) => target)
  const read = segment.redirects.filter(({ writes }) => !writes).map(({ target }) => target)
  const targets: Target[] = []
  for (const [list, isWritten] of [
    [written, true],
    [[...named(words, tokens), ...read], false],
  ] as const) {
    for (const token of list) {
      const path = pathOf(token, cwd, person)
      if (path === undefined) continue
      const { spellings, unresolved } = yield* spell(path, adlc)
      targets.push({ token, path, spellings, unresolved, written: isWritten })
    }
  }
  return {
    ...{ line, segment, cwd, words, tokens, sets, targets },
    effects: effectsIn(line.subjects, span),
    writer: table.writerOf(words),
    pure: isPure(segment, unwrapped, cwd),
  }
}

/** The repositories of a step: of where it runs, and of all that it names. */
export function* placed(step: Step): Asking<PlacedStep> {
  const { cwd, targets, line } = step
  const { facts } = line
  const { adlc } = facts
  const repos = new Set<AdlcRepo>()
  const places = [...(cwd === undefined ? [] : [cwd]), ...targets.flatMap(({ spellings }) => spellings)]
  for (const place of new Set(places.map((one) => normalise(one, adlc.sense.flavour)))) {
    const repo = yield* readRepo(place, adlc)
    if (repo !== 'none') repos.add(repo)
  }
  // Where nobody knows the place, it may be any of the call's repositories.
  if (cwd === undefined) for (const repo of facts.repos) repos.add(repo)
  const all = [...repos]
  return {
    ...step,
    repos: all,
    involved: { adlc: all.length > 0, active: all.some((repo) => repo.active) },
  }
}

/** The published condition of the first stages: nothing open, nothing set, nothing written, no home in front. */
export const isPure = (segment: Segment, { words, sets, split }: Unwrapped, cwd: string | undefined): boolean =>
  !segment.dynamic &&
  !split &&
  cwd !== undefined &&
  sets.length === 0 &&
  !segment.redirects.some(({ writes }) => writes) &&
  !words.some((token) => token.fromHome)

/** Words that may name paths. The message of a commit is none. */
function named(words: readonly string[], tokens: readonly Token[]): readonly Token[] {
  if (words[0] !== 'git' || words[1] !== 'commit') return candidates(tokens)
  const operands = table.routineCommit(words.slice(2))
  return operands === undefined
    ? candidates(tokens.filter((_, i) => !/^(?:-[a-z]*m|--message)$/.test(words[i - 1] ?? '')))
    : tokens.slice(2).filter(({ text }) => operands.includes(text))
}
