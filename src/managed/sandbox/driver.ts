/** What a way of isolating programs offers. Bubblewrap is one; a container or a cluster can be another. */
import type { Duplex, Readable } from 'node:stream'
import type { Limits } from './limits.ts'

/** A directory or file of the host that is seen inside; read-only unless `writable`. */
export interface Mount {
  readonly host: string
  readonly inside: string
  readonly writable?: boolean
}

export interface CellSpec {
  /** Name of the environment in messages. */
  readonly id: string
  /** Directory of the host that becomes the writable root. */
  readonly root: string
  readonly mounts: readonly Mount[]
  /** A directory of the host that the driver may make for itself. */
  readonly scratch: string
  /** UNIX socket that every connection of the sandbox ends at. */
  readonly door: string
  readonly limits: Limits
  /** A sentence for the log. */
  readonly say: (text: string) => void
}

export interface Program {
  readonly argv: readonly string[]
  /** A path inside. */
  readonly cwd: string
  /** The whole environment: nothing of the runtime's own is added. */
  readonly env: Readonly<Record<string, string>>
  /** Another writable root in place of the environment's. */
  readonly root?: string
  readonly input: string | Uint8Array
  /**
   * What the program left running lives on after it ended, in sight of later such programs. A `kill` of one ends them all.
   */
  readonly linger: boolean
}

export interface Exit {
  /** Undefined where the program was killed from outside, or by the signal that is told. */
  readonly status?: number
  readonly signal?: number
  /** Why it could not be started. */
  readonly why?: string
}

/** A program and everything that it started. */
export interface Running {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Where the program lingers: its descriptor 6. It is a socket, which no other program can open anew through `/proc`. */
  readonly control?: Duplex
  /** Where the program lingers: what stands in both streams behind its own output. What follows is from others. */
  readonly mark?: string
  /** The program ended. What it left behind may live on where it lingers. */
  readonly ended: Promise<Exit>
  /** Nothing of it is left. */
  readonly gone: Promise<void>
  /** Ends it and everything it started, at once. */
  kill(): void
}

/** One environment's own network and limits, in which programs are started. */
export interface Cell {
  /** Rejects where it cannot be started at all. */
  start(program: Program): Promise<Running>
  /** Kills what runs and gives everything back. */
  close(): Promise<void>
}

export interface Driver {
  readonly name: string
  /** What is weaker here than the docs promise, a sentence each. */
  readonly weaker: readonly string[]
  /** User and group that own an environment's files; undefined: those of the runtime. */
  readonly owner: number | undefined
  open(spec: CellSpec): Promise<Cell>
}
