/**
 * Calls that only name what they call: `map(f, list)`, `partial(f, x)`, `send(:f, x)`, `f.call(this, x)`, `$f(x)`. They are
 * taken for the call that comes of them.
 */
import { exact, textOf } from '../core/value.ts'
import type { Given } from './calls.ts'
import type { CallRow } from './grammar.ts'
import type { Program } from './program.ts'
import { asValue, elementOf, named, type Thing } from './things.ts'

export interface Indirect extends Given {
  readonly callee: Thing
}

type Name = Extract<Thing, { is: 'name' }>

const NONE: ReadonlyMap<string, Thing> = new Map()

const lastOf = (name: string): string => name.split(/[.:]+|->/).at(-1)!

/** Functions of PHP that call another by its name; the place of that name. */
const BY_NAME: Readonly<Record<string, number>> = {
  array_map: 0,
  array_walk: 1,
  array_filter: 1,
  array_reduce: 1,
  usort: 1,
  call_user_func: 0,
  call_user_func_array: 0,
  forward_static_call: 0,
  register_shutdown_function: 0,
}

/** Of these the arguments are lists, and the function gets their elements. */
const WITH_ELEMENTS = /^(?:array_|usort|call_user_func_array)/

/** Only look at what they are given. */
const LOOKS =
  /^(?:help|print|repr|str|type|callable|id|dir|vars|hasattr|isinstance|issubclass|setattr|inspect|describe|typeof|defined|expect|assert\w*|jest|vi|sinon|mock|patch|log|debug|info|typeof|is_callable|function_exists)$/

/** Keywords under which functions take another. */
const KEYWORDS = ['target', 'func', 'fn', 'function', 'callback', 'initializer'] as const

const word = (text: string): Thing => ({ is: 'text', value: exact(text) })

/** What a call comes to: another call, or nothing where it is what it says. */
export function indirectOf(p: Program, callee: Thing, given: Given): Indirect | undefined {
  const { language } = p.grammar
  if (callee.is === 'text') {
    const name = language === 'php' ? textOf(callee.value) : undefined
    return name === undefined ? undefined : { callee: named(name), ...given }
  }
  if (callee.is !== 'name') return undefined
  const method = lastOf(callee.name)
  const { self } = callee
  // GitPython: `repo.git.reset('--hard')` is that command.
  if (language === 'python' && self?.is === 'name' && /(?:^|\.)git$/.test(self.name) && self.self !== undefined)
    return {
      callee: named('gitpython'),
      args: [word('git'), word(method.replaceAll('_', '-')), ...given.args],
      named: NONE,
    }
  if (language === 'php' && Object.hasOwn(BY_NAME, method)) return byName(callee, method, given)
  if (language === 'ruby' && /^(?:send|__send__|public_send)$/.test(method)) return sent(self, given)
  if (callee.name === 'Reflect.apply' && given.args[0]) return { callee: given.args[0], ...spread(given.args[2]) }
  if (self?.is === 'name' || self?.is === 'function') return bound(self, method, given, language === 'javascript')
  return undefined
}

const spread = (thing: Thing | undefined): Given => ({
  args: thing?.is === 'list' ? thing.items : thing === undefined ? [] : [elementOf(thing)],
  named: NONE,
})

function byName(callee: Name, method: string, given: Given): Indirect | undefined {
  const place = BY_NAME[method]!
  const first = given.args[place]
  const name = first?.is === 'text' ? textOf(first.value) : undefined
  if ((name === undefined && first?.is !== 'function') || name === lastOf(callee.name)) return undefined
  const rest = given.args.filter((_arg, i) => i !== place)
  const args = WITH_ELEMENTS.test(method) ? rest.map(elementOf) : rest
  return { callee: name === undefined ? first! : named(name), args, named: NONE }
}

/** `FileUtils.send(:rm_rf, x)`, `Kernel.public_send("system", x)`, `send(:system, x)`. */
function sent(self: Thing | undefined, given: Given): Indirect | undefined {
  const [first, ...args] = given.args
  const name = first?.is === 'name' ? first.name : textOf(asValue(first))
  if (name === undefined) return undefined
  const own = self === undefined || (self.is === 'name' && /^(?:Kernel|Object|self)$/.test(self.name))
  const full = own ? name : self.is === 'name' ? `${self.name}.${name}` : `?.${name}`
  return { callee: own ? named(name) : named(full, self), args, named: given.named }
}

/** `f.call(this, x)`, `f.apply(this, [x])`, `f.bind(this, x)`, and Ruby's `method(:f).call(x)`. */
function bound(self: Thing, method: string, given: Given, withThis: boolean): Indirect | undefined {
  switch (method) {
    case 'call':
    case '__call__':
    case '__invoke':
    case 'invoke':
      // JavaScript gives `this` first.
      return { callee: self, args: given.args.slice(withThis && method === 'call' ? 1 : 0), named: given.named }
    case 'apply':
      return { callee: self, ...spread(given.args[1]) }
    case 'invokeArgs':
      return { callee: self, ...spread(given.args[0]) }
    case 'bind':
      return given.args.length > 1 ? { callee: self, args: given.args.slice(1), named: NONE } : undefined
    default:
      return undefined
  }
}

const CHANGES =
  /\b(?:delete|write|append|edit|move|copy|mode|unpack|argv|words|spawn|shell|program|eval|script|kill|open|chdir)/

/** Whether the table says that a function changes something. */
const isHarmful = (rows: readonly CallRow[] | undefined): boolean =>
  rows?.some(({ does }) => CHANGES.test(does)) === true

/**
 * Functions that a table knows, given as arguments to one that nobody knows: it may call them, with the other arguments or
 * with the elements of those that are lists.
 */
export function handedOn(
  callee: Name | undefined,
  given: Given,
  rowsOf: (name: Name) => readonly CallRow[] | undefined,
): readonly Indirect[] {
  if (callee !== undefined && (LOOKS.test(lastOf(callee.name)) || LOOKS.test(callee.name.split('.')[0]!))) return []
  const all: readonly Thing[] = [...given.args, ...KEYWORDS.flatMap((word) => given.named.get(word) ?? [])]
  const self = callee?.self
  return all.flatMap((thing): readonly Indirect[] => {
    if (thing.is !== 'name' || !isHarmful(rowsOf(thing))) return []
    const args = [
      ...(self !== undefined && callee !== undefined && lastOf(callee.name) === 'then' ? [self] : []),
      ...(self?.is === 'list' || (self?.is === 'text' && self.value.is === 'glob') ? [elementOf(self)] : []),
      ...given.args.filter((arg) => arg !== thing).map((arg) => (arg.is === 'list' ? elementOf(arg) : arg)),
      ...spread(given.named.get('args')).args,
    ]
    // With nothing to act on it is only passed along.
    return args.length === 0 ? [] : [{ callee: thing, args, named: NONE }]
  })
}

/** What `promisify(f)`, `f.bind(this)` and the like give: the function itself. */
export function passedAlong(callee: Name | undefined, given: Given): Thing | undefined {
  if (callee === undefined) return undefined
  const method = lastOf(callee.name)
  if (method === 'bind' && callee.self?.is === 'name' && given.args.length <= 1) return callee.self
  const [only] = given.args
  return given.args.length === 1 && only?.is === 'name' && /^(?:promisify|fromCallable|wrap|memoize|once)$/.test(method)
    ? only
    : undefined
}
