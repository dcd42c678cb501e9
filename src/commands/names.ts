/** Commands that print names of files: `ls`, `basename`, `dirname`, `realpath`, `mktemp`. No content is shown. */
import { type Asking, ask } from '../core/question.ts'
import { type Arg, concat, exact, notNumber, oneOf, textOf, textsOf, unknown, type Value } from '../core/value.ts'
import { normalise } from '../paths/lexical.ts'
import { newPathBudget, resolvePath } from '../paths/resolve.ts'
import type { Doing, Invocation, Listed, Reader } from './doing.ts'
import { parseArgs, specify } from './options.ts'
import { line, onEach, out, placeOf, pure, word } from './parts.ts'
import { globValue } from './pattern.ts'

const LS = specify(
  '-a|--all -A|--almost-all -d|--directory -l -g -o -n|--numeric-uid-gid -s|--size -i|--inode -m -x -C -1 -R|--recursive ' +
    '-r -t -S -h --block-size: --color? --format: --hide: -I|--ignore: --indicator-style: -F|--classify? -p --quoting-style: ' +
    '--sort: --time: --time-style: -T: -w|--width: -L -H --group-directories-first --full-time -Z --zero --hyperlink? ' +
    '-D --help --version',
)

/** How many operands of `ls` are looked up to tell files from directories. */
const MOST_LOOKS = 8

/** Reader of `ls`: bare names of what a directory holds, so they lie in the working directory for who reads them. */
export const ls: Reader = function* (call) {
  const parsed = parseArgs(LS, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const operands = parsed.operands.length > 0 ? parsed.operands : [word(call, '.')]
  const tree = parsed.flags.has('-R')
  const doings: Doing[] = onEach('names', operands, tree).slice()
  const long = ['-l', '-g', '-o', '-n', '-s', '-i', '-m', '--full-time', '--format', '-Z'].some((flag) =>
    parsed.flags.has(flag),
  )
  if (long || tree) return [...doings, out({ text: unknown('input'), taints: [] })]
  const listed: Listed[] = []
  let inside = false
  for (const [i, at] of operands.entries()) {
    const kind = parsed.flags.has('-d') ? 'file' : i < MOST_LOOKS ? yield* kindOf(call, at) : 'either'
    if (kind !== 'dir') listed.push({ at, tree: false })
    if (kind !== 'file') inside = true
  }
  if (inside) {
    const names = (hidden: boolean): Listed => ({
      at: {
        ...word(call, ''),
        value: globValue([...(hidden ? [{ is: 'text' as const, text: '.' }] : []), { is: 'star' }]),
      },
      tree: false,
    })
    listed.push(names(false))
    if (parsed.flags.has('-a') || parsed.flags.has('-A')) listed.push(names(true))
  }
  return [...doings, out({ text: unknown('input'), taints: [], paths: listed })]
}

/** Whether an operand is a directory, whose content is listed, or a file, which is listed itself. */
function* kindOf(call: Invocation, at: Arg): Asking<'dir' | 'file' | 'either'> {
  if (at.value.is === 'glob') {
    const last = at.value.parts.at(-1)
    return last?.is === 'text' && /\.[A-Za-z0-9]+$/.test(last.text) ? 'file' : 'either'
  }
  const text = textOf(at.value)
  if (text === undefined) return 'either'
  if (/(?:^|\/)\.{0,2}\/?$/.test(text) || text.endsWith('/')) return 'dir'
  const path = placeOf(call, text)
  if (path === undefined) return 'either'
  const stat = yield* ask('stat', { path })
  if (stat === 'unknown' || stat === 'absent') return 'either'
  return stat.kind === 'dir' ? 'dir' : stat.kind === 'link' ? 'either' : 'file'
}

const baseName = (path: string): string => {
  const cut = path.replace(/\/+$/, '')
  return cut === '' ? (path === '' ? '' : '/') : cut.slice(cut.lastIndexOf('/') + 1)
}

const dirName = (path: string): string => {
  const cut = path.replace(/\/+$/, '')
  if (cut === '') return path === '' ? '.' : '/'
  const at = cut.lastIndexOf('/')
  return at < 0 ? '.' : cut.slice(0, at).replace(/\/+$/, '') || '/'
}

/** A function of text on a value: each choice is changed by itself. */
function mapValue(value: Value, change: (text: string) => string): Value {
  const texts = textsOf(value)
  return texts === undefined ? unknown('input') : oneOf(texts.map(change))
}

const joinLines = (values: readonly Value[], end: string): Value =>
  values.reduce<Value>((all, value) => concat(concat(all, value), exact(end)), exact(''))

/** Reader of `basename`. */
export const basename: Reader = pure((call) => {
  const parsed = parseArgs(specify('-a|--multiple -s|--suffix: -z|--zero --help --version'), call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const given = parsed.values.get('-s')?.at(-1)
  const many = parsed.flags.has('-a') || given !== undefined
  const suffix = textOf((given ?? (many ? undefined : parsed.operands[1]))?.value) ?? ''
  const unsure = (given ?? (many ? undefined : parsed.operands[1])) !== undefined && suffix === ''
  const names = many ? parsed.operands : parsed.operands.slice(0, 1)
  const strip = (text: string) => {
    const base = baseName(text)
    return suffix !== '' && base.endsWith(suffix) && base !== suffix ? base.slice(0, -suffix.length) : base
  }
  const values = names.map((arg) => (unsure ? unknown('input') : mapValue(arg.value, strip)))
  return [out({ text: joinLines(values, parsed.flags.has('-z') ? '\0' : '\n'), taints: [] })]
})

/** Reader of `dirname`. A value that is known up to some slash has a directory that is known so far. */
export const dirname: Reader = pure((call) => {
  const parsed = parseArgs(specify('-z|--zero --help --version'), call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const of = (value: Value): Value => {
    if (value.is !== 'partly') return mapValue(value, dirName)
    // Behind a slash at the end nothing may follow, and then the directory is one higher.
    const cut = value.prefix.slice(0, value.prefix.lastIndexOf('/'))
    const known = value.prefix.endsWith('/') ? cut.slice(0, cut.lastIndexOf('/')) : cut
    return known === ''
      ? unknown(notNumber(value.why))
      : { ...value, why: notNumber(value.why), prefix: known, suffix: '' }
  }
  const values = parsed.operands.map((arg) => of(arg.value))
  return [out({ text: joinLines(values, parsed.flags.has('-z') ? '\0' : '\n'), taints: [] })]
})

const REAL = specify(
  '-e|--canonicalize-existing -f|--canonicalize -m|--canonicalize-missing -n|--no-newline -q -s|--strip|--no-symlinks -v ' +
    '-z|--zero -L|--logical -P|--physical --relative-to: --relative-base: --help --version',
)

/** Reader of `realpath` and `readlink`. */
export const realpath: Reader = function* (call) {
  const parsed = parseArgs(REAL, call.args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const doings: Doing[] = onEach('names', parsed.operands).slice()
  const plain = call.base.includes('readlink') && !['-f', '-e', '-m'].some((flag) => parsed.flags.has(flag))
  const odd = ['--relative-to', '--relative-base', '-z', '-n'].some((flag) => parsed.flags.has(flag))
  const text = parsed.operands.length === 1 && !odd ? textOf(parsed.operands[0]!.value) : undefined
  const path = text === undefined ? undefined : placeOf(call, text)
  if (path === undefined) return [...doings, out({ text: unknown('input'), taints: [] })]
  if (plain) {
    const stat = yield* ask('stat', { path })
    const target = typeof stat === 'object' && stat.kind === 'link' ? stat.target : undefined
    if (target !== undefined) return [...doings, line(exact(target))]
    return [...doings, out({ text: stat === 'unknown' ? unknown('input') : exact(''), taints: [] })]
  }
  const flavour = call.platform === 'win32' ? 'win32' : 'posix'
  // `-s` leaves links alone.
  if (parsed.flags.has('-s') && !call.base.includes('readlink'))
    return [...doings, line(exact(normalise(path, flavour)))]
  const budget = newPathBudget(flavour)
  const found = yield* resolvePath(path, { follow: true, budget })
  return [...doings, found.is === 'path' ? line(exact(found.target)) : out({ text: unknown('input'), taints: [] })]
}

export const MKTEMP = specify('-d|--directory -u|--dry-run -q|--quiet -p: --tmpdir? --suffix: -t? --help --version')

/**
 * Reader of `mktemp`. What it makes has a name that nobody knows and that nothing has had before, so the name with its
 * X stands for it: it is absent before, and the session's own afterwards.
 */
export const mktemp: Reader = function* (call) {
  const args = call.platform === 'darwin' ? spreadPrefix(call.args) : call.args
  const parsed = parseArgs(MKTEMP, args)
  if (parsed.flags.has('--help') || parsed.flags.has('--version')) return []
  const prefix = parsed.values.get('-t')?.at(-1)
  const template = parsed.operands[0]
  const suffix = parsed.values.get('--suffix')?.at(-1)?.value ?? exact('')
  const directory = (parsed.values.get('-p') ?? parsed.values.get('--tmpdir'))?.at(-1)?.value
  const inTemp = template === undefined || ['-p', '--tmpdir', '-t'].some((flag) => parsed.flags.has(flag))
  let name: Value = template?.value ?? exact('tmp.XXXXXXXXXX')
  if (prefix) name = concat(prefix.value, exact('.XXXXXXXXXX'))
  if (inTemp) name = concat(concat(directory ?? (yield* tempDirectory(call)), exact('/')), name)
  const value = concat(name, suffix)
  const at: Arg = { ...word(call, ''), value, provenance: textsOf(value) ? 'constant' : 'unknown' }
  const made: readonly Doing[] = parsed.flags.has('-u')
    ? []
    : [{ do: 'path', act: 'create', at, note: parsed.flags.has('-d') ? 'dir' : 'fresh' }]
  return [...made, line(value)]
}

/** On macOS `-t` takes a prefix as its own word. */
const spreadPrefix = (args: readonly Arg[]): readonly Arg[] =>
  args.flatMap((arg, i) => {
    if (i > 0 && textOf(args[i - 1]!.value) === '-t') return []
    const next = args[i + 1]
    return textOf(arg.value) === '-t' && next ? [{ ...next, value: concat(exact('-t'), next.value) }] : [arg]
  })

function* tempDirectory(call: Invocation): Asking<Value> {
  const set = call.env.get('TMPDIR')
  if (set) return set
  const answer = yield* ask('env', { name: 'TMPDIR' })
  if (answer === 'unknown') return unknown('budget')
  return exact(answer === 'unset' || answer.value === '' ? '/tmp' : answer.value.replace(/\/+$/, ''))
}

/** Reader of `pwd`. */
export const pwd: Reader = pure((call) => [line(call.cwd === undefined ? unknown('variable') : exact(call.cwd))])
