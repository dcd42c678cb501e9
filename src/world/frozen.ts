/** A world from a file: the same questions, answered the same way on any machine. */
import type { Answer, Asks, Entry, GitFact, GitState, Question, Stat, TextEntry } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { textOfBytes } from './bytes.ts'
import type { FrozenFile, FrozenGit, FrozenWorldFile } from './frozen-file.ts'
import { readGitConfig } from './git-config.ts'

export { checkFrozenWorld, type FrozenWorldFile, mergeWorld, parseFrozenWorld } from './frozen-file.ts'

/** Links that one look-up may pass, as on Linux. */
const MOST_LINKS = 40

interface Node {
  /** As the file writes it. */
  readonly path: string
  readonly file: FrozenFile
  readonly children: Map<string, Entry>
}

/**
 * A world that answers from `json`. A path that is absent there does not exist, directories above a listed path do;
 * a file without content cannot be read; a variable in neither `env` nor `env_unset` is unknown; a program that is
 * not listed lies in `/usr/bin`; a directory not in `git` is no repository. Its clock stands still unless `now` is given.
 */
export function frozenWorld(json: FrozenWorldFile, options: { now?: () => number } = {}): World {
  const windows = json.platform === 'win32'
  const folds = json.case_insensitive ?? json.platform !== 'linux'
  const names: Names = { windows, folds }
  const nodes = treeOf(json, names)

  /** The node at a path as the system finds it, following links on the way. Undefined: absent; `loop`: too many. */
  function find(path: string, follow: boolean): Node | 'loop' | undefined {
    const todo = split(path, names).reverse()
    let at: string[] = []
    let links = 0
    while (todo.length > 0) {
      const name = todo.pop()!
      if (name === '..') {
        if (at.length > 1) at.pop()
        continue
      }
      at.push(name)
      const node = nodes.get(keyOf(at, names))
      if (node === undefined) return undefined
      if (node.file.type === 'file' && todo.length > 0) return undefined
      if (node.file.type !== 'symlink' || (todo.length === 0 && !follow)) continue
      if (++links > MOST_LINKS) return 'loop'
      const target = node.file.target ?? ''
      at.pop()
      if (isRooted(target, names)) at = []
      todo.push(...split(target, names).reverse())
    }
    return nodes.get(keyOf(at, names))
  }

  function stat(path: string): Asks['stat'][1] | 'unknown' {
    const node = find(path, false)
    if (node === 'loop') return 'unknown'
    return node === undefined ? 'absent' : statOf(node)
  }

  function list(dir: string, limit: number): Asks['list'][1] | 'unknown' {
    const node = find(dir, true)
    if (node === 'loop') return 'unknown'
    if (node === undefined || node.file.type !== 'dir') return 'absent'
    const entries = [...node.children.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
    return { entries: entries.slice(0, limit), cut: entries.length > limit }
  }

  function text(path: string, limit: number): Asks['text'][1] | 'unknown' {
    const node = find(path, true)
    if (node === 'loop') return 'unknown'
    if (node === undefined) return 'absent'
    const { content, type } = node.file
    if (type !== 'file' || content === undefined) return 'unreadable'
    return textOfBytes(new TextEncoder().encode(content), limit)
  }

  const known = new Map<string, Asks['texts'][1] | 'unknown'>()

  function texts({ dir, limit, each, total }: Asks['texts'][0]): Asks['texts'][1] | 'unknown' {
    const key = `${limit} ${each} ${total} ${dir}`
    const before = known.get(key)
    if (before !== undefined) return before
    const listed = list(dir, limit)
    let size = 0
    const withText = (entry: Entry): TextEntry => {
      if (entry.kind !== 'file' || size > total) return entry
      const found = text(`${dir}${windows ? '\\' : '/'}${entry.name}`, each)
      size += typeof found === 'object' ? found.text.length : 0
      return { ...entry, text: found }
    }
    const answer = typeof listed === 'string' ? listed : { entries: listed.entries.map(withText), cut: listed.cut }
    known.set(key, answer)
    return answer
  }

  function links(paths: readonly string[]): Asks['links'][1] {
    const out: { path: string; target: string }[] = []
    for (const path of paths) {
      const node = find(path, false)
      // What lies behind a loop is not there.
      if (node === undefined || node === 'loop' || node.file.type !== 'symlink') continue
      out.push({ path, target: node.file.target ?? '' })
    }
    return out
  }

  const env = new Map(Object.entries(json.env).map(([name, value]) => [windows ? name.toUpperCase() : name, value]))
  const unset = new Set((json.env_unset ?? []).map((name) => (windows ? name.toUpperCase() : name)))

  function variable(asked: string): Asks['env'][1] | 'unknown' {
    const name = windows ? asked.toUpperCase() : asked
    const value = env.get(name)
    if (value !== undefined) return { value }
    return unset.has(name) ? 'unset' : 'unknown'
  }

  function which(program: string): Asks['which'][1] | 'unknown' {
    if (program.includes('/') || (windows && program.includes('\\'))) {
      const node = find(isRooted(program, names) ? program : `${json.cwd}/${program}`, true)
      return node !== undefined && node !== 'loop' && node.file.type === 'file' ? { path: node.path } : 'absent'
    }
    const known = json.programs && Object.hasOwn(json.programs, program) ? json.programs[program] : undefined
    if (known === null || program === '') return 'absent'
    return { path: known ?? (windows ? `C:\\Windows\\System32\\${program}.exe` : `/usr/bin/${program}`) }
  }

  const repos = new Map(Object.entries(json.git).map(([root, git]) => [keyOf(split(root, names), names), git]))
  const repoAt = (path: string) => repos.get(keyOf(split(path, names), names))

  function config(repo: string, key: string): readonly string[] {
    const separator = windows ? '\\' : '/'
    const out: string[] = []
    for (const file of [`${json.home}${separator}.gitconfig`, `${repo}${separator}.git${separator}config`]) {
      const node = find(file, true)
      if (node !== undefined && node !== 'loop') out.push(...readGitConfig(node.file.content ?? '', key))
    }
    const git = repoAt(repo)
    const wanted = configKey(key)
    for (const [name, value] of Object.entries(git?.config ?? {})) {
      if (configKey(name) === wanted) out.push(...(typeof value === 'string' ? [value] : value))
    }
    if (wanted === 'core.hookspath' && git?.hooks_path !== undefined) out.push(git.hooks_path)
    return out
  }

  function reply(question: Question): Answer {
    switch (question.ask) {
      case 'stat':
        return stat(question.path)
      case 'list':
        return list(question.dir, question.limit)
      case 'text':
        return text(question.path, question.limit)
      case 'texts':
        return texts(question)
      case 'links':
        return links(question.paths)
      case 'env':
        return variable(question.name)
      case 'which':
        return which(question.program)
      case 'time':
        return 'left'
      case 'gitConfig':
        return config(question.repo, question.key)
      case 'git': {
        const git = repoAt(question.repo)
        return git === undefined ? {} : gitOf(git, question.of)
      }
      case 'gitBrings':
        return repoAt(question.repo)?.brings?.[`${question.how} ${question.rev}`] ?? []
    }
  }

  return { answer: reply, now: options.now ?? (() => 0) }
}

interface Names {
  readonly windows: boolean
  readonly folds: boolean
}

/** Components; on Windows the drive is the first. */
function split(path: string, names: Names): string[] {
  const text = names.windows ? path.replaceAll('/', '\\') : path
  return text.split(names.windows ? '\\' : '/').filter((part) => part !== '' && part !== '.')
}

const isRooted = (path: string, names: Names): boolean =>
  names.windows ? /^(?:[a-z]:)?[\\/]/i.test(path) : path.startsWith('/')

function keyOf(parts: readonly string[], names: Names): string {
  const text = parts.join('/')
  return names.folds ? text.normalize('NFC').toUpperCase().toLowerCase() : text
}

function treeOf(json: FrozenWorldFile, names: Names): ReadonlyMap<string, Node> {
  const nodes = new Map<string, Node>()
  const DIR: FrozenFile = { type: 'dir' }
  const put = (parts: readonly string[], file: FrozenFile, path: string) => {
    const key = keyOf(parts, names)
    const before = nodes.get(key)
    if (before && file === DIR) return
    nodes.set(key, { path, file, children: before?.children ?? new Map() })
    if (parts.length === 0) return
    const parent = parts.slice(0, -1)
    put(parent, DIR, pathOf(parent, names))
    const kind = file.type === 'symlink' ? 'link' : file.type
    const name = parts.at(-1)!
    nodes.get(keyOf(parent, names))!.children.set(keyOf([name], names), { name, kind })
  }
  put([], DIR, names.windows ? '\\' : '/')
  for (const [path, file] of Object.entries(json.files)) put(split(path, names), file, path)
  return nodes
}

const pathOf = (parts: readonly string[], names: Names): string =>
  names.windows ? (parts.length === 1 ? `${parts[0]}\\` : parts.join('\\')) : `/${parts.join('/')}`

function statOf(node: Node): Stat {
  const { type, content, target, mode } = node.file
  const facts = {
    size: new TextEncoder().encode(content ?? target ?? '').length,
    mtime: 0,
    inode: `0:${node.path}`,
    links: 1,
    mode: mode === undefined ? (type === 'file' ? 0o644 : 0o755) : Number.parseInt(mode, 8),
  }
  if (type === 'symlink') return { kind: 'link', target: target ?? '', ...facts }
  return { kind: type, ...facts }
}

/** Sections and names of git's configuration ignore case, what stands between does not. */
function configKey(key: string): string {
  const first = key.indexOf('.')
  const last = key.lastIndexOf('.')
  return first < 0
    ? key.toLowerCase()
    : key.slice(0, first).toLowerCase() + key.slice(first, last) + key.slice(last).toLowerCase()
}

const KEYS: Readonly<Record<GitFact, readonly (readonly [keyof GitState, keyof FrozenGit])[]>> = {
  head: [
    ['branch', 'branch'],
    ['defaultBranch', 'default_branch'],
    ['upstream', 'upstream'],
    ['ahead', 'ahead'],
    ['behind', 'behind'],
  ],
  changes: [
    ['modified', 'modified'],
    ['staged', 'staged'],
    ['untracked', 'untracked'],
  ],
  ignored: [['ignored', 'ignored']],
  branches: [['branches', 'branches']],
  tags: [['tags', 'tags']],
  stashes: [['stashes', 'stashes']],
  worktrees: [
    ['worktrees', 'worktrees'],
    ['linkedWorktree', 'linked_worktree'],
  ],
  remotes: [['remotes', 'remotes']],
}

function gitOf(git: FrozenGit, of: readonly GitFact[]): GitState {
  const out: Record<string, unknown> = {}
  for (const fact of of) for (const [to, from] of KEYS[fact]) if (git[from] !== undefined) out[to] = git[from]
  return out as GitState
}
