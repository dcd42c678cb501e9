/** Data that leaves the machine, and what it makes another machine do. */
import type { Doing } from '../commands/doing.ts'
import { mutationsIn } from '../commands/graphql.ts'
import { isHere } from '../commands/here.ts'
import type { Asking } from '../core/question.ts'
import { prefixOf, showValue, type Taint, taintsOf, unknown, type Value } from '../core/value.ts'
import { type By, type Engine, emit, type Frame } from './engine.ts'
import type { Machine } from './machine.ts'
import { taintsOfContent, textOfContent } from './streams.ts'
import { affect } from './targets.ts'

/** Addresses where a file that is sent is a query: only there it is read. */
const GRAPHQL = /graphql|\bgql\b/i

/** Where what is sent came from: the stream, the texts of the command's own words, and what stands in a query. */
function taintsSent(engine: Engine, doing: Extract<Doing, { do: 'send' }>): readonly Taint[] {
  const own = doing.content ? taintsOfContent(engine, doing.content) : []
  if (isHere(doing.to)) return own
  const query = prefixOf(doing.to).includes('?') ? taintsOf(doing.to) : []
  return [...new Set([...own, ...(doing.texts ?? []).flatMap(taintsOf), ...query])]
}

/** Performs a `send`: files are read, and a mutation that takes something away there is an effect of its own. */
export function* send(
  engine: Engine,
  doing: Extract<Doing, { do: 'send' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  for (const file of doing.files) yield* affect(engine, 'read', file, m, frame, by, { note: 'sent' })
  emit(engine, 'send', { is: 'remote', service: 'network', name: showValue(doing.to) }, frame, by, {
    from: taintsSent(engine, doing),
    seen: m.overlay,
  })
  if (isHere(doing.to)) return
  const bodies: Value[] = [...(doing.texts ?? []), ...(doing.content ? [doing.content.text] : [])]
  if (GRAPHQL.test(showValue(doing.to))) {
    if (doing.content) bodies.push(yield* textOfContent(engine, doing.content, m))
    for (const file of doing.files)
      bodies.push(yield* textOfContent(engine, { text: unknown('input'), taints: [], files: [file] }, m))
  }
  const ending = new Set(bodies.flatMap((body) => mutationsIn(body).ending))
  for (const name of ending)
    emit(engine, 'destroy', { is: 'remote', service: 'graphql', name: `${name} (${showValue(doing.to)})` }, frame, by, {
      safer: 'query what would go, and let the person call the mutation',
      seen: m.overlay,
    })
}
