/** What stands behind an expression: members, indexes, arguments, blocks. */
import { textOf } from '../core/value.ts'
import { comprehension, sequence, stringValue } from './brackets.ts'
import { call, type Given, isKnown } from './calls.ts'
import { functionLiteral } from './functions.ts'
import type { Token } from './lexer.ts'
import { member } from './members.ts'
import type { Program } from './program.ts'
import { MOST_STEPS } from './state.ts'
import { named, ofValue, type Thing, UNKNOWN } from './things.ts'

/** Members, indexes and calls behind an expression. */
export function postfix(p: Program, first: Thing, start: Token | undefined): Thing {
  const { cursor, grammar } = p
  let thing = first
  for (;;) {
    if (++p.progress.steps > MOST_STEPS) return thing
    const token = chained(p)
    if (token === undefined) return settled(p, thing, start)
    if (token.t === 'punct' && grammar.members.includes(token.text)) {
      thing = settled(p, thing, start)
      cursor.at++
      const name = cursor.peek()
      if (name?.t === 'name') {
        cursor.at++
        thing = member(p, thing, name.text)
      } else if (name?.text !== '(' && name?.text !== '[' && name?.text !== '{') return thing
      continue
    }
    if (
      token.t === 'punct' &&
      token.text === '(' &&
      !(token.spaced && grammar.blocks === 'end' && thing.is !== 'name')
    ) {
      const given = argumentsOf(p)
      thing = withBlock(p, thing, given, {
        from: start?.from ?? token.from,
        to: cursor.tokens[cursor.at - 1]?.to ?? token.to,
      })
      continue
    }
    if (
      token.t === 'punct' &&
      (token.text === '[' || (token.text === '{' && grammar.language === 'perl')) &&
      (!token.spaced || (grammar.blocks !== 'end' && grammar.language !== 'perl'))
    ) {
      cursor.at++
      const key = sequence(p)
      thing = index(p, thing, key.is === 'list' ? (key.items[0] ?? UNKNOWN) : key)
      continue
    }
    if (token.t === 'string' && thing.is === 'name' && grammar.language === 'javascript' && !token.spaced) {
      cursor.at++
      thing = call(
        p,
        named(`template:${thing.name}`),
        { args: [ofValue(stringValue(p, token))], named: new Map() },
        token,
      )
      continue
    }
    const bare = bareCall(p, thing, token, start)
    if (bare === undefined) return settled(p, thing, start)
    thing = bare
  }
}

/** The token behind an expression: a chain of members may go on on the next line. */
function chained(p: Program): Token | undefined {
  const { cursor, grammar } = p
  const token = cursor.peek()
  if (token?.t !== 'newline' || grammar.blocks === 'indent') return token
  let ahead = 1
  while (cursor.after(ahead)?.t === 'newline') ahead++
  const next = cursor.after(ahead)
  if (next?.t === 'punct' && grammar.members.includes(next.text)) {
    cursor.at += ahead
    return next
  }
  return token
}

function index(p: Program, thing: Thing, key: Thing): Thing {
  const word = p.grammar.language === 'perl' && key.is === 'name' && !key.self ? key.name : undefined
  const name = word ?? (key.is === 'text' ? textOf(key.value) : undefined)
  if (thing.is === 'list' && key.is === 'number') return thing.items[Number(key.text)] ?? UNKNOWN
  // Ruby's `Dir['*.tmp']` is `Dir.glob('*.tmp')`.
  if (p.grammar.language === 'ruby' && thing.is === 'name' && thing.name === 'Dir' && key.is === 'text')
    return call(p, named('Dir.glob'), { args: [key], named: new Map() }, { from: 0, to: 0 })
  if (thing.is === 'dict' || thing.is === 'name') return name === undefined ? UNKNOWN : member(p, thing, name)
  return thing.is === 'unknown' ? thing : UNKNOWN
}

const END = new Set([
  ')',
  ']',
  '}',
  ';',
  ':',
  ',',
  '=',
  '?',
  '.',
  '=>',
  '==',
  '!=',
  '+',
  '/',
  '<',
  '>',
  '|',
  '||',
  '&&',
  '->',
  '*',
  '+=',
  '-=',
  '=~',
  '..',
  '%',
  '<<',
])

/** `system "ls"`, `unlink $f`: a known function whose arguments stand without parentheses. */
function bareCall(p: Program, thing: Thing, token: Token, start: Token | undefined): Thing | undefined {
  const { grammar, cursor } = p
  if (!grammar.bare || thing.is !== 'name' || token.t === 'newline' || !token.spaced) return bareBlock(p, thing, token)
  if (token.t === 'punct' && (END.has(token.text) || (token.text === '{' && BLOCKS.has(thing.name)))) return undefined
  if (token.t === 'name' && grammar.keywords.has(token.text) && !['my', 'qw'].includes(token.text))
    return bareBlock(p, thing, token)
  if (grammar.language === 'ruby' && token.text === '{') return bareBlock(p, thing, token)
  if (!isKnown(p, thing)) return undefined
  const args: Thing[] = []
  const given = new Map<string, Thing>()
  // Perl's `system { PROGRAM } LIST`: the list is what counts.
  if (grammar.language === 'perl' && token.text === '{' && /^(?:system|exec)$/.test(thing.name))
    cursor.at = Math.min(cursor.closing(cursor.at) + 1, cursor.end)
  for (;;) {
    const before = cursor.at
    argument(p, args, given)
    if (cursor.at === before) break
    // A block stands before its list without a comma.
    if (grammar.language === 'perl' && args.at(-1)?.is === 'function' && !cursor.is(',')) continue
    if (!(cursor.is(',') || cursor.is('=>'))) break
    cursor.at++
    if (cursor.peek()?.t === 'newline') cursor.at++
  }
  return withBlock(
    p,
    thing,
    { args, named: given },
    { from: start?.from ?? token.from, to: cursor.tokens[cursor.at - 1]?.to ?? token.to },
  )
}

/** Where a call without arguments ends. */
const _ends = (token: Token): boolean =>
  token.t === 'newline' || [';', '}', 'if', 'unless', 'for', 'foreach', 'or', 'and', 'while'].includes(token.text)

/** Words of Perl whose block is read as statements. */
const BLOCKS = new Set(['eval', 'do', 'BEGIN', 'END', 'else'])

/** Ruby and Perl call a method, and their own functions, without parentheses too. */
function settled(p: Program, thing: Thing, start: Token | undefined): Thing {
  if (thing.is !== 'name' || start === undefined) return thing
  if (p.grammar.implicit?.has(thing.name)) return implicit(p, thing, start)
  const { language } = p.grammar
  if (language !== 'ruby' && language !== 'perl') return thing
  if (thing.self === undefined ? !p.byName.has(thing.name) : !isKnown(p, thing) || thing.value !== undefined)
    return thing
  return call(p, thing, { args: [], named: new Map() }, { from: start.from, to: start.to })
}

/** `unlink;` acts on `$_`. The thing itself where the function takes nothing by itself. */
function implicit(p: Program, thing: Thing, start: Token | undefined): Thing {
  if (thing.is !== 'name' || !p.grammar.implicit?.has(thing.name) || start === undefined) return thing
  return call(
    p,
    thing,
    { args: [p.progress.scope.get('$_') ?? UNKNOWN], named: new Map() },
    { from: start.from, to: start.to },
  )
}

/** `list.each { |x| … }` without arguments. */
function bareBlock(p: Program, thing: Thing, token: Token): Thing | undefined {
  if (p.grammar.language !== 'ruby' || thing.is !== 'name' || thing.self === undefined) return undefined
  if (token.text !== 'do' && !(token.text === '{' && token.t === 'punct')) return undefined
  return withBlock(p, thing, { args: [], named: new Map() }, token)
}

/** A call, with the block behind it where the language has such. */
function withBlock(p: Program, thing: Thing, given: Given, span: { from: number; to: number }): Thing {
  const block = p.grammar.language === 'ruby' ? functionLiteral(p, true) : undefined
  return call(p, thing, block ? { ...given, args: [...given.args, block] } : given, { from: span.from, to: span.to })
}

/** Arguments between parentheses; the cursor stands at the opening one. */
function argumentsOf(p: Program): Given {
  const { cursor } = p
  const open = cursor.at
  const end = cursor.closing(open)
  cursor.at++
  const made = comprehension(p, open)
  if (made) return { args: [made], named: new Map() }
  const args: Thing[] = []
  const given = new Map<string, Thing>()
  cursor.nest++
  while (cursor.at < end && cursor.peek() !== undefined && cursor.at < end) {
    const before = cursor.at
    if (!cursor.take(',')) argument(p, args, given)
    if (cursor.take('=>')) argument(p, args, given)
    if (cursor.at === before) cursor.at++
  }
  cursor.nest--
  cursor.at = Math.min(end + 1, cursor.end)
  return { args, named: given }
}

/** One argument: `name=value`, `name: value`, `key => value`, a spread, or a plain one. */
function argument(p: Program, args: Thing[], given: Map<string, Thing>): void {
  const { cursor } = p
  const token = cursor.peek()
  const mark = cursor.after(1)?.text
  if (
    (token?.t === 'name' || token?.t === 'string') &&
    (mark === '=' || mark === ':' || mark === '=>') &&
    p.grammar.language !== 'javascript' &&
    p.grammar.language !== 'lua'
  ) {
    cursor.at += 2
    const key = token.t === 'name' ? token.text : (textOf(stringValue(p, token)) ?? '')
    given.set(key, p.expression(p))
    return
  }
  const spreads = token?.text === '...' || token?.text === '*'
  const thing = p.expression(p)
  if (!spreads) args.push(thing)
  else if (thing.is === 'list' && !thing.open) args.push(...thing.items)
  else args.push(UNKNOWN)
}
