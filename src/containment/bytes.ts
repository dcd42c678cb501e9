/** Captured bytes, wherever they lie: readers never hold more of them than they ask for. */
export interface Bytes {
  readonly size: number
  /** The bytes from `from` up to but without `to`, cut to what there is. The caller may not change them. */
  read(from: number, to: number): Uint8Array
}

/** Bytes that are in memory. */
export const bytesOf = (all: Uint8Array): Bytes => ({
  size: all.length,
  read: (from, to) => all.subarray(Math.max(0, from), Math.max(0, to)),
})
