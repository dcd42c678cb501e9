/**
 * Expansion of make variables into shell text. What make takes from the environment stays a variable of the shell, what
 * `$(shell …)` prints stays a command substitution; what nobody knows becomes `${1}`, `${2}` … with an unknown value.
 */
import { type Arg, unknown, type Value } from '../../core/value.ts'
import { like } from './project.ts'

/** Nested references: deeper ones are circles. */
const MOST_DEPTH = 24
/** Characters that one expansion may give. */
const MOST_TEXT = 64 * 1024
/** References and characters of one call of make, so that `a = $(b)$(b)`, `b = $(c)$(c)` … ends soon. */
const MOST_STEPS = 100_000
const MOST_CHARACTERS = 4 * 1024 * 1024

/** A variable: what was assigned on each branch that may hold, in the language of make. */
export interface Variable {
  readonly texts: readonly string[]
  /** Assigned from outside with a value that is not one text. */
  readonly value?: Value
}

/** What the expansions of one call of make have cost. `over`: more than that; what comes after is not expanded. */
export interface Spent {
  steps: number
  characters: number
  over: boolean
}

export interface Lookup {
  get(name: string): Variable | undefined
}

export interface Expansion {
  readonly variables: Lookup
  /** Values that `${1}`, `${2}` … of the text stand for. */
  readonly open: Arg[]
  readonly like: Arg
  /** Variables that are being expanded: make stops at one that refers to itself. */
  readonly active: readonly string[]
  readonly spent: Spent
}

export const newExpansion = (variables: Lookup, like: Arg, spent: Spent): Expansion => ({
  variables,
  open: [],
  like,
  active: [],
  spent,
})

/** A stretch of shell text whose value is `value`. */
function opened(x: Expansion, value: Value): string {
  x.open.push({ ...x.like, value })
  return `\${${x.open.length}}`
}

/** Expands a text of make: `$(X)`, `${X}`, `$X`, functions, `$$`. */
export function expandMake(text: string, x: Expansion, depth = 0): string {
  let out = ''
  let i = 0
  while (i < text.length) {
    const dollar = text.indexOf('$', i)
    if (dollar < 0 || dollar === text.length - 1) return out + text.slice(i)
    out += text.slice(i, dollar)
    if (++x.spent.steps > MOST_STEPS || x.spent.characters > MOST_CHARACTERS) x.spent.over = true
    if (x.spent.over) return out
    if (out.length > MOST_TEXT) return opened(x, unknown('budget'))
    const next = text[dollar + 1]!
    if (next === '$') {
      out += '$'
      i = dollar + 2
    } else if (next === '(' || next === '{') {
      const end = closing(text, dollar + 1)
      if (end < 0) return out + text.slice(dollar)
      const made = reference(text.slice(dollar + 2, end), x, depth + 1)
      x.spent.characters += made.length
      out += made
      i = end + 1
    } else {
      out += variable(next, x, depth + 1)
      i = dollar + 2
    }
  }
  return out
}

/** The bracket that closes the one at `at`; -1 where there is none. */
export function closing(text: string, at: number): number {
  const open = text[at]!
  const close = open === '(' ? ')' : '}'
  let level = 0
  for (let i = at; i < text.length; i++) {
    if (text[i] === open) level++
    else if (text[i] === close && --level === 0) return i
  }
  return -1
}

function variable(name: string, x: Expansion, depth: number): string {
  const found = x.variables.get(name)
  if (found === undefined) return /^[A-Za-z_]\w*$/.test(name) ? `\${${name}}` : ''
  if (x.active.includes(name)) return ''
  if (depth > MOST_DEPTH) return opened(x, unknown('budget'))
  if (found.value !== undefined) return opened(x, found.value)
  const inner: Expansion = { ...x, active: [...x.active, name] }
  if (found.texts.length === 1) return expandMake(found.texts[0]!, inner, depth)
  const texts = found.texts.map((text) => expandMake(text, inner, depth))
  return texts.some((text) => text.includes('$')) ? opened(x, unknown('variable')) : opened(x, { is: 'oneOf', texts })
}

/** What stands between the brackets: a function call, `X:a=b`, or a name. */
function reference(inside: string, x: Expansion, depth: number): string {
  if (depth > MOST_DEPTH) return opened(x, unknown('budget'))
  const call = /^([a-z-]+)[ \t]+([\s\S]*)$/.exec(inside)
  if (call) {
    const made = invoke(call[1]!, call[2]!, x, depth)
    if (made !== undefined) return made
  }
  const substitution = /^([^:=$\s]+):([^=]*)=(.*)$/.exec(inside)
  if (substitution) {
    const [, name, from, to] = substitution as unknown as [string, string, string, string]
    const value = variable(name, x, depth)
    const suffix = from.includes('%') ? [from, to] : [`%${from}`, `%${to}`]
    return words(value, x, (word) => substitute(suffix[0]!, suffix[1]!, word))
  }
  return variable(expandMake(inside, x, depth), x, depth)
}

/** Arguments of a function, split at commas outside brackets. */
function split(text: string): readonly string[] {
  const out: string[] = []
  let level = 0
  let from = 0
  for (let i = 0; i < text.length; i++) {
    const c = text[i]
    if (c === '(' || c === '{') level++
    else if (c === ')' || c === '}') level--
    else if (c === ',' && level === 0) {
      out.push(text.slice(from, i))
      from = i + 1
    }
  }
  return [...out, text.slice(from)]
}

/** Does something to each word of a text, where its words are known. */
function words(text: string, x: Expansion, each: (word: string) => string): string {
  if (text.includes('$')) return opened(x, unknown('variable'))
  return text.split(/\s+/).filter(Boolean).map(each).join(' ')
}

function substitute(pattern: string, to: string, word: string): string {
  if (!pattern.includes('%')) return word === pattern ? to : word
  const [before, after] = pattern.split('%') as [string, string]
  if (!word.startsWith(before) || !word.endsWith(after) || word.length < before.length + after.length) return word
  return to.replace('%', () => word.slice(before.length, word.length - after.length))
}

const lastSlash = (word: string): number => word.lastIndexOf('/') + 1

function invoke(name: string, rest: string, x: Expansion, depth: number): string | undefined {
  const at = (i: number): string => expandMake((split(rest)[i] ?? '').replace(/^[ \t]+/, ''), x, depth)
  const all = (): string => expandMake(rest, x, depth)
  const list = (text: string): readonly string[] => text.split(/\s+/).filter(Boolean)
  switch (name) {
    case 'shell':
      return `$(${all()})`
    case 'wildcard':
    case 'strip':
    case 'abspath':
    case 'realpath':
      return all()
    case 'info':
    case 'warning':
    case 'error':
      return ''
    case 'value':
      return x.variables.get(all())?.texts[0] ?? ''
    case 'dir':
      return words(all(), x, (word) => word.slice(0, lastSlash(word)) || './')
    case 'notdir':
      return words(all(), x, (word) => word.slice(lastSlash(word)))
    case 'basename':
      return words(all(), x, (word) => word.replace(/\.[^./]*$/, ''))
    case 'suffix':
      return words(all(), x, (word) => /\.[^./]*$/.exec(word)?.[0] ?? '')
    case 'addprefix': {
      const prefix = at(0)
      return words(at(1), x, (word) => prefix + word)
    }
    case 'addsuffix': {
      const suffix = at(0)
      return words(at(1), x, (word) => word + suffix)
    }
    case 'subst': {
      const [from, to, text] = [at(0), at(1), at(2)]
      return from === '' || text.includes('$') ? text : text.split(from).join(to)
    }
    case 'patsubst': {
      const [from, to] = [at(0), at(1)]
      return words(at(2), x, (word) => substitute(from, to, word))
    }
    case 'filter':
    case 'filter-out': {
      const patterns = list(at(0)).map((pattern) => pattern.replace('%', '*'))
      const fits = (word: string) => patterns.some((pattern) => like(pattern, word)) === (name === 'filter')
      return words(at(1), x, (word) => (fits(word) ? word : ''))
    }
    case 'sort':
      return [...new Set(list(all()))].sort().join(' ')
    case 'firstword':
      return list(all())[0] ?? ''
    case 'lastword':
      return list(all()).at(-1) ?? ''
    case 'if': {
      const test = at(0).trim()
      if (test === '') return at(2)
      return test.includes('$') ? opened(x, unknown('variable')) : at(1)
    }
    case 'or':
    case 'and':
      return opened(x, unknown('variable'))
    case 'call': {
      const given = split(rest)
      const named = expandMake((given[0] ?? '').trim(), x, depth)
      const body = x.variables.get(named)
      if (body?.texts.length !== 1) return body === undefined ? '' : opened(x, unknown('variable'))
      const own = new Map(
        given.slice(1).map((text, i) => [String(i + 1), literal(expandMake(text, x, depth))] as const),
      )
      const variables: Lookup = { get: (one) => own.get(one) ?? x.variables.get(one) }
      const inner: Expansion = { ...x, variables }
      return expandMake(body.texts[0]!, inner, depth)
    }
    case 'foreach':
    case 'word':
    case 'wordlist':
    case 'words':
    case 'join':
    case 'findstring':
    case 'origin':
    case 'flavor':
    case 'file':
    case 'eval':
    case 'let':
    case 'guile':
    case 'intcmp':
      return opened(x, unknown('variable'))
    default:
      return undefined
  }
}

/** A text as it stands, for variables given from outside: make must not read its dollars. */
export const literal = (text: string): Variable => ({ texts: [text.replaceAll('$', '$$$$')] })

export const given = (value: Value): Variable => (value.is === 'exact' ? literal(value.text) : { texts: [], value })
