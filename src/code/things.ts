/** What an expression of a program may be, as far as it can be told without running it. */
import { concat, exact, oneOf, textsOf, unknown, type Value } from '../core/value.ts'

export type Thing =
  | { readonly is: 'text'; readonly value: Value }
  | { readonly is: 'list'; readonly items: readonly Thing[]; readonly open: boolean }
  | { readonly is: 'dict'; readonly entries: ReadonlyMap<string, Thing>; readonly open: boolean }
  /** A module, class or function by its full name; `self` is what a method belongs to. */
  | { readonly is: 'name'; readonly name: string; readonly self?: Thing; readonly value?: Value }
  /** A thing of a known type that stands for a text: an opened file, a path object. */
  | { readonly is: 'object'; readonly type: string; readonly value: Value }
  /** A function of the program itself, by its index. */
  | { readonly is: 'function'; readonly index: number }
  | { readonly is: 'number'; readonly text: string }
  | { readonly is: 'unknown'; readonly value: Value }

export const UNKNOWN: Thing = { is: 'unknown', value: unknown('variable') }

export const text = (value: string): Thing => ({ is: 'text', value: exact(value) })

export const ofValue = (value: Value): Thing => ({ is: 'text', value })

export const list = (items: readonly Thing[], open = false): Thing => ({ is: 'list', items, open })

export const named = (name: string, self?: Thing): Extract<Thing, { is: 'name' }> =>
  self ? { is: 'name', name, self } : { is: 'name', name }

/** The text that a thing stands for; unknown where it stands for none. */
export function asValue(thing: Thing | undefined): Value {
  switch (thing?.is) {
    case 'text':
    case 'object':
    case 'unknown':
      return thing.value
    case 'name':
      return thing.value ?? unknown('variable')
    case 'number':
      return exact(thing.text)
    case 'list':
      return thing.open || thing.items.length === 0 ? unknown('variable') : oneOfValues(thing.items.map(asValue))
    default:
      return unknown('variable')
  }
}

/** Any of several values: the texts together where all are known. */
export function oneOfValues(values: readonly Value[]): Value {
  const texts = values.map(textsOf)
  if (values.length === 1) return values[0]!
  return texts.every((all) => all !== undefined) ? oneOf(texts.flat() as string[]) : unknown('variable')
}

export const isText = (thing: Thing): boolean => thing.is === 'text' || thing.is === 'object' || thing.is === 'number'

/** Whether a thing stands for what a file says, by the file's path: no text can be made of that. */
export const isContent = (thing: Thing | undefined): boolean => thing?.is === 'object' && thing.type === 'file'

/** Two things with `+` between them. */
export function plus(a: Thing, b: Thing): Thing {
  if (isContent(a) || isContent(b)) return UNKNOWN
  if (a.is === 'list' && b.is === 'list') return list([...a.items, ...b.items], a.open || b.open)
  if (a.is === 'list') return list(a.items, true)
  if (a.is === 'number' && b.is === 'number') return UNKNOWN
  if (isText(a) || isText(b)) return ofValue(concat(asValue(a), asValue(b)))
  return { is: 'unknown', value: concat(asValue(a), asValue(b)) }
}

/** Either thing: a variable after two branches, or a choice. */
export function eitherThing(a: Thing, b: Thing): Thing {
  if (a === b) return a
  if (a.is === 'list' && b.is === 'list') return list([...a.items, ...b.items], true)
  const both = a.is === 'object' && b.is === 'object' && a.type === b.type
  const value = oneOfValues([asValue(a), asValue(b)])
  if (both) return { is: 'object', type: a.type, value }
  return isText(a) && isText(b) ? ofValue(value) : { is: 'unknown', value: unknown('variable') }
}

/** The elements that a loop over a thing goes through, as one thing. */
export function elementOf(thing: Thing): Thing {
  if (thing.is === 'list' && thing.items.length > 0) {
    const [first, ...rest] = thing.items
    const one = rest.reduce((all, item) => eitherThing(all, item), first!)
    return thing.open ? { is: 'unknown', value: unknown('variable') } : one
  }
  // A pattern stands for all that it matches, and so does each of them.
  if (thing.is === 'text' && thing.value.is === 'glob') return thing
  if (thing.is === 'object' && thing.value.is === 'glob') return thing
  return UNKNOWN
}

/** Joins path components as most languages do: an absolute one begins anew. */
export function joinPaths(parts: readonly Value[], resets = true): Value {
  let path: Value = exact('')
  for (const part of parts) {
    const texts = textsOf(part)
    if (resets && texts?.every((one) => /^([/\\]|[A-Za-z]:[\\/])/.test(one))) path = part
    else if (path.is === 'exact' && path.text === '') path = part
    else {
      const ends = path.is === 'exact' && path.text.endsWith('/')
      const bare = !resets && part.is === 'exact' ? exact(part.text.replace(/^\/+/, '')) : part
      path = concat(ends ? path : concat(path, exact('/')), bare)
    }
  }
  return path
}
