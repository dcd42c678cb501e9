/** The package as it is shipped, without its source: built from a copy, so that the checkout's own build stays as it is. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Builds it into `dir`, which must not exist. Throws where the build fails. */
export function builtPackage(dir: string): void {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  mkdirSync(dir, { recursive: true })
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src', 'scripts', ...files])
    if (name !== 'dist') cpSync(join(ROOT, name), join(dir, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
  const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: dir, encoding: 'utf8' })
  if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`)
  for (const name of ['src', 'scripts', 'node_modules']) rmSync(join(dir, name), { recursive: true })
}
