/**
 * What a digest family is: a reader that knows one tool's output. It sees every line once, in order, holds little, and
 * accounts for each line or stands down, so that a misread output falls back to the generic reading.
 */

import type { Selector } from '../address.ts'
import type { Bytes } from '../bytes.ts'

export interface Line {
  /** From 1. */
  readonly n: number
  /**
   * What a terminal would show of it: no escape sequences, the last state of a line that overwrote itself. Of a line
   * longer than `LINE_CAP` bytes only the beginning.
   */
  readonly text: string
  /** Byte offsets in the capture, without the line end. */
  readonly from: number
  readonly to: number
}

/** Bytes of a line that a reader is given at most; `from` and `to` still tell all of it. */
export const LINE_CAP = 65_536

/** What is known before the first line is read. */
export interface Probe {
  /** The simple commands of the line that was run, as far as their words are constant; program names without path. */
  readonly commands: readonly { readonly program: string; readonly args: readonly string[] }[]
  /** Undefined where nobody told. */
  readonly exit: number | undefined
  readonly signal: string | undefined
  /** The first lines, at most 40, and the last, at most 80. They may overlap. */
  readonly head: readonly Line[]
  readonly tail: readonly Line[]
  /** The capture, for a family whose lines are longer than `LINE_CAP`. Read a bounded part of it. */
  readonly bytes: Bytes
}

/** Lines that belong together, both ends included. Where the budget is short only the first of them are shown. */
export interface Span {
  readonly from: number
  readonly to: number
}

/** In the order in which a reader needs them. */
export type ItemKind =
  /** The runner's own last word: `1 failed, 299 passed`. */
  | 'verdict'
  /** What made the rest fail; the earliest and deepest. */
  | 'cause'
  /** One line that names one failure. All of a digest's failures are shown, or counted with the address of the rest. */
  | 'failure'
  /** Assertion, expected and actual, own frame: belongs to the failure before it. */
  | 'detail'
  /** Counts that the output itself prints. */
  | 'total'
  /** A line unlike the others. */
  | 'rare'
  /** A sample of what there is much of. */
  | 'example'

export interface Item {
  readonly kind: ItemKind
  readonly span: Span
  /** Within its kind: more is shown first. 0 where the order of lines decides. */
  readonly weight?: number
  /** How often a line of this shape occurred; shown as `n× `. */
  readonly times?: number
  /** Only these bytes of the capture, all of them within the span: for a part of a long line. */
  readonly bytes?: { readonly from: number; readonly to: number }
  /** Of a failure: what the same failure is called in another run. Its first line where absent. */
  readonly name?: string
  /** Of a failure whose name holds what only tells it apart within this run, a number for one: the name without that. */
  readonly called?: string
}

/** Words of the frame, never a quotation, on one line and without brackets; with the part of the capture they speak of. */
export type Fact = string | { readonly text: string; readonly at: Selector }

export interface Reading {
  /** Lines that the family understood. With the lines that it calls other this is every line, or the family stands down. */
  readonly parsed: number
  readonly other: number
  /** Whether the output itself says that the run failed; undefined where it says neither. The exit code always wins. */
  readonly failed?: boolean
  /** Whether failures may be missing: the output was cut, or the run was stopped, before all of them were told. */
  readonly partial?: boolean
  /** Test runs that the output has the result of: none where what is to be tested was not built. 0 where absent. */
  readonly ran?: number
  /** Failures beyond those that are items: how many, and the line of the last, 0 where it is not known. */
  readonly beyond?: { readonly count: number; readonly to: number }
  /** What the family counted: `61 errors in 12 files`. The most important first; the last go where the budget is short. */
  readonly facts: readonly Fact[]
  readonly items: readonly Item[]
  /** The byte from which on the family read nothing of a line that is too long for it. */
  readonly unread?: number
  /** Lines to show at most of the head and the tail beside the items; the generic number where absent. */
  readonly ends?: { readonly head: number; readonly tail: number }
}

export interface Reader {
  line(line: Line): void
  /** Undefined: this is not what the family knows, after all. */
  end(): Reading | undefined
}

export interface Family {
  readonly id: string
  /** Tokens of a digest of such an output at most, where that is less than what the reader has room for. */
  readonly budget?: number
  /**
   * Whether the output looks like this family's, by the command or by the lines themselves. Cheap and careful: of the
   * families that say yes the first in the list is heard, and the others only where it stands down.
   */
  detect(probe: Probe): boolean
  reader(probe: Probe): Reader
}
