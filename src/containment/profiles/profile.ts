/**
 * A profile: how to digest the output of a tool that has no family of its own, as data. Reading one is strict: a key
 * that nobody knows or an expression that cannot be read is an error with its line, and the profile is not used.
 */
import { readJsonc } from '../../core/jsonc.ts'
import type { ItemKind } from '../digest/family.ts'
import { type Expression, expressionOf } from './expression.ts'

export interface Keep {
  readonly line: Expression
  readonly as: ItemKind
  /** What the failure is called, with `$1` for a group. */
  readonly name?: string
  /** The block goes on until a line that has this, which is not part of it. */
  readonly until?: Expression
  /** Lines of the block at most. */
  readonly lines: number
  readonly weight: number
}

export interface Fold {
  readonly line: Expression
  /** What they are, for the frame: `compile steps`. */
  readonly as?: string
}

export interface Count {
  readonly line: Expression
  readonly as: string
  /** A group whose number is added up; the lines are counted where absent. */
  readonly sum?: number
}

export interface ProfileTest {
  readonly name: string
  readonly command: string
  readonly exit?: number
  readonly output: readonly string[]
  readonly shows: readonly string[]
  readonly hides: readonly string[]
  readonly most?: number
  /** Whether the profile should take it for its own. */
  readonly detects: boolean
}

export interface Profile {
  readonly id: string
  readonly detect: { readonly commands: readonly (readonly string[])[]; readonly lines: readonly Expression[] }
  readonly keep: readonly Keep[]
  readonly fold: readonly Fold[]
  readonly count: readonly Count[]
  readonly failed: readonly Expression[]
  readonly passed: readonly Expression[]
  readonly budget: { readonly tokens?: number; readonly head?: number; readonly tail?: number }
  readonly tests: readonly ProfileTest[]
}

export interface Fault {
  /** From 1. */
  readonly line: number
  /** A clause without a full stop. */
  readonly message: string
}

/** UTF-16 units of a profile's text. */
export const MOST_TEXT = 256 * 1024
const MOST_RULES = 200
const MOST_BLOCK = 200
const KINDS: readonly ItemKind[] = ['verdict', 'cause', 'failure', 'detail', 'total', 'rare', 'example']

type Path = readonly (string | number)[]
type Fields = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Reads the text of a profile. Gives every fault, not the first alone. */
export function readProfile(text: string): Profile | { readonly faults: readonly Fault[] } {
  if (text.length > MOST_TEXT) return { faults: [{ line: 1, message: `it is longer than ${MOST_TEXT / 1024} KiB` }] }
  const read = readJsonc(text)
  if (!read.ok) return { faults: [{ line: read.place.line, message: read.message }] }
  const reader = new Reader((path) => read.place(path)?.line ?? 1)
  for (const { key, place } of read.repeated) reader.fault(place.line, `\`${key}\` is written twice`)
  const profile = isObject(read.value) ? reader.profile(read.value) : undefined
  if (profile === undefined) reader.fault(1, 'the profile must be an object')
  return profile !== undefined && reader.faults.length === 0
    ? profile
    : { faults: reader.faults.toSorted((a, b) => a.line - b.line) }
}

class Reader {
  readonly faults: Fault[] = []
  readonly #lineOf: (path: Path) => number

  constructor(lineOf: (path: Path) => number) {
    this.#lineOf = lineOf
  }

  fault(line: number, message: string): void {
    this.faults.push({ line, message })
  }

  #bad(path: Path, problem: string): void {
    // A key that is missing has no place: the nearest that is there has one.
    let at = path
    while (at.length > 0 && this.#lineOf(at) === 1) at = at.slice(0, -1)
    this.fault(this.#lineOf(at), path.length === 0 ? `the profile ${problem}` : `\`${nameOf(path)}\` ${problem}`)
  }

  profile(value: Fields): Profile {
    const keys = ['v', 'id', 'detect', 'keep', 'fold', 'count', 'status', 'budget', 'tests']
    const fields = this.#object(value, [], keys) ?? {}
    if (fields['v'] !== undefined && fields['v'] !== 1)
      this.#bad(['v'], 'is not 1, the version that this program reads')
    const id = this.#text(fields['id'], ['id'])
    if (id !== undefined && !/^[a-z][a-z0-9-]{0,31}$/.test(id))
      this.#bad(['id'], 'must be a name of small letters, digits and hyphens')
    const status = this.#object(fields['status'] ?? {}, ['status'], ['failed', 'passed']) ?? {}
    const profile = {
      id: id ?? '',
      detect: this.#detect(fields['detect']),
      keep: this.#list(fields['keep'], ['keep'], (item, path) => this.#keep(item, path)),
      fold: this.#list(fields['fold'], ['fold'], (item, path) => this.#fold(item, path)),
      count: this.#list(fields['count'], ['count'], (item, path) => this.#count(item, path)),
      failed: this.#expressions(status['failed'], ['status', 'failed']),
      passed: this.#expressions(status['passed'], ['status', 'passed']),
      budget: this.#budget(fields['budget'] ?? {}),
      tests: this.#list(fields['tests'], ['tests'], (item, path) => this.#test(item, path)),
    }
    const rules = profile.keep.length + profile.fold.length + profile.count.length
    if (rules === 0 && this.faults.length === 0) this.#bad([], 'has no keep, fold or count')
    if (rules > MOST_RULES) this.#bad([], `has ${rules} rules, more than ${MOST_RULES}`)
    return profile
  }

  #detect(value: unknown): Profile['detect'] {
    const path = ['detect']
    const fields = this.#object(value, path, ['command', 'line']) ?? {}
    const commands = this.#texts(fields['command'], ['detect', 'command']).map((text) =>
      text.split(/\s+/).filter(Boolean),
    )
    const lines = this.#expressions(fields['line'], ['detect', 'line'])
    if (value !== undefined && commands.length === 0 && lines.length === 0) this.#bad(path, 'needs command or line')
    for (const [i, words] of commands.entries())
      if (words.length === 0 || words[0]!.includes('/'))
        this.#bad([...path, 'command', i], 'must be the name of a program, and words that follow it')
    return { commands, lines }
  }

  #keep(item: unknown, path: Path): Keep | undefined {
    const fields = this.#object(item, path, ['line', 'as', 'name', 'until', 'lines', 'weight'])
    const line = fields && this.#expression(fields['line'], [...path, 'line'])
    if (fields === undefined || line === undefined) return undefined
    const as = fields['as'] ?? 'failure'
    if (!KINDS.includes(as as ItemKind)) this.#bad([...path, 'as'], `must be one of ${KINDS.join(', ')}`)
    const until = fields['until'] === undefined ? undefined : this.#expression(fields['until'], [...path, 'until'])
    const name = fields['name'] === undefined ? undefined : this.#text(fields['name'], [...path, 'name'])
    return {
      line,
      as: as as ItemKind,
      ...(name === undefined ? {} : { name }),
      ...(until === undefined ? {} : { until }),
      lines: this.#number(fields['lines'], [...path, 'lines'], 1, MOST_BLOCK) ?? (until === undefined ? 1 : MOST_BLOCK),
      weight: this.#number(fields['weight'], [...path, 'weight'], -900, 900) ?? 0,
    }
  }

  #fold(item: unknown, path: Path): Fold | undefined {
    const fields = typeof item === 'string' ? { line: item } : this.#object(item, path, ['line', 'as'])
    const at = typeof item === 'string' ? path : [...path, 'line']
    const line = fields && this.#expression(fields['line'], at)
    if (fields === undefined || line === undefined) return undefined
    const as = this.#words(fields['as'], [...path, 'as'])
    return { line, ...(as === undefined ? {} : { as }) }
  }

  #count(item: unknown, path: Path): Count | undefined {
    const fields = this.#object(item, path, ['line', 'as', 'sum'])
    const line = fields && this.#expression(fields['line'], [...path, 'line'])
    if (fields === undefined || line === undefined) return undefined
    const as = this.#words(fields['as'], [...path, 'as'])
    if (as === undefined) this.#bad([...path, 'as'], 'is missing: what is counted, in a word or two')
    const sum = this.#number(fields['sum'], [...path, 'sum'], 1, 9)
    return { line, as: as ?? '', ...(sum === undefined ? {} : { sum }) }
  }

  /** Words of the frame: they may say nothing that looks like an address, a mark or a line of ours. */
  #words(value: unknown, path: Path): string | undefined {
    if (value === undefined) return undefined
    const text = this.#text(value, path)
    if (text !== undefined && !/^[A-Za-z][A-Za-z -]{0,39}$/.test(text))
      this.#bad(path, 'must be a few words of letters')
    return text
  }

  #budget(value: unknown): Profile['budget'] {
    const fields = this.#object(value, ['budget'], ['tokens', 'head', 'tail']) ?? {}
    const tokens = this.#number(fields['tokens'], ['budget', 'tokens'], 60, 4000)
    const head = this.#number(fields['head'], ['budget', 'head'], 0, 40)
    const tail = this.#number(fields['tail'], ['budget', 'tail'], 0, 80)
    return {
      ...(tokens === undefined ? {} : { tokens }),
      ...(head === undefined ? {} : { head }),
      ...(tail === undefined ? {} : { tail }),
    }
  }

  #test(item: unknown, path: Path): ProfileTest | undefined {
    const keys = ['name', 'command', 'exit', 'output', 'shows', 'hides', 'most', 'detects']
    const fields = this.#object(item, path, keys)
    if (fields === undefined) return undefined
    const exit = this.#number(fields['exit'], [...path, 'exit'], 0, 255)
    const most = this.#number(fields['most'], [...path, 'most'], 1, 100_000)
    const { detects = true } = fields
    if (typeof detects !== 'boolean') this.#bad([...path, 'detects'], 'must be true or false')
    if (fields['output'] === undefined) this.#bad([...path, 'output'], 'is missing: the lines of an output')
    return {
      name: this.#text(fields['name'] ?? `test ${Number(path.at(-1)) + 1}`, [...path, 'name']) ?? '',
      command: this.#text(fields['command'] ?? '', [...path, 'command']) ?? '',
      ...(exit === undefined ? {} : { exit }),
      output: this.#output(fields['output'], [...path, 'output']),
      shows: this.#texts(fields['shows'], [...path, 'shows']),
      hides: this.#texts(fields['hides'], [...path, 'hides']),
      ...(most === undefined ? {} : { most }),
      detects: detects === true,
    }
  }

  /** Lines, and `{"line", "times"}` for many alike; `{n}` in one is its number from 1. */
  #output(value: unknown, path: Path): string[] {
    return this.#list(value, path, (item, at) => {
      if (typeof item === 'string') return [item]
      const fields = this.#object(item, at, ['line', 'times'])
      const line = fields && this.#text(fields['line'], [...at, 'line'])
      const times = fields && this.#number(fields['times'], [...at, 'times'], 1, 100_000)
      if (line === undefined) return undefined
      return Array.from({ length: times ?? 1 }, (_, i) => line.replaceAll('{n}', String(i + 1)))
    }).flat()
  }

  #object(value: unknown, path: Path, keys: readonly string[]): Fields | undefined {
    if (value === undefined) this.#bad(path, 'is missing')
    else if (!isObject(value)) this.#bad(path, 'must be an object')
    else {
      for (const key of Object.keys(value))
        if (!keys.includes(key)) this.#bad([...path, key], `is no key here; the keys are ${keys.join(', ')}`)
      return value
    }
    return undefined
  }

  #list<T>(value: unknown, path: Path, read: (item: unknown, path: Path) => T | undefined): T[] {
    if (value === undefined) return []
    if (!Array.isArray(value)) {
      this.#bad(path, 'must be a list')
      return []
    }
    return value.flatMap((item, i) => {
      const made = read(item, [...path, i])
      return made === undefined ? [] : [made]
    })
  }

  #text(value: unknown, path: Path): string | undefined {
    if (typeof value === 'string') return value
    this.#bad(path, value === undefined ? 'is missing' : 'must be a text')
    return undefined
  }

  #texts(value: unknown, path: Path): string[] {
    const list = typeof value === 'string' ? [value] : value
    return this.#list(list, path, (item, at) => this.#text(item, at))
  }

  #expression(value: unknown, path: Path): Expression | undefined {
    const text = this.#text(value, path)
    const made = text === undefined ? undefined : expressionOf(text)
    if (typeof made !== 'string') return made
    this.#bad(path, made)
    return undefined
  }

  #expressions(value: unknown, path: Path): Expression[] {
    const list = typeof value === 'string' ? [value] : value
    return this.#list(list, path, (item, at) => this.#expression(item, at))
  }

  #number(value: unknown, path: Path, least: number, most: number): number | undefined {
    if (value === undefined) return undefined
    if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most) return value as number
    this.#bad(path, `must be a whole number from ${least} to ${most}`)
    return undefined
  }
}

const nameOf = (path: Path): string =>
  path.map((step, i) => (typeof step === 'number' ? `[${step}]` : i === 0 ? step : `.${step}`)).join('')
