/**
 * What a digest family is: a reader that knows one tool's output. It sees every line once, in order, holds little, and
 * accounts for each line or stands down, so that a misread output falls back to the generic reading.
 */

export interface Line {
  /** From 1. */
  readonly n: number
  /** What a terminal would show of it: no escape sequences, the last state of a line that overwrote itself. */
  readonly text: string
  /** Byte offsets in the capture, without the line end. */
  readonly from: number
  readonly to: number
}

/** What is known before the first line is read. */
export interface Probe {
  /** The simple commands of the line that was run, as far as their words are constant; program names without path. */
  readonly commands: readonly { readonly program: string; readonly args: readonly string[] }[]
  /** Undefined where nobody told. */
  readonly exit: number | undefined
  readonly signal: string | undefined
  readonly head: readonly Line[]
  readonly tail: readonly Line[]
}

/** Lines that belong together, both ends included. Chosen or left out as a whole, unless `cut` allows the first lines alone. */
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
}

export interface Reading {
  /** Lines that the family understood. With the lines that it calls other this is every line, or the family stands down. */
  readonly parsed: number
  readonly other: number
  /** Whether the output itself says that the run failed; undefined where it says neither. The exit code always wins. */
  readonly failed?: boolean
  /** Facts that the family counted, as words: `61 errors in 12 files`. Each a sentence of the frame, never a quotation. */
  readonly facts: readonly string[]
  readonly items: readonly Item[]
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
  /** Whether the output looks like this family's, by the command or by the lines themselves. Cheap and careful. */
  detect(probe: Probe): boolean
  reader(probe: Probe): Reader
}
