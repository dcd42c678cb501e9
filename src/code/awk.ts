/** awk: output to files and commands, input from commands, `system`. The rest of a program only computes. */
import type { Doing } from '../commands/doing.ts'
import { type Arg, concat, exact, unknown, type Value } from '../core/value.ts'
import { ENVIRONMENT, environment } from './common.ts'
import { Cursor } from './cursor.ts'
import type { Known } from './grammar.ts'
import { type Lexing, lex, quoted, type Special, type Token } from './lexer.ts'
import { asValue } from './things.ts'

function special(source: string, at: number, last: Token | undefined): Special | undefined {
  const c = source[at]!
  if (c === '\\' && source[at + 1] === '\n') return { t: 'skip', to: at + 2 }
  if (c === '"') return { t: 'string', ...quoted(source, at + 1, { close: '"', escapes: 'all', oneLine: true }) }
  const value =
    last && (last.t === 'name' || last.t === 'number' || last.t === 'string' || [')', ']', '$'].includes(last.text))
  if (c === '/' && !value)
    return { t: 'regex', to: quoted(source, at + 1, { close: '/', escapes: 'all', oneLine: true }).to }
  return undefined
}

const lexing: Lexing = {
  lineComments: ['#'],
  blockComments: [],
  name: /[A-Za-z_]\w*/y,
  operators: ['>>', '|&', '||', '&&', '==', '!=', '<=', '>=', '++', '--', '+=', '-=', '*=', '/=', '%=', '^=', '!~'],
  special,
}

const KEYWORDS = new Set([
  'print',
  'printf',
  'getline',
  'if',
  'else',
  'while',
  'for',
  'do',
  'in',
  'function',
  'func',
  'return',
  'BEGIN',
  'END',
  'next',
  'exit',
  'delete',
])

/** What a program prints into a command is not followed. */
const PRINTED = { text: unknown('input'), taints: [] } as const

/** A statement with more tokens is not followed to its end. */
const LONGEST = 400

/** Where a simple statement ends, from `from`. */
function statementEnd(cursor: Cursor, from: number): number {
  let depth = 0
  for (let i = from; i < Math.min(cursor.end, from + LONGEST); i++) {
    const token = cursor.tokens[i]!
    if (depth === 0 && (token.t === 'newline' || token.text === ';' || token.text === '}')) return i
    if (token.t !== 'punct') continue
    if (['(', '[', '{'].includes(token.text)) depth++
    else if ([')', ']', '}'].includes(token.text)) depth--
  }
  return Math.min(cursor.end, from + LONGEST)
}

/** What an awk program does. */
export function readAwk(source: string, _args: readonly Arg[], known: Known): readonly Doing[] {
  const tokens = lex(source, lexing)
  if (tokens === undefined) return [{ do: 'opaque', what: 'awk program', note: 'too-long' }]
  const cursor = new Cursor(tokens)
  const facts = { ...known, args: [] }
  const vars = new Map<string, Value>()
  const doings: Doing[] = []
  const arg = (value: Value, token: Token): Arg => ({
    value,
    span: { from: token.from, to: token.to },
    provenance: 'constant',
  })

  /** Neighbours are joined; a name is its variable, anything else unknown. */
  const value = (from: number, to: number): Value => {
    let all: Value = exact('')
    if (to - from > 60) return unknown('budget')
    for (let i = from; i < to; i++) {
      const token = tokens[i]!
      if (token.text === ',' || token.text === '?') return unknown('variable')
      if (token.t === 'string')
        all = concat(all, exact((token.pieces ?? []).map((piece) => (piece.is === 'text' ? piece.text : '')).join('')))
      else if (token.text === '(' && cursor.closing(i) < to) {
        const close = cursor.closing(i)
        all = concat(all, value(i + 1, close))
        i = close
      } else if (token.t === 'name' && token.text === 'ENVIRON' && tokens[i + 1]?.text === '[') {
        const close = cursor.closing(i + 1)
        const key = value(i + 2, close)
        all = concat(all, asValue(environment(key.is === 'exact' ? key.text : '', facts)))
        i = close
      } else if (token.t === 'name') {
        all = concat(all, vars.get(token.text) ?? unknown('variable'))
        if (tokens[i + 1]?.text === '(' || tokens[i + 1]?.text === '[') i = cursor.closing(i + 1)
      } else if (token.t === 'number') all = concat(all, exact(token.text))
      else {
        all = concat(all, unknown('variable'))
        if (token.text === '$') i++
      }
    }
    return all
  }

  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token.t !== 'name') continue
    if (token.text === 'system' && tokens[i + 1]?.text === '(') {
      doings.push({ do: 'code', language: 'sh', text: value(i + 2, cursor.closing(i + 1)) })
    } else if (token.text === 'print' || token.text === 'printf') {
      const end = statementEnd(cursor, i + 1)
      const mark = firstOf(cursor, ['>', '>>', '|', '|&'], i + 1, end)
      if (mark >= 0) {
        const to = value(mark + 1, end)
        const sign = tokens[mark]!.text
        if (sign.startsWith('|')) doings.push({ do: 'code', language: 'sh', text: to, stdin: PRINTED })
        else doings.push({ do: 'path', act: sign === '>' ? 'write' : 'append', at: arg(to, tokens[mark]!) })
      }
    } else if (token.text === 'getline') {
      const bar = tokens[i - 1]?.text
      if (bar === '|' || bar === '|&')
        doings.push({ do: 'code', language: 'sh', text: value(statementStart(tokens, i - 1), i - 1) })
      const end = statementEnd(cursor, i + 1)
      const from = firstOf(cursor, ['<'], i + 1, Math.min(end, i + 4))
      if (from >= 0) {
        const stop = firstOf(cursor, ['>', ')', '<', '&&', '||'], from + 1, end)
        doings.push({ do: 'path', act: 'read', at: arg(value(from + 1, stop < 0 ? end : stop), tokens[from]!) })
      }
    } else if (token.text === 'in' && tokens[i + 1]?.text === 'ENVIRON') {
      doings.push({
        do: 'out',
        content: { text: unknown('variable'), taints: ENVIRONMENT.is === 'unknown' ? (ENVIRONMENT.taints ?? []) : [] },
      })
    } else if (
      !KEYWORDS.has(token.text) &&
      tokens[i + 1]?.text === '=' &&
      !['.', '$'].includes(tokens[i - 1]?.text ?? '')
    ) {
      const end = statementEnd(cursor, i + 2)
      const set = value(i + 2, end)
      // A variable that is set twice may be either, so neither is relied on.
      vars.set(token.text, vars.has(token.text) ? unknown('variable') : set)
    }
  }
  return doings
}

function firstOf(cursor: Cursor, texts: readonly string[], from: number, to: number): number {
  const found = texts.map((text) => cursor.find(text, from, to)).filter((at) => at >= 0)
  return found.length === 0 ? -1 : Math.min(...found)
}

function statementStart(tokens: readonly Token[], to: number): number {
  for (let i = to - 1; i >= Math.max(0, to - LONGEST); i--) {
    const token = tokens[i]!
    if (token.t === 'newline' || ['{', '}', ';', '(', '&&', '||', '!'].includes(token.text)) return i + 1
  }
  return 0
}
