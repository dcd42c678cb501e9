/** What a run needs of the other parts. */
import type { Address } from '../address.ts'
import type { Earlier } from '../digest/earlier.ts'
import type { Mask, Sealed, Store } from '../store/types.ts'
import type { Verdict } from './output.ts'
import type { Progress } from './progress.ts'
import type { Filter } from './takers.ts'

/** What a digest of a run is made from. */
export interface Shown {
  readonly sealed: Sealed
  readonly verdict: Verdict
  /** The run before of the same command in the same directory. */
  readonly earlier: Earlier | undefined
  readonly cwd: string
  /** Whether the store answers an address. */
  answers(address: Address): boolean
  /** What was run, as the caller wrote it: an argv, or one line for a shell. */
  readonly command: { readonly argv: readonly string[]; readonly line?: string }
  readonly budget: number
  readonly focus: string | undefined
}

export interface Digested {
  readonly text: string
  /** Whose reading it is. */
  readonly family: string
  /** Estimate, of the capture. */
  readonly rawTokens: number
}

/** What was delivered of a run. */
export interface Delivered {
  readonly sealed: Sealed
  /** 12 hexadecimal digits of the job that it was, where it was shown as one. */
  readonly job?: string
  readonly verdict: Verdict
  readonly command: Shown['command']
  readonly rawBytes: number
  /** What was printed in place of the output; undefined where the output itself was. */
  readonly digest: Digested | undefined
}

/** What `run` asks of others; all of it is loaded only when it is needed. */
export interface RunServices {
  store(): Promise<Store>
  /** Hides secrets of a text with one character a byte. */
  mask(): Promise<Mask>
  /** The same for streams. */
  filter(): Promise<() => Filter>
  digest(shown: Shown): Promise<Digested>
  book(delivered: Delivered): Promise<void>
  progress(): Promise<Progress | undefined>
  /** One sentence on stderr, without the program's name. */
  say(sentence: string): void
}
