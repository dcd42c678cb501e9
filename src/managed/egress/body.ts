/** Bodies in which placeholders are looked for: whole where they are small, piece by piece where not. */
import type { Readable } from 'node:stream'
import type { Host } from './names.ts'
import { LONGEST_MENTION, type Swap } from './placeholders.ts'

/** A body up to this many bytes is read before anything is sent, so that a refusal comes before the upstream sees a byte. */
const READ_FIRST = 1 << 20
/** A client that sends no more for so long is waiting for an answer: what it sent goes on. */
const WAIT_MS = 500

export interface BodyPlace {
  readonly host: Host
  readonly secure: boolean
  readonly contentType: string
}

export type FirstPart =
  | { readonly whole: true; readonly bytes: Buffer }
  /** `held`: bytes that were read and not looked at yet. */
  | { readonly whole: false; readonly held: Buffer }

/** Whether a body can be read at all: compressed ones cannot. */
export const readable = (encodings: readonly string[]): boolean =>
  encodings.every((one) => one.trim() === '' || one.trim().toLowerCase() === 'identity')

/** Reads the beginning of a body: all of it where it is small. The stream is paused afterwards. */
export function readFirst(body: Readable): Promise<FirstPart> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    let timer: NodeJS.Timeout | undefined
    const settle = (then: () => void) => {
      clearTimeout(timer)
      body.off('data', onData).off('end', onEnd).off('error', onError).off('close', onClose)
      then()
    }
    const more = () =>
      settle(() => {
        body.pause()
        resolve({ whole: false, held: Buffer.concat(parts) })
      })
    const onData = (part: Buffer) => {
      parts.push(part)
      size += part.length
      clearTimeout(timer)
      if (size > READ_FIRST) more()
      else timer = setTimeout(more, WAIT_MS)
    }
    const onEnd = () => settle(() => resolve({ whole: true, bytes: Buffer.concat(parts) }))
    const onError = (error: Error) => settle(() => reject(error))
    const onClose = () => settle(() => reject(new Error('the client went away')))
    body.on('data', onData).on('end', onEnd).on('error', onError).on('close', onClose)
  })
}

/** A whole body with placeholders replaced. Throws Refused. */
export const swapWhole = (swap: Swap, bytes: Buffer, place: BodyPlace): Buffer =>
  // Bytes as latin1, so that bodies of any charset and binary ones come through unchanged.
  Buffer.from(replaceIn(swap, bytes.toString('latin1'), place), 'latin1')

/** Pieces of a long body with placeholders replaced; one that lies across two pieces is seen as well. Throws Refused. */
export async function* swapPieces(
  swap: Swap,
  held: Buffer,
  rest: AsyncIterable<Buffer>,
  place: BodyPlace,
): AsyncGenerator<Buffer> {
  let text = held.toString('latin1')
  const ready = (): Buffer => {
    const replaced = replaceIn(swap, text, place)
    // What may be the beginning of a placeholder waits for the next piece.
    const from = Math.max(0, replaced.length - LONGEST_MENTION)
    const open = replaced.slice(from).search(/(?:_|%(?:5[fF]?)?$)/)
    const cut = open < 0 ? replaced.length : from + open
    text = replaced.slice(cut)
    return Buffer.from(replaced.slice(0, cut), 'latin1')
  }
  if (text !== '') yield ready()
  for await (const piece of rest) {
    text += piece.toString('latin1')
    yield ready()
  }
  if (text !== '') yield Buffer.from(replaceIn(swap, text, place), 'latin1')
}

function replaceIn(swap: Swap, text: string, { host, secure, contentType }: BodyPlace): string {
  return swap.replace(text, 'body', host, secure, escapeFor(contentType))
}

/** How a value is written so that it stays one value of its body. */
function escapeFor(contentType: string): (value: string) => string {
  const bytes = (value: string): string => Buffer.from(value, 'utf8').toString('latin1')
  if (/^application\/x-www-form-urlencoded\b/i.test(contentType)) return encodeURIComponent
  if (/^[\w.+-]+\/(?:[\w.+-]*\+)?json\b/i.test(contentType)) return (value) => bytes(JSON.stringify(value).slice(1, -1))
  return bytes
}
