/** bun as a package manager and script runner; program files are its interpreter's. */
import type { Asking } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { bunCode } from '../interpreters/known.ts'
import { parseArgs, specify } from '../options.ts'
import { execute, starterOf } from './exec.ts'
import { lifecycle, lockEdits, packagesAdded, publish, publishScripts } from './install.ts'
import {
  fileOf,
  flagged,
  last,
  type Manager,
  managerOf,
  type Selection,
  scriptOrProgram,
  splitCall,
  unreadScript,
  word,
} from './js.ts'

const BUN = specify(
  '--cwd: --filter|-F: -g|--global --frozen-lockfile --no-save --ignore-scripts --if-present -b|--bun -D|-d|--dev --optional --exact -E --production -p|--package: --dry-run --silent --backend: --registry: --config|-c? --env-file: --tag: --access: --otp: --trust --latest --lockfile-only --save-text-lockfile --no-install --watch --hot --smol --define: --loader: --shell: --script-shell: --elide-lines: -h|--help -v|--version --revision',
)

const STOPS = new Set('run exec x create c test build'.split(' '))
const LOOKS = new Set('outdated audit why info repl help test build completions getcompletes discord'.split(' '))
const MANAGES = new Set(
  'install i add a remove rm update link unlink pm init publish upgrade patch patch-commit'.split(' '),
)

const stops = (verb: string): boolean => STOPS.has(verb) || !(LOOKS.has(verb) || MANAGES.has(verb))

const LIFECYCLE = 'preinstall install postinstall preprepare prepare postprepare'

export const bun: Reader = function* (call): Asking<readonly Doing[]> {
  const code = bunCode(call)
  if (code !== undefined) return code
  const { verb, parsed, words } = splitCall(BUN, call.args, stops)
  if (flagged(parsed, '-h', '-v', '--revision') || verb === undefined) return []
  const m = managerOf(call, 'bun', parsed, last(parsed, '--cwd'))
  if (verb === '') return [unreadScript(m, 'bun with an unknown verb')]
  const filters = parsed.values.get('--filter')
  const selection = filters === undefined ? undefined : { names: filters.map((arg) => arg.value), root: true }
  return yield* perform(m, verb, words, selection)
}

function* perform(
  m: Manager,
  verb: string,
  words: readonly Arg[],
  selection: Selection | undefined,
): Asking<readonly Doing[]> {
  const { parsed, call } = m
  const said = [verb, ...words.map((arg) => showValue(arg.value))].join(' ')
  const sub = textOf(words[0]?.value)
  const dry = flagged(parsed, '--dry-run')
  const lock = !flagged(parsed, '--no-save')
  if (LOOKS.has(verb)) return []
  switch (verb) {
    case 'run':
      return yield* scriptOrProgram(m, words, selection)
    case 'exec':
      return words.slice(0, 1).map((arg): Doing => ({ do: 'code', language: 'sh', text: arg.value }))
    case 'x':
      return yield* execute(m, words, { packages: parsed.values.get('-p') ?? [], fetches: true })
    case 'create':
    case 'c':
      if (sub === undefined) return words.length === 0 ? [] : [unreadScript(m, 'a starter whose name is unknown')]
      return yield* execute(m, [word(call, starterOf(sub)), ...words.slice(1)], { packages: [], fetches: true })
    case 'install':
    case 'i':
      if (dry) return []
      if (words.length > 0) return yield* perform(m, 'add', words, selection)
      return [
        ...(yield* lockEdits(m, 'lock-maybe', {
          manifests: false,
          lock: lock && !flagged(parsed, '--frozen-lockfile'),
        })),
        ...(flagged(parsed, '--lockfile-only') ? [] : yield* lifecycle(m, LIFECYCLE)),
      ]
    case 'add':
    case 'a':
      if (dry) return []
      if (flagged(parsed, '-g')) return packagesAdded(m, words, true)
      return [...packagesAdded(m, words, false), ...(yield* lockEdits(m, 'lock', { manifests: lock, lock, selection }))]
    case 'remove':
    case 'rm':
    case 'update':
      if (dry || flagged(parsed, '-g') || (verb !== 'update' && words.length === 0)) return []
      return yield* lockEdits(m, 'lock', { manifests: true, lock, selection })
    case 'pm':
      if (sub === 'pack') return yield* publishScripts(m, 'prepack prepare postpack')
      if (sub === 'trust') return yield* lockEdits(m, 'lock', { manifests: true, lock, selection })
      return sub === 'version' || sub === 'pkg' ? yield* lockEdits(m, 'lock', { manifests: true, lock: false }) : []
    case 'publish':
      return yield* publish(m, words[0], dry, 'prepublishOnly prepack prepare postpack publish postpublish')
    case 'upgrade':
      return [{ do: 'other', act: 'install', service: 'bun', what: said, local: true }]
    case 'init':
      return [{ do: 'path', act: 'create', at: fileOf(m, m.dir, 'package.json') }]
    default:
      return MANAGES.has(verb) ? [] : yield* scriptOrProgram(m, [word(call, verb), ...words], selection)
  }
}

const BUNX = specify('-p|--package: -b|--bun --verbose --silent --no-install -h|--help -v|--version')

export const bunx: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(BUNX, call.args, { stop: true })
  if (flagged(parsed, '-h', '-v')) return []
  const m = managerOf(call, 'bun', parsed, undefined)
  return yield* execute(m, parsed.operands, {
    packages: parsed.values.get('-p') ?? [],
    fetches: !flagged(parsed, '--no-install'),
  })
}
