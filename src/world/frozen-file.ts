/** The file format of a frozen world: reading it, checking it, putting one on top of another. */
import { type Check, each, flag, isObject, joined, object, oneOf, shapeOf, text } from '../core/check.ts'

export interface FrozenFile {
  readonly type: 'dir' | 'file' | 'symlink'
  readonly content?: string
  readonly target?: string
  /** Octal, as `chmod` takes it. */
  readonly mode?: string
}

export interface FrozenGit {
  readonly branch?: string | null
  readonly default_branch?: string | null
  readonly upstream?: string | null
  readonly ahead?: number
  readonly behind?: number
  readonly remotes?: Readonly<Record<string, string>>
  readonly modified?: readonly string[]
  readonly staged?: readonly string[]
  readonly untracked?: readonly string[]
  readonly ignored?: readonly string[]
  readonly stashes?: number
  readonly linked_worktree?: boolean
  readonly worktrees?: readonly string[]
  readonly branches?: Readonly<Record<string, { readonly merged: boolean; readonly pushed: boolean }>>
  readonly tags?: readonly string[]
  /** `<how> <revision>` → the files that it would change; a revision that is not here says what HEAD says. */
  readonly brings?: Readonly<Record<string, readonly string[]>>
  readonly config?: Readonly<Record<string, string | readonly string[]>>
  readonly hooks_path?: string
}

/** A session as a world file gives it; what its calls mean is for the guard to read. */
export interface FrozenSession {
  readonly id?: string
  readonly interactive?: boolean
  readonly created?: readonly string[]
  readonly denied?: readonly Readonly<Record<string, unknown>>[]
  readonly history?: readonly Readonly<Record<string, unknown>>[]
  readonly approved?: readonly Readonly<Record<string, unknown>>[]
}

export interface FrozenWorldFile {
  readonly platform: 'linux' | 'darwin' | 'win32'
  readonly user: string
  readonly home: string
  readonly cwd: string
  readonly workspaces: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly env_unset?: readonly string[]
  readonly session?: FrozenSession
  readonly files: Readonly<Record<string, FrozenFile>>
  readonly git: Readonly<Record<string, FrozenGit>>
  readonly programs?: Readonly<Record<string, string | null>>
  readonly case_insensitive?: boolean
  readonly call?: { readonly tool: string; readonly input: unknown }
  /** Keys of a user policy, for the policy reader. */
  readonly policy?: Readonly<Record<string, unknown>>
}

const number: Check = (value) => (typeof value === 'number' && value >= 0 ? undefined : 'must be a number from 0 on')
const textOrNull: Check = (value) =>
  value === null || typeof value === 'string' ? undefined : 'must be a string or null'

const values =
  (check: Check): Check =>
  (value) => {
    if (!isObject(value)) return 'must be an object'
    for (const [key, item] of Object.entries(value)) {
      const problem = check(item)
      if (problem !== undefined) return joined(`[${JSON.stringify(key)}]`, problem)
    }
    return undefined
  }

/** `$comment` is for people. */
const shape = (keys: Readonly<Record<string, Check>>): Check => shapeOf(keys, 'a frozen world', ['$comment'])

const TEXTS = each(text)

const GIT = shape({
  'branch?': textOrNull,
  'default_branch?': textOrNull,
  'upstream?': textOrNull,
  'ahead?': number,
  'behind?': number,
  'remotes?': values(text),
  'modified?': TEXTS,
  'staged?': TEXTS,
  'untracked?': TEXTS,
  'ignored?': TEXTS,
  'stashes?': number,
  'linked_worktree?': flag,
  'worktrees?': TEXTS,
  'branches?': values(shape({ merged: flag, pushed: flag })),
  'tags?': TEXTS,
  'brings?': values(TEXTS),
  'config?': values((value) => (Array.isArray(value) ? TEXTS(value) : text(value))),
  'hooks_path?': text,
})

const WORLD = shape({
  platform: oneOf('linux', 'darwin', 'win32'),
  user: text,
  home: text,
  cwd: text,
  workspaces: TEXTS,
  env: values(text),
  'env_unset?': TEXTS,
  'session?': shape({
    'id?': text,
    'interactive?': flag,
    'created?': TEXTS,
    'denied?': each(object),
    'history?': each(object),
    'approved?': each(object),
  }),
  files: values(shape({ type: oneOf('dir', 'file', 'symlink'), 'content?': text, 'target?': text, 'mode?': octal })),
  git: values(GIT),
  'programs?': values(textOrNull),
  'case_insensitive?': flag,
  'call?': (value) =>
    isObject(value) && typeof value['tool'] === 'string' ? undefined : 'must be an object with tool',
  'policy?': object,
})

function octal(value: unknown): string | undefined {
  return typeof value === 'string' && /^0?[0-7]{3,4}$/.test(value) ? undefined : 'must be a mode in octal digits'
}

/** Checks a world that is already an object. Throws an Error of one sentence that begins with `name`. */
export function checkFrozenWorld(world: unknown, name: string): FrozenWorldFile {
  const problem = WORLD(world)
  if (problem) throw new Error(`${name}: ${problem}`)
  for (const [path, file] of Object.entries((world as FrozenWorldFile).files)) {
    if (file.type === 'symlink' && file.target === undefined) {
      throw new Error(`${name}: .files[${JSON.stringify(path)}].target is missing`)
    }
  }
  return world as FrozenWorldFile
}

/** Reads a world file. Throws an Error of one sentence that begins with `name` and says where the file is wrong. */
export function parseFrozenWorld(text: string, name: string): FrozenWorldFile {
  let world: unknown
  try {
    world = JSON.parse(text)
  } catch (error) {
    throw new Error(`${name}: is no JSON (${(error as Error).message})`)
  }
  return checkFrozenWorld(world, name)
}

/**
 * `base` with `set` merged in: objects key by key, everything else (lists too) replaced, `null` removes a key. Throws
 * as `parseFrozenWorld` does where the outcome is no world.
 */
export function mergeWorld(base: FrozenWorldFile, set: unknown, name = 'world'): FrozenWorldFile {
  return checkFrozenWorld(merge(base, set), name)
}

function merge(base: unknown, set: unknown): unknown {
  if (!isObject(set)) return set
  const out: Record<string, unknown> = isObject(base) ? { ...base } : {}
  for (const [key, value] of Object.entries(set)) {
    if (value === null) delete out[key]
    else out[key] = merge(out[key], value)
  }
  return out
}
