/**
 * What a digest adds to the slices of the capture that it shows. A shown line is a line of ours (it begins with `[ctx`),
 * or a slice of one line of the capture, bare or behind `L<n>: ` (its line number) or `<n>× ` (how often its like occurred).
 * Control sequences are left out of slices, and found secrets are replaced by their marker.
 */

/** Matches a line of ours as a whole; of a slice the prefix. `whole`, `line` and `times` tell which. */
export const FRAME: RegExp = /^(?:(?<whole>\[ctx.*)|L(?<line>\d+): |(?<times>\d+)× )/su

/** Nothing is seen of these, or only blank. */
const UNSEEN = /[\p{Default_Ignorable_Code_Point}\p{Cf}\p{Cc}\p{M}\p{Z}\s\u2800]/gu
/** What follows may be seen in another order than it stands in, or on a line of its own. */
const TURNS = /[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/u
/** Letters and signs that are seen as others, once compatible forms are one. */
const ALIKE: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    '[': '⁅⟦〔【❲〚⦋⦍⦏',
    c: 'сϲᴄⅽƈ',
    t: 'тτᴛ',
    x: 'хχⅹ',
    L: 'ʟⳐᏞꓡⅬ',
    ':': '։׃ː˸∶ꓽ፡',
    '×': '✕✖╳⨯⨉⤫',
  }).flatMap(([plain, others]) => [...others].map((other) => [other, plain])),
)
const MOST_PREFIX = 64
const LOOKS = /^(?:\[ctx|L\d+:|\d+×)/iu

/**
 * Whether a reader may take a slice for a line of ours, or for one with a prefix of ours: by what is seen of it, not by its
 * bytes. Of such a slice the line number is shown.
 */
export function looksFramed(text: string): boolean {
  const first = text.charCodeAt(0)
  // Most lines begin with a plain letter that begins nothing of ours.
  if (first > 0x20 && first < 0x7f && !'[Ll0123456789'.includes(text[0]!) && !TURNS.test(text)) return false
  if (FRAME.test(text) || TURNS.test(text)) return true
  const seen = text
    .slice(0, MOST_PREFIX * 4)
    .normalize('NFKD')
    .replace(UNSEEN, '')
    .slice(0, MOST_PREFIX)
  // So many unseen signs: what is behind them is not looked for.
  if (seen === '') return text.length > MOST_PREFIX * 4
  return LOOKS.test([...seen].map((one) => ALIKE[one] ?? (/\p{Nd}/u.test(one) ? '0' : one)).join(''))
}

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
