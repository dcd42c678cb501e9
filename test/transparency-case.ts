/** One command line of `cases/transparency/`, and what was seen of it. */

export interface Case {
  readonly name: string
  /** A line for bash; `argv` where there is none. */
  readonly line?: string
  readonly argv?: readonly string[]
  /** How the line is given to `ctx run`: as `--shell` (by itself), or as an argv with bash. */
  readonly by?: 'argv'
  /** Further flags of `ctx run`. */
  readonly flags?: readonly string[]
  /** One character a byte. Absent: /dev/null. */
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  /** Run before, in the place. */
  readonly prepare?: string
  /** Both streams go into one pipe. */
  readonly merged?: true
  /** What reads the pipe of stdout in place of `cat`. */
  readonly reader?: string
  /** On a terminal; `keys` are typed when the file `ready` is there. */
  readonly terminal?: true
  readonly keys?: string
  /** Sent when the file `ready` is there. */
  readonly signal?: string
  /** Why the words on stderr cannot be the same; everything else is. */
  readonly otherWords?: string
}

/** Streams with one character a byte. */
export interface Seen {
  readonly exit: number | 'hangs'
  readonly stdout: string
  readonly stderr: string
  /** Whether the pipes were closed in time. */
  readonly closed: boolean
  readonly tree: string
}
