/** What is shown of a run: a small output as it is, a larger one as its digest. */
import { maskBare } from '../redact/bare.ts'
import { tokensOf } from '../tokens.ts'
import { type Digest, type DigestInput, digestOf, type Options, statusOf } from './digest.ts'
import { endWords } from './render.ts'

/** Bytes up to which an output is shown as it is. */
export const SMALL = 2048

export interface Presented extends Digest {
  /** The text begins with the capture as it is: whoever writes it may write the bytes themselves. */
  readonly whole: boolean
}

/**
 * Presents a capture: up to `SMALL` bytes as they are, with found secrets masked, and a line of ours where the run did
 * not end well; else the digest. Where a secret is found only without escape sequences and the like, they are left out.
 */
export function present(input: DigestInput, options: Options = {}): Presented {
  const { bytes, exit, signal } = input
  if (bytes.size > SMALL) return { ...digestOf(input, options), whole: false }
  const all = bytes.read(0, bytes.size)
  const raw = new TextDecoder('utf-8', { ignoreBOM: true }).decode(all)
  const { text, masked } = maskBare(all, input.mask) ?? input.mask(raw)
  const status = statusOf(exit, signal)
  const last = status === 'failed' ? `[ctx ${endWords(exit, signal)}]\n` : ''
  const between = last === '' || text === '' || text.endsWith('\n') ? '' : '\n'
  const whole = text + between + last
  return {
    text: whole,
    status,
    tokens: tokensOf(whole),
    rawTokens: tokensOf(raw),
    priced: true,
    masked,
    addresses: [],
    family: 'whole',
    whole: masked === 0,
  }
}
