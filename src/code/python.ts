/** Python: how it is written, what its functions do. */
import { exact, textOf, unknown } from '../core/value.ts'
import {
  basename,
  character,
  decodes,
  decodesHex,
  dirname,
  ENVIRONMENT,
  environment,
  expandHome,
  homeOf,
  joins,
  joinWith,
  mapped,
  pattern,
  same,
  splits,
  variable,
  words,
} from './common.ts'
import { rot13 } from './decode.ts'
import type { Facts, Give, Grammar } from './grammar.ts'
import { type Lexing, type Piece, quoted, type Special } from './lexer.ts'
import { PYTHON_ROWS } from './python-calls.ts'
import { asValue, joinPaths, list, named, ofValue, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'and as assert async await break case class continue def del elif else except finally for from global if import in is lambda match nonlocal not or pass raise return try while with yield',
)

const START = /(?:[rRbBuUfFtT]{0,3})("""|'''|"|')/y

/** `{expression!r:format}` within an f-string. */
function replaced(source: string, at: number): { readonly code: string; readonly to: number } | undefined {
  if (source[at] !== '{') return undefined
  if (source[at + 1] === '{') return { code: '"{"', to: at + 2 }
  let depth = 0
  let end = -1
  for (let i = at; i < source.length && source[i] !== '\n'; i++) {
    const c = source[i]!
    if (c === '{' || c === '(' || c === '[') depth++
    else if (c === '}' || c === ')' || c === ']') {
      depth--
      if (depth === 0) return { code: source.slice(at + 1, end < 0 ? i : end), to: i + 1 }
    } else if (depth === 1 && end < 0 && (c === ':' || (c === '!' && source[i + 1] !== '='))) end = i
  }
  return undefined
}

function special(source: string, at: number): Special | undefined {
  const c = source[at]!
  if (c === '\\' && source[at + 1] === '\n') return { t: 'skip', to: at + 2 }
  START.lastIndex = at
  const start = START.exec(source)
  if (!start) return undefined
  const marks = start[0].slice(0, -start[1]!.length).toLowerCase()
  const raw = marks.includes('r')
  const { pieces, to } = quoted(source, at + start[0].length, {
    close: start[1]!,
    escapes: raw ? 'none' : 'all',
    oneLine: start[1]!.length === 1,
    ...(marks.includes('f') || marks.includes('t') ? { inside: replaced } : {}),
  })
  return { t: 'string', pieces: doubled(pieces, marks.includes('f')), to }
}

/** `}}` in an f-string is one brace. */
const doubled = (pieces: readonly Piece[], formatted: boolean): readonly Piece[] =>
  formatted
    ? pieces.map((piece) => (piece.is === 'text' ? { ...piece, text: piece.text.replaceAll('}}', '}') } : piece))
    : pieces

const lexing: Lexing = {
  lineComments: ['#'],
  blockComments: [],
  name: /[\p{L}_][\p{L}\p{N}_]*/uy,
  operators: '**= //= >>= <<= ... == != <= >= -> := += -= *= /= %= &= |= ^= ** // << >>'.split(' '),
  special,
}

const path = (value: Thing): Thing => ({ is: 'object', type: 'Path', value: asValue(value) })
const makesPath: Give = (call) => ({
  is: 'object',
  type: 'Path',
  value: joinPaths((call.args.length > 0 ? call.args : [text('.')]).map(asValue)),
})
const selfPath =
  (how: (value: Thing, args: readonly Thing[], known: Facts) => Thing): Give =>
  (call) =>
    call.self ? how(call.self, call.args, call.known) : undefined
const below = (self: Thing, args: readonly Thing[], deep: boolean): Thing => {
  const parts = [asValue(self), ...(deep ? [exact('**')] : []), asValue(args[0])]
  return { is: 'object', type: 'Path', value: pattern(joinPaths(parts)) }
}
const opened: Give = (call) => ({ is: 'object', type: 'file', value: asValue(call.args[0]) })
const importName: Give = (call) => {
  const name = textOf(asValue(call.args[0]))
  return name === undefined ? UNKNOWN : named(name)
}

const ELEMENT_TREE: Thing = { is: 'object', type: 'ElementTree', value: unknown('variable') }

/** What a file of settings holds. */
const SETTINGS = unknown('variable', ['secret'])

const GIVES: Readonly<Record<string, Give>> = {
  open: opened,
  'io.open': opened,
  'Path.open': (call) => ({ is: 'object', type: 'file', value: asValue(call.self) }),
  'pathlib.Path': makesPath,
  'pathlib.PosixPath': makesPath,
  'pathlib.PurePath': makesPath,
  'pathlib.Path.home': (call) => path(homeOf(call.known)),
  'pathlib.Path.cwd': () => path(text('.')),
  'Path.home': (call) => path(homeOf(call.known)),
  'Path.joinpath': selfPath((self, args) => ({
    is: 'object',
    type: 'Path',
    value: joinPaths([self, ...args].map(asValue)),
  })),
  'Path.expanduser': selfPath((self, _args, known) => path(ofValue(expandHome(asValue(self), known.home)))),
  'Path.resolve': same('self'),
  'Path.absolute': same('self'),
  'Path.as_posix': (call) => (call.self ? ofValue(asValue(call.self)) : undefined),
  'Path.glob': selfPath((self, args) => list([below(self, args, false)])),
  'Path.rglob': selfPath((self, args) => list([below(self, args, true)])),
  'Path.iterdir': selfPath((self) => list([below(self, [text('*')], false)])),
  'glob.glob': (call) => list([ofValue(pattern(asValue(call.args[0])))]),
  'glob.iglob': (call) => list([ofValue(pattern(asValue(call.args[0])))]),
  'os.listdir': () => list([], true),
  'os.path.join': joins,
  'os.path.expanduser': (call) => ofValue(expandHome(asValue(call.args[0]), call.known.home)),
  'os.path.expandvars': (call) => {
    const whole = textOf(asValue(call.args[0]))
    return whole === undefined || whole.includes('$') ? ofValue(homeVariable(whole, call.known)) : text(whole)
  },
  'os.path.abspath': same(0),
  'os.path.realpath': same(0),
  'os.path.normpath': same(0),
  'os.fspath': same(0),
  'os.path.dirname': mapped(0, dirname),
  'os.path.basename': mapped(0, basename),
  'os.getcwd': () => text('.'),
  'os.getenv': variable,
  'os.environ.get': variable,
  'dotenv.dotenv_values': () => ofValue(SETTINGS),
  'os.environ.copy': () => ofValue(ENVIRONMENT),
  'os.environ.items': () => ofValue(ENVIRONMENT),
  'os.environ.values': () => ofValue(ENVIRONMENT),
  'tempfile.gettempdir': () => text('/tmp'),
  dict: same(0),
  str: same(0),
  sorted: same(0),
  bytes: same(0),
  'json.dumps': same(0),
  compile: same(0),
  vars: same(0),
  list: same(0),
  tuple: same(0),
  set: same(0),
  'base64.b64decode': decodes,
  'base64.urlsafe_b64decode': decodes,
  'base64.standard_b64decode': decodes,
  'bytes.fromhex': decodesHex,
  'binascii.unhexlify': decodesHex,
  'binascii.a2b_base64': decodes,
  'codecs.decode': (call) => {
    const kind = textOf(asValue(call.args[1]))
    if (kind === undefined) return UNKNOWN
    return /rot/.test(kind)
      ? mapped(0, rot13)(call)
      : /hex/.test(kind)
        ? decodesHex(call)
        : /base64/.test(kind)
          ? decodes(call)
          : UNKNOWN
  },
  chr: character(0xffff),
  '?.decode': same('self'),
  '?.encode': same('self'),
  '?.strip': mapped('self', (one) => one.trim()),
  '?.lower': mapped('self', (one) => one.toLowerCase()),
  '?.upper': mapped('self', (one) => one.toUpperCase()),
  '?.join': (call) => joinWith(asValue(call.self), call.args[0]),
  '?.split': (call) => splits(asValue(call.self), call.args[0] ? textOf(asValue(call.args[0])) : undefined),
  '?.replace': (call) => {
    const [from, to] = call.args.map((arg) => textOf(asValue(arg)))
    return from && to !== undefined ? mapped('self', (one) => one.replaceAll(from, to))(call) : UNKNOWN
  },
  '?.format': (call) => {
    let i = 0
    const form = textOf(asValue(call.self))
    if (form === undefined) return UNKNOWN
    const pieces = form.split(/(\{[^{}]*\})/).map((piece): Thing => {
      if (!/^\{.*\}$/.test(piece)) return text(piece)
      const key = piece.slice(1, -1).split(/[:!]/)[0]!
      return call.named.get(key) ?? call.args[key === '' ? i++ : Number(key)] ?? UNKNOWN
    })
    return joinWith(exact(''), list(pieces))
  },
  'shlex.split': (call) => splits(asValue(call.args[0]), undefined),
  'shlex.quote': same(0),
  'shlex.join': (call) => joinWith(exact(' '), call.args[0]),
  __import__: importName,
  'importlib.import_module': importName,
  getattr: (call) => {
    const name = textOf(asValue(call.args[1]))
    const of = call.args[0]
    return name !== undefined && of?.is === 'name' ? named(`${of.name}.${name}`, of) : UNKNOWN
  },
  'zipfile.ZipFile': (call) => ({ is: 'object', type: 'Archive', value: asValue(call.args[0]) }),
  'xml.etree.ElementTree.ElementTree': () => ELEMENT_TREE,
  'xml.etree.ElementTree.parse': () => ELEMENT_TREE,
  'tarfile.open': (call) => ({ is: 'object', type: 'Archive', value: asValue(call.args[0]) }),
}

function homeVariable(whole: string | undefined, known: Facts) {
  const rest = /^\$(?:HOME|\{HOME\})(\/.*|$)/.exec(whole ?? '')
  return rest && known.home !== undefined ? exact(known.home + rest[1]) : asValue(UNKNOWN)
}

function values(name: string, known: Facts): Thing | undefined {
  switch (name) {
    case 'os.environ':
      return { is: 'name', name: 'os.environ', value: ENVIRONMENT }
    case 'sys.argv':
      return list([UNKNOWN, ...known.args])
    case 'sys.executable':
      return text('python3')
    case 'os.sep':
      return text('/')
    case '__file__':
      return known.file === undefined ? UNKNOWN : text(known.file)
    case '__name__':
      return text('__main__')
    default:
      return name.startsWith('os.environ.') && /^[A-Z_0-9]+$/.test(name.slice(11))
        ? environment(name.slice(11), known)
        : undefined
  }
}

/** Names of modules that are another's: `posix.system` is `os.system`. */
const canonical = (name: string): string =>
  name
    .replace(/^sys\.modules\./, '')
    .replace(/\.__dict__(?=\.)/, '')
    .replace(/^(posix|nt)\./, 'os.')
    .replace(/^_io\./, 'io.')
    .replace(/^(posixpath|ntpath|os\.path\.path)\./, 'os.path.')
    .replace(/^(builtins|__builtins__)\./, '')

export const python: Grammar = {
  language: 'python',
  lexing,
  blocks: 'indent',
  members: ['.'],
  concat: ['+'],
  bare: false,
  keywords: KEYWORDS,
  rows: PYTHON_ROWS,
  gives: GIVES,
  values,
  canonical,
}
