/**
 * Rails that every ADLC repository has, whether a ticket declares them or not: git's data, the ticket stores, the
 * evidence, and what decides over the checks themselves.
 */
import { type Asking, ask } from '../core/question.ts'
import { join, type PathSense } from '../paths/lexical.ts'

/** Directories below the root: they and all in them. */
const DIRECTORIES = [
  '.git',
  '.adlc/ticket-archive',
  '.adlc/ticket-transactions',
  '.adlc/leases',
  '.adlc/manifest.d',
  '.adlc/tickets.lock',
]

const FILES = [
  '.adlc/config.json',
  '.adlc/manifest.jsonl',
  '.adlc/sessions.json',
  '.adlc/tickets.json',
  '.adlc/current-ticket.json',
  '.adlc/tickets.archive.json',
  '.adlc/integration_journal.json',
  '.adlc/admin.pub',
]

/** Files outside `.adlc` that say who must review and what is checked. Directories above them hold other work too. */
const REVIEW = ['CODEOWNERS', '.github/CODEOWNERS', 'docs/CODEOWNERS', '.gitlab/CODEOWNERS']
const GUARD_SCRIPT = /^scripts\/rails-guard-ci\.[^/]+$/i
const WORKFLOWS = '.github/workflows'
const WORKFLOW = /^\.github\/workflows\/[^/]+$/i
/** A workflow that says one of these runs the checks of rails. */
const CHECKS = /rails[-_ ]?(?:guard|check)|\badlc\b|\bagb\b|\bsallyport\b/i
/** Bytes of a workflow that are looked through; more than hosts of workflows take. */
const MOST_WORKFLOW = 1 << 20
/** Workflows of one repository that are looked through. */
const MOST_WORKFLOWS = 200
/** Scripts of one repository that are looked through by name. */
const MOST_SCRIPTS = 10_000

const TICKETS = '.adlc/tickets'

export interface ImplicitHit {
  /** The rail as a path below the root. */
  readonly rail: string
  readonly kind: 'exact' | 'inside' | 'ancestor'
  /** Why, as a clause. */
  readonly why: string
}

/**
 * The implicit rail that a path meets. `rel`: the path below the root with `/`, without `.` and `..`, folded where
 * names are. `isNew(name)`: a file of that name may come into the ticket directory. Pure.
 */
export function implicitHit(rel: string, isNew: (name: string) => boolean): ImplicitHit | undefined {
  for (const rail of DIRECTORIES) {
    const kind = relation(rel, rail)
    if (kind) return { rail, kind, why: whyOf(rail) }
  }
  const tickets = relation(rel, TICKETS)
  if (tickets !== undefined) {
    const name = rel.slice(TICKETS.length + 1)
    if (tickets === 'inside' && !name.includes('/') && isNew(name)) return undefined
    return {
      rail: tickets === 'inside' ? rel : TICKETS,
      kind: tickets === 'inside' ? 'exact' : tickets,
      why: TICKETS_WHY,
    }
  }
  for (const rail of FILES) {
    const kind = relation(rel, rail)
    if (kind) return { rail, kind, why: whyOf(rail) }
  }
  const parts = rel.split('/')
  const nested = parts.findIndex((part, i) => i > 0 && (part === '.adlc' || part === '.git'))
  if (nested > 0) {
    return {
      rail: parts.slice(0, nested + 1).join('/'),
      kind: nested === parts.length - 1 ? 'exact' : 'inside',
      why: 'a repository planted inside another one could free what that froze',
    }
  }
  for (const rail of REVIEW) {
    const kind = relation(rel, rail.toLowerCase() === rel.toLowerCase() ? rel : rail)
    if (kind && kind !== 'ancestor') return { rail, kind, why: REVIEWS }
  }
  if (GUARD_SCRIPT.test(rel)) return { rail: rel, kind: 'exact', why: SCRIPT }
  return undefined
}

const REVIEWS = 'it says who must review what'
const SCRIPT = 'it checks the rails before a merge'
const TICKETS_WHY = 'tickets say what is frozen, and only new ones may come'
const whyOf = (rail: string): string =>
  rail === '.git' ? 'git keeps its own data there' : 'ADLC keeps its own data there'

function relation(rel: string, rail: string): ImplicitHit['kind'] | undefined {
  // No text is put together: every path is held against all of them.
  if (rel.length < rail.length)
    return rail.charCodeAt(rel.length) === SLASH && rail.startsWith(rel) ? 'ancestor' : undefined
  if (!rel.startsWith(rail)) return undefined
  return rel.length === rail.length ? 'exact' : rel.charCodeAt(rail.length) === SLASH ? 'inside' : undefined
}

const SLASH = 47

/**
 * What only a look can tell: a workflow that runs the checks of rails, and, with `tree`, a directory that holds such a
 * workflow, a list of reviewers or the check itself.
 */
export function* lookedUpHit(
  root: string,
  rel: string,
  tree: boolean,
  sense: PathSense,
): Asking<ImplicitHit | undefined> {
  const { flavour } = sense
  if (WORKFLOW.test(rel)) return yield* workflowHit(root, rel, sense)
  if (!tree) return undefined
  for (const rail of REVIEW) {
    if (relation(rel, rail) !== 'ancestor') continue
    const stat = yield* ask('stat', { path: join(root, rail, flavour) })
    if (stat !== 'absent') return { rail, kind: 'ancestor', why: REVIEWS }
  }
  if (rel === 'scripts') {
    const listed = yield* ask('list', { dir: join(root, rel, flavour), limit: MOST_SCRIPTS })
    if (listed !== 'absent') {
      const found =
        listed === 'unknown' ? undefined : listed.entries.find(({ name }) => GUARD_SCRIPT.test(`${rel}/${name}`))
      const rail = found ? `${rel}/${found.name}` : listed === 'unknown' || listed.cut ? rel : undefined
      if (rail) return { rail, kind: 'ancestor', why: SCRIPT }
    }
  }
  if (rel !== '.github' && rel !== WORKFLOWS) return undefined
  const dir = join(root, WORKFLOWS, flavour)
  const listed = yield* ask('list', { dir, limit: MOST_WORKFLOWS })
  if (listed === 'absent') return undefined
  if (listed === 'unknown') return { rail: WORKFLOWS, kind: 'ancestor', why: RUNS }
  for (const { name } of listed.entries) {
    const hit = yield* workflowHit(root, `${WORKFLOWS}/${name}`, sense)
    if (hit) return { ...hit, kind: 'ancestor' }
  }
  return listed.cut ? { rail: WORKFLOWS, kind: 'ancestor', why: RUNS } : undefined
}

const RUNS = 'it may run the checks of rails'

function* workflowHit(root: string, rel: string, sense: PathSense): Asking<ImplicitHit | undefined> {
  const text = yield* ask('text', { path: join(root, rel, sense.flavour), limit: MOST_WORKFLOW })
  if (text === 'absent') return undefined
  if (typeof text === 'object' && !text.cut && !CHECKS.test(text.text)) return undefined
  return { rail: rel, kind: 'exact', why: typeof text === 'object' ? 'it runs the checks of rails' : RUNS }
}

/**
 * What decides over checks and reviews in a repository without tickets. `needs`: it counts where one of these files is
 * there already, for before that there is nothing that a change could free itself from.
 */
export function* checkHit(
  root: string,
  rel: string,
  sense: PathSense,
): Asking<(ImplicitHit & { readonly needs?: readonly string[] }) | undefined> {
  const review = REVIEW.find((rail) => relation(rel, rail) === 'exact')
  if (review) return { rail: review, kind: 'exact', why: REVIEWS, needs: REVIEW }
  if (GUARD_SCRIPT.test(rel)) return { rail: rel, kind: 'exact', why: SCRIPT, needs: [rel] }
  return WORKFLOW.test(rel) ? yield* workflowHit(root, rel, sense) : undefined
}
