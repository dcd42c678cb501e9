/** Shell patterns on text (not on the disk): `case`, `${x#…}`, `${x/…}`. Every match costs at most text times pattern. */
import type { GlobPart } from '../core/value.ts'

/** Text length times pattern length that one match may cost: a tenth of a second. */
const MOST_STEPS = 16_777_216

type Step = { readonly is: 'one'; readonly test: (char: string) => boolean } | { readonly is: 'run' }

/** Pattern pieces in `text`, an unquoted text that may hold pattern characters. */
export function scanGlob(text: string): GlobPart[] {
  const parts: GlobPart[] = []
  let plain = ''
  const flush = (): void => {
    if (plain !== '') parts.push({ is: 'text', text: plain })
    plain = ''
  }
  // Once a class has not been closed, no later one will be either.
  let closable = true
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!
    if (char === '*' || char === '?') {
      flush()
      parts.push(char === '*' ? { is: 'star' } : { is: 'question' })
      continue
    }
    const end = char === '[' && closable ? classEnd(text, i) : undefined
    if (char === '[' && end === undefined && text.indexOf(']', i + 1) === -1) closable = false
    if (end === undefined) plain += char
    else {
      flush()
      parts.push({ is: 'class', text: text.slice(i, end) })
      i = end - 1
    }
  }
  flush()
  return parts
}

/** Longest class looked for; a longer one is text, so that many brackets cost no more than their number. */
const LONGEST_CLASS = 256

function classEnd(text: string, open: number): number | undefined {
  let i = open + 1
  if (text[i] === '!' || text[i] === '^') i++
  const first = i
  for (; i < text.length && i - open < LONGEST_CLASS; i++) {
    const char = text[i]
    if (char === '/') return undefined
    if (char === ']' && i > first) return i + 1
    if (char === '[' && /[:.=]/.test(text[i + 1] ?? '')) {
      const close = text.indexOf(`${text[i + 1]}]`, i + 2)
      if (close !== -1 && close - open < LONGEST_CLASS) i = close + 1
    }
  }
  return undefined
}

const NAMED: Readonly<Record<string, RegExp>> = {
  alpha: /[A-Za-z]/,
  digit: /[0-9]/,
  alnum: /[A-Za-z0-9]/,
  upper: /[A-Z]/,
  lower: /[a-z]/,
  space: /[ \t\n\r\f\v]/,
  blank: /[ \t]/,
  punct: /[!-/:-@[-`{-~]/,
  xdigit: /[0-9A-Fa-f]/,
  cntrl: /[\0-\x1f\x7f]/,
  print: /[ -~]/,
  graph: /[!-~]/,
  word: /[A-Za-z0-9_]/,
  ascii: /[\0-\x7f]/,
}

/** The test of one character that `[…]` stands for. Ranges are by code point, as bash does by default. */
function classTest(text: string): (char: string) => boolean {
  const inner = [...text.slice(1, -1)]
  let i = 0
  const negated = inner[0] === '!' || inner[0] === '^'
  if (negated) i++
  const tests: ((char: string) => boolean)[] = []
  while (i < inner.length) {
    if (inner[i] === '[' && /[:.=]/.test(inner[i + 1] ?? '')) {
      const mark = inner[i + 1]!
      const close = inner.findIndex((char, at) => at > i + 1 && char === mark && inner[at + 1] === ']')
      if (close !== -1) {
        const name = inner.slice(i + 2, close).join('')
        const named = mark === ':' ? NAMED[name] : undefined
        tests.push(mark === ':' ? (char) => named?.test(char) === true : (char) => char === name)
        i = close + 2
        continue
      }
    }
    if (inner[i] === '\\' && i + 1 < inner.length) i++
    const low = inner[i]!
    if (inner[i + 1] === '-' && i + 2 < inner.length) {
      let at = i + 2
      if (inner[at] === '\\' && at + 1 < inner.length) at++
      const high = inner[at]!
      tests.push((char) => char.codePointAt(0)! >= low.codePointAt(0)! && char.codePointAt(0)! <= high.codePointAt(0)!)
      i = at + 1
      continue
    }
    tests.push((char) => char === low)
    i++
  }
  return (char) => tests.some((test) => test(char)) !== negated
}

function compile(pattern: readonly GlobPart[]): Step[] {
  const steps: Step[] = []
  for (const part of pattern) {
    switch (part.is) {
      case 'text':
        for (const char of part.text) steps.push({ is: 'one', test: (each) => each === char })
        break
      case 'question':
        steps.push({ is: 'one', test: () => true })
        break
      case 'class':
        steps.push({ is: 'one', test: classTest(part.text) })
        break
      default:
        if (steps.at(-1)?.is !== 'run') steps.push({ is: 'run' })
    }
  }
  return steps
}

/** Ways to read a pattern with choices that are tried one by one; more than that counts as a match. */
const MOST_WAYS = 256

/** A pattern with choices, as patterns without; undefined: too many. */
function waysOf(pattern: readonly GlobPart[]): readonly (readonly GlobPart[])[] | undefined {
  let ways: GlobPart[][] = [[]]
  for (const part of pattern) {
    const next: readonly GlobPart[] = part.is === 'one' ? part.of.map((text) => ({ is: 'text', text })) : [part]
    if (ways.length * next.length > MOST_WAYS) return undefined
    ways = ways.flatMap((way) => next.map((one) => [...way, one]))
  }
  return ways
}

/** One pattern is held against every name of a directory. */
const compiled = new WeakMap<readonly GlobPart[], readonly Step[]>()
const choices = new WeakMap<readonly GlobPart[], ReturnType<typeof waysOf>>()

/**
 * Whether a pattern matches the whole of a text, slashes being characters like any other. `any` matches whatever it may
 * stand for, and a match beyond the budget counts as one: both mean "perhaps".
 */
export function matchPattern(pattern: readonly GlobPart[], text: string): boolean {
  if (pattern.some((part) => part.is === 'one')) {
    let ways = choices.get(pattern)
    if (ways === undefined) {
      ways = waysOf(pattern)
      choices.set(pattern, ways)
    }
    return ways === undefined || ways.some((way) => matchPattern(way, text))
  }
  if (pattern.length * text.length > MOST_STEPS) return true
  let steps = compiled.get(pattern)
  if (steps === undefined) {
    steps = compile(pattern)
    compiled.set(pattern, steps)
  }
  const chars = [...text]
  if (steps.length * chars.length > MOST_STEPS) return true
  let step = 0
  let at = 0
  let run = -1
  let mark = 0
  while (at < chars.length) {
    const now = steps[step]
    if (now?.is === 'one' && now.test(chars[at]!)) {
      step++
      at++
    } else if (now?.is === 'run') {
      run = step++
      mark = at
    } else if (run !== -1) {
      step = run + 1
      at = ++mark
    } else return false
  }
  while (steps[step]?.is === 'run') step++
  return step === steps.length
}

/**
 * How many leading characters of `chars` the pattern can match: the fewest and the most. Undefined where it matches
 * none, `budget` where finding out costs too much.
 */
function lengths(
  steps: readonly Step[],
  chars: readonly string[],
  from = 0,
  to = chars.length,
): { readonly least: number; readonly most: number } | 'budget' | undefined {
  const count = steps.length
  if (count * (to - from) > MOST_STEPS) return 'budget'
  let now = new Uint8Array(count + 1)
  now[0] = 1
  let least: number | undefined
  let most = 0
  for (let at = from; ; at++) {
    let alive = false
    for (let i = 0; i <= count; i++) {
      if (now[i] === 0) continue
      alive = true
      if (i < count && steps[i]!.is === 'run') now[i + 1] = 1
    }
    if (now[count] === 1) {
      least ??= at - from
      most = at - from
    }
    if (!alive || at >= to) break
    const next = new Uint8Array(count + 1)
    for (let i = 0; i < count; i++) {
      if (now[i] === 0) continue
      const step = steps[i]!
      if (step.is === 'run') next[i] = 1
      else if (step.test(chars[at]!)) next[i + 1] = 1
    }
    now = next
  }
  return least === undefined ? undefined : { least, most }
}

/** `${x#p}`, `${x##p}`, `${x%p}`, `${x%%p}` on one text; undefined beyond the budget. */
export function removeMatch(
  text: string,
  pattern: readonly GlobPart[],
  operator: '#' | '##' | '%' | '%%',
): string | undefined {
  const atEnd = operator.startsWith('%')
  const steps = compile(pattern)
  const chars = [...text]
  if (atEnd) {
    steps.reverse()
    chars.reverse()
  }
  const found = lengths(steps, chars)
  if (found === 'budget') return undefined
  if (!found) return text
  const rest = chars.slice(operator.length === 1 ? found.least : found.most)
  return (atEnd ? rest.reverse() : rest).join('')
}

/** `${x/p/by}` and its family on one text; undefined beyond the budget. */
export function replaceMatch(
  text: string,
  pattern: readonly GlobPart[],
  by: string,
  operator: '/' | '//' | '/#' | '/%',
): string | undefined {
  const steps = compile(pattern)
  const chars = [...text]
  if (steps.length === 0) return operator === '/#' ? by + text : operator === '/%' ? text + by : text
  if (operator === '/#' || operator === '/%') {
    const atEnd = operator === '/%'
    if (atEnd) {
      steps.reverse()
      chars.reverse()
    }
    const found = lengths(steps, chars)
    if (found === 'budget') return undefined
    if (!found) return text
    const rest = chars.slice(found.most)
    return atEnd ? rest.reverse().join('') + by : by + rest.join('')
  }
  // Each position starts a match of its own, which may run to the end where the pattern can.
  const reach = steps.some((step) => step.is === 'run') ? chars.length : steps.length
  if (steps.length * chars.length * reach > MOST_STEPS) return undefined
  let out = ''
  for (let at = 0; at < chars.length; ) {
    const found = lengths(steps, chars, at, Math.min(chars.length, at + reach))
    if (found === 'budget') return undefined
    if (!found || found.most === 0) {
      out += chars[at++]!
      continue
    }
    out += by
    at += found.most
    if (operator === '/') return out + chars.slice(at).join('')
  }
  return out
}

/** `${x^p}`, `${x^^p}`, `${x,p}`, `${x,,p}` on one text. Without a pattern every letter counts. */
export function changeCase(
  text: string,
  pattern: readonly GlobPart[] | undefined,
  operator: '^' | '^^' | ',' | ',,',
): string {
  const steps = pattern && compile(pattern)
  const fits = (char: string): boolean => {
    if (!steps || steps.length === 0) return true
    const found = lengths(steps, [char])
    return found !== undefined && found !== 'budget' && found.most === 1
  }
  const change = (char: string): string => {
    const changed = operator.startsWith('^') ? char.toUpperCase() : char.toLowerCase()
    return changed.length === char.length && fits(char) ? changed : char
  }
  const chars = [...text]
  return chars.map((char, i) => (i === 0 || operator.length === 2 ? change(char) : char)).join('')
}

/** Whether a pattern begins with a written dot: others leave names out that begin with one. */
export const takesHidden = (pattern: readonly GlobPart[]): boolean => {
  const first = pattern[0]
  return first?.is === 'text'
    ? first.text.startsWith('.')
    : first?.is === 'one' && first.of.some((text) => text.startsWith('.'))
}
