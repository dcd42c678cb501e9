/** Values that functions of several languages give alike. */
import { isSecretName } from '../core/secret-names.ts'
import { concat, exact, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { base64Text, hexText } from './decode.ts'
import type { CallOf, Give } from './grammar.ts'
import { asValue, isContent, joinPaths, list, ofValue, oneOfValues, type Thing, text, UNKNOWN } from './things.ts'

/** A text that is computed from the text at a place of the call. */
export const mapped =
  (place: number | 'self', how: (text: string) => string | undefined): Give =>
  (call) => {
    const thing = place === 'self' ? call.self : call.args[place]
    if (isContent(thing)) return UNKNOWN
    const value = asValue(thing)
    const texts = textsOf(value)?.map(how)
    if (texts === undefined) return { is: 'unknown', value: value.is === 'unknown' ? value : unknown('variable') }
    return texts.every((one) => one !== undefined) ? ofValue(oneOfValues(texts.map((one) => exact(one!)))) : UNKNOWN
  }

export const decodes = mapped(0, base64Text)
export const decodesHex = mapped(0, hexText)

/** The argument as it is. */
export const same =
  (place: number | 'self'): Give =>
  (call) =>
    place === 'self' ? call.self : call.args[place]

export const joins: Give = (call) => ofValue(joinPaths(flat(call.args).map(asValue)))

/** As `path.join`: later absolute parts do not begin anew. */
export const joinsPlain: Give = (call) => ofValue(joinPaths(flat(call.args).map(asValue), false))

const flat = (things: readonly Thing[]): readonly Thing[] =>
  things.flatMap((thing) => (thing.is === 'list' ? thing.items : [thing]))

/** `~` at the beginning of a path: the home directory. */
export function expandHome(value: Value, home: string | undefined): Value {
  const text = textOf(value)
  if (text === undefined || !/^~(\/|\\|$)/.test(text)) return value
  return home === undefined ? concat(unknown('variable'), exact(text.slice(1))) : exact(home + text.slice(1))
}

export const homeOf = (known: CallOf['known']): Thing => (known.home === undefined ? UNKNOWN : text(known.home))

/** Directory of a path. */
export const dirname = (path: string): string =>
  path.replace(/[/\\]+[^/\\]*[/\\]*$/, '') || (path.startsWith('/') ? '/' : '.')

/** The last name of a path. */
export const basename = (path: string): string => path.split('/').at(-1) ?? ''

/** A text backwards. */
export const reversed = (text: string): string => [...text].reverse().join('')

/** The character of a number, as many bits of it as the language takes. */
export const character =
  (mask: number): Give =>
  ({ args: [first] }) =>
    first?.is === 'number' ? text(String.fromCharCode(Number(first.text) & mask)) : UNKNOWN

/** A text with other arguments in place of its marks, which `mark` matches one by one. */
export const formats =
  (mark: RegExp): Give =>
  ({ args: [form, ...rest] }) => {
    const whole = textOf(asValue(form))
    if (whole === undefined) return UNKNOWN
    let i = 0
    const pieces = whole.split(new RegExp(`(${mark.source})`))
    return joinWith(exact(''), list(pieces.map((piece, n) => (n % 2 === 1 ? (rest[i++] ?? UNKNOWN) : text(piece)))))
  }

/** `sep.join(list)`. */
export function joinWith(separator: Value, items: Thing | undefined): Thing {
  if (items?.is !== 'list' || items.open) return UNKNOWN
  return ofValue(
    items.items.reduce<Value>(
      (all, item, i) => concat(i === 0 ? all : concat(all, separator), asValue(item)),
      exact(''),
    ),
  )
}

/** Words of a text, as `split()` cuts them: only where the text and the separator are known. */
export function splits(value: Value, separator: string | undefined): Thing {
  const whole = textOf(value)
  if (whole === undefined) return list([], true)
  const parts = separator === undefined ? whole.trim().split(/\s+/) : whole.split(separator)
  return list(parts.map(text))
}

/** A shell pattern as a value: `*`, `**`, `?`, `[…]`. */
export function pattern(value: Value): Value {
  const whole = textOf(value)
  if (whole === undefined) return value
  if (!/[*?[]/.test(whole)) return value
  const parts = whole
    .split(/(\*\*|\*|\?|\[[^\]]+\])/)
    .filter(Boolean)
    .map((piece) =>
      piece === '**'
        ? ({ is: 'deep' } as const)
        : piece === '*'
          ? ({ is: 'star' } as const)
          : piece === '?'
            ? ({ is: 'question' } as const)
            : piece.startsWith('[') && piece.length > 2
              ? ({ is: 'class', text: piece } as const)
              : ({ is: 'text', text: piece } as const),
    )
  return { is: 'glob', parts }
}

/** What a variable of the environment holds: the home directory is known, the rest is not. */
export function environment(name: string, known: CallOf['known']): Thing {
  if (name === 'HOME' || name === 'USERPROFILE') return homeOf(known)
  return isSecretName(name) ? ofValue(unknown('variable', ['secret'])) : UNKNOWN
}

/** What the variable holds that the first argument names. */
export const variable: Give = (call) => environment(textOf(asValue(call.args[0])) ?? '', call.known)

/** The whole environment, which holds secrets. */
export const ENVIRONMENT: Value = unknown('variable', ['environment'])

/** Keyword lists of grammars. */
export const words = (text: string): ReadonlySet<string> => new Set(text.split(' '))
