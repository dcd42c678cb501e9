/** Follows a line the published way: wrappers taken off, the working directory kept as text. */
import { expandHome, isAbsolute, join, type PathSense } from '../../paths/lexical.ts'
import { SHELLS, WRAPPERS } from './tables.ts'
import type { Segment, Token } from './view.ts'

export interface Unwrapped {
  /** Words behind the wrappers; the program first. */
  readonly words: readonly Token[]
  /** `env` or an assignment in front sets variables. */
  readonly sets: readonly string[]
  /** Options of `env` that are more than names: a split string, another directory. */
  readonly split: boolean
}

const ASSIGNMENT = /^([A-Za-z_][A-Za-z0-9_]*)=/

export function unwrap(segment: Segment): Unwrapped {
  const sets = [...segment.assigns]
  let split = false
  let at = 0
  const { argv } = segment
  while (at < argv.length) {
    const { text } = argv[at]!
    const base = baseName(text)
    if (WRAPPERS.has(text)) at++
    else if (base === 'env') {
      at++
      for (; at < argv.length; at++) {
        const word = argv[at]!.text
        const set = ASSIGNMENT.exec(word)
        if (set) sets.push(set[1]!)
        else if (word.startsWith('-')) split ||= /^(?:-\w*[SCu]|--(?:split-string|chdir|unset))/.test(word)
        else break
      }
    } else break
  }
  return { words: argv.slice(at), sets, split }
}

export const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1)

/** The script of `sh -c S` or `eval …`: tokens that are joined by blanks. Undefined for any other command. */
export function inlineOf(words: readonly Token[]): readonly Token[] | undefined {
  const name = words[0]?.text
  if (name === undefined) return undefined
  if (name === 'eval') return words.slice(1)
  if (!SHELLS.has(baseName(name))) return undefined
  const flag = words.findIndex((word, i) => i > 0 && /^-[A-Za-z]*c[A-Za-z]*$/.test(word.text))
  return flag > 0 && words[flag + 1] !== undefined ? [words[flag + 1]!] : undefined
}

export interface Place {
  readonly home: string
  readonly user: string
  readonly sense: PathSense
}

/** The absolute path that a token names from `cwd`; undefined where that cannot be told. Nothing is normalised. */
export function pathOf(token: Token, cwd: string | undefined, at: Place): string | undefined {
  const { flavour } = at.sense
  if (token.text === '') return undefined
  if (token.fromHome) return expandHome(token.text, at.home, at.user, flavour)
  if (token.dynamic) return undefined
  if (isAbsolute(token.text, flavour)) return token.text
  return cwd === undefined ? undefined : join(cwd, token.text, flavour)
}

const CD = new Set(['cd', 'pushd', 'popd'])
export const isCd = (words: readonly Token[]): boolean => words.length > 0 && CD.has(words[0]!.text)

/** Where `cd` leads; undefined where nobody can tell. `searched`: CDPATH may lead a plain relative name elsewhere. */
export function cdTarget(
  words: readonly Token[],
  cwd: string | undefined,
  at: Place,
  searched: boolean,
): string | undefined {
  const name = words[0]!.text
  if (name === 'popd') return undefined
  const operands = words.slice(1).filter((word) => word.text !== '--' && !/^-[LPe@]+$/.test(word.text))
  if (operands.length === 0) return name === 'cd' ? at.home : undefined
  const [to] = operands
  if (operands.length > 1 || /^(?:-|[+-]\d+)$/.test(to!.text)) return undefined
  if (searched && !to!.fromHome && !/^(?:\/|\.\.?(?:\/|$))/.test(to!.text)) return undefined
  return pathOf(to!, cwd, at)
}

/** Paths that the words behind the program may name: operands, values of options, and what redirections name. */
export function candidates(words: readonly Token[]): readonly Token[] {
  const out: Token[] = []
  for (const word of words.slice(1)) {
    const { text } = word
    if (!text.startsWith('-')) {
      out.push(word)
      continue
    }
    const equals = text.indexOf('=')
    if (equals > 0) out.push(part(word, equals + 1))
    else if (/^-[^-]./.test(text)) out.push(part(word, 2))
  }
  return out.filter(({ text }) => text !== '')
}

const part = (token: Token, from: number): Token => {
  const text = token.text.slice(from)
  const home = /^(?:~|\$HOME|\$\{HOME\})/.test(text)
  return { text, dynamic: token.dynamic, fromHome: home && !token.dynamic }
}
