/** The package as it is shipped, without its source: built from a copy, so that the checkout's own build stays as it is. */
import { spawnSync } from 'node:child_process'
import { cpSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { cached, isSource, ROOT } from './cached.testing.ts'

/** Puts it into `dir`. Throws where the build fails. */
export async function builtPackage(dir: string): Promise<void> {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  const parts = ['package.json', 'README.md', 'LICENSE', 'src', 'scripts', ...files.filter(isSource)]
  const make = (at: string): void => {
    for (const name of parts) cpSync(join(ROOT, name), join(at, name), { recursive: true, filter: isSource })
    symlinkSync(join(ROOT, 'node_modules'), join(at, 'node_modules'))
    const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: at, encoding: 'utf8' })
    if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`)
    for (const name of ['src', 'scripts', 'node_modules']) rmSync(join(at, name), { recursive: true })
  }
  await cached('package', parts, make, dir)
}
