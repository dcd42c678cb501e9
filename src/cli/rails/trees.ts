/** A commit's tree as a frozen world: the base is read from what git holds, never from the disk. */
import { relative, resolve } from 'node:path'
import type { Entry } from '../../core/question.ts'
import type { World } from '../../core/world.ts'
import { parentsOf, relativeTo } from '../../paths/lexical.ts'
import { type FrozenWorldFile, frozenWorld } from '../../world/frozen.ts'
import type { Git, TreeLine } from './git.ts'

/** Bytes of one file that is read as text: more than any store may have. */
const MOST_TEXT = 16 * 1024 * 1024 + 1
/** Stands for the repository where it has no work tree. */
const NOWHERE = '/repository'

export interface Tree {
  /** Entries by path from the top. */
  readonly entries: ReadonlyMap<string, TreeLine>
  /** Text of a file that was loaded. */
  text(path: string): string | undefined
  /** Whether there is an entry at or below a path. */
  has(path: string): boolean
  /** Directories that hold `.adlc`, the top as the empty text. */
  readonly homes: readonly string[]
  world(folds: boolean): World
  /** Answers what exists and what a directory lists, of the whole tree; all else is unknown. */
  names(): World
}

/** What lies below a link of the tree is not known. */
function nameWorld({
  entries,
  dirs,
  root,
}: {
  readonly entries: ReadonlyMap<string, TreeLine>
  readonly dirs: ReadonlySet<string>
  readonly root: string
}): World {
  const below = new Map<string, Entry[]>()
  const add = (path: string, kind: Entry['kind']) => {
    const cut = path.lastIndexOf('/')
    const dir = path.slice(0, Math.max(cut, 0))
    const entry = { name: path.slice(cut + 1), kind }
    const there = below.get(dir)
    if (there === undefined) below.set(dir, [entry])
    else there.push(entry)
  }
  const kindOf = (path: string): Entry['kind'] | undefined => {
    if (path === '' || dirs.has(path)) return 'dir'
    const mode = entries.get(path)?.mode
    return mode === undefined ? undefined : mode === MODES.link ? 'link' : mode === MODES.submodule ? 'dir' : 'file'
  }
  const isBehind = (path: string): boolean =>
    parentsOf(path).some((dir) => {
      const mode = entries.get(dir)?.mode
      return mode === MODES.link || mode === MODES.submodule
    })
  return {
    now: () => performance.now(),
    answer(question) {
      if (question.ask === 'time') return 'left'
      if (question.ask !== 'stat' && question.ask !== 'list') return 'unknown'
      const path = relativeTo(root, question.ask === 'stat' ? question.path : question.dir)
      if (path === undefined || isBehind(path)) return 'unknown'
      const kind = kindOf(path)
      if (question.ask === 'stat') {
        return kind === undefined ? 'absent' : { kind, size: 0, mtime: 0, inode: '', links: 1, mode: 0 }
      }
      if (kind !== 'dir') return 'absent'
      if (below.size === 0) {
        for (const dir of dirs) add(dir, 'dir')
        for (const name of entries.keys()) add(name, kindOf(name)!)
      }
      const all = below.get(path) ?? []
      return { entries: all.slice(0, question.limit), cut: all.length > question.limit }
    },
  }
}

export interface TreeFacts {
  readonly root: string
  /** Variables that the readers of stores ask for. */
  readonly env: Readonly<Record<string, string>>
}

/** The path that stands for the top: rails may name it, so it is the real one where there is one. */
export const rootOf = (top: string | undefined): string => (top?.startsWith('/') ? top : NOWHERE)

/** Files whose texts say what is frozen. */
const READ = /(?:^|\/)\.adlc\/|^\.sallyport\/|^\.github\/workflows\//

const MODES = { link: '120000', submodule: '160000' } as const
const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/** Reads the tree that `entries` list, with the texts that say what is frozen. */
export function readTree(git: Git, entries: readonly TreeLine[], facts: TreeFacts): Tree {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]))
  const stores = Object.values(facts.env).map((value) => relative(facts.root, resolve(facts.root, value)))
  const isStore = (path: string) => stores.some((store) => path === store || path.startsWith(`${store}/`))
  const loaded = entries.filter(({ path, mode }) => mode === MODES.link || READ.test(path) || isStore(path))
  const blobs = git.blobs(
    loaded.filter(({ mode }) => mode !== MODES.submodule).map(({ oid }) => oid),
    MOST_TEXT,
  )
  const bytesOf = (entry: TreeLine | undefined) => (entry === undefined ? undefined : blobs.get(entry.oid))
  const dirs = new Set<string>()
  const homes = new Set<string>()
  for (const { path } of entries) {
    for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      const dir = path.slice(0, at)
      if (dirs.has(dir)) break
      dirs.add(dir)
      if (/(?:^|\/)\.adlc$/.test(dir)) homes.add(dir.replace(/\/?\.adlc$/, ''))
    }
  }
  return {
    entries: byPath,
    homes: [...homes].sort(),
    has: (path) => byPath.has(path) || dirs.has(path),
    text(path) {
      const entry = byPath.get(path)
      if (entry === undefined || entry.mode === MODES.link || entry.mode === MODES.submodule) return undefined
      const bytes = bytesOf(entry)
      return bytes === undefined ? undefined : UTF8.decode(bytes)
    },
    names: () => nameWorld({ entries: byPath, dirs, root: facts.root }),
    world(folds) {
      const files: Record<string, FrozenWorldFile['files'][string]> = {
        [facts.root]: { type: 'dir' },
        [`${facts.root}/.git`]: { type: 'dir' },
      }
      for (const entry of loaded) {
        const at = `${facts.root}/${entry.path}`
        const bytes = bytesOf(entry)
        if (entry.mode === MODES.submodule) files[at] = { type: 'dir' }
        else if (entry.mode === MODES.link)
          files[at] = { type: 'symlink', target: UTF8.decode(bytes ?? new Uint8Array()) }
        // A text with a NUL is none, and neither is one that is too large.
        else if (bytes === undefined || bytes.includes(0)) files[at] = { type: 'file' }
        else files[at] = { type: 'file', content: UTF8.decode(bytes) }
      }
      return frozenWorld({
        ...{ platform: 'linux', user: 'nobody', home: '/', cwd: facts.root, workspaces: [facts.root], git: {} },
        files,
        env: facts.env,
        env_unset: STORES.filter((name) => !(name in facts.env)),
        case_insensitive: folds,
      })
    },
  }
}

/** Variables that name a further store. */
export const STORES: readonly string[] = ['ADLC_TICKET_STORE', 'ADLC_TICKETS']
