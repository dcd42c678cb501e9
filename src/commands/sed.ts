/** `sed`: files it edits, files its script writes and reads, commands its script runs, and simple substitutions on exact text. */
import { type Arg, exact, oneOf, textOf, textsOf, unknown } from '../core/value.ts'
import { backedUp } from './backup.ts'
import { MOST_EXACT } from './bytes.ts'
import type { Content, Doing, Invocation, Reader } from './doing.ts'
import { type Parsed, parseArgs, specify } from './options.ts'
import { NOTHING, onEach, out, paths, textIn } from './parts.ts'
import { changed, inputOf } from './row.ts'
import { settingNames } from './setting-names.ts'

const COMMON =
  '-n|--quiet|--silent -e|--expression: -f|--file: -E|-r|--regexp-extended -l|--line-length: -s|--separate ' +
  '-u|--unbuffered -z|--null-data --posix --debug --sandbox --follow-symlinks -b|--binary -a --help --version'
const GNU = specify(`${COMMON} -i|--in-place?`)
/** On BSD the suffix of `-i` is a word of its own, and may be empty. */
const BSD = specify(`${COMMON} -i: -I:`)

/** Lines of a script that are looked at one by one; a longer script counts as unreadable. */
const MOST_SCRIPT = 64 * 1024

/** What a script does beside printing. */
interface Script {
  readonly writes: readonly string[]
  readonly reads: readonly string[]
  /** Shell text that an `e` command runs; undefined text: the pattern space itself. */
  readonly runs: readonly (string | undefined)[]
}

/** Skips one delimited part of `s` or `y` from just behind a delimiter; returns the place of the closing one. */
function closing(text: string, from: number, delimiter: string): number {
  let inClass = false
  for (let i = from; i < text.length; i++) {
    const char = text[i]!
    if (char === '\\') i++
    else if (char === '\n' && delimiter !== '\n') return i
    else if (char === '[' && !inClass && delimiter !== '[') inClass = text.indexOf(']', i + 2) > 0
    else if (char === ']') inClass = false
    else if (char === delimiter && !inClass) return i
  }
  return text.length
}

/** Reads a sed script for the commands that touch files or run something. */
export function sedScript(text: string): Script {
  const writes: string[] = []
  const reads: string[] = []
  const runs: (string | undefined)[] = []
  const lineEnd = (from: number): number => {
    const end = text.indexOf('\n', from)
    return end < 0 ? text.length : end
  }
  const restOf = (from: number): string => text.slice(from, lineEnd(from)).trim()
  let i = 0
  while (i < text.length) {
    const char = text[i]!
    if (/[\s;{}!,$~+\d]/.test(char)) i++
    else if (char === '/' || char === '\\') {
      const delimiter = char === '/' ? '/' : (text[i + 1] ?? '/')
      i = closing(text, i + (char === '/' ? 1 : 2), delimiter) + 1
      while (/[IM]/.test(text[i] ?? '')) i++
    } else if (char === 's' || char === 'y') {
      const delimiter = text[i + 1] ?? '/'
      const middle = closing(text, i + 2, delimiter)
      const pattern = text.slice(i + 2, middle)
      const end = replacementEnd(text, middle + 1, delimiter)
      const replacement = text.slice(middle + 1, end)
      i = end + 1
      if (char === 'y') continue
      const flags = /^[gpiImMe\d]*/.exec(text.slice(i))![0]
      i += flags.length
      if (flags.includes('e'))
        runs.push(/^\.\*$|^\^\.\*\$?$/.test(pattern) && !/[&\\]/.test(replacement) ? replacement : undefined)
      if (text[i] === 'w') {
        writes.push(restOf(i + 1))
        i = lineEnd(i)
      }
    } else if (char === 'w' || char === 'W') {
      writes.push(restOf(i + 1))
      i = lineEnd(i)
    } else if (char === 'r' || char === 'R') {
      reads.push(restOf(i + 1))
      i = lineEnd(i)
    } else if (char === 'e') {
      const command = restOf(i + 1).replace(/[;}]\s*$/, '')
      runs.push(command === '' ? undefined : command)
      i = lineEnd(i)
    } else if ('aic'.includes(char)) {
      // Text to insert: it ends with a line that has no backslash at its end.
      i = lineEnd(i)
      while (text[i - 1] === '\\' && i < text.length) i = lineEnd(i + 1)
    } else if (char === '#' || char === ':') i = lineEnd(i)
    else if ('btTqQlLF'.includes(char)) {
      i++
      while (i < text.length && !/[;\n}]/.test(text[i]!)) i++
    } else i++
  }
  return { writes, reads, runs }
}

/** The end of a replacement, where brackets mean nothing and a line break may be escaped. */
function replacementEnd(text: string, from: number, delimiter: string): number {
  for (let i = from; i < text.length; i++) {
    if (text[i] === '\\') i++
    else if (text[i] === delimiter) return i
  }
  return text.length
}

/** A substitution of plain text, or undefined where it needs an engine. */
function plainSubstitution(
  script: string,
): { readonly from: string; readonly to: string; readonly all: boolean } | undefined {
  const delimiter = script[1]
  if (script[0] !== 's' || delimiter === undefined || /[\\\s\w]/.test(delimiter)) return undefined
  const parts = script.slice(2).split(delimiter)
  const [from, to, flags] = parts
  if (parts.length !== 3 || !from || to === undefined || !/^g?$/.test(flags ?? '')) return undefined
  if (/[\\.[\]*^$+?(){}|\n]/.test(from) || /[\\&\n]/.test(to)) return undefined
  return { from, to, all: flags === 'g' }
}

/** Reader of `sed`. */
export const sed: Reader = function* (call) {
  const bsd = call.platform === 'darwin' && call.base !== 'gsed'
  const parsed = parseArgs(bsd ? BSD : GNU, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const expressions = parsed.values.get('-e') ?? []
  const scripts = parsed.values.get('-f') ?? []
  const given = expressions.length > 0 || scripts.length > 0
  const codes = given ? expressions : parsed.operands.slice(0, 1)
  let files = given ? parsed.operands : parsed.operands.slice(1)
  const inPlace = parsed.flags.has('-i') || parsed.flags.has('-I') || parsed.hidden
  // `-i ''` on GNU: the empty word is the script and the script a file; people mean the BSD form, so all are edited.
  if (!bsd && inPlace && !given && textOf(parsed.operands[0]?.value) === '') files = parsed.operands.slice(2)
  const doings: Doing[] = [...onEach('read', paths(scripts))]
  const suffix = textOf((parsed.values.get('-i') ?? parsed.values.get('-I'))?.at(-1)?.value) ?? ''
  if (inPlace && suffix !== '') for (const at of files) doings.push(backedUp(at, suffix))
  doings.push(...onEach(inPlace ? 'edit' : 'read', paths(files)))
  const texts: (string | undefined)[] = codes.map((arg) => textOf(arg.value))
  for (const file of scripts) {
    const text = textOf(file.value) === '-' ? textOf(call.stdin.text) : yield* textIn(call, file)
    if (text === undefined) doings.push({ do: 'opaque', what: 'a sed script of unknown text' })
    else if (text !== 'absent') texts.push(text)
  }
  const quiet = parsed.flags.has('--sandbox')
  for (const text of texts) doings.push(...(quiet ? [] : effectsOf(call, text)))
  if (inPlace && suffix === '' && texts.length > 0 && texts.every((text) => EMPTIES.test(text ?? '')))
    return doings.map((doing) =>
      doing.do === 'path' && doing.act === 'edit' ? { ...doing, act: 'write' as const, content: NOTHING } : doing,
    )
  if (inPlace) return doings
  doings.push(out(filtered(call, parsed, inputOf(call, files), texts)))
  return settingNames(call, doings)
}

/** Scripts that leave no line: what is edited with them alone is emptied. */
const EMPTIES = /^\s*(?:1,\$)?\s*d\s*;?\s*$/

function effectsOf(call: Invocation, text: string | undefined): readonly Doing[] {
  // A script that is not known could write or run, but hardly ever does: its unknown parts are patterns and texts.
  if (text === undefined) return []
  if (text.length > MOST_SCRIPT) return [{ do: 'opaque', what: 'a long sed script' }]
  const script = sedScript(text)
  const named = (name: string): Arg => ({ value: exact(name), span: call.command.span, provenance: 'constant' })
  const real = (name: string) => name !== '' && !/^\/dev\/(?:stdout|stderr|stdin)$/.test(name)
  return [
    ...onEach('write', script.writes.filter(real).map(named)),
    ...onEach('read', script.reads.filter(real).map(named)),
    ...script.runs.map(
      (run): Doing => ({ do: 'code', language: 'sh', text: run === undefined ? unknown('input') : exact(run) }),
    ),
  ]
}

function filtered(call: Invocation, parsed: Parsed, input: Content, scripts: readonly (string | undefined)[]): Content {
  const content = changed(
    input,
    parsed.flags.has('-n') && scripts.every((text) => /^[\d,$]*p?$|^\/[^/]*\/p$/.test(text ?? '?')),
  )
  const script = scripts.length === 1 ? scripts[0] : undefined
  const plain = script === undefined ? undefined : plainSubstitution(script)
  const texts = input === call.stdin ? textsOf(input.text) : undefined
  if (plain === undefined || texts === undefined || parsed.flags.size > 0) return content
  if (texts.some((text) => text.length > MOST_EXACT)) return content
  const { from, to, all } = plain
  const lines = (text: string) =>
    text
      .split('\n')
      .map((row) => (all ? row.replaceAll(from, () => to) : row.replace(from, () => to)))
      .join('\n')
  return { ...content, text: oneOf(texts.map(lines)) }
}
