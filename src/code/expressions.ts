/** Expressions of brace, indent and `end` languages, read loosely: what matters is what is called with what. */
import { concat, exact, textOf, unknown, type Value } from '../core/value.ts'
import { dictionary, parenthesised, sequence, stringValue } from './brackets.ts'
import { pattern } from './common.ts'
import { functionLiteral } from './functions.ts'
import type { Token } from './lexer.ts'
import { postfix } from './postfix.ts'
import { bind, type Program } from './program.ts'
import { MOST_NESTING, MOST_STEPS } from './state.ts'
import {
  asValue,
  eitherThing,
  isText,
  joinPaths,
  list,
  named,
  ofValue,
  plus,
  type Thing,
  text,
  UNKNOWN,
} from './things.ts'

const PREFIXES = new Set(['!', '-', '+', '~', '*', '**', '...', '&', '@', '\\', '++', '--', '^', ':', '::'])
const PASSES = new Set([
  'await',
  'new',
  'async',
  'yield',
  'return',
  'typeof',
  'void',
  'delete',
  'not',
  'raise',
  'throw',
  'del',
  'assert',
  'else',
  'then',
  'do',
  'echo',
  'static',
  'clone',
  'unless',
  'and',
  'or',
  'defined',
  'scalar',
  'in',
  'of',
  'ref',
  'exists',
  'elif',
  'elsif',
  'if',
  'while',
  'until',
  'my',
  'our',
  'local',
  'var',
  'let',
  'const',
  'begin',
  'try',
  'finally',
  'print',
])
const NEUTRAL = new Set([
  'await',
  'new',
  'async',
  'return',
  'do',
  'then',
  'else',
  'echo',
  'static',
  'my',
  'our',
  'local',
  'var',
  'let',
  'const',
  'scalar',
  'try',
  'begin',
])
const EITHER = new Set(['||', '??', 'or', '//', '?:'])
const OTHER = new Set([
  '==',
  '===',
  '!=',
  '!==',
  '<',
  '>',
  '<=',
  '>=',
  '<=>',
  '=~',
  '!~',
  '&&',
  'and',
  '-',
  '*',
  '**',
  '%',
  '/',
  '//',
  '|',
  '&',
  '^',
  '<<',
  '>>',
  '>>>',
  'in',
  'is',
  'not',
  'instanceof',
  'eq',
  'ne',
  'lt',
  'gt',
  'le',
  'ge',
  'cmp',
  'x',
  '..',
  '...',
  '|>',
  '~=',
  '->',
])

/** One expression, assignments within included. */
export function expression(p: Program): Thing {
  const { progress, cursor } = p
  if (progress.limited || ++progress.steps > MOST_STEPS || progress.depth > MOST_NESTING) {
    progress.limited = true
    cursor.at = cursor.end
    return UNKNOWN
  }
  progress.depth++
  const thing = operators(p)
  progress.depth--
  return thing
}

function operators(p: Program): Thing {
  const { cursor } = p
  const start = cursor.peek()
  const arrow = functionLiteral(p)
  if (arrow) return postfix(p, arrow, start)
  let left = unary(p)
  for (;;) {
    const op = cursor.peek()
    if (op === undefined || (op.t !== 'punct' && op.t !== 'name')) return left
    if (op.text === '=' || op.text === ':=' || op.text === '||=' || op.text === '??=') {
      const mark = cursor.at++
      const right = expression(p)
      assign(p, start, mark, right)
      return right
    }
    if (op.text === '+=' || op.text === '.=' || op.text === '..=') {
      const mark = cursor.at++
      const sum = plus(left, expression(p))
      assign(p, start, mark, sum)
      return sum
    }
    if (op.text === '<<' && left.is === 'list') {
      cursor.at++
      left = list([...left.items, unary(p)], left.open)
      continue
    }
    if (p.grammar.concat.includes(op.text)) {
      cursor.at++
      left = plus(left, unary(p))
    } else if (op.text === '/' && left.is === 'object') {
      cursor.at++
      left = { ...left, value: joinPaths([left.value, asValue(unary(p))]) }
    } else if (op.text === '%' && left.is === 'text') {
      cursor.at++
      left = format(left, unary(p))
    } else if (EITHER.has(op.text)) {
      cursor.at++
      const right = unary(p)
      left =
        left.is === 'name' && !left.self
          ? right
          : isText(left) && left.is !== 'number' && textOf(asValue(left)) !== undefined
            ? left
            : right.is === 'name'
              ? left
              : eitherThing(left, right)
    } else if (op.text === '?') {
      cursor.at++
      const yes = expression(p)
      if (cursor.take(':')) left = eitherThing(yes, expression(p))
    } else if (op.text === 'if' && p.grammar.blocks === 'indent') {
      cursor.at++
      expression(p)
      if (cursor.take('else')) left = eitherThing(left, expression(p))
    } else if ((op.text === 'as' || op.text === 'satisfies') && p.grammar.language === 'javascript') {
      // A type: the value stays as it is.
      cursor.at++
      unary(p)
    } else if (OTHER.has(op.text)) {
      cursor.at++
      const right = unary(p)
      left = op.text === '&&' || op.text === 'and' ? right : UNKNOWN
    } else return left
  }
}

/** `name = …`: the target must be one plain name; anything else that is assigned to becomes no known variable. */
function assign(p: Program, start: Token | undefined, op: number, thing: Thing): void {
  if (start?.t !== 'name' || p.cursor.tokens[op - 1] !== start) return
  bind(p, start.text, thing)
}

function unary(p: Program): Thing {
  const { progress, cursor } = p
  if (++progress.depth > MOST_NESTING) {
    progress.limited = true
    cursor.at = cursor.end
  }
  const thing = progress.limited ? UNKNOWN : prefixed(p)
  progress.depth--
  return thing
}

function prefixed(p: Program): Thing {
  const { cursor } = p
  const token = cursor.peek()
  if (token === undefined) return UNKNOWN
  if (token.t === 'punct' && PREFIXES.has(token.text)) {
    cursor.at++
    const thing = unary(p)
    return token.text === '!' || token.text === '-' || token.text === '~' ? UNKNOWN : thing
  }
  if (token.t === 'name' && PASSES.has(token.text) && p.grammar.keywords.has(token.text)) {
    cursor.at++
    const following = cursor.peek()
    if (following === undefined || following.t === 'newline' || [';', ')', '}', ',', ']', ':'].includes(following.text))
      return UNKNOWN
    const thing = functionLiteral(p) ?? unary(p)
    return NEUTRAL.has(token.text) ? thing : UNKNOWN
  }
  return postfix(p, primary(p), token)
}

function primary(p: Program): Thing {
  const { cursor, progress } = p
  progress.steps++
  const token = cursor.next()
  if (token === undefined) return UNKNOWN
  switch (token.t) {
    case 'string': {
      let value = stringValue(p, token)
      // Neighbours are one string in Python and Ruby.
      while (p.grammar.blocks !== 'brace' && cursor.peek()?.t === 'string')
        value = concat(value, stringValue(p, cursor.next()!))
      if (token.text === 'glob') return textOf(value) === '' ? UNKNOWN : list([ofValue(pattern(value))])
      return token.text === 'words'
        ? list((textOf(value) ?? '').split(/\s+/).filter(Boolean).map(text))
        : ofValue(value)
    }
    case 'shell':
      p.doings.push({
        do: 'code',
        language: 'sh',
        text: stringValue(p, token),
        ...(progress.cwd ? { cwd: { value: progress.cwd, span: token } } : {}),
      })
      return { is: 'unknown', value: unknown('substitution') }
    case 'number':
      return { is: 'number', text: token.text }
    case 'regex':
    case 'newline':
      return UNKNOWN
    case 'name':
      return variable(p, token)
    case 'punct':
      if (token.text === '(') return parenthesised(p)
      if (token.text === '[') return sequence(p)
      if (token.text === '{') return dictionary(p)
      // A closing mark belongs to somebody further out.
      if ([')', ']', '}', ',', ';', ':'].includes(token.text)) cursor.at--
      return UNKNOWN
  }
}

function variable(p: Program, token: Token): Thing {
  if (p.grammar.language === 'perl') {
    if (token.text === 'shift') return shift(p)
    const element = elementName(p, token)
    if (element !== undefined)
      return p.progress.scope.get(element) ?? p.grammar.values?.(element, p.known) ?? named(token.text)
  }
  const bound = p.progress.scope.get(token.text)
  if (bound) return bound
  const calls = p.grammar.language === 'ruby' || p.grammar.language === 'perl'
  const own = calls ? undefined : p.byName.get(token.text)
  if (own !== undefined) return { is: 'function', index: own }
  return p.grammar.values?.(token.text, p.known) ?? named(token.text)
}

/** Perl's `$x[0]` is of `@x`, `$x{k}` of `%x`. */
function elementName(p: Program, token: Token): string | undefined {
  const next = p.cursor.after(0)
  if (!token.text.startsWith('$') || token.text === '$ENV' || next?.spaced !== false) return undefined
  return next.text === '[' ? `@${token.text.slice(1)}` : next.text === '{' ? `%${token.text.slice(1)}` : undefined
}

/** Perl's `shift`: the next argument of the function, or of the program. */
function shift(p: Program): Thing {
  if (p.cursor.is('@_') || p.cursor.is('@ARGV')) p.cursor.at++
  const inner = p.progress.scope.get('@_')
  const from = inner ?? list(p.known.args)
  if (from.is !== 'list') return UNKNOWN
  bind(p, '@_', list(from.items.slice(1), from.open), true)
  return from.items[0] ?? UNKNOWN
}

/** `%` of a format and its arguments: only where they are plain texts. */
function format(left: Thing, right: Thing): Thing {
  const form = textOf(asValue(left))
  const items = right.is === 'list' ? right.items : [right]
  if (form === undefined) return UNKNOWN
  let i = 0
  let out: Value = exact('')
  for (const piece of form.split(/(%[-+ 0-9.]*[sdrifx%])/)) {
    if (piece === '%%') out = concat(out, exact('%'))
    else if (/^%.*[sdrifx]$/.test(piece)) out = concat(out, asValue(items[i++]))
    else out = concat(out, exact(piece))
  }
  return ofValue(out)
}
