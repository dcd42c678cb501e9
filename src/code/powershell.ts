/** PowerShell: commands, pipelines and blocks, with a table of cmdlets. Any other command is a program that runs. */
import type { Doing } from '../commands/doing.ts'
import { type Arg, concat, exact, taintsOf, textOf, unknown, type Value } from '../core/value.ts'
import { base64Bytes, base64Text, base64Utf16 } from './decode.ts'
import type { Known } from './grammar.ts'
import { MOST_TEXT } from './lexer.ts'
import { type Command, cmdletDoings } from './powershell-cmdlets.ts'
import { fileCall, newStream } from './powershell-files.ts'
import { listed, NAMES_ITSELF, operated } from './powershell-values.ts'

/** Blocks within blocks, and words of one text. */
const MOST_DEPTH = 40
const MOST_WORDS = 20_000

const REMOTE = unknown('input', ['remote'])

class Reader {
  readonly source: string
  readonly known: Known
  readonly vars = new Map<string, Value>()
  readonly doings: Doing[] = []
  at = 0
  words = 0
  cwd: Value | undefined
  limited = false

  constructor(source: string, known: Known) {
    this.source = source
    this.known = known
    if (known.home === undefined) return
    this.vars.set('home', exact(known.home))
    this.vars.set('profile', exact(`${known.home}\\Documents\\PowerShell\\Microsoft.PowerShell_profile.ps1`))
  }

  /** Statements up to `close` or the end; the value of the last one. */
  block(close: string, depth: number): Value {
    let value: Value = unknown('variable')
    if (depth > MOST_DEPTH || this.words > MOST_WORDS) {
      this.limited = true
      this.at = this.source.length
    }
    while (this.at < this.source.length) {
      this.blanks(true)
      const c = this.source[this.at]
      if (c === undefined) break
      if (c === close) {
        this.at++
        return value
      }
      if (c === ';' || c === ')' || c === '}' || c === ',') {
        this.at++
        continue
      }
      const before = this.at
      value = this.pipeline(depth)
      if (this.at === before) this.at++
    }
    return value
  }

  blanks(lines: boolean): void {
    for (;;) {
      const c = this.source[this.at]
      if (c === ' ' || c === '\t' || c === '\r' || (lines && c === '\n')) this.at++
      else if (c === '`' && /^`\r?\n/.test(this.source.slice(this.at, this.at + 3)))
        this.at = this.source.indexOf('\n', this.at) + 1
      else if (this.source.startsWith('<#', this.at)) {
        const end = this.source.indexOf('#>', this.at)
        this.at = end < 0 ? this.source.length : end + 2
      } else if (c === '#') {
        const end = this.source.indexOf('\n', this.at)
        this.at = end < 0 ? this.source.length : end
      } else return
    }
  }

  pipeline(depth: number): Value {
    let value: Value | undefined
    for (;;) {
      value = this.command(depth, value)
      this.blanks(false)
      const two = this.source.slice(this.at, this.at + 2)
      if (two === '||' || two === '&&') {
        this.at += 2
        value = undefined
      } else if (two[0] === '|') this.at++
      else return value
      this.blanks(true)
    }
  }

  command(depth: number, piped: Value | undefined): Value {
    const assignment = /^\$(?:(?:global|script|local|env):)?(\w+)\s*\+?=(?!=)\s*/i.exec(
      this.source.slice(this.at, this.at + 120),
    )
    if (assignment) {
      this.at += assignment[0].length
      const value = this.pipeline(depth)
      this.vars.set(assignment[1]!.toLowerCase(), value)
      return value
    }
    const loop = /^foreach\s*\(\s*\$(\w+)\s+in\s+/i.exec(this.source.slice(this.at, this.at + 120))
    if (loop) {
      this.at += loop[0].length
      const each = this.block(')', depth + 1)
      this.vars.set(loop[1]!.toLowerCase(), each)
      return unknown('variable')
    }
    if (piped !== undefined) this.vars.set('_', piped)
    const made = newStream(this, depth)
    if (made) {
      staticCall(this, made.type, 'new', made.args)
      // What is written into it goes into that file.
      return made.args[0]?.value ?? unknown('variable')
    }
    const operator = /^[&.](?=[\s"'$({])/.exec(this.source.slice(this.at, this.at + 2))
    if (operator) {
      this.at++
      this.blanks(false)
    }
    const words: Command['words'][number][] = []
    const redirects: Doing[] = []
    for (;;) {
      this.blanks(false)
      const c = this.source[this.at]
      if (c === undefined || c === '\n' || c === ';' || c === '|' || c === ')' || c === '}') break
      if (c === '&' && words.length > 0) break
      const redirect = /^[\d*]?(>>?)(&\d)?\s*/.exec(this.source.slice(this.at, this.at + 8))
      if (redirect) {
        this.at += redirect[0].length
        if (redirect[2]) continue
        const target = this.word(depth, true)
        if (!/^\$?null$/i.test(textOf(target.value) ?? ''))
          redirects.push({ do: 'path', act: redirect[1] === '>' ? 'write' : 'append', at: target })
        continue
      }
      if (c === ',' || c === '=') {
        this.at++
        const previous = words.at(-1)
        this.blanks(true)
        if (c === ',' && previous && this.at < this.source.length) previous.more.push(this.word(depth, true))
        continue
      }
      const before = this.at
      words.push({ ...this.word(depth, words.length > 0), more: [] })
      if (this.at === before) this.at++
    }
    this.doings.push(...redirects)
    if (words.length === 0) return unknown('variable')
    const value = operator ? undefined : operated(words)
    if (value !== undefined) return value
    const alone = words.length === 1 && (words[0]!.expression || words[0]!.quoted) && !operator
    if (alone) return listed([words[0]!, ...words[0]!.more])
    if (textOf(words[0]!.value) === BLOCK && words[0]!.expression) return unknown('variable')
    const done = cmdletDoings({ words, piped, cwd: this.cwd, known: this.known, called: operator !== null })
    this.doings.push(...done.doings)
    if (done.cwd) this.cwd = done.cwd
    return done.value
  }

  /** One word: a bare text, a string, a variable, a group, or a run of these. */
  word(
    depth: number,
    plain: boolean,
  ): Arg & { readonly expression: boolean; readonly quoted: boolean; readonly block: boolean } {
    const from = this.at
    this.words++
    let value: Value = exact('')
    // Plain characters are gathered first: joining them one by one takes the square of their number.
    let bare = ''
    let expression = false
    let quoted = false
    let block = false
    for (;;) {
      const c = this.source[this.at]
      if (c !== undefined && bare !== '' && /['"@$({`]/.test(c)) {
        value = concat(value, exact(bare))
        bare = ''
      }
      if (c === undefined || /[\s;|),}]/.test(c) || (c === '=' && !plain)) break
      if (c === "'" || c === '"') {
        quoted = true
        value = concat(value, this.string(c, depth))
      } else if (c === '@' && /["']/.test(this.source[this.at + 1] ?? '')) value = concat(value, this.hereString())
      else if (c === '$' && this.source[this.at + 1] === '(') {
        this.at += 2
        value = concat(value, this.block(')', depth + 1))
      } else if (c === '$') {
        expression = true
        value = concat(value, this.variable())
      } else if (c === '(' || (c === '@' && this.source[this.at + 1] === '(')) {
        this.at += c === '(' ? 1 : 2
        expression = true
        value = concat(value, this.block(')', depth + 1))
      } else if (c === '{' || (c === '@' && this.source[this.at + 1] === '{')) {
        this.at += c === '{' ? 1 : 2
        block = true
        value = unknown('variable')
        this.block('}', depth + 1)
      } else if (c === '[' && bare === '' && value.is === 'exact' && value.text === '') {
        expression = true
        value = this.type(depth)
      } else if (
        bare === '' &&
        c === '.' &&
        (expression || quoted) &&
        /^\.[A-Za-z]/.test(this.source.slice(this.at, this.at + 2))
      )
        value = this.member(value, depth)
      else if (c === '`') {
        value = concat(value, exact(this.source[this.at + 1] ?? ''))
        this.at += 2
      } else {
        bare += c
        this.at++
      }
    }
    if (bare !== '') value = concat(value, exact(bare))
    return { value, span: { from, to: this.at }, provenance: 'constant', expression, quoted, block }
  }

  string(mark: string, depth: number): Value {
    let value: Value = exact('')
    let plain = ''
    const special = mark === '"' ? /["`$]/g : /'/g
    this.at++
    while (this.at < this.source.length) {
      const c = this.source[this.at]!
      const next = this.source[this.at + 1] ?? ''
      if (c === mark && next !== mark) {
        this.at++
        break
      }
      if (c === mark || (mark === '"' && c === '`')) {
        plain += c === mark ? mark : next === 'n' ? '\n' : next === 't' ? '\t' : next
        this.at += 2
      } else if (mark === '"' && c === '$' && /[\w{(]/.test(next)) {
        value = concat(value, exact(plain))
        plain = ''
        if (next === '(') {
          this.at += 2
          value = concat(value, this.block(')', depth + 1))
        } else value = concat(value, this.variable())
      } else {
        special.lastIndex = this.at + 1
        const to = special.exec(this.source)?.index ?? this.source.length
        plain += this.source.slice(this.at, to)
        this.at = to
      }
    }
    return concat(value, exact(plain))
  }

  hereString(): Value {
    const mark = this.source[this.at + 1]!
    const start = this.source.indexOf('\n', this.at)
    const end = this.source.indexOf(`\n${mark}@`, this.at)
    const to = end < 0 ? this.source.length : end
    const text = start < 0 ? '' : this.source.slice(start + 1, to)
    this.at = Math.min(to + 3, this.source.length)
    return mark === '"' && text.includes('$') ? unknown('variable') : exact(text)
  }

  variable(): Value {
    const name = /^\$(?:\{([^}]*)\}|((?:\w+:)?\w+|[$?^_]))?/.exec(this.source.slice(this.at, this.at + 120))!
    this.at += Math.max(name[0].length, 1)
    const plain = (name[1] ?? name[2] ?? '').toLowerCase()
    if (/^env:(userprofile|home)$/.test(plain))
      return this.known.home === undefined ? unknown('variable') : exact(this.known.home)
    if (plain === 'pwd') return exact('.')
    return this.vars.get(plain.replace(/^(global|script|local|env):/, '')) ?? unknown('variable')
  }

  /** A text that runs as PowerShell. */
  runs(text: Value): void {
    const taints = taintsOf(text)
    this.doings.push({ do: 'code', language: 'powershell', text, ...(taints.length > 0 ? { taints } : {}) })
  }

  /** `[IO.File]::Delete("x")`, `[Convert]::FromBase64String("…")`. */
  type(depth: number): Value {
    const head = /^\[([\w.[\]]+)\](?:::(\w+)(\()?)?/.exec(this.source.slice(this.at, this.at + 120))
    if (!head) {
      this.at++
      return exact('[')
    }
    this.at += head[0].length
    const type = head[1]!.toLowerCase().replace(/^system\./, '')
    const method = (head[2] ?? '').toLowerCase()
    if (type === 'text.encoding' && !head[3]) return exact(`encoding:${method}`)
    if (!head[3]) return unknown('variable')
    return staticCall(this, type, method, this.args(depth))
  }

  args(depth: number): readonly Arg[] {
    const args: Arg[] = []
    while (this.at < this.source.length) {
      this.blanks(true)
      const c = this.source[this.at]
      if (c === ')') {
        this.at++
        break
      }
      if (c === ',') {
        this.at++
        continue
      }
      const before = this.at
      const word = this.word(depth + 1, true)
      args.push(word)
      if (this.at === before) this.at++
    }
    return args
  }

  member(value: Value, depth: number): Value {
    const head = /^\.(\w+)(\()?/.exec(this.source.slice(this.at, this.at + 80))!
    this.at += head[0].length
    const args = head[2] ? this.args(depth) : []
    const name = head[1]!.toLowerCase()
    if (name === 'getstring' && textOf(value)?.startsWith('encoding:')) return decoded(textOf(value)!, args[0]?.value)
    if (/^download(string|data)$/.test(name)) {
      this.doings.push({ do: 'other', act: 'fetch', service: 'url', what: textOf(args[0]?.value) ?? '?' })
      return REMOTE
    }
    if (name === 'downloadfile') {
      this.doings.push({ do: 'other', act: 'fetch', service: 'url', what: textOf(args[0]?.value) ?? '?' })
      if (args[1]) this.doings.push({ do: 'path', act: 'write', at: args[1] })
    }
    if (name === 'delete' && head[2])
      this.doings.push({
        do: 'path',
        act: 'delete',
        at: { value, span: { from: this.at, to: this.at }, provenance: 'constant' },
        tree: true,
      })
    if (name === 'content' || name === 'tostring' || name === 'trim' || NAMES_ITSELF.test(name)) return value
    if (/^(?:addscript|invokescript|newscriptblock)$/.test(name) && args[0]) this.runs(args[0].value)
    return taintsOf(value).length > 0 ? value : unknown('variable')
  }
}

/** A block that has been counted where it was made. */
const BLOCK = '{}'

/** Base64 is kept as a marked text until an encoding turns its bytes into letters. */
const BYTES = 'base64:'

function decoded(encoding: string, bytes: Value | undefined): Value {
  const text = textOf(bytes)
  if (text === undefined || !text.startsWith(BYTES)) return unknown('variable')
  const plain = text.slice(BYTES.length)
  const out = /unicode/.test(encoding) ? base64Utf16(plain) : base64Text(plain)
  return out === undefined ? unknown('variable') : exact(out)
}

function staticCall(reader: Reader, type: string, method: string, args: readonly Arg[]): Value {
  const [first] = args
  if (type === 'convert' && method === 'frombase64string') {
    const text = textOf(first?.value)
    return text !== undefined && base64Bytes(text) ? exact(BYTES + text) : unknown('variable')
  }
  if (type === 'scriptblock' && method === 'create' && first) {
    reader.runs(first.value)
    return exact(BLOCK)
  }
  if (type === 'io.path' && method === 'combine')
    return args.map(({ value }) => value).reduce((all, one) => concat(concat(all, exact('\\')), one))
  if (type === 'io.path' && method === 'gettemppath' && reader.known.home !== undefined)
    return exact(`${reader.known.home}\\AppData\\Local\\Temp\\`)
  if (first !== undefined) reader.doings.push(...fileCall(type, method, args))
  return unknown('variable')
}

/** What a PowerShell program does. */
export function readPowerShell(source: string, args: readonly Arg[], known: Known): readonly Doing[] {
  if (source.length > MOST_TEXT) return [{ do: 'opaque', what: 'powershell program', note: 'too-long' }]
  const reader = new Reader(source, known)
  if (args[0]) reader.vars.set('args', args[0].value)
  reader.block('', 0)
  return reader.limited
    ? [...reader.doings, { do: 'opaque', what: 'powershell program', note: 'budget' }]
    : reader.doings
}
