/** `tr` on exact text: ranges, classes, repeats, and the options `-c -d -s -t`. */
import { readEscapes } from './escapes.ts'

const CLASSES: Readonly<Record<string, string>> = {
  alnum: '0-9A-Za-z',
  alpha: 'A-Za-z',
  blank: '\t ',
  cntrl: '\x00-\x1f\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-/:-@[-`{-~',
  space: '\t\n\v\f\r ',
  upper: 'A-Z',
  xdigit: '0-9A-Fa-f',
}

/** Characters that a set may hold before we give up. */
const MOST_SET = 4096

function range(from: string, to: string): readonly string[] | undefined {
  const [low, high] = [from.codePointAt(0)!, to.codePointAt(0)!]
  if (high < low || high - low > MOST_SET) return undefined
  return Array.from({ length: high - low + 1 }, (_, i) => String.fromCodePoint(low + i))
}

function ranges(text: string): readonly string[] {
  const chars = [...text]
  const out: string[] = []
  for (let i = 0; i < chars.length; i++) {
    if (chars[i + 1] === '-' && i + 2 < chars.length) {
      out.push(...(range(chars[i]!, chars[i + 2]!) ?? []))
      i += 2
    } else out.push(chars[i]!)
  }
  return out
}

/** The characters of a set in order, or undefined where it is malformed. `length`: what `[x*]` fills up to. */
function setOf(text: string, length: number): readonly string[] | undefined {
  const out: string[] = []
  let rest = text
  const one = (): string | undefined => {
    if (rest.startsWith('\\')) {
      const escaped = /^\\(?:[0-7]{1,3}|[\s\S])/.exec(rest)?.[0] ?? '\\'
      rest = rest.slice(escaped.length)
      const read = readEscapes(escaped, 'format').text
      // An unknown escape stands for its character.
      return read === undefined ? undefined : read.length > 1 && read.startsWith('\\') ? read.slice(1) : read
    }
    const char = String.fromCodePoint(rest.codePointAt(0)!)
    rest = rest.slice(char.length)
    return char
  }
  while (rest !== '') {
    if (out.length > MOST_SET) return undefined
    const named = /^\[:([a-z]+):\]/.exec(rest)
    const same = /^\[=(.)=\]/su.exec(rest)
    const repeat = /^\[(.)\*(\d*)\]/su.exec(rest)
    if (named) {
      const characters = CLASSES[named[1]!]
      if (characters === undefined) return undefined
      out.push(...ranges(characters))
      rest = rest.slice(named[0].length)
    } else if (same) {
      out.push(same[1]!)
      rest = rest.slice(same[0].length)
    } else if (repeat) {
      const digits = repeat[2]!
      const wanted =
        digits === '' || Number(digits) === 0
          ? length - out.length
          : Number.parseInt(digits, digits.startsWith('0') ? 8 : 10)
      for (let i = 0; i < Math.min(wanted, MOST_SET); i++) out.push(repeat[1]!)
      rest = rest.slice(repeat[0].length)
    } else {
      const from = one()
      if (from === undefined) return undefined
      if (rest.startsWith('-') && rest.length > 1) {
        rest = rest.slice(1)
        const to = one()
        const all = to === undefined ? undefined : range(from, to)
        if (all === undefined) return undefined
        out.push(...all)
      } else out.push(from)
    }
  }
  return out
}

/** What `tr` makes of a text, or undefined where it cannot be followed. */
export function translate(text: string, sets: readonly string[], flags: ReadonlySet<string>): string | undefined {
  const first = setOf(sets[0] ?? '', 0)
  if (first === undefined) return undefined
  const second = sets[1] === undefined ? undefined : setOf(sets[1], first.length)
  if (sets[1] !== undefined && second === undefined) return undefined
  const complement = flags.has('-c') || flags.has('-C')
  const chosen = new Set(first)
  const inFirst = (char: string) => chosen.has(char) !== complement
  const deletes = flags.has('-d')
  // A complement is a set in the order of characters; only one target is the same for all of them.
  if (complement && !deletes && new Set(second ?? []).size > 1) return undefined
  const squeezes = flags.has('-s')
  const squeezed = squeezes ? new Set(second ?? first) : undefined
  const last = second?.at(-1)
  const map = new Map<string, string>()
  if (!deletes && second && !complement)
    for (const [i, char] of first.entries()) {
      const to = second[i] ?? (flags.has('-t') ? undefined : last)
      if (to !== undefined) map.set(char, to)
    }
  const out: string[] = []
  for (const char of text) {
    if (deletes && inFirst(char)) continue
    const to =
      deletes || second === undefined
        ? char
        : complement
          ? inFirst(char)
            ? (last ?? char)
            : char
          : (map.get(char) ?? char)
    const isSqueezed = squeezed !== undefined && (second === undefined && complement ? inFirst(to) : squeezed.has(to))
    if (isSqueezed && out.at(-1) === to) continue
    out.push(to)
  }
  return out.join('')
}
