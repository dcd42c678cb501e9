/**
 * The companion plugin `adlc-antigravity`, which is not part of this package: what is staged of it, where its source may
 * lie, and its installation from an archive whose digest a person names.
 */
import { createHash, timingSafeEqual } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, isAbsolute, join } from 'node:path'
import { readArchive } from './archive.ts'
import { readImports, withImport, withoutImport } from './imports.ts'
import type { Places } from './plugin-root.ts'
import { treeDigest, writeWhole } from './tree.ts'

export const COMPANION = 'adlc-antigravity'
export const PACKAGE = '@adlc/antigravity'
/** The version that this program was written against, and the contract that it speaks. */
export const PINNED_VERSION = '1.7.0'
const CONTRACT = 1

export type StagedState =
  | 'not-installed'
  | 'corrupt-manifest'
  | 'outdated-plugin'
  | 'corrupt-tree'
  | 'incompatible-contract'
  | 'compatible'
  | 'compatible (newer-unpinned)'
  | 'tolerant (unconfirmed-contract)'

export interface Staged {
  readonly state: StagedState
  readonly version?: string
  /** Whether a doctor is content. */
  readonly ok: boolean
  readonly action: 'install' | 'reinstall' | 'keep' | 'fail'
}

/** What a tree must be: digests of trees by version. */
export type KnownTrees = Readonly<Record<string, string>>

/** What is staged at `dir`, by the published table. Reads only. */
export function stagedCompanion(dir: string, trees: KnownTrees): Staged {
  let manifest: { version?: unknown; adlcContract?: unknown }
  try {
    const text = readFileSync(join(dir, 'plugin.json'), 'utf8')
    try {
      manifest = JSON.parse(text) as typeof manifest
    } catch {
      return { state: 'corrupt-manifest', ok: false, action: 'fail' }
    }
  } catch (error) {
    const absent = ['ENOENT', 'ENOTDIR'].includes(String((error as { code?: unknown }).code))
    return absent
      ? { state: 'not-installed', ok: false, action: 'install' }
      : { state: 'corrupt-manifest', ok: false, action: 'fail' }
  }
  const version = typeof manifest?.version === 'string' ? manifest.version : ''
  const order = compareVersions(version, PINNED_VERSION)
  if (order === undefined) return { state: 'corrupt-manifest', ok: false, action: 'fail' }
  if (order < 0) return { state: 'outdated-plugin', version, ok: false, action: 'install' }
  const contract = Number.isInteger(manifest.adlcContract) ? manifest.adlcContract : undefined
  if (order > 0) {
    if (contract === CONTRACT) return { state: 'compatible (newer-unpinned)', version, ok: true, action: 'keep' }
    if (contract === undefined) return { state: 'tolerant (unconfirmed-contract)', version, ok: true, action: 'keep' }
    return { state: 'incompatible-contract', version, ok: false, action: 'fail' }
  }
  const known = trees[version]
  if (known === undefined || !isSame(known, treeDigest(dir)))
    return { state: 'corrupt-tree', version, ok: false, action: 'reinstall' }
  if (contract !== CONTRACT) return { state: 'incompatible-contract', version, ok: false, action: 'reinstall' }
  return { state: 'compatible', version, ok: true, action: 'keep' }
}

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b))

const VERSION = /^(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:-([0-9A-Za-z.-]{1,64}))?(?:\+[0-9A-Za-z.-]{1,64})?$/

/** Negative, zero or positive; undefined where either is no version. A pre-release comes before its release. */
export function compareVersions(a: string, b: string): number | undefined {
  const [left, right] = [VERSION.exec(a), VERSION.exec(b)]
  if (left === null || right === null) return undefined
  for (const part of [1, 2, 3]) {
    const difference = Number(left[part]) - Number(right[part])
    if (difference !== 0) return difference
  }
  if (left[4] === right[4]) return 0
  if (left[4] === undefined) return 1
  if (right[4] === undefined) return -1
  return left[4].localeCompare(right[4], 'en', { numeric: true })
}

export interface Lookup {
  /** Root of this plugin or checkout. */
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  readonly bundled: boolean
}

/**
 * Where the companion's source lies beside a checkout: a path that a developer names (which needs
 * `AGB_DEV_ALLOW_UNVERIFIED_PLUGIN=1`), an installed package, a sibling checkout. A bundled build looks nowhere.
 */
export function companionSource({ root, env, bundled }: Lookup): string | undefined {
  if (bundled) return undefined
  const named = env['ADLC_ANTIGRAVITY_PLUGIN_PATH']
  if (named !== undefined && isAbsolute(named) && env['AGB_DEV_ALLOW_UNVERIFIED_PLUGIN'] === '1' && isCompanion(named))
    return named
  try {
    const found = dirname(createRequire(join(root, 'package.json')).resolve(`${PACKAGE}/package.json`))
    if (isCompanion(found)) return found
  } catch {
    // Not installed.
  }
  const sibling = join(dirname(root), COMPANION)
  return isCompanion(sibling) ? sibling : undefined
}

function isCompanion(dir: string): boolean {
  try {
    return (JSON.parse(readFileSync(join(dir, 'plugin.json'), 'utf8')) as { name?: unknown }).name === COMPANION
  } catch {
    return false
  }
}

/** Trees that this program has installed, by version. */
export function knownTrees(places: Places): KnownTrees {
  try {
    const read = JSON.parse(readFileSync(treesFile(places), 'utf8')) as Record<string, unknown>
    return Object.fromEntries(
      Object.entries(read).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    )
  } catch {
    return {}
  }
}

const treesFile = (places: Places): string => join(places.data, 'companion-trees.json')

export interface Archive {
  readonly bytes: Uint8Array
  /** Where it came from, for the host's list of imports. */
  readonly source: string
}

export class CompanionError extends Error {}

/**
 * Installs an archive of the companion. `sha512`: the digest that a person named, as hex or in the form of a lock file.
 * The old tree is put back, and an Error thrown, where anything is not as it must be. Returns what is staged then.
 */
export function installCompanion(archive: Archive, sha512: string, places: Places, now: Date): Staged {
  const digest = createHash('sha512').update(archive.bytes).digest()
  const wanted = digestOf(sha512)
  if (wanted === undefined) throw new CompanionError('--sha512 takes 128 hex digits, or sha512- and base64')
  if (!timingSafeEqual(digest, wanted))
    throw new CompanionError(`vendored-adlc-antigravity-tampered: the archive’s SHA-512 is ${digest.toString('hex')}`)
  const files = readArchive(archive.bytes)
  const version = checkManifests(files)
  mkdirSync(places.plugins, { recursive: true })
  // Beside the plugins, since a rename must not cross a file system, and not among them, since the host reads those.
  const work = mkdtempSync(join(dirname(places.plugins), '.sallyport-'))
  const [fresh, old, target] = [join(work, COMPANION), join(work, 'old'), join(places.plugins, COMPANION)]
  const importsBefore = existsSync(places.imports) ? readFileSync(places.imports) : undefined
  let moved = false
  let placed = false
  try {
    for (const { path, bytes, executable } of files) {
      mkdirSync(dirname(join(fresh, path)), { recursive: true })
      writeFileSync(join(fresh, path), bytes, { flag: 'wx', mode: executable ? 0o755 : 0o644 })
    }
    const trees = { ...knownTrees(places), [version]: treeDigest(fresh) }
    const staged = stagedCompanion(fresh, trees)
    if (!staged.ok) throw new CompanionError(`version ${version} of ${COMPANION} would be ${staged.state}`)
    const imports = readImports(importsBefore)
    const componentsOf = ['skills', 'agents', 'commands', 'mcpServers', 'hooks'] as const
    const has = (part: string): boolean => files.some(({ path }) => path === part || path.startsWith(`${part}/`))
    const components = componentsOf.filter((name) =>
      name === 'hooks' ? has('hooks.json') : name === 'mcpServers' ? has('mcp_config.json') : has(name),
    )
    const entry = { name: COMPANION, source: archive.source, importedAt: now.toISOString(), components }
    if (existsSync(target)) {
      renameSync(target, old)
      moved = true
    }
    renameSync(fresh, target)
    placed = true
    writeWhole(places.imports, withImport(withoutImport(imports, [COMPANION]), entry))
    writeWhole(treesFile(places), `${JSON.stringify(trees, undefined, 2)}\n`, 0o600)
    const after = stagedCompanion(target, knownTrees(places))
    if (!after.ok) throw new CompanionError(`after the installation ${COMPANION} is ${after.state}`)
    return after
  } catch (error) {
    if (placed) {
      rmSync(target, { recursive: true, force: true })
      if (importsBefore === undefined) rmSync(places.imports, { force: true })
      else writeWhole(places.imports, importsBefore)
    }
    if (moved) renameSync(old, target)
    throw error
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function digestOf(given: string): Buffer | undefined {
  if (/^[0-9a-f]{128}$/i.test(given)) return Buffer.from(given, 'hex')
  const [, base64] = /^sha512-([A-Za-z0-9+/]{86}==)$/.exec(given) ?? []
  return base64 === undefined ? undefined : Buffer.from(base64, 'base64')
}

function checkManifests(files: ReturnType<typeof readArchive>): string {
  const read = (path: string): Record<string, unknown> => {
    const file = files.find((one) => one.path === path)
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(file?.bytes)) as Record<string, unknown>
    } catch {
      throw new CompanionError(`the archive has no ${path} that can be read`)
    }
  }
  const [plugin, pack] = [read('plugin.json'), read('package.json')]
  if (plugin['name'] !== COMPANION) throw new CompanionError(`the archive is no ${COMPANION} plugin`)
  if (pack['name'] !== PACKAGE) throw new CompanionError(`the archive is no ${PACKAGE} package`)
  const { version } = plugin
  if (typeof version !== 'string' || compareVersions(version, version) === undefined || version !== pack['version'])
    throw new CompanionError('the archive’s versions are none, or differ')
  return version
}
