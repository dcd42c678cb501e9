/** JavaScript and TypeScript on Node, Deno and Bun: how they are written, what their functions do. */
import { textOf } from '../core/value.ts'
import {
  basename,
  decodes,
  dirname,
  ENVIRONMENT,
  environment,
  homeOf,
  joins,
  joinsPlain,
  joinWith,
  mapped,
  same,
  splits,
  variable,
  words,
} from './common.ts'
import { base64Text, hexText } from './decode.ts'
import type { CallRow, Facts, Give, Grammar } from './grammar.ts'
import { braced, type Lexing, quoted, type Special, type Token } from './lexer.ts'
import { asValue, list, named, ofValue, plus, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'abstract as async await break case catch class const continue debugger default delete do else enum export extends final finally for from function if implements import in instanceof interface let new of private protected public readonly return static super switch throw try type typeof var void while with yield',
)

/** `/` begins a regular expression where no value stands before it. */
const beginsExpression = (last: Token | undefined): boolean =>
  last === undefined ||
  last.t === 'newline' ||
  (last.t === 'punct' && ![')', ']', '}'].includes(last.text)) ||
  (last.t === 'name' && /^(return|typeof|case|in|of|delete|void|throw|new|else|do|await|yield)$/.test(last.text))

function regex(source: string, at: number): number | undefined {
  let inClass = false
  for (let i = at + 1; i < source.length; i++) {
    const c = source[i]!
    if (c === '\n') return undefined
    if (c === '\\') i++
    else if (c === '[') inClass = true
    else if (c === ']') inClass = false
    else if (c === '/' && !inClass) {
      let to = i + 1
      while (/[a-z]/.test(source[to] ?? '')) to++
      return to
    }
  }
  return undefined
}

const inside = (source: string, at: number) => (source.startsWith('${', at) ? braced(source, at + 1) : undefined)

function special(source: string, at: number, last: Token | undefined): Special | undefined {
  const c = source[at]!
  if (c === '"' || c === "'")
    return { t: 'string', ...quoted(source, at + 1, { close: c, escapes: 'all', oneLine: true }) }
  if (c === '`') return { t: 'string', ...quoted(source, at + 1, { close: '`', escapes: 'all', inside }) }
  if (c === '#' && at === 0 && source[1] === '!')
    return { t: 'skip', to: (source.indexOf('\n') + 1 || source.length + 1) - 1 }
  if (c === '/' && source[at + 1] !== '/' && source[at + 1] !== '*' && beginsExpression(last)) {
    const to = regex(source, at)
    if (to !== undefined) return { t: 'regex', to }
  }
  return undefined
}

const lexing: Lexing = {
  lineComments: ['//', '<!--'],
  blockComments: [['/*', '*/']],
  name: /[\p{L}_$#][\p{L}\p{N}_$]*/uy,
  operators:
    '=== !== **= ... >>> <<= >>= &&= ||= ??= => == != <= >= && || ?? ?. ++ -- += -= *= /= %= &= |= ^= ** << >>'.split(
      ' ',
    ),
  special,
}

const fs = (names: string): string =>
  names
    .split(' ')
    .flatMap((name) => [`fs.${name}`, `fs.${name}Sync`, `Deno.${name}`, `Deno.${name}Sync`])
    .join(' ')
const cp = (names: string): string =>
  names
    .split(' ')
    .map((name) => `child_process.${name}`)
    .join(' ')

const ROWS: readonly CallRow[] = [
  { call: fs('rm rmdir remove'), does: 'delete/ 0', treeIf: 'recursive', why: 'the tree with {recursive: true}' },
  { call: fs('unlink'), does: 'delete 0', why: 'removes a file' },
  {
    call: 'rimraf rimraf.sync rimraf.rimraf rimraf.rimrafSync rimraf.native rimraf.manual rimraf.moveRemove del del.sync del.deleteAsync del.deleteSync trash fs.removeTree fs.removeTreeSync fs-extra.remove',
    does: 'delete/ 0',
    why: 'removes trees',
  },
  { call: 'fs.emptyDir fs.emptyDirSync fs.emptydir', does: 'delete/ 0', why: 'fs-extra: empties a directory' },
  {
    call: fs('writeFile writeTextFile outputFile writeJson writeJSON outputJson'),
    does: 'write 0 =1',
    instead: ['flag:a', 'append 0 =1'],
    why: 'replaces the content',
  },
  { call: fs('truncate'), does: 'write 0', why: 'cuts the content' },
  { call: fs('appendFile'), does: 'append 0', why: 'adds to a file' },
  { call: 'fs.createWriteStream', does: 'write 0', instead: ['flags:a', 'append 0'], why: 'writes a file' },
  { call: 'Bun.write', does: 'write 0 =1', why: 'writes a file' },
  {
    call: `${fs('readFile readTextFile readJson readJSON')} fs.createReadStream Bun.file`,
    does: 'read 0',
    why: 'reads',
  },
  { call: fs('open'), does: 'open 0 1', why: 'opens by mode' },
  { call: fs('rename move'), does: 'move 0 1', why: 'moves' },
  { call: fs('copyFile'), does: 'copy 0 1', instead: ['COPYFILE_EXCL', 'read 0; create 1'], why: 'copies a file' },
  { call: fs('cp copy'), does: 'copy/ 0 1', why: 'copies a tree' },
  { call: fs('link'), does: 'link 0 1', why: 'a hard link' },
  { call: fs('symlink'), does: 'symlink 0 1', why: 'a link' },
  { call: fs('mkdir mkdirp mkdirs ensureDir ensureFile'), does: 'create 0', why: 'makes where absent' },
  {
    call: `${fs('mkdtemp')} Deno.makeTempDir Deno.makeTempDirSync Deno.makeTempFile Deno.makeTempFileSync`,
    does: 'fresh 0',
    why: 'a new name of its own',
  },
  { call: fs('chmod chown lchmod lchown utimes'), does: 'mode 0', why: 'permissions, owner, times' },
  { call: fs('readdir readDir stat lstat access exists'), does: 'names 0', why: 'names only' },
  { call: cp('exec execSync'), does: 'shell 0', why: 'a text for a shell' },
  { call: cp('spawn spawnSync execFile execFileSync'), does: 'spawn 0 1', why: 'a program and its words' },
  { call: cp('fork'), does: 'script 0', why: 'runs a module' },
  {
    call: 'execa execa.execa execa.execaSync execa.sync cross-spawn cross-spawn.sync',
    does: 'spawn 0 1',
    why: 'a program and its words',
  },
  {
    call: 'execa.command execa.execaCommand execa.execaCommandSync execa.commandSync shelljs.exec',
    does: 'shell 0',
    why: 'a text for a shell',
  },
  { call: 'Bun.spawn Bun.spawnSync', does: 'argv 0', why: 'a list of words' },
  { call: 'Deno.Command', does: 'spawn 0 -:args', why: 'a program and its words' },
  { call: 'Deno.run', does: 'argv 0:cmd', why: 'a list of words' },
  {
    call: 'template:$ template:Bun.$ template:execa template:zx.$ template:execa.$',
    does: 'shell 0',
    why: 'zx, Bun, execa: a template is a command',
  },
  { call: 'shelljs.rm', does: 'delete/ *', why: 'shelljs' },
  { call: 'shelljs.cd process.chdir Deno.chdir', does: 'chdir 0', why: 'changes the directory' },
  {
    call: 'eval vm.runInNewContext vm.runInThisContext vm.runInContext vm.Script',
    does: 'eval 0',
    why: 'runs a text',
  },
  {
    call: 'Worker worker_threads.Worker',
    does: 'nothing 0',
    instead: ['eval?', 'eval 0'],
    why: 'a text in a thread of its own; a file there is one of many modules that a program loads',
  },
  {
    call: 'process.report.writeReport v8.writeHeapSnapshot',
    does: 'write 0',
    why: 'a report about the process',
  },
  { call: 'sqlite.DatabaseSync', does: 'create 0', why: 'makes a database where there is none' },
  { call: 'Function', does: 'eval *', why: 'names of parameters, then a text that runs' },
  { call: 'process.kill Deno.kill', does: 'kill 0', why: 'ends a process' },
  {
    call: 'console.log console.error console.info console.warn console.debug console.table console.dir process.stdout.write process.stderr.write',
    does: 'show *',
    why: 'prints',
  },
  {
    call: 'fetch axios axios.get axios.head got http.get https.get http.request https.request node-fetch undici.request',
    does: 'fetch 0',
    why: 'data comes in',
  },
  { call: 'axios.post axios.put axios.patch got.post got.put superagent.post', does: 'send 0 1', why: 'data leaves' },
  {
    call: '?.query ?.execute ?.raw ?.run ?.exec ?.$executeRaw ?.$executeRawUnsafe ?.$queryRawUnsafe',
    does: 'sql 0',
    why: 'clients of databases',
  },
  {
    call: '?.flushall ?.flushAll ?.flushdb ?.flushDb ?.dropDatabase',
    does: 'lose',
    why: 'redis, MongoDB: all data goes',
  },
  { call: 'navigator.sendBeacon', does: 'send 0 1', why: 'data leaves' },
]

/** What `require` and `import()` of a name give; files are programs that run. */
const required: Give = (call) => {
  const name = textOf(asValue(call.args[0]))
  return name === undefined ? UNKNOWN : named(canonical(name))
}

const opened: Give = (call) => ({ is: 'object', type: 'file', value: asValue(call.args[0]) })

const GIVES: Readonly<Record<string, Give>> = {
  require: required,
  import: required,
  'module._load': required,
  'util.promisify': same(0),
  'module.createRequire': () => named('require'),
  'process.getBuiltinModule': required,
  'path.join': joinsPlain,
  'path.resolve': joins,
  'path.normalize': same(0),
  'path.dirname': mapped(0, dirname),
  'path.basename': mapped(0, basename),
  'os.homedir': (call) => homeOf(call.known),
  'os.tmpdir': () => text('/tmp'),
  'process.cwd': () => text('.'),
  'Deno.cwd': () => text('.'),
  'Deno.env.get': variable,
  'Deno.env.toObject': () => ofValue(ENVIRONMENT),
  'url.fileURLToPath': (call) => same(0)(call),
  'JSON.stringify': same(0),
  'Object.entries': same(0),
  'Object.values': same(0),
  'Object.assign': (call) => call.args.at(-1),
  String: same(0),
  'String.raw': same(0),
  'template:String.raw': same(0),
  'String.fromCharCode': (call) =>
    call.args.every((arg) => arg.is === 'number')
      ? text(call.args.map((arg) => String.fromCharCode(Number(valueText(arg)) & 0xffff)).join(''))
      : UNKNOWN,
  atob: decodes,
  'Buffer.from': (call) => {
    const kind = call.args[1] === undefined ? 'utf8' : textOf(asValue(call.args[1]))
    if (kind === 'base64' || kind === 'base64url') return mapped(0, base64Text)(call)
    if (kind === 'hex') return mapped(0, hexText)(call)
    return call.args[0]
  },
  'fs.createReadStream': opened,
  'fs.readFileSync': opened,
  decodeURIComponent: mapped(0, (one) =>
    one.replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  unescape: mapped(0, (one) =>
    one.replace(/%([0-9a-fA-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16))),
  ),
  '?.toString': same('self'),
  '?.trim': same('self'),
  '?.toLowerCase': mapped('self', (one) => one.toLowerCase()),
  '?.toUpperCase': mapped('self', (one) => one.toUpperCase()),
  '?.reverse': (call) => (call.self?.is === 'list' && !call.self.open ? list([...call.self.items].reverse()) : UNKNOWN),
  '?.join': (call) => joinWith(call.args[0] ? asValue(call.args[0]) : asValue(text(',')), call.self),
  '?.split': (call) => {
    const separator = call.args[0] ? textOf(asValue(call.args[0])) : undefined
    const whole = textOf(asValue(call.self))
    if (separator === '' && whole !== undefined) return list([...whole].map(text))
    return separator === undefined ? UNKNOWN : splits(asValue(call.self), separator)
  },
  '?.concat': (call) => call.args.reduce((all, arg) => plus(all, arg), call.self ?? UNKNOWN),
  '?.replace': (call) => {
    const [from, to] = call.args.map((arg) => textOf(asValue(arg)))
    return from && to !== undefined ? mapped('self', (one) => one.replace(from, () => to))(call) : UNKNOWN
  },
}

const valueText = (thing: Thing): string => textOf(asValue(thing)) ?? ''

function values(name: string, known: Facts): Thing | undefined {
  switch (name) {
    case 'process.env':
    case 'Bun.env':
      return { is: 'name', name: 'process.env', value: ENVIRONMENT }
    case 'process.execPath':
      return text('node')
    case 'process.argv':
    case 'Bun.argv':
      return list([UNKNOWN, UNKNOWN, ...known.args])
    case 'Deno.args':
      return list(known.args)
    case '__filename':
    case 'import.meta.filename':
    case 'import.meta.url':
      return known.file === undefined ? UNKNOWN : text(known.file)
    case '__dirname':
    case 'import.meta.dirname':
    case 'import.meta.dir':
      return known.file === undefined ? UNKNOWN : text(dirname(known.file))
    case 'path.sep':
      return text('/')
    default:
      return name.startsWith('process.env.') ? environment(name.slice(12), known) : undefined
  }
}

const MODULES: Readonly<Record<string, string>> = {
  'fs/promises': 'fs',
  'fs-extra': 'fs',
  'graceful-fs': 'fs',
  'path/posix': 'path',
}

/** `node:fs`, `fs.promises` and the like under one name; globals without their object. */
function canonical(name: string): string {
  const plain = name
    .replace(/^(globalThis|global|window|self)\./, '')
    .replace(/^(process\.mainModule|module|require\.main)\.require\b/, 'require')
    .replace(/^node:/, '')
  return (Object.hasOwn(MODULES, plain) ? MODULES[plain]! : plain)
    .replace(/^(fs\/promises|fs-extra|graceful-fs)\./, 'fs.')
    .replace(/^fs\.(promises|default)(?=\.|$)/, 'fs')
    .replace(/^(child_process|path|os|rimraf|del|execa|vm|url|axios)\.default\b/, '$1')
    .replace(/^path\.(posix|win32)\b/, 'path')
}

export const javascript: Grammar = {
  language: 'javascript',
  lexing,
  blocks: 'brace',
  members: ['.', '?.'],
  concat: ['+'],
  bare: false,
  keywords: KEYWORDS,
  rows: ROWS,
  gives: GIVES,
  values,
  canonical,
}
