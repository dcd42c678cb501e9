/** Values of PowerShell's expressions: what operators join, what members and loops leave of a value. */
import { type Arg, concat, exact, MOST_TEXTS, oneOf, textOf, unknown, type Value } from '../core/value.ts'

interface Word extends Arg {
  readonly more: readonly Arg[]
  readonly expression: boolean
  readonly quoted: boolean
}

/** `'a' + $b`, `'{0} {1}' -f 'a','b'`, `('a','b') -join ' '`: the text that comes of it; undefined where this is no such thing. */
export function operated(words: readonly Word[]): Value | undefined {
  const [first, operator, ...rest] = words
  if (first === undefined || operator === undefined || !(first.quoted || first.expression)) return undefined
  const name = operator.quoted ? undefined : textOf(operator.value)?.toLowerCase()
  if (name === '+') return added(words)
  if (name === '-f' && rest.length === 1) return formatted(first.value, [rest[0]!, ...rest[0]!.more])
  if (name === '-join' && rest[0]) return joined([first, ...first.more], rest[0].value)
  if (name === '-replace' && rest[0]) return replaced(first.value, rest[0], rest[0].more[0])
  return undefined
}

/** `'a','b'`: any of them. */
export function listed(items: readonly Arg[]): Value {
  if (items.length === 1) return items[0]!.value
  const texts = items.map(({ value }) => textOf(value))
  return items.length <= MOST_TEXTS && texts.every((text) => text !== undefined)
    ? oneOf(texts as string[])
    : unknown('variable')
}

function added(words: readonly Word[]): Value | undefined {
  let all: Value = exact('')
  for (const [i, word] of words.entries()) {
    if (i % 2 === 0) all = concat(all, word.value)
    else if (word.quoted || textOf(word.value) !== '+') return undefined
  }
  return words.length % 2 === 1 ? all : undefined
}

function formatted(form: Value, args: readonly Arg[]): Value {
  const text = textOf(form)
  if (text === undefined) return unknown('variable')
  return text
    .split(/(\{\d+[^}]*\})/)
    .map((piece): Value => {
      const place = /^\{(\d+)/.exec(piece)?.[1]
      return place === undefined ? exact(piece) : (args[Number(place)]?.value ?? exact(''))
    })
    .reduce((all, one) => concat(all, one), exact(''))
}

const joined = (items: readonly Arg[], separator: Value): Value =>
  parts(items)
    .map(({ value }) => value)
    .reduce((all, one, i) => (i === 0 ? one : concat(concat(all, separator), one)))

/** The texts of a list that was put into brackets. */
const parts = (items: readonly Arg[]): readonly Pick<Arg, 'value'>[] => {
  const [only] = items
  return items.length === 1 && only?.value.is === 'oneOf'
    ? only.value.texts.map((text) => ({ value: exact(text) }))
    : items
}

/** Only where no pattern is meant: a plain text for another. */
function replaced(value: Value, from: Arg, to: Arg | undefined): Value {
  const [text, old, fresh] = [textOf(value), textOf(from.value), to === undefined ? '' : textOf(to.value)]
  if (text === undefined || old === undefined || fresh === undefined || !/^[\w\s]*$/.test(old))
    return unknown('variable')
  return exact(text.replaceAll(new RegExp(old, 'gi'), () => fresh))
}

/** `\\?\C:\x` and `\\.\C:\x` switch the checks of paths off; the place is the same without. */
export function withoutPrefix(value: Value): Value {
  const bare = (text: string) =>
    text.replace(/^\\\\[?.]\\(?=UNC\\|[A-Za-z]:|$)(?:UNC\\)?/i, (found) => (/UNC/i.test(found) ? '\\\\' : ''))
  if (value.is === 'exact') return exact(bare(value.text))
  return value.is === 'partly' ? { ...value, prefix: bare(value.prefix) } : value
}

/** Members of a file that name the file itself. */
export const NAMES_ITSELF = /^(?:fullname|pspath|path|providerpath|versioninfo|value)$/
