/** Strings and brackets: lists, dictionaries, comprehensions. */
import { concat, exact, textOf, type Value } from '../core/value.ts'
import { addFunction } from './functions.ts'
import type { Token } from './lexer.ts'
import { bind, type Program } from './program.ts'
import { elementOf, isText, list, type Thing, UNKNOWN } from './things.ts'

/** The text of a string token, code within included. */
export function stringValue(p: Program, token: Token): Value {
  return (token.pieces ?? []).reduce<Value>(
    (all, piece) => concat(all, piece.is === 'text' ? exact(piece.text) : p.inner(p, piece.code)),
    exact(''),
  )
}

export function parenthesised(p: Program): Thing {
  const { cursor } = p
  const open = cursor.at - 1
  const items = comprehension(p, open) ?? elements(p, open)
  return items.is === 'list' && items.items.length === 1 && !items.open && p.cursor.tokens[cursor.at - 2]?.text !== ','
    ? items.items[0]!
    : items
}

export function sequence(p: Program): Thing {
  const open = p.cursor.at - 1
  return comprehension(p, open) ?? elements(p, open)
}

/** Expressions between brackets, separated by commas. */
function elements(p: Program, open: number): Thing {
  const { cursor } = p
  const end = cursor.closing(open)
  const items: Thing[] = []
  let spread = false
  cursor.nest++
  while (cursor.at < end) {
    const token = cursor.peek()
    if (token === undefined || cursor.at >= end) break
    if ([',', ';'].includes(token.text) && token.t === 'punct') {
      cursor.at++
      continue
    }
    const before = cursor.at
    const spreads = token.text === '...' || (token.text === '*' && p.grammar.blocks !== 'brace')
    const item = p.expression(p)
    if (spreads && item.is === 'list') items.push(...item.items)
    else if (spreads) spread = true
    else items.push(item)
    if (cursor.at === before) cursor.at++
  }
  cursor.nest--
  cursor.at = Math.min(end + 1, cursor.end)
  return list(items, spread)
}

/** `[f(x) for x in y]`: the name is bound before the element is read. */
export function comprehension(p: Program, open: number): Thing | undefined {
  const { cursor } = p
  if (p.grammar.blocks !== 'indent') return undefined
  const end = cursor.closing(open)
  const loop = cursor.find('for', open + 1, end)
  if (loop <= open + 1) return undefined
  const inside = cursor.find('in', loop, end)
  if (inside < 0) return undefined
  const names = cursor.tokens.slice(loop + 1, inside).filter((token) => token.t === 'name')
  cursor.nest++
  cursor.at = inside + 1
  const source = p.expression(p)
  for (const name of names) bind(p, name.text, names.length === 1 ? elementOf(source) : UNKNOWN, true)
  cursor.at = open + 1
  const item = p.expression(p)
  cursor.nest--
  cursor.at = Math.min(end + 1, cursor.end)
  return isText(item) && !(source.is === 'list' && source.items.length > 1)
    ? list([item])
    : isText(item)
      ? ofOne(item)
      : list([], true)
}

const ofOne = (item: Thing): Thing => list([item])

/** `{key: value, …}`; Perl's and PHP's `=>` too. */
export function dictionary(p: Program): Thing {
  const { cursor } = p
  const open = cursor.at - 1
  const made = comprehension(p, open)
  if (made) return made
  const end = cursor.closing(open)
  const entries = new Map<string, Thing>()
  const items: Thing[] = []
  let isOpen = false
  cursor.nest++
  while (cursor.at < end) {
    const token = cursor.peek()
    if (token === undefined || cursor.at >= end) break
    const before = cursor.at
    const separator = cursor.after(1)?.text
    if (token.t === 'punct' && token.text === ',') {
      cursor.at++
      continue
    }
    const key = token.t === 'name' ? token.text : token.t === 'string' ? textOf(stringValue(p, token)) : undefined
    if (
      key !== undefined &&
      (separator === ':' || separator === '=>' || (separator === '=' && p.grammar.language === 'lua'))
    ) {
      cursor.at += 2
      entries.set(key, p.expression(p))
    } else if (token.t === 'name' && separator === '(') {
      // A method of an object literal.
      cursor.at++
      const close = cursor.closing(cursor.at)
      if (cursor.tokens[close + 1]?.text === '{') {
        const body = cursor.closing(close + 1)
        entries.set(token.text, addFunction(p, '', cursor.at + 1, close, close + 2, body, false))
        cursor.at = body + 1
      } else p.expression(p)
    } else {
      const thing = p.expression(p)
      if (token.text === '...' || token.text === '**') {
        if (thing.is === 'dict') for (const [name, value] of thing.entries) entries.set(name, value)
        else isOpen = true
      } else if (token.t === 'name' && cursor.at === before + 1) entries.set(token.text, thing)
      else items.push(thing)
    }
    if (cursor.at === before) cursor.at++
  }
  cursor.nest--
  cursor.at = Math.min(end + 1, cursor.end)
  // Lua's tables and Python's sets.
  if (items.length > 0 && entries.size === 0) return list(items, isOpen)
  return { is: 'dict', entries, open: isOpen }
}
