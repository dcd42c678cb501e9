/**
 * Addresses of captured bytes: one grammar for everything that prints or reads one.
 *
 * `(run|blob|job):<6–64 hex>[#stdout|#stderr|#merged]` or `repo:<path>`, with at most one selector. Without a stream a run
 * is read as `#merged`: both streams in the order in which they came.
 */

export type Stream = 'stdout' | 'stderr' | 'merged'

export type Handle =
  /** `id`: 6 to 64 hexadecimal digits, lower-case; a prefix of the whole id. */
  | { readonly is: 'run' | 'blob' | 'job'; readonly id: string; readonly stream?: Stream }
  /** `path`: below the workspace, without `..`. */
  | { readonly is: 'repo'; readonly path: string }

export type Selector =
  /** From 1, both ends included. `anchor`: a short hash of the lines, for files that may change. */
  | { readonly by: 'lines'; readonly from: number; readonly to: number; readonly anchor?: string }
  /** From 0, both ends included. */
  | { readonly by: 'bytes'; readonly from: number; readonly to: number }
  /** Lines of JSON that are not blank, from 1, both ends included. */
  | { readonly by: 'records'; readonly from: number; readonly to: number }
  /** RFC 6901. */
  | { readonly by: 'pointer'; readonly pointer: string }
  /** Occurrences of a shape of the digest, from 1, both ends included; all where no range is given. */
  | { readonly by: 'shape'; readonly shape: number; readonly from?: number; readonly to?: number }

export interface Address {
  readonly handle: Handle
  readonly selector?: Selector
}
