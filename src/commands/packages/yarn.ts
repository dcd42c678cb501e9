/** yarn, both the classic one and those from version 2 on. */
import type { Asking } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { specify } from '../options.ts'
import { execute, starterOf } from './exec.ts'
import { lifecycle, lockEdits, packagesAdded, publish, publishScripts } from './install.ts'
import {
  fileOf,
  flagged,
  inEach,
  last,
  type Manager,
  managerOf,
  projectOf,
  scriptOrProgram,
  selected,
  splitCall,
  unreadScript,
  word,
} from './js.ts'
import { version } from './npm.ts'
import { rootOf } from './project.ts'
import { setting, settings } from './settings.ts'

const YARN = specify(
  '--cwd: --frozen-lockfile --immutable --immutable-cache --no-lockfile --pure-lockfile --ignore-scripts -s|--silent --mode: -D|--dev -P|--peer -O|--optional -E|--exact -T|--tilde -C|--caret -W|--ignore-workspace-root-check --modules-folder: --cache-folder: --registry: --network-timeout: --json -A|--all -R|--recursive -p|--package: -q|--quiet --top-level -t --latest --new-version: --major --minor --patch --tag: --access: --otp: --include: --exclude: --from: -i|--interactive --since? -j|--jobs: --topological-dev --fix --check --dry-run --no-git-tag-version --script-shell: --if-present -h|--help -v|--version',
)

const STOPS = new Set('run exec dlx create workspace workspaces node'.split(' '))

const LOOKS = new Set(
  'why info list outdated audit licenses explain bin cache versions help search check check-integrity view ls completion'.split(
    ' ',
  ),
)

const MANAGES = new Set(
  'add install remove upgrade upgrade-interactive up global npm publish version config set policies plugin dedupe pack link unlink import rebuild constraints patch patch-commit unplug stage autoclean owner team tag login logout access init generate-lock-entry unpublish import-lock'.split(
    ' ',
  ),
)

const stops = (verb: string): boolean => STOPS.has(verb) || !(LOOKS.has(verb) || MANAGES.has(verb))

/** `yarn workspace a run yarn workspace b …`: deeper ones are no one's. */
const MOST_DEPTH = 6

export const yarn: Reader = function* (call): Asking<readonly Doing[]> {
  return yield* read(call, call.args, undefined, 0)
}

function* read(
  call: Parameters<Reader>[0],
  args: readonly Arg[],
  dir: string | undefined,
  depth: number,
): Asking<readonly Doing[]> {
  const { verb, parsed, words } = splitCall(YARN, args, stops)
  if (flagged(parsed, '-h', '-v')) return []
  const here = managerOf(call, 'yarn', parsed, last(parsed, '--cwd'))
  const m = dir === undefined ? here : { ...here, dir }
  if (verb === '' || depth > MOST_DEPTH) return [unreadScript(m, 'yarn with an unknown verb')]
  if (verb === 'workspace' || verb === 'workspaces') return yield* workspaces(m, verb, words, depth)
  if (!flagged(parsed, '--top-level', '-t')) return yield* perform(m, verb ?? 'install', words)
  const project = yield* projectOf(m)
  return yield* perform(
    typeof project === 'object' ? { ...m, dir: (yield* rootOf(project, m.flavour)).dir } : m,
    verb ?? 'install',
    words,
  )
}

/** `workspace NAME …`, `workspaces run …`, `workspaces foreach …`: the same call in other directories. */
function* workspaces(m: Manager, verb: string, words: readonly Arg[], depth: number): Asking<readonly Doing[]> {
  const sub = textOf(words[0]?.value)
  const each = verb === 'workspaces'
  if (each && sub !== 'run' && sub !== 'foreach') return sub === 'focus' ? yield* perform(m, 'install', []) : []
  const inner = each && sub === 'foreach' ? splitCall(YARN, words.slice(1), () => true) : undefined
  const rest = inner === undefined ? words.slice(each ? 0 : 1) : [word(m.call, inner.verb ?? 'install'), ...inner.words]
  const names = each ? inner?.parsed.values.get('--include')?.map((arg) => arg.value) : words[0] ? [words[0].value] : []
  const chosen = yield* selected(m, { names, root: inner !== undefined })
  if (chosen === 'absent') return []
  if (chosen === 'unknown') return [unreadScript(m, 'a script of workspaces that could not be listed')]
  const out: Doing[] = []
  for (const { dir } of chosen) out.push(...(yield* read(m.call, rest, dir, depth + 1)))
  return out
}

const LIFECYCLE = 'preinstall install postinstall prepublish preprepare prepare postprepare'

function* perform(m: Manager, verb: string, words: readonly Arg[]): Asking<readonly Doing[]> {
  const { parsed, call } = m
  const said = [verb, ...words.map((arg) => showValue(arg.value))].join(' ')
  const sub = textOf(words[0]?.value)
  const lock = !flagged(parsed, '--no-lockfile', '--pure-lockfile')
  if (LOOKS.has(verb)) return []
  switch (verb) {
    case 'run':
      return yield* scriptOrProgram(m, words, undefined)
    case 'node':
      return yield* inEach(m, [word(call, 'node'), ...words], undefined)
    case 'exec':
      return words.length === 1 && /\s/.test(sub ?? '')
        ? [{ do: 'code', language: 'sh', text: words[0]!.value }]
        : yield* inEach(m, words, undefined)
    case 'dlx':
      return yield* execute(m, words, { packages: parsed.values.get('-p') ?? [], fetches: true })
    case 'create':
      if (sub === undefined) return words.length === 0 ? [] : [unreadScript(m, 'a starter whose name is unknown')]
      return yield* execute(m, [word(call, starterOf(sub)), ...words.slice(1)], { packages: [], fetches: true })
    case 'install':
      return [
        ...(yield* lockEdits(m, 'lock-maybe', {
          manifests: false,
          lock: lock && !flagged(parsed, '--frozen-lockfile', '--immutable'),
        })),
        ...(textOf(last(parsed, '--mode')?.value) === undefined ? yield* lifecycle(m, LIFECYCLE) : []),
      ]
    case 'add':
      return [
        ...packagesAdded(m, words, false),
        ...(yield* lockEdits(m, 'lock', { manifests: true, lock })),
        ...(yield* lifecycle(m, LIFECYCLE)),
      ]
    case 'global':
      return sub === 'add' ? packagesAdded(m, words.slice(1), true) : []
    case 'remove':
      return words.length === 0 ? [] : yield* lockEdits(m, 'lock', { manifests: true, lock })
    case 'upgrade':
    case 'upgrade-interactive':
    case 'up':
    case 'link':
      if (verb === 'link' && words.length === 0) return []
      return yield* lockEdits(m, 'lock', { manifests: true, lock })
    case 'dedupe':
    case 'import':
      return flagged(parsed, '--check') ? [] : yield* lockEdits(m, 'lock', { manifests: false, lock })
    case 'constraints':
      return flagged(parsed, '--fix') ? yield* lockEdits(m, 'lock', { manifests: true, lock }) : []
    case 'rebuild':
      return yield* lifecycle(m, LIFECYCLE)
    case 'version': {
      const to =
        words[0] ??
        last(parsed, '--new-version') ??
        (flagged(parsed, '--major', '--minor', '--patch') ? word(call, 'next') : undefined)
      return to === undefined ? [] : yield* version(m, [to])
    }
    case 'publish':
      return yield* publish(m, words[0], flagged(parsed, '--dry-run'), PUBLISH)
    case 'pack':
      return yield* publishScripts(m, 'prepack prepare postpack')
    case 'npm':
      if (sub === 'publish') return yield* publish(m, undefined, flagged(parsed, '--dry-run', '-n'), PUBLISH)
      return /^(?:login|logout|tag)$/.test(sub ?? '') && textOf(words[1]?.value) !== 'list'
        ? [{ do: 'other', act: 'change', service: 'npm', what: said }]
        : []
    case 'unpublish':
      return [{ do: 'other', act: 'publish', service: 'npm', what: said, note: 'unpublish' }]
    case 'owner':
    case 'team':
    case 'tag':
    case 'access':
    case 'login':
    case 'logout':
      return /^(?:ls|list)$/.test(sub ?? '') ? [] : [{ do: 'other', act: 'change', service: 'npm', what: said }]
    case 'config':
      if (sub === 'set') return settings('yarn', words.slice(1))
      return sub === 'delete' || sub === 'unset' ? words.slice(1).flatMap((arg) => setting('yarn', arg, undefined)) : []
    case 'set':
    case 'policies':
      return [
        { do: 'other', act: 'install', service: 'yarn', what: said },
        { do: 'path', act: 'edit', at: fileOf(m, m.dir, verb === 'set' ? '.yarnrc.yml' : '.yarnrc') },
      ]
    case 'plugin': {
      if (sub !== 'import') return []
      const from = words[1]
      const address = /^https?:/.test(textOf(from?.value) ?? '')
      return [
        { do: 'other', act: 'install', service: 'yarn', what: said, ...(address ? { note: 'remote' } : {}) },
        { do: 'path', act: 'edit', at: fileOf(m, m.dir, '.yarnrc.yml') },
      ]
    }
    case 'init':
      return [{ do: 'path', act: 'create', at: fileOf(m, m.dir, 'package.json') }]
    default:
      return MANAGES.has(verb) ? [] : yield* scriptOrProgram(m, [word(call, verb), ...words], undefined)
  }
}

const PUBLISH = 'prepublish prepare prepublishOnly prepack postpack publish postpublish'
