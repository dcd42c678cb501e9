/**
 * What a word may be when it runs, and where text came from.
 *
 * A guard that guesses is wrong twice: it misses what it guessed away and alarms on what it made up. So every word
 * carries what is known of it and no more.
 */

/** A half-open range of UTF-16 offsets in the text that it belongs to. Records turn it into bytes. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** Why a value is not known. The word is shown to people and models. */
export type Why =
  | 'variable' // a variable that nothing on the line and nothing in the environment sets
  | 'substitution' // the output of a command that is not run here
  | 'arithmetic'
  | 'number' // whole: digits, perhaps with `-_:.T` between them (`$!`, a time); in `partly` the unknown stretch is one
  | 'input' // read from stdin or a file
  | 'program' // printed by a program that no table knows, from files of the project alone
  | 'positional' // `$1`, `$@` of a script whose arguments are not known
  | 'budget' // a limit of ours was reached
  | 'syntax'

/** One piece of a pattern that has not been matched against the disk yet. */
export type GlobPart =
  | { readonly is: 'text'; readonly text: string }
  | { readonly is: 'star' } // any run of characters within one path component
  | { readonly is: 'deep' } // any run of whole components, including none: a slash stands on either side
  | { readonly is: 'question' }
  | { readonly is: 'class'; readonly text: string } // `[…]` as written
  | { readonly is: 'one'; readonly of: readonly string[] } // one of these texts: `@(a|b)` with nothing open in it
  | { readonly is: 'any' } // anything at all, slashes too: an unknown stretch, or another extended pattern

/**
 * Where bytes came from, for text that is not known: code that came in is judged by its origin. `containers`: the names of
 * every container that an engine has, as long as nothing picked some of them.
 */
export type Taint = 'remote' | 'secret' | 'environment' | 'containers' | 'unknown'

/** What a word may be when it runs (see design: "How a verdict is made"). */
export type Value =
  | { readonly is: 'exact'; readonly text: string }
  | { readonly is: 'oneOf'; readonly texts: readonly string[] } // 2 to 8 texts, from branches and loops
  | { readonly is: 'glob'; readonly parts: readonly GlobPart[] }
  | {
      readonly is: 'partly'
      readonly prefix: string
      readonly suffix: string
      readonly why: Why
      readonly taints?: readonly Taint[]
    }
  | {
      readonly is: 'unknown'
      readonly why: Why
      readonly taints?: readonly Taint[]
      /** For a whole array, which is no text: its elements from 0 on, where they are known. */
      readonly elements?: readonly Value[]
    }

/** How many texts a `oneOf` may hold before it becomes unknown. */
export const MOST_TEXTS = 8

/** How a value came to be known, for the record. */
export type Provenance = 'literal' | 'constant' | 'unknown'

/** A value with the place on the line that it stands at, and whether it was written there as it is. */
export interface Arg {
  readonly value: Value
  readonly span: Span
  /** `literal`: written so; `constant`: known after expansion. Absent means literal. */
  readonly provenance?: Provenance
}

export const exact = (text: string): Value => ({ is: 'exact', text })

export const unknown = (why: Why, taints?: readonly Taint[]): Value =>
  taints === undefined || taints.length === 0 ? { is: 'unknown', why } : { is: 'unknown', why, taints }

/** Where the unknown part of a value came from, as far as anybody noted it. */
export const taintsOf = (value: Value): readonly Taint[] =>
  value.is === 'unknown' || value.is === 'partly' ? (value.taints ?? []) : []

const bothTaints = (a: Value, b: Value): readonly Taint[] => [...new Set([...taintsOf(a), ...taintsOf(b)])]

/** The value for any of `texts`: exact for one, unknown for none or too many. */
export function oneOf(texts: Iterable<string>, why: Why = 'budget'): Value {
  const all = [...new Set(texts)]
  if (all.length === 1) return exact(all[0]!)
  return all.length === 0 || all.length > MOST_TEXTS ? unknown(why) : { is: 'oneOf', texts: all }
}

/** The texts that a value may be, or undefined where they cannot be listed. */
export function textsOf(value: Value): readonly string[] | undefined {
  if (value.is === 'exact') return [value.text]
  return value.is === 'oneOf' ? value.texts : undefined
}

/** The text of an exact value, else undefined. */
export const textOf = (value: Value | undefined): string | undefined => (value?.is === 'exact' ? value.text : undefined)

/** What a value surely begins with. */
export function prefixOf(value: Value): string {
  switch (value.is) {
    case 'exact':
      return value.text
    case 'partly':
      return value.prefix
    case 'glob': {
      const first = value.parts[0]
      return first?.is === 'text' ? first.text : ''
    }
    case 'oneOf': {
      let prefix = value.texts[0] ?? ''
      for (const text of value.texts) while (!text.startsWith(prefix)) prefix = prefix.slice(0, -1)
      return prefix
    }
    case 'unknown':
      return ''
  }
}

/** What a value surely ends with. */
export function suffixOf(value: Value): string {
  switch (value.is) {
    case 'exact':
      return value.text
    case 'partly':
      return value.suffix
    case 'glob': {
      const last = value.parts.at(-1)
      return last?.is === 'text' ? last.text : ''
    }
    default:
      return ''
  }
}

const partsOf = (value: Value): readonly GlobPart[] | undefined => {
  switch (value.is) {
    case 'exact':
      return value.text === '' ? [] : [{ is: 'text', text: value.text }]
    case 'glob':
      return value.parts
    case 'partly':
      return [
        ...(value.prefix === '' ? [] : [{ is: 'text' as const, text: value.prefix }]),
        { is: 'any' },
        ...(value.suffix === '' ? [] : [{ is: 'text' as const, text: value.suffix }]),
      ]
    case 'unknown':
      return [{ is: 'any' }]
    case 'oneOf':
      return undefined
  }
}

/** Two values written one after the other with nothing between them. */
export function concat(a: Value, b: Value): Value {
  if (a.is === 'exact' && a.text === '') return b
  if (b.is === 'exact' && b.text === '') return a
  if (a.is === 'exact' && b.is === 'exact') return exact(a.text + b.text)
  const left = textsOf(a)
  const right = textsOf(b)
  if (left && right && left.length * right.length <= MOST_TEXTS) {
    return oneOf(left.flatMap((x) => right.map((y) => x + y)))
  }
  if (a.is === 'glob' || b.is === 'glob') {
    const parts = [...(partsOf(a) ?? [{ is: 'any' as const }]), ...(partsOf(b) ?? [{ is: 'any' as const }])]
    return { is: 'glob', parts: mergeText(parts) }
  }
  const first: Why =
    a.is === 'unknown' || a.is === 'partly' ? a.why : b.is === 'unknown' || b.is === 'partly' ? b.why : 'budget'
  // With more than one open stretch they and what lies between become one.
  const why = a.is === 'exact' || b.is === 'exact' ? first : notNumber(first)
  return partly(
    prefixOf(a) + (left?.length === 1 ? prefixOf(b) : ''),
    (right?.length === 1 ? suffixOf(a) : '') + suffixOf(b),
    why,
    bothTaints(a, b),
  )
}

/** A reason for a stretch that holds more than the number it came from. */
export const notNumber = (why: Why): Why => (why === 'number' ? 'variable' : why)

function partly(prefix: string, suffix: string, why: Why, taints: readonly Taint[]): Value {
  if (prefix === '' && suffix === '') return unknown(why, taints)
  return taints.length === 0 ? { is: 'partly', prefix, suffix, why } : { is: 'partly', prefix, suffix, why, taints }
}

function mergeText(parts: readonly GlobPart[]): GlobPart[] {
  const out: GlobPart[] = []
  for (const part of parts) {
    const last = out.at(-1)
    if (part.is === 'text' && last?.is === 'text') out[out.length - 1] = { is: 'text', text: last.text + part.text }
    else out.push(part)
  }
  return out
}

/** Either value: what a variable is after two branches that set it. */
export function either(a: Value, b: Value): Value {
  const left = textsOf(a)
  const right = textsOf(b)
  if (left && right) return oneOf([...left, ...right])
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  return unknown(notNumber(a.is === 'unknown' ? a.why : b.is === 'unknown' ? b.why : 'budget'), bothTaints(a, b))
}

/** A value as people write it: unknown stretches as `…`. For reasons and records only. */
export function showValue(value: Value): string {
  switch (value.is) {
    case 'exact':
      return value.text
    case 'oneOf':
      return value.texts.join(' or ')
    case 'partly':
      return `${value.prefix}…${value.suffix}`
    case 'unknown':
      return `unknown (${value.why})`
    case 'glob':
      return showGlob(value.parts)
  }
}

/** Pattern pieces as a shell would write them. */
export function showGlob(parts: readonly GlobPart[]): string {
  return parts
    .map((part) => {
      switch (part.is) {
        case 'text':
        case 'class':
          return part.text
        case 'star':
          return '*'
        case 'deep':
          return '**'
        case 'question':
          return '?'
        case 'one':
          return `@(${part.of.join('|')})`
        case 'any':
          return '…'
      }
    })
    .join('')
}
