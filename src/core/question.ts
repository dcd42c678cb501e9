/**
 * A question is data. Every fact that a verdict rests on comes through one of these, so a verdict can be recorded and
 * replayed anywhere. Planning and assessing are generators: they yield questions and receive answers, and only the
 * driver knows a world.
 */

/** One entry of the file system, links not followed. `device` stands for sockets, FIFOs and device nodes. */
export interface Stat {
  readonly kind: 'file' | 'dir' | 'link' | 'device'
  /** Where a link points, as written. Only for links. */
  readonly target?: string
  readonly size: number
  /** Milliseconds since the epoch. */
  readonly mtime: number
  /** `device:inode`, to notice two names of one file. */
  readonly inode: string
  /** How many names the file has. */
  readonly links: number
  readonly mode: number
}

export interface Entry {
  readonly name: string
  readonly kind: Stat['kind']
}

/** An entry with its text. Only regular files have one, and none is given once all texts together are too long. */
export interface TextEntry extends Entry {
  readonly text?: FileText | 'absent' | 'unknown'
  /** What a world can say in a few words of this very state of the file: of another text or name it would say another. */
  readonly mark?: string
}

/** A file's text as far as the limit goes. `unreadable`: it is there but cannot be read as text. */
export type FileText = { readonly text: string; readonly cut: boolean } | 'unreadable'

/**
 * How git brings what a revision says. `to`: the work tree becomes that revision (`switch`, `reset --hard`). `of`: what that
 * commit, or that range, changed (`cherry-pick`, `revert`). `since`: what it has that HEAD has not (`merge`, `rebase`).
 */
export type GitBrings = 'to' | 'of' | 'since'

/** Groups of facts about a repository; each costs its own git calls, so each is asked for by itself. */
export type GitFact = 'head' | 'changes' | 'ignored' | 'branches' | 'tags' | 'stashes' | 'worktrees' | 'remotes'

/** What git says of a repository. A key that was not asked for, or cannot be told, is absent. */
export interface GitState {
  readonly branch?: string | null
  readonly defaultBranch?: string | null
  readonly upstream?: string | null
  readonly ahead?: number
  readonly behind?: number
  readonly remotes?: Readonly<Record<string, string>>
  /** Tracked files that differ from the index, relative to the root. */
  readonly modified?: readonly string[]
  /** Files whose index entry differs from HEAD, relative to the root. */
  readonly staged?: readonly string[]
  readonly untracked?: readonly string[]
  readonly ignored?: readonly string[]
  readonly stashes?: number
  readonly linkedWorktree?: boolean
  readonly worktrees?: readonly string[]
  readonly branches?: Readonly<Record<string, { readonly merged: boolean; readonly pushed: boolean }>>
  readonly tags?: readonly string[]
}

/** Question name → what is asked, and what is answered. Every answer may also be `'unknown'`: a budget was spent. */
export interface Asks {
  stat: [{ readonly path: string }, Stat | 'absent']
  list: [
    { readonly dir: string; readonly limit: number },
    { readonly entries: readonly Entry[]; readonly cut: boolean } | 'absent',
  ]
  text: [{ readonly path: string; readonly limit: number }, FileText | 'absent']
  /**
   * At most `limit` entries of a directory with the texts of its regular files, `each` bytes of one and `total` characters
   * of all. One question, since there may be thousands. A world may hand out the very objects that it handed out before
   * where nothing changed: what was made of them then holds.
   */
  texts: [
    { readonly dir: string; readonly limit: number; readonly each: number; readonly total: number },
    { readonly entries: readonly TextEntry[]; readonly cut: boolean } | 'absent',
  ]
  /** Which of these paths are links, and where they point, as written. One question, since a list may be long. */
  links: [{ readonly paths: readonly string[] }, readonly { readonly path: string; readonly target: string }[]]
  env: [{ readonly name: string }, { readonly value: string } | 'unset']
  which: [{ readonly program: string }, { readonly path: string } | 'absent']
  gitConfig: [{ readonly repo: string; readonly key: string }, readonly string[]]
  git: [{ readonly repo: string; readonly of: readonly GitFact[] }, GitState]
  /** Tracked files, relative to the root, that git would change to what a revision says. `absent`: there is no such one. */
  gitBrings: [{ readonly repo: string; readonly how: GitBrings; readonly rev: string }, readonly string[] | 'absent']
  /**
   * Whether there is time left, at the given step of a long computation. It is no fact about the disk: the driver puts it
   * to the world only to replay a verdict that ran out of time, and records it only where there was none.
   */
  time: [{ readonly step: number }, 'left']
}

export type AskName = keyof Asks

export type Question = { [K in AskName]: { readonly ask: K } & Asks[K][0] }[AskName]

export type Answer = { [K in AskName]: Asks[K][1] }[AskName] | 'unknown'

/** A computation that yields questions and ends with a `T`. It never does I/O and never throws for a missing fact. */
export type Asking<T> = Generator<Question, T, Answer>

/** Asks one question with its answer's own type. `'unknown'` means that a budget was spent: decide for the worse. */
export function* ask<K extends AskName>(name: K, about: Asks[K][0]): Asking<Asks[K][1] | 'unknown'> {
  return (yield { ask: name, ...about } as unknown as Question) as Asks[K][1] | 'unknown'
}
