/** `sallyport rails check`: what a range of commits does to paths that its base froze. */

import { statSync } from 'node:fs'
import { resolve } from 'node:path'
import { currentTicket, dudRails, isPointer, newAdlc, readArchive, readRepo } from '../../adlc/adlc.ts'
import type { AdlcRepo } from '../../adlc/model.ts'
import { type Change, checkRange, type RailsReport, type Warning } from '../../adlc/rails-check.ts'
import { type Places, placesOf } from '../../adlc/rails-check-places.ts'
import { bodyOf, type StoreSides } from '../../adlc/rails-check-store.ts'
import { counted } from '../../core/count.ts'
import { answer } from '../../core/driver.ts'
import type { Asking } from '../../core/question.ts'
import type { World } from '../../core/world.ts'
import { type PathSense, POSIX } from '../../paths/lexical.ts'
import { newPathBudget } from '../../paths/resolve.ts'
import { diskWorld } from '../../world/disk.ts'
import { EXIT, type Io } from '../io.ts'
import { type DiffLine, Git, GitProblem, type TreeLine } from './git.ts'
import { readTree, rootOf, STORES, type Tree } from './trees.ts'

/** Exit codes of this verb: usage errors are operational, for 2 says that there are violations. */
const CODES = { clean: EXIT.ok, problem: 1, violations: 2 } as const
/** A build waits for this, so it may take its time, but not for ever. */
const BUDGET = { ms: 300_000, questions: 20_000_000 }
/** Commits of a range that are looked at one by one. */
const MOST_COMMITS = 10_000
/** Commits that one undone path is named with. */
const MOST_NAMED = 20
/** Bytes of a changed file that is looked through for suppressions. */
const MOST_LOOKED = 4 * 1024 * 1024

export interface RailsCheckFlags {
  readonly base?: string
  readonly head?: string
  readonly ticket?: string
  readonly staged?: boolean
  readonly everyCommit?: boolean
  readonly json?: boolean
  readonly cwd?: string
}

type Here = Omit<Io, 'colour'>

/** A sentence without its full stop about why there is no report. */
class Problem extends Error {}

/** `program`: the name that it was called by. Returns 0 where nothing is violated, 1 where that could not be told, 2 where there are violations. */
export function railsCheck(flags: RailsCheckFlags, io: Here, program = 'sallyport'): number {
  try {
    const found = check(flags, io)
    const { violations } = found.report
    io.out(flags.json ? `${JSON.stringify(asJson(found), undefined, 2)}\n` : asText(found))
    return violations.length === 0 ? CODES.clean : CODES.violations
  } catch (error) {
    if (!(error instanceof Problem || error instanceof GitProblem)) throw error
    io.err(`${program} rails check: ${error.message.replace(/\.$/, '')}\n`)
    return CODES.problem
  }
}

interface Found {
  /** Commit ids. `head` is `index` for what is staged. */
  readonly base: string
  readonly head: string
  readonly changed: number
  readonly report: RailsReport
}

function check(flags: RailsCheckFlags, io: Here): Found {
  if (flags.base === undefined || flags.base === '') throw new Problem('--base says which commit the range begins at')
  if (flags.staged && flags.head !== undefined) throw new Problem('--staged and --head exclude each other')
  const cwd = resolve(io.cwd, flags.cwd ?? '.')
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new Problem(`there is no directory ${cwd}`)
  const git = new Git(cwd, io.env)
  const top = git.top()
  const root = rootOf(top)
  const base = commitOf(git, flags.base, 'base')
  const head = commitOf(git, flags.head ?? 'HEAD', 'head')
  const warnings: Warning[] = []
  const tree = readTree(git, git.tree(base), { root, env: storesOf(io, root, warnings) })
  const changes = changesOf(git, base, flags.staged ? undefined : { head }, warnings, head)
  const touched = touchedBy(git, base, head, warnings)
  const paths = new Set([...changes.map(({ path }) => path), ...touched.keys()])
  const places = known(placesIn(tree, paths, root, false))
  const folded = known(placesIn(tree, paths, root, true))
  for (const { message, line } of places.errors) {
    warnings.push({ path: POLICY, kind: 'policy', why: `${line === undefined ? '' : `line ${line}: `}${message}` })
  }
  warnings.push(...dudsOf(places.repos, tree))
  const ticket = ticketOf(flags, io, { top, root, repos: places.repos, tree }, warnings)
  const headTree = headOf(git, tree, git.diff(base, flags.staged ? undefined : head), root)
  const before = readTexts(git, changes, warnings)
  const report = checkRange({
    ...{ root, changes, touched, places: places.places, folded: folded.places },
    stores: storeSides(places, changes, { root, tree, head: headTree }),
    ...(ticket && { ticket }),
    baseText: (path) => tree.text(path) ?? before.base(path),
    headText: (path) => headTree.text(path) ?? before.head(path),
  })
  const all: RailsReport = { violations: report.violations, warnings: [...warnings, ...report.warnings] }
  return {
    ...{ base, head: flags.staged ? 'index' : head, changed: changes.length },
    report: flags.everyCommit ? strictly(all) : all,
  }
}

/** With `--every-commit`, what a commit did and another undid counts too. */
function strictly({ violations, warnings }: RailsReport): RailsReport {
  const undone = warnings.filter(({ kind }) => kind === 'undone')
  return {
    violations: [...violations, ...undone.map((one) => ({ ...one, path: one.path!, kind: 'rail-edit' as const }))],
    warnings: warnings.filter(({ kind }) => kind !== 'undone'),
  }
}

const POLICY = '.sallyport/policy.jsonc'

function commitOf(git: Git, name: string, what: 'base' | 'head'): string {
  const commit = git.commit(name)
  if (commit !== undefined) return commit
  const named = `the ${what} ${JSON.stringify(name)} names no commit that is here`
  throw new Problem(
    git.isShallow()
      ? `${named}; this clone is shallow, so fetch it first (git fetch --unshallow, or fetch-depth: 0)`
      : named,
  )
}

/** Stores that variables name and that lie in the repository: they are read from the base, too. */
function storesOf(io: Here, root: string, warnings: Warning[]): Record<string, string> {
  const out: Record<string, string> = {}
  for (const name of STORES) {
    const value = io.env[name]
    if (value === undefined || value === '') continue
    if (`${resolve(root, value)}/`.startsWith(`${root}/`)) out[name] = value
    else warnings.push({ kind: 'base', why: `${name} names a store outside the repository, which no commit holds` })
  }
  return out
}

/** What the range changes: what differs from the base and from the commit that both come from. */
function changesOf(
  git: Git,
  base: string,
  to: { readonly head: string } | undefined,
  warnings: Warning[],
  head: string,
): readonly Change[] {
  const changes = git.diff(base, to?.head)
  const ancestors = git.mergeBases(base, head)
  if (ancestors.includes(base) || changes.length === 0) return changes
  if (ancestors.length === 0) {
    const why = git.isShallow()
      ? 'this clone is shallow and holds no commit that base and head both come from, so what the base changed since then counts as well'
      : 'base and head have no history in common, so the trees as a whole are compared'
    warnings.push({ kind: 'base', why })
    return changes
  }
  // What only the base changed since is no doing of this range.
  const own = new Set<string>()
  for (const ancestor of ancestors) for (const { path } of git.diff(ancestor, to?.head)) own.add(path)
  return changes.filter(({ path }) => own.has(path))
}

/** The commits of the range by the paths that they touch, the newest first. */
function touchedBy(git: Git, base: string, head: string, warnings: Warning[]): ReadonlyMap<string, readonly string[]> {
  const { list, cut } = git.commits(base, head, MOST_COMMITS)
  if (cut) warnings.push({ kind: 'limit', why: `only the newest ${MOST_COMMITS} commits were looked at one by one` })
  const out = new Map<string, string[]>()
  for (const { oid, paths } of list) {
    for (const path of paths) {
      const before = out.get(path)
      if (!before) out.set(path, [oid])
      else if (before.length < MOST_NAMED) before.push(oid)
    }
  }
  return out
}

const run = <T>(asking: Asking<T>, world: World): T => {
  const { value, spent } = answer(asking, world, { ...BUDGET, start: world.now() })
  if (spent.out) throw new Problem('the trees are too large to be checked in time')
  return value
}

const adlcOf = (root: string, sense: PathSense) =>
  newAdlc({ home: '/', sense, paths: newPathBudget(sense.flavour, sense.foldsCase), anchors: [root] })

function placesIn(tree: Tree, paths: Iterable<string>, root: string, folds: boolean) {
  const adlc = adlcOf(root, folds ? { ...POSIX, foldsCase: true } : POSIX)
  return run(placesOf(paths, { root, adlc, has: tree.has, homes: tree.homes }), tree.world(folds))
}

function known(places: Places | { readonly problem: string }): Places {
  if ('problem' in places) throw new Problem(`the tickets of the base cannot be read: ${places.problem}`)
  return places
}

/** Rails of the base that do not hold what their tickets mean: that nothing frozen was changed says little then. */
function dudsOf(repos: readonly AdlcRepo[], tree: Tree): readonly Warning[] {
  const world = tree.names()
  return repos.flatMap((repo) =>
    run(dudRails(repo, POSIX), world).map(({ rail, why }) => ({
      ...{ kind: 'nothing' as const, why: `a rail of the base ${why}`, rail: rail.text },
      ...(rail.tickets.length > 0 && { ticket: rail.tickets[0]! }),
    })),
  )
}

/** The ticket that the work belongs to. One that a person names must be there; a pointer to none is no more than a hint. */
function ticketOf(
  flags: RailsCheckFlags,
  io: Here,
  where: {
    readonly top: string | undefined
    readonly root: string
    readonly repos: readonly AdlcRepo[]
    readonly tree: Tree
  },
  warnings: Warning[],
) {
  const { top, root, repos, tree } = where
  const disk = diskWorld({ env: io.env, cwd: io.cwd })
  const current =
    flags.ticket !== undefined
      ? ({ is: 'ticket', id: flags.ticket, from: '--ticket' } as const)
      : run(currentTicket(`${top ?? root}/.adlc`, POSIX), disk)
  if (current.is === 'none') return undefined
  if (current.is === 'unclear') {
    warnings.push({ kind: 'ticket', why: `${current.why}, so no scope is checked` })
    return undefined
  }
  for (const repo of repos) {
    const ticket = repo.tickets.find(({ id }) => id === current.id)
    if (ticket) return { repo, ticket, body: bodyOf(ticket, root, tree.text) }
  }
  const why = `the ticket ${current.id} (from ${current.from}) is not in the store of the base`
  if (!isPointer(current.from)) throw new Problem(why)
  warnings.push({ kind: 'ticket', why: `${why}, so no scope is checked`, ticket: current.id })
  return undefined
}

/** The tree at the head: the base's with all that differs. */
function headOf(git: Git, tree: Tree, diff: readonly DiffLine[], root: string): Tree {
  const entries = new Map<string, TreeLine>(tree.entries)
  for (const { path, after } of diff) {
    if (after === undefined) entries.delete(path)
    else entries.set(path, { path, ...after })
  }
  return readTree(git, [...entries.values()], { root, env: {} })
}

/** Texts of changed files, as far as they are looked through. */
function readTexts(git: Git, changes: readonly Change[], warnings: Warning[]) {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  const files = (entry: Change['before']) => (entry !== undefined && /^100/.test(entry.mode) ? [entry.oid] : [])
  const differing = changes.filter(({ before, after }) => before?.oid !== after?.oid)
  const blobs = git.blobs(
    differing.flatMap(({ before, after }) => [...files(before), ...files(after)]),
    MOST_LOOKED,
  )
  const sides = new Map(differing.map((change) => [change.path, change]))
  const side = (path: string, which: 'before' | 'after') => {
    const entry = sides.get(path)?.[which]
    const bytes = entry === undefined ? undefined : blobs.get(entry.oid)
    return bytes === undefined ? undefined : decoder.decode(bytes)
  }
  for (const { path, after } of differing) {
    if (files(after).some((oid) => !blobs.has(oid)))
      warnings.push({
        path,
        kind: 'limit',
        why: `is missing here or larger than ${MOST_LOOKED >> 20} MiB, so it was not looked through`,
      })
  }
  return { base: (path: string) => side(path, 'before'), head: (path: string) => side(path, 'after') }
}

/** The stores of repositories whose tickets the range touches, at both ends. */
function storeSides(
  { places, repos }: Places,
  changes: readonly Change[],
  trees: { readonly root: string; readonly tree: Tree; readonly head: Tree },
): ReadonlyMap<string, StoreSides> {
  const out = new Map<string, StoreSides>()
  const roots = new Set(
    changes.flatMap(({ path }) => {
      const place = places.get(path)
      return place?.is === 'store' ? [place.root] : []
    }),
  )
  if (roots.size === 0) return out
  const world = trees.head.world(false)
  for (const root of roots) {
    const base = repos.find((repo) => repo.root === root)
    const adlc = adlcOf(trees.root, POSIX)
    const head = run(readRepo(root, adlc), world)
    if (base === undefined) continue
    out.set(root, {
      top: trees.root,
      base: base.store,
      head: head === 'none' ? { is: 'none' } : head.store,
      archive: run(readArchive(`${root}/.adlc`, { flavour: 'posix' }), world),
    })
  }
  return out
}

const asJson = ({ base, head, report }: Found) => ({ v: 1, base, head, ...report })

function asText({ base, head, changed, report }: Found): string {
  const lines: string[] = []
  for (const { path, why, rail, ticket, tickets } of report.violations)
    lines.push(`${shown(path)}: ${why}${about(rail, tickets ?? ticket)}`)
  for (const { path, why, rail, ticket, commit } of report.warnings) {
    const where = path === undefined ? '' : `${shown(path)}: `
    const at = commit === undefined ? '' : ` [${commit.slice(0, 12)}]`
    lines.push(`warning: ${where}${why}${about(rail, ticket)}${at}`)
  }
  if (report.violations.length === 0) {
    const to = head === 'index' ? 'the index' : head.slice(0, 12)
    lines.push(`Nothing frozen was changed: ${counted(changed, 'path')} between ${base.slice(0, 12)} and ${to}.`)
  }
  return `${lines.join('\n')}\n`
}

/** A name with line breaks would be two lines, and what nobody sees would make it look like another. */
const shown = (path: string): string =>
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u.test(path)
    ? JSON.stringify(path).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)
    : path

function about(rail: string | undefined, ticket: string | readonly string[] | undefined): string {
  const tickets = ticket === undefined ? [] : typeof ticket === 'string' ? [ticket] : ticket
  const parts = [
    ...(rail === undefined ? [] : [`rail ${shown(rail)}`]),
    ...(tickets.length === 0 ? [] : [`${tickets.length === 1 ? 'ticket' : 'tickets'} ${tickets.join(', ')}`]),
  ]
  return parts.length === 0 ? '' : ` (${parts.join(', ')})`
}
