/** Reads a program by its grammar: text → doings. */
import type { Doing } from '../commands/doing.ts'
import type { Arg } from '../core/value.ts'
import { call, callFunction } from './calls.ts'
import { Cursor } from './cursor.ts'
import { expression } from './expressions.ts'
import { hoist } from './functions.ts'
import type { CallRow, Grammar, Known } from './grammar.ts'
import { lex } from './lexer.ts'
import { newProgram, type Program } from './program.ts'
import { statements } from './statements.ts'
import { asValue, list, named, ofValue, type Thing, UNKNOWN } from './things.ts'

const tables = new WeakMap<Grammar, ReadonlyMap<string, readonly CallRow[]>>()

function rowsOf(grammar: Grammar): ReadonlyMap<string, readonly CallRow[]> {
  let rows = tables.get(grammar)
  if (rows === undefined) {
    const map = new Map<string, CallRow[]>()
    for (const row of grammar.rows)
      for (const name of row.call.split(' ')) map.set(name, [...(map.get(name) ?? []), row])
    rows = map
    tables.set(grammar, rows)
  }
  return rows
}

const opaque = (grammar: Grammar, why: string): Doing => ({
  do: 'opaque',
  what: `${grammar.language} program`,
  note: why,
})

/** What a program does, as far as its table of functions tells. Bounded: what is too long or too deep is opaque. */
export function readProgram(grammar: Grammar, source: string, args: readonly Arg[], known: Known): readonly Doing[] {
  const tokens = lex(source, grammar.lexing)
  if (tokens === undefined) return [opaque(grammar, 'too-long')]
  const p: Program = newProgram({
    grammar,
    known: { ...known, args: args.map((arg) => ofValue(arg.value)) },
    cursor: new Cursor(tokens),
    rows: rowsOf(grammar),
    statements,
    expression,
    inner: (program, code) => asValue(inside(program, code)),
  })
  if (grammar.blocks === 'brace') hoist(p)
  statements(p, tokens.length)
  if (grammar.language === 'perl') inPlace(p)
  rest(p)
  return p.progress.limited ? [...p.doings, opaque(grammar, 'budget')] : p.doings
}

/** `$^I = ""` is the option `-i`: the files that are read by `<>` are edited. */
function inPlace(p: Program): void {
  const suffix = p.progress.scope.get('$^I')
  if (suffix === undefined || suffix.is === 'name') return
  const files = p.progress.scope.get('@ARGV') ?? list(p.known.args)
  call(p, named('$^I'), { args: [files], named: new Map() }, { from: 0, to: 0 })
}

/** Code within a string: its value, and what it does. */
function inside(p: Program, code: string): Thing {
  const tokens = lex(code, p.grammar.lexing)
  if (tokens === undefined) return UNKNOWN
  const outer = p.cursor
  p.cursor = new Cursor(tokens)
  p.cursor.nest = outer.nest + 1
  const thing = outer.nest > 20 ? UNKNOWN : expression(p)
  p.cursor = outer
  return thing
}

/** Functions that nothing called by name here, but that something may call: without a name, or named elsewhere. */
function rest(p: Program): void {
  const mentions = new Map<string, number>()
  for (const token of p.cursor.tokens)
    if (token.t === 'name') mentions.set(token.text, (mentions.get(token.text) ?? 0) + 1)
  for (let i = 0; i < p.codes.length; i++) {
    const code = p.codes[i]!
    if (code.seen || p.progress.limited) continue
    if (code.name === '' || (mentions.get(code.name) ?? 0) > 1) callFunction(p, i, [])
  }
}
