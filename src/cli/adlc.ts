/** `sallyport adlc lint` and `sallyport adlc status`: what the tickets of a repository freeze, and what is wrong in them. */
import {
  type AdlcRepo,
  type CurrentTicket,
  currentTicket,
  type LintRow,
  lintRepo,
  missingTicket,
  newAdlc,
  readRepo,
} from '../adlc/adlc.ts'
import { counted } from '../core/count.ts'
import { answer } from '../core/driver.ts'
import type { Asking } from '../core/question.ts'
import { usuallyFolds } from '../paths/layout.ts'
import { flavourOf, relativeTo } from '../paths/lexical.ts'
import { repoOf } from '../paths/repo.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { loadPolicy } from '../policy/load.ts'
import type { Policy } from '../policy/policy.ts'
import { recentSessions, statePath } from '../session/store.ts'
import { diskWorld } from '../world/disk.ts'
import { homeOf } from './hook/person.ts'
import { type Changed, changeClause, foldWatch } from './hook/watch.ts'
import { EXIT, type Io } from './io.ts'
import { mayWrite } from './may-write.ts'
import { shownTime } from './time.ts'

/** A person waits for this, so it may take its time, but not for ever. */
const BUDGET = { ms: 30_000, questions: 200_000 }

type Here = Omit<Io, 'colour'>

interface Found {
  readonly repo: AdlcRepo
  readonly current: CurrentTicket
  /** One clause about a present ticket that is not there. */
  readonly missing: string | undefined
  readonly rows: readonly LintRow[]
  readonly policy: Policy
}

const VERBS = { lint, status } as const

/**
 * `argv` is what follows `adlc`: a verb, and `--json`. Lint gives 0 where all is well and 1 where something is malformed
 * (a rail that is merely wide is named and gives 0);
 * status gives 1 where tickets cannot be read. 2: bad usage, or no ADLC repository here.
 */
export function adlcVerb(argv: readonly string[], io: Here): number {
  const [verb, ...rest] = argv
  if (verb === undefined || !Object.hasOwn(VERBS, verb)) {
    io.err(`sallyport adlc: there is no verb ${JSON.stringify(verb ?? '')}; the verbs are lint, status\n`)
    return EXIT.usage
  }
  const strange = rest.find((word) => word !== '--json')
  if (strange !== undefined) {
    io.err(`sallyport adlc ${verb}: \`${strange}\` is no option; the only one is --json\n`)
    return EXIT.usage
  }
  const found = findHere(io)
  if (found === undefined) {
    io.err(`sallyport adlc ${verb}: ${io.cwd} lies in no ADLC repository; one has a directory .adlc\n`)
    return EXIT.usage
  }
  return VERBS[verb as keyof typeof VERBS](found, rest.includes('--json'), io)
}

function findHere(io: Here): Found | undefined {
  const platform = process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
  const sense = { flavour: flavourOf(platform), foldsCase: usuallyFolds(platform) }
  const paths = newPathBudget(sense.flavour, sense.foldsCase)
  const home = homeOf(io.env)
  const adlc = newAdlc({ home, sense, paths, anchors: [io.cwd] })
  function* asking(): Asking<Found | undefined> {
    const repo = yield* readRepo(io.cwd, adlc)
    if (repo === 'none') return undefined
    const current = yield* currentTicket(repo.dir, sense)
    const missing = yield* missingTicket(repo, sense)
    const git = yield* repoOf(io.cwd)
    const policy = yield* loadPolicy({ home, repo: typeof git === 'object' ? git.root : undefined, cwd: io.cwd })
    return { repo, current, missing, rows: yield* lintRepo(repo, sense), policy }
  }
  const world = diskWorld({ env: io.env, cwd: io.cwd })
  return answer(asking(), world, { ...BUDGET, start: world.now() }).value
}

/** Differences of frozen files that are shown. */
const MOST_CHANGED = 10

/** What sessions saw become of frozen files here, by which session, the newest first. */
function changedHere(root: string, io: Here): readonly (Changed & { readonly session: string })[] {
  const found = new Map<string, Changed & { readonly session: string }>()
  for (const { name, lines } of recentSessions(statePath(io.env, homeOf(io.env)))) {
    for (const change of foldWatch(lines).changes) {
      const before = found.get(change.path)
      const here = relativeTo(root, change.path) !== undefined
      if (here && (before === undefined || before.t < change.t)) found.set(change.path, { ...change, session: name })
    }
  }
  return [...found.values()].sort((a, b) => b.t - a.t).slice(0, MOST_CHANGED)
}

const json = (io: Here, value: unknown) => io.out(`${JSON.stringify(value, undefined, 2)}\n`)

function lint({ repo, rows }: Found, asJson: boolean, io: Here): number {
  if (asJson) json(io, { v: 1, root: repo.root, rows })
  else if (rows.length === 0) io.out(`The rails of ${counted(active(repo).length, 'active ticket')} are well formed.\n`)
  else for (const row of rows) io.out(lintLine(row, repo.root))
  return rows.some(isFault) ? EXIT.problem : EXIT.ok
}

/** A rail that is merely wide is no fault. */
const isFault = ({ what }: LintRow): boolean => what !== 'wide'

function lintLine({ text, tickets, file, message }: LintRow, root: string): string {
  const who = [...tickets, shown(file, root)].join('  ')
  return `${tame(who)}${text === undefined ? '' : `  ${tame(JSON.stringify(text))}`}\n    ${tame(message)}\n`
}

/** Tickets are written by agents: control characters in them must not reach the terminal, nor lines that look like ours. */
const tame = (text: string): string => text.replace(/[\p{Cc}\p{Cf}]/gu, (c) => `\\u{${c.codePointAt(0)!.toString(16)}}`)

const shown = (path: string, root: string): string => relativeTo(root, path) || path
const active = (repo: AdlcRepo) => repo.tickets.filter((ticket) => ticket.active)

function status(found: Found, asJson: boolean, io: Here): number {
  const { repo, current } = found
  const may = mayWrite(found, io.env)
  const code = repo.unreadable === undefined ? EXIT.ok : EXIT.problem
  const changed = changedHere(repo.root, io)
  if (asJson) {
    const tickets = active(repo).map(({ id, title, status, rails, scope, file }) => ({
      ...{ id, title, rails, file },
      ...(status !== undefined && { status }),
      ...(scope !== undefined && { scope }),
    }))
    const rails = repo.rails.map(({ text, tickets, file, globs, notes, problem }) => ({
      ...{ rail: text, tickets, file, globs, notes },
      ...(problem !== undefined && { problem }),
    }))
    const outer = repo.outer.map(({ root }) => root)
    const unreadable = repo.unreadable !== undefined && { unreadable: repo.unreadable }
    json(io, {
      v: 1,
      root: repo.root,
      active: repo.active,
      ...unreadable,
      outer,
      current,
      tickets,
      rails,
      mayWrite: may,
      changed: changed.map(({ t, ...rest }) => ({ at: new Date(t).toISOString(), ...rest })),
    })
    return code
  }
  const line = (text: string) => io.out(`${tame(text)}\n`)
  line(`repository  ${repo.root}`)
  if (repo.unreadable !== undefined) line(`tickets     cannot be read: ${repo.unreadable}. Everything is frozen.`)
  for (const { root } of repo.outer) line(`around it   ${root}, whose rails hold here too`)
  const present = current.is === 'ticket' ? `${current.id} (from ${shown(current.from, repo.root)})` : 'none'
  line(`present     ${current.is === 'unclear' ? `unclear: ${current.why}` : present}`)
  const tickets = active(repo)
  line(`active      ${counted(tickets.length, 'ticket')} of ${repo.tickets.length}`)
  for (const { id, title, rails } of tickets) line(`  ${id}  ${title}  (${counted(rails.length, 'rail')})`)
  const frozen = `${counted(repo.rails.length, 'rail')}, and git's and ADLC's own data`
  line(`frozen      ${repo.unreadable === undefined ? frozen : 'everything, since the tickets cannot be read'}`)
  for (const { text, tickets: ids, problem } of repo.rails) {
    line(`  ${text}  by ${ids.join(', ')}${problem === undefined ? '' : `: it ${problem}, so everything is frozen`}`)
  }
  line(`may write   ${may.sentence}`)
  if (may.scope.length > 0 && may.scope[0] !== '**') {
    for (const entry of may.scope) line(`  ${entry}`)
    for (const rail of may.except) line(`  but not ${rail}`)
  }
  if (changed.length > 0)
    line(`seen        ${counted(changed.length, 'frozen file')} that a session did not find as it was`)
  for (const change of changed) {
    line(`  ${shownTime(change.t)}  ${changeClause(change, repo.root)}  (${change.session})`)
  }
  const faults = found.rows.filter(isFault).length
  if (faults > 0) line(`${counted(faults, 'malformed entry', 'malformed entries')}: see sallyport adlc lint`)
  return code
}
