/** Masks a text that is shown without its control characters: these may stand between a secret and a word, or within it. */
import { MARKER } from './redact.ts'

interface Masked {
  readonly text: string
  readonly masked: number
}

const CONTROL = /\u0000/g
/** Signs of no width, which a reader does not see and a form does not allow. */
const FORMAT = /\p{Cf}|\p{Variation_Selector}|\u034f/gu
const UNSEEN = new RegExp(`\\u0000|${FORMAT.source}`, 'u')

/**
 * The text without `APART`, masked by the reading that leaves least to be seen: with a line end in the place of each, or
 * without them; with or without what nobody sees. `mask` is asked for the text alone.
 */
export function maskApart(text: string, mask: (text: string) => Masked): Masked {
  if (!UNSEEN.test(text)) return mask(text)
  const joined = text.replace(CONTROL, '')
  const apart = text.replace(CONTROL, '\n')
  const texts = new Set([joined, apart, joined.replace(FORMAT, ''), apart.replace(FORMAT, '')])
  let least: { readonly one: Masked; readonly seen: number } | undefined
  for (const one of texts) {
    const { text: shown, masked } = mask(one)
    // A line end is none of the text: one line at a time is shown.
    const plain = { text: shown.replaceAll('\n', ''), masked }
    const seen = plain.text.replace(MARKER, '').replace(FORMAT, '').length
    if (least === undefined || seen < least.seen) least = { one: plain, seen }
  }
  return least!.one
}
