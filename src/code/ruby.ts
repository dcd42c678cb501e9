/** Ruby: how it is written, what its functions do. */
import { exact, textOf } from '../core/value.ts'
import {
  basename,
  decodes,
  dirname,
  ENVIRONMENT,
  environment,
  expandHome,
  homeOf,
  joins,
  joinsPlain,
  joinWith,
  mapped,
  pattern,
  reversed,
  same,
  splits,
  variable,
  words,
} from './common.ts'
import type { CallRow, Facts, Give, Grammar } from './grammar.ts'
import { braced, CLOSING, hereBody, type Lexing, quoted, quotes, type Special, type Token } from './lexer.ts'
import { asValue, joinPaths, list, named, ofValue, type Thing, text, UNKNOWN } from './things.ts'

const KEYWORDS = words(
  'alias and begin break case class def defined do else elsif end ensure for if in module next not or redo rescue retry return self super then undef unless until when while yield',
)

const inside = (source: string, at: number) => (source.startsWith('#{', at) ? braced(source, at + 1) : undefined)

const valueBefore = (last: Token | undefined): boolean =>
  last !== undefined &&
  (last.t === 'string' ||
    last.t === 'number' ||
    (last.t === 'punct' && [')', ']', '}'].includes(last.text)) ||
    (last.t === 'name' && !KEYWORDS.has(last.text)))

function special(source: string, at: number, last: Token | undefined): Special | undefined {
  const c = source[at]!
  if (c === '=' && (at === 0 || source[at - 1] === '\n') && source.startsWith('=begin', at)) {
    const end = source.indexOf('\n=end', at)
    return { t: 'skip', to: end < 0 ? source.length : end + 5 }
  }
  if (source.startsWith('__END__', at) && (at === 0 || source[at - 1] === '\n')) return { t: 'skip', to: source.length }
  const literal = quotes(source, at, inside)
  if (literal !== undefined) return literal
  if (c === '%') return percent(source, at, last)
  if (c === '<' && source[at + 1] === '<') return hereDocument(source, at)
  if (
    c === ':' &&
    /^:[A-Za-z_]\w*[?!]?/.test(source.slice(at, at + 40)) &&
    source[at - 1] !== ':' &&
    !(last?.t === 'name' && !/\s/.test(source[at - 1] ?? ' '))
  ) {
    const name = /^:([A-Za-z_]\w*[?!]?)/.exec(source.slice(at, at + 80))!
    return { t: 'string', pieces: [{ is: 'text', text: name[1]! }], to: at + name[0].length }
  }
  if (
    c === '/' &&
    (!valueBefore(last) ||
      (last?.t === 'name' && /\s/.test(source[at - 1] ?? '') && /[^\s=]/.test(source[at + 1] ?? ' ')))
  ) {
    const body = quoted(source, at + 1, { close: '/', escapes: 'all', inside, oneLine: true })
    if (source[body.to - 1] === '/')
      return { t: 'regex', to: body.to + (/^[a-z]*/.exec(source.slice(body.to, body.to + 8))?.[0].length ?? 0) }
  }
  return undefined
}

/** `%w[a b]`, `%q(…)`, `%x(…)` and the like. */
function percent(source: string, at: number, last: Token | undefined): Special | undefined {
  const head = /^%([wWiIqQxrs]?)([([{<|!/^])/.exec(source.slice(at, at + 3))
  if (!head || (head[1] === '' && valueBefore(last))) return undefined
  const open = head[2]!
  const expands = !/[wiqs]/.test(head[1]!)
  const body = quoted(source, at + head[0].length, {
    close: CLOSING[open] ?? open,
    ...(CLOSING[open] ? { open } : {}),
    escapes: expands ? 'all' : 'quote',
    ...(expands ? { inside } : {}),
  })
  if (head[1] === 'x') return { t: 'shell', ...body }
  if (head[1] === 'r') return { t: 'regex', to: body.to }
  return { t: 'string', ...(/[wWiI]/.test(head[1]!) ? { text: 'words' } : {}), ...body }
}

function hereDocument(source: string, at: number): Special | undefined {
  const head = /^<<([~-]?)(["'`]?)([A-Za-z_]\w*)\2/.exec(source.slice(at, at + 80))
  if (!head || (head[1] === '' && !/^[A-Z]/.test(head[3]!))) return undefined
  const line = source.indexOf('\n', at)
  if (line < 0) return undefined
  const stop = new RegExp(`^[ \\t]*${head[3]}$`, 'm')
  const { pieces, end } = hereBody(source, line + 1, stop, head[2] === "'" ? undefined : inside)
  return { t: head[2] === '`' ? 'shell' : 'string', pieces, to: at + head[0].length, body: end }
}

const lexing: Lexing = {
  lineComments: ['#'],
  blockComments: [],
  name: /(?:[$@]{1,2}[A-Za-z_]\w*|\$[0-9!@&~`'+*$?:"<>;,./\\_=](?!\w)|[\p{L}_][\p{L}\p{N}_]*(?:[?!](?![=~]))?)/uy,
  operators: '<=> === **= ||= &&= ... &. -> => =~ !~ == != <= >= && || .. += -= *= /= %= <<= ** << >> ::'.split(' '),
  special,
}

const ROWS: readonly CallRow[] = [
  {
    call: 'FileUtils.rm_rf FileUtils.rm_r FileUtils.rmtree FileUtils.remove_dir FileUtils.remove_entry FileUtils.remove_entry_secure FileUtils.safe_unlink',
    does: 'delete/ 0',
    why: 'removes trees',
  },
  { call: 'rm_rf rm_r remove_dir', does: 'delete/ 0', why: 'FileUtils included, as in a Rakefile' },
  {
    call: 'FileUtils.rm FileUtils.rm_f FileUtils.remove FileUtils.remove_file FileUtils.rmdir',
    does: 'delete 0',
    why: 'removes files',
  },
  { call: 'File.delete File.unlink', does: 'delete *', why: 'removes files' },
  { call: 'Dir.rmdir Dir.delete Dir.unlink', does: 'delete 0', why: 'removes an empty directory' },
  { call: 'Path.delete Path.unlink Path.rmdir', does: 'delete self', why: 'Pathname' },
  { call: 'Path.rmtree', does: 'delete/ self', why: 'Pathname' },
  { call: '?.rmtree', does: 'delete/ self', why: 'a path object that nobody knows' },
  { call: 'Path.write', does: 'write self =0', why: 'Pathname' },
  { call: 'Path.read Path.each_line', does: 'read self', why: 'Pathname' },
  { call: 'File.write IO.write File.binwrite', does: 'write 0 =1', why: 'replaces the content' },
  { call: 'File.open File.new open Kernel.open IO.open', does: 'ruby-open 0', why: 'by mode; `|` runs a command' },
  {
    call: 'File.read IO.read File.readlines File.foreach IO.readlines IO.foreach File.binread YAML.load_file',
    does: 'read 0',
    why: 'reads',
  },
  { call: 'load require_relative', does: 'script 0', why: 'runs a file' },
  { call: 'File.truncate', does: 'write 0', why: 'cuts the content' },
  { call: 'File.rename FileUtils.mv FileUtils.move mv', does: 'move 0 1', why: 'moves' },
  { call: 'FileUtils.cp FileUtils.copy FileUtils.copy_file FileUtils.install cp', does: 'copy 0 1', why: 'copies' },
  { call: 'FileUtils.cp_r FileUtils.copy_entry cp_r', does: 'copy/ 0 1', why: 'copies trees' },
  { call: 'File.link FileUtils.ln', does: 'link 0 1', why: 'a hard link' },
  { call: 'File.symlink FileUtils.ln_s FileUtils.ln_sf', does: 'symlink 0 1', why: 'a link' },
  {
    call: 'Dir.mkdir FileUtils.mkdir FileUtils.mkdir_p FileUtils.touch FileUtils.makedirs',
    does: 'create 0',
    why: 'makes where absent',
  },
  { call: 'File.chmod', does: 'mode rest:1', why: 'mode first, then files' },
  { call: 'FileUtils.chmod', does: 'mode 1', why: 'mode first, then files' },
  { call: 'FileUtils.chmod_R FileUtils.chown_R', does: 'mode/ 1', why: 'trees' },
  { call: 'FileUtils.chown', does: 'mode 2', why: 'owner, group, files' },
  { call: 'Dir.entries Dir.children File.exist? File.stat', does: 'names 0', why: 'names only' },
  {
    call: 'system exec spawn Kernel.system Kernel.exec Kernel.spawn Process.spawn sh',
    does: 'program 0',
    why: 'one text for a shell, or words',
  },
  {
    call: 'IO.popen Open3.capture2 Open3.capture2e Open3.capture3 Open3.popen3 Open3.popen2 Open3.popen2e PTY.spawn',
    does: 'program 0',
    why: 'one text for a shell, or words',
  },
  { call: 'eval instance_eval class_eval Kernel.eval ?.instance_eval', does: 'eval 0', why: 'runs a text' },
  { call: 'Dir.chdir FileUtils.cd FileUtils.chdir', does: 'chdir 0', why: 'changes the directory' },
  { call: 'Dir.mktmpdir Tempfile.new Tempfile.create', does: 'fresh', why: 'a new name of its own' },
  { call: 'Process.kill', does: 'kill 1', why: 'ends a process' },
  { call: 'puts print p pp $stdout.puts STDOUT.puts', does: 'show *', why: 'prints' },
  {
    call: 'URI.open Net::HTTP.get Net.HTTP.get Net.HTTP.get_response HTTParty.get RestClient.get',
    does: 'fetch 0',
    why: 'data comes in',
  },
  { call: '?.execute ?.exec ?.exec_params ?.query', does: 'sql 0', why: 'clients of databases' },
  { call: 'Net.HTTP.post HTTParty.post RestClient.post', does: 'send 0 1', why: 'data leaves' },
]

const path: Give = (call) => ({ is: 'object', type: 'Path', value: asValue(call.args[0]) })
const globs: Give = (call) =>
  list(call.args.flatMap((arg) => (arg.is === 'list' ? arg.items : [arg])).map((arg) => ofValue(pattern(asValue(arg)))))

/** `method(:system)`, `Object.const_get(:FileUtils)`: the thing of that name. */
const byName: Give = (call) => {
  const [first] = call.args
  const name = first?.is === 'name' ? first.name : textOf(asValue(first))
  if (name === undefined) return UNKNOWN
  const own = call.self?.is === 'name' && !/^(?:Kernel|Object|Module|self)$/.test(call.self.name)
  return named(own && call.self?.is === 'name' ? `${call.self.name}.${name}` : name)
}

const GIVES: Readonly<Record<string, Give>> = {
  method: byName,
  '?.method': byName,
  'Object.const_get': byName,
  'Kernel.const_get': byName,
  'Module.const_get': byName,
  'File.join': joinsPlain,
  'File.expand_path': (call) => {
    const [first, second] = call.args.map((arg) => expandHome(asValue(arg), call.known.home))
    return first ? ofValue(second ? joinPaths([second, first]) : first) : UNKNOWN
  },
  'File.dirname': mapped(0, dirname),
  'File.basename': mapped(0, basename),
  'Dir.home': (call) => homeOf(call.known),
  'Dir.pwd': () => text('.'),
  'Dir.glob': globs,
  'Pathname.new': path,
  Pathname: path,
  'Path.join': (call) => ({
    is: 'object',
    type: 'Path',
    value: asValue(joins({ ...call, args: [call.self ?? UNKNOWN, ...call.args] })),
  }),
  'Path.+': same('self'),
  'ENV.fetch': variable,
  'ENV.to_h': () => ofValue(ENVIRONMENT),
  'ENV.inspect': () => ofValue(ENVIRONMENT),
  'Base64.decode64': decodes,
  'Base64.strict_decode64': decodes,
  'Base64.urlsafe_decode64': decodes,
  'Shellwords.escape': same(0),
  '?.unpack1': (call) =>
    textOf(asValue(call.args[0])) === 'm' ? decodes({ ...call, args: [call.self ?? UNKNOWN] }) : UNKNOWN,
  '?.to_s': same('self'),
  '?.strip': same('self'),
  '?.chomp': same('self'),
  '?.reverse': mapped('self', reversed),
  '?.join': (call) => joinWith(call.args[0] ? asValue(call.args[0]) : exact(''), call.self),
  '?.split': (call) => splits(asValue(call.self), call.args[0] ? textOf(asValue(call.args[0])) : undefined),
  '?.shellescape': same('self'),
}

function values(name: string, known: Facts): Thing | undefined {
  switch (name) {
    case 'ENV':
      return { is: 'name', name: 'ENV', value: ENVIRONMENT }
    case 'ARGV':
      return list(known.args)
    case 'Dir.home':
      return homeOf(known)
    case 'Dir.pwd':
      return text('.')
    case '__FILE__':
    case '$0':
      return known.file === undefined ? UNKNOWN : text(known.file)
    case '__dir__':
      return known.file === undefined ? UNKNOWN : text(dirname(known.file))
    default:
      return /^ENV\.[A-Z_0-9]+$/.test(name) ? environment(name.slice(4), known) : undefined
  }
}

export const ruby: Grammar = {
  language: 'ruby',
  lexing,
  blocks: 'end',
  members: ['.', '&.', '::'],
  concat: ['+'],
  bare: true,
  keywords: KEYWORDS,
  rows: ROWS,
  gives: GIVES,
  values,
}
