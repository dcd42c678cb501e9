/**
 * What git says of a repository. Reading must not change it, wait for anyone, or run a program that the repository
 * names: no locks, no prompts, no pager, no file watcher, no hooks, no filters of the repository's own.
 */
import type { SpawnSyncReturns } from 'node:child_process'
import { resolve } from 'node:path'
import type { Asks, GitFact, GitState } from '../core/question.ts'
import { clock } from './clock.ts'

const NOWHERE = process.platform === 'win32' ? '\\\\.\\nul' : '/dev/null'

/** One git call may take this long, in milliseconds, however much the verdict has left. */
const MOST_MS = 3000
/** Output above this is no list that a verdict can use. */
const MOST_BYTES = 64 * 1024 * 1024
/** Commits counted where there is no upstream. */
const MOST_COMMITS = '10000'

export interface GitRunner {
  /** Runs git in `repo` until `deadline` (on `clock()`). Undefined: no git, time-out or too much output. */
  run(repo: string, args: readonly string[], deadline: number, options?: readonly string[]): Ran | undefined
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

const READ_ONLY = ['--no-optional-locks', '--no-pager']

/** Not for reading the configuration itself, where they would show as values. */
const HARDENED = [
  ...['core.fsmonitor=false', 'core.untrackedCache=keep', `core.hooksPath=${NOWHERE}`, 'core.quotePath=false'],
  ...['log.showSignature=false', 'submodule.recurse=false', 'status.submoduleSummary=false'],
].flatMap((setting) => ['-c', setting])

/** Options before the verb of a call that only reads. */
export const GIT_READING: readonly string[] = [...READ_ONLY, ...HARDENED]

/** The environment for git. Variables that steer it are not passed on. */
export function gitEnv(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const own: Record<string, string> = {}
  for (const [name, value] of Object.entries(env)) {
    if (value !== undefined && !name.toUpperCase().startsWith('GIT_')) own[name] = value
  }
  return Object.assign(own, {
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
    GIT_PAGER: 'cat',
    LC_ALL: 'C',
    LANGUAGE: 'C',
  })
}

/** A runner for the git at `program`. */
export function gitRunner(env: Readonly<Record<string, string | undefined>>, program: string | undefined): GitRunner {
  const own = gitEnv(env)
  return {
    run(repo, args, deadline, options = []) {
      const left = Math.floor(deadline - clock())
      if (program === undefined || left <= 0) return undefined
      const settings = args[0] === 'config' ? [] : HARDENED
      // Loading this module costs more than most verdicts do, so it waits until git is needed.
      const { spawnSync } = process.getBuiltinModule('node:child_process')
      const done: SpawnSyncReturns<string> = spawnSync(
        program,
        [...READ_ONLY, ...settings, ...options, '-C', repo, ...args],
        {
          cwd: repo,
          env: own,
          encoding: 'utf8',
          stdio: ['ignore', 'pipe', 'pipe'],
          timeout: Math.min(left, MOST_MS),
          killSignal: 'SIGKILL',
          maxBuffer: MOST_BYTES,
          windowsHide: true,
        },
      )
      if (done.error || done.status === null) return undefined
      return { code: done.status, out: done.stdout, err: done.stderr }
    },
  }
}

/** All values of a configuration key, in git's order; empty where it is not set. */
export function gitConfig(git: GitRunner, repo: string, key: string, left: number): readonly string[] | 'unknown' {
  const ran = git.run(repo, ['config', '-z', '--get-all', key], clock() + left)
  if (ran === undefined || ran.code > 1) return 'unknown'
  return ran.code === 1 ? [] : nul(ran.out)
}

/**
 * The facts asked for. Empty where there is no repository. `unknown` where git fails, refuses or takes too long: half
 * an answer would look like a clean repository.
 */
export function gitState(git: GitRunner, repo: string, of: readonly GitFact[], left: number): GitState | 'unknown' {
  const deadline = clock() + left
  const call: Git = (args, options) => {
    const ran = git.run(repo, args, deadline, options)
    if (ran === undefined) throw new Failed()
    return ran
  }
  const isNone = (): boolean => {
    const probe = call(['rev-parse', '--git-dir'])
    if (probe.code === 0) return false
    if (probe.err.includes('not a git repository')) return true
    throw new Failed()
  }
  const read = (): GitState => {
    let state: GitState = {}
    for (const fact of new Set(of)) state = { ...state, ...FACTS[fact](call, repo) }
    return state
  }
  try {
    // Any other fact fails where there is none, which then is looked into.
    if (of.every((fact) => QUIET.has(fact)) && isNone()) return {}
    try {
      return read()
    } catch (error) {
      // Each call costs a process: whether there is a repository at all is asked only where that may be why.
      if (error instanceof Failed && isNone()) return {}
      throw error
    }
  } catch (error) {
    if (error instanceof Failed) return 'unknown'
    throw error
  }
}

/** Facts that git tells without an error where there is no repository. */
const QUIET: ReadonlySet<GitFact> = new Set(['stashes', 'remotes'])

/** Revisions of other names than git's own: a branch that only a remote has, the branch before. */
function commitOf(git: Git, rev: string): string | undefined {
  const verified = (name: string) =>
    git(['rev-parse', '--verify', '--quiet', '--end-of-options', `${name}^{commit}`]).out.trim() || undefined
  const known = verified(rev === '-' ? '@{-1}' : rev)
  if (known !== undefined || !/^[\w./-]+$/.test(rev) || rev.startsWith('-')) return known
  return lines(out(git, ['for-each-ref', '--format=%(objectname)', `refs/remotes/*/${rev}`]))[0]
}

/** Two ends of a range. */
const RANGE = /^(.*?)\.\.\.?(.*)$/s

/** The tracked files that git would change to what a revision says, without looking for renames. */
export function gitBrings(
  git: GitRunner,
  { repo, how, rev }: Asks['gitBrings'][0],
  left: number,
): Asks['gitBrings'][1] | 'unknown' {
  const deadline = clock() + left
  const call: Git = (args, options) => {
    const ran = git.run(repo, args, deadline, options)
    if (ran === undefined) throw new Failed()
    return ran
  }
  try {
    const range = how === 'of' ? RANGE.exec(rev) : null
    const ends = (range === null ? [rev] : [range[1] || 'HEAD', range[2] || 'HEAD']).map((end) => commitOf(call, end))
    if (ends.some((end) => end === undefined)) return 'absent'
    const names = ['--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '--ignore-submodules=none', '-z']
    const [first, last] = ends as [string, string?]
    if (how !== 'of')
      return nul(
        out(call, [
          'diff',
          ...names,
          how === 'to' ? 'HEAD' : `HEAD...${first}`,
          ...(how === 'to' ? [first] : []),
          '--',
        ]),
      )
    const log = last === undefined ? ['-1', first] : [`${first}..${last}`]
    return [...new Set(nul(out(call, ['log', '--format=', '-m', ...names, ...log, '--'])))]
  } catch (error) {
    if (error instanceof Failed) return 'unknown'
    throw error
  }
}

class Failed extends Error {}

type Git = (args: readonly string[], options?: readonly string[]) => Ran

/** Output of a call that must succeed. */
function out(git: Git, args: readonly string[], options?: readonly string[]): string {
  const ran = git(args, options)
  if (ran.code !== 0) throw new Failed()
  return ran.out
}

const nul = (text: string): string[] => {
  const parts = text.split('\0')
  if (parts.at(-1) === '') parts.pop()
  return parts
}

const lines = (text: string): string[] => text.split('\n').filter((line) => line !== '')

const FACTS: Readonly<Record<GitFact, (git: Git, repo: string) => GitState>> = {
  head,
  changes,
  ignored: (git) => ({
    ignored: nul(
      out(git, ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory', '--full-name', ':/']),
    ).map((path) => path.replace(/\/$/, '')),
  }),
  branches,
  tags: (git) => ({ tags: lines(out(git, ['for-each-ref', '--format=%(refname:strip=2)', 'refs/tags'])) }),
  stashes(git) {
    if (git(['rev-parse', '--verify', '--quiet', 'refs/stash']).code !== 0) return { stashes: 0 }
    return { stashes: Number(out(git, ['rev-list', '--walk-reflogs', '--count', 'refs/stash', '--'])) }
  },
  worktrees(git, repo) {
    const worktrees = nul(out(git, ['worktree', 'list', '--porcelain', '-z']))
      .filter((line) => line.startsWith('worktree '))
      .map((line) => line.slice('worktree '.length))
    const [own, common] = lines(out(git, ['rev-parse', '--git-dir', '--git-common-dir']))
    return { worktrees, linkedWorktree: resolve(repo, own ?? '') !== resolve(repo, common ?? '') }
  },
  remotes(git) {
    const ran = git(['config', '-z', '--get-regexp', '^remote\\..*\\.url$'])
    if (ran.code > 1) throw new Failed()
    const remotes: Record<string, string> = {}
    for (const pair of nul(ran.out)) {
      const [key = '', url = ''] = pair.split('\n')
      remotes[key.slice('remote.'.length, -'.url'.length)] ??= url
    }
    return { remotes }
  },
}

/** What HEAD names, read from its file where that is plain; a process of git costs more than all else of a verdict. */
function headRef(git: Git, repo: string): string | undefined {
  try {
    const { readFileSync } = process.getBuiltinModule('node:fs')
    const text = readFileSync(resolve(repo, '.git', 'HEAD'), 'utf8')
    const ref = /^ref: (refs\/heads\/[^\s]+)\n?$/.exec(text)?.[1]
    // Where references lie in tables the file holds a name that is none.
    if (ref !== undefined && ref !== 'refs/heads/.invalid') return ref
  } catch {
    // A linked work tree, or none at all: git knows.
  }
  const named = git(['symbolic-ref', '--quiet', 'HEAD'])
  return named.code === 0 ? named.out.trim() : undefined
}

/** Branches that are the default one by their usual names, nearest first. */
const USUAL = ['refs/heads/main', 'refs/heads/master', 'refs/remotes/origin/main', 'refs/remotes/origin/master']

const usualOf = (has: (ref: string) => boolean): string | undefined => USUAL.find(has)?.replace(/^.*\//, '')

function head(git: Git, repo: string): GitState {
  const ref = headRef(git, repo)
  const branch = ref?.startsWith('refs/heads/') ? ref.slice('refs/heads/'.length) : null
  const format = '--format=%(refname)%00%(symref)%00%(upstream:short)%00%(upstream:track,nobracket)'
  const asked = ['refs/remotes/origin/HEAD', ...USUAL, ...(branch === null ? [] : [`refs/heads/${branch}`])]
  const refs = new Map(
    lines(out(git, ['for-each-ref', format, ...new Set(asked)])).map((line) => {
      const [name = '', symref = '', upstream = '', track = ''] = line.split('\0')
      return [name, { symref, upstream, track }] as const
    }),
  )
  const origin = refs.get('refs/remotes/origin/HEAD')?.symref.replace('refs/remotes/origin/', '')
  const usualName = usualOf((name) => refs.has(name))
  const own = branch === null ? undefined : refs.get(`refs/heads/${branch}`)
  const upstream = own?.upstream || null
  const base: GitState = { branch, defaultBranch: origin || usualName || null, upstream }
  if (upstream !== null && own!.track !== 'gone') {
    const count = (word: string) => Number(new RegExp(`${word} (\\d+)`).exec(own!.track)?.[1] ?? 0)
    return { ...base, ahead: count('ahead'), behind: count('behind') }
  }
  // Nothing upstream: what no remote branch holds would be lost with the branch.
  const alone = git(['rev-list', '--count', `--max-count=${MOST_COMMITS}`, 'HEAD', '--not', '--remotes'])
  return { ...base, ahead: alone.code === 0 ? Number(alone.out) : 0, behind: 0 }
}

function changes(git: Git): GitState {
  const args = ['status', '--porcelain=v2', '-z', '--untracked-files=all', '--ignore-submodules=dirty', '--no-renames']
  const modified: string[] = []
  const staged: string[] = []
  const untracked: string[] = []
  for (const entry of nul(out(git, args, withoutFilters(git)))) {
    const kind = entry[0]
    if (kind === '?') untracked.push(entry.slice(2))
    else if (kind === '1' || kind === 'u') {
      // Before the path stand seven blanks, or nine where a merge has left it open.
      const path = afterBlanks(entry, kind === '1' ? 8 : 10)
      if (kind === 'u' || entry[2] !== '.') staged.push(path)
      if (kind === 'u' || entry[3] !== '.') modified.push(path)
    }
  }
  return { modified, staged, untracked }
}

function afterBlanks(text: string, count: number): string {
  let at = 0
  for (let n = 0; n < count; n++) at = text.indexOf(' ', at) + 1
  return text.slice(at)
}

/**
 * Comparing files may run a filter program. Those of the user's own configuration stay (large files need them); those
 * that the repository brings are switched off, at worst showing a file as modified.
 */
function withoutFilters(git: Git): string[] {
  const keys = '^filter\\..*\\.(clean|smudge|process)$'
  const ran = git(['config', '-z', '--show-scope', '--name-only', '--get-regexp', keys])
  if (ran.code > 1) throw new Failed()
  const parts = nul(ran.out)
  const options: string[] = []
  for (let i = 0; i + 1 < parts.length; i += 2) {
    if (parts[i] === 'system' || parts[i] === 'global') continue
    const key = parts[i + 1]!
    options.push('-c', `${key}=`, '-c', `${key.replace(/\.[^.]+$/, '.required')}=false`)
  }
  return options
}

function branches(git: Git, repo: string): GitState {
  const branch = headRef(git, repo)?.replace(/^refs\/heads\//, '')
  const format = '--format=%(objectname)%00%(refname)%00%(symref)'
  const refs = lines(out(git, ['for-each-ref', format, 'refs/heads', 'refs/remotes'])).map((line) => {
    const [tip = '', name = '', symref = ''] = line.split('\0')
    return { tip, name, symref }
  })
  const known = new Set(refs.map(({ name }) => name))
  const origin = refs
    .find(({ name }) => name === 'refs/remotes/origin/HEAD')
    ?.symref.replace('refs/remotes/origin/', '')
  const defaultBranch = origin || usualOf((ref) => known.has(ref)) || null
  const all = refs.flatMap(({ tip, name }) =>
    name.startsWith('refs/heads/') ? [{ tip, name: name.slice('refs/heads/'.length) }] : [],
  )
  const names = new Set(all.map(({ name }) => name))
  const mergedInto = (ref: string): ReadonlySet<string> => {
    const ran = git(['for-each-ref', `--merged=${ref}`, '--format=%(refname:strip=2)', 'refs/heads'])
    return new Set(ran.code === 0 ? lines(ran.out) : [])
  }
  const inHead = all.length > 0 ? mergedInto('HEAD') : new Set<string>()
  const main = defaultBranch && names.has(defaultBranch) ? mergedInto(`refs/heads/${defaultBranch}`) : new Set<string>()
  // Without a remote branch every commit is one that nobody else has, and there is no need to list them.
  const remote = refs.length > all.length
  const alone = new Set(remote ? lines(out(git, ['rev-list', '--branches', '--not', '--remotes'])) : [])
  const facts: Record<string, { merged: boolean; pushed: boolean }> = {}
  for (const { name, tip } of all) {
    // A branch is not merged because it holds itself.
    const merged = (inHead.has(name) && name !== branch) || main.has(name)
    facts[name] = { merged, pushed: remote && !alone.has(tip) }
  }
  return { branches: facts }
}
