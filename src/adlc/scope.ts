/** Which ticket the work belongs to, and what that ticket may touch. */
import { type Asking, ask } from '../core/question.ts'
import { compileGlob } from '../paths/glob.ts'
import { join, type PathSense } from '../paths/lexical.ts'
import { asObject, parseJson, type Ticket } from './ticket.ts'

/** A pointer holds an id and a hash. */
const MOST_POINTER = 64 * 1024

export type CurrentTicket =
  | {
      readonly is: 'ticket'
      readonly id: string
      /** Where the id comes from: a variable's name, or the pointer file. */
      readonly from: string
    }
  | { readonly is: 'none' }
  /** A sentence without its full stop. */
  | { readonly is: 'unclear'; readonly why: string }

/** The ticket of this session: `AGB_WORKER_TICKET`, else `ADLC_TICKET`, else the pointer file below `adlcDir`. */
export function* currentTicket(adlcDir: string, sense: PathSense): Asking<CurrentTicket> {
  for (const name of ['AGB_WORKER_TICKET', 'ADLC_TICKET']) {
    const value = yield* ask('env', { name })
    if (value === 'unknown') return { is: 'unclear', why: `whether ${name} is set could not be found out` }
    if (value !== 'unset' && value.value !== '') return { is: 'ticket', id: value.value, from: name }
  }
  const path = join(adlcDir, 'current-ticket.json', sense.flavour)
  const text = yield* ask('text', { path, limit: MOST_POINTER })
  if (text === 'absent') return { is: 'none' }
  if (typeof text === 'string') return { is: 'unclear', why: `${path} cannot be read` }
  const id = asObject(parseJson(text.text)?.value)?.['id']
  if (typeof id !== 'string' || id === '') return { is: 'unclear', why: `${path} names no ticket` }
  return { is: 'ticket', id, from: path }
}

/** Whether a ticket's id comes from a file, not from somebody who named it. */
export const isPointer = (from: string): boolean => from.includes('/') || from.includes('\\')

/**
 * Whether an absolute path lies in a ticket's scope. A ticket without a scope may touch nothing, and an entry that cannot
 * be understood adds nothing.
 */
export function inScope(path: string, ticket: Pick<Ticket, 'scope'>, root: string, sense: PathSense): boolean {
  return scopeMatcher(ticket, root, sense)(path)
}

/** `inScope` for many paths: the globs are compiled once. */
export function scopeMatcher(ticket: Pick<Ticket, 'scope'>, root: string, sense: PathSense): (path: string) => boolean {
  const globs = (ticket.scope ?? [])
    .filter((glob) => !/^\s*(?:!|#|$)/.test(glob) && !climbs(glob))
    .map((glob) => compileGlob(glob, root, { ...sense, closed: 'none' }))
  return (path) => globs.some((glob) => glob.matches(path))
}

/** A scope never leads out of its repository. */
const climbs = (glob: string): boolean => glob.split('/').includes('..')
