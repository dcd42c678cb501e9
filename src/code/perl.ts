/** Perl: how it is written, what its functions do. */
import { textOf } from '../core/value.ts'
import {
  character,
  decodes,
  ENVIRONMENT,
  environment,
  joins,
  joinWith,
  mapped,
  pattern,
  same,
  words,
} from './common.ts'
import { hexText } from './decode.ts'
import type { CallRow, Facts, Give, Grammar } from './grammar.ts'
import { CLOSING, hereBody, type Lexing, quoted, quotes, type Special, type Token } from './lexer.ts'
import { asValue, list, named, ofValue, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'and cmp continue do else elsif eq for foreach ge given gt if last le local lt my ne next no not or our package redo return state sub undef unless until use when while x xor BEGIN END',
)

/** A variable within a string: `$x`, `${x}`, `@x`, `$x->{y}`, `$ENV{X}`. */
function inside(source: string, at: number): { readonly code: string; readonly to: number } | undefined {
  const match = /^(?:\$\{(\w+)\}|@\{(\w+)\}|([$@]\w+(?:(?:->)?(?:\{\w+\}|\[-?\w+\]))*))/.exec(source.slice(at, at + 80))
  if (!match) return undefined
  return { code: match[3] ?? `$${match[1] ?? match[2]}`, to: at + match[0].length }
}

/** The text between delimiters that open at `at`. */
function delimited(source: string, at: number, expands: boolean) {
  const open = source[at] ?? ''
  const close = CLOSING[open] ?? open
  return quoted(source, at + 1, {
    close,
    ...(CLOSING[open] ? { open } : {}),
    escapes: expands ? 'all' : 'quote',
    ...(expands && open !== "'" ? { inside } : {}),
  })
}

const valueBefore = (last: Token | undefined): boolean =>
  last !== undefined &&
  (last.t === 'string' ||
    last.t === 'number' ||
    (last.t === 'punct' && [')', ']', '}'].includes(last.text)) ||
    (last.t === 'name' && /^[$@%]/.test(last.text)))

const QUOTE_LIKE = /(qq|qw|qx|qr|q|m|s|tr|y)(\s*)([^\w\s,;=)]|(?<=\s)[^\w\s,;=)#])/y

function special(source: string, at: number, last: Token | undefined): Special | undefined {
  const c = source[at]!
  if (c === '=' && (at === 0 || source[at - 1] === '\n') && /^=[a-zA-Z]/.test(source.slice(at, at + 2))) {
    const end = source.indexOf('\n=cut', at)
    return { t: 'skip', to: end < 0 ? source.length : end + 5 }
  }
  if (/^__(END|DATA)__/.test(source.slice(at, at + 8))) return { t: 'skip', to: source.length }
  const literal = quotes(source, at, inside)
  if (literal !== undefined) return literal
  if (c === '<' && source[at + 1] === '<') return hereDocument(source, at)
  if (c === '<' && !valueBefore(last)) {
    const handle = /^<([^<>\s=;]*)>/.exec(source.slice(at, at + 80))
    if (handle)
      return {
        t: 'string',
        text: 'glob',
        pieces: [{ is: 'text', text: /[*?/.]/.test(handle[1]!) ? handle[1]! : '' }],
        to: at + handle[0].length,
      }
  }
  QUOTE_LIKE.lastIndex = at
  const before = source[at - 1] ?? ' '
  const like = /[\w$@%>{-]/.test(before) ? null : QUOTE_LIKE.exec(source)
  if (like && !(like[3] === '=' && source[at + like[0].length] === '>'))
    return quoteLike(source, like[1]!, at + like[0].length - 1)
  if (c === '/' && !valueBefore(last)) {
    const body = delimited(source, at, false)
    if (!source.slice(at, body.to).includes('\n')) return { t: 'regex', to: flags(source, body.to) }
  }
  return undefined
}

const flags = (source: string, at: number): number => at + (/^[a-z]*/.exec(source.slice(at, at + 12))?.[0].length ?? 0)

function quoteLike(source: string, kind: string, open: number): Special {
  const first = delimited(source, open, kind === 'qq' || kind === 'qx' || kind === 's')
  switch (kind) {
    case 'q':
    case 'qq':
      return { t: 'string', ...first }
    case 'qw':
      return { t: 'string', text: 'words', ...first }
    case 'qx':
      return { t: 'shell', ...first }
    case 's':
    case 'tr':
    case 'y': {
      const bracket = CLOSING[source[open] ?? ''] !== undefined
      let from = first.to
      if (bracket) while (/\s/.test(source[from] ?? '')) from++
      const second = bracket ? delimited(source, from, false) : delimited(source, from - 1, false)
      const to = flags(source, second.to)
      // `s/…/code/e` runs the replacement.
      const runs = kind === 's' && source.slice(second.to, to).includes('e')
      return runs
        ? {
            t: 'string',
            text: 'code',
            pieces: [
              {
                is: 'code',
                code: second.pieces.map((piece) => (piece.is === 'text' ? piece.text : piece.code)).join(''),
              },
            ],
            to,
          }
        : { t: 'regex', to }
    }
    default:
      return { t: 'regex', to: flags(source, first.to) }
  }
}

function hereDocument(source: string, at: number): Special | undefined {
  const head = /^<<(~?)(?:"([^"\n]*)"|'([^'\n]*)'|([A-Za-z_]\w*))/.exec(source.slice(at, at + 80))
  if (!head) return undefined
  const tag = head[2] ?? head[3] ?? head[4]!
  const line = source.indexOf('\n', at)
  if (line < 0) return undefined
  const stop = new RegExp(`^${head[1] ? '\\s*' : ''}${tag.replace(/[^\w]/g, '\\$&')}$`, 'm')
  const { pieces, end } = hereBody(source, line + 1, stop, head[3] === undefined ? inside : undefined)
  return { t: 'string', pieces, to: at + head[0].length, body: end }
}

const lexing: Lexing = {
  lineComments: ['#'],
  blockComments: [],
  name: /(?:[$@%]#?[A-Za-z_]\w*(?:::\w+)*|[$@%]\d+|\$[_&!@/\\,;.0](?![\w{])|\$\^\w|[A-Za-z_]\w*(?:::\w+)*)/y,
  operators: '<=> **= ||= //= &&= ... -> => =~ !~ == != <= >= && || // .. ++ -- += -= *= /= .= x= ** << >> ::'.split(
    ' ',
  ),
  special,
}

const ROWS: readonly CallRow[] = [
  { call: 'unlink', does: 'delete *', why: 'removes files; without arguments $_' },
  { call: 'rmdir', does: 'delete 0', why: 'removes an empty directory' },
  { call: 'rmtree File::Path::rmtree', does: 'delete/ 0', why: 'File::Path: a list or one tree' },
  { call: 'remove_tree File::Path::remove_tree', does: 'delete/ *', why: 'File::Path' },
  { call: 'Path.remove', does: 'delete self', why: 'Path::Tiny' },
  { call: 'Path.remove_tree Path.rmtree', does: 'delete/ self', why: 'Path::Tiny' },
  { call: 'Path.spew Path.spew_utf8 Path.spew_raw', does: 'write self =0', why: 'Path::Tiny' },
  { call: 'Path.append', does: 'append self', why: 'Path::Tiny' },
  { call: 'Path.slurp Path.lines', does: 'read self', why: 'Path::Tiny' },
  { call: 'Path.touch Path.mkpath', does: 'create self', why: 'Path::Tiny' },
  { call: 'truncate', does: 'write 0', why: 'cuts the content' },
  { call: 'write_file File::Slurp::write_file', does: 'write 0', why: 'File::Slurp' },
  { call: 'read_file File::Slurp::read_file', does: 'read 0', why: 'File::Slurp' },
  { call: 'rename move File::Copy::move mv', does: 'move 0 1', why: 'moves' },
  { call: 'copy File::Copy::copy cp', does: 'copy 0 1', why: 'copies' },
  { call: 'link', does: 'link 0 1', why: 'a hard link' },
  { call: 'symlink', does: 'symlink 0 1', why: 'a link' },
  {
    call: 'mkdir make_path mkpath File::Path::make_path File::Path::mkpath',
    does: 'create 0',
    why: 'makes where absent',
  },
  { call: 'opendir stat lstat', does: 'names 0', why: 'names only' },
  { call: 'system exec', does: 'program 0', why: 'one text for a shell, or words' },
  { call: 'open', does: 'perl-open 0', why: 'by mode; `|` runs a command' },
  { call: 'sysopen', does: 'edit 1', why: 'flags are not followed' },
  { call: 'POSIX::open', does: 'edit 0', why: 'flags are not followed' },
  { call: 'mkfifo POSIX::mkfifo', does: 'create 0', why: 'makes where absent' },
  { call: 'IO::File IO::File.new IO::File->new', does: 'perl-file 0', why: 'by mode; one text as with open' },
  { call: '$^I', does: 'edit 0', why: 'perlvar(1): what `<>` reads is edited in place' },
  { call: 'tie', does: 'edit 2', why: 'a file that a module keeps: what is set is written' },
  { call: 'dbmopen', does: 'edit 1', why: 'a database, made where there is none' },
  {
    call: 'store nstore lock_store lock_nstore Storable::store Storable::nstore',
    does: 'write 1',
    why: 'Storable: data into a file',
  },
  { call: 'Archive::Tar.create_archive Archive::Tar->create_archive', does: 'write 0', why: 'packs' },
  { call: 'eval', does: 'eval 0', why: 'runs a text' },
  { call: 'do require', does: 'script 0', why: 'runs a file' },
  { call: 'chmod utime', does: 'mode rest:1', why: 'mode first, then files' },
  { call: 'chown', does: 'mode rest:2', why: 'owner and group first, then files' },
  { call: 'chdir', does: 'chdir 0', why: 'changes the directory' },
  { call: 'kill', does: 'kill 1', why: 'ends processes' },
  { call: 'print say printf die warn', does: 'show *', why: 'prints' },
  { call: 'tempdir File::Temp::tempdir tempfile File::Temp.new File::Temp->new', does: 'fresh', why: 'File::Temp' },
  { call: 'getstore LWP::Simple::getstore mirror', does: 'fetch 0; write 1', why: 'data comes into a file' },
  { call: 'get LWP::Simple::get', does: 'fetch 0', why: 'data comes in' },
]

/** Everything but a block: what is picked or sorted is among it. */
const rest: Give = (call) => {
  const items = call.args
    .filter((arg) => arg.is !== 'function')
    .flatMap((arg) => (arg.is === 'list' ? arg.items : [arg]))
  return list(items)
}

const path: Give = (call) => ({ is: 'object', type: 'Path', value: asValue(joins(call)) })

const GIVES: Readonly<Record<string, Give>> = {
  glob: (call) => list([ofValue(pattern(asValue(call.args[0])))]),
  path,
  'Path::Tiny::path': path,
  'Path.child': (call) => ({
    is: 'object',
    type: 'Path',
    value: asValue(joins({ ...call, args: [call.self ?? UNKNOWN, ...call.args] })),
  }),
  catfile: joins,
  catdir: joins,
  'File::Spec.catfile': joins,
  'File::Spec.catdir': joins,
  'File::Spec->catfile': joins,
  join: (call) =>
    joinWith(asValue(call.args[0]), list(call.args.slice(1).flatMap((arg) => (arg.is === 'list' ? arg.items : [arg])))),
  decode_base64: decodes,
  'MIME::Base64::decode_base64': decodes,
  getcwd: () => text('.'),
  cwd: () => text('.'),
  chr: character(0xffff),
  pack: (call) => (textOf(asValue(call.args[0])) === 'H*' ? mapped(1, hexText)(call) : UNKNOWN),
  lc: same(0),
  grep: (call) => rest(call),
  sort: (call) => rest(call),
  reverse: (call) => rest(call),
  map: () => list([], true),
}

function values(name: string, known: Facts): Thing | undefined {
  switch (name) {
    case '@ARGV':
      return list(known.args)
    case '%ENV':
      return ofValue(ENVIRONMENT)
    case '$ENV':
      return named('$ENV')
    default:
      return name.startsWith('$ENV.') ? environment(name.slice(5), known) : undefined
  }
}

export const perl: Grammar = {
  language: 'perl',
  lexing,
  blocks: 'brace',
  members: ['->'],
  concat: ['.'],
  bare: true,
  keywords: KEYWORDS,
  rows: ROWS,
  implicit: words('unlink rmdir rmtree'),
  gives: GIVES,
  values,
  canonical: (name) => name.replace(/^(CORE|main)::/, ''),
}
