/** Lua: how it is written, what its functions do. */
import { exact, textOf } from '../core/value.ts'
import { formats, joinWith, mapped, reversed, same, variable, words } from './common.ts'
import type { CallRow, Facts, Give, Grammar } from './grammar.ts'
import { type Lexing, quoted, type Special } from './lexer.ts'
import { asValue, list, named, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'and break do else elseif end for function goto if in local not or repeat return then until while',
)

const LONG = /^\[(=*)\[/

function special(source: string, at: number): Special | undefined {
  const c = source[at]!
  const comment = c === '-' && source[at + 1] === '-'
  const long = LONG.exec(source.slice(comment ? at + 2 : at, at + 20))
  if (long) {
    const from = at + (comment ? 2 : 0) + long[0].length
    const close = `]${long[1]}]`
    const end = source.indexOf(close, from)
    const to = end < 0 ? source.length : end + close.length
    return comment
      ? { t: 'skip', to }
      : { t: 'string', pieces: [{ is: 'text', text: source.slice(from, end < 0 ? source.length : end) }], to }
  }
  if (c === '"' || c === "'")
    return { t: 'string', ...quoted(source, at + 1, { close: c, escapes: 'all', oneLine: true }) }
  return undefined
}

const lexing: Lexing = {
  lineComments: ['--', '#!'],
  blockComments: [],
  name: /[A-Za-z_]\w*/y,
  operators: ['...', '..', '==', '~=', '<=', '>=', '//', '::', '<<', '>>'],
  special,
}

const ROWS: readonly CallRow[] = [
  { call: 'os.remove', does: 'delete 0', why: 'removes a file or an empty directory' },
  { call: 'lfs.rmdir', does: 'delete 0', why: 'LuaFileSystem' },
  { call: 'os.rename', does: 'move 0 1', why: 'moves' },
  { call: 'io.open', does: 'open 0 1', why: 'opens by mode' },
  { call: 'io.output', does: 'write 0', why: 'writes a file' },
  { call: 'io.lines io.input', does: 'read 0', why: 'reads' },
  { call: 'os.execute io.popen vim.fn.system vim.fn.systemlist', does: 'shell 0', why: 'a text for a shell' },
  { call: 'load loadstring', does: 'eval 0', why: 'runs a text' },
  { call: 'dofile loadfile', does: 'script 0', why: 'runs a file' },
  { call: 'lfs.mkdir', does: 'create 0', why: 'makes where absent' },
  { call: 'lfs.chdir', does: 'chdir 0', why: 'changes the directory' },
  { call: 'vim.fn.delete', does: 'delete/ 0', why: 'Neovim: the tree with "rf"' },
  { call: 'vim.fn.writefile', does: 'write 1', why: 'Neovim' },
  { call: 'print io.write', does: 'show *', why: 'prints' },
  { call: 'os.tmpname', does: 'fresh', why: 'a new name of its own' },
]

const GIVES: Readonly<Record<string, Give>> = {
  require: (call) => named(textOf(asValue(call.args[0])) ?? '?'),
  'os.getenv': variable,
  tostring: same(0),
  'table.concat': (call) => joinWith(call.args[1] ? asValue(call.args[1]) : exact(''), call.args[0]),
  'string.reverse': mapped(0, reversed),
  'string.char': (call) =>
    call.args.every((arg) => arg.is === 'number')
      ? text(call.args.map((arg) => String.fromCharCode(Number(textOf(asValue(arg))) & 0xff)).join(''))
      : UNKNOWN,
  'string.format': formats(/%[sdq]/),
  ipairs: same(0),
  pairs: same(0),
}

const values = (name: string, known: Facts): Thing | undefined =>
  name === 'arg' ? list([UNKNOWN, ...known.args]) : undefined

export const lua: Grammar = {
  language: 'lua',
  lexing,
  blocks: 'end',
  members: ['.', ':'],
  concat: ['..'],
  bare: true,
  keywords: KEYWORDS,
  rows: ROWS,
  gives: GIVES,
  values,
}
