/** The program as it is shipped, for tests of what it costs: its source starts slower and takes more memory. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import { build } from 'esbuild'
import { cached, ROOT } from './cached.testing.ts'

/** Puts it into `dir`. Gives the file that starts it as `ctx`. */
export async function packed(dir: string): Promise<string> {
  await cached('program', ['package.json', 'bin', 'src'], make, dir)
  return join(dir, 'bin', 'ctx.js')
}

async function make(dir: string): Promise<void> {
  cpSync(join(ROOT, 'bin'), join(dir, 'bin'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(dir, 'package.json'))
  await build({
    entryPoints: { cli: join(ROOT, 'src/cli/main.ts') },
    outdir: join(dir, 'dist'),
    bundle: true,
    splitting: true,
    minify: true,
    platform: 'node',
    format: 'esm',
    target: 'node22',
    define: { __SALLYPORT_VERSION__: '"0.0.0"' },
    banner: {
      js: "import { createRequire as __createRequire } from 'node:module'; const require = __createRequire(import.meta.url);",
    },
  })
}
