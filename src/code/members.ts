/** What a member of a thing is: `module.name`, an entry of a dictionary, a method of something unknown. */
import { taintsOf } from '../core/value.ts'
import { bind, type Program } from './program.ts'
import { asValue, named, type Thing, UNKNOWN } from './things.ts'

/** No table names anything longer. */
const LONGEST_NAME = 120

export function member(p: Program, thing: Thing, name: string): Thing {
  if (thing.is === 'dict') {
    const entry = thing.entries.get(name)
    if (entry) return entry
  }
  const path =
    thing.is === 'name' ? `${thing.name}.${name}` : thing.is === 'object' ? `${thing.type}.${name}` : `?.${name}`
  if (path.length > LONGEST_NAME) return UNKNOWN
  const full = p.grammar.canonical?.(path) ?? path
  const known = thing.is === 'name' ? p.grammar.values?.(full, p.known) : undefined
  if (known) return known
  // What came from the network stays so, whichever part of it is taken.
  const taken = thing.is === 'unknown' || thing.is === 'name' ? asValue(thing) : undefined
  return taken && taintsOf(taken).length > 0 ? { ...named(full, thing), value: taken } : named(full, thing)
}

/** Binds a parameter; `{a,b:c}` takes members of what is given. */
export function bindParameter(p: Program, name: string, thing: Thing): void {
  if (!name.startsWith('{')) {
    bind(p, name, thing, true)
    return
  }
  for (const pair of name.slice(1, -1).split(',')) {
    const [key, local = key] = pair.split(':')
    if (key) bind(p, local!, member(p, thing, key), true)
  }
}
