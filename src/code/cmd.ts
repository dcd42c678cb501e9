/** Command lines of Windows' cmd: its builtins on files; any other command is a program that runs. */
import type { Doing } from '../commands/doing.ts'
import { type Arg, concat, exact, MOST_TEXTS, oneOf, textOf, unknown, type Value } from '../core/value.ts'
import type { Known } from './grammar.ts'
import { MOST_TEXT } from './lexer.ts'
import { withoutPrefix } from './powershell-values.ts'

interface Line {
  readonly words: Arg[]
  readonly redirects: { readonly act: 'write' | 'append' | 'read'; readonly at: Arg }[]
}

/** Commands of one text; more are summed up in one that says so. */
const MOST_LINES = 2_000

/** Splits a text into commands: quotes keep blanks, `^` keeps the next character, `& | ( )` and newlines separate. */
function commands(source: string, known: Known): readonly Line[] {
  const lines: Line[] = []
  let line: Line = { words: [], redirects: [] }
  let word: Value | undefined
  let plain = ''
  let from = 0
  let redirect: 'write' | 'append' | 'read' | undefined
  let quotes = false
  const letters: string[] = []
  /** What the variables of loops stand for. */
  const loops = new Map<string, Value>()
  const flush = () => {
    if (word !== undefined && plain !== '') word = concat(word, exact(plain))
    plain = ''
  }
  const add = (value: Value | string, at: number) => {
    if (word === undefined) from = at
    word ??= exact('')
    if (typeof value === 'string') plain += value
    else {
      flush()
      word = concat(word, value)
    }
  }
  const endWord = (at: number) => {
    flush()
    if (word === undefined) return
    const arg: Arg = { value: word, span: { from, to: at }, provenance: 'constant' }
    if (redirect) line.redirects.push({ act: redirect, at: arg })
    else line.words.push(arg)
    if (/^do$/i.test(textOf(arg.value) ?? '')) bindLoop(line.words, letters.shift(), loops)
    word = undefined
    redirect = undefined
  }
  const endLine = (at: number) => {
    endWord(at)
    if (line.words.length > 0 || line.redirects.length > 0) lines.push(line)
    line = { words: [], redirects: [] }
  }
  for (let i = 0; i < source.length && lines.length < MOST_LINES; i++) {
    const c = source[i]!
    if (c === '\n' || c === '\r') {
      quotes = false
      endLine(i)
    } else if (c === '"') {
      quotes = !quotes
      add('', i)
    } else if (c === '%') {
      const name = /^%(~?[A-Za-z]*\d|\*|[A-Za-z_()]\w*(?::[^%\n]*)?%|%?(?:~[a-z]*?)?[A-Za-z](?!\w))/.exec(
        source.slice(i, i + 80),
      )
      if (name) {
        const home = /^(USERPROFILE|HOME)%$/i.test(name[1]!) ? known.home : undefined
        const loop = /([A-Za-z])$/.exec(name[1]!)?.[1]
        const each = loop === undefined ? undefined : loops.get(loop)
        add(home !== undefined ? exact(home) : (each ?? unknown('variable')), i)
        // The letter of a loop stands behind `for`; its set comes later.
        if (
          loop !== undefined &&
          textOf(line.words[0]?.value)?.replace(/^@/, '').toLowerCase() === 'for' &&
          !loops.has(loop)
        )
          letters.push(loop)
        i += name[0].length - 1
      } else add(c, i)
    } else if (quotes) add(c, i)
    else if (c === '^') {
      i++
      if (source[i] === '\r') i++
      if (i < source.length && source[i] !== '\n') add(source[i]!, i)
    } else if (c === ' ' || c === '\t' || c === ',' || c === ';' || c === '=') endWord(i)
    else if ((c === '(' || c === ')') && inSet(line.words)) endWord(i)
    else if (c === '&' || c === '|' || c === '(' || c === ')') endLine(i)
    else if (c === '>' || c === '<') {
      if (word && textOf(word) === '' && /^\d$/.test(plain)) {
        word = undefined
        plain = ''
      }
      endWord(i)
      redirect = c === '<' ? 'read' : source[i + 1] === '>' ? 'append' : 'write'
      if (redirect === 'append') i++
      // `2>&1` names a handle, no file.
      if (source[i + 1] === '&') {
        i += 2
        redirect = undefined
      }
    } else add(c, i)
  }
  endLine(source.length)
  return lines
}

/** `for %i in (SET) do`: the letter stands for the words of the set, or what their pattern matches; `/f` and `/l` read and count. */
function bindLoop(words: readonly Arg[], letter: string | undefined, loops: Map<string, Value>): void {
  const texts = words.map((arg) => (textOf(arg.value) ?? '').toLowerCase())
  const from = texts.indexOf('in')
  if (letter === undefined || from < 0 || texts.some((text) => text === '/f' || text === '/l')) return
  const set = words.slice(from + 1, -1)
  const values = set.map((arg) => pattern(arg).value)
  if (values.length === 1) loops.set(letter, values[0]!)
  else if (set.length <= MOST_TEXTS && values.every((value) => value.is === 'exact'))
    loops.set(letter, oneOf(set.flatMap((arg) => textOf(arg.value) ?? [])))
}

/** Behind `for %i in`, brackets hold a set of words. */
function inSet(words: readonly Arg[]): boolean {
  const texts = words.map((arg) => (textOf(arg.value) ?? '').toLowerCase())
  return texts[0]?.replace(/^@/, '') === 'for' && texts.includes('in') && !texts.includes('do')
}

const path = (act: 'read' | 'names' | 'create' | 'write' | 'delete', at: Arg, tree = false): Doing => ({
  do: 'path',
  act,
  at,
  ...(tree ? { tree } : {}),
})

/** What a command line of cmd does. */
export function readCmd(source: string, _args: readonly Arg[], known: Known): readonly Doing[] {
  if (source.length > MOST_TEXT) return [{ do: 'opaque', what: 'cmd program', note: 'too-long' }]
  const lines = commands(source, known)
  const doings: Doing[] = []
  let cwd: Value | undefined
  for (const line of lines) {
    for (const { act, at } of line.redirects)
      if (!/^nul$/i.test(textOf(at.value) ?? '')) doings.push({ do: 'path', act, at: within(at, cwd) })
    const to = changesTo(line.words)
    if (to) cwd = within(to, cwd).value
    else doings.push(...command(line.words, 0, cwd))
  }
  return lines.length < MOST_LINES ? doings : [...doings, { do: 'opaque', what: 'cmd program', note: 'too-long' }]
}

/** The directory that `cd`, `chdir` or `pushd` goes to. */
function changesTo(words: readonly Arg[]): Arg | undefined {
  if (!/^@?(cd|chdir|pushd)$/i.test(textOf(words[0]?.value) ?? '')) return undefined
  return words.slice(1).find((arg) => !/^\/d$/i.test(textOf(arg.value) ?? ''))
}

/** A path from where the text began. */
function within(arg: Arg, cwd: Value | undefined): Arg {
  if (cwd === undefined || /^([\\/]|[A-Za-z]:)/.test(textOf(arg.value) ?? '')) return arg
  return { ...arg, value: concat(concat(cwd, exact('\\')), arg.value) }
}

const FILE_COMMANDS = /^(?:rd|rmdir|del|erase|copy|move|type|dir|md|mkdir|ren|rename|xcopy|format)$/i

/** `if … for … call` in front of each other. */
const MOST_HEADS = 20

function command(words: readonly Arg[], depth: number, cwd: Value | undefined): readonly Doing[] {
  const [first, ...rest] = words
  const given = textOf(first?.value)
  if (first === undefined || depth > MOST_HEADS) return []
  const at = cwd ? { cwd: { value: cwd, span: first.span } } : {}
  if (given === undefined) return [{ do: 'run', argv: words, ...at }]
  // `rd/s/q x`: switches may stand against the command.
  const glued = /^@*([A-Za-z]+)((?:\/[A-Za-z](?::\w+)?)+)$/.exec(given)
  if (glued !== null && FILE_COMMANDS.test(glued[1]!)) {
    const part = (text: string): Arg => ({ ...first, value: exact(text) })
    return command([part(glued[1]!), ...glued[2]!.split(/(?=\/)/).map(part), ...rest], depth + 1, cwd)
  }
  if (rest.some((arg) => textOf(arg.value) === '/?')) return []
  const name = given.replace(/^@+/, '').toLowerCase()
  if (name === '' || name === 'rem' || name.startsWith(':')) return name === '' ? command(rest, depth + 1, cwd) : []
  const option = (arg: Arg) => /^(\/[A-Za-z?-][^/\\]{0,2})+$/.test(textOf(arg.value) ?? '')
  const flags = new Set(
    rest.filter(option).flatMap((arg) =>
      textOf(arg.value)!
        .toLowerCase()
        .split(/(?=\/)/),
    ),
  )
  const operands = rest.filter((arg) => !option(arg)).map((arg) => within(pattern(arg), cwd))
  const tree = flags.has('/s')
  switch (name) {
    case 'rd':
    case 'rmdir':
      return operands.map((one) => path('delete', one, tree))
    case 'del':
    case 'erase':
      return operands.map((one) => path('delete', one, tree))
    case 'dir':
      return operands.map((one) => path('names', one))
    case 'type':
    case 'more':
      return operands.map((one) => path('read', one))
    case 'md':
    case 'mkdir':
      return operands.map((one) => path('create', one))
    case 'copy': {
      const to = operands.at(-1)
      return to && operands.length > 1
        ? [{ do: 'copy', from: operands.slice(0, -1), to, tree: false, into: 'maybe' }]
        : []
    }
    case 'move':
    case 'ren':
    case 'rename': {
      const [from, to] = operands
      return from && to
        ? [
            {
              do: 'move',
              from: [from],
              to: name === 'move' ? to : beside(from, to),
              into: name === 'move' ? 'maybe' : 'no',
            },
          ]
        : []
    }
    case 'call':
      return command(rest, depth + 1, cwd)
    case 'start': {
      // The first quoted word is a title; it cannot be told apart here, so a title that is a program is run, too.
      const from = rest.findIndex((arg) => !option(arg) && textOf(arg.value) !== '')
      const argv = from < 0 ? [] : rest.slice(from)
      return argv.length === 0 ? [] : command(argv, depth + 1, cwd)
    }
    case 'if':
      return command(behindIf(rest), depth + 1, cwd)
    case 'else':
    case 'do':
      return command(rest, depth + 1, cwd)
    case 'for': {
      const mark = rest.findIndex((arg) => /^do$/i.test(textOf(arg.value) ?? ''))
      return mark < 0 ? [] : command(rest.slice(mark + 1), depth + 1, cwd)
    }
    case 'cd':
    case 'chdir':
    case 'pushd':
    case 'popd':
    case 'echo':
    case 'set':
      return rest.length > 0 ? [] : [{ do: 'out', content: { text: unknown('variable'), taints: ['environment'] } }]
    case 'setlocal':
    case 'endlocal':
    case 'goto':
    case 'exit':
    case 'pause':
    case 'cls':
    case 'ver':
    case 'vol':
    case 'path':
    case 'title':
    case 'shift':
    case 'assoc':
    case 'ftype':
      return []
    default:
      if (/\.(bat|cmd)$/.test(name)) return [{ do: 'script', path: first, language: 'cmd', args: rest, ...at }]
      return [
        { do: 'run', argv: [{ ...first, value: exact(given.replace(/^@+/, '')) }, ...rest], ...at },
        // cmd looks into the current directory first.
        ...(/^[\w.-]+\.(?:exe|com)$/.test(name)
          ? [{ do: 'script', path: first, args: rest, ...at } satisfies Doing]
          : []),
      ]
  }
}

/** `if [not] exist X CMD`, `if [/i] [not] A==B CMD`, `if [not] defined X CMD`, `if errorlevel N CMD`. */
function behindIf(words: readonly Arg[]): readonly Arg[] {
  let i = 0
  while (/^(\/i|not)$/i.test(textOf(words[i]?.value) ?? '')) i++
  if (/^(exist|defined|errorlevel)$/i.test(textOf(words[i]?.value) ?? '')) return words.slice(i + 2)
  // `=` separates words, so `A==B` is two of them.
  return /^(equ|neq|lss|leq|gtr|geq)$/i.test(textOf(words[i + 1]?.value) ?? '')
    ? words.slice(i + 3)
    : words.slice(i + 2)
}

/** `ren a\b c`: the new name stays in the folder of the old one. */
function beside(from: Arg, to: Arg): Arg {
  const dir = /^.*[\\/]/.exec(textOf(from.value) ?? '')?.[0]
  return dir === undefined ? to : { ...to, value: concat(exact(dir), to.value) }
}

/** cmd's own commands match `*` and `?` themselves. */
function pattern(given: Arg): Arg {
  const arg = { ...given, value: withoutPrefix(given.value) }
  const text = textOf(arg.value)
  if (text === undefined || !/[*?]/.test(text)) return arg
  const parts = text
    .split(/([*?])/)
    .filter(Boolean)
    .map((piece) =>
      piece === '*'
        ? ({ is: 'star' } as const)
        : piece === '?'
          ? ({ is: 'question' } as const)
          : ({ is: 'text', text: piece } as const),
    )
  return { ...arg, value: { is: 'glob', parts } }
}
