/** Searching in files: `grep` and its family, `fd`. */
import { type Arg, exact, type GlobPart, textOf, unknown } from '../core/value.ts'
import type { Content, Doing, Invocation, Listed, Reader } from './doing.ts'
import { cutArg, type Parsed, parseArgs, type Specification, specify } from './options.ts'
import { onEach, out, paths, pure, word } from './parts.ts'
import { ALL_BELOW, below, eachOf, patternParts } from './pattern.ts'
import { changed, inputOf } from './row.ts'
import { isPlainFilter, settingNames, withoutEnvironment } from './setting-names.ts'
import { hasMark, splice, spliceAll } from './splice.ts'

const GREP = specify(
  '-e|--regexp: -f|--file:read -m|--max-count: -A|--after-context: -B|--before-context: -C|--context: -D|--devices: ' +
    '-d|--directories: --include: --exclude: --exclude-dir: --exclude-from:read --color|--colour? --binary-files: ' +
    '--label: -r|--recursive -R|--dereference-recursive -l|--files-with-matches -L|--files-without-match -c|--count ' +
    '-q|--quiet|--silent -o|--only-matching -z|--null-data -Z|--null -i -v -n -h -H -s -w -x -E -F -G -P -a -b -T -U -u ' +
    '-y -I -O -p -S --help -V|--version',
)

const RG = specify(
  '-e|--regexp: -f|--file:read -m|--max-count: -A|--after-context: -B|--before-context: -C|--context: -g|--glob: ' +
    '--iglob: -t|--type: -T|--type-not: --type-add: --type-clear: -j|--threads: -M|--max-columns: -r|--replace: ' +
    '-E|--encoding: -d|--max-depth|--maxdepth: --max-filesize: --sort: --sortr: --color: --colors: --path-separator: ' +
    '--context-separator: --field-match-separator: --field-context-separator: --ignore-file:read --pre: --pre-glob: ' +
    '--hostname-bin: --hyperlink-format: --regex-size-limit: --dfa-size-limit: --engine: --generate: --files --type-list ' +
    '-l|--files-with-matches --files-without-match -c|--count --count-matches -q|--quiet --json --no-config -z ' +
    '-. -0|--null -h|--help -V|--version',
)

const AG = specify(
  '-A|--after? -B|--before? -C|--context? -G|--file-search-regex: -g: -m|--max-count: --depth: --ignore: --ignore-dir: ' +
    '-p|--path-to-ignore:read --pager: --color-line-number: --color-match: --color-path: --workers: -W|--width: ' +
    '-l|--files-with-matches -L|--files-without-matches -c|--count --list-file-types -0|--null --help -h --version -V',
)

const ACK = specify(
  '-A|--after-context: -B|--before-context: -C|--context? -g -f -m|--max-count: --type|-t: --ignore-dir: --ignore-file: ' +
    '--files-from:read --output: --pager? --match: --ackrc:read --type-set: --type-add: --type-del: -x -l|--files-with-matches ' +
    '-L|--files-without-matches -c|--count -h --help --version --man',
)

interface Kind {
  readonly spec: Specification
  /** Options that give the pattern, so that the first operand is a path. */
  readonly pattern: readonly string[]
  /** Only names are printed. */
  readonly names: readonly string[]
  /** Names or counts: no content is shown. */
  readonly quiet: readonly string[]
  readonly help: readonly string[]
  /** Searches the tree without being told. */
  readonly tree: boolean
}

const kinds: Readonly<Record<'grep' | 'rg' | 'ag' | 'ack', Kind>> = {
  grep: {
    spec: GREP,
    pattern: ['-e', '-f'],
    names: ['-l', '-L'],
    quiet: ['-l', '-L', '-c', '-q'],
    help: ['--help', '-V'],
    tree: false,
  },
  rg: {
    spec: RG,
    pattern: ['-e', '-f', '--files', '--type-list'],
    names: ['-l', '--files-without-match', '--files'],
    quiet: ['-l', '--files-without-match', '-c', '--count-matches', '-q', '--files', '--type-list'],
    help: ['-h', '-V', '--generate', '--type-list'],
    tree: true,
  },
  ag: {
    spec: AG,
    pattern: ['-g'],
    names: ['-l', '-L', '-g'],
    quiet: ['-l', '-L', '-c', '-g'],
    help: ['--help', '-h', '-V', '--version', '--list-file-types'],
    tree: true,
  },
  ack: {
    spec: ACK,
    pattern: ['--match', '-f'],
    names: ['-l', '-L', '-f', '-g'],
    quiet: ['-l', '-L', '-c', '-f', '-g'],
    help: ['-h', '--help', '--version', '--man'],
    tree: true,
  },
}

const grepLike = (kind: Kind): Reader =>
  pure((call) => {
    const parsed = parseArgs(kind.spec, call.args)
    const has = (names: readonly string[]) => names.some((name) => parsed.flags.has(name))
    if (has(kind.help)) return []
    const files = has(kind.pattern) ? parsed.operands : parsed.operands.slice(1)
    const recursive = kind.tree || has(['-r', '-R']) || call.base === 'rgrep' || recurses(parsed)
    const doings: Doing[] = []
    for (const [name, args] of parsed.values)
      if (kind.spec.byName.get(name)?.role === 'read') doings.push(...onEach('read', paths(args)))
    for (const name of ['--pre', '--hostname-bin'])
      for (const program of parsed.values.get(name) ?? []) doings.push({ do: 'run', argv: [program], when: 'branch' })
    for (const pager of parsed.values.get('--pager') ?? [])
      doings.push({ do: 'code', language: 'sh', text: pager.value, when: 'branch' })
    // Tools that search trees read stdin where one is given and no path is named.
    const fromStdin = files.length === 0 && (!recursive || (kind.tree && !call.stdin.none && !has(['--files', '-g'])))
    const where = files.length > 0 || fromStdin ? files : [word(call, '.')]
    doings.push(...onEach(has(kind.quiet) ? 'names' : 'read', paths(where), recursive))
    const all = searched(call, where, recursive, has(kind.names), has(kind.quiet))
    const pattern = has(kind.pattern) ? undefined : textOf(parsed.operands[0]?.value)
    const shown = where.length === 0 && !parsed.flags.has('-v') && chooses(pattern) ? someOf(all, pattern!) : all
    const plain = pattern !== undefined && !parsed.flags.has('-v') && isPlainFilter(pattern)
    doings.push(out(plain ? withoutEnvironment(shown) : shown))
    return settingNames(call, doings)
  })

/** Whether a pattern surely leaves most lines out: it asks for letters of its own. */
const chooses = (pattern: string | undefined): boolean => pattern !== undefined && /[A-Za-z0-9_-]{2}/.test(pattern)

/** Endings that a pattern asks for: `\.ts$`, `\.(js|tsx?)$`. */
function endingsOf(pattern: string): readonly string[] {
  const words = /^(?:\.\*)?\\?\.(?:\\?\(([\w|\\?]+)\\?\)|(\w+\??))\$$/.exec(pattern)
  const all = (words?.[1] ?? words?.[2] ?? '').split(/\\?\|/)
  const endings = all.flatMap((word) => (word.endsWith('?') ? [word.slice(0, -2), word.slice(0, -1)] : [word]))
  return endings.every((word) => /^\w+$/.test(word)) && endings.length <= 8 ? endings : []
}

/** The directory that a listing of everything below begins at. */
function startOf({ at, tree }: Listed): Arg | undefined {
  if (tree) return at
  if (at.value.is !== 'glob') return undefined
  const [first, second] = at.value.parts
  if (first?.is === 'deep') return { ...at, value: exact('.') }
  return first?.is === 'text' && first.text.endsWith('/') && second?.is === 'deep'
    ? { ...at, value: exact(first.text.slice(0, -1) || '/') }
    : undefined
}

/** Of listed paths those that a pattern chose. */
function someOf(content: Content, pattern: string): Content {
  if (content.paths === undefined) return content
  const endings = endingsOf(pattern)
  const starts = content.paths.map(startOf)
  const whole = (text: string | undefined): boolean => text === '.' || text === './'
  const chosen = content.paths.flatMap((item, i): readonly Listed[] => {
    const start = starts[i]
    if (start === undefined) return whole(textOf(item.at.value)) && endings.length > 0 ? [] : [item]
    const dir = textOf(start.value)
    if (endings.length === 0 || dir === undefined || item.only) return item.tree ? [{ ...item, some: true }] : [item]
    return endings.map((ending): Listed => {
      const parts: readonly GlobPart[] = [
        { is: 'text', text: dir.endsWith('/') ? dir : `${dir}/` },
        { is: 'deep' },
        { is: 'text', text: '/' },
        { is: 'star' },
        { is: 'text', text: `.${ending}` },
      ]
      return { at: { ...start, value: { is: 'glob', parts } }, tree: false }
    })
  })
  return { ...content, paths: chosen }
}

const recurses = (parsed: Parsed): boolean =>
  (parsed.values.get('-d') ?? []).some((arg) => textOf(arg.value) === 'recurse')

function searched(call: Invocation, where: readonly Arg[], tree: boolean, names: boolean, quiet: boolean): Content {
  if (names) return { text: unknown('input'), taints: [], paths: where.map((at) => ({ at, tree, some: true })) }
  if (quiet) return { text: unknown('input'), taints: [] }
  // A tree is searched for few lines; where they came from is asked for named files only.
  return changed(inputOf(call, tree ? where.filter((at) => textOf(at.value) !== '.') : where), true)
}

export const grep: Reader = grepLike(kinds.grep)
export const ripgrep: Reader = grepLike(kinds.rg)
export const silverSearcher: Reader = grepLike(kinds.ag)
export const ack: Reader = grepLike(kinds.ack)

const FD = specify(
  '-x|--exec: -X|--exec-batch: -e|--extension: -t|--type: -d|--max-depth: --min-depth: --exact-depth: -E|--exclude: ' +
    '-c|--color: -j|--threads: -S|--size: --changed-within|--newer: --changed-before|--older: -o|--owner: --format: ' +
    '--search-path: -C|--base-directory: --path-separator: --ignore-file:read --max-results: --batch-size: --and: ' +
    '-g|--glob -F|--fixed-strings -p|--full-path -H -I -u -L -a -l|--list-details -0|--print0 -1 -i -s -q -h|--help -V|--version',
)

const EXEC = /^(?:-[A-WYZa-wyz]*[xX]|--exec(?:-batch)?(?:=.*)?)$/s

/** Reader of `fd`: a pattern that is no glob is a regular expression and does not narrow. */
export const fd: Reader = pure((call) => {
  const at = call.args.findIndex((arg) => EXEC.test(textOf(arg.value) ?? ''))
  const parsed = parseArgs(FD, at < 0 ? call.args : call.args.slice(0, at))
  const bundle = at < 0 ? '' : textOf(call.args[at]!.value)!
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  const base = parsed.values.get('-C')?.at(-1)
  const searches = parsed.values.get('--search-path') ?? []
  const given = searches.length > 0 ? searches : parsed.operands.slice(1)
  const starts = (given.length > 0 ? given : [word(call, '.')]).flatMap(eachOf)
  const found = starts.flatMap((start) => pick(start, parsed))
  const doings: Doing[] = onEach('names', base ? [base] : starts, true).slice()
  if (parsed.hidden) doings.push({ do: 'opaque', what: 'fd with unknown options' })
  if (at < 0) {
    const lists = !parsed.flags.has('-l') && !parsed.flags.has('--format')
    const paths = found.map((item) => ({ at: item, tree: false }))
    doings.push(out({ text: unknown('input'), taints: [], ...(lists ? { paths } : {}) }))
    return doings
  }
  const attached = bundle.indexOf('=')
  const first = attached < 0 ? [] : [cutArg(call.args[at]!, attached + 1)]
  for (const command of commands([...first, ...call.args.slice(at + 1)])) {
    const marked = hasMark(command, '{}') || /\{[/.]+\}/.test(command.map((arg) => textOf(arg.value) ?? '').join(' '))
    const argv = marked ? command.map(wholeMark) : [...command, { ...call.command, value: exact('{}') }]
    const batch = bundle.endsWith('X') || bundle.startsWith('--exec-batch')
    const cwd = base ? { cwd: base } : {}
    if (batch) doings.push({ do: 'run', argv: spliceAll(argv, '{}', found), ...cwd })
    else for (const item of found) doings.push({ do: 'run', argv: splice(argv, '{}', item), ...cwd })
  }
  return doings
})

/** `{/}`, `{//}`, `{.}` and `{/.}` are parts of the path; the whole path stands in for them. */
const wholeMark = (arg: Arg): Arg => {
  const text = textOf(arg.value)
  return text === undefined ? arg : { ...arg, value: exact(text.replace(/\{(?:\/\/?|\.|\/\.)\}/g, '{}')) }
}

function commands(args: readonly Arg[]): readonly (readonly Arg[])[] {
  const all: Arg[][] = [[]]
  for (const arg of args) {
    const text = textOf(arg.value)
    if (text === ';') all.push([])
    else if (!(all.at(-1)!.length === 0 && /^(?:-[xX]|--exec|--exec-batch)$/.test(text ?? ''))) all.at(-1)!.push(arg)
  }
  return all.filter((argv) => argv.length > 0)
}

function pick(start: Arg, parsed: Parsed): readonly Arg[] {
  const any: readonly GlobPart[] = ALL_BELOW.slice(0, 2)
  const pattern = textOf(parsed.operands[0]?.value)
  if (parsed.flags.has('-g') && pattern !== undefined && !pattern.includes('{'))
    return [below(start, [...any, ...patternParts(pattern, { deep: true })])]
  const endings = (parsed.values.get('-e') ?? []).map((arg) => textOf(arg.value))
  if (endings.length > 0 && !endings.includes(undefined))
    return endings.map((name) =>
      below(start, [...any, { is: 'star' }, { is: 'text', text: `.${name!.replace(/^\./, '')}` }]),
    )
  return [below(start, ALL_BELOW)]
}
