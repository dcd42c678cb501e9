/** Captured bytes, wherever they lie: readers never hold more of them than they ask for. */
export interface Bytes {
  readonly size: number
  /** The bytes from `from` up to but without `to`, cut to what there is. The caller may not change them. */
  read(from: number, to: number): Uint8Array
  /**
   * The same into memory of the caller's, as much as fits or is there; gives how many bytes. For who reads all of a long
   * capture: what `read` gives is memory anew each time. Absent where `read` copies nothing.
   */
  readonly into?: (target: Uint8Array, from: number) => number
}

/** Bytes that are in memory. */
export const bytesOf = (all: Uint8Array): Bytes => ({
  size: all.length,
  read: (from, to) => all.subarray(Math.max(0, from), Math.max(0, to)),
})
