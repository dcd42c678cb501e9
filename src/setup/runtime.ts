/**
 * The runtime that setup registers: our own program, and its Node where that could go away, copied to where neither a
 * project nor an upgrade reaches it. Read-only, with the hash of every file.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { hashOf, removeEmpty } from './edit/disk.ts'
import { hashOfFile } from './file-hash.ts'
import { isAlive } from './migration-lock.ts'
import { leavesOf } from './tree.ts'

/** What is copied of the package, below its root. */
const PARTS = [
  'bin',
  'dist',
  'receipts',
  'plugin/amp',
  'plugin/opencode',
  'plugin/pi',
  'package.json',
  'LICENSE',
] as const
const HOOK = 'dist/hook.cjs'
const NODE = 'node'
const MANIFEST = 'manifest.json'

/** Places of Nodes that stay when a project or a version manager goes: those of the system and of its package manager. */
const LASTING = [
  '/usr/bin',
  '/bin',
  '/usr/local/bin',
  '/opt/homebrew/bin',
  '/opt/local/bin',
  '/home/linuxbrew/.linuxbrew/bin',
]

interface Manifest {
  readonly v: 1
  readonly version: string
  /** SHA-256 by path below the directory. */
  readonly files: Readonly<Record<string, string>>
}

export interface Runtime {
  readonly dir: string
  readonly node: string
  readonly hook: string
}

/** Where runtimes lie: `$XDG_DATA_HOME/sallyport`, else below the home directory. */
export function runtimesDir(env: Readonly<Record<string, string | undefined>>, home: string): string {
  const given = env['XDG_DATA_HOME']
  return join(given !== undefined && isAbsolute(given) ? given : join(home, '.local', 'share'), 'sallyport')
}

/** The path by which a Node may be registered as it is; undefined where a copy is needed. */
export function lastingNode(node: string, places: readonly string[] = LASTING): string | undefined {
  return places
    .map((dir) => join(dir, 'node'))
    .find((path) => {
      try {
        return realpathSync(path) === realpathSync(node)
      } catch {
        return false
      }
    })
}

export interface Source {
  /** Root of the package that runs now. */
  readonly root: string
  readonly version: string
  /** The Node that runs now. */
  readonly node: string
  /** Where runtimes lie. */
  readonly to: string
}

/** Where the runtime of a source will lie, without making anything. Throws where the source is not built. */
export function plannedRuntime({ root, version, node, to }: Source): Runtime & { readonly manifest: Manifest } {
  if (lstatSync(join(root, HOOK), { throwIfNoEntry: false }) === undefined)
    throw new Error(`${join(root, HOOK)} is not there; build it first: npm run -s build`)
  const lasting = lastingNode(node)
  const own = readManifest(root)
  // A runtime is no source of another: it is taken as it was made.
  if (own !== undefined) return { ...runtimeIn(root, own, lasting ?? node), manifest: own }
  const files = filesOf(root)
  const manifest: Manifest = {
    v: 1,
    version,
    files: {
      ...Object.fromEntries(files.map((path) => [path, hashOfFile(join(root, path))])),
      ...(lasting === undefined ? { [NODE]: hashOfFile(node) } : {}),
    },
  }
  // Another build of the same version stands beside it: hooks that run at this moment go on with what they began with.
  const plain = join(to, version)
  const there = readManifest(plain)
  const same = there !== undefined && JSON.stringify(there.files) === JSON.stringify(manifest.files)
  const taken = lstatSync(plain, { throwIfNoEntry: false }) !== undefined
  const dir = same || !taken ? plain : `${plain}-${hashOf(Buffer.from(JSON.stringify(manifest.files))).slice(0, 8)}`
  return { ...runtimeIn(dir, manifest, lasting ?? node), manifest }
}

const runtimeIn = (dir: string, manifest: Manifest, lasting: string): Runtime => ({
  dir,
  node: NODE in manifest.files ? join(dir, NODE) : lasting,
  hook: join(dir, HOOK),
})

function filesOf(root: string): readonly string[] {
  const built = builtFiles(root)
  return PARTS.flatMap((part) => {
    const found = lstatSync(join(root, part), { throwIfNoEntry: false })
    if (found === undefined) return []
    if (found.isFile()) return [part]
    return leavesOf(join(root, part))
      .filter(({ kind }) => kind === 'file')
      .map(({ path }) => `${part}/${path}`)
      .filter((path) => part !== 'dist' || built === undefined || built.has(path))
  })
}

/** What the last build of a checkout made; files of builds before it stay for a while. Undefined in a package. */
function builtFiles(root: string): ReadonlySet<string> | undefined {
  try {
    const paths = readFileSync(join(root, 'dist/files.txt'), 'utf8').split('\n').filter(Boolean)
    return new Set(paths.map((path) => `dist/${path}`))
  } catch {
    return undefined
  }
}

/** Puts the runtime there, or mends it. True where something was written. */
export function putRuntime(source: Source): Runtime & { readonly wrote: boolean } {
  const { dir, node, hook, manifest } = plannedRuntime(source)
  const faults = runtimeFaults(dir)
  if (faults.length === 0 && lstatSync(dir, { throwIfNoEntry: false }) !== undefined)
    return { dir, node, hook, wrote: false }
  if (source.root === dir)
    throw new Error(`this program is itself the runtime that is spoiled (${faults[0]}); run setup of a fresh package`)
  mkdirSync(source.to, { recursive: true, mode: 0o700 })
  const part = join(source.to, `.${manifest.version}.${process.pid}`)
  remove(part)
  try {
    for (const path of Object.keys(manifest.files)) {
      const to = join(part, path)
      mkdirSync(dirname(to), { recursive: true, mode: 0o755 })
      const from = path === NODE ? source.node : join(source.root, path)
      copyFileSync(from, to, constants.COPYFILE_FICLONE)
      chmodSync(to, path === NODE || path.startsWith('bin/') || path === HOOK ? 0o555 : 0o444)
    }
    writeFileSync(join(part, MANIFEST), `${JSON.stringify(manifest, undefined, 2)}\n`, { mode: 0o444 })
  } catch (error) {
    remove(part)
    removeEmpty([source.to])
    throw error
  }
  const old = `${part}.old`
  if (lstatSync(dir, { throwIfNoEntry: false }) !== undefined) renameSync(dir, old)
  renameSync(part, dir)
  setModes(dir, 0o555)
  remove(old)
  return { dir, node, hook, wrote: true }
}

function setModes(root: string, mode: number): void {
  for (const { path, kind } of leavesOf(root)) if (kind === 'dir') chmodSync(join(root, path), mode)
  chmodSync(root, mode)
}

/** Removes a runtime, read-only as it is. */
function remove(dir: string): void {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return
  setModes(dir, 0o700)
  rmSync(dir, { recursive: true, force: true })
}

function readManifest(dir: string): Manifest | undefined {
  try {
    const read = JSON.parse(readFileSync(join(dir, MANIFEST), 'utf8')) as Partial<Manifest>
    return read.v === 1 && typeof read.files === 'object' && typeof read.version === 'string'
      ? (read as Manifest)
      : undefined
  } catch {
    return undefined
  }
}

/** What is wrong with a runtime, each as one clause; none where it is whole. */
export function runtimeFaults(dir: string): readonly string[] {
  if (lstatSync(dir, { throwIfNoEntry: false }) === undefined) return [`${dir} is gone`]
  const manifest = readManifest(dir)
  if (manifest === undefined) return [`${join(dir, MANIFEST)} cannot be read`]
  return Object.entries(manifest.files).flatMap(([path, sha256]) => {
    try {
      return hashOfFile(join(dir, path)) === sha256 ? [] : [`${join(dir, path)} was changed`]
    } catch (error) {
      const code = (error as { code?: string }).code
      return [code === 'ENOENT' ? `${join(dir, path)} is gone` : `${join(dir, path)} cannot be read (${code})`]
    }
  })
}

/** The version that a runtime says it is; undefined where it says none. */
export const runtimeVersion = (dir: string): string | undefined => readManifest(dir)?.version

/** A runtime that is being put together, by the number of its process. */
const PART = /^\..+\.(\d+)(?:\.old)?$/

/** The directories of the runtimes that lie there. */
export const runtimesIn = (to: string): readonly string[] =>
  namesIn(to)
    .map((name) => join(to, name))
    .filter((dir) => readManifest(dir) !== undefined)

function namesIn(dir: string): readonly string[] {
  try {
    return readdirSync(dir)
  } catch {
    return []
  }
}

/** Removes the runtimes that `used` does not name and that are older than `days`, and the directory itself where none is left. */
export function dropRuntimes(to: string, used: ReadonlySet<string>, days: number): readonly string[] {
  const gone = runtimesIn(to)
    .filter((dir) => !used.has(dir))
    .filter((dir) => Date.now() - lstatSync(dir).ctimeMs >= days * 24 * 3600 * 1000)
  for (const dir of gone) remove(dir)
  // What a run that was killed had begun.
  for (const name of namesIn(to))
    if (PART.test(name) && !isAlive({ pid: Number(PART.exec(name)![1]), startTime: '' })) remove(join(to, name))
  try {
    if (readdirSync(to).length === 0) rmSync(to, { recursive: true })
  } catch {
    // Something else lies there.
  }
  return gone
}
