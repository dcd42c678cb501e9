/**
 * Whether a new shard may join a store. Validity is judged on the whole graph: a ticket that is well formed by itself
 * can still make every later read fail (an edge to nothing, a circle), and then nobody can write any more.
 */
import { byteLength } from '../core/utf8.ts'
import { compileGlob } from '../paths/glob.ts'
import { type PathSense, POSIX } from '../paths/lexical.ts'
import { graphProblem } from './graph.ts'
import { MOST_RAIL, MOST_SHARD, MOST_SHARDS } from './limits.ts'
import { normaliseRail } from './rail-text.ts'
import { readShard, type Store } from './store.ts'
import { hasShardForm, type Ticket } from './ticket.ts'

export type Addition =
  | {
      readonly ok: true
      readonly ticket: Ticket
      /** A sentence where its rails would freeze the repository or all that the ticket itself may touch. */
      readonly wide?: string
    }
  | {
      readonly ok: false
      /** One sentence, with its full stop. */
      readonly why: string
    }

/** Whether the file `name` with `text` may be added to the directory store. Pure. */
export function canAdd(store: Store, name: string, text: string): Addition {
  const no = (why: string): Addition => ({ ok: false, why: `${why}.` })
  if (store.is === 'unreadable') return no(`The ticket store cannot be read: ${store.why}`)
  if (store.is === 'none') {
    return no('There is no ticket store here yet, and a shard alone would make one that cannot be read')
  }
  if (store.kind === 'file') {
    return no(`The tickets of this repository lie in ${store.path}, and a shard beside it would make two stores`)
  }
  if (!hasShardForm(name)) return no(`${name} has not the form of a ticket's file name`)
  if (byteLength(text) > MOST_SHARD) return no('The ticket is larger than 1 MiB')
  const ticket = readShard(name, text)
  if ('problem' in ticket) return no(`The ticket ${ticket.problem}`)
  if (ticket.rails.some((rail) => rail.length > MOST_RAIL)) {
    return no(`The ticket has a rail that is longer than ${MOST_RAIL} characters`)
  }
  const names = [...store.names]
  if (names.some((other) => other.toLowerCase() === name)) return no(`A ticket with the file name ${name} exists`)
  if (store.tickets.length >= MOST_SHARDS) return no(`The store holds ${MOST_SHARDS} tickets already`)
  const problem = graphProblem([...store.tickets, ticket])
  if (problem !== undefined) return no(`The store would become unreadable: ${problem}`)
  const wide = widthOf(ticket)
  return { ok: true, ticket, ...(wide !== undefined && { wide }) }
}

/** Where a root is needed and none matters. */
const ANYWHERE = '/r'

/** A sentence about a rail that freezes everything, or everything in the scope of its own ticket. */
export function widthOf(ticket: Pick<Ticket, 'rails' | 'scope'>, sense: PathSense = POSIX): string | undefined {
  const scope = (ticket.scope ?? []).map((entry) => leadOf(entry)).filter((lead) => lead !== '')
  for (const rail of ticket.rails) {
    const { globs, problem } = normaliseRail(rail, ANYWHERE)
    if (problem !== undefined) return `The rail \`${rail}\` ${problem}, so it would freeze the whole repository.`
    for (const glob of globs) {
      const matcher = compileGlob(glob, ANYWHERE, sense)
      if (matcher.problem !== undefined || PROBES.every((probe) => matcher.matches(`${ANYWHERE}/${probe}`))) {
        return `The rail \`${rail}\` would freeze the whole repository.`
      }
      const held = scope.length > 0 && scope.every((lead) => matcher.matches(`${ANYWHERE}/${lead}`))
      if (held) return `The rail \`${rail}\` would freeze all that the ticket itself may touch.`
    }
  }
  return undefined
}

/** Names that no rail with a meaning has in common. */
const PROBES = ['q7', 'q7.w8', 'w8/q7', 'w8/q7/q7.w8']

/** The leading part of a glob without pattern characters. */
function leadOf(glob: string): string {
  const parts = glob.replace(/^(?:\.?\/)+/, '').split('/')
  const open = parts.findIndex((part) => /[*?[\]{}()!+@]/.test(part))
  return parts
    .slice(0, open < 0 ? undefined : open)
    .filter((part) => part !== '')
    .join('/')
}
