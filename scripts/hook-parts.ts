/**
 * Parts of the hook that few calls need: readers of other languages and large tables of commands. Each becomes a file of
 * its own that the core loads when a command asks for it, since reading code that does not run is most of a cold start.
 * What a part shares with the core it takes from there, so nothing is there twice.
 */
import { isAbsolute, join, relative } from 'node:path'
import { type BuildOptions, build, type Metafile, type Plugin } from 'esbuild'
import { GROUPS } from '../src/commands/registry.ts'

/** Groups of commands by part; the others stay in the core. */
const TABLES: Readonly<Record<string, readonly string[]>> = {
  git: ['git'],
  packages: ['packages'],
  prefixes: ['prefixes'],
  interpreters: ['interpreters'],
  machines: ['databases', 'infra', 'network', 'system'],
  archives: ['archives', 'editors'],
}
/** Modules that give nothing but functions, by part. */
const FUNCTIONS: Readonly<Record<string, { readonly file: string; readonly names: readonly string[] }>> = {
  code: { file: 'src/code/registry.ts', names: ['readCode'] },
  // It knows git's verbs.
  git: { file: 'src/commands/unlisted.ts', names: ['readUnlisted'] },
  // The gates of containment, before and behind a run.
  birth: { file: 'src/cli/hook/before.ts', names: ['beforeRun'] },
  contain: { file: 'src/cli/hook/after.ts', names: ['afterRun'] },
  undo: { file: 'src/cli/undo/take.ts', names: ['snapshot'] },
  adlc: { file: 'src/guard/adlc/evaluate.ts', names: ['evaluateAdlc', 'underAdlc'] },
}
const REGISTRY = 'src/commands/registry.ts'

export const PARTS: readonly string[] = [...new Set([...Object.keys(FUNCTIONS), ...Object.keys(TABLES)])]

const at = (file: string): string => join(process.cwd(), file)
const tableOf = (group: string): string => `src/commands/tables/${group}.ts`

/** The names of every command of a group, as the group's one list of names. */
function namesOf(id: string): string {
  const group = GROUPS.find((one) => one.id === id)
  if (group === undefined) throw new Error(`there is no group of commands ${id}`)
  return [...group.rows.map((row) => row.names), ...Object.keys(group.readers)].join(' ')
}

/** What stands in the core for a module of a part. `part` is what `hook.cjs` gives to the core: it loads a part by name. */
function stand(file: string): string | undefined {
  for (const [name, one] of Object.entries(FUNCTIONS)) {
    if (one.file !== file) continue
    return one.names.map((of) => `export const ${of} = (...args) => part('${name}').${of}(...args)`).join('\n')
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

/** For a part: what the core holds comes from there. */
const sharing = (shared: ReadonlyMap<string, number>): Plugin => ({
  name: 'shared',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^\.|^unbash$|^picomatch$/ }, async ({ path, resolveDir, importer }) => {
      if (importer === '' || !path.startsWith('.')) return undefined
      const file = relative(process.cwd(), isAbsolute(path) ? path : join(resolveDir, path)).replaceAll('\\', '/')
      return shared.has(file) ? { path: file, namespace: 'core' } : undefined
    })
    onLoad({ filter: /./, namespace: 'core' }, ({ path }) => ({
      contents: `module.exports = require('core').m${shared.get(path)}`,
      loader: 'js',
    }))
  },
})

const entryOf = (name: string): string => {
  const functions = FUNCTIONS[name]
  return [
    ...(functions === undefined ? [] : [{ names: functions.names.join(', '), file: functions.file }]),
    ...(TABLES[name] ?? []).map((id) => ({ names: id, file: tableOf(id) })),
  ]
    .map(({ names, file }) => `export { ${names} } from ${JSON.stringify(at(file))}`)
    .join('\n')
}

/** Builds `dist/hook-core.cjs` and one `dist/hook-<part>.cjs` for each part. */
export async function buildHook(options: BuildOptions): Promise<readonly Metafile[]> {
  // What parts need is known from what they read; what the core needs is known from a first run without parts.
  const from = (contents: string) => ({ contents, resolveDir: process.cwd(), loader: 'ts' }) as const
  const hook = `export { hookMain, warmUp } from ${JSON.stringify(at('src/cli/hook-bundle.ts'))}`
  const dry = { ...options, write: false, metafile: true } as const
  const inputs = async (contents: string, plugins: Plugin[]): Promise<readonly string[]> =>
    Object.keys((await build({ ...dry, stdin: from(contents), plugins, outfile: 'dist/dry.cjs' })).metafile.inputs)
  const core = await inputs(hook, [leaving])
  const wanted = new Set((await Promise.all(PARTS.map((name) => inputs(entryOf(name), [])))).flat())
  const files = core.filter((file) => wanted.has(file) && file.startsWith('src/') && stand(file) === undefined)
  const shared = new Map(files.map((file, i) => [file, i]))
  const exported = files.map((file, i) => `export * as m${i} from ${JSON.stringify(at(file))}`)
  const real = { ...options, metafile: true } as const
  const built = [
    await build({
      ...real,
      stdin: from([hook, ...exported].join('\n')),
      plugins: [leaving],
      outfile: 'dist/hook-core.cjs',
    }),
  ]
  for (const name of PARTS)
    built.push(
      await build({
        ...real,
        stdin: from(entryOf(name)),
        plugins: [sharing(shared)],
        external: ['core'],
        outfile: `dist/hook-${name}.cjs`,
      }),
    )
  return built.map(({ metafile }) => metafile)
}
