/** A ticket that somebody names and no store has: what it would limit is then judged without it, which must not be silent. */
import type { Asking } from '../core/question.ts'
import type { PathSense } from '../paths/lexical.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { type AdlcRepo, newAdlc } from './model.ts'
import { readRepo } from './read-repo.ts'
import { currentTicket, isPointer } from './scope.ts'

/** A ticket, and what named it. */
export interface NamedTicket {
  readonly id: string
  /** The flag of a worker's ticket, or a variable. */
  readonly from: string
}

/**
 * One sentence without its full stop where the ticket is not in the store of this repository. Without `named` the one that a variable names
 * counts; a pointer file is left behind by whoever was here last, and is no more than a hint. Undefined also where the
 * store cannot be read: everything is frozen then, and each call is told so.
 */
export function* missingTicket(repo: AdlcRepo, sense: PathSense, named?: NamedTicket): Asking<string | undefined> {
  if (repo.unreadable !== undefined) return undefined
  const current = named ?? (yield* currentTicket(repo.dir, sense))
  if (!('id' in current) || isPointer(current.from) || repo.tickets.some(({ id }) => id === current.id))
    return undefined
  const isWorker = named !== undefined || current.from === 'AGB_WORKER_TICKET'
  const so = isWorker ? 'a worker that has it may write nothing there' : 'no scope is checked'
  return `${spoken(current)} is not in the store of ${repo.root}, so ${so}`
}

const spoken = ({ id, from }: NamedTicket): string =>
  `the ticket ${/^[\w.:#/-]{1,80}$/.test(id) ? id : JSON.stringify(id.slice(0, 80))} (from ${from})`

/**
 * The same for the repository around an absolute path. Where there is none a variable may be meant for work elsewhere;
 * what is `named` is meant for here.
 */
export function* missingTicketAt(
  path: string,
  { home, sense }: { readonly home: string; readonly sense: PathSense },
  named?: NamedTicket,
): Asking<string | undefined> {
  const paths = newPathBudget(sense.flavour, sense.foldsCase)
  const repo = yield* readRepo(path, newAdlc({ home, sense, paths, anchors: [path] }))
  if (repo !== 'none') return yield* missingTicket(repo, sense, named)
  return named && `there is no store that ${spoken(named)} could be in, so no scope is checked`
}
