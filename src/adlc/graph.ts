/** What makes a whole store invalid: ids that are there twice, edges to nothing, cycles. Pure. */
import type { Ticket } from './ticket.ts'

/** A sentence (without its full stop) about the first fault of the graph, or undefined. Ends for any graph. */
export function graphProblem(tickets: readonly Ticket[]): string | undefined {
  const byId = new Map<string, Ticket>()
  for (const ticket of tickets) {
    if (byId.has(ticket.id)) return `two tickets have the id ${ticket.id}`
    byId.set(ticket.id, ticket)
  }
  for (const { id, edges } of tickets) {
    for (const to of edges) if (!byId.has(to)) return `ticket ${id} depends on ${to}, which is no ticket of the store`
  }
  const cycle = cycleIn(byId)
  return cycle && `the tickets ${cycle.join(' → ')} depend on each other in a circle`
}

/** Depth first with a stack of our own, so that a chain of thousands of tickets cannot exhaust the call stack. */
function cycleIn(byId: ReadonlyMap<string, Ticket>): string[] | undefined {
  const done = new Set<string>()
  for (const start of byId.keys()) {
    if (done.has(start)) continue
    const path: { id: string; next: number }[] = [{ id: start, next: 0 }]
    const open = new Map([[start, 0]])
    for (let at = path.at(-1); at !== undefined; at = path.at(-1)) {
      const to = byId.get(at.id)?.edges[at.next++]
      if (to === undefined) {
        done.add(at.id)
        open.delete(at.id)
        path.pop()
        continue
      }
      const before = open.get(to)
      if (before !== undefined) return [...path.slice(before).map(({ id }) => id), to]
      if (done.has(to)) continue
      open.set(to, path.length)
      path.push({ id: to, next: 0 })
    }
  }
  return undefined
}
