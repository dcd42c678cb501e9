/** Interpreters whose words need more than a row: Python's modules, Node, Perl's bundles, awk, Deno, Bun. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, concat, exact, prefixOf, textOf, type Value } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { byOptions, specOf } from '../row.ts'
import { settingNames } from '../setting-names.ts'
import { hasAny, type Interpreter, interpret, isAddress, lines, passesOn, preload, runsRemote } from './common.ts'
import { pythonModule } from './modules.ts'
import { NODE, PYTHON } from './rows.ts'

const word = (call: Invocation, text: string): Arg => ({
  value: exact(text),
  span: call.command.span,
  provenance: 'constant',
})

const python: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(specOf(PYTHON), call.args, { stop: true, ends: ['-c', '-m'] })
  const module = parsed.values.get('-m')?.at(-1)
  const cache = call.env.get('PYTHONPYCACHEPREFIX')
  const kept: readonly Doing[] =
    cache === undefined || textOf(cache) === '' ? [] : [below({ value: cache, span: call.command.span })]
  if (module && !hasAny(parsed, PYTHON.info)) return [...kept, ...(yield* pythonModule(call, module, parsed.operands))]
  return [...kept, ...interpret(PYTHON, call)]
}

/** Options of node that name a directory for files of its own. */
const NODE_DIRS = ['--cpu-prof-dir', '--heap-prof-dir', '--diagnostic-dir', '--report-dir']

const below = (dir: Arg): Doing => ({
  do: 'path',
  act: 'create',
  at: { ...dir, value: concat(dir.value, exact('/node.x')) },
})

/** Files that options of node name. */
const written = (call: Invocation, parsed: Parsed): readonly Doing[] => [
  ...byOptions(specOf(NODE), parsed).filter(
    (doing) => doing.do !== 'path' || !/^(?:stdout|stderr)$/.test(textOf(doing.at.value) ?? ''),
  ),
  ...NODE_DIRS.flatMap((name) => parsed.values.get(name) ?? []).map(below),
  ...(parsed.flags.has('--build-snapshot')
    ? (parsed.values.get('--snapshot-blob') ?? [word(call, 'snapshot.blob')]).map(
        (at): Doing => ({ do: 'path', act: 'write', at }),
      )
    : []),
]

/** The same by variables. */
function nodeFiles(call: Invocation): readonly Doing[] {
  const of = (name: string): readonly Arg[] => {
    const value = call.env.get(name)
    return value === undefined || textOf(value) === '' ? [] : [{ value, span: call.command.span }]
  }
  return [
    ...of('NODE_REDIRECT_WARNINGS').map((at): Doing => ({ do: 'path', act: 'append', at })),
    ...['NODE_V8_COVERAGE', 'NODE_COMPILE_CACHE'].flatMap(of).map(below),
  ]
}

const node: Reader = function* (call) {
  // `-pe` is node's own name for print and eval together.
  const args = call.args.map((arg) => (/^-(pe|ep)$/.test(textOf(arg.value) ?? '') ? word(call, '-e') : arg))
  const parsed = parseArgs(specOf(NODE), args, { stop: true })
  const options = (textOf(call.env.get('NODE_OPTIONS')) ?? '').split(/\s+/).filter(Boolean)
  const early = parseArgs(
    specOf(NODE),
    options.map((text) => word(call, text)),
  )
  const doings = ['-r', '--import', '--loader']
    .flatMap((name) => early.values.get(name) ?? [])
    .flatMap((arg) => preload('javascript', arg))
  doings.push(...[early, parsed].flatMap((given) => written(call, given)), ...nodeFiles(call))
  const script = parsed.values.get('--run')?.at(-1)
  if (script)
    return [...doings, { do: 'run', argv: [word(call, 'npm'), word(call, 'run'), script, ...parsed.operands] }]
  if (parsed.flags.has('--test')) {
    // Patterns of test files stay with the runner: only named files are read.
    const files = parsed.operands.filter((arg) => textOf(arg.value) !== undefined && !/[*?{]/.test(textOf(arg.value)!))
    const loads = ['-r', '--import', '--loader'].flatMap((name) => parsed.values.get(name) ?? [])
    return [
      ...doings,
      ...loads.flatMap((arg) => preload('javascript', arg)),
      ...files.map((path): Doing => ({ do: 'script', path, language: 'javascript', args: [] })),
    ]
  }
  if (textOf(parsed.operands[0]?.value) === 'inspect')
    return [...doings, ...interpret(NODE, call, parsed.operands.slice(1))]
  return [...doings, ...interpret(NODE, call, args)]
}

const PERL: Interpreter = {
  names: 'perl perl5',
  language: 'perl',
  options:
    '-0 -a -c -C -d? -D: -e|-E: -f -F: -h -i? -I: -l -m: -M: -n -p -s -S -t -T -u -U -v -V? -w -W -x? -X -g --help --version',
  code: '-e',
  check: '-c',
  info: '-v -V -h',
  filters: '-n -p',
  inPlace: '-i',
  why: 'perl(1)',
}

/** Takes the digits off `-0777`, `-l012` and `-C7`, which stand within bundles. */
function withoutDigits(arg: Arg): Arg {
  const text = textOf(arg.value)
  if (text === undefined || !/^-[A-Za-z0-9]/.test(text)) return arg
  let out = '-'
  for (let i = 1; i < text.length; i++) {
    const c = text[i]!
    out += c
    const digits = c === '0' ? /^(x[0-9a-f]+|[0-7]+)/i : c === 'l' ? /^0?[0-7]+/ : c === 'C' ? /^\d+/ : undefined
    if (digits) i += digits.exec(text.slice(i + 1))?.[0].length ?? 0
    // From an option with a value on, the rest is that value.
    if (/[eEiIMmFDxdV]/.test(c)) return { ...arg, value: exact(out + text.slice(i + 1)) }
  }
  return { ...arg, value: exact(out) }
}

const perl: Reader = function* (call) {
  const args: Arg[] = []
  for (let i = 0; i < call.args.length; i++) {
    const arg = withoutDigits(call.args[i]!)
    args.push(arg)
    // The word behind a bundle that ends with -e is program text and stays as it is.
    if (/^-[A-Za-z0]*[eE]$/.test(textOf(arg.value) ?? '') && i + 1 < call.args.length) args.push(call.args[++i]!)
  }
  const parsed = parseArgs(specOf(PERL), args, { stop: true })
  const modules = (parsed.values.get('-M') ?? []).map((arg) => textOf(arg.value) ?? '')
  const command = MAKE_COMMANDS[textOf(parsed.values.get('-e')?.[0]?.value)?.trim() ?? '']
  if (command && modules.some((name) => /^ExtUtils::Command\b/.test(name)))
    return [{ do: 'run', argv: [...command.split(' ').map((text) => word(call, text)), ...parsed.operands] }]
  return interpret(PERL, call, args)
}

/** Functions of `ExtUtils::Command`, which act on the words behind the program as commands do. */
const MAKE_COMMANDS: Readonly<Record<string, string>> = {
  rm_rf: 'rm -rf',
  rm_f: 'rm -f',
  touch: 'touch',
  mv: 'mv',
  cp: 'cp',
  mkpath: 'mkdir -p',
  eqtime: 'touch -r',
  chmod: 'chmod',
  dos2unix: 'dos2unix',
}

const AWK = specify(
  '-f|--file: -F|--field-separator: -v|--assign: -e|--source: -E|--exec: -i|--include: -l|--load: -b -c -C -d? -D? -g -h|--help -I -k -L? -M -n -N -o? -O -p? -P -r -s -S|--sandbox -t -V|--version -m: -W:',
)

/** Variables that awk starts with, as a rule in front of its program. One that is not known stays out: it is unknown there, too. */
function settings(args: readonly Arg[]): Value {
  const known = args.flatMap((arg) => {
    const [, name, text] = /^([A-Za-z_]\w*)=(.*)$/s.exec(textOf(arg.value) ?? '') ?? []
    return name === undefined ? [] : [`${name} = "${text!.replace(/["\n]/g, (c) => (c === '"' ? '\\"' : '\\n'))}"`]
  })
  return exact(known.length === 0 ? '' : `BEGIN { ${known.join('; ')} }\n`)
}

/** A program that prints one column of every line, at most without the heading. */
const COLUMN = /^\s*(?:NR\s*(?:>\s*1|!=\s*1)\s*)?\{\s*print\s+\$(?:\d+|NF)\s*;?\s*\}\s*$/

const awk: Reader = function* (call) {
  const parsed = parseArgs(AWK, call.args, { stop: true, ends: ['-E'] })
  if (parsed.flags.has('-h') || parsed.flags.has('-V')) return []
  const of = (name: string) => parsed.values.get(name) ?? []
  const files = [...of('-f'), ...of('-E')]
  const texts = of('-e')
  const named = files.length > 0 || texts.length > 0
  const operands = named ? parsed.operands : parsed.operands.slice(1)
  const program = named ? texts : parsed.operands.slice(0, 1)
  const includes = of('-i').filter((arg) => textOf(arg.value) !== 'inplace')
  const edits = of('-i').length > includes.length
  const doings: Doing[] = []
  for (const path of [...files, ...includes]) doings.push({ do: 'script', path, language: 'awk', args: operands })
  if (program.length > 0)
    doings.push({ do: 'code', language: 'awk', text: concat(settings(of('-v')), lines(program)), args: operands })
  const inputs = operands.filter((arg) => !/^[A-Za-z_]\w*=/.test(prefixOf(arg.value)) && textOf(arg.value) !== '-')
  for (const at of inputs) doings.push({ do: 'path', act: edits ? 'edit' : 'read', at })
  if (inputs.length === 0) doings.push(...passesOn(call, COLUMN.test(textOf(program[0]?.value) ?? '')))
  return edits ? doings : settingNames(call, doings)
}

const DENO: Interpreter = {
  names: 'deno',
  language: 'javascript',
  options:
    '-A|--allow-all -q|--quiet -r|--reload? -c|--config: --import-map: --env-file? --lock? --cert: --seed: --location: --preload|--import: -R? -W? -N? -E? -S? -I? --inspect? --watch? --v8-flags? --ext: -p|--print -T --unstable? --no-check? --node-modules-dir? --check? --port: --help --version -h -V',
  loads: '--preload',
  info: '-h -V',
  why: 'deno run',
}

const deno: Reader = function* (call) {
  const parsed = parseArgs(specOf(DENO), call.args, { stop: true })
  if (hasAny(parsed, '-h -V --help --version')) return []
  const [verb, ...rest] = parsed.operands
  const name = textOf(verb?.value)
  if (name === undefined) return verb ? interpret(DENO, call) : []
  const inner = parseArgs(specOf(DENO), rest, { stop: true })
  switch (name) {
    case 'run':
    case 'serve':
      return inner.operands.length > 0 || !call.stdin.none ? interpret(DENO, call, rest) : []
    case 'eval': {
      const text = inner.operands[0]
      return text ? [{ do: 'code', language: 'javascript', text: text.value, args: inner.operands.slice(1) }] : []
    }
    case 'test':
    case 'bench':
      return inner.operands.map((at): Doing => (isAddress(at) ? runsRemote(at) : { do: 'path', act: 'run', at }))
    case 'fmt':
      if (inner.flags.has('--check')) return []
      return (inner.operands.length > 0 ? inner.operands : [word(call, '.')]).map(
        (at): Doing => ({ do: 'path', act: 'edit', at, tree: true }),
      )
    case 'task':
      return yield* denoTask(call, inner.operands)
    case 'add':
    case 'install':
    case 'i':
      return inner.operands.map(
        (arg): Doing => ({
          do: 'other',
          act: 'install',
          service: 'deno',
          what: textOf(arg.value) ?? '?',
        }),
      )
    case 'publish':
      return inner.flags.has('--dry-run') ? [] : [{ do: 'other', act: 'publish', service: 'jsr', what: 'package' }]
    case 'x':
      return inner.operands.slice(0, 1).map(runsRemote)
    default:
      return /[./:]/.test(name) ? interpret(DENO, call) : []
  }
}

/** A task of `deno.json`. Comments in it make it unreadable for us. */
function* denoTask(call: Invocation, operands: readonly Arg[]): Asking<readonly Doing[]> {
  const [task, ...args] = operands
  const name = textOf(task?.value)
  if (task === undefined) return []
  for (const file of ['deno.json', 'deno.jsonc']) {
    if (call.cwd === undefined) break
    const found = yield* ask('text', { path: `${call.cwd}/${file}`, limit: 256 * 1024 })
    if (found === 'absent') continue
    const text = name === undefined || typeof found === 'string' || found.cut ? undefined : taskOf(found.text, name)
    if (text === undefined) break
    const code = args.length === 0 ? text : `${text} "$@"`
    return [{ do: 'code', language: 'sh', text: exact(code), args, label: `${file} tasks.${name}` }]
  }
  return [{ do: 'opaque', what: `deno task ${name ?? '?'}` }]
}

function taskOf(json: string, name: string): string | undefined {
  try {
    const tasks = (JSON.parse(json) as { tasks?: Record<string, string | { command?: string }> }).tasks
    const task = tasks && Object.hasOwn(tasks, name) ? tasks[name] : undefined
    return typeof task === 'string' ? task : typeof task?.command === 'string' ? task.command : undefined
  } catch {
    return undefined
  }
}

const BUN: Interpreter = {
  names: 'bun',
  language: 'javascript',
  options:
    '-e|--eval|-p|--print: -r|--preload|--require|--import: --watch --hot --smol --silent -b|--bun --cwd: -c|--config? --env-file: --define: -d: --loader: -l: --inspect? --if-present --filter: -F: --tsconfig-override: --conditions: -i --no-install --install: -v|--version -h|--help --revision',
  code: '-e',
  loads: '-r',
  info: '-v -h --revision',
  why: 'bun [run] FILE',
}

/** `bun FILE`, `bun run FILE`, `bun -e CODE`; undefined where the verb is one of the package manager's. */
export function bunCode(call: Invocation): readonly Doing[] | undefined {
  const parsed = parseArgs(specOf(BUN), call.args, { stop: true })
  if (parsed.flags.has('-e') || hasAny(parsed, BUN.info)) return interpret(BUN, call)
  const [verb, ...rest] = parsed.operands
  const name = textOf(verb?.value)
  if (verb === undefined) return []
  if (name === 'run') {
    const file = textOf(parseArgs(specOf(BUN), rest, { stop: true }).operands[0]?.value)
    return file === '-' || (file !== undefined && LOOKS_LIKE_CODE.test(file)) ? interpret(BUN, call, rest) : undefined
  }
  return name === undefined || LOOKS_LIKE_CODE.test(name) ? interpret(BUN, call) : undefined
}

const LOOKS_LIKE_CODE = /\.[cm]?[jt]sx?$|^[./]/

export const KNOWN: Readonly<Record<string, Reader>> = {
  'python python2 python3 python2.7 python3.6 python3.7 python3.8 python3.9 python3.10 python3.11 python3.12 python3.13 python3.14 pypy pypy3 py ipython':
    python,
  [NODE.names]: node,
  [PERL.names]: perl,
  'awk gawk mawk nawk original-awk busybox-awk goawk': awk,
  deno,
}
