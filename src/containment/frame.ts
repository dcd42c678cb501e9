/**
 * What a digest adds to the slices of the capture that it shows. A shown line is a line of ours (it begins with `[ctx`),
 * or a slice of one line of the capture, bare or behind `L<n>: ` (its line number) or `<n>× ` (how often its like occurred).
 * Control sequences are left out of slices, and found secrets are replaced by their marker.
 */

/** Matches a line of ours as a whole; of a slice the prefix. `whole`, `line` and `times` tell which. */
export const FRAME: RegExp = /^(?:(?<whole>\[ctx.*)|L(?<line>\d+): |(?<times>\d+)× )/su

/** What one shown line is. A slice comes without its prefix. */
export type Shown =
  | { readonly is: 'frame'; readonly text: string }
  | { readonly is: 'slice'; readonly text: string; readonly line?: number; readonly times?: number }

/** Reads one line of a digest, without its line end. */
export function readShown(line: string): Shown {
  const groups = FRAME.exec(line)?.groups
  if (groups?.['whole'] !== undefined) return { is: 'frame', text: line }
  if (groups?.['line'] !== undefined)
    return { is: 'slice', text: line.slice(groups['line'].length + 3), line: Number(groups['line']) }
  if (groups?.['times'] !== undefined)
    return { is: 'slice', text: line.slice(groups['times'].length + 2), times: Number(groups['times']) }
  return { is: 'slice', text: line }
}
