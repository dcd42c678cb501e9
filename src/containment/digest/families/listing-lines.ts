/** Reads one line of a listing: find, ls, tree, du and what else prints names. */

export type ListingForm = 'paths' | 'long' | 'names' | 'tree' | 'sizes'

export type ListingLine =
  | {
      readonly is: 'entry'
      /** As it is written, a path or a bare name, with where it begins in the line. */
      readonly name: string
      readonly at: number
      readonly kind: 'file' | 'folder' | 'link' | 'other' | undefined
      /** Bytes, or what the program counts in. */
      readonly size: number | undefined
      /** Of a tree: levels below its root. */
      readonly depth: number
      /** What may be done with it: `-rw-r--r--`. */
      readonly mode?: string
    }
  /** A folder whose content follows. */
  | { readonly is: 'section' }
  /** What the program counted. */
  | { readonly is: 'total' }
  | { readonly is: 'blank' }
  /** Something could not be listed. */
  | { readonly is: 'trouble' }

const TROUBLE =
  /^(?:find|ls|tree|du|fd|rg|git|fatal|warning|exa|eza)(?:: |\[)|: (?:Permission denied|No such file or directory)$| \[error opening dir\]$/u

const LONG =
  /^(?:\s*\d+\s+\d+\s+|\s*\d+\s+)?([-dlbcpsD][-rwxsStT]{9})[.+@]?\s+(?:\d+\s+)?\S+\s+(?:\S+\s+)?(\d[\d.,]*[KMGTP]?|\d+,\s*\d+)\s+(?:[A-Z][a-z]{2}\s+\d+\s+[\d:]+|\d{4}-\d\d-\d\d\s+\d\d:\d\d(?::\d\d\.\d+)?(?:\s+[+-]\d{4})?|\d\d-\d\d \d\d:\d\d|\d+ [A-Z][a-z]{2} +[\d:]+)\s(.+)$/u

const TREE =
  /^((?:(?:│|\|| )(?: {3}|\u00a0\u00a0 |\u00a0\u00a0\u00a0))*)(?:├──|└──|\|--|`--)[ \u00a0](?:\[ *([\d.]+[KMGTP]?)[^\]]*\] {1,2}|\[[^\]]*\] {1,2})?(.+)$/u
const TREE_TOTAL = /^\s*(?:[\d.]+[KMGTP]? (?:used )?in )?\d+ director(?:y|ies)(?:, \d+ files?)?$/u
const SIZE = /^(\d+(?:\.\d+)?[KMGTP]?)\t(.+)$/u

const KINDS: Readonly<Record<string, 'file' | 'folder' | 'link'>> = { '-': 'file', d: 'folder', l: 'link' }
const UNITS = 'KMGTP'

/** `4096`, `1.5M`. */
export function sizeOf(text: string): number {
  const unit = UNITS.indexOf(text.at(-1) ?? '')
  const number = Number(unit < 0 ? text.replaceAll(',', '') : text.slice(0, -1))
  return unit < 0 ? number : number * 1024 ** (unit + 1)
}

/** Characters of a line that are looked at: a path is no longer. */
const CUT = 4200

export class ListingLines {
  readonly #form: ListingForm
  #fresh = true

  constructor(form: ListingForm) {
    this.#form = form
  }

  /** Undefined: not a line of such a listing. */
  read(line: string): ListingLine | undefined {
    const text = line.length > CUT ? line.slice(0, CUT) : line
    const fresh = this.#fresh
    this.#fresh = text === ''
    if (text === '') return { is: 'blank' }
    if (TROUBLE.test(text)) return { is: 'trouble' }
    switch (this.#form) {
      case 'long':
        return this.#long(text, fresh)
      case 'names':
        if (fresh && text.endsWith(':')) return { is: 'section' }
        return entry(text, 0)
      case 'tree':
        return tree(text, fresh)
      case 'sizes': {
        const match = SIZE.exec(text)
        if (match === null) return undefined
        const at = match[1]!.length + 1
        if (match[2] === 'total') return { is: 'total' }
        return { is: 'entry', name: match[2]!, at, kind: undefined, size: sizeOf(match[1]!), depth: 0 }
      }
      case 'paths':
        return /^\s/u.test(text) ? undefined : entry(text, 0)
    }
  }

  #long(text: string, fresh: boolean): ListingLine | undefined {
    const match = LONG.exec(text)
    if (match !== null) {
      const kind = KINDS[match[1]![0]!] ?? 'other'
      const written = match[3]!
      const arrow = kind === 'link' ? written.indexOf(' -> ') : -1
      return {
        is: 'entry',
        name: arrow < 0 ? written : written.slice(0, arrow),
        at: text.length - written.length,
        kind,
        size: match[2]!.includes(', ') ? undefined : sizeOf(match[2]!),
        depth: 0,
        mode: match[1]!,
      }
    }
    if (/^(?:total|insgesamt) \d/u.test(text)) return { is: 'total' }
    return fresh && text.endsWith(':') ? { is: 'section' } : undefined
  }
}

const entry = (name: string, at: number): ListingLine => ({
  is: 'entry',
  name,
  at,
  kind: undefined,
  size: undefined,
  depth: 0,
})

function tree(text: string, fresh: boolean): ListingLine | undefined {
  const match = TREE.exec(text)
  if (match !== null) {
    const written = match[3]!
    const size = match[2] === undefined ? undefined : sizeOf(match[2])
    return {
      is: 'entry',
      name: written,
      at: text.length - written.length,
      kind: undefined,
      size,
      depth: match[1]!.length / 4 + 1,
    }
  }
  if (TREE_TOTAL.test(text)) return { is: 'total' }
  // A root: the first line, and each further one that was asked for.
  return fresh || !/^[\s│├└|`]/u.test(text) ? { is: 'section' } : undefined
}
