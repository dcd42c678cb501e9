/** Builds `dist/`: the hook as one CommonJS file that needs nothing but Node, and the program for people. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { resolve } from 'node:path'
import { build, type Metafile } from 'esbuild'
import { buildPlugin } from './build-plugin.ts'
import { hookEntry, partOf } from './hook-entry.ts'
import { buildHook, PARTS } from './hook-parts.ts'
import { beside, putInPlace } from './put-in-place.ts'

const version = JSON.parse(readFileSync('package.json', 'utf8')).version as string
/** The oldest Node that the program runs on, as `engines` in package.json says. */
const FLOOR = [22, 19] as const
const define = { __SALLYPORT_VERSION__: JSON.stringify(version) }

/** Packages that may be bundled into the hook; anything else there is a fault. */
const ALLOWED = new Set(['unbash', 'picomatch'])

/** Files that others name: in place last, and in this order. */
const ENTRIES = ['hook.cjs', 'cli.js']

const made = beside('dist')
mkdirSync(made)
process.on('exit', () => rmSync(made, { recursive: true, force: true }))
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(1))

const parts = await buildHook(made, {
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  legalComments: 'none',
  define,
  logLevel: 'warning',
})
for (const metafile of parts) checkInputs(metafile)

const name = createHash('sha256')
for (const part of ['core', ...PARTS]) {
  const file = `${made}/hook-${part}.cjs`
  const wrapped = partOf(readFileSync(file, 'utf8'))
  writeFileSync(file, wrapped)
  name.update(wrapped)
}
// Each build's parts lie in a directory of their own: a hook that runs while they are replaced goes on with those it began with.
const id = name.digest('hex').slice(0, 16)
const dir = `hook-${id}`
mkdirSync(`${made}/${dir}`)
for (const part of ['core', ...PARTS]) renameSync(`${made}/hook-${part}.cjs`, `${made}/${dir}/hook-${part}.cjs`)
const core = { dir, file: 'hook-core.cjs', start: 'hookMain(process.argv.slice(2))' }
writeFileSync(`${made}/hook.cjs`, await hookEntry(FLOOR, id, core))

// What verbs load when they run lies in files of its own, so that a verb starts without the code of the others.
await build({
  entryPoints: {
    cli: 'src/cli/main.ts',
    // What the probe puts beside a host.
    'probe-recorder': 'src/cli/probe/rig/recorder.ts',
    'probe-lab-server': 'src/cli/probe/rig/lab-server.ts',
  },
  outdir: made,
  chunkNames: 'cli-[name]-[hash]',
  // Its main file asks for its other files in a way that no bundler sees.
  alias: { 'jsonc-parser': 'jsonc-parser/lib/esm/main.js' },
  splitting: true,
  bundle: true,
  minify: true,
  platform: 'node',
  // The other form of some packages asks for its own files at run time.
  mainFields: ['module', 'main'],
  format: 'esm',
  target: 'node22',
  legalComments: 'none',
  define,
  banner: {
    js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
  },
})

function checkInputs(metafile: Metafile): void {
  const packages = new Set<string>()
  for (const input of Object.keys(metafile.inputs)) {
    const name = /node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input)?.[1]
    if (name !== undefined) packages.add(name)
  }
  for (const name of packages) {
    if (!ALLOWED.has(name)) throw new Error(`the hook bundles ${name}, which it must not`)
  }
  for (const output of Object.values(metafile.outputs)) {
    for (const { path, external } of output.imports) {
      if (external && path !== 'core' && !builtinModules.includes(path.replace(/^node:/, '')))
        throw new Error(`the hook imports ${path}`)
    }
  }
}

await buildPlugin(resolve('plugin/antigravity/dist'), FLOOR, version, ALLOWED)

putInPlace(made, 'dist', ENTRIES, process.env['npm_lifecycle_event'] === 'prepack' ? 0 : undefined)
