/** `ctx get`: the command line's side of it. */
import { writeSync } from 'node:fs'
import { handleText } from '../../containment/address.ts'
import { RUN_WINDOWS } from '../../containment/digest/digest.ts'
import { occurrencesOf } from '../../containment/digest/occurrences.ts'
import { getAnswer, select } from '../../containment/query/get.ts'
import type { Row } from '../../containment/query/rows.ts'
import { openHandle } from '../../containment/query/source.ts'
import type { Lines } from '../../containment/store/types.ts'
import { EXIT, type Io } from '../io.ts'
import { addressOf, askingOf, bookAnswer, budgetOf, refuse, type SelectorFlags } from './asking.ts'

export interface GetFlags extends SelectorFlags {
  readonly budget?: string
  readonly raw?: boolean
  readonly json?: boolean
}

const CHUNK = 1 << 20

/** Lines of a shape, as the digest counts them. */
const shapeRows = (bytes: Lines, shape: number): readonly Row[] | { readonly refused: string } => {
  const found = occurrencesOf(bytes, RUN_WINDOWS, shape)
  return 'refused' in found ? found : found.map((place) => ({ ...place, whole: true }))
}

/** Prints what an address names. Exit code 0, or 2 where it names nothing. */
export async function getVerb(flags: GetFlags, given: string, io: Io): Promise<number> {
  const address = addressOf(given, flags)
  if ('refused' in address) return refuse(io, 'get', address)
  const asking = await askingOf(io)
  const budget = budgetOf(flags.budget, asking.result)
  if (typeof budget !== 'number') return refuse(io, 'get', budget)
  const { mask } = asking
  const opened = openHandle(address.handle, asking)
  if ('refused' in opened) return refuse(io, 'get', opened)
  if (flags.raw) {
    const part = select(opened.bytes, opened.handle, address.selector, { shapeRows })
    if ('refused' in part) return refuse(io, 'get', part)
    for (let at = part.from; at < part.to; at += CHUNK) writeAll(opened.bytes.read(at, Math.min(part.to, at + CHUNK)))
    return EXIT.ok
  }
  const answer = getAnswer(opened, address.selector, { budget, mask, shapeRows })
  if ('refused' in answer) return refuse(io, 'get', answer)
  const { text, masked, next } = answer
  io.out(flags.json ? `${JSON.stringify({ v: 1, text, masked, next: next ?? null })}\n` : text)
  bookAnswer(io, 'get', handleText(opened.handle), text)
  return EXIT.ok
}

/** Bytes to stdout, waiting where a pipe does not take them at once. */
function writeAll(bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(1, bytes, done)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}
