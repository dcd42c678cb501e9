/** Functions of the program: where their bodies begin and end. They are gone through when something calls them. */

import type { Token } from './lexer.ts'
import type { Program } from './program.ts'
import type { Thing } from './things.ts'

/** Notes a function; parameters stand between two token indexes. */
export function addFunction(
  p: Program,
  name: string,
  paramsFrom: number,
  paramsTo: number,
  from: number,
  to: number,
  isExpression: boolean,
): Thing {
  const noted = p.byPlace.get(from)
  if (noted !== undefined && p.codes[noted]!.tokens === p.cursor.tokens) {
    p.codes[noted]!.scope = p.progress.scope
    return { is: 'function', index: noted }
  }
  const index = p.codes.length
  p.byPlace.set(from, index)
  p.codes.push({
    tokens: p.cursor.tokens,
    name,
    params: parameterNames(p.cursor.tokens.slice(paramsFrom, paramsTo)),
    from,
    to: Math.max(from, to),
    expression: isExpression,
    scope: p.progress.scope,
    seen: false,
  })
  if (name !== '') p.byName.set(name, index)
  return { is: 'function', index }
}

/** Names of parameters on the outer level: no types, no defaults. A pattern is written `{name,key:name}`. */
function parameterNames(tokens: readonly Token[]): readonly string[] {
  const names: string[] = []
  let depth = 0
  let fresh = true
  for (const [i, token] of tokens.entries()) {
    if (token.text === '{' && token.t === 'punct' && depth === 0 && fresh) {
      names.push(objectPattern(tokens, i))
      fresh = false
    }
    if (token.t === 'punct' && ['(', '[', '{'].includes(token.text)) depth++
    else if (token.t === 'punct' && [')', ']', '}'].includes(token.text)) depth--
    else if (token.text === ',' && depth === 0) fresh = true
    else if (
      token.t === 'name' &&
      fresh &&
      depth === 0 &&
      !/^[A-Z]\w*$|^(string|int|array|bool|float|mixed|object)$/.test(token.text)
    ) {
      names.push(token.text)
      fresh = false
    }
  }
  return names
}

/** The plain names of `{a, b: c}`; what is nested or has a default is left out. */
function objectPattern(tokens: readonly Token[], open: number): string {
  const pairs: string[] = []
  for (let i = open + 1; i < tokens.length && tokens[i]!.text !== '}'; i++) {
    const before = tokens[i - 1]!.text
    if (tokens[i]!.t !== 'name' || (before !== '{' && before !== ',')) continue
    const renamed = tokens[i + 1]?.text === ':' && tokens[i + 2]?.t === 'name'
    pairs.push(renamed ? `${tokens[i]!.text}:${tokens[i + 2]!.text}` : tokens[i]!.text)
  }
  return `{${pairs.join(',')}}`
}

/** `function (a) {…}`, `(a, b) => …`, `a => …`, `lambda a: …`, `sub {…}`, `-> (a) {…}`, `{ |a| … }`. Else undefined. */
export function functionLiteral(p: Program, blockOnly = false): Thing | undefined {
  const { cursor, grammar } = p
  const token = cursor.peek()
  if (token === undefined) return undefined
  switch (grammar.language) {
    case 'javascript':
      return arrow(p, token)
    case 'php':
      if (token.text === 'fn' || token.text === 'function') return keywordFunction(p)
      return undefined
    case 'python':
      return token.t === 'name' && token.text === 'lambda' ? lambda(p) : undefined
    case 'perl': {
      const before = cursor.tokens[cursor.at - 1]
      if (token.t === 'punct' && token.text === '{' && before && LISTS.has(before.text)) {
        const open = cursor.at
        const end = cursor.closing(open)
        cursor.at = Math.min(end + 1, cursor.end)
        return addFunction(p, '', open, open, open + 1, end, false)
      }
      return token.t === 'name' && token.text === 'sub' ? keywordFunction(p) : undefined
    }
    case 'lua':
      return token.t === 'name' && token.text === 'function' ? keywordFunction(p) : undefined
    case 'ruby':
      if (token.text === '->' && !blockOnly) {
        cursor.at++
        if (cursor.is('(')) cursor.at = cursor.closing(cursor.at) + 1
        return rubyBlock(p)
      }
      return blockOnly ? rubyBlock(p) : undefined
    default:
      return undefined
  }
}

/** Perl's functions that take a block before their list. */
const LISTS = new Set(['map', 'grep', 'sort', 'first', 'any', 'all', 'find'])

function arrow(p: Program, token: Token): Thing | undefined {
  const { cursor } = p
  if (token.t === 'name' && token.text === 'async') {
    const next = cursor.after(1)
    if (next?.text === '(' || next?.text === 'function' || cursor.after(2)?.text === '=>') {
      cursor.at++
      const inner = cursor.peek()
      const made = inner && arrow(p, inner)
      if (!made) cursor.at--
      return made
    }
  }
  if (token.t === 'name' && token.text === 'function') return keywordFunction(p)
  if (token.t === 'name' && cursor.after(1)?.text === '=>') {
    const at = cursor.at
    return arrowBody(p, at, at + 1, at + 2)
  }
  if (token.text !== '(' || token.t !== 'punct') return undefined
  const close = cursor.closing(cursor.at)
  let next = close + 1
  // A return type may stand between: `(a): T => …`.
  if (cursor.tokens[next]?.text === ':') {
    const mark = cursor.find('=>', next, Math.min(cursor.end, next + 12))
    if (mark > 0) next = mark
  }
  return cursor.tokens[next]?.text === '=>' && next < cursor.end
    ? arrowBody(p, cursor.at + 1, close, next + 1)
    : undefined
}

function arrowBody(p: Program, paramsFrom: number, paramsTo: number, body: number): Thing {
  const { cursor } = p
  let from = body
  while (cursor.tokens[from]?.t === 'newline') from++
  if (cursor.tokens[from]?.text === '{') {
    const end = cursor.closing(from)
    cursor.at = Math.min(end + 1, cursor.end)
    return addFunction(p, '', paramsFrom, paramsTo, from + 1, end, false)
  }
  const end = expressionEnd(p, from)
  cursor.at = end
  return addFunction(p, '', paramsFrom, paramsTo, from, end, true)
}

/** The first token behind `from` that surely ends an expression: a comma, semicolon or bracket further out, or a newline. */
function expressionEnd(p: Program, from: number): number {
  const { cursor } = p
  let depth = 0
  for (let i = from; i < cursor.end; i++) {
    const token = cursor.tokens[i]!
    if (token.t === 'newline' && depth === 0 && i > from) {
      let next = i
      while (cursor.tokens[next]?.t === 'newline') next++
      if (!p.grammar.members.includes(cursor.tokens[next]?.text ?? '')) return i
      continue
    }
    if (token.t !== 'punct') continue
    if (['(', '[', '{'].includes(token.text)) depth++
    else if ([')', ']', '}'].includes(token.text)) {
      if (depth === 0) return i
      depth--
    } else if (depth === 0 && (token.text === ',' || token.text === ';')) return i
  }
  return cursor.end
}

/** `function NAME (params) {body}` as an expression; the name, where given, is kept. */
export function keywordFunction(p: Program): Thing | undefined {
  const { cursor, grammar } = p
  const start = cursor.at
  cursor.at++
  cursor.take('*')
  const name = cursor.peek()?.t === 'name' ? cursor.next()!.text : ''
  const open = cursor.at
  const hasParams = cursor.is('(')
  const close = hasParams ? cursor.closing(open) : open - 1
  if (grammar.language === 'lua') {
    const end = endOf(p, close + 1)
    cursor.at = Math.min(end + 1, cursor.end)
    return addFunction(p, name.split(/[.:]/).at(-1)!, open + 1, close, close + 1, end, false)
  }
  const mark = Math.min(cursor.end, close + 40)
  const shortBody = cursor.find('=>', close + 1, mark)
  const brace = bodyBrace(p, close + 1, mark)
  if (name === '' && shortBody > 0 && (brace < 0 || shortBody < brace))
    return arrowBody(p, open + 1, close, shortBody + 1)
  if (brace < 0) {
    cursor.at = start + 1
    return undefined
  }
  const end = cursor.closing(brace)
  cursor.at = Math.min(end + 1, cursor.end)
  return addFunction(p, name, hasParams ? open + 1 : open, hasParams ? close : open, brace + 1, end, false)
}

/** Notes all functions with a name before anything runs: brace languages let them be called above their place. */
export function hoist(p: Program): void {
  const { cursor } = p
  for (let i = 0; i < cursor.end; i++) {
    const token = cursor.tokens[i]!
    if (token.t !== 'name' || (token.text !== 'function' && token.text !== 'sub')) continue
    if (cursor.tokens[i + 1]?.t !== 'name' || cursor.tokens[i - 1]?.text === '.') continue
    cursor.at = i
    keywordFunction(p)
  }
  cursor.at = 0
}

/** The brace that opens a body, behind parameters and types; a type that is an object literal follows a colon. */
function bodyBrace(p: Program, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    const text = p.cursor.tokens[i]!.text
    if (text === '{') return i
    if (text === ';' || text === ')') return -1
  }
  return -1
}

function lambda(p: Program): Thing {
  const { cursor } = p
  const from = cursor.at + 1
  const colon = cursor.find(':', from, cursor.end)
  const body = colon < 0 ? cursor.end : colon + 1
  const end = expressionEnd(p, body)
  cursor.at = end
  return addFunction(p, '', from, colon < 0 ? from : colon, body, end, true)
}

/** `{ |a| … }` or `do |a| … end`. */
function rubyBlock(p: Program): Thing | undefined {
  const { cursor } = p
  const token = cursor.peek()
  const brace = token?.t === 'punct' && token.text === '{'
  if (!brace && !(token?.t === 'name' && token.text === 'do')) return undefined
  const open = cursor.at
  const end = brace ? cursor.closing(open) : endOf(p, open + 1)
  let from = open + 1
  let paramsTo = from
  if (cursor.tokens[from]?.text === '|') {
    paramsTo = from + 1
    while (paramsTo < end && cursor.tokens[paramsTo]!.text !== '|') paramsTo++
  }
  const paramsFrom = from + 1
  if (paramsTo > from) from = paramsTo + 1
  cursor.at = Math.min(end + 1, cursor.end)
  return addFunction(p, '', paramsFrom, Math.max(paramsFrom, paramsTo), from, end, false)
}

const OPENERS = new Set(['do', 'def', 'class', 'module', 'case', 'begin', 'function', 'repeat'])
const CONDITIONS = new Set(['if', 'unless', 'while', 'until', 'for'])

/** The index of the `end` that closes a block whose inside begins at `from`. */
export function endOf(p: Program, from: number): number {
  const { tokens, end } = p.cursor
  const lua = p.grammar.language === 'lua'
  let depth = 1
  let loop = false
  for (let i = from; i < end; i++) {
    const token = tokens[i]!
    if (token.t === 'newline') loop = false
    if (token.t !== 'name' || tokens[i - 1]?.text === '.') continue
    if (token.text === 'end' || (lua && token.text === 'until')) {
      depth--
      if (depth === 0) return i
    } else if (CONDITIONS.has(token.text)) {
      const before = tokens[i - 1]
      // `x if y` opens nothing; `while c do` and `for a in b do` open once.
      const opens =
        lua ||
        before === undefined ||
        before.t === 'newline' ||
        [';', '=', '(', 'then', 'else', 'do', '{', '|'].includes(before.text)
      if (opens) depth++
      if (opens && token.text !== 'if' && token.text !== 'unless') loop = true
    } else if (OPENERS.has(token.text)) {
      if (token.text === 'do' && loop) loop = false
      else depth++
    }
  }
  return end
}
