/**
 * The package as it is shipped, without its source: built from a copy, so that the checkout's own build stays as it is.
 * One build serves every test file as long as nothing that goes into it differs.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const BUILDS = join(ROOT, 'node_modules/.cache/sallyport-package')
/** Builds that nobody made anew for so long are of no checkout any more. */
const KEPT_MS = 24 * 3600 * 1000

/** Puts it into `dir`, which must not exist. Throws where the build fails. */
export function builtPackage(dir: string): void {
  const { files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { files: string[] }
  const parts = ['package.json', 'README.md', 'LICENSE', 'src', 'scripts', ...files.filter((name) => name !== 'dist')]
  const build = join(BUILDS, nameOf([...parts, 'package-lock.json']))
  if (statSync(build, { throwIfNoEntry: false }) === undefined) make(build, parts)
  cpSync(build, dir, { recursive: true })
}

/** A name that is another one where a file below these paths is. */
function nameOf(parts: readonly string[]): string {
  const hash = createHash('sha256').update(process.version)
  const add = (path: string): void => {
    if (statSync(join(ROOT, path)).isDirectory())
      for (const name of readdirSync(join(ROOT, path)).filter(isSource).sort()) add(join(path, name))
    else {
      const bytes = readFileSync(join(ROOT, path))
      hash.update(`\0${path}\0${bytes.length}\0`).update(bytes)
    }
  }
  for (const part of parts) add(part)
  return hash.digest('hex').slice(0, 16)
}

/** What a build makes is no part of what goes into one. */
const isSource = (path: string): boolean => basename(path) !== 'dist'

function make(build: string, parts: readonly string[]): void {
  // Not where it will lie: Node strips no types below node_modules.
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-build-'))
  const part = `${build}.${process.pid}`
  try {
    for (const name of parts) cpSync(join(ROOT, name), join(dir, name), { recursive: true, filter: isSource })
    symlinkSync(join(ROOT, 'node_modules'), join(dir, 'node_modules'))
    const built = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: dir, encoding: 'utf8' })
    if (built.status !== 0) throw new Error(`the build failed: ${built.stderr}`)
    for (const name of ['src', 'scripts', 'node_modules']) rmSync(join(dir, name), { recursive: true })
    cpSync(dir, part, { recursive: true })
    renameSync(part, build)
  } catch (error) {
    // Another test file may have been faster.
    if (statSync(build, { throwIfNoEntry: false }) === undefined) throw error
  } finally {
    for (const left of [dir, part]) rmSync(left, { recursive: true, force: true })
  }
  for (const name of readdirSync(BUILDS)) {
    const old = statSync(join(BUILDS, name), { throwIfNoEntry: false })
    if (old !== undefined && Date.now() - old.ctimeMs > KEPT_MS)
      rmSync(join(BUILDS, name), { recursive: true, force: true })
  }
}
