/** Words of the store: what a capture is while it grows, what it is when it is sealed, how an address is answered. */
import type { Address, Handle, Stream } from '../address.ts'
import type { Bytes } from '../bytes.ts'

/** One of the two streams that a child writes. */
export type Source = 'stdout' | 'stderr'

export type Env = Readonly<Record<string, string | undefined>>

/** Hides secrets in a text: what is shown in their place, and how many there were. */
export type Mask = (text: string) => { readonly text: string; readonly masked: number }

/** Masks the bytes of one stream, which come in pieces. What it returns can be handed on. */
export interface StreamMasking {
  push(chunk: Uint8Array): Uint8Array
  /** The lines that are whole, in case that no more comes for a while. */
  lines(): Uint8Array
  /** What is left at the end of the stream. */
  end(): Uint8Array
}

/** How secrets are masked before anything is written: words of a command line, and streams. */
export interface Sealing {
  readonly mask: Mask
  readonly stream: () => StreamMasking
}

export interface StoreOptions {
  readonly env: Env
  readonly home: string
  /**
   * Nothing is kept: captures can be read while their process lives, and get no address. Where it is absent the variable
   * `SALLYPORT_NO_STORE=1` of the environment says so.
   */
  readonly off?: boolean
  /** Masks what is written, so that no secret reaches the disk. The policy's `store.seal`. */
  readonly seal?: Sealing
  /** Bytes of the whole store; default 20 GiB. */
  readonly maxBytes?: number
  /** Days after which a run that nobody repeated is collected; default 30. */
  readonly days?: number
  /** Bytes of one capture; default three quarters of `maxBytes`. */
  readonly limit?: number
}

/** Numbers of one stream. `lines`: line ends, and one more where the last line has none. */
export interface StreamFacts {
  readonly bytes: number
  readonly lines: number
  /** 64 hexadecimal digits of the bytes that are kept. */
  readonly sha256: string
}

/** A capture that ended before the child did. The child was not held up. */
export interface Stopped {
  /** Bytes that are kept. */
  readonly at: number
  /** Bytes that the child wrote in all, as far as they were seen. */
  readonly seen: number
  readonly seenLines: number
  /** Its quota; the disk is full; a write failed. */
  readonly why: 'limit' | 'disk' | 'error'
}

/** What was captured, readable while the store keeps it (or, without a store, while the spool is open). */
export interface Capture {
  readonly streams: Readonly<Record<Stream, StreamFacts>>
  readonly stopped?: Stopped
  /** The bytes of a stream, with lines found through the index. */
  stream(which: Stream): Lines
}

/** Bytes whose lines can be found without reading them all. */
export interface Lines extends Bytes {
  /** Line ends, and one more where the last line has none. */
  readonly lines: number
  /** The offset at which line `n` (from 1) begins; `size` for the line behind the last. */
  lineStart(n: number): number
  /** The number of the line (from 1) that the byte at `offset` belongs to. */
  lineAt(offset: number): number
}

/** What is known when a capture begins. Enough for anybody to seal it, should its process die. */
export interface SpoolMeta {
  readonly argv: readonly string[]
  readonly cwd: string
  /** 12 hexadecimal digits where the capture is a background job: `job:<id>` stays an address after sealing. */
  readonly job?: string
}

/** How the child ended. */
export interface RunFacts {
  /** Undefined where nobody told. */
  readonly exit?: number
  /** `SIGTERM` and the like. */
  readonly signal?: string
  readonly timedOut?: boolean
  /** The end was not waited for: what is kept may not be all. */
  readonly cutOff?: boolean
  /** Milliseconds that the child ran. */
  readonly ms?: number
  /** Lies beside the run and does not count for its id. */
  readonly git?: { readonly head?: string; readonly dirty?: boolean }
}

/** A run as it is kept. The id is the hash of argv, exit, signal, the streams' hashes and the order's. */
export interface Manifest {
  readonly v: 1
  /** 64 hexadecimal digits. */
  readonly id: string
  readonly argv: readonly string[]
  readonly exit: number | null
  readonly signal: string | null
  readonly streams: Readonly<Record<Stream, StreamFacts>>
  /** Hash of the interleave index; absent where one stream alone wrote. */
  readonly order?: string
  readonly stopped?: Stopped
  /** Sealed without the child's end being known. */
  readonly partial?: true
  /** Secrets were masked before they were written. */
  readonly sealed?: true
}

/** One time that a run was made; a run that repeats equal has several. */
export interface Occurrence {
  /** ISO 8601, UTC. */
  readonly ts: string
  readonly cwd: string
  readonly ms?: number
  readonly timedOut?: boolean
  readonly git?: { readonly head?: string; readonly dirty?: boolean }
}

/** A capture that has ended. */
export interface Sealed extends Capture {
  /** The id of the run (of the blob, for `putBytes` without argv). Absent where nothing is kept. */
  readonly id?: string
  /** `run:<12 hex>` or `blob:<12 hex>`, for addresses. Absent where nothing is kept. */
  readonly handle?: string
  readonly manifest?: Manifest
  /** One sentence about what went wrong with keeping it: stopped, or kept elsewhere, or not at all. */
  readonly notice?: string
}

/** A capture that grows. No call of it throws or waits: what fails stops the capture, never the child. */
export interface Spool {
  /** The capture's own name, 12 hexadecimal digits: `job:<id>` while it grows. */
  readonly id: string
  /** Takes bytes in the order in which they came. The chunk may be used again afterwards. */
  append(stream: Source, chunk: Uint8Array): void
  /** Bytes that came so far, kept or not. */
  readonly seen: number
  readonly stopped: Stopped | undefined
  /** What is kept so far. Valid until the spool is sealed or dropped. */
  view(): Capture
  /** Ends the capture and keeps it. */
  seal(facts: RunFacts): Sealed
  /** Ends the capture and removes it. */
  drop(): void
}

/** An address, answered. */
export type Resolved =
  | {
      readonly is: 'run' | 'job'
      readonly id: string
      /** Absent for a job that runs. */
      readonly manifest?: Manifest
      readonly capture: Capture
    }
  | { readonly is: 'blob'; readonly id: string; readonly bytes: Lines }
  | Unresolved

/** `refused`: a clause without a full stop that says why and, where there is one, the way out. */
export interface Unresolved {
  readonly is: 'unresolved'
  readonly why: 'unknown' | 'ambiguous' | 'gone' | 'damaged' | 'unavailable'
  readonly refused: string
}

/** A result that a host handed over whole. */
export interface PutFacts {
  /** The command where it is known: the result is a run. Else it is a blob. */
  readonly argv?: readonly string[]
  readonly cwd?: string
  readonly exit?: number
  readonly signal?: string
}

export interface Collected {
  readonly runs: number
  readonly blobs: number
  readonly bytes: number
}

export interface Store {
  /** Where captures go: the state directory, the fallback for a read-only one, or nowhere. */
  readonly place: 'state' | 'fallback' | 'none'
  /** The directory, or undefined where nothing is kept. */
  readonly path: string | undefined
  /** One sentence where captures do not go where they should. */
  readonly notice: string | undefined
  /** Begins a capture. What dead processes left is sealed first, as `recover` does. */
  create(meta: SpoolMeta): Spool
  putBytes(bytes: Uint8Array, facts: PutFacts): Sealed
  /** A whole id or a prefix of it. `repo:` handles are not the store's: they are `unknown` here. */
  resolve(handle: Handle): Resolved
  /** The bytes of a handle's stream, or why there are none. */
  bytesOf(handle: Handle): Lines | Unresolved
  /** Whether an address may be printed: its handle resolves, and its range lies inside. */
  answers(address: Address): boolean
  /** The latest run of the same argv in the same directory. Read before the new one is sealed. */
  earlier(argv: readonly string[], cwd: string): Manifest | undefined
  /** Times a run was made, oldest first. */
  occurrences(id: string): readonly Occurrence[]
  /** The newest runs, newest first. */
  recent(most: number): readonly Manifest[]
  /**
   * Seals what runs that died have left, but spools above `most` bytes (default 256 MiB), which would take seconds: those
   * are sealed when somebody asks for them. Cheap where there is nothing; any number of processes may call it.
   */
  recover(options?: { readonly most?: number }): readonly Sealed[]
  /**
   * Removes what is too old or too much. Without `days` it decides by itself whether it is time, at little cost; that is
   * also done at the end of a process that kept something.
   */
  collect(options?: { readonly days?: number }): Collected
  /** Keeps a run or blob for good. Returns its whole id, or why not. */
  pin(handle: Handle): { readonly id: string } | Unresolved
  /** Removes one thing, or all (pins too, and spools whose process is gone). */
  purge(what: Handle | 'all'): Collected | Unresolved
}
