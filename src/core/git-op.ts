/** What a git command would do to a repository, in git's own terms. Data only; `src/guard/loss.ts` judges it. */
import type { GitBrings } from './question.ts'
import type { Arg } from './value.ts'

/** What revisions bring to the work tree. `unknown`: a word that names one is not known. */
export interface Brought {
  readonly how: GitBrings
  readonly revs: readonly string[]
  readonly unknown?: boolean
}

/** Where a path set of git begins. `all`: no path given, `.` at the root, `:/`, `-a`. */
export type GitPaths = { readonly is: 'all' } | { readonly is: 'paths'; readonly paths: readonly Arg[] }

export interface Refspec {
  readonly from: string
  readonly to: string
  readonly force: boolean
  readonly delete: boolean
  /** Part of the text could not be known; `from` and `to` are as people write it. */
  readonly unknown?: boolean
}

export type GitOp =
  /** Work-tree changes are thrown away: `reset --hard`, `checkout -- P`, `restore`, `checkout -f`, `read-tree -u --reset`. */
  | {
      readonly is: 'discard'
      readonly paths: GitPaths
      /** Staged changes go too. */
      readonly staged: boolean
      /** The commit that the content comes from, as written; undefined: the index. */
      readonly from?: string
      /** `reset --hard REV`: the branch moves to REV as well. */
      readonly moves?: string
      readonly brings?: Brought
      /** Changes that are not staged stay, or git refuses: `reset --keep`, `reset --merge`. */
      readonly keeps?: boolean
      /** The work trees of submodules, which the superproject does not see into. */
      readonly submodules?: boolean
    }
  /** `git clean`: files that git does not track are deleted. */
  | {
      readonly is: 'clean'
      readonly paths: GitPaths
      readonly untracked: boolean
      readonly ignored: boolean
      readonly dirs: boolean
      /** `-ff`: repositories inside go as well. */
      readonly nested?: boolean
      /** Patterns of `-e`, as written: what matches stays. */
      readonly keeps?: readonly Arg[]
    }
  /** `git rm`: tracked files leave the index and the work tree. */
  | { readonly is: 'remove'; readonly paths: GitPaths; readonly force: boolean; readonly cached: boolean }
  /** The current branch moves without touching the work tree: `reset --soft|--mixed REV`. */
  | { readonly is: 'move-head'; readonly to: string }
  | { readonly is: 'delete-branch'; readonly names: readonly Arg[]; readonly force: boolean; readonly remote: boolean }
  | { readonly is: 'force-branch'; readonly name: string; readonly to: string }
  | { readonly is: 'delete-tag'; readonly names: readonly Arg[] }
  | { readonly is: 'delete-ref'; readonly name: string }
  | {
      readonly is: 'stash-push'
      readonly untracked: boolean
      readonly ignored: boolean
      readonly paths: GitPaths
      readonly staged: boolean
    }
  | { readonly is: 'stash-drop'; readonly all: boolean }
  | { readonly is: 'stash-pop'; readonly drops: boolean }
  /** Recovery data goes: `reflog expire`, `gc --prune=now`, `prune`. */
  | { readonly is: 'drop-recovery'; readonly what: 'reflog' | 'objects' }
  /** Commits are made anew: amend, rebase, filter-branch. `whole`: the whole history. */
  | {
      readonly is: 'rewrite'
      readonly what: 'amend' | 'rebase' | 'history'
      readonly onto?: string
      readonly brings?: Brought
    }
  | {
      readonly is: 'commit'
      readonly all: boolean
      readonly noVerify: boolean
      readonly paths: GitPaths | undefined
    }
  | { readonly is: 'add'; readonly paths: GitPaths; readonly force: boolean }
  | {
      readonly is: 'push'
      readonly remote: string | undefined
      readonly refspecs: readonly Refspec[]
      readonly force: boolean
      readonly lease: boolean
      readonly mirror: boolean
      readonly prune: boolean
      readonly all: boolean
      readonly tags: boolean
      readonly noVerify: boolean
      /** A word of unknown text may be an option. */
      readonly unsure?: boolean
    }
  /** A repository is made: `init`, `clone`. */
  | { readonly is: 'make'; readonly path: Arg | undefined }
  | { readonly is: 'worktree-remove'; readonly path: Arg; readonly force: boolean }
  /** A branch is left or made: `checkout B`, `switch B`. git itself refuses to lose work. `orphan` empties nothing yet. */
  | {
      readonly is: 'switch'
      readonly to: string
      readonly create: boolean
      readonly orphan: boolean
      readonly brings?: Brought
    }
  /** Anything else that changes the repository and loses nothing by itself (merge, cherry-pick, tag, fetch, pull …). */
  | {
      readonly is: 'other'
      readonly verb: string
      readonly brings?: Brought
      /** A new branch or tag of this name where HEAD is: it goes on holding those commits. */
      readonly holds?: string
      /** `git config KEY VALUE`: what later calls of the same line find set. Undefined: a value that is not known. */
      readonly setting?: { readonly key: string; readonly value: string | undefined }
    }
