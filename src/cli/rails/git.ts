/**
 * What the check of a range needs of git: trees, differences, texts. Reading only: no hooks, no filters, no drivers that
 * the repository names, no replaced objects, nothing fetched.
 */
import { GIT_READING, gitEnv } from '../../world/disk-git.ts'

/** A person or a build waits for one call no longer than this, in milliseconds. */
const MOST_MS = 120_000
/** Output of one call; a tree of some million files. */
const MOST_BYTES = 512 * 1024 * 1024
/** Bytes of texts that one call reads. */
const MOST_BATCH = 64 * 1024 * 1024

/** Why git could not answer: a sentence without its full stop. */
export class GitProblem extends Error {}

export interface Ran {
  readonly code: number
  readonly out: Uint8Array
  readonly err: string
}

export interface TreeLine {
  readonly path: string
  readonly mode: string
  readonly oid: string
}

export interface DiffLine {
  readonly path: string
  readonly before?: { readonly mode: string; readonly oid: string }
  readonly after?: { readonly mode: string; readonly oid: string }
}

/** What a server's hook hands on: objects that have just come in, and the index that a commit is made from. */
const HANDED_ON = ['GIT_OBJECT_DIRECTORY', 'GIT_ALTERNATE_OBJECT_DIRECTORIES', 'GIT_QUARANTINE_PATH', 'GIT_INDEX_FILE']

/** git in one directory. */
export class Git {
  private readonly cwd: string
  private readonly env: Readonly<Record<string, string>>

  constructor(cwd: string, env: Readonly<Record<string, string | undefined>>) {
    const handed = HANDED_ON.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]] as const]))
    this.cwd = cwd
    this.env = {
      ...gitEnv(env),
      ...Object.fromEntries(handed),
      GIT_NO_REPLACE_OBJECTS: '1',
      GIT_NO_LAZY_FETCH: '1',
      GIT_GRAFT_FILE: process.platform === 'win32' ? 'NUL' : '/dev/null',
      GIT_LITERAL_PATHSPECS: '1',
    }
  }

  /** Runs git; throws where it cannot be run at all. */
  run(args: readonly string[], input?: string): Ran {
    const { spawnSync } = process.getBuiltinModule('node:child_process')
    const done = spawnSync('git', [...GIT_READING, '-C', this.cwd, ...args], {
      cwd: this.cwd,
      env: this.env,
      input: input ?? '',
      timeout: MOST_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MOST_BYTES,
      windowsHide: true,
    })
    const code = (done.error as { code?: string } | undefined)?.code
    if (code === 'ENOENT') throw new GitProblem('git cannot be run: there is no such program, or no such directory')
    if (code === 'ETIMEDOUT') throw new GitProblem(`git ${args[0]} took longer than ${MOST_MS / 1000} s`)
    if (done.error || done.status === null) throw new GitProblem(`git ${args[0]} could not be run to its end`)
    return { code: done.status, out: done.stdout, err: done.stderr.toString('utf8') }
  }

  /** Output of a call that must succeed. */
  out(args: readonly string[], input?: string): string {
    const { code, out, err } = this.run(args, input)
    if (code !== 0) throw new GitProblem(`git ${args[0]} failed: ${firstLine(err)}`)
    return text(out)
  }

  /** The repository: its work tree's top, or undefined where it has none. Throws where there is no repository. */
  top(): string | undefined {
    const found = this.run(['rev-parse', '--git-dir'])
    if (found.code !== 0) {
      const why = firstLine(found.err)
      throw new GitProblem(why.includes('not a git repository') ? `${this.cwd} lies in no git repository` : why)
    }
    const top = this.run(['rev-parse', '--show-toplevel'])
    return top.code === 0 ? text(top.out).replace(/\r?\n$/, '') : undefined
  }

  isShallow(): boolean {
    return text(this.run(['rev-parse', '--is-shallow-repository']).out).trim() === 'true'
  }

  /** The commit that a name stands for, or undefined. */
  commit(name: string): string | undefined {
    // A name that begins with a dash would be an option.
    if (name.startsWith('-') || name === '') return undefined
    const { code, out } = this.run(['rev-parse', '--verify', '--quiet', `${name}^{commit}`])
    const oid = text(out).trim()
    return code === 0 && OID.test(oid) ? oid : undefined
  }

  /** All best common ancestors; empty where there is none. */
  mergeBases(one: string, other: string): readonly string[] {
    const { code, out, err } = this.run(['merge-base', '--all', one, other])
    if (code > 1) throw new GitProblem(`git merge-base failed: ${firstLine(err)}`)
    return text(out)
      .split('\n')
      .filter((line) => OID.test(line))
  }

  tree(commit: string): readonly TreeLine[] {
    return parts(this.out(['ls-tree', '-r', '-z', '--full-tree', commit])).map((line) => {
      const tab = line.indexOf('\t')
      const [mode = '', , oid = ''] = line.slice(0, tab).split(' ')
      return { path: line.slice(tab + 1), mode, oid }
    })
  }

  /** What differs between two commits, or, where `to` is undefined, between a commit and the index. */
  diff(from: string, to: string | undefined): readonly DiffLine[] {
    const args =
      to === undefined ? ['diff-index', '--cached', ...RAW, from, '--'] : ['diff-tree', ...RAW, from, to, '--']
    const out: DiffLine[] = []
    for (const { path, line } of rawLines(this.out(args))) {
      const [oldMode = '', mode = '', oldOid = '', oid = '', status = ''] = line.slice(1).split(' ')
      if (status === 'U') throw new GitProblem(`the index holds a merge that is not resolved at ${path}`)
      out.push({
        path,
        ...(oldMode !== NOTHING && { before: { mode: oldMode, oid: oldOid } }),
        ...(mode !== NOTHING && { after: { mode, oid } }),
      })
    }
    return out
  }

  /** Commits that are in `head` and not in `base`, the newest first, with the paths that each changed by itself. */
  commits(base: string, head: string, most: number): { readonly list: readonly CommitPaths[]; readonly cut: boolean } {
    const oids = this.out(['rev-list', `--max-count=${most + 1}`, head, `^${base}`, '--'])
      .split('\n')
      .filter((line) => line !== '')
    const cut = oids.length > most
    const asked = oids.slice(0, most)
    if (asked.length === 0) return { list: [], cut }
    // A merge is shown with what differs from all its parents: what it does itself.
    const out = this.out(['diff-tree', '--stdin', '-c', ...RAW], `${asked.join('\n')}\n`)
    const found = new Map<string, string[]>(asked.map((oid) => [oid, []]))
    let paths: string[] | undefined
    for (const { path, line } of rawLines(out)) {
      if (line === '') paths = found.get(path)
      else paths?.push(path)
    }
    return { list: [...found].map(([oid, all]) => ({ oid, paths: all })), cut }
  }

  /** Sizes of blobs; what is missing or no blob is left out. */
  sizes(oids: Iterable<string>): ReadonlyMap<string, number> {
    const asked = [...new Set(oids)]
    if (asked.length === 0) return new Map()
    const lines = this.out(['cat-file', '--batch-check'], `${asked.join('\n')}\n`).split('\n')
    return new Map(
      lines.flatMap((line) => {
        const [oid = '', type, size] = line.split(' ')
        return type === 'blob' ? [[oid, Number(size)] as const] : []
      }),
    )
  }

  /** Blobs of at most `most` bytes each, in calls of bounded size; what is larger or missing is left out. */
  blobs(oids: Iterable<string>, most: number): ReadonlyMap<string, Uint8Array> {
    const out = new Map<string, Uint8Array>()
    let batch: string[] = []
    let bytes = 0
    const flush = () => {
      if (batch.length > 0) this.batch(batch, out)
      batch = []
      bytes = 0
    }
    for (const [oid, size] of this.sizes(oids)) {
      if (size > most) continue
      if (bytes + size > MOST_BATCH) flush()
      batch.push(oid)
      bytes += size
    }
    flush()
    return out
  }

  private batch(oids: readonly string[], into: Map<string, Uint8Array>): void {
    const { code, out, err } = this.run(['cat-file', '--batch'], `${oids.join('\n')}\n`)
    if (code !== 0) throw new GitProblem(`git cat-file failed: ${firstLine(err)}`)
    for (let at = 0; at < out.length; ) {
      const end = out.indexOf(NEWLINE, at)
      if (end < 0) break
      const [oid = '', type, size] = text(out.subarray(at, end)).split(' ')
      at = end + 1
      if (type === 'missing' || size === undefined) continue
      into.set(oid, out.subarray(at, at + Number(size)))
      at += Number(size) + 1
    }
  }
}

export interface CommitPaths {
  readonly oid: string
  readonly paths: readonly string[]
}

const OID = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
const NOTHING = '000000'
const NEWLINE = 10
const RAW = ['-r', '-z', '--raw', '--no-abbrev', '--no-renames', '--no-ext-diff', '--ignore-submodules=none']

const DECODER = new TextDecoder('utf-8', { ignoreBOM: true })
const text = (bytes: Uint8Array): string => DECODER.decode(bytes)
const firstLine = (err: string): string =>
  (err.trim().split('\n')[0] ?? '').replace(/^(?:fatal|error): /, '') || 'no reason'

function parts(all: string): readonly string[] {
  const out = all.split('\0')
  if (out.at(-1) === '') out.pop()
  return out
}

/** Lines of raw output with their path; a commit's own line comes with an empty `line`. */
function* rawLines(all: string) {
  const tokens = parts(all)
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!
    if (token.startsWith(':')) yield { path: tokens[++i] ?? '', line: token }
    else yield { path: token.trim(), line: '' }
  }
}
