/** Patterns against the disk, where that is cheap: one directory level, few names. */
import type { Listed } from '../commands/doing.ts'
import { type Asking, ask } from '../core/question.ts'
import { concat, type GlobPart, MOST_TEXTS, type Value } from '../core/value.ts'
import { matchPattern } from '../shell/expand.ts'
import type { Engine } from './engine.ts'
import type { Machine } from './machine.ts'
import { through } from './overlay.ts'
import { absolutes, physical } from './targets.ts'

/** Names of a directory that are looked at for a pattern. */
export const MOST_NAMES = 2_000

/** The names that a one-level pattern stands for, as the shell would write them; undefined where that is too much. */
export function* expandGlob(
  engine: Engine,
  value: Value,
  m: Machine,
  most = MOST_TEXTS,
): Asking<readonly string[] | undefined> {
  if (value.is !== 'glob') return undefined
  const first = value.parts[0]
  const lead = first?.is === 'text' ? first.text : ''
  const cut = lead.lastIndexOf('/') + 1
  const dir = lead.slice(0, cut)
  const tail = lead.slice(cut)
  let parts: readonly GlobPart[] =
    first?.is === 'text'
      ? tail === ''
        ? value.parts.slice(1)
        : [{ is: 'text', text: tail }, ...value.parts.slice(1)]
      : value.parts
  const last = parts.at(-1)
  const slash = last?.is === 'text' && last.text === '/'
  if (slash) parts = parts.slice(0, -1)
  if (parts.some((part) => part.is === 'any' || part.is === 'deep' || (part.is === 'text' && part.text.includes('/'))))
    return undefined
  const where = absolutes(dir === '' ? '.' : dir, m, engine)
  if (where?.length !== 1) return undefined
  const found = yield* physical(engine, where[0]!, true, m.overlay)
  if (found.is !== 'path') return undefined
  if (!found.exists) return []
  const list = yield* through(ask('list', { dir: found.target, limit: MOST_NAMES }), m.overlay)
  if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
  if (list === 'absent') return []
  const hidden = parts[0]?.is === 'text' && parts[0].text.startsWith('.')
  const names = list.entries
    .filter(
      (entry) =>
        (hidden || !entry.name.startsWith('.')) && (!slash || entry.kind !== 'file') && matchPattern(parts, entry.name),
    )
    .map((entry) => dir + entry.name + (slash ? '/' : ''))
    .sort()
  return names.length > most ? undefined : names
}

/** One path of a listing, as a value: the start itself, or anything below it. */
export function listedValue(listed: Listed): Value {
  if (!listed.tree || listed.at.value.is === 'glob') return listed.at.value
  return concat(listed.at.value, { is: 'glob', parts: [{ is: 'text', text: '/' }, { is: 'any' }] })
}
