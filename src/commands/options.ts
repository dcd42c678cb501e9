/**
 * Reading options as GNU and POSIX programs do: bundles, attached values, `--long=value`, unambiguous abbreviations,
 * `--`. The specification is one string, so that a row reads like the manual page.
 *
 * Groups are separated by blanks. A group is the names of one option joined by `|`; the first is its canonical name.
 * `:` behind a group: it takes a value; a role may follow (`-o|--output:write`). `?` behind a group: an optional value
 * that must be attached (`-i?|--in-place?` or `-i|--in-place?`). No mark: a flag.
 */
import { type Arg, exact, type Value } from '../core/value.ts'

export interface Option {
  readonly name: string
  readonly value: 'none' | 'needed' | 'attached'
  readonly role: string | undefined
}

export interface Specification {
  readonly byName: ReadonlyMap<string, Option>
  readonly longNames: readonly string[]
}

export interface Parsed {
  /** Canonical names of all options given, and unlisted ones as written. */
  readonly flags: ReadonlySet<string>
  /** Values of options by canonical name, in order. */
  readonly values: ReadonlyMap<string, readonly Arg[]>
  readonly operands: readonly Arg[]
  /** Options and operands in the order they were written: an operand has the option name `''`. */
  readonly order: readonly { readonly option: string; readonly arg: Arg | undefined }[]
  /** True where a word of unknown text stands before `--`: it may hold options that nobody sees. */
  readonly unsure: boolean
  /** True where such a word surely is an option: `-r$X`, `--$X`. */
  readonly hidden: boolean
}

/**
 * The specification of a string, compiled at the first look: one call needs few of the many that the tables hold. Throws
 * then on a malformed one: a fault in our own table, seen by the corpus of the command.
 */
export function specify(text: string): Specification {
  const compiled = (): Specification => {
    let made = compiledTexts.get(text)
    if (made === undefined) {
      made = compile(text)
      compiledTexts.set(text, made)
    }
    return made
  }
  return {
    get byName() {
      return compiled().byName
    },
    get longNames() {
      return compiled().longNames
    },
  }
}

/** By text: as many as the tables write. */
const compiledTexts = new Map<string, Specification>()

function compile(text: string): Specification {
  const byName = new Map<string, Option>()
  for (const group of text.split(text.includes('\n') ? /\s+/ : ' ')) {
    if (group === '') continue
    const end = endOfNames(group)
    if (end === 0) throw new Error(`bad option group: ${group}`)
    const names = group
      .slice(0, end)
      .split('|')
      .map((name) => (name.endsWith('?') ? name.slice(0, -1) : name))
    const value = group[end] === ':' ? 'needed' : group[end] === '?' ? 'attached' : 'none'
    const option: Option = { name: names[0]!, value, role: group.slice(end + 1) || undefined }
    for (const name of names) byName.set(name, option)
  }
  return { byName, longNames: [...byName.keys()].filter((name) => name.startsWith('--')) }
}

/** Where the names of a group end: at a colon or a question mark, but for one that a bar and a further name follow. */
function endOfNames(group: string): number {
  for (let at = 0; at < group.length; at++) {
    if (group[at] === ':') return at
    if (group[at] !== '?') continue
    const next = group[at + 2]
    if (at === 0 || group[at + 1] !== '|' || next === undefined || next === ':' || next === '?') return at
  }
  return group.length
}

/** An argument without its first `from` characters, which are known: the value behind `--name=`, `of=`, `-C`. */
export const cutArg = (arg: Arg, from: number): Arg =>
  arg.value.is === 'exact'
    ? { ...arg, value: exact(arg.value.text.slice(from)) }
    : arg.value.is === 'partly'
      ? { ...arg, value: cutPrefix(arg.value, from) }
      : arg.value.is === 'glob'
        ? { ...arg, value: cutPrefix(arg.value, from) }
        : arg

function cutPrefix(value: Value, from: number): Value {
  if (value.is === 'partly') {
    const prefix = value.prefix.slice(from)
    return prefix === '' && value.suffix === '' ? { is: 'unknown', why: value.why } : { ...value, prefix }
  }
  if (value.is === 'glob') {
    const [first, ...rest] = value.parts
    if (first?.is !== 'text') return value
    const text = first.text.slice(from)
    return { is: 'glob', parts: text === '' ? rest : [{ is: 'text', text }, ...rest] }
  }
  return value
}

/** What a word surely begins with, and whether that is all of it. */
function known(value: Value): { text: string; whole: boolean } | undefined {
  if (value.is === 'exact') return { text: value.text, whole: true }
  if (value.is === 'partly' && value.prefix !== '') return { text: value.prefix, whole: false }
  const first = value.is === 'glob' ? value.parts[0] : undefined
  return first?.is === 'text' ? { text: first.text, whole: false } : undefined
}

/**
 * Splits arguments into options, values and operands. `stop`: options end at the first operand (as prefixes and `-c`
 * runners do); `single`: long options may begin with one dash (`find`, `terraform`, `java`); `ends`: canonical names of
 * options with whose value the options end (`python -c TEXT …`).
 */
export function parseArgs(
  spec: Specification,
  args: readonly Arg[],
  how: { readonly stop?: boolean; readonly single?: boolean; readonly ends?: readonly string[] } = {},
): Parsed {
  const flags = new Set<string>()
  const values = new Map<string, Arg[]>()
  const operands: Arg[] = []
  const order: { option: string; arg: Arg | undefined }[] = []
  let unsure = false
  let hidden = false
  const give = (option: string, arg: Arg | undefined) => {
    flags.add(option)
    if (arg) values.set(option, [...(values.get(option) ?? []), arg])
    order.push({ option, arg })
  }
  const operand = (arg: Arg) => {
    operands.push(arg)
    order.push({ option: '', arg })
  }
  for (let i = 0; i < args.length; i++) {
    const arg = args[i]!
    const start = known(arg.value)
    if (start === undefined) {
      if (arg.value.is === 'unknown' || arg.value.is === 'partly') unsure = true
      if (arg.value.is === 'oneOf' && arg.value.texts.some((text) => text.startsWith('-'))) unsure = true
      operand(arg)
      if (how.stop) return finish(i + 1)
      continue
    }
    const { text, whole } = start
    if (text === '--' && whole) return finish(i + 1)
    if (!text.startsWith('-') || (text === '-' && whole)) {
      operand(arg)
      if (how.stop) return finish(i + 1)
      continue
    }
    if (text.startsWith('--') || how.single) {
      const at = text.indexOf('=')
      if (at < 0 && !whole) {
        hidden = true
        continue
      }
      const name = at < 0 ? text : text.slice(0, at)
      const option = findLong(spec, name)
      if (at >= 0) give(option?.name ?? name, cutArg(arg, at + 1))
      else if (option?.value === 'needed') {
        give(option.name, args[i + 1])
        i++
      } else give(option?.name ?? name, undefined)
      if (how.ends?.includes(option?.name ?? name)) return finish(i + 1)
      continue
    }
    let ended = false
    for (let j = 1; j <= text.length; j++) {
      if (j === text.length) {
        if (!whole) hidden = true
        break
      }
      const name = `-${text[j]}`
      const option = spec.byName.get(name)
      if (option === undefined || option.value === 'none') {
        give(option?.name ?? name, undefined)
        continue
      }
      const rest = j + 1 < text.length || !whole
      if (rest) give(option.name, cutArg(arg, j + 1))
      else if (option.value === 'needed') {
        give(option.name, args[i + 1])
        i++
      } else give(option.name, undefined)
      ended = how.ends?.includes(option.name) === true
      break
    }
    if (ended) return finish(i + 1)
  }
  return finish(args.length)

  function finish(from: number): Parsed {
    for (const arg of args.slice(from)) operand(arg)
    return { flags, values, operands, order, unsure: unsure || hidden, hidden }
  }
}

function findLong(spec: Specification, name: string): Option | undefined {
  const found = spec.byName.get(name)
  if (found) return found
  if (!name.startsWith('--') || name.length < 3) return undefined
  const candidates = new Set(
    spec.longNames.filter((long) => long.startsWith(name)).map((long) => spec.byName.get(long)!),
  )
  return candidates.size === 1 ? [...candidates][0] : undefined
}
