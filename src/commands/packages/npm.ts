/** npm and npx. */
import type { Asking } from '../../core/question.ts'
import { type Arg, exact, showValue, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { type Parsed, parseArgs, specify } from '../options.ts'
import { execute, packagesFor, starterOf } from './exec.ts'
import { lifecycle, lockEdits, packagesAdded, publish, publishScripts, removed } from './install.ts'
import {
  cycle,
  dirOf,
  fileOf,
  flagged,
  joinTexts,
  last,
  type Manager,
  managerOf,
  projectOf,
  runScript,
  type Selection,
  unreadScript,
  word,
} from './js.ts'
import { manifestSet } from './manifest.ts'
import { setting, settings } from './settings.ts'

const NPM = specify(
  '-C|--prefix: -w|--workspace: --workspaces --include-workspace-root -g|--global --location: --ignore-scripts --if-present --script-shell: --node-options: --dry-run -y|--yes --no -p|--package: -c|--call: --package-lock-only --no-package-lock --package-lock --no-save -S|--save -D|--save-dev -O|--save-optional -E|--save-exact -P|--save-prod -B|--save-bundle -f|--force -s|--silent -q|--quiet -d --loglevel: --registry: --userconfig: --globalconfig: --cache: --tag: --otp: --access: --omit: --include: --depth: --json --long --install-strategy: --cpu: --os: --libc: --before: -m|--message: --no-git-tag-version --git-tag-version --preid: --scope: --auth-type: --only: -h|--help -v|--version',
)

const ALIASES: Readonly<Record<string, string>> = Object.fromEntries(
  [
    'install i in ins inst insta instal isnt isnta isntal isntall add',
    'ci clean-install ic install-clean isntall-clean',
    'uninstall unlink remove rm r un',
    'update up upgrade udpate',
    'run run-script rum urn',
    'test tst t',
    'dedupe ddp',
    'install-test it',
    'install-ci-test cit clean-install-test',
    'link ln',
    'rebuild rb',
    'config c',
    'owner author',
    'login adduser add-user',
    'exec x',
    'init create innit',
    'dist-tag dist-tags',
    'version verison',
  ].flatMap((line) => line.split(' ').map((name) => [name, line.split(' ')[0]!])),
)

/** Verbs that only look. */
const LOOKS = new Set(
  'view info show v ls list la ll outdated search s se find whoami explain why doctor ping root prefix bin query fund repo docs home bugs issues completion help help-search sbom diff star stars cache get undefined'.split(
    ' ',
  ),
)

const INSTALL = 'preinstall install postinstall prepublish preprepare prepare postprepare'
const PUBLISH = 'prepublishOnly prepack prepare postpack'

/** Words that npm takes as short for two: `-ws` is no bundle. */
const unfold = (args: readonly Arg[]): readonly Arg[] =>
  args.map((arg) => {
    const text = textOf(arg.value)
    const long = text === '-ws' ? '--workspaces' : text === '-iwr' ? '--include-workspace-root' : undefined
    return long === undefined ? arg : { ...arg, value: exact(long) }
  })

function selectionOf(parsed: Parsed): Selection | undefined {
  const named = parsed.values.get('-w')
  const root = flagged(parsed, '--include-workspace-root')
  if (named !== undefined) return { names: named.map((arg) => arg.value), root }
  return flagged(parsed, '--workspaces') ? { names: undefined, root } : undefined
}

export const npm: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(NPM, unfold(call.args))
  const options = last(parsed, '--node-options')
  if (options !== undefined && !call.env.has('NODE_OPTIONS')) return [withNodeOptions(call, options)]
  const [verb, ...words] = parsed.operands
  if (verb === undefined || flagged(parsed, '-h', '-v')) return execText(parsed)
  const m = managerOf(call, 'npm', parsed, last(parsed, '-C'))
  const name = textOf(verb.value)
  if (name === undefined) return [unreadScript(m, `npm ${showValue(verb.value)}`)]
  return yield* perform(m, ALIASES[name] ?? name, words)
}

const execText = (parsed: Parsed): readonly Doing[] =>
  flagged(parsed, '-h', '-v')
    ? []
    : (parsed.values.get('-c') ?? []).map((arg) => ({ do: 'code', language: 'sh', text: arg.value }))

/** `npm --node-options=X run y` is `NODE_OPTIONS=X npm run y`. */
function withNodeOptions(call: Invocation, options: Arg): Doing {
  const set = new Map([...call.env, ['NODE_OPTIONS', options.value] as const])
  return { do: 'run', argv: [call.command, ...call.args], set }
}

function* perform(m: Manager, verb: string, words: readonly Arg[]): Asking<readonly Doing[]> {
  const { parsed, call } = m
  const selection = selectionOf(parsed)
  const global = flagged(parsed, '-g') || textOf(last(parsed, '--location')?.value) === 'global'
  const dry = flagged(parsed, '--dry-run')
  const lock =
    !flagged(parsed, '--no-package-lock', '--no-save') && textOf(last(parsed, '--package-lock')?.value) !== 'false'
  const run = (script: string, args = words) => runScript(m, word(call, script), args, selection)
  if (LOOKS.has(verb)) return []
  switch (verb) {
    case 'run':
      return words[0] === undefined ? [] : yield* runScript(m, words[0], words.slice(1), selection)
    case 'test':
    case 'stop':
      return yield* run(verb)
    case 'start':
      return yield* start(m, words, selection)
    case 'restart': {
      const own = yield* run('restart')
      return own.length > 0 ? own : [...(yield* run('stop')), ...(yield* start(m, words, selection))]
    }
    case 'install-test':
      return [...(yield* perform(m, 'install', words)), ...(yield* run('test', []))]
    case 'install-ci-test':
      return [...(yield* perform(m, 'ci', [])), ...(yield* run('test', []))]
    case 'install':
      if (dry) return []
      if (global) return packagesAdded(m, words, true)
      if (words.length === 0)
        return [
          ...(yield* lockEdits(m, 'lock-maybe', { manifests: false, lock })),
          ...(flagged(parsed, '--package-lock-only') ? [] : yield* lifecycle(m, INSTALL)),
        ]
      return [
        ...packagesAdded(m, words, false),
        ...(yield* lockEdits(m, 'lock', { manifests: !flagged(parsed, '--no-save'), lock, selection })),
      ]
    case 'ci':
      return dry ? [] : yield* lifecycle(m, INSTALL)
    case 'uninstall':
      if (global && !dry) return removed('npm', words)
      if (dry || words.length === 0) return []
      return yield* lockEdits(m, 'lock', { manifests: !flagged(parsed, '--no-save'), lock, selection })
    case 'update':
    case 'dedupe':
      if (dry || global) return []
      return yield* lockEdits(m, 'lock', { manifests: flagged(parsed, '-S'), lock, selection })
    case 'shrinkwrap':
      return [{ do: 'path', act: 'edit', at: fileOf(m, m.dir, 'npm-shrinkwrap.json'), note: 'lock' }]
    case 'audit':
      if (textOf(words[0]?.value) !== 'fix' || dry) return []
      return yield* lockEdits(m, 'lock', { manifests: true, lock, selection })
    case 'link':
      return words.length === 0 ? [] : packagesAdded(m, words, false)
    case 'rebuild':
      return yield* lifecycle(m, 'preinstall install postinstall prepare')
    case 'pkg':
      if (!/^(?:set|delete|fix)$/.test(textOf(words[0]?.value) ?? '')) return []
      if (textOf(words[0]!.value) === 'set' && selection === undefined) {
        const set = yield* manifestSet(m, words.slice(1))
        if (set !== undefined) return [set]
      }
      return yield* lockEdits(m, 'lock', { manifests: true, lock: false, selection })
    case 'version':
      return yield* version(m, words, selection)
    case 'pack':
      return yield* publishScripts(m, 'prepack prepare postpack')
    case 'publish':
      return yield* publish(m, words[0], dry, PUBLISH)
    default:
      return yield* rest(m, verb, words)
  }
}

/** Without a script of that name npm runs `server.js`. */
function* start(m: Manager, words: readonly Arg[], selection: Selection | undefined): Asking<readonly Doing[]> {
  const own = yield* runScript(m, word(m.call, 'start'), words, selection)
  if (own.length > 0 || selection !== undefined) return own
  const project = yield* projectOf(m)
  if (typeof project === 'string') return []
  return [{ do: 'script', path: fileOf(m, project.dir, 'server.js'), language: 'javascript', args: words }]
}

/** A new version: scripts around it, the manifest, the lock file, a commit and a tag. */
export function* version(m: Manager, words: readonly Arg[], selection?: Selection): Asking<readonly Doing[]> {
  const to = words[0]
  if (to === undefined) return []
  const project = yield* projectOf(m)
  if (project === 'unknown') return [unreadScript(m, 'the version scripts of package.json')]
  const around = (name: string) => (typeof project === 'object' ? cycle(m, project, name) : [])
  const git =
    !flagged(m.parsed, '--no-git-tag-version') && textOf(last(m.parsed, '--git-tag-version')?.value) !== 'false'
  const at = m.dir === undefined || m.dir === m.call.cwd ? {} : { cwd: word(m.call, m.dir) }
  const argv = (text: string) => text.split(' ').map((part) => word(m.call, part))
  return [
    ...around('preversion'),
    ...(yield* lockEdits(m, 'lock', { manifests: true, lock: true, selection })),
    ...around('version'),
    ...(git ? [{ do: 'run', argv: [...argv('git commit -m'), to], ...at } satisfies Doing] : []),
    ...around('postversion'),
  ]
}

function* rest(m: Manager, verb: string, words: readonly Arg[]): Asking<readonly Doing[]> {
  const said = [verb, ...words.map((arg) => showValue(arg.value))].join(' ')
  const sub = textOf(words[0]?.value)
  const change: Doing = { do: 'other', act: 'change', service: 'npm', what: said }
  switch (verb) {
    case 'unpublish':
      return flagged(m.parsed, '--dry-run')
        ? []
        : [{ do: 'other', act: 'publish', service: 'npm', what: said, note: 'unpublish' }]
    case 'deprecate':
    case 'undeprecate':
    case 'login':
    case 'logout':
    case 'hook':
      return [change]
    case 'owner':
    case 'access':
    case 'team':
    case 'org':
    case 'token':
    case 'profile':
    case 'dist-tag':
    case 'trust':
      return sub === undefined || /^(?:ls|list|get|ls-packages|ls-collaborators)$/.test(sub) ? [] : [change]
    case 'set':
      return settings('npm', words)
    case 'config':
      return config(m, sub, words.slice(1))
    case 'exec':
      return yield* exec(m, words)
    case 'init': {
      const starter = textOf(words[0]?.value)
      if (words[0] === undefined) return [{ do: 'path', act: 'create', at: fileOf(m, m.dir, 'package.json') }]
      if (starter === undefined) return [unreadScript(m, 'a starter whose name is unknown')]
      return yield* execute(m, [word(m.call, starterOf(starter)), ...words.slice(1)], { packages: [], fetches: true })
    }
    case 'explore': {
      const dir = sub === undefined ? undefined : fileOf(m, m.dir, `node_modules/${sub}`)
      return words.length > 1
        ? [{ do: 'code', language: 'sh', text: joinTexts(words.slice(1)), ...(dir ? { cwd: dir } : {}) }]
        : []
    }
    default:
      return []
  }
}

function config(m: Manager, sub: string | undefined, words: readonly Arg[]): readonly Doing[] {
  const own: readonly Doing[] =
    textOf(last(m.parsed, '--location')?.value) === 'project'
      ? [{ do: 'path', act: 'edit', at: fileOf(m, m.dir, '.npmrc') }]
      : []
  if (sub === 'set') return [...settings('npm', words), ...own]
  if (sub === 'delete' || sub === 'rm') return [...words.flatMap((arg) => setting('npm', arg, undefined)), ...own]
  if (sub === 'edit') return [{ do: 'other', act: 'system', service: 'npm config', what: 'edit', note: 'setting' }]
  return []
}

/** `npm exec`: a text of `-c`, or a program and its arguments. */
function* exec(m: Manager, words: readonly Arg[]): Asking<readonly Doing[]> {
  const packages = m.parsed.values.get('-p') ?? []
  const text = last(m.parsed, '-c')
  const cwd = m.dir === undefined || m.dir === m.call.cwd ? {} : { cwd: word(m.call, m.dir) }
  if (text !== undefined)
    return [...(yield* packagesFor(m, packages)), { do: 'code', language: 'sh', text: text.value, ...cwd }]
  const fetches = !flagged(m.parsed, '--no') && textOf(last(m.parsed, '-y')?.value) !== 'false'
  return yield* execute(m, words, { packages, fetches })
}

const NPX = specify(
  '-C|--prefix: -w|--workspace: --workspaces -y|--yes --no|--no-install -p|--package: -c|--call: -q|--quiet -s|--silent --ignore-existing --always-spawn --prefer-offline --prefer-online --offline --cache: --userconfig: --registry: --shell: --shell-auto-fallback? -n|--node-arg: --node-options: --loglevel: --script-shell: -h|--help -v|--version',
)

export const npx: Reader = function* (call): Asking<readonly Doing[]> {
  const parsed = parseArgs(NPX, unfold(call.args), { stop: true })
  if (flagged(parsed, '-h', '-v')) return []
  const options = last(parsed, '--node-options')
  if (options !== undefined && !call.env.has('NODE_OPTIONS')) return [withNodeOptions(call, options)]
  const m: Manager = { ...managerOf(call, 'npm', parsed, last(parsed, '-C')), dir: dirOf(call, last(parsed, '-C')) }
  return yield* exec(m, parsed.operands)
}
