/** Keys of tickets that are misspelled: the schema allows any key, so what they say is lost without a word. */
import { type Asking, ask } from '../core/question.ts'
import { MOST_LEGACY } from './limits.ts'
import type { AdlcRepo } from './model.ts'
import { asObject, parseJson } from './ticket.ts'

/** The key that one is near to: another case, one of many, a letter left out or two that changed places. */
const NEAR: readonly (readonly [RegExp, 'rails' | 'scope'])[] = [
  [/^(?:rails?|rials|arils|ralis|raisl|rals|rils|rais)$/, 'rails'],
  [/^(?:scopes?|csope|socpe|scpoe|scoep|scop|scoe|scpe|sope)$/, 'scope'],
]

export interface StrangeKey {
  /** Id of an active ticket. */
  readonly ticket: string
  readonly file: string
  readonly key: string
  readonly meant: 'rails' | 'scope'
}

/** Misspelled keys of the active tickets of a repository, in their order. */
export function* strangeKeys({ tickets }: AdlcRepo): Asking<readonly StrangeKey[]> {
  const out: StrangeKey[] = []
  const wanted = new Map<string, Set<string>>()
  for (const { id, file, active } of tickets) {
    if (active) wanted.set(file, (wanted.get(file) ?? new Set()).add(id))
  }
  for (const [file, ids] of wanted) {
    const found = yield* ask('text', { path: file, limit: MOST_LEGACY })
    const value = typeof found === 'string' ? undefined : asObject(parseJson(found.text)?.value)
    // A legacy store is one file with a list; a shard is its ticket.
    const listed = value?.['tickets']
    for (const one of value?.['id'] === undefined && Array.isArray(listed) ? listed : [value]) {
      const ticket = asObject(one)
      const id = ticket?.['id']
      if (ticket === undefined || typeof id !== 'string' || !ids.has(id)) continue
      for (const key of Object.keys(ticket)) {
        const meant = nearest(key)
        if (meant !== undefined) out.push({ ticket: id, file, key, meant })
      }
    }
  }
  return out
}

function nearest(key: string): 'rails' | 'scope' | undefined {
  const plain = key
    .trim()
    .toLowerCase()
    .replace(/[\s_:-]/g, '')
  const meant = NEAR.find(([near]) => near.test(plain))?.[1]
  return meant === key ? undefined : meant
}
