/** Builds what the Antigravity plugin runs, below `<plugin>/dist`: files that need nothing but Node. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join } from 'node:path'
import { build, type Metafile, type Plugin } from 'esbuild'
import { hookEntry, partOf } from './hook-entry.ts'
import { beside, putInPlace } from './put-in-place.ts'

const ROOT = join(import.meta.dirname, '..')
const ENTRY = 'pre-tool-use.cjs'
const CORE = 'pre-tool-use.core.cjs'

/** The file that `hooks.json` names: modules are loaded slower than plain scripts, so it only hands over. */
const STUB = `import { createRequire } from 'node:module'
createRequire(import.meta.url)('./${ENTRY}')
`

/**
 * Builds into `to`, an absolute path; no file that was there before is missing meanwhile, and in the end none is left.
 * `floor`: the oldest Node. Throws where the result would need more than Node: `packages` are those that may be part of it.
 */
export async function buildPlugin(
  to: string,
  floor: readonly [number, number],
  version: string,
  packages: ReadonlySet<string>,
): Promise<void> {
  const dist = beside(to)
  try {
    await buildInto(dist, floor, version, packages)
    putInPlace(dist, to, [`hooks/${CORE}`, `hooks/${ENTRY}`], 0)
  } finally {
    rmSync(dist, { recursive: true, force: true })
  }
}

async function buildInto(
  dist: string,
  floor: readonly [number, number],
  version: string,
  packages: ReadonlySet<string>,
): Promise<void> {
  const hooks = join(dist, 'hooks')
  mkdirSync(hooks, { recursive: true })
  const define = { __SALLYPORT_VERSION__: JSON.stringify(version), __AGB_BUNDLED__: 'true' }
  const { metafile } = await build({
    entryPoints: [join(ROOT, 'src/cli/runner-child.ts')],
    absWorkingDir: ROOT,
    outfile: join(hooks, CORE),
    bundle: true,
    minify: true,
    platform: 'node',
    format: 'cjs',
    target: 'node22',
    metafile: true,
    legalComments: 'none',
    define,
    plugins: [UNGATED],
  })
  const faults = faultsOf(metafile, packages)
  if (faults.length > 0) throw new Error(`the plugin's hook ${faults.join(', ')}`)
  const core = partOf(readFileSync(join(hooks, CORE), 'utf8'))
  writeFileSync(join(hooks, CORE), core)
  const name = createHash('sha256').update(core).digest('hex').slice(0, 16)
  writeFileSync(join(hooks, ENTRY), await hookEntry(floor, name, { file: CORE, start: 'runnerMain()' }))
  writeFileSync(join(hooks, 'pre-tool-use.bundle.mjs'), STUB)
  for (const [file, contents] of Object.entries(PROGRAMS)) {
    const program = await build({
      stdin: { contents, resolveDir: ROOT, loader: 'ts' },
      absWorkingDir: ROOT,
      outfile: join(dist, file),
      bundle: true,
      minify: true,
      platform: 'node',
      format: 'esm',
      target: 'node22',
      metafile: true,
      legalComments: 'none',
      define,
      banner: { js: REQUIRE },
      plugins: [ABSENT],
    })
    const found = faultsOf(program.metafile, new Set([...packages, '@stricli/core']))
    if (found.length > 0) throw new Error(`the plugin's ${file} ${found.join(', ')}`)
  }
}

/** Programs for people and for the host, beside the hook. */
const PROGRAMS: Readonly<Record<string, string>> = {
  'agb.mjs':
    "import { agbMain } from './src/cli/agb-main.ts'\nprocess.exitCode = await agbMain(process.argv.slice(2))\n",
  'mcp-server.mjs': "import { serve } from './src/cli/mcp-server.ts'\nawait serve()\n",
}

/** The plugin answers as it was published: the gates of containment have no program to name there, and are left out. */
const UNGATED: Plugin = {
  name: 'ungated',
  setup({ onLoad }) {
    onLoad({ filter: /[\\/]cli[\\/]hook[\\/](?:before|after)\.ts$/ }, ({ path }) => ({
      contents: path.endsWith('before.ts') ? 'export function* beforeRun() {}' : 'export const afterRun = () => ({})',
      loader: 'js',
    }))
  },
}

/** Packages of verbs that `agb` does not have: nothing of them is loaded. */
const ABSENT: Plugin = {
  name: 'absent',
  setup({ onLoad, onResolve }) {
    onResolve({ filter: /^@modelcontextprotocol\// }, ({ path }) => ({ path, namespace: 'absent' }))
    onLoad({ filter: /./, namespace: 'absent' }, () => ({ contents: 'module.exports = {}', loader: 'js' }))
  },
}

const REQUIRE =
  "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);"

function faultsOf(metafile: Metafile, packages: ReadonlySet<string>): string[] {
  const faults = new Set<string>()
  for (const input of Object.keys(metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
    if (name !== undefined && !packages.has(name)) faults.add(`bundles ${name}`)
  }
  for (const { imports } of Object.values(metafile.outputs))
    for (const { path, external } of imports)
      if (external && !builtinModules.includes(path.replace(/^node:/, ''))) faults.add(`imports ${path}`)
  return [...faults]
}
