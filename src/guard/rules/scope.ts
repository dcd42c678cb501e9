/** Ticket scope: writes elsewhere in the project ask; build output, temp and what the session made do not count. */
import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { CHANGES, finding, isIdle, type Subject, type Tools } from '../subject.ts'

export function* scope(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const globs = tools.scope
  const { effect } = subject
  if (globs === undefined || !CHANGES.has(effect.act)) return []
  if (effect.note === 'lock' || effect.note === 'build') return []
  for (const place of subject.places) {
    if (isIdle(effect, place)) continue
    const { zones } = place
    if (!zones.has('project') || zones.has('created') || zones.has('regenerable') || zones.has('temp')) continue
    if (place.names?.every((name) => inScope(name.path, globs))) continue
    const inside =
      place.pattern === undefined && !place.open
        ? inScope(place.path, globs)
        : globs.some((glob) => glob.matches(`${place.path}/x`))
    if (inside) continue
    const said = globs.map((glob) => glob.glob).join(', ')
    return [
      finding(
        subject,
        'scope',
        'outside',
        'ask',
        `${tools.show(place.path)} lies outside the scope of the present ticket (${said})`,
        { safer: 'stay within the scope, or have the ticket widened first' },
      ),
    ]
  }
  return []
}

const inScope = (path: string, globs: NonNullable<Tools['scope']>): boolean => globs.some((glob) => glob.matches(path))
