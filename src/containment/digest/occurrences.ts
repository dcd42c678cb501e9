/** Lines of one shape of a digest, for `--shape`. */
import type { Bytes } from '../bytes.ts'
import { analyse, type Windows } from './analysis.ts'
import { LineIndex, type Place, scan } from './lines.ts'

/** Lines of one shape that are told at most. */
const MOST = 100_000

/**
 * Places of the lines of a shape, in order. Shapes are numbered from 1 in order of their first line. A clause that says
 * why where there is no such shape.
 */
export function occurrencesOf(
  bytes: Bytes,
  windows: Windows,
  shape: number,
): readonly Place[] | { readonly refused: string } {
  const { shapes, shapeOf } = analyse(bytes, windows)
  const wanted = shapes[shape - 1]
  if (wanted === undefined) return { refused: `there is no shape ${shape}; the shapes are 1 to ${shapes.length}` }
  const places: Place[] = []
  scan(bytes, windows, new LineIndex(), {
    line: (buffer, start, end, n, from) => {
      if (places.length < MOST && shapeOf(buffer.subarray(start, end)) === wanted)
        places.push({ n, from, to: from + end - start })
    },
    long: () => {},
  })
  // Parts of long lines are no lines of the capture: those that were noted while reading are what there is.
  return places.length > 0 ? places : wanted.places
}
