/** Statements, read loosely: blocks, functions, loops and imports matter; any other word is passed over. */
import { addFunction, endOf, keywordFunction } from './functions.ts'
import { imports } from './imports.ts'
import type { Token } from './lexer.ts'
import { bind, type Program } from './program.ts'
import { MOST_NESTING } from './state.ts'
import { elementOf, list, named, type Thing, UNKNOWN } from './things.ts'

const DECLARES = new Set([
  'const',
  'let',
  'var',
  'my',
  'our',
  'local',
  'static',
  'global',
  'public',
  'private',
  'protected',
  'export',
  'final',
  'abstract',
  'readonly',
  'state',
])

/** Reads statements up to a token index. */
export function statements(p: Program, to: number): void {
  const { cursor, progress } = p
  const outer = progress.blocks
  const indents: number[] = []
  while (cursor.at < to && !progress.limited) {
    const before = cursor.at
    cursor.nest = 0
    const token = cursor.tokens[cursor.at]!
    if (token.t === 'newline') {
      if (p.grammar.blocks === 'indent') indentation(p, token, indents)
      cursor.at++
    } else if (token.t === 'punct' && (token.text === '{' || token.text === '}')) {
      block(p, token.text === '{')
      cursor.at++
    } else if (token.t === 'punct' && [';', ')', ']', ',', ':'].includes(token.text)) cursor.at++
    else statement(p, token)
    if (cursor.at <= before) cursor.at = before + 1
    if (progress.blocks.length < outer.length) progress.blocks = outer
  }
  progress.blocks = outer
}

function block(p: Program, opens: boolean): void {
  const { progress } = p
  if (progress.blocks.length > MOST_NESTING) progress.limited = true
  progress.blocks = opens ? [...progress.blocks, progress.nextBlock++] : progress.blocks.slice(0, -1)
}

/** Blocks of Python: a deeper line opens one, a line that is less deep closes them. */
function indentation(p: Program, token: Token, indents: number[]): void {
  const next = p.cursor.after(1)
  if (next === undefined || next.t === 'newline') return
  const column = token.indent ?? 0
  while (indents.length > 0 && indents.at(-1)! > column) {
    indents.pop()
    block(p, false)
  }
  if (column > (indents.at(-1) ?? 0)) {
    indents.push(column)
    block(p, true)
  } else if (
    ['else', 'elif', 'except', 'finally'].includes(next.text) &&
    indents.length > 0 &&
    indents.at(-1) === column
  ) {
    block(p, false)
    block(p, true)
  }
}

function statement(p: Program, token: Token): void {
  const { cursor, grammar } = p
  if (token.t === 'name' && grammar.keywords.has(token.text)) {
    if (imports(p, token)) return
    switch (token.text) {
      case 'def':
        if (grammar.blocks === 'indent') pythonFunction(p)
        else rubyFunction(p)
        return
      case 'function':
      case 'sub':
        keywordFunction(p)
        return
      case 'for':
      case 'foreach':
        loop(p)
        return
      case 'return':
        cursor.at++
        if (cursor.after(0)?.t !== 'newline') p.progress.returns.at(-1)?.push(p.expression(p))
        return
      case 'class':
      case 'module':
      case 'interface':
        classHead(p)
        return
      case 'if':
      case 'unless':
      case 'while':
      case 'until':
      case 'case':
      case 'begin':
      case 'do':
        cursor.at++
        if (grammar.blocks === 'end') openEnd(p, token)
        return
      case 'then':
      case 'try':
      case 'finally':
      case 'elif':
        cursor.at++
        return
      case 'else':
      case 'elsif':
      case 'elseif':
      case 'when':
      case 'rescue':
      case 'ensure':
        cursor.at++
        if (grammar.blocks === 'end') {
          block(p, false)
          block(p, true)
        }
        return
      case 'end':
        cursor.at++
        if (grammar.blocks === 'end') block(p, false)
        return
    }
    if (DECLARES.has(token.text)) {
      cursor.at++
      destructuring(p)
      return
    }
  }
  if (grammar.language === 'perl' && behindLoop(p)) return
  if (method(p, token)) return
  if (several(p)) return
  const thing = p.expression(p)
  if (cursor.is('as') && cursor.after(1)?.t === 'name') {
    bind(p, cursor.after(1)!.text, thing)
    cursor.at += 2
  }
}

/** `if`, `while` and so on of an `end` language open a block unless they stand behind a statement. */
function openEnd(p: Program, token: Token): void {
  const before = p.cursor.tokens[p.cursor.at - 2]
  if (
    before === undefined ||
    before.t === 'newline' ||
    before.text === ';' ||
    token.text === 'case' ||
    token.text === 'begin'
  )
    block(p, true)
}

/** A class or module: its body is read as statements, its methods become functions. */
function classHead(p: Program): void {
  const { cursor, grammar } = p
  cursor.at++
  if (grammar.blocks === 'brace') {
    while (cursor.at < cursor.end && !['{', ';'].includes(cursor.tokens[cursor.at]!.text)) cursor.at++
    return
  }
  if (grammar.blocks === 'end') block(p, true)
  cursor.at = cursor.lineEnd(cursor.at)
}

function pythonFunction(p: Program): void {
  const { cursor } = p
  const column = cursor.columnOf(cursor.at)
  const decorated = isDecorated(p, cursor.at)
  const name = cursor.tokens[cursor.at + 1]
  const open = cursor.at + 2
  if (name?.t !== 'name' || cursor.tokens[open]?.text !== '(') {
    cursor.at++
    return
  }
  const close = cursor.closing(open)
  const colon = cursor.find(':', close + 1, cursor.end)
  const body = colon < 0 ? cursor.end : colon + 1
  const end = cursor.indentEnd(body, column)
  addFunction(p, decorated ? '' : name.text, open + 1, close, body, end, false)
  cursor.at = end
}

/** A decorator may call the function from anywhere. */
function isDecorated(p: Program, at: number): boolean {
  const { tokens } = p.cursor
  let i = at - 1
  while (i >= 0 && (tokens[i]!.t === 'newline' || tokens[i]!.text === 'async')) i--
  for (; i >= 0 && tokens[i]!.t !== 'newline'; i--) if (tokens[i]!.text === '@') return true
  return false
}

function rubyFunction(p: Program): void {
  const { cursor } = p
  let i = cursor.at + 1
  if (cursor.tokens[i]?.text === 'self' && cursor.tokens[i + 1]?.text === '.') i += 2
  const name = cursor.tokens[i]
  const open = i + 1
  const hasParams = cursor.tokens[open]?.text === '('
  const line = cursor.lineEnd(open)
  const close = hasParams ? cursor.closing(open) : line
  const end = endOf(p, cursor.at + 1)
  addFunction(p, name?.text ?? '', hasParams ? open + 1 : open, close, hasParams ? close + 1 : line, end, false)
  cursor.at = Math.min(end + 1, cursor.end)
}

/** `name(params) {` in a class body. */
function method(p: Program, token: Token): boolean {
  const { cursor, grammar } = p
  if (grammar.language !== 'javascript' || token.t !== 'name' || cursor.after(1)?.text !== '(') return false
  if (grammar.keywords.has(token.text)) return false
  const close = cursor.closing(cursor.at + 1)
  if (cursor.tokens[close + 1]?.text !== '{' || close + 1 >= cursor.end) return false
  const end = cursor.closing(close + 1)
  addFunction(p, token.text, cursor.at + 2, close, close + 2, end, false)
  cursor.at = Math.min(end + 1, cursor.end)
  return true
}

/** `a, b = …`: which value goes where is not followed. */
function several(p: Program): boolean {
  const { cursor } = p
  const names: string[] = []
  let i = cursor.at
  for (;;) {
    const name = cursor.tokens[i]
    if (name?.t !== 'name' || i >= cursor.end) return false
    names.push(name.text)
    const mark = cursor.tokens[i + 1]?.text
    if (mark === '=' && names.length > 1) break
    if (mark !== ',') return false
    i += 2
  }
  cursor.at = i + 2
  const items: Thing[] = [p.expression(p)]
  while (cursor.is(',')) {
    cursor.at++
    items.push(p.expression(p))
  }
  const source = items.length === 1 ? items[0]! : list(items)
  names.forEach((name, at) =>
    bind(p, name, source.is === 'list' && !source.open ? (source.items[at] ?? UNKNOWN) : UNKNOWN),
  )
  return true
}

/** `{ a, b: c } = …`, `[a, b] = …`, `(a, b) = …`: names take members of what follows. */
function destructuring(p: Program): boolean {
  const { cursor } = p
  const open = cursor.tokens[cursor.at]
  if (open?.t !== 'punct' || !['{', '[', '('].includes(open.text)) return false
  const from = cursor.at
  const close = cursor.closing(from)
  if (cursor.tokens[close + 1]?.text !== '=') return false
  cursor.at = close + 2
  const source = p.expression(p)
  const after = cursor.at
  let place = 0
  for (let i = from + 1; i < close; i++) {
    const token = cursor.tokens[i]!
    if (token.text === ',') place++
    if (token.t !== 'name') continue
    const renamed = cursor.tokens[i + 1]?.text === ':' && cursor.tokens[i + 2]?.t === 'name'
    const target = renamed ? cursor.tokens[i + 2]!.text : token.text
    if (open.text === '{') bind(p, target, memberOf(p, source, token.text))
    else bind(p, target, source.is === 'list' && !source.open ? (source.items[place] ?? UNKNOWN) : UNKNOWN)
    if (renamed) i += 2
  }
  cursor.at = after
  return true
}

function memberOf(p: Program, source: Thing, name: string): Thing {
  if (source.is === 'dict') return source.entries.get(name) ?? UNKNOWN
  if (source.is !== 'name') return UNKNOWN
  const full = `${source.name}.${name}`
  const canonical = p.grammar.canonical?.(full) ?? full
  return p.grammar.values?.(canonical, p.known) ?? named(canonical)
}

/** `for x in …`, `for (const x of …)`, `foreach ($a as $k => $v)`, `for my $f (…)`. */
function loop(p: Program): void {
  const { cursor, grammar } = p
  cursor.at++
  cursor.take('await')
  const head = cursor.is('(') && grammar.blocks !== 'indent'
  const open = cursor.at
  const close = head ? cursor.closing(open) : cursor.lineEnd(open)
  if (grammar.language === 'perl') {
    perlLoop(p)
    return
  }
  if (head) cursor.at++
  const from = cursor.at
  if (grammar.language === 'php') {
    const mark = cursor.find('as', from, close)
    if (mark < 0) return
    const source = p.expression(p)
    const names = cursor.tokens.slice(mark + 1, close).filter((token) => token.t === 'name')
    const value = names.at(-1)
    if (value) bind(p, value.text, elementOf(source))
    cursor.at = close
    return
  }
  const mark = ['of', 'in'].map((word) => cursor.find(word, from, close)).filter((at) => at >= 0)[0]
  if (mark === undefined) return
  const names = cursor.tokens.slice(from, mark).filter((token) => token.t === 'name' && !DECLARES.has(token.text))
  cursor.at = mark + 1
  const source = p.expression(p)
  for (const name of names)
    bind(
      p,
      name.text,
      names.length === 1 || (grammar.language === 'lua' && name === names.at(-1)) ? elementOf(source) : UNKNOWN,
    )
  if (grammar.blocks === 'end') {
    block(p, true)
    cursor.take('do')
  }
}

/** A statement before a loop behind it is no longer than this. */
const LONGEST = 150

/** Perl's `… for LIST`: the list is read first, since each of its elements is `$_` before it. */
function behindLoop(p: Program): boolean {
  const { cursor } = p
  const from = cursor.at
  const far = Math.min(cursor.end, from + LONGEST)
  const semicolon = cursor.find(';', from, far)
  const to = semicolon < 0 ? Math.min(cursor.lineEnd(from), far) : semicolon
  const mark = ['for', 'foreach'].map((word) => cursor.find(word, from + 1, to)).find((at) => at > from)
  if (mark === undefined) return false
  cursor.at = mark + 1
  const source = p.expression(p)
  const after = cursor.at
  bind(p, '$_', elementOf(source.is === 'list' ? source : list([source])), true)
  const { end } = cursor
  cursor.at = from
  cursor.end = mark
  p.expression(p)
  cursor.end = end
  cursor.at = Math.max(after, mark + 1)
  return true
}

function perlLoop(p: Program): void {
  const { cursor } = p
  cursor.take('my')
  const name = cursor.peek()?.t === 'name' ? cursor.next()!.text : '$_'
  if (!cursor.is('(')) return
  const close = cursor.closing(cursor.at)
  if (cursor.find(';', cursor.at + 1, close) >= 0) return
  const source = p.expression(p)
  bind(p, name, elementOf(source.is === 'list' ? source : list([source])))
  cursor.at = Math.min(close + 1, cursor.end)
}
