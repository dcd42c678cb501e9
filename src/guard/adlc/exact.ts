/** The exact layer: tools that name their paths. Step 1 for all of them, then files, MCP tools and unknown ones. */
import { type AdlcRepo, hitsOn, inScope, type Judged, type RailHit, readRepo } from '../../adlc/adlc.ts'
import type { ToolCall } from '../../core/call.ts'
import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { findBelow } from '../../paths/below.ts'
import { expandHome, fileUrlPath, isAbsolute, isInside, join, relativeTo } from '../../paths/lexical.ts'
import type { Context } from '../context.ts'
import type { Tools } from '../subject.ts'
import { MOST_BELOW, protectedBy, railBelow, reasonOf, repoBelow } from './effects.ts'
import { type Facts, stage } from './facts.ts'
import { type Roots, rootBelow, rootHit, type Spelled, spell } from './roots.ts'
import { scanArguments, type Words } from './scan.ts'
import { boosterTools } from './tool-tables.ts'
import type { FilePath, Use } from './use.ts'

export interface Exact {
  readonly facts: Facts
  readonly roots: Roots
  readonly tools: Tools
  readonly context: Context
  readonly call: ToolCall
}

const deny = (name: string, reason: string, safer?: string): Finding => stage(name, 'deny', reason, safer)

/** Findings of a call that is no shell command. */
export function* exactFindings(use: Exclude<Use, { is: 'shell' }>, at: Exact): Asking<readonly Finding[]> {
  switch (use.is) {
    case 'finish':
      return []
    case 'read':
      return yield* readFindings(use.paths, at)
    case 'orchestration':
      return yield* scanned(use.args, at, 'step 1')
    case 'file':
      return yield* fileFindings(use, at)
    case 'mcp':
      return [...(yield* scanned(use.args, at, 'gate')), ...mcpFindings(use, at)]
    case 'unknown':
      return [...(yield* scanned(use.args, at, 'gate')), ...unknownFindings(at)]
  }
}

/**
 * The absolute paths that a text of a tool may name: home and `file:` taken at their word, relative from every anchor; with
 * and without blanks around it, which some hosts take off.
 */
export function pathsOf(text: string, at: Exact): readonly string[] | 'unverifiable' {
  const plain = text.trim()
  const named = namedBy(text, at)
  if (plain === text || plain === '' || named === 'unverifiable') return named
  const other = namedBy(plain, at)
  return other === 'unverifiable' ? other : [...named, ...other]
}

function namedBy(text: string, at: Exact): readonly string[] | 'unverifiable' {
  const { adlc, anchors } = at.facts
  const { flavour } = adlc.sense
  const url = fileUrlPath(text, flavour)
  if (url === 'unverifiable') return 'unverifiable'
  if (url) return [url.path]
  const home = expandHome(text, adlc.home, at.context.user, flavour)
  if (home !== undefined) return [home]
  return isAbsolute(text, flavour) ? [text] : anchors.map((anchor) => join(anchor, text, flavour))
}

function* readFindings(paths: readonly string[], at: Exact): Asking<readonly Finding[]> {
  for (const text of paths) {
    const named = pathsOf(text, at)
    if (named === 'unverifiable') continue
    for (const path of named) {
      const { spellings } = yield* spell(path, at.facts.adlc)
      const hit = rootHit(spellings, at.roots, at.facts.adlc.sense)
      if (hit?.kind === 'data') return [booster(hit.root, at)]
    }
  }
  return []
}

const booster = (root: string, at: Exact): Finding =>
  deny('booster', `${at.tools.show(root)} is data of the guard, which no agent touches`)

/** Step 1 for one absolute path of a tool that may change it. */
function step1(place: Spelled, path: string, at: Exact): Finding | undefined {
  if (place.unresolved) return deny('unresolved', `where ${at.tools.show(path)} leads is unknown`)
  const hit = rootHit(place.spellings, at.roots, at.facts.adlc.sense)
  if (hit?.kind === 'data') return booster(hit.root, at)
  return hit && deny('protected', `${at.tools.show(hit.root)} is protected`)
}

/** Every text in the arguments that may be a path. `gate`: rails count as well. */
function* scanned(args: Words['args'], at: Exact, how: 'step 1' | 'gate'): Asking<readonly Finding[]> {
  const { words, over } = scanArguments(args)
  if (over) return [deny('arguments', 'the arguments are nested too deeply or too many to be read')]
  for (const { text, prose } of words) {
    const named = pathsOf(text, at)
    if (named === 'unverifiable') {
      if (prose) continue
      return [deny('unresolved', 'a file address in the arguments names no path of this machine')]
    }
    for (const path of named) {
      const place = yield* spell(path, at.facts.adlc)
      const first = prose && place.unresolved ? undefined : step1(place, path, at)
      if (first) return [first]
      if (how === 'step 1') continue
      const { hits } = yield* hitsOn(path, at.facts.adlc)
      const hit = hits.find((one) => one.source !== 'root' && (!prose || /^(?:exact|inside)$/.test(one.kind)))
      if (hit) return [railFinding(hit, at)]
    }
  }
  return []
}

const railFinding = (hit: RailHit, at: Exact): Finding => protectedBy(hit.source, reasonOf(hit, at.tools))

function mcpFindings(use: Extract<Use, { is: 'mcp' }>, at: Exact): readonly Finding[] {
  const { limits, repos, anchors } = at.facts
  if (use.server === 'agb' && boosterTools().has(use.tool))
    return limits === 'R' && use.tool === 'agb_run'
      ? [deny('readonly', 'this worker may only read, and agb_run runs')]
      : []
  if (limits === 'R') return [deny('readonly', 'this worker may only read, and what this tool does is unknown')]
  if (limits === 'W' && anchors.length === 0)
    return [deny('worker', 'a worker without a workspace may not use this tool')]
  if (limits === 'W' && repos.length > 0) return [deny('worker', 'a worker may not use tools of other servers')]
  return repos.some((repo) => repo.active)
    ? [stage('mcp', 'ask', 'paths are frozen here, and what this tool does is unknown')]
    : []
}

function unknownFindings(at: Exact): readonly Finding[] {
  const { limits, repos, anchors } = at.facts
  if (limits === 'R') return [deny('readonly', 'this worker may only read, and this tool is not known')]
  if (limits === 'W' && anchors.length === 0)
    return [deny('worker', 'a worker without a workspace may not use this tool')]
  const denied = repos.some((repo) => repo.active) || (limits === 'W' && repos.length > 0)
  return denied ? [deny('unknown', 'this tool is not known, and paths are frozen here')] : []
}

type File = Extract<Use, { is: 'file' }>

function* fileFindings(use: File, at: Exact): Asking<readonly Finding[]> {
  const { facts } = at
  if (facts.limits === 'R') return [deny('readonly', 'this worker may only read')]
  if (use.violation !== undefined) return yield* violation(use, at)
  if (facts.anchors.length === 0 && use.paths.some(({ path }) => !isAbsolute(path, facts.adlc.sense.flavour)))
    return [deny('anchor', 'the path is relative, and the call names no workspace')]
  if (facts.limits === 'W' && facts.anchors.length === 0)
    return [deny('worker', 'a worker without a workspace may not write')]
  const out: Finding[] = []
  const budget = { entries: MOST_BELOW }
  for (const file of use.paths) {
    const named = pathsOf(file.path, at)
    if (named === 'unverifiable') return [deny('unresolved', `${file.path} names no path of this machine`)]
    for (const path of named) {
      const finding = yield* onePath(file, path, use, at, budget)
      if (finding?.decision === 'deny') return [finding]
      if (finding) out.push(finding)
    }
  }
  return out
}

/** Arguments that do not fit: refused wherever something that is protected could be meant. */
function* violation(use: File, at: Exact): Asking<readonly Finding[]> {
  const { facts } = at
  const refused = [deny('schema', use.violation!, 'send the arguments that the tool has, and no other path')]
  const { words, over } = scanArguments(use.args)
  if (over || facts.anchors.length === 0) return refused
  if (facts.repos.some((repo) => repo.active) || (facts.limits === 'W' && facts.repos.length > 0)) return refused
  for (const text of new Set([...words.map((word) => word.text), ...use.paths.map(({ path }) => path)])) {
    const named = pathsOf(text, at)
    if (named === 'unverifiable') return refused
    for (const path of named) {
      const place = yield* spell(path, facts.adlc)
      if (place.unresolved || rootHit(place.spellings, at.roots, facts.adlc.sense)) return refused
      for (const spelling of place.spellings) if ((yield* readRepo(spelling, facts.adlc)) !== 'none') return refused
    }
  }
  return []
}

function* onePath(
  file: FilePath,
  path: string,
  use: File,
  at: Exact,
  budget: { entries: number },
): Asking<Finding | undefined> {
  const { facts, tools } = at
  const { adlc } = facts
  const place = yield* spell(path, adlc)
  const first = step1(place, path, at)
  if (first) return first
  const below = rootBelow(place.spellings, at.roots, adlc.sense)
  if (below !== undefined)
    return deny('protected', `${tools.show(path)} holds ${tools.show(below)}, which is protected`)
  const dir = place.kind === 'dir' && file.tree
  const judged = yield* hitsOn(path, adlc, { tree: dir })
  const hit = yield* firstHit(judged, path, facts, budget)
  if (hit) return railFinding(hit, at)
  const held = yield* holds(place, path, dir, at, budget)
  if (held) return held
  if (file.from !== undefined) {
    const planted = yield* brings(file.from, path, at, budget)
    if (planted) return planted
  }
  return (yield* shard(judged, path, use, at)) ?? (yield* workerLimit(judged, path, place, at))
}

/** What protects the path. A pattern that may only match below is looked for. */
function* firstHit(
  judged: Judged,
  path: string,
  facts: Facts,
  budget: { entries: number },
): Asking<RailHit | undefined> {
  for (const hit of judged.hits) {
    if (hit.kind !== 'below') return hit
    if ((yield* railBelow(path, facts, budget)) !== 'none') return hit
  }
  return undefined
}

/** A directory that holds an ADLC repository. */
function* holds(
  place: Spelled,
  path: string,
  dir: boolean,
  at: Exact,
  budget: { entries: number },
): Asking<Finding | undefined> {
  const { facts, tools } = at
  const known = facts.repos.find((repo) => place.spellings.some((one) => isInside(repo.root, one, facts.adlc.sense)))
  if (known) return deny('root', `${tools.show(path)} holds the ADLC repository ${tools.show(known.root)}`)
  if (!dir) return undefined
  const found = yield* repoBelow(place.spellings.at(-1)!, facts, budget)
  if (found.is === 'none') return undefined
  if (found.is === 'repo')
    return deny('root', `${tools.show(path)} holds an ADLC repository (${tools.show(found.path)})`)
  if (found.is === 'closed') return deny('below', `${tools.show(found.path)} cannot be looked into`)
  const why = `${tools.show(path)} holds too much to tell whether an ADLC repository lies in it`
  return stage('below', facts.limits === 'int' ? 'ask' : 'deny', why)
}

/** What a moved tree brings to places that a pattern freezes. */
function* brings(from: string, to: string, at: Exact, budget: { entries: number }): Asking<Finding | undefined> {
  const { facts } = at
  const { sense } = facts.adlc
  const sources = pathsOf(from, at)
  if (sources === 'unverifiable') return undefined
  const rails = facts.repos.flatMap((repo) => [...repo.rails])
  for (const source of sources) {
    const place = yield* spell(source, facts.adlc)
    if (place.kind !== 'dir') continue
    const root = place.spellings.at(-1)!
    const there = (path: string) => join(to, relativeTo(root, path, sense) ?? '', sense.flavour)
    const found = yield* findBelow(root, {
      flavour: sense.flavour,
      found: (path) => rails.some((rail) => rail.meets(there(path)) !== undefined),
      mayContain: () => rails.length > 0,
      budget,
    })
    if (found === 'none') continue
    const rail = typeof found === 'object' ? rails.find((one) => one.meets(there(found.path)) !== undefined) : undefined
    if (rail) return protectedBy('declared', `Target path matches frozen rail: ${rail.text}`)
    return deny('below', `what ${at.tools.show(root)} would bring to ${at.tools.show(to)} cannot be told`)
  }
  return undefined
}

/** A new shard must leave the store readable. */
function* shard(judged: Judged, path: string, use: File, at: Exact): Asking<Finding | undefined> {
  for (const repo of judged.repos) {
    for (const spelling of (yield* spell(path, at.facts.adlc)).spellings) {
      const name = repo.newShard(spelling)
      if (name === undefined) continue
      const finding = shardFinding(repo, name, use)
      if (finding) return finding
    }
  }
  return undefined
}

function shardFinding(repo: AdlcRepo, name: string, use: File): Finding | undefined {
  const safer = 'use `adlc ticket create`, or write a valid ticket under the name that belongs to its id'
  if (!use.creates) return deny('shard', 'a new ticket is written as a whole', safer)
  if (use.contents.length === 0) return deny('shard', 'the new ticket has no content', safer)
  for (const content of use.contents) {
    if (typeof content !== 'string') return deny('shard', 'the new ticket is no text', safer)
    const added = repo.canAdd(name, content)
    if (!added.ok) return deny('shard', added.why.replace(/\.$/, ''), safer)
    if (added.wide !== undefined) return stage('shard', 'ask', added.wide.replace(/\.$/, ''))
  }
  return undefined
}

/** A worker writes in its own repository and in the scope of its ticket. */
function* workerLimit(judged: Judged, path: string, place: Spelled, at: Exact): Asking<Finding | undefined> {
  const { facts, context, tools } = at
  if (facts.limits !== 'W' || context.mode.is !== 'worker') return undefined
  const own = facts.repos
  const shown = tools.show(path)
  const repo = judged.repos[0]
  if (repo === undefined)
    return own.length > 0 ? deny('worker', `${shown} lies outside the worker's repository`) : undefined
  if (!own.some((one) => one.root === repo.root))
    return deny('worker', `${shown} lies in another repository than the worker's`)
  const { ticket: id } = context.mode
  const ticket = repo.tickets.find((one) => one.id === id)
  if (ticket === undefined) return deny('worker', `the ticket ${id} of this worker is not in the store`)
  const outside = place.spellings.find((one) => !inScope(one, ticket, repo.root, facts.adlc.sense))
  if (outside === undefined) return undefined
  const relative = relativeTo(repo.root, outside, facts.adlc.sense) ?? shown
  return deny('scope', `${relative} lies outside the scope of ticket ${id}`, 'stay within the scope of the ticket')
}
