/** Calls: rows of the table become doings, functions of the program itself are gone through with their arguments. */
import type { Span } from '../core/value.ts'
import { unknown } from '../core/value.ts'
import { Cursor } from './cursor.ts'
import { chdirOf, deedsOf, freshOf } from './deeds.ts'
import type { CallOf, CallRow } from './grammar.ts'
import { handedOn, indirectOf, passedAlong } from './indirect.ts'
import { bindParameter } from './members.ts'
import { bind, type Program } from './program.ts'
import { MOST_CALLS, MOST_CALLS_DEEP, Scope } from './state.ts'
import { eitherThing, elementOf, list, ofValue, type Thing, UNKNOWN } from './things.ts'

export interface Given {
  readonly args: readonly Thing[]
  readonly named: ReadonlyMap<string, Thing>
}

type Name = Extract<Thing, { is: 'name' }>

/** Methods that call their argument once for each element of what they belong to. */
const EACH = new Set(
  'forEach map filter some every find flatMap each each_entry each_line select reject collect any_ all_'.split(' '),
)

/** The table's name of a method: by the type of what it belongs to, else by the method alone. */
function namesOf(callee: Name, p: Program): readonly string[] {
  const full = p.grammar.canonical?.(callee.name) ?? callee.name
  const method = full.split(/[.:]+|->/).at(-1)!
  if (callee.self?.is === 'object') return [`${callee.self.type}.${method}`, `?.${method}`]
  if (callee.self === undefined) return [full]
  return callee.self.is === 'name' ? [full, `?.${method}`] : [`?.${method}`]
}

/** Whether the table, or the program itself, knows what a name does. */
export const isKnown = (p: Program, callee: Name): boolean =>
  namesOf(callee, p).some((name) => p.rows.has(name) || Object.hasOwn(p.grammar.gives, name)) ||
  p.byName.has(callee.name.split(/[.:]+|->/).at(-1)!)

/** Performs a call and tells what it gives. */
export function call(p: Program, callee: Thing, given: Given, span: Span): Thing {
  if (callee.is === 'function') return callFunction(p, callee.index, given.args)
  const names = callee.is === 'name' ? namesOf(callee, p) : []
  // A method of anything is first of all the program's own one of that name.
  const isOwn = (name: string) => name.startsWith('?.') && p.byName.has(name.slice(2))
  const found = names.find((name) => (p.rows.has(name) && !isOwn(name)) || Object.hasOwn(p.grammar.gives, name))
  // What a table knows by this name is that: `subprocess.call` calls no `subprocess`.
  const other = found === undefined ? indirectOf(p, callee, given) : undefined
  if (other) return call(p, other.callee, other, span)
  if (callee.is !== 'name') return callbacks(p, undefined, given, span)
  const about = (name: string): CallOf => ({ name, self: callee.self, ...given, known: p.known })
  if (found === undefined) {
    const own = p.byName.get(names[0]!.split(/[.:]+|->/).at(-1)!)
    if (own !== undefined) return callFunction(p, own, given.args, p.codes[own]!.params[0] === 'self' ? 1 : 0)
    return passedAlong(callee, given) ?? callbacks(p, callee, given, span)
  }
  const place = { span, language: p.grammar.language, cwd: p.progress.cwd }
  for (const row of p.rows.get(found) ?? []) {
    p.doings.push(...deedsOf(row, about(found), place))
    const cwd = chdirOf(row, about(found), place)
    if (cwd) p.progress.cwd = cwd
  }
  const fresh = p.rows
    .get(found)
    ?.map((row) => freshOf(row, about(found), place))
    .find((one) => one !== undefined)
  if (fresh) {
    p.doings.push(fresh.doing)
    return ofValue(fresh.value)
  }
  const back = callbacks(p, callee, given, span, true)
  const give = Object.hasOwn(p.grammar.gives, found) ? p.grammar.gives[found] : undefined
  return give?.(about(found)) ?? (fetches(p.rows.get(found)) ? REMOTE : back)
}

const REMOTE = { is: 'unknown', value: unknown('input', ['remote']) } as const satisfies Thing

const fetches = (rows: readonly CallRow[] | undefined): boolean =>
  rows?.some((row) => /\b(fetch|send)\b/.test(row.does)) === true

/** Functions given as arguments run: with each element where that is how the method works. */
function callbacks(p: Program, callee: Name | undefined, given: Given, span: Span, known = false): Thing {
  const { args } = given
  const method = callee?.name.split(/[.:]+|->/).at(-1) ?? ''
  const self = callee?.self
  const remote = [self, ...args].some((thing) => thing?.is === 'unknown' && thing.value === REMOTE.value)
  if (!known) {
    const rowsOf = (name: Name) => namesOf(name, p).flatMap((one) => p.rows.get(one) ?? [])
    for (const one of handedOn(callee, given, rowsOf)) call(p, one.callee, one, span)
  }
  for (const arg of args) {
    const index = arg.is === 'function' ? arg.index : undefined
    if (index === undefined) continue
    if (p.grammar.language === 'perl')
      bind(p, '$_', elementOf(list(args.flatMap((one) => (one.is === 'list' ? one.items : [])))), true)
    callFunction(p, index, argumentsOf(method, self, remote || self === REMOTE))
  }
  return remote ? REMOTE : UNKNOWN
}

/** What a function that is given to a method gets: an element each, what a promise gives, what came from the network. */
function argumentsOf(method: string, self: Thing | undefined, remote: boolean): readonly Thing[] {
  if (EACH.has(method) && self) return [elementOf(self)]
  if (remote) return [REMOTE]
  return (method === 'then' || method === 'tap') && self ? [self] : []
}

/** Goes through a function's body with these arguments; parameters without one are unknown. */
export function callFunction(p: Program, index: number, args: readonly Thing[], skip = 0): Thing {
  const code = p.codes[index]!
  const { progress } = p
  if (progress.running.includes(index) || progress.running.length >= MOST_CALLS_DEEP) return UNKNOWN
  if (progress.calls++ > MOST_CALLS) {
    progress.limited = true
    return UNKNOWN
  }
  code.seen = true
  const before = { cursor: p.cursor, scope: progress.scope, blocks: progress.blocks }
  progress.scope = new Scope(code.scope)
  progress.blocks = []
  code.params.slice(skip).forEach((name, i) => bindParameter(p, name, args[i] ?? UNKNOWN))
  if (p.grammar.language === 'perl') bind(p, '@_', list(args), true)
  progress.running.push(index)
  progress.returns.push([])
  p.cursor = new Cursor(code.tokens)
  p.cursor.at = code.from
  p.cursor.end = code.to
  let result: Thing = UNKNOWN
  if (code.expression) result = p.expression(p)
  else p.statements(p, code.to)
  const returns = progress.returns.pop()!
  progress.running.pop()
  p.cursor = before.cursor
  progress.scope = before.scope
  progress.blocks = before.blocks
  if (code.expression) return result
  return returns.length === 0 ? UNKNOWN : returns.reduce((all, one) => eitherThing(all, one))
}
