/**
 * What one simple command does, as data. A command's row or reader turns its arguments into these; only the guard's
 * planner performs them (working directory, overlay, effects). Readers judge nothing.
 */
import type { OtherAct, PathAct, Taint } from '../core/effect.ts'
import type { GitOp } from '../core/git-op.ts'
import type { Asking } from '../core/question.ts'
import type { Arg, Value } from '../core/value.ts'

/** Languages that code may be in. `sh` covers every POSIX-like shell. */
export type Language =
  | 'sh'
  | 'python'
  | 'javascript'
  | 'perl'
  | 'ruby'
  | 'php'
  | 'lua'
  | 'awk'
  | 'sql'
  | 'powershell'
  | 'cmd'
  | 'make'
  | 'vim'
  | 'ed'
  | 'applescript'

/** A stream between commands: what it says as far as known, where its bytes came from, and which paths it lists. */
export interface Content {
  readonly text: Value
  readonly taints: readonly Taint[]
  /** Paths that the stream lists (find, ls, git ls-files), for xargs and loops. */
  readonly paths?: readonly Listed[]
  /** Files whose content this is: the planner reads one exact file where its text matters. */
  readonly files?: readonly Arg[]
  /** Files that this was made of (some lines, transformed): where it came from stays, what it says does not. */
  readonly of?: readonly Arg[]
  /** True where stdin is what the caller has: a terminal, or nothing. */
  readonly none?: boolean
}

/** Paths below a starting point that a lister prints. */
export interface Listed {
  readonly at: Arg
  /** Everything below as well as the start itself. */
  readonly tree: boolean
  readonly only?: 'untracked' | 'ignored'
  /** Only some of what lies there, chosen by what it says. */
  readonly some?: true
}

/** One call of a program, after expansion and with wrappers still on. */
export interface Invocation {
  /** `argv[0]` as it will be looked up: its text where known. */
  readonly name: string
  /** The name without its directory and, for `.exe`, its ending. */
  readonly base: string
  readonly command: Arg
  readonly args: readonly Arg[]
  readonly stdin: Content
  /** Assignments before the command, `NAME` → value. */
  readonly env: ReadonlyMap<string, Value>
  readonly platform: 'linux' | 'darwin' | 'win32'
  /** Absolute working directory where exactly one is known. */
  readonly cwd: string | undefined
  readonly home: string
}

export type Doing =
  /** Acts on a path or pattern. `tree`: everything below too. `slash`: follow a link in the last component. */
  | {
      readonly do: 'path'
      readonly act: PathAct
      readonly at: Arg
      readonly tree?: boolean
      readonly follow?: boolean
      readonly only?: 'untracked' | 'ignored'
      /** For `write`: what is written, where the command itself knows it. */
      readonly content?: Content
      readonly note?: string
      /** The mode given to chmod, and the like. */
      readonly detail?: string
    }
  /** Copies: sources are read, destinations written. `into`: the last path is surely a directory. */
  | {
      readonly do: 'copy'
      readonly from: readonly Arg[]
      readonly to: Arg
      readonly tree: boolean
      /** `yes`: `-t DIR` or several sources; `no`: `-T`; `maybe`: depends on whether `to` is a directory. */
      readonly into: 'yes' | 'no' | 'maybe'
      /** Files at the destination that the source lacks are deleted (`rsync --delete`, `robocopy /MIR`). */
      readonly mirror?: boolean
      /** Present destinations are kept (`cp -n`, `mv -n`). */
      readonly keeps?: boolean
      /** What is there is kept under another name first (`cp -b`). */
      readonly saves?: boolean
      /** A link is copied as the link that it is, not as what it leads to. */
      readonly links?: boolean
    }
  | {
      readonly do: 'move'
      readonly from: readonly Arg[]
      readonly to: Arg
      readonly into: 'yes' | 'no' | 'maybe'
      readonly keeps?: boolean
      readonly saves?: boolean
    }
  | {
      readonly do: 'link'
      readonly from: readonly Arg[]
      /** Absent: the source's name in the working directory. */
      readonly to: Arg | undefined
      readonly symbolic: boolean
      readonly force: boolean
      readonly into: 'yes' | 'no' | 'maybe'
    }
  /** Unpacks an archive below a directory: any name below may be replaced. */
  | {
      readonly do: 'unpack'
      readonly archive: Arg | undefined
      readonly into: Arg | undefined
      readonly keeps?: boolean
    }
  /** The content of paths went into a file (an archive) as well. */
  | { readonly do: 'kept'; readonly from: readonly Arg[]; readonly at: Arg }
  /** Runs another program with these words. */
  | {
      readonly do: 'run'
      readonly argv: readonly Arg[]
      readonly stdin?: Content
      /** Where it runs; absent: here. */
      readonly cwd?: Arg
      readonly set?: ReadonlyMap<string, Value>
      readonly unset?: readonly string[]
      /** Every time (default), perhaps, or later. */
      readonly when?: 'branch' | 'later'
      /** On another machine, in a container or as another user: its paths are not ours. `mounts` are. */
      readonly where?: Elsewhere
    }
  /** Runs a text as a program. */
  | {
      readonly do: 'code'
      readonly language: Language
      readonly text: Value
      readonly args?: readonly Arg[]
      readonly taints?: readonly Taint[]
      readonly when?: 'branch' | 'later'
      readonly where?: Elsewhere
      /** In the present shell (eval, source), so that its variables and directory stay. */
      readonly here?: boolean
      readonly cwd?: Arg
      /** What it is, for the trail: `alias st`, `scripts.build`. */
      readonly label?: string
      /** Stdin of the program, where it is not what this command has. */
      readonly stdin?: Content
    }
  /** Runs a file as a program. `language` where the caller says it; else by name and first line. */
  | {
      readonly do: 'script'
      readonly path: Arg
      readonly language?: Language
      readonly args: readonly Arg[]
      readonly here?: boolean
      readonly when?: 'branch' | 'later'
      readonly where?: Elsewhere
      /** Looked up on PATH when it has no slash (`source env.sh`). */
      readonly onPath?: boolean
      readonly cwd?: Arg
    }
  | { readonly do: 'git'; readonly op: GitOp; readonly at: Arg | undefined; readonly when?: 'later' }
  /** An effect that is not on a path: `what` names the target for people, `service` the place. */
  | {
      readonly do: 'other'
      readonly act: OtherAct
      readonly service: string
      readonly what: string
      /** On this machine or a development copy: less at stake. */
      readonly local?: boolean
      readonly note?: string
      /** A command that shows what would go, or does it without loss. */
      readonly safer?: string
      readonly at?: Arg
    }
  /** Data leaves the machine: files, streams, and `texts` of the command's own words. */
  | {
      readonly do: 'send'
      readonly to: Value
      readonly files: readonly Arg[]
      readonly content?: Content
      readonly texts?: readonly Value[]
    }
  /** Stdout of the command. Absent: unknown text, no taint. */
  | { readonly do: 'out'; readonly content: Content }
  /** Variables of the shell are set (read, export, mapfile …); only builtins do this. */
  | { readonly do: 'set'; readonly name: string; readonly value: Value }
  /** Something that runs and cannot be read. */
  | { readonly do: 'opaque'; readonly what: string; readonly note?: string }

/** Where a program runs when not here. Paths there are not ours, except what is mounted or shared. */
export interface Elsewhere {
  readonly is: 'host' | 'container' | 'user'
  readonly name: string
  /** The same machine and home (ssh localhost, su - self): judge as here. */
  readonly same?: boolean
  /** Directories of ours inside: there → here. */
  /** Made by this very call: what lies in it, but for volumes, is nobody's. */
  readonly fresh?: true
  /** Directories inside that are volumes of the engine. */
  readonly volumes?: readonly string[]
  readonly mounts?: readonly { readonly here: Arg; readonly there: string; readonly readonly: boolean }[]
}

/** Turns one invocation into what it does. May ask questions (aliases, scripts). Ends for any answers. */
export type Reader = (call: Invocation) => Asking<readonly Doing[]>
