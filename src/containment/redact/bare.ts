/** Masks a small output as it is shown, also where sequences and marks that nobody sees cut a secret in pieces. */
import { bytesOf } from '../bytes.ts'
import { narrow } from '../digest/wide.ts'

interface Masked {
  readonly text: string
  readonly masked: number
}
type Mask = (text: string) => Masked

/** Escape sequences (ECMA-48), whole or cut off. */
const SEQUENCES =
  /\u001b\[[ -?]*[@-~]?|\u001b[\]PX^_](?:[^\u0007\u001b]*(?:\u0007|\u001b\\))?|\u001b[ -/]*[0-~]?|\u009b[ -?]*[@-~]?/g
/** A character that the next one is printed over. */
const OVERSTRUCK = /[^\n\b]\u0008/g
/** What has no width: control characters but for tabs and line ends, format characters, selectors of variants. */
const UNSEEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\p{Cf}]|\p{Variation_Selector}|\u034f/gu
const SPECIAL = new RegExp(UNSEEN.source, 'u')

const UTF8 = new TextDecoder('utf-8', { ignoreBOM: true })

/**
 * The text of an output whose secrets can be seen only without what a terminal does not show: without all of that, and
 * masked. Undefined where there is nothing of the kind, and the bytes may be masked as they are.
 */
export function maskBare(bytes: Uint8Array, mask: Mask): Masked | undefined {
  const text = UTF8.decode(bytes)
  const wide = narrow(bytesOf(bytes))?.bytes
  if (wide === undefined && !SPECIAL.test(text)) return undefined
  const narrowed = wide === undefined ? undefined : bare(UTF8.decode(wide.read(0, wide.size)), mask)
  const plain = bare(text, mask)
  // Without a mark two bytes a character are a guess: letters with NUL between may begin at an odd place.
  const marked = bytes[0] === 0xff || bytes[0] === 0xfe
  const most = narrowed !== undefined && (marked ? narrowed.masked >= plain.masked : narrowed.masked > plain.masked)
  const found = most ? narrowed : plain
  return found.masked === 0 ? undefined : found
}

function bare(text: string, mask: Mask): Masked {
  const without = (instead: string): Masked => mask(struck(text.replace(SEQUENCES, instead)).replace(UNSEEN, ''))
  const joined = without('')
  // Words that only a sequence keeps apart are no longer what they were when it is gone.
  const apart = without(' ')
  return apart.masked > joined.masked ? apart : joined
}

/** A text as it stands after characters were printed over others. */
function struck(text: string): string {
  let now = text
  while (now.includes('\b')) {
    const next = now.replace(OVERSTRUCK, '')
    if (next === now) return now
    now = next
  }
  return now
}
