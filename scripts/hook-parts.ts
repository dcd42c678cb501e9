/**
 * Parts of the hook that few calls need: readers of other languages and large tables of commands. Each becomes a file of
 * its own that the core loads when a command asks for it, since reading code that does not run is most of a cold start.
 * What a part shares with the core it takes from there, so nothing is there twice.
 */
import { isAbsolute, join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { GROUPS } from '../src/commands/registry.ts'
import { HOSTS } from '../src/hosts/registry.ts'

/** Groups of commands by part; the others stay in the core. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  git: ['git'],
  packages: ['packages'],
  prefixes: ['prefixes'],
  interpreters: ['interpreters'],
  machines: ['databases', 'infra', 'network', 'system'],
  archives: ['archives', 'editors'],
}
/** Modules that give nothing but functions, and their names, by part. */
const FUNCTIONS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  code: { 'src/code/registry.ts': 'readCode' },
  // It knows git's verbs.
  git: { 'src/commands/unlisted.ts': 'readUnlisted' },
  // The gates of containment, before and behind a run.
  birth: { 'src/cli/hook/before.ts': 'beforeRun' },
  contain: { 'src/cli/hook/after.ts': 'afterRun', 'src/cli/hook/start.ts': 'atStart' },
  // Hosts that take a denial by exit code.
  exit: { 'src/hosts/exit-code.ts': 'exitAnswer framed' },
  undo: { 'src/cli/undo/take.ts': 'snapshot' },
  // The first event of a session, and its end.
  live: { 'src/cli/hook/live.ts': 'markSession missedGate endedUnseen sessionIn' },
  adlc: { 'src/guard/adlc/evaluate.ts': 'evaluateAdlc underAdlc' },
  // What changes files, and what would be lost by it.
  files: {
    'src/commands/copy.ts': 'cp mv ln link install ditto robocopy dd rename',
    'src/commands/mode.ts': 'chmod chown chattr setfacl xattr attrib',
    'src/commands/remove.ts': 'rm globbed rmdir del rimraf trash trashEmpty',
    'src/commands/rsync.ts': 'rsync',
    'src/commands/split.ts': 'tee sponge split csplit',
  },
  loss: {
    'src/guard/loss-git.ts': 'startOf judgeGit',
    'src/guard/loss-path.ts': 'judgeLossOfPath',
    'src/guard/loss-history.ts': 'commitsLost branches moved reference stash rewrite',
    'src/guard/push.ts': 'judgePush',
  },
  // Repositories whose tickets freeze files.
  tickets: {
    'src/adlc/linked.ts': 'waysOf linkedRails',
    'src/adlc/protects.ts': 'protects newShard',
    'src/adlc/rails.ts': 'railsOf nearRails newRail splitLead',
    'src/adlc/store.ts': 'readStore readStoreAt readArchive readShard',
    'src/adlc/validity.ts': 'canAdd widthOf',
  },
  // Questions to git, and to many files at once.
  disk: {
    'src/world/disk-git-config.ts': 'gitSetting',
    'src/world/disk-git.ts': 'gitBrings gitConfig gitEnv gitRunner gitState',
    'src/world/disk-many.ts': 'linksAmong textsIn',
  },
  scripts: { 'src/guard/scripts.ts': 'runCode placesOf runFile languageOf' },
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
  },
  policy: { 'src/policy/read.ts': 'readLayer' },
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
const tableOf = (group: string): string => `src/commands/tables/${group}.ts`
const adapterFile = (id: string): string => `src/hosts/${id}.ts`

/** The names of every command of a group, as the group's one list of names. */
function namesOf(id: string): string {
  const group = GROUPS.find((one) => one.id === id)
  if (group === undefined) throw new Error(`there is no group of commands ${id}`)
  return [...group.rows.map((row) => row.names), ...Object.keys(group.readers)].join(' ')
}

/** What stands in the core for a module of a part. `part` is what `hook.cjs` gives to the core: it loads a part by name. */
export function stand(file: string): string | undefined {
  for (const [name, files] of Object.entries(FUNCTIONS)) {
    const names = files[file]?.split(' ')
    if (names !== undefined)
      return names.map((of) => `export const ${of} = (...args) => part('${name}').${of}(...args)`).join('\n')
  }
  const adapter = ADAPTERS.find(({ id }) => adapterFile(id) === file)
  if (adapter !== undefined) {
    // What finds a host stands in the core; all else is asked of the part.
    const { id, aliases } = adapter
    const rest = Object.keys(adapter).filter((key) => key !== 'id' && key !== 'aliases')
    const getters = rest.map((key) => `get ${key}() { return part('${adapterPart(id)}').${id}.${key} }`)
    return `export const ${id} = { id: '${id}', aliases: ${JSON.stringify(aliases)}, ${getters.join(', ')} }`
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

/** For the core: leaves the parts out. */
const leaving: Plugin = {
  name: 'parts',
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, ({ path }) => {
      const contents = stand(relative(process.cwd(), path).replaceAll('\\', '/'))
      return contents === undefined ? undefined : { contents, loader: 'js' }
    })
  },
}

/** A file whose exports parts take from the core: its number there, and their names. */
interface Shared {
  readonly at: number
  readonly names: readonly string[]
}

/** For a part: what the core holds comes from there. */
const sharing = (shared: ReadonlyMap<string, Shared>): Plugin => ({
  name: 'shared',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.|^unbash$|^picomatch$/ }, async ({ path, resolveDir, importer }) => {
      if (importer === '' || !path.startsWith('.')) return undefined
      const file = relative(process.cwd(), isAbsolute(path) ? path : join(resolveDir, path)).replaceAll('\\', '/')
      return shared.has(file) ? { path: file, namespace: 'core' } : undefined
    })
    onLoad({ filter: /./, namespace: 'core' }, ({ path }) => {
      const { at: index, names } = shared.get(path)!
      // Read name by name: what is required as a whole is copied first.
      const contents = `const m = require('core').shared(${index})\n${names.map((name) => `export const ${name} = m.${name}`).join('\n')}`
      return { contents, loader: 'js' }
    })
  },
})

async function sharedOf(files: readonly string[]): Promise<ReadonlyMap<string, Shared>> {
  const options = { bundle: false, write: false, metafile: true, format: 'esm' } as const
  const built = await Promise.all(files.map((file) => build({ ...options, entryPoints: [at(file)] })))
  const names = built.map(({ metafile }) => Object.values(metafile.outputs).flatMap(({ exports }) => exports))
  return new Map(files.map((file, i) => [file, { at: i, names: names[i]! }]))
}

/**
 * What the core gives to parts, as source: `shared(n)` is an object of all that the n-th file exports, put together when
 * a part asks for it. A namespace of the bundler's would be put together at each start, for every file.
 */
function giving(shared: ReadonlyMap<string, Shared>): string {
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

/** Builds `hook-core.cjs` and one `hook-<part>.cjs` for each part, into the directory `to`. */
export async function buildHook(to: string, options: BuildOptions): Promise<readonly Metafile[]> {
  // What parts need is known from what they read; what the core needs is known from a first run without parts.
  const from = (contents: string) => ({ contents, resolveDir: process.cwd(), loader: 'ts' }) as const
  const hook = `export { hookMain, warmUp } from ${JSON.stringify(at('src/cli/hook-bundle.ts'))}`
  const dry = { ...options, write: false, metafile: true } as const
  const inputs = async (contents: string, plugins: Plugin[]): Promise<readonly string[]> =>
    Object.keys((await build({ ...dry, stdin: from(contents), plugins, outfile: `${to}/dry.cjs` })).metafile.inputs)
  const core = await inputs(hook, [leaving])
  const wanted = new Set((await Promise.all(PARTS.map((name) => inputs(entryOf(name), [])))).flat())
  const files = core.filter((file) => wanted.has(file) && file.startsWith('src/') && stand(file) === undefined)
  const shared = await sharedOf(files)
  const real = { ...options, metafile: true } as const
  const built = [
    await build({
      ...real,
      stdin: from(`${hook}\n${giving(shared)}`),
      plugins: [leaving],
      outfile: `${to}/hook-core.cjs`,
    }),
  ]
  for (const name of PARTS)
    built.push(
      await build({
        ...real,
        stdin: from(entryOf(name)),
        plugins: [sharing(shared)],
        external: ['core'],
        outfile: `${to}/hook-${name}.cjs`,
      }),
    )
  return built.map(({ metafile }) => metafile)
}
