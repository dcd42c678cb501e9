/** Arithmetic of constants, as `$((…))` computes it: 64-bit whole numbers. What is not known stays unknown. */
import type { Asking } from '../core/question.ts'

/** What an expression may look up and set. */
export interface Numbers {
  /** The text of a variable; undefined: not known; unset is ''. */
  read(name: string): Asking<string | undefined>
  /** Undefined: it becomes a number that is not known. */
  assign(name: string, value: bigint | undefined): void
}

/** Longest expression: people write a line of it. */
const LONGEST = 4_096

/** Nested parentheses and operators: each is a call. */
const DEEPEST = 200

/** Variables whose text is an expression again (`x=y+1; $((x))`): each is a whole evaluation. */
const MOST_INDIRECT = 8

/** Tokens read for one expression and the variables it names: bounds expressions that name each other. */
const MOST_TOKENS = 20_000

class Unreadable extends Error {}

interface State {
  readonly tokens: readonly string[]
  at: number
  deep: number
  readonly indirect: number
  readonly numbers: Numbers
  readonly spent: { tokens: number }
}

/** How sure it is that a part of the expression is computed: after `0 &&` it is not. */
type Live = 'yes' | 'no' | 'perhaps'

type Number64 = bigint | undefined

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value)

/**
 * Computes an expression. Undefined: a variable in it is not known, or the shell would refuse it (division by zero, bad
 * syntax). Assignments inside are made even then, to unknown where need be.
 */
export function* evaluate(text: string, numbers: Numbers): Asking<bigint | undefined> {
  return yield* evaluateText(text, numbers, 0, { tokens: 0 })
}

function* evaluateText(text: string, numbers: Numbers, indirect: number, spent: State['spent']): Asking<Number64> {
  const clean = text.replaceAll('"', '')
  const tokens = clean.length > LONGEST ? undefined : tokenize(clean)
  if (!tokens) {
    for (const name of assignedNames(text)) numbers.assign(name, undefined)
    return undefined
  }
  spent.tokens += tokens.length
  if (spent.tokens > MOST_TOKENS) return undefined
  if (tokens.length === 0) return 0n
  const state: State = { tokens, at: 0, deep: 0, indirect, numbers, spent }
  try {
    const value = yield* comma(state, 'yes')
    if (state.at < tokens.length) throw new Unreadable()
    return value
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    for (const name of assignedNames(text)) numbers.assign(name, undefined)
    return undefined
  }
}

/** Variables that an expression assigns wherever it can be seen in the text, for expressions that are not computed. */
export function assignedNames(text: string): readonly string[] {
  const names = new Set<string>()
  for (const match of text.slice(0, LONGEST).matchAll(/([A-Za-z_]\w*)\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))/g))
    names.add(match[1]!)
  for (const match of text.slice(0, LONGEST).matchAll(/(?:\+\+|--)\s*([A-Za-z_]\w*)/g)) names.add(match[1]!)
  return [...names]
}

const TOKEN =
  /\s*(?:(\d+#[0-9A-Za-z@_]+|0[xX][0-9A-Fa-f]+|\d+)|([A-Za-z_]\w*)|(<<=|>>=|\*\*|\+\+|--|&&|\|\||<<|>>|<=|>=|==|!=|[-+*/%&|^]=|[-+*/%&|^~!<>=?:,()[\]]))/y

function tokenize(text: string): string[] | undefined {
  const tokens: string[] = []
  TOKEN.lastIndex = 0
  const end = text.trimEnd().length
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(text)
    if (!match) return undefined
    tokens.push(match[1] ?? match[2] ?? match[3]!)
  }
  return tokens
}

const take = (state: State, token: string): boolean => {
  if (state.tokens[state.at] !== token) return false
  state.at++
  return true
}

const NAME = /^[A-Za-z_]/

function* comma(state: State, live: Live): Asking<Number64> {
  if (++state.deep > DEEPEST) throw new Unreadable()
  let value = yield* assignment(state, live)
  while (take(state, ',')) value = yield* assignment(state, live)
  state.deep--
  return value
}

const ASSIGN = new Set(['=', '+=', '-=', '*=', '/=', '%=', '&=', '|=', '^=', '<<=', '>>='])

function* assignment(state: State, live: Live): Asking<Number64> {
  if (++state.deep > DEEPEST) throw new Unreadable()
  const name = state.tokens[state.at]
  const operator = state.tokens[state.at + 1]
  let value: Number64
  if (name !== undefined && NAME.test(name) && operator !== undefined && ASSIGN.has(operator)) {
    state.at += 2
    const old = operator === '=' ? 0n : yield* variable(state, name)
    const right = yield* assignment(state, live)
    value = operator === '=' ? right : binary(operator.slice(0, -1), old, right)
    set(state, name, value, live)
  } else value = yield* conditional(state, live)
  state.deep--
  return value
}

function set(state: State, name: string, value: Number64, live: Live): void {
  if (live === 'no') return
  state.numbers.assign(name, live === 'yes' ? value : undefined)
}

const both = (a: Live, b: Live): Live => (a === 'no' || b === 'no' ? 'no' : a === 'yes' ? b : a)

function* conditional(state: State, live: Live): Asking<Number64> {
  const test = yield* logical(state, live, 0)
  if (!take(state, '?')) return test
  const yes = yield* comma(state, both(live, test === undefined ? 'perhaps' : test !== 0n ? 'yes' : 'no'))
  if (!take(state, ':')) throw new Unreadable()
  if (++state.deep > DEEPEST) throw new Unreadable()
  const no = yield* assignment(state, both(live, test === undefined ? 'perhaps' : test === 0n ? 'yes' : 'no'))
  state.deep--
  if (test !== undefined) return test !== 0n ? yes : no
  return yes === no ? yes : undefined
}

/** `||` (level 0) and `&&` (level 1), which decide whether their right side is computed. */
function* logical(state: State, live: Live, level: 0 | 1): Asking<Number64> {
  let left = level === 0 ? yield* logical(state, live, 1) : yield* chain(state, live, 0)
  while (take(state, level === 0 ? '||' : '&&')) {
    const decided = left === undefined ? undefined : level === 0 ? left !== 0n : left === 0n
    const inner = both(live, decided === undefined ? 'perhaps' : decided ? 'no' : 'yes')
    const right = level === 0 ? yield* logical(state, inner, 1) : yield* chain(state, inner, 0)
    if (decided === true) left = level === 0 ? 1n : 0n
    else if (left === undefined)
      left = right !== undefined && (right !== 0n) === (level === 0) ? (level === 0 ? 1n : 0n) : undefined
    else left = right === undefined ? undefined : right !== 0n ? 1n : 0n
  }
  return left
}

/** Binary operators that compute both sides, loosest first. */
const LEVELS: readonly ReadonlySet<string>[] = [
  new Set(['|']),
  new Set(['^']),
  new Set(['&']),
  new Set(['==', '!=']),
  new Set(['<', '<=', '>', '>=']),
  new Set(['<<', '>>']),
  new Set(['+', '-']),
  new Set(['*', '/', '%']),
]

function* chain(state: State, live: Live, level: number): Asking<Number64> {
  const operators = LEVELS[level]
  if (!operators) return yield* power(state, live)
  let left = yield* chain(state, live, level + 1)
  for (;;) {
    const operator = state.tokens[state.at]
    if (operator === undefined || !operators.has(operator)) return left
    state.at++
    left = binary(operator, left, yield* chain(state, live, level + 1))
  }
}

/** `**` binds to the right. */
function* power(state: State, live: Live): Asking<Number64> {
  const left = yield* unary(state, live)
  if (!take(state, '**')) return left
  if (++state.deep > DEEPEST) throw new Unreadable()
  const right = yield* power(state, live)
  state.deep--
  return binary('**', left, right)
}

function* unary(state: State, live: Live): Asking<Number64> {
  if (++state.deep > DEEPEST) throw new Unreadable()
  const value = yield* unaryInner(state, live)
  state.deep--
  return value
}

function* unaryInner(state: State, live: Live): Asking<Number64> {
  const token = state.tokens[state.at]
  if (token === '++' || token === '--') {
    const name = state.tokens[state.at + 1]
    if (name === undefined || !NAME.test(name)) {
      // `--5` is two signs.
      state.at++
      return yield* unary(state, live)
    }
    state.at += 2
    const value = binary(token[0]!, yield* variable(state, name), 1n)
    set(state, name, value, live)
    return value
  }
  if (token === '+' || token === '-' || token === '!' || token === '~') {
    state.at++
    const value = yield* unary(state, live)
    if (value === undefined) return undefined
    if (token === '!') return value === 0n ? 1n : 0n
    return token === '+' ? value : wrap(token === '-' ? -value : ~value)
  }
  return yield* primary(state, live)
}

function* primary(state: State, live: Live): Asking<Number64> {
  const token = state.tokens[state.at++]
  if (token === undefined) throw new Unreadable()
  if (token === '(') {
    const value = yield* comma(state, live)
    if (!take(state, ')')) throw new Unreadable()
    return value
  }
  if (/^\d/.test(token)) return numberOf(token)
  if (!NAME.test(token)) throw new Unreadable()
  if (take(state, '[')) {
    // An element of an array: its index is computed, its value is not known.
    yield* comma(state, live)
    if (!take(state, ']')) throw new Unreadable()
    const next = state.tokens[state.at]
    if (next === '++' || next === '--') state.at++
    else if (next !== undefined && ASSIGN.has(next)) {
      state.at++
      yield* assignment(state, live)
    }
    return undefined
  }
  const value = yield* variable(state, token)
  const next = state.tokens[state.at]
  if (next === '++' || next === '--') {
    state.at++
    set(state, token, binary(next[0]!, value, 1n), live)
  }
  return value
}

/** The number that a variable's text stands for: a number, or an expression again. */
function* variable(state: State, name: string): Asking<Number64> {
  const text = yield* state.numbers.read(name)
  if (text === undefined) return undefined
  const trimmed = text.trim()
  if (trimmed === '') return 0n
  if (/^[-+]?\d+$/.test(trimmed) && trimmed.length < 40) {
    const digits = trimmed.replace(/^[-+]/, '')
    const value = numberOf(digits)
    return trimmed.startsWith('-') && value !== undefined ? wrap(-value) : value
  }
  if (state.indirect >= MOST_INDIRECT) return undefined
  return yield* evaluateText(trimmed, state.numbers, state.indirect + 1, state.spent)
}

/** Decimal, `0x` hexadecimal, `0` octal, `base#digits`. */
function numberOf(token: string): Number64 {
  if (token.length > 80) return undefined
  const based = /^(\d+)#(.+)$/.exec(token)
  if (based) return inBase(based[2]!, Number(based[1]))
  if (/^0[xX]/.test(token)) return wrap(BigInt(token))
  return /^0\d/.test(token) ? inBase(token.slice(1), 8) : wrap(BigInt(token))
}

const DIGITS = '0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ@_'

function inBase(digits: string, base: number): Number64 {
  if (base < 2 || base > 64) throw new Unreadable()
  let value = 0n
  for (const digit of base <= 36 ? digits.toLowerCase() : digits) {
    const n = DIGITS.indexOf(digit)
    if (n === -1 || n >= base) throw new Unreadable()
    value = wrap(value * BigInt(base) + BigInt(n))
  }
  return value
}

function binary(operator: string, a: Number64, b: Number64): Number64 {
  if (a === undefined || b === undefined) return undefined
  const truth = (yes: boolean): bigint => (yes ? 1n : 0n)
  switch (operator) {
    case '+':
      return wrap(a + b)
    case '-':
      return wrap(a - b)
    case '*':
      return wrap(a * b)
    case '/':
      return b === 0n ? undefined : wrap(a / b)
    case '%':
      return b === 0n ? undefined : wrap(a % b)
    case '**':
      return b < 0n ? undefined : raise(a, b)
    case '<<':
      return wrap(a << BigInt.asUintN(6, b))
    case '>>':
      return wrap(a >> BigInt.asUintN(6, b))
    case '&':
      return a & b
    case '|':
      return a | b
    case '^':
      return a ^ b
    case '==':
      return truth(a === b)
    case '!=':
      return truth(a !== b)
    case '<':
      return truth(a < b)
    case '<=':
      return truth(a <= b)
    case '>':
      return truth(a > b)
    case '>=':
      return truth(a >= b)
    default:
      return undefined
  }
}

/** Powers modulo 2^64, in as many steps as the exponent has bits. */
function raise(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if ((rest & 1n) === 1n) result = wrap(result * square)
    square = wrap(square * square)
  }
  return result
}
