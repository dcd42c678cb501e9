/** pnpm. */
import type { Asking } from '../../core/question.ts'
import { type Arg, showValue, textOf } from '../../core/value.ts'
import type { Doing, Reader } from '../doing.ts'
import { specify } from '../options.ts'
import { execute, packagesFor, starterOf } from './exec.ts'
import { lifecycle, lockEdits, packagesAdded, publish, publishScripts, removed } from './install.ts'
import {
  fileOf,
  flagged,
  inEach,
  joinTexts,
  last,
  type Manager,
  managerOf,
  projectOf,
  runScript,
  type Selection,
  scriptOrProgram,
  splitCall,
  unreadScript,
  word,
} from './js.ts'
import { version } from './npm.ts'
import { rootOf } from './project.ts'
import { setting, settings } from './settings.ts'

const PNPM = specify(
  '-C|--dir: -r|--recursive -F|--filter: --filter-prod: -w|--workspace-root -g|--global -D|--save-dev -P|--prod -O|--save-optional -E|--save-exact -L|--latest -i|--interactive --frozen-lockfile --no-frozen-lockfile --no-lockfile --lockfile-only --fix-lockfile --ignore-scripts --if-present --package: -c|--shell-mode --dry-run -s|--silent --reporter: --stream --parallel --sequential --workspace-concurrency: --script-shell: --registry: --tag: --access: --otp: --publish-branch: --store-dir: --depth: --resume-from: --allow-build: --loglevel: --fix --location: --node-options: -h|--help -v|--version',
)

/** Verbs whose words are another program's. */
const STOPS = new Set('run run-script exec dlx create test t start stop restart'.split(' '))

const LOOKS = new Set(
  'list ls la ll why outdated licenses root bin view info show whoami ping help doctor cat-file cat-index find-hash store fetch server prefix docs home repo search recursive config-get ignored-builds completion setup-completion'.split(
    ' ',
  ),
)

const MANAGES = new Set(
  'add install i install-test it update up upgrade remove rm uninstall un link ln unlink import rebuild rb prune patch patch-commit patch-remove audit publish pack config c get set env setup self-update deploy dedupe init approve-builds login logout adduser owner access team token dist-tag deprecate unpublish version pkg stage cache'.split(
    ' ',
  ),
)

const stops = (verb: string): boolean => STOPS.has(verb) || !(LOOKS.has(verb) || MANAGES.has(verb))

function selectionOf(m: Manager): Selection | undefined {
  const names = [...(m.parsed.values.get('-F') ?? []), ...(m.parsed.values.get('--filter-prod') ?? [])]
  if (names.length > 0) return { names: names.map((arg) => arg.value), root: true }
  return flagged(m.parsed, '-r') ? { names: undefined, root: false } : undefined
}

export const pnpm: Reader = function* (call): Asking<readonly Doing[]> {
  const { verb, parsed, words } = splitCall(PNPM, call.args, stops)
  if (flagged(parsed, '-h', '-v') || verb === undefined) return []
  let m = managerOf(call, 'pnpm', parsed, last(parsed, '-C'))
  if (verb === '') return [unreadScript(m, 'pnpm with an unknown verb')]
  if (flagged(parsed, '-w')) {
    const project = yield* projectOf(m)
    if (typeof project === 'object') m = { ...m, dir: (yield* rootOf(project, m.flavour)).dir }
  }
  return yield* perform(m, verb, words, selectionOf(m))
}

function* perform(
  m: Manager,
  verb: string,
  words: readonly Arg[],
  selection: Selection | undefined,
): Asking<readonly Doing[]> {
  const { parsed, call } = m
  const global = flagged(parsed, '-g')
  const said = [verb, ...words.map((arg) => showValue(arg.value))].join(' ')
  const sub = textOf(words[0]?.value)
  const frozen = flagged(parsed, '--frozen-lockfile')
  const lock = !flagged(parsed, '--no-lockfile')
  if (LOOKS.has(verb)) return []
  switch (verb) {
    case 'run':
    case 'run-script':
      return yield* scriptOrProgram(m, words, selection)
    case 'test':
    case 't':
      return yield* runScript(m, word(call, 'test'), words, selection)
    case 'start':
    case 'stop':
    case 'restart':
      return yield* runScript(m, word(call, verb), words, selection)
    case 'exec':
      if (flagged(parsed, '-c')) return [{ do: 'code', language: 'sh', text: joinTexts(words) }]
      return yield* inEach(m, words, selection)
    case 'dlx': {
      const packages = parsed.values.get('--package') ?? []
      if (flagged(parsed, '-c'))
        return [...(yield* packagesFor(m, packages)), { do: 'code', language: 'sh', text: joinTexts(words) }]
      return yield* execute(m, words, { packages, fetches: true })
    }
    case 'create': {
      if (sub === undefined) return words.length === 0 ? [] : [unreadScript(m, 'a starter whose name is unknown')]
      return yield* execute(m, [word(call, starterOf(sub)), ...words.slice(1)], { packages: [], fetches: true })
    }
    case 'install':
    case 'i':
      if (global) return packagesAdded(m, words, true)
      if (words.length > 0) return yield* perform(m, 'add', words, selection)
      return [
        ...(yield* lockEdits(m, 'lock-maybe', { manifests: false, lock: lock && !frozen })),
        ...(flagged(parsed, '--lockfile-only') ? [] : yield* lifecycle(m, LIFECYCLE)),
      ]
    case 'install-test':
    case 'it':
      return [
        ...(yield* perform(m, 'install', [], selection)),
        ...(yield* runScript(m, word(call, 'test'), [], selection)),
      ]
    case 'add':
      if (global) return packagesAdded(m, words, true)
      return [...packagesAdded(m, words, false), ...(yield* lockEdits(m, 'lock', { manifests: true, lock, selection }))]
    case 'remove':
    case 'rm':
    case 'uninstall':
    case 'un':
      if (global) return removed('pnpm', words)
      return words.length === 0 ? [] : yield* lockEdits(m, 'lock', { manifests: true, lock, selection })
    case 'update':
    case 'up':
    case 'upgrade':
    case 'link':
    case 'ln':
      return global || words.length + (verb.startsWith('u') ? 1 : 0) === 0
        ? []
        : yield* lockEdits(m, 'lock', { manifests: true, lock, selection })
    case 'dedupe':
    case 'import':
      return flagged(parsed, '--check') ? [] : yield* lockEdits(m, 'lock', { manifests: false, lock })
    case 'audit':
      return flagged(parsed, '--fix') ? yield* lockEdits(m, 'lock', { manifests: true, lock }) : []
    case 'rebuild':
    case 'rb':
      return yield* lifecycle(m, LIFECYCLE)
    case 'version':
      return yield* version(m, words, selection)
    case 'publish':
      return yield* publish(
        m,
        words[0],
        flagged(parsed, '--dry-run'),
        'prepublishOnly prepack prepare postpack publish postpublish',
      )
    case 'pack':
      return yield* publishScripts(m, 'prepack prepare postpack')
    case 'unpublish':
      return [{ do: 'other', act: 'publish', service: 'npm', what: said, note: 'unpublish' }]
    case 'login':
    case 'logout':
    case 'adduser':
    case 'owner':
    case 'access':
    case 'team':
    case 'token':
    case 'dist-tag':
    case 'deprecate':
      return [{ do: 'other', act: 'change', service: 'npm', what: said }]
    case 'init':
      return [{ do: 'path', act: 'create', at: fileOf(m, m.dir, 'package.json') }]
    case 'set':
      return settings('pnpm', words)
    case 'config':
    case 'c':
      if (sub === 'set') return settings('pnpm', words.slice(1))
      return sub === 'delete' ? words.slice(1).flatMap((arg) => setting('pnpm', arg, undefined)) : []
    case 'setup':
      return [{ do: 'other', act: 'system', service: 'pnpm', what: 'the start files of the shell', note: 'setting' }]
    case 'self-update':
    case 'env':
      return sub === 'list' || sub === 'ls'
        ? []
        : [{ do: 'other', act: 'install', service: 'pnpm', what: said, local: true }]
    case 'deploy':
      return words.slice(0, 1).map((at): Doing => ({ do: 'path', act: 'create', at }))
    default:
      if (MANAGES.has(verb)) return []
      return yield* scriptOrProgram(m, [word(call, verb), ...words], selection)
  }
}

const LIFECYCLE = 'pnpm:devPreinstall preinstall install postinstall preprepare prepare postprepare'
