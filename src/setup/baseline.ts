/** What a migration may change, as it was before: recorded once, and put back from the record. */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { BOOSTER_NAME, OWN_NAME, type Places } from './plugin-root.ts'
import { LEFT_OUT, leavesOf, treeDigest, writeWhole } from './tree.ts'

/** Plugins that a migration replaces. */
export const REPLACED = [BOOSTER_NAME, OWN_NAME] as const
/** Bytes of one plugin without what is left out. */
const MOST_BYTES = 100 * 1024 * 1024

export interface FileBefore {
  readonly sha512: string
  readonly mode: number
}

export interface LinkBefore {
  readonly path: string
  readonly target: string
}

export interface Baseline {
  readonly v: 1
  readonly plugins: Readonly<
    Record<string, { readonly digest: string; readonly excludedPaths: readonly string[] } | null>
  >
  readonly files: Readonly<Record<FileName, FileBefore | null>>
  readonly links: readonly LinkBefore[]
}

export type FileName = 'shim' | 'imports' | 'hooks'
export const FILES: readonly FileName[] = ['shim', 'imports', 'hooks']
/** Where the copy of a file lies below a snapshot. */
const COPIES: Readonly<Record<FileName, string>> = {
  shim: join('shim', 'agb'),
  imports: 'import_manifest.json',
  hooks: 'hooks.json',
}
const BASELINE = 'pre-migration.baseline.json'

export const hashOf = (bytes: Uint8Array): string => createHash('sha512').update(bytes).digest('hex')

/** Records everything into `dir`, which must not exist. Changes nothing else. Throws where something is too large. */
export function takeSnapshot(dir: string, places: Places): Baseline {
  mkdirSync(dir, { recursive: true })
  const plugins: Record<string, { digest: string; excludedPaths: readonly string[] } | null> = {}
  for (const name of REPLACED) plugins[name] = snapshotPlugin(join(places.plugins, name), join(dir, 'plugins', name))
  const files: Record<string, FileBefore | null> = {}
  for (const name of FILES) files[name] = snapshotFile(places[name], join(dir, COPIES[name]))
  const baseline: Baseline = { v: 1, plugins, files: files as Baseline['files'], links: linksInto(places) }
  writeWhole(join(dir, BASELINE), `${JSON.stringify(baseline, undefined, 2)}\n`, 0o600)
  return baseline
}

export const readBaseline = (dir: string): Baseline => JSON.parse(readFileSync(join(dir, BASELINE), 'utf8')) as Baseline

function snapshotPlugin(from: string, to: string): { digest: string; excludedPaths: readonly string[] } | null {
  if (!existsSync(from)) return null
  const bytes = leavesOf(from, LEFT_OUT).reduce((sum, { size }) => sum + size, 0)
  if (bytes > MOST_BYTES) throw new Error(`${from} is larger than ${MOST_BYTES / 1024 / 1024} MB`)
  const excludedPaths = leavesOf(from)
    .filter(({ path }) => LEFT_OUT.has(path.split('/').at(-1)!))
    .map(({ path }) => path)
  cpSync(from, to, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => path === from || !LEFT_OUT.has(path.split('/').at(-1)!),
  })
  return { digest: treeDigest(from, LEFT_OUT), excludedPaths }
}

function snapshotFile(from: string, to: string): FileBefore | null {
  if (!existsSync(from)) return null
  const bytes = readFileSync(from)
  const mode = statSync(from).mode & 0o777
  writeWhole(to, bytes, mode)
  return { sha512: hashOf(bytes), mode }
}

/** The bytes that a file had; undefined where it was absent. */
export const bytesBefore = (dir: string, baseline: Baseline, name: FileName): Uint8Array | undefined =>
  baseline.files[name] === null ? undefined : readFileSync(join(dir, COPIES[name]))

/** Puts a file back, bytes and mode; removes it where it was absent. */
export function restoreFile(dir: string, baseline: Baseline, name: FileName, places: Places): void {
  const before = baseline.files[name]
  const bytes = bytesBefore(dir, baseline, name)
  if (before === null || bytes === undefined) rmSync(places[name], { force: true })
  else {
    writeWhole(places[name], bytes, before.mode)
    chmodSync(places[name], before.mode)
  }
}

/** Directories of skills that earlier installations linked into. */
const skillDirs = ({ home }: Places): readonly string[] =>
  ['.gemini/skills', '.gemini/config/skills', '.gemini/antigravity/skills', '.gemini/antigravity-cli/skills'].map(
    (dir) => join(home, dir),
  )

/** Links to skills of the booster or of ADLC; those of anybody else are not ours to touch. */
export function linksInto(places: Places): readonly LinkBefore[] {
  return skillDirs(places).flatMap((dir) => {
    let names: string[]
    try {
      names = readdirSync(dir)
    } catch {
      return []
    }
    return names.sort().flatMap((name): LinkBefore[] => {
      const path = join(dir, name)
      if (!lstatSync(path).isSymbolicLink()) return []
      const target = readlinkSync(path)
      return isOurs(resolve(dir, target)) ? [{ path, target }] : []
    })
  })
}

/** Whether a place belongs to the booster or to ADLC: by the manifests above it, or by its name where it is gone. */
function isOurs(target: string): boolean {
  let at: string
  try {
    at = realpathSync(target)
  } catch {
    return /\/(?:antigravity-booster(?:-[a-z]+)?|adlc-antigravity|@adlc\/[a-z-]+)(?:\/|$)/.test(target)
  }
  for (let dir = at; dirname(dir) !== dir; dir = dirname(dir)) {
    for (const file of ['plugin.json', 'package.json']) {
      try {
        const { name } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as { name?: unknown }
        if (typeof name === 'string') return /^(?:antigravity-booster(?:-.+)?|adlc-antigravity|@adlc\/.+)$/.test(name)
      } catch {
        // No manifest here.
      }
    }
  }
  return false
}

/** Makes the links again that are gone. A place that something else has taken is left, and named. */
export function restoreLinks(links: readonly LinkBefore[]): readonly string[] {
  return links.flatMap(({ path, target }) => {
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there?.isSymbolicLink() && readlinkSync(path) === target) return []
    if (there !== undefined) return [path]
    mkdirSync(dirname(path), { recursive: true })
    symlinkSync(target, path)
    return []
  })
}

/** Removes links that still lead where they did. */
export function removeLinks(links: readonly LinkBefore[]): void {
  for (const { path, target } of links) {
    const there = lstatSync(path, { throwIfNoEntry: false })
    if (there?.isSymbolicLink() && readlinkSync(path) === target) rmSync(path)
  }
}
