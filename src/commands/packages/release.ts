/** Tools with verbs around a project: databases of development, task runners of workspaces, releases. */
import { type Asking, ask } from '../../core/question.ts'
import { type Arg, exact, showValue, textOf } from '../../core/value.ts'
import type { Doing, Invocation, Reader } from '../doing.ts'
import { parseArgs, specify } from '../options.ts'
import { isDevelopment } from '../sql.ts'
import { applyVerbs, type VerbProgram, verbReader } from '../verbs.ts'
import { flagged, managerOf, runScript, splitCall, word } from './js.ts'

const DATABASE: readonly VerbProgram[] = [
  {
    names: 'prisma',
    options:
      '--schema: --name|-n: --url: --file:read --to-schema-datamodel: --from-url: --to-url: -f|--force --force-reset --accept-data-loss --skip-seed --create-only',
    verbs: [
      {
        words: 'migrate reset',
        act: 'destroy',
        local: true,
        safer: 'prisma migrate deploy, which applies what is missing',
        why: 'drops the database and makes it anew',
      },
      {
        words: 'db push',
        act: 'destroy',
        local: true,
        flags: '--force-reset --accept-data-loss',
        safer: 'prisma migrate diff, then a migration',
        why: 'drops what does not fit',
      },
      { words: 'migrate deploy|resolve', act: 'change', why: 'applies migrations to a shared database' },
      { words: 'db execute', act: 'change', local: true, why: 'runs SQL' },
    ],
  },
  {
    names: 'drizzle-kit',
    options: '--config: --schema: --out: --dialect: --url: --force',
    verbs: [
      { words: 'drop', act: 'change', local: true, why: 'removes a migration file' },
      { words: 'push', act: 'destroy', local: true, flags: '--force', why: 'accepts the loss of data' },
    ],
  },
  {
    names: 'knex',
    options: '--knexfile: --env: --cwd: --esm --client: --connection: --all',
    verbs: [
      { words: 'migrate:rollback|migrate:down', act: 'destroy', local: true, why: 'drops what a migration made' },
    ],
  },
  {
    names: 'sequelize sequelize-cli',
    options: '--env: --config: --url: --to: --name: --migrations-path: --models-path:',
    verbs: [
      {
        words: 'db:drop|db:migrate:undo*|db:seed:undo*',
        act: 'destroy',
        local: true,
        why: 'drops data of development',
      },
    ],
  },
  {
    names: 'typeorm typeorm-ts-node-commonjs typeorm-ts-node-esm mikro-orm',
    options: '-d|--dataSource: --config: --fk:',
    verbs: [
      {
        words: 'schema:drop|migration:revert|schema:fresh|migration:fresh|migration:down|database:drop',
        act: 'destroy',
        local: true,
        why: 'drops data of development',
      },
      { words: 'schema:sync', act: 'destroy', local: true, why: 'drops columns that the entities lack' },
    ],
  },
  {
    names: 'rails rake',
    options: '-e|--environment: -f|--rakefile: -C: --trace -T -P -n|--dry-run',
    dry: '-n -T -P',
    verbs: [
      {
        words:
          'db:drop*|db:reset*|db:schema:load*|db:structure:load|db:migrate:reset*|db:purge*|db:truncate_all|db:setup|db:seed:replant',
        act: 'destroy',
        local: true,
        why: 'drops or empties the database of development',
      },
      { words: 'db:rollback*|db:migrate:down*', act: 'destroy', local: true, why: 'drops what a migration made' },
      { words: 'destroy|d', act: 'change', local: true, why: 'removes generated files' },
      { words: 'credentials:show|secrets:show', act: 'reveal', why: 'prints secrets' },
    ],
  },
  {
    names: 'alembic flask-migrate',
    options: '-c|--config: -n|--name: -x:',
    verbs: [{ words: 'downgrade', act: 'destroy', local: true, why: 'drops what a migration made' }],
  },
  {
    names: 'supabase',
    options: '--db-url: --project-ref: --workdir: --linked --local --password|-p:',
    verbs: [
      {
        words: 'db reset',
        act: 'destroy',
        flags: '--linked --db-url',
        safer: 'supabase migration up --linked',
        why: 'a database that others use is emptied',
      },
      {
        words: 'db reset',
        act: 'destroy',
        local: true,
        safer: 'supabase migration up, which applies what is missing',
        why: 'the local database is emptied',
      },
      {
        words: 'projects|branches|functions|secrets|storage delete|rm|unset',
        act: 'destroy',
        why: 'a part of the project goes',
      },
      { words: 'db|functions|config|secrets push|deploy|set', act: 'change', why: 'the hosted project changes' },
    ],
  },
  {
    names: 'ecto',
    options: '',
    verbs: [{ words: 'drop|reset|rollback', act: 'destroy', local: true, why: 'drops data of development' }],
  },
]

const RELEASES: readonly VerbProgram[] = [
  {
    names: 'lerna',
    options: '--scope: --ignore: --concurrency: --since? --loglevel: --dist-tag: --registry: -y|--yes',
    verbs: [
      { words: 'publish', act: 'publish', note: 'release', why: 'packages become public' },
      { words: 'version', act: 'publish', note: 'release', unless: '--no-push', why: 'commits, tags and pushes' },
    ],
  },
  {
    names: 'changeset',
    options: '--tag: --otp: --since: --output:write',
    verbs: [{ words: 'publish', act: 'publish', note: 'release', why: 'packages become public' }],
  },
  {
    names: 'semantic-release',
    options: '-b|--branches: -r: -t: -p: -e: -d|--dry-run',
    dry: '-d',
    verbs: [{ words: '*', act: 'publish', note: 'release', why: 'releases' }],
  },
  {
    names: 'np',
    options: '--tag: --branch: --preview',
    dry: '--preview',
    verbs: [{ words: '*', act: 'publish', note: 'release', why: 'releases' }],
  },
  {
    names: 'release-it',
    options: '-c|--config: -d|--dry-run -i|--increment: --release-version --changelog',
    dry: '-d --release-version --changelog',
    verbs: [{ words: '*', act: 'publish', note: 'release', why: 'releases' }],
  },
  {
    names: 'vsce ovsx',
    options: '-p|--pat: -i|--packagePath: -t|--target:',
    verbs: [
      { words: 'publish', act: 'publish', note: 'release', why: 'an extension becomes public' },
      { words: 'unpublish', act: 'publish', note: 'unpublish', why: 'an extension goes' },
    ],
  },
  {
    names: 'jsr',
    options: '--token: --dry-run',
    dry: '--dry-run',
    verbs: [{ words: 'publish', act: 'publish', note: 'release', why: 'a package becomes public' }],
  },
  {
    names: 'eas',
    options: '-p|--platform: --profile: --non-interactive',
    verbs: [
      { words: 'submit|update', act: 'publish', note: 'deploy', why: 'an app goes to its users' },
      { words: 'build|deploy', act: 'change', why: 'a build at the service' },
    ],
  },
  {
    names: 'gh-pages surge',
    options: '-d|--dist: -b|--branch: -r|--repo: -m|--message: -p:',
    verbs: [{ words: '*', act: 'publish', note: 'deploy', why: 'a site becomes public' }],
  },
  {
    names: 'twine',
    options: '-r|--repository: -u|--username: -p|--password: --repository-url: -c|--comment: --config-file:',
    verbs: [{ words: 'upload', act: 'publish', note: 'release', why: 'a package becomes public' }],
  },
  {
    names: 'goreleaser',
    options: '-f|--config: --snapshot --skip:',
    dry: '--snapshot',
    verbs: [{ words: 'release', act: 'publish', note: 'release', why: 'a release becomes public' }],
  },
  {
    names: 'cargo-release',
    options: '-x|--execute',
    verbs: [{ words: '*', act: 'publish', note: 'release', flags: '-x', why: 'a release becomes public' }],
  },
]

/** A release tool without words releases, too. */
const ALWAYS = new Set('semantic-release np release-it gh-pages surge'.split(' '))

const PRODUCTION = /prod|live|staging/i

/**
 * Where the database is that a reset would reach, as the environment or the file of settings names it: its host, or what
 * says that others use it. Undefined where it is a development copy. Never a password.
 */
function* databaseOf(call: Invocation): Asking<string | undefined> {
  for (const name of ['DATABASE_URL', 'RAILS_ENV', 'NODE_ENV', 'APP_ENV', 'MIX_ENV']) {
    const given = call.env.get(name)
    let text = textOf(given)
    if (given === undefined) {
      const found = yield* ask('env', { name })
      text = typeof found === 'object' ? found.value : undefined
    }
    if (name === 'DATABASE_URL') text ??= yield* fromDotenv(call, name)
    if (text === undefined || text === '') continue
    if (name !== 'DATABASE_URL') {
      if (PRODUCTION.test(text)) return `${name}=${text}`
    } else if (!/^(?:file|sqlite)/.test(text) && !isDevelopment(text)) return hostIn(text)
  }
  return undefined
}

/** Bytes of a file of settings. */
const MOST_DOTENV = 64 * 1024

/** What these tools read by themselves where the environment does not name it. */
function* fromDotenv(call: Invocation, name: string): Asking<string | undefined> {
  if (call.cwd === undefined) return undefined
  const found = yield* ask('text', { path: `${call.cwd}/.env`, limit: MOST_DOTENV })
  if (typeof found !== 'object') return undefined
  const line = new RegExp(`^\\s*(?:export\\s+)?${name}\\s*=\\s*(.*)$`, 'm').exec(found.text)?.[1]
  return line?.trim().replace(/^(["'])(.*)\1.*$/, '$2')
}

/** The host of an address; a name that is none stays what it is. */
const hostIn = (url: string): string =>
  !/:\/\//.test(url) ? url : (/^[a-z0-9+.-]+:\/\/(?:[^@/]*@)?([^:/?#]+)/i.exec(url)?.[1] ?? 'DATABASE_URL')

/** The worse of two readings: where the database is shared, nothing is local. */
const databaseReader = (program: VerbProgram): Reader =>
  function* (call) {
    const doings = applyVerbs(program, call)
    const parsed = parseArgs(specify(program.options), call.args)
    const url = [
      ...(parsed.values.get('--url') ?? []),
      ...(parsed.values.get('-e') ?? []),
      ...(parsed.values.get('--env') ?? []),
    ].map((arg) => textOf(arg.value) ?? '')
    if (!doings.some((doing) => doing.do === 'other' && doing.local)) return doings
    const named = url.find((text) => (/:\/\//.test(text) ? !isDevelopment(text) : PRODUCTION.test(text)))
    const shared = named === undefined ? yield* databaseOf(call) : hostIn(named)
    if (shared === undefined) return doings
    return doings.map((doing) => {
      if (doing.do !== 'other') return doing
      const { local: _, ...rest } = doing
      return { ...rest, what: `${rest.what} (${shared})` }
    })
  }

const RUNNER = specify(
  '--filter|-F: --scope: --projects|-p: --target|--targets|-t: --cwd: --concurrency: --parallel? --cache-dir: --output-logs: --env-mode: --log-order: --since? --affected --dry-run? --dry? --graph? --all --base: --head: -c|--configuration: --exclude: --skip-nx-cache --force -h|--help --version',
)

/** `turbo run build`, `nx run app:build`, `nx run-many -t build`, `lerna run build`: scripts of all packages. */
const taskRunner: Reader = function* (call) {
  const parsed = parseArgs(RUNNER, call.args)
  if (flagged(parsed, '-h', '--version', '--dry-run', '--dry', '--graph')) return []
  const [verb, ...words] = parsed.operands
  const name = textOf(verb?.value)
  const m = { ...managerOf(call, 'npm', parsed, undefined) }
  const named = parsed.values.get('--target') ?? []
  let tasks: readonly Arg[] =
    name === undefined || /^(?:run|run-many|affected|exec)$/.test(name) ? words : verb ? [verb] : []
  if (named.length > 0) tasks = named
  const out: Doing[] = call.base === 'lerna' ? [...applyVerbs(RELEASES[0]!, call)] : []
  if (name === 'exec' && call.base !== 'turbo')
    return executed(splitCall(RUNNER, call.args, (verb) => verb === 'exec').words)
  if (call.base === 'lerna' && name !== 'run') return out
  if (name !== undefined && OWN_VERBS.has(name)) return name === 'release' ? publishing(call) : []
  for (const task of tasks) {
    const text = textOf(task.value)
    // `app:build:production` of nx: project, target, configuration.
    const parts = (text ?? '').split(/[:#]/)
    const script = call.base === 'nx' && parts.length > 1 ? parts[1]! : (parts.at(-1) ?? '')
    const names = parts.length > 1 ? [exact(parts[0]!)] : undefined
    for (const one of script.split(',')) {
      const there = yield* runScript(m, word(call, one), [], { names, root: true })
      // A project of nx need not be called as its package.
      out.push(
        ...(there.length > 0 || names === undefined ? there : yield* runScript(m, word(call, one), [], EVERYWHERE)),
      )
    }
  }
  return out
}

/** `lerna exec -- command words`, `lerna exec 'a line'`: runs in every package. */
const executed = (words: readonly Arg[]): readonly Doing[] =>
  words.length === 1
    ? [{ do: 'code', language: 'sh', text: words[0]!.value, label: 'lerna exec' }]
    : words.length > 1
      ? [{ do: 'run', argv: words }]
      : []

const EVERYWHERE = { names: undefined, root: true } as const

const OWN_VERBS = new Set(
  'prune login logout link unlink daemon gen generate g ls list query telemetry init info scan config watch show graph dep-graph repair reset report sync format format:check format:write migrate add connect release import'.split(
    ' ',
  ),
)

const publishing = (call: Invocation): readonly Doing[] => [
  {
    do: 'other',
    act: 'publish',
    service: call.base,
    what: call.args.map((arg) => showValue(arg.value)).join(' ') || 'a release',
    note: 'release',
  },
]

const releaseReader = (program: VerbProgram): Reader => {
  const read = verbReader(program)
  return function* (call) {
    const doings = yield* read(call)
    const { flags } = parseArgs(specify(program.options), call.args)
    const asks = ['-h', '-v', '--help', '--version', ...(program.dry?.split(' ') ?? [])].some((flag) => flags.has(flag))
    return doings.length > 0 || asks || !ALWAYS.has(call.base) ? doings : publishing(call)
  }
}

/** Readers by names. */
export const PROJECT_TOOLS: Readonly<Record<string, Reader>> = {
  ...Object.fromEntries(DATABASE.map((program) => [program.names, databaseReader(program)])),
  ...Object.fromEntries(
    RELEASES.filter(({ names }) => names !== 'lerna').map((program) => [program.names, releaseReader(program)]),
  ),
  'turbo nx lerna': taskRunner,
}
