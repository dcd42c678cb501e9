/** Captures in memory, for tests of what is read from them. */

import { bytesOf } from '../bytes.ts'
import { scanLines } from '../capture/lines.ts'
import type { Lines } from '../store/types.ts'
import type { MaskSlice } from './page.ts'
import type { Opened } from './source.ts'

export const linesOf = (text: string | Uint8Array): Lines =>
  scanLines(bytesOf(typeof text === 'string' ? Buffer.from(text) : text))

export const openedOf = (text: string | Uint8Array): Opened => ({
  handle: { is: 'run', id: '0123456789ab' },
  bytes: linesOf(text),
})

/** Hides nothing. */
export const bare: MaskSlice = (_, text) => ({ text, masked: 0 })

/** The lines of an answer that are no lines of the frame. */
export const slices = (text: string): readonly string[] =>
  text.split('\n').filter((line) => line !== '' && !line.startsWith('[ctx '))
