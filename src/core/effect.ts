/** An effect is what a call would do to a target. Rules judge effects, never words. */
import type { GitOp } from './git-op.ts'
import type { GlobPart, Provenance, Span, Taint } from './value.ts'

export type { Taint } from './value.ts'

/** What is done to a path. */
export type PathAct =
  | 'read' // its content becomes visible, is copied or leaves
  | 'names' // only names and metadata are read
  | 'create' // made where absent, untouched where present (touch, mkdir -p)
  | 'write' // content replaced, made where absent
  | 'append'
  | 'edit' // changed in place, the rest of the content stays
  | 'delete'
  | 'mode' // permissions, owner, attributes
  | 'run' // executed or sourced

/** What is done elsewhere. */
export type OtherAct =
  | 'send' // data leaves the machine
  | 'fetch' // data comes in
  | 'run-remote' // code that came in is run
  | 'install' // a package is added
  | 'publish' // something becomes public
  | 'change' // shared state elsewhere is changed
  | 'destroy' // shared state elsewhere is lost
  | 'kill' // processes are ended
  | 'system' // devices, disks, power, services, accounts
  | 'reveal' // secrets that are not files: environment, key chain
  | 'git' // a change to a repository
  | 'guard' // the guard itself is switched off, ended, gone around
  | 'opaque' // something runs that cannot be read

export type Act = PathAct | OtherAct

/** Where a step of the call stands: the call's own line, a script, an inline program. */
export interface Via {
  /** `call`, a path, or what was read (`alias x`, `package.json scripts.build`). */
  readonly source: string
  readonly span: Span
  /** The line number in that source, from 1, where it is a file. */
  readonly line?: number
  /** The text of the span, shortened. */
  readonly text: string
}

/**
 * A path, or a set of paths, before links are followed.
 * `path` is absolute but may hold `.` and `..`, since `link/..` is not the parent of `link`.
 */
export interface PathTarget {
  readonly is: 'path'
  /** Exact path; for a pattern the leading part without pattern characters; for a partly known one what is known. */
  readonly path: string
  /** The pattern behind `path`, each a whole remainder; absent: `path` is the target itself. */
  readonly pattern?: readonly GlobPart[]
  /** True where nothing beyond `path` as a prefix is known: the target may be any path that begins so. */
  readonly open?: boolean
  /** What an open path surely ends with, where that is known. */
  readonly end?: string
  /** The whole tree below, not the entry alone. */
  readonly tree: boolean
  /** Follow a link in the last component: true for writes and for `link/`, false for deletes, moves and mode of links. */
  readonly follow: boolean
  /** Which things below are meant: found by a filter that only picks these. */
  readonly only?: 'untracked' | 'ignored'
}

export type Target =
  | PathTarget
  /** A path of which nothing is known, but perhaps what it ends with, from a slash on. */
  | { readonly is: 'unknown'; readonly what: string; readonly tree?: true; readonly end?: string }
  | { readonly is: 'git'; readonly repo: string | undefined; readonly op: GitOp }
  | { readonly is: 'remote'; readonly service: string; readonly name: string; readonly local?: boolean }
  | { readonly is: 'process'; readonly name: string }
  | { readonly is: 'thing'; readonly name: string } // a device, service, package, setting: named for people

export interface Effect {
  readonly act: Act
  readonly target: Target
  /** `always` on this line, on a `branch` that may not be taken, or `later` (trap, `at`, git hook, background job). */
  readonly when: 'always' | 'branch' | 'later'
  readonly via: readonly Via[]
  readonly provenance: Provenance
  /** The program or tool that does it. */
  readonly by: string
  /** For `write`: where the content came from, where that matters. */
  readonly from?: readonly Taint[]
  /** A word for the rule that judges it: what the table row or reader noticed (`preload`, `decode`, `alias`). */
  readonly note?: string
  /** A command that shows what would happen, or that loses nothing. */
  readonly safer?: string
  /** Zones that the target was found in, once it was assessed. */
  readonly zones?: readonly string[]
  /** Changes made earlier on the same line, consulted before the world. Opaque outside the guard. */
  readonly seen?: unknown
}
