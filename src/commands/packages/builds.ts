/** Build tools and runners that need more than a row: go, cargo, cmake, Maven, Gradle, composer, uvx. */
import type { Asking } from '../../core/question.ts'
import { type Arg, concat, exact, textOf } from '../../core/value.ts'
import { flavourOf, join } from '../../paths/lexical.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { FORMATTERS } from './formatters.ts'
import { dirOf, flagged, last, unreadScript, withArgs, word } from './js.ts'
import { applyKeeper, type Keeper } from './keeper.ts'
import { LANGUAGES, RUNNER_VERBS } from './languages.ts'
import { fileText } from './project.ts'
import { PYTHON_TOOLS } from './python-tools.ts'

const keeperOf = (name: string): Keeper =>
  [...LANGUAGES, ...RUNNER_VERBS].find(({ names }) => names.split(' ').includes(name))!

/** `go run FILE`, `go build -toolexec PROGRAM`, `go generate`: the rest are verbs. */
const go: Reader = function* (call) {
  const keeper = keeperOf('go')
  const parsed = parseArgs(specify(keeper.options), call.args, { single: true, stop: true })
  const inner = parseArgs(specify(keeper.options), parsed.operands.slice(1), { single: true, stop: true })
  const verb = textOf(parsed.operands[0]?.value)
  const wrap = [
    ...(inner.values.get('-toolexec') ?? []),
    ...(inner.values.get('-vettool') ?? []),
    ...(verb === 'run' || verb === 'test' ? (inner.values.get('-exec') ?? []) : []),
  ]
  const before = wrap.map((arg): Doing => ({ do: 'code', language: 'sh', text: arg.value }))
  if (verb !== 'run') return [...before, ...(yield* applyKeeper(keeper, call))]
  const [path, ...args] = inner.operands
  const text = textOf(path?.value)
  if (path === undefined) return before
  if (text !== undefined && /^[\w-]+(?:\.[\w-]+)+\/[^@]*@/.test(text))
    return [...before, { do: 'other', act: 'run-remote', service: 'go', what: text, note: 'package' }]
  return text?.endsWith('.go') ? [...before, { do: 'script', path, args }] : before
}

/** `cargo watch -x VERB -s TEXT`, `cargo +nightly …`: the rest are verbs. */
const cargo: Reader = function* (call) {
  const keeper = keeperOf('cargo')
  const args = call.args.filter((arg) => !/^\+/.test(textOf(arg.value) ?? ''))
  if (textOf(args[0]?.value) !== 'watch') return [...configured(args), ...(yield* applyKeeper(keeper, call))]
  const parsed = parseArgs(
    specify('-x|--exec: -s|--shell: -w|--watch: -i|--ignore: -d|--delay: -c -q --why --postpone --no-gitignore'),
    args.slice(1),
    { stop: true },
  )
  return [
    ...(parsed.values.get('-x') ?? []).map(
      (arg): Doing => ({ do: 'code', language: 'sh', text: concat(exact('cargo '), arg.value) }),
    ),
    ...(parsed.values.get('-s') ?? []).map((arg): Doing => ({ do: 'code', language: 'sh', text: arg.value })),
    ...(parsed.operands.length > 0 ? [{ do: 'run', argv: parsed.operands } satisfies Doing] : []),
  ]
}

/** Settings of cargo that name a program: `build.rustc-wrapper="x"`, `target.T.runner=["x","y"]`, `alias.b="!x"`. */
const CARGO_RUNS =
  /^\s*(?:(?:build|doc)\.(?:rustc|rustdoc|rustc-wrapper|rustc-workspace-wrapper|browser)|target\..+\.(?:runner|linker)|alias\.[\w-]+|registr(?:y|ies)\..*credential-provider)\s*=\s*(.*)$/s

function configured(args: readonly Arg[]): readonly Doing[] {
  const values = parseArgs(specify('--config:'), args).values.get('--config') ?? []
  return values.flatMap((arg): readonly Doing[] => {
    const value = CARGO_RUNS.exec(textOf(arg.value) ?? '')?.[1]
    if (value === undefined) return []
    const text = value
      .replace(/["'[\],]+/g, ' ')
      .trim()
      .replace(/^!/, '')
    return [{ do: 'code', language: 'sh', text: exact(text), label: 'cargo --config', when: 'branch' }]
  })
}

/** `cmake -E VERB …` is a small set of portable file commands; `cmake -P FILE` runs a script in its own language. */
const cmake: Reader = function* (call) {
  const first = textOf(call.args[0]?.value)
  const [verb, ...args] = call.args.slice(1)
  if (first === '-E') return portable(textOf(verb?.value) ?? '', args)
  const parsed = parseArgs(
    specify(
      '-S: -B: -G: -D: -P:run -C: --preset: --build: --install: --target|-t: -j: --config: --prefix: --toolchain: -A: -T: -L -N --fresh',
    ),
    call.args,
  )
  return (parsed.values.get('-P') ?? []).map((at): Doing => ({ do: 'path', act: 'run', at }))
}

function portable(verb: string, args: readonly Arg[]): readonly Doing[] {
  const parsed = parseArgs(specify('-f -r -R -t:'), args, {
    stop: verb === 'env' || verb === 'time' || verb === 'chdir',
  })
  const operands = parsed.operands
  const path = (act: 'delete' | 'create' | 'read', tree: boolean): readonly Doing[] =>
    operands.map((at) => ({ do: 'path', act, at, ...(tree ? { tree } : {}) }))
  switch (verb) {
    case 'rm':
      return path('delete', flagged(parsed, '-r', '-R'))
    case 'remove':
      return path('delete', false)
    case 'remove_directory':
      return path('delete', true)
    case 'touch':
    case 'touch_nocreate':
    case 'make_directory':
      return path('create', false)
    case 'cat':
      return path('read', false)
    case 'copy':
    case 'copy_if_different':
    case 'copy_directory':
    case 'copy_directory_if_different': {
      const to = last(parsed, '-t') ?? operands.at(-1)
      const from = flagged(parsed, '-t') ? operands : operands.slice(0, -1)
      const tree = verb.includes('directory')
      return to === undefined || from.length === 0
        ? []
        : [{ do: 'copy', from, to, tree, into: tree ? 'no' : from.length > 1 ? 'yes' : 'maybe' }]
    }
    case 'rename':
      return operands.length === 2 ? [{ do: 'move', from: [operands[0]!], to: operands[1]!, into: 'no' }] : []
    case 'create_symlink':
    case 'create_hardlink':
      return operands.length === 2
        ? [
            {
              do: 'link',
              from: [operands[0]!],
              to: operands[1]!,
              symbolic: verb === 'create_symlink',
              force: true,
              into: 'no',
            },
          ]
        : []
    case 'env': {
      const start = args.findIndex((arg) => !/^(?:--?\w.*|[A-Za-z_]\w*=.*)$/s.test(textOf(arg.value) ?? 'x'))
      return start < 0 ? [] : [{ do: 'run', argv: args.slice(start) }]
    }
    case 'time':
      return args.length > 0 ? [{ do: 'run', argv: args }] : []
    case 'chdir':
      return args.length > 1 ? [{ do: 'run', argv: args.slice(1), cwd: args[0]! }] : []
    default:
      return []
  }
}

const MAVEN = specify(
  '-f|--file: -pl|--projects: -P|--activate-profiles: -D: -T|--threads: -s|--settings: -l|--log-file:write -am -amd -o|--offline -q -B -U -e -X -N -fae -ff -fn -rf: -h|--help -v|--version',
)
const GRADLE = specify(
  '-p|--project-dir: -b|--build-file: -c|--settings-file: -I|--init-script:run -g|--gradle-user-home: -x|--exclude-task: -P: -D: --tests: -m|--dry-run -q -i -s -S --console: --max-workers: -t -h|--help -v|--version --include-build: --configuration: --dependency:',
)

/** Goals of Maven, tasks of Gradle, targets of sbt and Leiningen: cleaning, publishing, dropping. */
const jvm: Reader = function* (call): Asking<readonly Doing[]> {
  const maven = call.base.startsWith('mvn')
  const parsed = parseArgs(maven ? MAVEN : GRADLE, call.args, maven ? { single: true } : {})
  if (flagged(parsed, '-h', '-v', '-m')) return []
  const excluded = new Set((parsed.values.get('-x') ?? []).map((arg) => textOf(arg.value)))
  const file = maven ? textOf(last(parsed, '-f')?.value) : undefined
  const given = maven
    ? file === undefined
      ? undefined
      : word(call, file.replace(/[^/]*\.xml$/, '') || '.')
    : last(parsed, '-p')
  const dir = dirOf(call, given)
  const out: Doing[] = (parsed.values.get('-I') ?? []).map((at) => ({ do: 'path', act: 'run', at }))
  for (const arg of parsed.operands) {
    const goal = textOf(arg.value)
    if (goal === undefined || excluded.has(goal)) continue
    const task = goal.slice(goal.lastIndexOf(':') + 1)
    const folder = maven ? 'target' : 'build'
    if (goal === 'clean' || (!maven && task === 'clean'))
      out.push({
        do: 'path',
        act: 'delete',
        at: word(call, dir === undefined || dir === call.cwd ? folder : join(dir, folder, flavourOf(call.platform))),
        tree: true,
      })
    else if (
      /^(?:deploy|release:perform|deploy:deploy(?:-file)?|publish(?!.*ToMavenLocal|Local)\w*|uploadArchives|release|closeAndRelease\w*|ci-release|publishSigned)$/.test(
        goal.startsWith(':') ? task : goal,
      )
    )
      out.push({ do: 'other', act: 'publish', service: call.base, what: goal, note: 'release' })
    else if (/^(?:flyway:clean|liquibase:dropAll|flywayClean|dropAll|hibernate:drop)$/.test(goal))
      out.push({ do: 'other', act: 'destroy', service: call.base, what: goal, local: true })
  }
  return out
}

const COMPOSER: Keeper = {
  names: 'composer',
  options:
    '-d|--working-dir: -n -q -v --dev --no-dev --no-scripts --no-plugins --no-update --dry-run --repository: --prefer-dist --timeout: -W -w --with: -g|--global',
  dry: '--dry-run',
  dir: '-d',
  locks: 'composer.lock',
  manifests: 'composer.json',
  verbs: [
    { words: 'global require|update|install', does: 'local', why: 'programs of the user' },
    { words: 'global remove', does: 'uninstall', why: 'programs of the user' },
    { words: 'install|i', does: 'lock-maybe', why: 'the lock file may change' },
    { words: 'require|r', does: 'install lock manifest', why: 'dependencies change' },
    { words: 'remove|rm', does: 'lock manifest', why: 'dependencies change' },
    { words: 'update|u|upgrade|bump', does: 'lock', why: 'versions change' },
    { words: 'config', does: 'setting', flags: '-g', why: 'where packages come from' },
    { words: 'config', does: 'manifest', why: 'settings of the project' },
  ],
}

const COMPOSER_VERBS = new Set(
  'about archive audit browse bump check-platform-reqs clear-cache config create-project depends diagnose dump-autoload dumpautoload exec fund global help home init install i licenses list outdated prohibits reinstall remove rm require r run run-script search self-update selfupdate show info status suggests update u upgrade validate why why-not'.split(
    ' ',
  ),
)
/** Scripts of `composer.json` that call each other. */
const MOST_SCRIPTS = 32

/** `composer run NAME`, `composer NAME`, and the scripts that installing runs. */
const composer: Reader = function* (call) {
  const parsed = parseArgs(specify(COMPOSER.options), call.args)
  const [verb, ...rest] = parsed.operands
  const name = textOf(verb?.value)
  if (name === undefined) return verb ? [unreadScript({ call, dir: call.cwd }, 'composer with an unknown verb')] : []
  const dir = dirOf(call, last(parsed, '-d'))
  if (name === 'run' || name === 'run-script') {
    const script = textOf(rest[0]?.value)
    return script === undefined ? [] : yield* composerScripts(call, dir, [script], rest.slice(1))
  }
  if (name === 'exec') return rest.length > 0 ? [{ do: 'run', argv: rest }] : []
  const own = yield* applyKeeper(COMPOSER, call)
  const hooks = /^(?:install|i|update|u|require|r|remove|rm)$/.test(name)
    ? 'install'
    : /^dump-?autoload$/.test(name)
      ? 'dump'
      : undefined
  if (!COMPOSER_VERBS.has(name)) return yield* composerScripts(call, dir, [name], rest)
  if (hooks === undefined || flagged(parsed, '--no-scripts', '--dry-run')) return own
  const events =
    hooks === 'dump'
      ? ['pre-autoload-dump', 'post-autoload-dump']
      : [
          'pre-install-cmd',
          'pre-update-cmd',
          'pre-autoload-dump',
          'post-autoload-dump',
          'post-install-cmd',
          'post-update-cmd',
        ]
  return [...own, ...(yield* composerScripts(call, dir, events, []))]
}

function* composerScripts(
  call: Invocation,
  dir: string | undefined,
  names: readonly string[],
  args: readonly Arg[],
): Asking<readonly Doing[]> {
  const place = { call, dir }
  if (dir === undefined) return [unreadScript(place, 'a script of composer.json')]
  const found = yield* fileText(join(dir, 'composer.json', flavourOf(call.platform)))
  if (found === 'unknown') return [unreadScript(place, 'a script of composer.json')]
  if (typeof found === 'string') return []
  let scripts: Readonly<Record<string, unknown>>
  try {
    scripts = (JSON.parse(found.text) as { scripts?: Record<string, unknown> } | null)?.scripts ?? {}
  } catch {
    return []
  }
  const cwd = dir === call.cwd ? {} : { cwd: word(call, dir) }
  const seen = new Set<string>()
  const out: Doing[] = []
  const visit = (name: string, more: readonly Arg[]): void => {
    if (seen.has(name) || seen.size > MOST_SCRIPTS || !Object.hasOwn(scripts, name)) return
    seen.add(name)
    const value = scripts[name]
    for (const line of Array.isArray(value) ? value : [value]) {
      if (typeof line !== 'string') continue
      const inner = /^@(?:(php|composer|putenv)\s+)?(.*)$/s.exec(line)
      if (inner?.[1] === 'putenv' || /^[\w\\]+::\w+$/.test(line)) continue
      if (inner && inner[1] === undefined) visit(inner[2]!.split(/\s/)[0]!, more)
      else
        out.push({
          do: 'code',
          language: 'sh',
          ...withArgs(inner ? `${inner[1]} ${inner[2]}` : line, more),
          label: `composer.json scripts.${name}`,
          ...cwd,
        })
    }
  }
  for (const name of names) visit(name, args)
  return out
}

const PYTHON_PROGRAMS = new Set([
  ...[...PYTHON_TOOLS, ...FORMATTERS].flatMap(({ names }) => names.split(' ')),
  ...'pip uv poetry pdm hatch pipx twine build httpie yt-dlp alembic aws ansible pre-commit coverage ipython jupyter httpx cookiecutter ansible-core awscli'.split(
    ' ',
  ),
])

const UVX = specify(
  '-p|--python: --from: --with: --with-editable: --with-requirements:read --index: --index-url|-i: --extra-index-url: --spec: --pip-args: --suffix: --env-file:read -q|--quiet -v|--verbose -U|--upgrade --isolated --offline --no-cache -h|--help -V|--version',
)

/** `uvx TOOL`, `uv tool run TOOL`, `pipx run TOOL`: fetched for this call, unless it is a well-known tool. */
export function runTool(call: Invocation, args: readonly Arg[]): readonly Doing[] {
  const parsed = parseArgs(UVX, args, { stop: true })
  if (flagged(parsed, '-h', '-V')) return []
  const [program, ...rest] = parsed.operands
  if (program === undefined) return []
  const from = last(parsed, '--from') ?? last(parsed, '--spec') ?? program
  const text = textOf(from.value)
  if (text === undefined) return [{ do: 'run', argv: parsed.operands }]
  const address = /^(?:git\+|https?:|git@|ssh:)/.test(text) || /@\s*(?:git\+|https?:)/.test(text)
  if (/^[./~]/.test(text)) return [{ do: 'run', argv: parsed.operands }]
  const name = text
    .replace(/(?:\[.*?\])?(?:[@=<>!~].*)?$/s, '')
    .trim()
    .toLowerCase()
  if (address || !PYTHON_PROGRAMS.has(name))
    return [{ do: 'other', act: 'run-remote', service: call.base, what: text, ...(address ? {} : { note: 'package' }) }]
  const bare = textOf(program.value)?.replace(/@.*$/s, '')
  return [
    { do: 'run', argv: [bare === undefined || bare === textOf(program.value) ? program : word(call, bare), ...rest] },
  ]
}

const uvx: Reader = function* (call) {
  return runTool(call, call.args)
}

const pipx: Reader = function* (call) {
  if (textOf(call.args[0]?.value) === 'run') return runTool(call, call.args.slice(1))
  return yield* applyKeeper(keeperOf('pipx'), call)
}

/** The verbs of `uv` beside `uv run`. */
export const uvVerbs: Reader = function* (call) {
  const words = call.args.map((arg) => textOf(arg.value))
  const at = words.indexOf('tool')
  if (at >= 0 && words[at + 1] === 'run') return runTool(call, call.args.slice(at + 2))
  return yield* applyKeeper(keeperOf('uv'), call)
}

/** The verbs of a runner (`poetry`, `bundle` …) beside `run` and `exec`; undefined where it has none. */
export function runnerVerbs(names: string): Reader | undefined {
  const keeper = RUNNER_VERBS.find((one) => one.names === names)
  return keeper === undefined
    ? undefined
    : function* (call) {
        return yield* applyKeeper(keeper, call)
      }
}

/** Readers by names. */
export const BUILDS: Readonly<Record<string, Reader>> = {
  go,
  cargo,
  cmake,
  'mvn mvnw gradle gradlew sbt lein': jvm,
  composer,
  uvx,
  pipx,
}
