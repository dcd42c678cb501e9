/** One segment of a line: target checks, then the stages in their published order. */
import { type AdlcRepo, hitsOn, type RailHit } from '../../adlc/adlc.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Span } from '../../core/value.ts'
import type { Finding } from '../../core/verdict.ts'
import { compileGlob, MOST_GLOB } from '../../paths/glob.ts'
import { join, keyOfPath, normalise, type PathSense, plainInside, plainPath } from '../../paths/lexical.ts'
import { protectedBy, RAIL_SAFER, reasonOf } from './effects.ts'
import { stage } from './facts.ts'
import { ticketCommand, ticketFinding } from './lifecycle.ts'
import { type Line, last } from './line.ts'
import { areNew, gitRead, isFirst, isReader, isSecond, programSet, readsMore, readsRails, runsRail } from './readers.ts'
import { rootBelow, rootHit } from './roots.ts'
import { type PlacedStep, placed, type Step, stepOf } from './step.ts'
import * as table from './tables.ts'
import type { Segment, Token } from './view.ts'
import { candidates, isCd, pathOf } from './walk.ts'

/** The findings of one segment; none: it passes. */
export function* classify(
  line: Line,
  segment: Segment,
  cwd: string | undefined,
  span: Span,
): Asking<readonly Finding[]> {
  const bare = yield* stepOf(line, segment, cwd, span)
  const first = isFirst(bare)
  // Of these nothing but the protected roots is looked at; what git would run besides was looked at where no ticket was read.
  if (first && (line.facts.plain || bare.words[0] !== 'git')) return roots(bare, first)
  const step = yield* placed(bare)
  const { words, facts } = { ...step, facts: line.facts }
  if (words.length === 0) {
    const denied = yield* rails(step)
    if (denied.some(({ decision }) => decision === 'deny')) return denied
    return segment.dynamic
      ? [...denied, ...last(line, step.involved, 'a part of it is only known when it runs')]
      : denied
  }
  const out: Finding[] = [...roots(step, first), ...patterns(step)]
  const ticket = ticketCommand(words)
  const told = ticket && facts.repos.length + step.repos.length > 0 ? ticketFinding(ticket, facts.limits) : undefined
  if (told === undefined && isSecond(step) && (yield* areNew(step))) return out
  const quiet = first || isCd(step.tokens) || isTests(step) || (yield* readsRails(step))
  const hits = yield* rails(step, first || isCd(step.tokens) ? 'written' : quiet ? 'ancestors' : 'all')
  out.push(...(isTests(step) ? hits.filter(({ decision }) => decision === 'deny' && step.writer !== undefined) : hits))
  if (out.some(({ decision }) => decision === 'deny')) return out
  if (told) return [...out, told]
  return [...out, ...(yield* stages(step, first))]
}

/** Booster data, protected roots. */
function roots(step: Step, first: boolean): readonly Finding[] {
  const { line, targets, writer } = step
  const { sense } = line.facts.adlc
  const { show } = line.tools
  const out: Finding[] = []
  for (const { spellings, written } of targets) {
    const hit = rootHit(spellings, line.roots, sense)
    if (hit?.kind === 'data')
      out.push(stage('booster', 'deny', `${show(hit.root)} is data of the guard, which no agent touches`))
    else if (hit && !(first && !written) && !isShim(step)) {
      // Toolchains are there to be used; the host's own places are not there to be run by hand.
      const uses =
        !written && writer === undefined && (hit.kind === 'toolchains' || isCd(step.tokens) || isReader(step))
      if (!uses) out.push(stage('protected', 'deny', `${show(hit.root)} is protected`))
    }
    const whole = writer === 'deletes' || copiesTrees(step.words)
    const below = whole ? rootBelow(spellings, line.roots, sense) : undefined
    if (below !== undefined && !(step.words[0] === 'mv' && isDestination(step, spellings)))
      out.push(stage('protected', 'deny', `${show(below)} is protected, and ${step.words[0]} would reach it`))
  }
  return out
}

const copiesTrees = (words: readonly string[]): boolean =>
  /^(?:rsync|tar|unzip|ln)$/.test(words[0]!) ||
  (words[0] === 'cp' && words.some((word) => /^-[A-Za-z]*[raR]|^--(?:recursive|archive)/.test(word)))

/** What is moved lands in a directory that stays: the effect names the place itself. */
const isDestination = (step: Step, spellings: readonly string[]): boolean =>
  step.targets.filter(({ written }) => !written).at(-1)?.spellings === spellings

/** Patterns of a writer that mean a protected path by name, whatever the shell would make of them. */
function patterns(step: PlacedStep): readonly Finding[] {
  const { line, cwd, writer, segment, tokens } = step
  const written = segment.redirects.filter(({ writes }) => writes).map(({ target }) => target)
  const { sense } = line.facts.adlc
  const out: Finding[] = []
  for (const token of [...(writer === undefined ? [] : candidates(tokens)), ...written]) {
    if (!token.dynamic || !/[*?[{(]/.test(token.text)) continue
    if (token.text.length > MOST_GLOB) out.push(stage('pattern', 'deny', 'a pattern is too long to be looked at'))
    else if (cwd !== undefined && !/[$`]/.test(token.text)) {
      const matcher = compileGlob(token.text, cwd, { ...sense, closed: 'none' })
      const hit = step.repos.flatMap((repo) => samplesIn(token.text, cwd, repo, sense)).find(matcher.matches)
      if (hit !== undefined)
        out.push(
          stage('pattern', 'deny', `${token.text} names ${line.tools.show(hit)}, which is protected`, RAIL_SAFER),
        )
    }
  }
  return out
}

const SAMPLES = (
  '.adlc .git .adlc/config.json .adlc/manifest.jsonl .adlc/sessions.json .adlc/tickets.json .adlc/tickets ' +
  '.adlc/ticket-archive .adlc/ticket-transactions .adlc/leases .git/config .git/hooks .git/HEAD'
).split(' ')

/** What `samplesOf` made of the rails of a store, as long as they are the same. */
const made = new WeakMap<AdlcRepo['rails'], { readonly root: string; readonly samples: readonly Sample[] }>()

interface Sample {
  readonly path: string
  readonly plain: string
}

/** Those of the samples that lie where the plain beginning of a pattern leads. */
function samplesIn(pattern: string, cwd: string, repo: AdlcRepo, sense: PathSense): readonly string[] {
  const samples = samplesOf(repo, sense)
  if (pattern.includes('\\')) return samples.map(({ path }) => path)
  const open = pattern.search(/[*?[{(]/)
  const lead = plainPath(join(cwd, pattern.slice(0, pattern.lastIndexOf('/', open) + 1) || '.', sense.flavour), sense)
  return samples.filter(({ plain }) => plainInside(plain, lead)).map(({ path }) => path)
}

/** Protected paths that a pattern may name: fixed ones, and rails without patterns. */
function samplesOf({ root, rails }: AdlcRepo, sense: PathSense): readonly Sample[] {
  let known = made.get(rails)
  if (known?.root !== root) {
    const plain = rails.flatMap((rail) => rail.globs.filter((glob) => !/[*?[\]{}()!]/.test(glob)))
    const paths = [...SAMPLES, ...plain].map((path) => join(root, path))
    known = { root, samples: paths.map((path) => ({ path, plain: plainPath(path, sense) })) }
    made.set(rails, known)
  }
  return known.samples
}

/** Rails among the targets. `ancestors`: a reader may name a rail, but not all that lies around one. */
function* rails(step: Step, of: 'all' | 'ancestors' | 'written' = 'all'): Asking<readonly Finding[]> {
  const { line, writer, words } = step
  const out: Finding[] = []
  for (const { path, written, unresolved } of step.targets) {
    if (of === 'written' && !written) continue
    const writes = written || writer !== undefined
    if (unresolved && writes) out.push(stage('unresolved', 'deny', `where ${line.tools.show(path)} leads is unknown`))
    const { hits } = yield* hitsOn(path, line.facts.adlc)
    for (const hit of hits) {
      if (hit.source === 'root') {
        if (!written && writer === 'deletes' && !isGitMove(words)) out.push(denied(hit, step))
        continue
      }
      // Where tickets cannot be read, anything may hold what they protect.
      const some =
        hit.kind === 'ancestor' || hit.kind === 'below' || (hit.source === 'store' && !writes && of !== 'all')
      if (some) {
        if (writes && !/^(?:mkdir|touch)$/.test(words[0] ?? '')) out.push(denied(hit, step))
        else if (line.facts.limits === 'int')
          out.push(stage('around', 'ask', `${around(path, step)}: ${reasonOf(hit, line.tools)}`))
        else out.push(stage('around', 'deny', `${around(path, step)}: ${reasonOf(hit, line.tools)}`))
      } else if (writes || of === 'all') out.push(denied(hit, step))
    }
  }
  return out
}

const around = (path: string, step: Step): string => `${step.line.tools.show(path)} holds protected paths`

const isGitMove = (words: readonly string[]): boolean =>
  words[0] === 'git' && !/^(?:checkout|restore|rm)$/.test(words[1] ?? '')

const denied = (hit: RailHit, step: Step): Finding => protectedBy(hit.source, reasonOf(hit, step.line.tools))

const isTests = (step: Step): boolean =>
  !step.segment.dynamic &&
  step.sets.length === 0 &&
  step.segment.redirects.length === 0 &&
  step.segment.argv.length === step.tokens.length &&
  table.isTestCommand(step.words)

function* stages(step: PlacedStep, first: boolean): Asking<readonly Finding[]> {
  const { line, involved } = step
  const { limits } = line.facts
  const programs = yield* gitPrograms(step)
  if (programs !== undefined) return last(line, involved, programs)
  if (first || isSecond(step) || readsMore(step) || (yield* runsRail(step)) || removesNothing(step)) return []
  const wiped = wipes(step)
  if (wiped) return [wiped]
  if (isShim(step))
    return limits === 'int'
      ? last(line, involved, 'it starts the program of the guard')
      : [stage('shim', 'deny', 'a worker may not start the program of the guard')]
  if (isCd(step.tokens)) return last(line, involved, 'it changes directory')
  if (limits === 'W' && involved.adlc && isTests(step)) return []
  if (limits === 'int' && involved.active && isRoutine(step)) return (yield* hookFinding(step)) ?? []
  return [...opaque(step), ...last(line, involved, whyNot(step))]
}

/** Deleting by name what is not there changes nothing. */
function removesNothing(step: Step): boolean {
  if (!step.pure || step.words[0] !== 'rm' || step.effects.length === 0) return false
  return step.effects.every(
    ({ effect, places }) =>
      effect.act === 'delete' && places.length > 0 && places.every((place) => !place.exists && !place.open),
  )
}

/** Why nothing let the segment through. */
function whyNot({ segment, sets, words, cwd }: Step): string {
  if (segment.dynamic) return `a part of \`${words[0]}\` is only known when it runs`
  if (cwd === undefined) return 'where it runs is unknown'
  return sets.length > 0 ? `it sets ${sets[0]}` : `\`${words[0]}\` is not known to be harmless`
}

/** What takes a repository as a whole: by git's own account, not by its spelling. */
function wipes(step: PlacedStep): Finding | undefined {
  const { involved, effects } = step
  if (!involved.adlc) return undefined
  for (const { effect } of effects) {
    if (effect.target.is !== 'git') continue
    const { op } = effect.target
    const all = op.is === 'clean' || (op.is === 'stash-push' && (op.untracked || op.ignored))
    const hard = op.is === 'discard' && op.staged && op.paths.is === 'all' && involved.active
    if (all || hard)
      return stage(
        'wipe',
        'deny',
        `${effect.by} ${op.is === 'clean' ? 'clean' : 'takes'} reaches the whole work tree`,
        'name the files',
      )
  }
  return undefined
}

/** The guard's own program at its place, or its launcher. */
function isShim(step: Step): boolean {
  const { tokens, line } = step
  const [program, script, bundle] = tokens
  if (program === undefined) return false
  const { adlc } = line.facts
  const same = (token: Token, path: string) => {
    const at = pathOf(token, undefined, line.person)
    return at !== undefined && keyOfPath(at, adlc.sense) === keyOfPath(path, adlc.sense)
  }
  if (same(program, `${adlc.home}/.local/bin/agb`)) return true
  if (!/^(?:\/bin\/)?sh$/.test(program.text) || script === undefined || bundle?.text !== 'dist/agb.mjs') return false
  const at = pathOf(script, undefined, line.person)
  const inner = at === undefined ? '' : normalise(at, adlc.sense.flavour)
  const base = `${normalise(adlc.home, adlc.sense.flavour)}/.gemini/config/plugins/`
  return (
    inner.startsWith(base) && /^antigravity-booster(?:-[^/]+)?\/bin\/node-launcher\.sh$/.test(inner.slice(base.length))
  )
}

/** `git add` of named files and plain `git commit`. */
function isRoutine(step: PlacedStep): boolean {
  const { words, cwd, segment, sets, line } = step
  if (segment.dynamic || sets.length > 0 || words[0] !== 'git' || segment.redirects.length > 0 || cwd === undefined)
    return false
  if (segment.argv.length !== step.tokens.length) return false
  const operands =
    words[1] === 'commit' ? table.routineCommit(words.slice(2)) : words[1] === 'add' ? words.slice(2) : undefined
  if (operands === undefined || (words[1] === 'add' && operands.length === 0)) return false
  const { sense } = line.facts.adlc
  return operands.every((word) => {
    if (word.startsWith('-') || word.startsWith(':')) return false
    const path = pathOf({ text: word, dynamic: false, fromHome: false }, cwd, line.person)
    return path !== undefined && !step.repos.some((repo) => keyOfPath(repo.root, sense) === keyOfPath(path, sense))
  })
}

/** Hooks that a commit runs and that anybody may have written. */
function* hookFinding(step: PlacedStep): Asking<readonly Finding[] | undefined> {
  if (step.words[1] !== 'commit') return undefined
  const root = step.repos[0]?.root
  if (root === undefined) return undefined
  const paths = yield* ask('gitConfig', { repo: root, key: 'core.hooksPath' })
  if (paths !== 'unknown' && paths.length === 0) return undefined
  return [
    stage('hooks', 'ask', 'the commit runs hooks from a directory that an agent may write', 'have a person commit'),
  ]
}

/** Settings that make a reader of git run a program. */
function* gitPrograms(step: PlacedStep): Asking<string | undefined> {
  if (step.words[0] !== 'git' || !step.involved.active) return undefined
  const verb = gitRead(step.words)
  const root = step.repos[0]?.root
  if (verb === undefined || root === undefined) return undefined
  const key = yield* programSet(verb, root)
  return key === undefined ? undefined : `git is set to run a program (${key})`
}

/** In a repository without rails, code that cannot be read may still reach the trust root. */
function opaque(step: PlacedStep): readonly Finding[] {
  if (!step.involved.adlc || step.line.facts.limits !== 'int') return []
  const found = step.effects.find(
    ({ effect }) =>
      effect.act === 'opaque' ||
      effect.act === 'run-remote' ||
      (effect.act === 'run' && /^(?:unreadable|cut|unknown)$/.test(effect.note ?? '')),
  )
  return found
    ? [stage('opaque', 'ask', `what ${found.effect.by} runs cannot be read, and the trust root lies here`)]
    : []
}
