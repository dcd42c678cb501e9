/** PHP: how it is written, what its functions do. */
import { textOf } from '../core/value.ts'
import {
  basename,
  character,
  decodes,
  decodesHex,
  dirname,
  ENVIRONMENT,
  environment,
  formats,
  joinWith,
  mapped,
  pattern,
  reversed,
  same,
  splits,
  variable,
  words,
} from './common.ts'
import { rot13 } from './decode.ts'
import type { CallRow, Facts, Give, Grammar } from './grammar.ts'
import { braced, hereBody, type Lexing, quotes, type Special, type Token } from './lexer.ts'
import { asValue, list, named, ofValue, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'abstract and as break case catch class clone const continue declare default do echo else elseif empty enddeclare endfor endforeach endif endswitch endwhile extends final finally fn for foreach function global goto if implements instanceof insteadof interface isset namespace new or print private protected public readonly return static switch throw trait try unset use var while xor yield',
)

/** `$x`, `{$x['k']}`, `${x}` within a string. */
function inside(source: string, at: number): { readonly code: string; readonly to: number } | undefined {
  if (source.startsWith('{$', at)) return braced(source, at)
  const match = /^\$(?:\{(\w+)\}|([A-Za-z_]\w*)(?:\[(\w+)\])?)/.exec(source.slice(at, at + 80))
  if (!match) return undefined
  const index = match[3] === undefined ? '' : /^\d+$/.test(match[3]) ? `[${match[3]}]` : `['${match[3]}']`
  return { code: `$${match[1] ?? match[2]}${index}`, to: at + match[0].length }
}

function special(source: string, at: number, last: Token | undefined): Special | undefined {
  const c = source[at]!
  if (c === '<') {
    const open = /^<\?(php\b|=)?/.exec(source.slice(at, at + 5))
    if (open) return { t: 'skip', to: at + open[0].length }
    const here = /^<<<[ \t]*(["']?)([A-Za-z_]\w*)\1[ \t]*\r?\n/.exec(source.slice(at, at + 80))
    if (here) {
      const stop = new RegExp(`^[ \\t]*${here[2]}\\b`, 'm')
      const { pieces, end } = hereBody(source, at + here[0].length, stop, here[1] === "'" ? undefined : inside)
      return { t: 'string', pieces, to: end }
    }
  }
  if (c === '?' && source[at + 1] === '>') {
    const next = source.indexOf('<?', at + 2)
    return { t: 'punct', text: ';', to: next < 0 ? source.length : next }
  }
  if (at === 0 && last === undefined && source.includes('<?')) {
    // What stands before the first tag is text of the page.
    const first = source.indexOf('<?')
    if (first > 0) return { t: 'skip', to: first }
  }
  return quotes(source, at, inside)
}

const lexing: Lexing = {
  lineComments: ['//', '#'],
  blockComments: [['/*', '*/']],
  name: /\$?[A-Za-z_\\][\w\\]*/y,
  operators: '<=> **= === !== ??= ... ?-> -> => == != <> <= >= && || ?? ?: :: ++ -- += -= *= /= .= %= ** << >>'.split(
    ' ',
  ),
  special,
}

const ROWS: readonly CallRow[] = [
  { call: 'unlink rmdir', does: 'delete 0', why: 'removes a file or an empty directory' },
  {
    call: 'Filesystem.remove File.deleteDirectory Storage.deleteDirectory ?.deleteDirectory',
    does: 'delete/ 0',
    why: 'Symfony, Laravel',
  },
  { call: 'File.delete Storage.delete', does: 'delete 0', why: 'Laravel' },
  {
    call: 'file_put_contents',
    does: 'write 0 =1',
    instead: ['FILE_APPEND', 'append 0 =1'],
    why: 'replaces the content',
  },
  { call: 'fopen gzopen SplFileObject', does: 'open 0 1', why: 'opens by mode' },
  {
    call: 'file_get_contents file readfile fpassthru show_source highlight_file parse_ini_file',
    does: 'read 0',
    why: 'reads',
  },
  { call: 'rename move_uploaded_file', does: 'move 0 1', why: 'moves' },
  { call: 'copy', does: 'copy 0 1', why: 'copies' },
  { call: 'link', does: 'link 0 1', why: 'a hard link' },
  { call: 'symlink', does: 'symlink 0 1', why: 'a link' },
  { call: 'mkdir touch', does: 'create 0', why: 'makes where absent' },
  { call: 'chmod chown chgrp lchown', does: 'mode 0', why: 'permissions and owner' },
  { call: 'scandir opendir file_exists is_file is_dir stat', does: 'names 0', why: 'names only' },
  { call: '?.exec ?.query ?.prepare ?.unprepared ?.statement', does: 'sql 0', why: 'PDO and its kin' },
  { call: 'mysqli_query pg_query', does: 'sql 1', why: 'clients of databases' },
  { call: 'system exec shell_exec passthru popen', does: 'shell 0', why: 'a text for a shell' },
  { call: 'proc_open', does: 'argv 0', why: 'a text or a list' },
  { call: 'pcntl_exec', does: 'spawn 0 1', why: 'a program and its words' },
  { call: 'eval assert create_function', does: 'eval 0', why: 'runs a text' },
  { call: 'include include_once require require_once', does: 'script 0', why: 'runs a file' },
  { call: 'chdir', does: 'chdir 0', why: 'changes the directory' },
  { call: 'tempnam tmpfile', does: 'fresh', why: 'a new name of its own' },
  { call: 'posix_kill', does: 'kill 0', why: 'ends a process' },
  { call: 'print_r var_dump var_export printf phpinfo', does: 'show *', why: 'prints' },
  { call: 'curl_init', does: 'fetch 0', why: 'data comes in' },
]

const byName: Give = (call) => {
  const name = textOf(asValue(call.args[0]))
  return name === undefined ? UNKNOWN : named(name)
}

const GIVES: Readonly<Record<string, Give>> = {
  ReflectionFunction: byName,
  'Closure.fromCallable': byName,
  'Closure::fromCallable': byName,
  base64_decode: decodes,
  hex2bin: decodesHex,
  str_rot13: mapped(0, rot13),
  strrev: mapped(0, reversed),
  getenv: (call) => (call.args.length === 0 ? ofValue(ENVIRONMENT) : variable(call)),
  getcwd: () => text('.'),
  dirname: mapped(0, dirname),
  basename: mapped(0, basename),
  realpath: same(0),
  escapeshellarg: same(0),
  escapeshellcmd: same(0),
  trim: same(0),
  glob: (call) => list([ofValue(pattern(asValue(call.args[0])))]),
  array: (call) => list([...call.args, ...call.named.values()]),
  implode: (call) => joinWith(asValue(call.args[0]), call.args[1]),
  join: (call) => joinWith(asValue(call.args[0]), call.args[1]),
  explode: (call) => splits(asValue(call.args[1]), textOf(asValue(call.args[0]))),
  chr: character(0xff),
  sprintf: formats(/%[sd]/),
}

function values(name: string, known: Facts): Thing | undefined {
  switch (name) {
    case '$_ENV':
    case '$_SERVER':
      return { is: 'name', name, value: ENVIRONMENT }
    case '$argv':
      return list([UNKNOWN, ...known.args])
    case '__DIR__':
      return known.file === undefined ? UNKNOWN : text(dirname(known.file))
    case '__FILE__':
      return known.file === undefined ? UNKNOWN : text(known.file)
    case 'DIRECTORY_SEPARATOR':
      return text('/')
    case 'PHP_EOL':
      return text('\n')
    default:
      return /^\$_(ENV|SERVER)\./.test(name) ? environment(name.replace(/^\$_(ENV|SERVER)\./, ''), known) : undefined
  }
}

export const php: Grammar = {
  language: 'php',
  lexing,
  blocks: 'brace',
  members: ['->', '?->', '::'],
  concat: ['.'],
  bare: true,
  keywords: KEYWORDS,
  rows: ROWS,
  gives: GIVES,
  values,
  canonical: (name) => name.replace(/^\\/, '').replace(/^([A-Z]\w*\\)+/, ''),
}
