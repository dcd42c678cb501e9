/** Patterns of programs (fnmatch) as pieces of a value, and values as pieces of a path. */
import { type Arg, exact, type GlobPart, suffixOf, type Value } from '../core/value.ts'

const CLASS = /^\[[!^]?\]?(?:\[:[a-z]+:\]|[^\]])*\]/

/**
 * Reads a shell-like pattern. `slashes`: `*` reaches over slashes, as `find -path` has it; `deep`: `**` stands for whole
 * components; `fold`: letters match in either case.
 */
export function patternParts(
  text: string,
  how: { readonly slashes?: boolean; readonly deep?: boolean; readonly fold?: boolean } = {},
): readonly GlobPart[] {
  const parts: GlobPart[] = []
  const add = (piece: string) => {
    const last = parts.at(-1)
    if (last?.is === 'text') parts[parts.length - 1] = { is: 'text', text: last.text + piece }
    else parts.push({ is: 'text', text: piece })
  }
  for (let i = 0; i < text.length; ) {
    const char = text[i]!
    const group = char === '[' ? CLASS.exec(text.slice(i))?.[0] : undefined
    if (char === '*') {
      let end = i
      while (text[end] === '*') end++
      parts.push({ is: how.slashes ? 'any' : how.deep && end - i > 1 ? 'deep' : 'star' })
      i = end
    } else if (char === '?') {
      parts.push({ is: how.slashes ? 'any' : 'question' })
      i++
    } else if (group !== undefined) {
      parts.push({ is: 'class', text: group })
      i += group.length
    } else {
      const escaped = char === '\\' && i + 1 < text.length
      const letter = text[i + (escaped ? 1 : 0)]!
      const [low, up] = [letter.toLowerCase(), letter.toUpperCase()]
      if (how.fold && low !== up && low.length === 1 && up.length === 1)
        parts.push({ is: 'class', text: `[${low}${up}]` })
      else add(letter)
      i += escaped ? 2 : 1
    }
  }
  return parts
}

/** Whether a text has characters that a pattern would read. */
export const hasPattern = (text: string): boolean => /[*?[]/.test(text)

/** A value for pattern pieces: exact where there is nothing to match. */
export function globValue(parts: readonly GlobPart[]): Value {
  if (parts.length === 0) return exact('')
  const only = parts[0]!
  return parts.length === 1 && only.is === 'text' ? exact(only.text) : { is: 'glob', parts }
}

/** The pieces of one value; undefined for a choice of texts. */
export function valueParts(value: Value): readonly GlobPart[] | undefined {
  switch (value.is) {
    case 'exact':
      return value.text === '' ? [] : [{ is: 'text', text: value.text }]
    case 'glob':
      return value.parts
    case 'partly':
      return [
        ...(value.prefix === '' ? [] : [{ is: 'text' as const, text: value.prefix }]),
        { is: 'any' as const },
        ...(value.suffix === '' ? [] : [{ is: 'text' as const, text: value.suffix }]),
      ]
    case 'unknown':
      return [{ is: 'any' }]
    case 'oneOf':
      return undefined
  }
}

const merged = (parts: readonly GlobPart[]): readonly GlobPart[] => {
  const all: GlobPart[] = []
  for (const part of parts) {
    const last = all.at(-1)
    if (part.is === 'text' && last?.is === 'text') all[all.length - 1] = { is: 'text', text: last.text + part.text }
    else all.push(part)
  }
  return all
}

/** Paths below a directory, as pieces behind it. An unknown directory stays unknown. */
export function below(start: Arg, rest: readonly GlobPart[]): Arg {
  if (start.value.is === 'oneOf') {
    // A choice of starting points is widened to what they begin with.
    return { ...start, value: { is: 'unknown', why: 'budget' }, provenance: 'unknown' }
  }
  if (start.value.is === 'unknown') return start
  const slash: readonly GlobPart[] = suffixOf(start.value).endsWith('/') ? [] : [{ is: 'text', text: '/' }]
  return {
    ...start,
    value: globValue(merged([...valueParts(start.value)!, ...slash, ...rest])),
    provenance: 'constant',
  }
}

/** Everything below a directory: `dir/**` and one more component. */
export const ALL_BELOW: readonly GlobPart[] = [{ is: 'deep' }, { is: 'text', text: '/' }, { is: 'star' }]

/** The choices of a value as arguments of their own, so that each can be a starting point. */
export const eachOf = (arg: Arg): readonly Arg[] =>
  arg.value.is === 'oneOf' ? arg.value.texts.map((text) => ({ ...arg, value: exact(text) })) : [arg]
