/** Characters that make a text look other than it is: to the person who reads it, not to the shell. */
import { once } from '../core/once.ts'
import type { Problem } from './tree.ts'

/** Most problems named: one is enough to judge by, a few show the pattern. */
const MOST_PROBLEMS = 16

/**
 * Control characters, invisible characters and direction overrides in `text`, each with its place. Harmless and not
 * named: accents, other scripts, typographic quotes, emoji with their joiners, CR before a line end.
 */
export function hiddenText(text: string): readonly Problem[] {
  const problems: Problem[] = []
  // Printable ASCII, tab and line ends hide nothing; almost every text ends here.
  if (!/[^\t\n -~]/.test(text)) return problems
  for (let i = 0; i < text.length && problems.length < MOST_PROBLEMS; ) {
    const code = text.codePointAt(i)!
    const width = code > 0xffff ? 2 : 1
    const what = nameOf(code, text, i)
    if (what !== undefined) problems.push({ span: { from: i, to: i + width }, what })
    i += width
  }
  return problems
}

function nameOf(code: number, text: string, at: number): string | undefined {
  if (code < 0x20) {
    if (code === 9 || code === 10) return undefined
    if (code === 13)
      return text[at + 1] === '\n' || at + 1 === text.length ? undefined : 'a carriage return inside a line'
    return code === 0x1b ? 'a terminal escape sequence' : `the control character ${hex(code)}`
  }
  if (code < 0x7f) return undefined
  if (code === 0x7f || code < 0xa0)
    return code === 0x9b ? 'a terminal escape sequence' : `the control character ${hex(code)}`
  if ((code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069))
    return `a direction override (${hex(code)})`
  if (code === 0x200e || code === 0x200f || code === 0x061c) return `a direction mark (${hex(code)})`
  if (code === 0x2028 || code === 0x2029) return `an invisible line separator (${hex(code)})`
  if (code >= 0xe0000 && code <= 0xe0fff)
    return isTagOfFlag(text, at) ? undefined : `an invisible tag character (${hex(code)})`
  if (code === 0x200c || code === 0x200d)
    return besideAscii(text, at) ? `an invisible joiner (${hex(code)})` : undefined
  if (code >= 0xfe00 && code <= 0xfe0f)
    return asciiBefore(text, at) ? `an invisible selector (${hex(code)})` : undefined
  return INVISIBLE.includes(code) ? `an invisible character (${hex(code)})` : undefined
}

const hex = (code: number): string => `U+${code.toString(16).toUpperCase().padStart(4, '0')}`

/** Zero-width spaces, word joiner, byte order mark, soft hyphen, fillers that draw nothing. */
const INVISIBLE: readonly number[] = [
  0x00ad, 0x034f, 0x115f, 0x1160, 0x17b4, 0x17b5, 0x180e, 0x200b, 0x2060, 0x2061, 0x2062, 0x2063, 0x2064, 0x206a,
  0x206b, 0x206c, 0x206d, 0x206e, 0x206f, 0x3164, 0xfeff, 0xffa0, 0xfff9, 0xfffa, 0xfffb,
]

/** Joiners belong between emoji and between letters of some scripts, never beside ASCII. */
const besideAscii = (text: string, at: number): boolean => asciiBefore(text, at) || /[!-~]/.test(text[at + 1] ?? '')

/** `#`, `*` and digits carry a selector in key-cap emoji. */
function asciiBefore(text: string, at: number): boolean {
  const before = text[at - 1] ?? ''
  return /[!-~]/.test(before) && !(/[0-9#*]/.test(before) && text[at + 1] === '⃣')
}

/** The flags of England, Scotland and Wales are a black flag with tag letters behind it. */
function isTagOfFlag(text: string, at: number): boolean {
  const FLAG = '\u{1f3f4}'
  // The longest such flag has seven tags of two units each.
  const before = text.slice(Math.max(0, at - 16), at)
  const flag = before.lastIndexOf(FLAG)
  return flag !== -1 && [...before.slice(flag + 2)].every((char) => char.codePointAt(0)! >= 0xe0000)
}

/** Letters of other scripts that are drawn like an ASCII letter, script by script. */
const alike = once(
  (): ReadonlyMap<string, string> =>
    new Map(
      [
        ['абвдезкмнорстухьѕіјһԁԛԝоԍӏ', 'a6bge3kmhopctyxbsijhdqwogl'],
        ['АВЕКМНОРСТУХЅІЈԌԚԜҮ', 'ABEKMHOPCTYXSIJGQWY'],
        ['αβγεικνορτυχϲϳω', 'aByeikvoptuxcjw'],
        ['ΑΒΕΖΗΙΚΜΝΟΡΤΥΧϹͿ', 'ABEZHIKMNOPTYXCJ'],
        ['ɑɡɩιıȷɴʀʟᴄᴏᴜᴠᴡᴢսոօհզցեսɪ', 'agiiijnrlcouvwzunohqgeui'],
      ].flatMap(([letters, ascii]) => [...letters!].map((letter, i) => [letter, ascii![i]!] as const)),
    ),
)

/** First code points of the mathematical alphabets: each holds A to Z and a to z in order. */
const MATHEMATICAL = [
  0x1d400, 0x1d434, 0x1d468, 0x1d49c, 0x1d4d0, 0x1d504, 0x1d538, 0x1d56c, 0x1d5a0, 0x1d5d4, 0x1d608, 0x1d63c, 0x1d670,
]

/** The ASCII character that a full-width or mathematical one is a variant of: nobody writes commands in those. */
function variantOf(code: number): string | undefined {
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCharCode(code - 0xfee0)
  if (code >= 0x1d7ce && code <= 0x1d7ff) return String((code - 0x1d7ce) % 10)
  const start = MATHEMATICAL.find((first) => code >= first && code < first + 52)
  if (start === undefined) return undefined
  const letter = code - start
  return String.fromCharCode(letter < 26 ? 65 + letter : 71 + letter)
}

/** Longest command word looked at: names of programs are far shorter. */
const LONGEST_WORD = 256

function isAscii(word: string): boolean {
  for (let at = 0; at < word.length; at++) if (word.charCodeAt(at) > 0x7f) return false
  return true
}

/**
 * The ASCII word that a command word imitates: letters of other scripts among ASCII ones, or full-width and mathematical
 * letters. Undefined for a plain word, and for one that is written in another script as a whole.
 */
export function looksLikeAscii(word: string): string | undefined {
  if (word.length > LONGEST_WORD || isAscii(word)) return undefined
  let ascii = ''
  let letters = 0
  let variants = 0
  for (const char of word) {
    const code = char.codePointAt(0)!
    if (code < 0x80) {
      if (/[A-Za-z]/.test(char)) letters++
      ascii += char
      continue
    }
    const variant = variantOf(code)
    if (variant !== undefined) variants++
    const like = variant ?? alike().get(char)
    if (like === undefined) return undefined
    ascii += like
  }
  return letters > 0 || variants > 0 ? ascii : undefined
}
