/**
 * Parts of the hook that few calls need: readers of other languages and large tables of commands. Each becomes a file of
 * its own that the core loads when a command asks for it, since reading code that does not run is most of a cold start.
 * What a part shares with the core it takes from there, so nothing is there twice.
 */
import { isAbsolute, join, relative } from 'node:path'
import { pathToFileURL } from 'node:url'
import { type BuildOptions, build, type Metafile, type OnResolveArgs, type Plugin } from 'esbuild'
import { GROUPS } from '../src/commands/registry.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { writtenPlaces } from '../src/paths/place-index.ts'

/** Groups of commands by part; the others stay in the core. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  git: ['git'],
  packages: ['packages'],
  prefixes: ['prefixes'],
  interpreters: ['interpreters'],
  machines: ['databases', 'infra', 'network', 'system'],
  archives: ['archives', 'editors', 'media'],
  windows: ['windows'],
}
/** Modules that give nothing but functions, numbers and texts, and the names of their functions, by part. */
const FUNCTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  code: { 'src/code/registry.ts': 'readCode' },
  // What compiled code is kept for, once a build.
  warm: { 'src/cli/hook/warm.ts': 'warmUp' },
  // It knows git's verbs.
  git: { 'src/commands/unlisted.ts': 'readUnlisted' },
  // The gates of containment, before and behind a run.
  birth: { 'src/cli/hook/before.ts': 'beforeRun' },
  contain: { 'src/cli/hook/after.ts': 'afterRun', 'src/cli/hook/start.ts': 'atStart' },
  undo: { 'src/cli/undo/take.ts': 'snapshot' },
  // The first event of a session, and its end.
  live: { 'src/cli/hook/live.ts': 'markSession missedGate endedUnseen sessionIn' },
  // How the host was started, how much a session has read, and what of it is watched.
  session: {
    'src/cli/hook/ancestors.ts': 'startedBy wordsFrom processesIn',
    'src/cli/hook/reads.ts': 'countRead',
    'src/cli/hook/watch-list.ts': 'listOf',
  },
  // What only the published profile and workers are judged by.
  stages: {
    'src/guard/adlc/exact.ts': 'exactFindings pathsOf',
    'src/guard/adlc/plain.ts': 'readsPlainly',
    'src/guard/adlc/shell.ts': 'shellFindings',
  },
  // What changes files, and what would be lost by it.
  files: {
    'src/commands/copy.ts': 'cp mv ln link install ditto robocopy dd rename',
    'src/commands/mmv.ts': 'mmv',
    'src/commands/mode.ts': 'chmod chown chattr setfacl xattr attrib',
    'src/commands/remove.ts': 'rm globbed rmdir del rimraf trash trashEmpty',
    'src/commands/rsync.ts': 'rsync',
    'src/commands/split.ts': 'tee sponge split csplit',
  },
  carry: { 'src/guard/perform-files.ts': 'brought isAbsent copy keep move link' },
  loss: {
    'src/guard/adlc/effects.ts': 'effectFindings protectedBy railBelow repoBelow reasonOf',
    'src/guard/adlc/evaluate.ts': 'evaluateAdlc underAdlc',
    'src/guard/adlc/roots.ts': 'rootsOf spell rootHit rootBelow',
    'src/guard/loss-git.ts': 'startOf judgeGit',
    'src/guard/loss-path.ts': 'judgeLossOfPath',
    'src/guard/loss-history.ts': 'commitsLost branches moved reference stash rewrite',
    'src/guard/push.ts': 'judgePush',
    'src/guard/git-state.ts': 'factsOf workOf historyOf below',
    'src/guard/region.ts': 'takesAll placeRegion gitRegion',
    'src/guard/rules/bulk.ts': 'inBulk',
  },
  // Repositories whose tickets freeze files.
  tickets: {
    'src/adlc/linked.ts': 'waysOf linkedRails',
    'src/adlc/protects.ts': 'protects newShard',
    'src/adlc/lint.ts': 'lintRepo',
    'src/adlc/rails.ts': 'railsOf nearRails newRail splitLead',
    'src/adlc/missing.ts': 'missingTicket missingTicketAt',
    'src/adlc/scope.ts': 'currentTicket inScope isPointer scopeMatcher',
    'src/adlc/store.ts': 'readStore readStoreAt readArchive readShard',
    'src/adlc/ticket.ts': 'readTicket canonicalName isNameOf hasShardForm parseJson asObject',
    'src/adlc/validity.ts': 'canAdd widthOf',
  },
  // Globs of policies and tickets.
  globs: {
    'src/paths/glob.ts': 'compileGlob',
    'src/paths/pattern.ts': 'expandBraces readClass readSegment isPlain isFixed unescaped readSegments readParts',
  },
  // Questions to git, and to many files at once.
  disk: {
    'src/world/disk-git-config.ts': 'gitSetting',
    'src/world/disk-git.ts': 'gitBrings gitConfig gitEnv gitRunner gitState',
    'src/world/disk-many.ts': 'linksAmong textsIn',
  },
  scripts: {
    'src/guard/scripts.ts': 'runCode placesOf runFile languageOf',
    'src/guard/scripts-many.ts': 'runMatching',
  },
  find: {
    'src/commands/find.ts': 'find',
    'src/commands/parallel.ts': 'parallel',
    'src/commands/xargs.ts': 'xargs xargsLines',
  },
  machines: { 'src/commands/openssl.ts': 'openssl' },
  // Expansions that few lines hold.
  expand: {
    'src/shell/expand-parameter.ts': 'parameterPieces',
    'src/shell/arithmetic.ts': 'evaluate assignedNames',
    'src/shell/braces.ts': 'expandBraces',
    'src/shell/convert-test.ts': 'convertTest',
    'src/shell/expand-arithmetic.ts': 'evaluateBody numberOfWord runSubscripts runCommandsIn',
    'src/shell/pattern.ts': 'scanGlob matchPattern removeMatch replaceMatch changeCase takesHidden',
    'node_modules/unbash/dist/ansi-c.js': 'decodeAnsiCQuoted',
    'node_modules/unbash/dist/arithmetic.js': 'parseArithmeticExpression',
    'node_modules/unbash/dist/arithmetic-parts.js': 'parseArithmeticWithParts',
  },
  // What filters make of text that is known.
  texts: {
    'src/commands/bytes.ts': 'textOfBytes bytesOfText decode encodeBase64',
    'src/commands/escapes.ts': 'readEscapes formatted',
    'src/commands/tr.ts': 'translate',
  },
  // Tools of MCP servers, and what is sent.
  tools: {
    'src/commands/graphql.ts': 'mutationsIn',
    'src/guard/send.ts': 'send',
    'src/guard/tool-words.ts': 'wordsOfName doingsOfTool',
  },
  patch: { 'src/commands/agent-patch.ts': 'patchActions' },
  names: {
    'src/guard/builtins-names.ts':
      'runSubscriptsOf listsVariables listing printenv whoami id mapfile compgen hash noteExported',
    'src/guard/guard-names.ts': 'guardNames',
    'src/guard/made.ts': 'outputOf',
  },
  policy: {
    'src/core/jsonc.ts': 'readJsonc',
    'src/policy/read.ts': 'readLayer',
    'src/policy/source.ts': 'newSource isObject nameOf show',
  },
}
/** Adapters that stay in the core; every other one is a part, which is loaded for its own host alone. */
const CORE_HOSTS: ReadonlySet<string> = new Set(['claude'])
const ADAPTERS = HOSTS.filter(({ id }) => !CORE_HOSTS.has(id))
const REGISTRY = 'src/commands/registry.ts'

const adapterPart = (id: string): string => `host-${id}`

export const PARTS: readonly string[] = [
  ...new Set([...Object.keys(FUNCTIONS), ...Object.keys(TABLES)]),
  ...ADAPTERS.map(({ id }) => adapterPart(id)),
]

const at = (file: string): string => join(process.cwd(), file)
/** The name of a file from the root of the project. Packages may lie elsewhere, behind a link. */
function fileOf(path: string): string {
  const slashed = path.replaceAll('\\', '/')
  const inPackages = slashed.lastIndexOf('/node_modules/')
  return inPackages < 0 ? relative(process.cwd(), path).replaceAll('\\', '/') : slashed.slice(inPackages + 1)
}
const tableOf = (group: string): string => `src/commands/tables/${group}.ts`
const adapterFile = (id: string): string => `src/hosts/${id}.ts`

/** The names of every command of a group, as the group's one list of names. */
function namesOf(id: string): string {
  const group = GROUPS.find((one) => one.id === id)
  if (group === undefined) throw new Error(`there is no group of commands ${id}`)
  return [...group.rows.map((row) => row.names), ...Object.keys(group.readers)].join(' ')
}

/** The functions of a module of a part, by the name of its file. */
const STANDS: ReadonlyMap<string, { readonly part: string; readonly names: readonly string[] }> = new Map(
  Object.entries(FUNCTIONS).flatMap(([part, files]) =>
    Object.entries(files).map(([file, names]) => [file, { part, names: names.split(' ') }] as const),
  ),
)
/** Numbers and texts that modules of parts export: they stand in the core as they are. By file, as source. */
const constants = new Map<string, string>()

/** Learns `constants`. Throws where a part's module is not as it is described here. */
async function learnConstants(): Promise<void> {
  for (const [file, { names }] of STANDS) {
    const all = (await import(pathToFileURL(at(file)).href)) as Record<string, unknown>
    const wrong = names.find((name) => typeof all[name] !== 'function')
    if (wrong !== undefined) throw new Error(`${file} has no function ${wrong}`)
    const plain = Object.entries(all).filter(([, value]) => typeof value === 'number' || typeof value === 'string')
    const text = plain.map(([name, value]) => `export const ${name} = ${JSON.stringify(value)}`)
    constants.set(file, text.join('\n'))
  }
}

/** What stands in the core for a module of a part. `part` is what `hook.cjs` gives to the core: it loads a part by name. */
export function stand(file: string): string | undefined {
  const functions = STANDS.get(file)
  if (functions !== undefined) {
    const { part, names } = functions
    const calls = names.map((of) => `export const ${of} = (...args) => part('${part}').${of}(...args)`)
    return [...calls, constants.get(file) ?? ''].join('\n')
  }
  const adapter = ADAPTERS.find(({ id }) => adapterFile(id) === file)
  if (adapter !== undefined) {
    // What finds a host stands in the core; all else is asked of the part.
    const { id, aliases } = adapter
    const part = `part('${adapterPart(id)}').${id}`
    const traps = [
      `get: (own, key) => own[key] ?? ${part}[key]`,
      `ownKeys: () => Reflect.ownKeys(${part})`,
      `getOwnPropertyDescriptor: (own, key) => Reflect.getOwnPropertyDescriptor(${part}, key)`,
    ]
    // Not a getter for each key: twenty hosts of twenty keys are a fifth of all functions that a start makes.
    return `export const ${id} = new Proxy({ id: '${id}', aliases: ${JSON.stringify(aliases)} }, { ${traps.join(', ')} })`
  }
  for (const [name, groups] of Object.entries(TABLES)) {
    const id = groups.find((group) => tableOf(group) === file)
    if (id === undefined) continue
    const read = `(call) => readerIn(part('${name}').${id}, call.base)(call)`
    return `import { readerIn } from ${JSON.stringify(at(REGISTRY))}
export const ${id} = { id: '${id}', rows: [], readers: { ${JSON.stringify(namesOf(id))}: ${read} } }`
  }
  return undefined
}

/** The index of places is made of tables that do not change: it is made here, and the tables are left out. */
const PLACES = 'src/paths/place-index.ts'

/** For the core: leaves the parts out. */
const leaving: Plugin = {
  name: 'parts',
  setup({ onLoad }) {
    onLoad({ filter: /\.[jt]s$/ }, ({ path }) => {
      if (fileOf(path) === PLACES)
        return { contents: `export const writtenPlaces = () => (${JSON.stringify(writtenPlaces())})`, loader: 'js' }
      const contents = stand(fileOf(path))
      return contents === undefined ? undefined : { contents, loader: 'js' }
    })
  },
}

/** The names that a part takes from each file of the core, or through it from another part. */
type Needs = ReadonlyMap<string, readonly string[]>

/** The file of the core that an import leads to; undefined where it lies in the part itself, or is a package as a whole. */
function takenFrom(
  { path, resolveDir, importer }: OnResolveArgs,
  core: ReadonlySet<string>,
  part: string,
): string | undefined {
  if (importer === '' || !path.startsWith('.')) return undefined
  const file = fileOf(isAbsolute(path) ? path : join(resolveDir, path))
  return core.has(file) && STANDS.get(file)?.part !== part ? file : undefined
}

/** What a part needs: the bundler says it, once it has left out what is not used. */
async function needsOf(part: string, core: ReadonlySet<string>, options: BuildOptions): Promise<Needs> {
  const looking: Plugin = {
    name: 'looking',
    setup({ onResolve }) {
      onResolve({ filter: /^\./ }, (args) => {
        const file = takenFrom(args, core, part)
        return file === undefined ? undefined : { path: `core:${file}`, external: true }
      })
    },
  }
  const { outputFiles } = await build({
    ...{ ...options, minify: false, format: 'esm', write: false, outfile: 'dist/dry.js' },
    stdin: source(entryOf(part)),
    plugins: [looking],
  })
  const needs = new Map<string, readonly string[]>()
  // One statement for each file of the part.
  for (const [, list, file] of outputFiles![0]!.text.matchAll(/^import \{([^}]*)\} from "core:([^"]+)";$/gm)) {
    const names = list!.split(',').map((name) => name.trim().split(' ')[0]!)
    needs.set(file!, [...new Set([...(needs.get(file!) ?? []), ...names])])
  }
  return needs
}

/** For a part: what the core holds comes from there, and what another part holds through what stands for it there. */
const sharing = (shared: Shared, needs: Needs, part: string): Plugin => ({
  name: 'shared',
  setup({ onLoad, onResolve }) {
    const core = new Set(needs.keys())
    onResolve({ filter: /^\./ }, (args) => {
      const file = takenFrom(args, core, part)
      return file === undefined ? undefined : { path: file, namespace: 'core' }
    })
    onLoad({ filter: /./, namespace: 'core' }, ({ path }) => {
      const numbers = constants.get(path) ?? ''
      // Read name by name: what is required as a whole is copied first.
      const names = needs.get(path)!.filter((name) => !numbers.includes(`const ${name} =`))
      const lines = names.map((name) => `export const ${name} = m.${name}`)
      const first = names.length === 0 ? '' : `const m = require('core').shared(${shared.get(path)!.at})`
      return { contents: [first, ...lines, numbers].join('\n'), loader: 'js' }
    })
  },
})

/** Files whose exports parts take from the core: their numbers there, and the names. */
type Shared = ReadonlyMap<string, { readonly at: number; readonly names: readonly string[] }>

function sharedOf(needs: readonly Needs[]): Shared {
  const files = [...new Set(needs.flatMap((one) => [...one.keys()]))]
  const namesOf = (file: string) => new Set(needs.flatMap((one) => one.get(file) ?? []))
  return new Map(files.map((file, i) => [file, { at: i, names: [...namesOf(file)].sort() }]))
}

/**
 * What the core gives to parts, as source: `shared(n)` is an object of all that the n-th file exports, put together when
 * a part asks for it. A namespace of the bundler's would be put together at each start, for every file.
 */
function giving(shared: Shared): string {
  const imports: string[] = []
  const cases: string[] = []
  for (const [file, { at: i, names }] of shared) {
    if (names.length === 0) continue
    const own = (name: string) => `m${i}_${name}`
    imports.push(
      `import { ${names.map((name) => `${name} as ${own(name)}`).join(', ')} } from ${JSON.stringify(at(file))}`,
    )
    cases.push(`case ${i}: return { ${names.map((name) => `${name}: ${own(name)}`).join(', ')} }`)
  }
  return `${imports.join('\n')}\nexport function shared(n) { switch (n) { ${cases.join('\n')} } }`
}

const entryOf = (name: string): string =>
  [
    ...Object.entries(FUNCTIONS[name] ?? {}),
    ...(TABLES[name] ?? []).map((id) => [tableOf(id), id] as const),
    ...ADAPTERS.filter(({ id }) => adapterPart(id) === name).map(({ id }) => [adapterFile(id), id] as const),
  ]
    .map(([file, names]) => `export { ${names.split(' ').join(', ')} } from ${JSON.stringify(at(file))}`)
    .join('\n')

/** Whether a file of the core is given to parts. Tables stay where they are; packages but for their constants are shared. */
const isShared = (file: string): boolean =>
  STANDS.has(file) ||
  (file.startsWith('src/') && stand(file) === undefined) ||
  (file.startsWith('node_modules/unbash/') && !/\/(?:chars|limits)\.js$/.test(file))

/** Builds `hook-core.cjs` and one `hook-<part>.cjs` for each part, into the directory `to`. */
export async function buildHook(to: string, options: BuildOptions): Promise<readonly Metafile[]> {
  await learnConstants()
  const hook = `export { hookMain, warmUp } from ${JSON.stringify(at('src/cli/hook-bundle.ts'))}`
  // What the core holds is known from a first run, and what parts need of it from a first run of each.
  const { metafile } = await build({
    ...{ ...options, write: false, metafile: true, outfile: `${to}/dry.cjs` },
    stdin: source(hook),
    plugins: [leaving],
  })
  const core = Object.keys(metafile.inputs).map((file) => fileOf(at(file)))
  const given = new Set([...core, ...STANDS.keys()].filter(isShared))
  const needs = new Map(
    await Promise.all(PARTS.map(async (name) => [name, await needsOf(name, given, options)] as const)),
  )
  const shared = sharedOf([...needs.values()])
  const real = { ...options, metafile: true } as const
  const built = [
    await build({
      ...real,
      stdin: source(`${hook}\n${giving(shared)}`),
      plugins: [leaving],
      outfile: `${to}/hook-core.cjs`,
    }),
  ]
  for (const [name, of] of needs)
    built.push(
      await build({
        ...real,
        stdin: source(entryOf(name)),
        plugins: [sharing(shared, of, name)],
        external: ['core'],
        outfile: `${to}/hook-${name}.cjs`,
      }),
    )
  return built.map((one) => one.metafile)
}

const source = (contents: string) => ({ contents, resolveDir: process.cwd(), loader: 'ts' }) as const
