/**
 * Scope: writes outside a ticket's part of the project ask; build output, temp and what the session made do not count. With
 * and without a ticket the directories of the system are outside.
 */
import type { Finding } from '../../core/verdict.ts'
import { CHANGES, finding, isIdle, type Subject, type Tools } from '../subject.ts'

export function scope(subject: Subject, tools: Tools): readonly Finding[] {
  const globs = tools.scope
  const { effect } = subject
  if (!CHANGES.has(effect.act) || effect.note === 'lock' || effect.note === 'build') return []
  if (globs === undefined) return ofSystem(subject, tools)
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
  return ofSystem(subject, tools)
}

/** What is new, or has another mode, in a directory of the system. What is replaced or goes there is a matter of loss. */
function ofSystem(subject: Subject, tools: Tools): readonly Finding[] {
  const { effect } = subject
  for (const place of subject.places) {
    const { zones } = place
    if (!zones.has('system') || zones.has('created') || zones.has('temp') || zones.has('stream')) continue
    if (isIdle(effect, place) || place.open || (place.exists && effect.act !== 'mode')) continue
    if (effect.act === 'delete' || effect.act === 'edit') continue
    const what = effect.act === 'mode' ? 'changes the mode of' : 'makes'
    return [
      finding(
        subject,
        'scope',
        'system',
        isWhole(effect, place) ? 'deny' : 'ask',
        `${what} ${tools.show(place.path)}, which belongs to the system`,
        {
          safer: 'keep it in the project or below your home',
        },
      ),
    ]
  }
  return []
}

/** A change of mode or owner of all that lies below a directory of the system at the root: programs stop working. */
const isWhole = ({ act }: Subject['effect'], { path, tree, pattern }: Subject['places'][number]): boolean =>
  act === 'mode' &&
  (tree || pattern?.some((part) => part.is === 'any' || part.is === 'deep') === true) &&
  /^\/[^/]+\/?$/.test(path)

const inScope = (path: string, globs: NonNullable<Tools['scope']>): boolean => globs.some((glob) => glob.matches(path))
