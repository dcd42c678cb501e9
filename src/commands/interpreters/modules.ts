/** `python -m MODULE`: modules of the standard library that act on files, tools that are programs, and ours in the tree. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, concat, exact, textOf } from '../../core/value.ts'
import type { Doing, Invocation } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'

/** Modules that only compute, print, serve or test what is there. */
const HARMLESS = new Set(
  'http.server unittest doctest this antigravity calendar platform site sysconfig tabnanny tokenize ast dis pyclbr symtable inspect locale mimetypes quopri uu webbrowser asyncio base64 pstats code idlelib turtledemo zoneinfo ipaddress uuid random difflib filecmp getpass telnetlib smtpd ftplib nntplib encodings.rot_13 compileall py_compile'.split(
    ' ',
  ),
)

const word = (call: Invocation, text: string): Arg => ({
  value: exact(text),
  span: call.command.span,
  provenance: 'constant',
})

const path = (act: 'read' | 'write' | 'create' | 'delete', at: Arg | undefined, tree = false): readonly Doing[] =>
  at === undefined || textOf(at.value) === '-' ? [] : [{ do: 'path', act, at, ...(tree ? { tree } : {}) }]

type ModuleReader = (call: Invocation, args: readonly Arg[]) => readonly Doing[]

const again: ModuleReader = (call, args) =>
  args.length === 0 ? [] : [{ do: 'run', argv: [word(call, 'python3'), ...args] }]

const MODULES: Readonly<Record<string, ModuleReader>> = {
  'json.tool': (_call, args) => {
    const { operands } = parseArgs(
      specify('--sort-keys --indent: --tab --compact --no-indent --json-lines --no-ensure-ascii'),
      args,
    )
    return [...path('read', operands[0]), ...path('write', operands[1])]
  },
  venv: (_call, args) => {
    const parsed = parseArgs(
      specify(
        '--clear --upgrade --symlinks --copies --without-pip --prompt: --system-site-packages --upgrade-deps --without-scm-ignore-files -h|--help',
      ),
      args,
    )
    const clear = parsed.flags.has('--clear')
    return parsed.operands.flatMap((at) => [...(clear ? path('delete', at, true) : []), ...path('create', at)])
  },
  zipfile: (_call, args) => archive(args),
  tarfile: (_call, args) => archive(args),
  gzip: (_call, args) =>
    parseArgs(specify('-d --fast --best'), args).operands.flatMap((at) => [
      ...path('read', at),
      ...path('write', { ...at, value: concat(at.value, exact('.gz')) }),
    ]),
  pydoc: (call, args) => {
    const { flags, operands } = parseArgs(specify('-k -n: -p: -b -w'), args)
    if (!flags.has('-w')) return []
    return operands.flatMap((at) => path('write', word(call, `${textOf(at.value)?.split('/').at(-1) ?? '?'}.html`)))
  },
  timeit: (_call, args) => {
    const parsed = parseArgs(
      specify('-n|--number: -r|--repeat: -s|--setup: -p|--process -u|--unit: -v -h|--help'),
      args,
      { stop: true },
    )
    return [...(parsed.values.get('-s') ?? []), ...parsed.operands].map(
      (arg): Doing => ({ do: 'code', language: 'python', text: arg.value }),
    )
  },
  pdb: (call, args) => {
    const parsed = parseArgs(specify('-c|--command: -m: -p:'), args, { stop: true, ends: ['-m'] })
    const module = parsed.values.get('-m')?.at(-1)
    return again(call, module ? [word(call, '-m'), module, ...parsed.operands] : parsed.operands)
  },
  cProfile: (call, args) => {
    const parsed = parseArgs(specify('-o:write -s: -m:'), args, { stop: true, ends: ['-m'] })
    const module = parsed.values.get('-m')?.at(-1)
    return [
      ...(parsed.values.get('-o') ?? []).flatMap((at) => path('write', at)),
      ...again(call, module ? [word(call, '-m'), module, ...parsed.operands] : parsed.operands),
    ]
  },
  coverage: (call, args) => {
    const verb = textOf(args[0]?.value)
    if (verb === 'erase') return path('delete', word(call, '.coverage'))
    if (verb !== 'run') return []
    const spec = specify(
      '-a|--append --branch -p|--parallel-mode --source: --include: --omit: --rcfile: --data-file:write --context: --concurrency: -m|--module: --timid -L',
    )
    const parsed = parseArgs(spec, args.slice(1), { stop: true, ends: ['-m'] })
    const module = parsed.values.get('-m')?.at(-1)
    return again(call, module ? [word(call, '-m'), module, ...parsed.operands] : parsed.operands)
  },
  ensurepip: () => [{ do: 'other', act: 'install', service: 'python', what: 'pip' }],
}

function archive(args: readonly Arg[]): readonly Doing[] {
  const spec = specify('-l|--list -t|--test -c|--create -e|--extract -v|--verbose --filter: --metadata-encoding:')
  const { flags, operands } = parseArgs(spec, args)
  const [file, ...rest] = operands
  if (flags.has('-e')) return [{ do: 'unpack', archive: file, into: rest[0] }]
  if (flags.has('-c')) return [...path('write', file), ...rest.flatMap((at) => path('read', at, true))]
  return path('read', file)
}

/** What `python -m` does. Modules in the working directory are scripts; any other is a program of that name. */
export function* pythonModule(call: Invocation, module: Arg, args: readonly Arg[]): Asking<readonly Doing[]> {
  const name = textOf(module.value)
  if (name === undefined) return [{ do: 'opaque', what: 'python module' }]
  if (call.cwd !== undefined && /^[A-Za-z_]\w*(\.\w+)*$/.test(name)) {
    const base = `${call.cwd}/${name.replaceAll('.', '/')}`
    for (const file of [`${base}.py`, `${base}/__main__.py`]) {
      const stat = yield* ask('stat', { path: file })
      if (stat !== 'absent' && stat !== 'unknown')
        return [{ do: 'script', path: word(call, file), language: 'python', args }]
    }
  }
  const known = Object.hasOwn(MODULES, name) ? MODULES[name] : undefined
  if (known) return known(call, args)
  if (HARMLESS.has(name)) return []
  return [{ do: 'run', argv: [{ ...module, value: exact(name.replaceAll('_', '-')) }, ...args] }]
}
