/** Paths that the disk did not tell enough about: a link on the way may lead anywhere, so nothing there passes unseen. */
import type { Act } from '../../core/effect.ts'
import type { Finding } from '../../core/verdict.ts'
import { CHANGES, finding, type Subject, type Tools } from '../subject.ts'

/** Names alone harm nobody; a deletion is judged by `loss.ts`. */
const ACTS: ReadonlySet<Act> = new Set<Act>(['read', 'create', 'write', 'append', 'edit', 'mode', 'run'])

/** A chain of links without an end fails by itself, and a stream of the caller is no file. */
const HARMLESS: ReadonlySet<string> = new Set(['links', 'magic'])

export function unresolved(subject: Subject, tools: Tools): readonly Finding[] {
  const { effect, located } = subject
  if (effect.target.is === 'unknown' && effect.target.end !== undefined && CHANGES.has(effect.act)) {
    const { what, end } = effect.target
    const protects = [tools.context.home, ...tools.workspaces].some((dir) => {
      const zones = tools.zones(`${dir}${end}`)
      return zones.has('trust-root') || zones.has('persistence')
    })
    return protects
      ? [
          finding(subject, 'reading', 'unresolved', 'ask', `${what} may be a file that decides what runs`, {
            safer: 'write the path out',
          }),
        ]
      : []
  }
  if (located.is !== 'unresolved' || effect.target.is !== 'path') return []
  if (!ACTS.has(effect.act) || HARMLESS.has(located.why)) return []
  return [
    finding(subject, 'reading', 'unresolved', 'ask', `where ${located.what} leads could not be looked up`, {
      safer: 'name a path that can be looked at, or try again',
    }),
  ]
}
