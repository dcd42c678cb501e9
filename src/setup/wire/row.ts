/**
 * How a host is wired, as data: where its settings lie, which events are registered and in what form. A new host adds one
 * row. What the host enforces stands in the registry of hosts, never here.
 */
import { isAbsolute, join } from 'node:path'
import type { HostId, Json } from '../../core/call.ts'
import type { Reads } from '../edit/format.ts'

export type Scope = 'user' | 'project'

/** What places are told from. */
export interface Surroundings {
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Root of the project, for settings of a project. */
  readonly project: string
}

/** A file in a directory that a variable may move. `~/`: below the home directory; `$config/`, `$data/`: below XDG_CONFIG_HOME, XDG_DATA_HOME; `./`: below the project. */
export interface Place {
  readonly env?: string
  readonly dir: string
  readonly file: string
}

/** An event of the host, and what is registered for it. */
export interface WireEvent {
  readonly name: string
  /** `gate`: before a run. `after`: behind it. `session`: beginning or end of a session, which carries no call. */
  readonly is: 'gate' | 'after' | 'session'
  /** Seconds that the host is to wait; the row's own where absent. */
  readonly seconds?: number
  /** The first version that is known to have it; it is registered only where the host is known to be as new. */
  readonly since?: string
  /** Its list holds handlers alone, also where those of other events hold groups. */
  readonly flat?: true
  /** It carries no command, so no canary can be sent: a call of it that passes tells that the hook answers. */
  readonly mute?: true
}

/** How the host writes a registration down. */
export interface Form {
  /**
   * `groups`: a list of groups with a matcher, each with a list of handlers. `flat`: a list of handlers. `tables`: one list
   * for all events, each of its tables with the event under `event`.
   */
  readonly is: 'groups' | 'flat' | 'tables'
  /** The object that holds the lists of the events; for `tables` the list. */
  readonly at: readonly string[]
  readonly event?: string
  /** The matcher of tool events. */
  readonly matcher?: string
  /** The key of the command. */
  readonly command: string
  /** The key of the timeout, and what a second is in its unit. */
  readonly timeout?: { readonly key: string; readonly perSecond: number }
  /** What stands in every handler besides. */
  readonly also?: Readonly<Record<string, Json>>
  /** What stands in the handler of a gate; only in versions behind `after`, or from `since` on. */
  readonly closed?: { readonly also: Readonly<Record<string, Json>>; readonly after?: string; readonly since?: string }
  /** What is wrong with an entry of somebody else, where with one such the host drops them all. */
  readonly checked?: (entry: Readonly<Record<string, unknown>>) => string | undefined
  /** The host expands variables in commands before a shell sees them. */
  readonly expands?: true
  /** What the file must hold besides. */
  readonly needed?: readonly { readonly at: readonly string[]; readonly value: Json }[]
}

/** Something with which hooks are switched off as a whole. */
export interface Switch {
  readonly place: Place
  readonly at: readonly string[]
  readonly value: Json
}

/** How the host is started for a moment so that it begins a session and asks no model: the model's address leads nowhere. */
export interface Wake {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** A settings file of the host, to which our entries are added. */
export interface Edits {
  readonly is: 'entries'
  readonly settings: Readonly<Partial<Record<Scope, Place>>>
  readonly reads: Reads
  /** The host reads a file that begins with a byte order mark. */
  readonly readsMark: boolean
  readonly form: Form
}

/**
 * A file that is all ours: a plugin of our package, a script that starts the hook for one event, or JSON that is made of the
 * command of each event.
 */
export interface Own {
  readonly is: 'own'
  readonly settings: Readonly<Partial<Record<Scope, Place>>>
  readonly mode: number
  readonly text:
    | { readonly plugin: string }
    | { readonly script: string }
    | { readonly json: (commandOf: (event: string) => string) => Json }
}

/**
 * How one session takes hooks from the command line. `settings`: an option that names a settings file beside the others.
 * `overrides`: an option that sets a value of the settings, and one that lets hooks run which were never trusted.
 */
export type Once =
  | { readonly is: 'settings'; readonly option: string }
  | { readonly is: 'overrides'; readonly option: string; readonly trusting: string; readonly others: readonly Place[] }

/** Files below a directory in which a host writes its sessions down. */
export interface Records {
  readonly place: Place
  /** The records among the files there. */
  readonly file: RegExp
  /** A record holds calls of other sessions, too: of its agents, or all that there are. */
  readonly holds?: 'agents' | 'all'
}

export interface WireRow {
  readonly host: HostId
  /** The host takes a denial by exit code: the launcher stands before the hook. */
  readonly byExit?: true
  /** Programs by name; the first that is on the PATH counts. */
  readonly programs: readonly string[]
  /** Directories that are there where the host was ever used. */
  readonly used: readonly string[]
  readonly files: readonly (Edits | Own)[]
  readonly events: readonly WireEvent[]
  /** Seconds that the host is to wait for a tool event: more than the hook's own five. */
  readonly seconds: number
  /** The oldest version in which the registered events are known to fire. */
  readonly least?: string
  /** The versions that `least` speaks of, where programs of one host count differently; all where absent. */
  readonly leastOf?: RegExp
  readonly off: readonly Switch[]
  /** What a person has to do besides, after an edit. */
  readonly step?: string
  /** What no hook of this host sees, each as one clause. */
  readonly uncovered: readonly string[]
  /** The host's own records of sessions, in a form that is read here. */
  readonly transcripts?: Records
  /** Tools in these records that reach no hook. */
  readonly unhooked?: readonly string[]
  /** Absent: for one session the settings are edited, and put back behind it. */
  readonly once?: Once
  /** Absent: it cannot be started so, or its session's beginning reaches no hook. */
  readonly wake?: Wake
  /** A call of the host's shell tool, as it tells its hooks, that runs `command`; for a mute event one that does no harm. */
  payload(command: string, cwd: string, event: string): Json
}

/** Where a place lies. Relative variables are ignored, as everywhere. */
export function pathOf({ env, dir, file }: Place, at: Surroundings): string {
  const moved = env === undefined ? undefined : at.env[env]
  return join(moved !== undefined && isAbsolute(moved) ? moved : dirOf(dir, at), file)
}

export function dirOf(dir: string, { home, env, project }: Surroundings): string {
  if (dir.startsWith('~/')) return join(home, dir.slice(2))
  if (dir.startsWith('./')) return join(project, dir.slice(2))
  const [, name, rest] = /^\$(config|data)\/(.*)$/.exec(dir) ?? []
  if (name === undefined) return dir
  const given = env[name === 'config' ? 'XDG_CONFIG_HOME' : 'XDG_DATA_HOME']
  const usual = name === 'config' ? ['.config'] : ['.local', 'share']
  return join(given !== undefined && isAbsolute(given) ? given : join(home, ...usual), rest!)
}
