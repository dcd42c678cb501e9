/** Builds that test files share: each is made once, as long as nothing that goes into it differs. */
import { createHash } from 'node:crypto'
import { cpSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'

export const ROOT = join(import.meta.dirname, '..')
const BUILDS = join(ROOT, 'node_modules/.cache/sallyport-builds')
/** Builds that were made so long ago are of no checkout any more. */
const KEPT_MS = 24 * 3600 * 1000

/** What a build makes is no part of what goes into one. */
export const isSource = (path: string): boolean => basename(path) !== 'dist'

/**
 * Puts into `to` what `make` makes in an empty directory out of the files below `parts`, which are relative to the
 * project. Throws what `make` throws.
 */
export async function cached(
  name: string,
  parts: readonly string[],
  make: (dir: string) => void | Promise<void>,
  to: string,
): Promise<void> {
  const build = join(BUILDS, `${name}-${nameOf([...parts, 'package-lock.json'])}`)
  if (!isThere(build)) {
    await fill(build, make)
    dropOld()
  }
  cpSync(build, to, { recursive: true })
}

const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined

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

async function fill(build: string, make: (dir: string) => void | Promise<void>): Promise<void> {
  // Not where it will lie: Node strips no types below node_modules.
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-build-'))
  const part = `${build}.${process.pid}`
  try {
    await make(dir)
    cpSync(dir, part, { recursive: true })
    renameSync(part, build)
  } catch (error) {
    // Another test file may have been faster.
    if (!isThere(build)) throw error
  } finally {
    for (const left of [dir, part]) rmSync(left, { recursive: true, force: true })
  }
}

function dropOld(): void {
  for (const name of readdirSync(BUILDS)) {
    const old = statSync(join(BUILDS, name), { throwIfNoEntry: false })
    if (old !== undefined && Date.now() - old.ctimeMs > KEPT_MS)
      rmSync(join(BUILDS, name), { recursive: true, force: true })
  }
}
