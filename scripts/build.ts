/** Builds `dist/`: the hook as one CommonJS file that needs nothing but Node, and the program for people. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { build, type Metafile } from 'esbuild'

const version = JSON.parse(readFileSync('package.json', 'utf8')).version as string
/** The oldest Node that the program runs on, as `engines` in package.json says. */
const FLOOR = [22, 19] as const
const define = { __SALLYPORT_VERSION__: JSON.stringify(version) }

/** Packages that may be bundled into the hook; anything else there is a fault. */
const ALLOWED = new Set(['unbash', 'picomatch'])

rmSync('dist', { recursive: true, force: true })
mkdirSync('dist', { recursive: true })

const hook = await build({
  entryPoints: ['src/cli/hook-bundle.ts'],
  outfile: 'dist/hook-core.cjs',
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'cjs',
  target: 'node22',
  metafile: true,
  legalComments: 'none',
  define,
})
checkInputs(hook.metafile)

// The entry is a few lines, in the syntax of any Node: the version is checked and the compile cache is on before the
// large file is read. What may be run later is written where only the user may write, never below a shared directory.
writeFileSync(
  'dist/hook.cjs',
  `#!/usr/bin/env node
'use strict'
const [major, minor] = process.versions.node.split('.').map(Number)
if (major < ${FLOOR[0]} || (major === ${FLOOR[0]} && minor < ${FLOOR[1]})) {
  // Hosts take 2 for a refusal, and the sentence for its reason.
  process.stderr.write('sallyport hook: Node ' + process.versions.node + ' is too old; register it with the path of a Node ${FLOOR.join('.')} or newer\\n')
  process.exit(2)
}
try {
  const { isAbsolute, join } = require('node:path')
  const { XDG_STATE_HOME: state = '', HOME: home = '' } = process.env
  const base = isAbsolute(state) ? state : isAbsolute(home) ? join(home, '.local', 'state') : undefined
  if (base !== undefined) {
    const fs = require('node:fs')
    const own = join(base, 'sallyport')
    const cache = join(own, 'compile-cache')
    // One by one: a recursive call never ends below some virtual file systems.
    for (const dir of [join(base, '..'), base, own, cache]) {
      try {
        fs.mkdirSync(dir, { mode: 0o700 })
      } catch {}
    }
    // Code is run from there: what others may write is not used.
    const found = fs.lstatSync(own)
    const me = process.getuid?.()
    const mine = me === undefined || (found.uid === me && (found.mode & 0o077) === 0)
    if (mine && found.isDirectory() && fs.lstatSync(cache).isDirectory()) require('node:module').enableCompileCache(cache)
  }
} catch {}
require('./hook-core.cjs').hookMain(process.argv.slice(2))
`,
)

await build({
  entryPoints: ['src/cli/main.ts'],
  outfile: 'dist/cli.js',
  bundle: true,
  minify: true,
  platform: 'node',
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
      if (external && !builtinModules.includes(path.replace(/^node:/, ''))) throw new Error(`the hook imports ${path}`)
    }
  }
}

if (!existsSync('dist/hook-core.cjs')) throw new Error('the hook was not built')
