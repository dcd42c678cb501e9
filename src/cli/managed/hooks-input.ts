/** What `sallyport hooks` is given: a `hooks.json` on this machine with what lies about it, or an environment as the API takes it. */
import { lstatSync, readdirSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs'
import { basename, dirname, join, posix, relative, resolve, sep } from 'node:path'
import type { Network } from '../../managed/contract.ts'
import { readRules } from '../../managed/egress/rules.ts'
import type { HookFile } from '../../managed/hooks/model.ts'
import { programsOf } from '../../managed/hooks/programs.ts'
import { readHookBytes } from '../../managed/hooks/schema.ts'
import type { Io } from '../io.ts'

export interface TrialFile {
  readonly bytes: Uint8Array
  readonly executable: boolean
}

export interface HooksInput {
  /** What a person calls it. */
  readonly name: string
  /** Files of the environment, by absolute path. */
  readonly files: ReadonlyMap<string, TrialFile>
  /** Paths of the configurations, in the order in which they run. */
  readonly configurations: readonly string[]
  readonly roots: readonly string[]
  /** Whether a file that is not in `files` may be in the environment all the same, at this path. */
  mayHold(path: string): boolean
  /** Undefined: not known. */
  readonly network?: { readonly is: Network }
  /** Places whose content comes from elsewhere and is not here. */
  readonly elsewhere: readonly string[]
}

/** One sentence for stderr. */
export class InputError extends Error {}

/** Paths that are the system's in every environment: nothing can be put there. */
const isSystem = (path: string): boolean => /^\/(?:usr|bin|sbin|lib\w*|etc|proc|dev|sys|runtime)(?:\/|$)/.test(path)

/** Of what lies beside a configuration so many files and bytes are taken. */
const MOST = { files: 2_000, bytes: 32 << 20 }
const WHERE = '/.agents/hooks.json'

/** Reads what the words of the command line name. Throws `InputError`. */
export function readHooksInput(io: Io, file: string | undefined, environment: string | undefined): HooksInput {
  if (environment !== undefined) {
    if (file !== undefined) throw new InputError('name a FILE or --environment, not both')
    return fromEnvironment(resolve(io.cwd, environment))
  }
  return fromFile(resolve(io.cwd, file ?? join('.agents', 'hooks.json')), file === undefined)
}

/** A file in a directory `.agents` lies in the environment as it does here, with that directory; any other is put there alone. */
function fromFile(path: string, byDefault: boolean): HooksInput {
  const stat = statSync(path, { throwIfNoEntry: false })
  if (stat === undefined) {
    const way = byDefault ? '; name one' : ''
    throw new InputError(`there is no file ${path}${way}`)
  }
  if (!stat.isFile()) throw new InputError(`${path} is no file`)
  const files = new Map<string, TrialFile>([[WHERE, read(path)]])
  const dir = dirname(path)
  const whole = basename(dir) === '.agents'
  const root = whole ? dirname(dir) : dir
  if (whole) collect(dir, '/.agents', files)
  else collect(join(dir, 'hooks-scripts'), '/.agents/hooks-scripts', files)
  const configuration = readHookBytes({ path: WHERE, cwd: '/' }, files.get(WHERE)!.bytes)
  for (const name of scriptsOf(configuration)) {
    if (files.has(name) || isSystem(name) || name.startsWith('/.agents/')) continue
    // A path of the environment that also lies below the directory of `.agents`, as in a repository.
    const at = join(root, name)
    if (isFileBelow(root, at)) files.set(name, read(at))
  }
  const mayHold = (one: string) => !(whole ? one.startsWith('/.agents/') : one.startsWith('/.agents/hooks-scripts/'))
  return { name: path, files, configurations: [WHERE], roots: ['/'], elsewhere: [], mayHold }
}

/** Whether it is a file that no link leads out of `root`: what lies elsewhere is not handed to handlers. */
function isFileBelow(root: string, at: string): boolean {
  try {
    return realpathSync(at).startsWith(realpathSync(root) + sep) && statSync(at).isFile()
  } catch {
    return false
  }
}

const scriptsOf = ({ groups, cwd }: HookFile): readonly string[] =>
  groups.flatMap(({ rules }) =>
    Object.values(rules)
      .flat()
      .flatMap(({ handlers }) => handlers)
      .flatMap((handler) => (handler.is === 'command' ? programsOf(handler.command) : []))
      .map(({ path }) => posix.resolve(cwd, path)),
  )

function read(path: string): TrialFile {
  try {
    const { mode } = statSync(path)
    return { bytes: readFileSync(path), executable: (mode & 0o111) !== 0 }
  } catch {
    throw new InputError(`${path} cannot be read`)
  }
}

/** Regular files below a directory. Links are not followed. */
function collect(dir: string, to: string, files: Map<string, TrialFile>): void {
  let bytes = 0
  const walk = (at: string): void => {
    let names: readonly string[]
    try {
      names = readdirSync(at)
    } catch {
      return
    }
    for (const name of names) {
      const path = join(at, name)
      const stat: Stats | undefined = lstatSync(path, { throwIfNoEntry: false })
      if (stat?.isDirectory()) walk(path)
      if (!stat?.isFile()) continue
      bytes += stat.size
      if (files.size >= MOST.files || bytes > MOST.bytes)
        throw new InputError(`${dir} holds more than ${MOST.files} files or ${MOST.bytes >> 20} MiB`)
      files.set(posix.join(to, relative(dir, path).split(sep).join('/')), read(path))
    }
  }
  walk(dir)
}

/** An `environment` of a request, or a whole request that has one. */
function fromEnvironment(path: string): HooksInput {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch {
    throw new InputError(`the file ${path} cannot be read`)
  }
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new InputError(`${path} is no JSON`)
  }
  const outer = asObject(value, `${path} must be an object`)
  const inner = outer['environment'] === undefined ? outer : outer['environment']
  const spec = asObject(inner, `"environment" in ${path} must be an object`)
  const sources = spec['sources'] ?? []
  if (!Array.isArray(sources)) throw new InputError(`"sources" in ${path} must be a list`)
  const files = new Map<string, TrialFile>()
  const elsewhere: string[] = []
  const repositories: string[] = []
  for (const [i, one] of sources.entries()) {
    const source = asObject(one, `source ${i} in ${path} must be an object`)
    const { type, target, content, encoding } = source
    if (typeof target !== 'string') throw new InputError(`source ${i} in ${path} has no target`)
    const at = posix.resolve('/', target)
    if (isSystem(at)) throw new InputError(`source ${i} in ${path} targets ${at}, which belongs to the system`)
    if (type !== 'inline') {
      elsewhere.push(at)
      if (type === 'repository') repositories.push(at)
      continue
    }
    if (typeof content !== 'string') throw new InputError(`source ${i} in ${path} has no content`)
    // What arrives inline is no program of its own.
    files.set(at, { bytes: Buffer.from(content, encoding === 'base64' ? 'base64' : 'utf8'), executable: false })
  }
  const roots = [...new Set(['/', '/workspace', ...repositories])]
  const configurations = roots.map((root) => posix.join(root, WHERE)).filter((one) => files.has(one))
  if (configurations.length === 0) throw new InputError(`no inline source in ${path} is a .agents/hooks.json`)
  const mayHold = (one: string) => elsewhere.some((target) => one === target || one.startsWith(`${target}/`))
  return {
    name: path,
    files,
    configurations,
    roots,
    elsewhere,
    mayHold,
    network: { is: networkOf(spec['network'], path) },
  }
}

/** Network rules that the runtime would take. */
function networkOf(value: unknown, path: string): Network {
  try {
    readRules(value as Network)
  } catch (error) {
    throw new InputError(`${path}: ${error instanceof Error ? error.message.replace(/\.$/, '') : String(error)}`)
  }
  return value as Network
}

function asObject(value: unknown, otherwise: string): Readonly<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw new InputError(otherwise)
  return value as Readonly<Record<string, unknown>>
}
