/**
 * Keeps a result whole and makes the text that stands for it. Whatever breaks, the text is short: a digest, else the
 * beginning with the address of the rest, else a sentence. Never throws.
 */
import type { Bytes } from './bytes.ts'
import { bytesOf } from './bytes.ts'
import { digestOf, GATE_WINDOWS } from './digest/digest.ts'
import type { Probe } from './digest/family.ts'
import { hostCapOf } from './ledger/caps.ts'
import { book, ledgerFile, rowOf } from './ledger/ledger.ts'
import type { Event, Measure } from './ledger/row.ts'
import { redactionKey } from './redact/key.ts'
import { mask, maskSlice } from './redact/redact.ts'
import { StreamMask } from './redact/stream.ts'
import { openStore } from './store/store.ts'
import type { Env, Mask, PutFacts, Sealed, Store } from './store/types.ts'
import { tokensOf } from './tokens.ts'

export interface Containment {
  readonly env: Env
  readonly home: string
  readonly host: string
  readonly session: string
  /** Tokens of a digest; 600 where nothing is set. */
  readonly budget?: number | undefined
  readonly store?: { readonly seal?: boolean; readonly maxBytes?: number; readonly days?: number } | undefined
}

export interface Output {
  readonly bytes: Uint8Array
  /** The result as JSON, where it holds more than the text. Kept beside. */
  readonly json?: string
  /** What the digest is told of the command, and what the verdict line names. */
  readonly commands: Probe['commands']
  readonly label: string
  readonly facts: PutFacts
  /** What kind of command it was, for the ledger; never the command line. */
  readonly family: string
  /** A result that is no text for a model. */
  readonly binary?: boolean
  /** Whether the host takes another text; else the result is kept and booked as it was. */
  readonly replaceable: boolean
  readonly method: 'replace' | 'proxy'
  /** A line of ours, without its line end, that belongs behind the text; undefined where none does. */
  readonly closing?: (text: string) => string | undefined
}

export interface Contained {
  /** What stands for the result; undefined where nothing may. */
  readonly text: string | undefined
  /** What went wrong, as a clause. */
  readonly problem?: string
}

const DIGEST_TOKENS = 600
/** Bytes of the beginning that are shown where no digest could be made. */
const HEAD = 2048

/** Keeps, shortens and books one result. */
export function contain(output: Output, at: Containment): Contained {
  const problems: string[] = []
  const told = <T>(what: string, make: () => T): T | undefined => {
    try {
      return make()
    } catch (error) {
      problems.push(`${what} (${error instanceof Error ? error.message.split('\n')[0]!.slice(0, 120) : String(error)})`)
      return undefined
    }
  }
  const hide = told('no key for masks', () => maskOf(at))
  const kept = told('the result could not be kept', () => keep(output, at, hide))
  let rawTokens: number | undefined
  const digest = (): string => {
    const made = digestText(output, at, kept, hide)
    rawTokens = made.rawTokens
    return made.text
  }
  const made = output.replaceable
    ? (told('no digest could be made', digest) ??
      told('its beginning could not be shown', () => beginning(output, kept, hide)) ??
      withheld(output, kept))
    : undefined
  const closing = made === undefined ? undefined : told('its last line is missing', () => output.closing?.(made))
  const text = closing === undefined ? made : `${made}[ctx ${closing}]\n`
  told('the ledger could not be written', () => bookResult(output, at, kept, text, rawTokens))
  return { text, ...(problems.length === 0 ? {} : { problem: problems.join('; ') }) }
}

interface Kept {
  readonly sealed: Sealed
  /** The handle of the JSON beside. */
  readonly json?: string
}

function maskOf(at: Containment): Mask {
  const key = redactionKey(at.env, at.home)
  return (text) => mask(text, key)
}

function keep(output: Output, { env, home, store = {} }: Containment, hide: Mask | undefined): Kept {
  const { seal, ...limits } = store
  if (seal && hide === undefined) throw new Error('what is kept is to be masked, and there is no key')
  const sealing = seal && hide && { mask: hide, stream: () => new StreamMask(redactionKey(env, home)) }
  const place: Store = openStore({ env, home, ...limits, ...(sealing ? { seal: sealing } : {}) })
  const sealed = place.putBytes(output.bytes, output.facts)
  const json = output.json === undefined ? undefined : place.putBytes(Buffer.from(output.json), {}).handle
  return { sealed, ...(json === undefined ? {} : { json }) }
}

function digestText(output: Output, at: Containment, kept: Kept | undefined, hide: Mask | undefined) {
  if (hide === undefined) throw new Error('secrets could not be masked')
  const handle = kept?.sealed.handle
  const stopped = kept?.sealed.stopped?.at
  const key = redactionKey(at.env, at.home)
  // What is digested is what the addresses lead to.
  const bytes: Bytes = kept === undefined || handle === undefined ? bytesOf(output.bytes) : kept.sealed.stream('merged')
  const { text, rawTokens } = digestOf({
    bytes,
    commands: output.commands,
    label: hide(output.label).text,
    ...(output.facts.exit === undefined ? {} : { exit: output.facts.exit }),
    budget: at.budget ?? DIGEST_TOKENS,
    ...(handle === undefined ? {} : { handle }),
    windows: GATE_WINDOWS,
    mask: hide,
    maskSlice: (before, part, behind) => maskSlice(before, part, behind, key),
    ...(stopped === undefined ? {} : { stopped }),
  })
  return { text: text + beside(kept), rawTokens }
}

/** Where to find what is no text, and that nothing is kept. Lines of the frame. */
function beside(kept: Kept | undefined): string {
  if (kept?.json !== undefined) return `[ctx all parts of the result, as JSON: ${kept.json}]\n`
  return kept?.sealed.handle === undefined ? '[ctx nothing of this is kept: the store cannot be written]\n' : ''
}

function beginning(output: Output, kept: Kept | undefined, hide: Mask | undefined): string {
  if (hide === undefined) throw new Error('secrets could not be masked')
  // The cut may split a character, and a secret: what follows decides what is masked.
  const from = Buffer.from(output.bytes.subarray(0, 2 * HEAD)).toString('utf8')
  const { text } = hide(from)
  const shown = text.slice(0, HEAD).replace(/[\ud800-\udbff]$|\[ctx:redacted:[^\]]*$/, '')
  return `[ctx ${output.bytes.length} bytes, of which no digest could be made; the beginning follows]\n${shown}\n${whole(kept)}`
}

const withheld = (output: Output, kept: Kept | undefined): string =>
  `[ctx ${output.bytes.length} bytes are withheld: neither a digest nor a beginning could be made of them]\n${whole(kept)}`

const whole = (kept: Kept | undefined): string =>
  kept?.sealed.handle === undefined
    ? beside(kept)
    : `[ctx whole: ctx get ${kept.sealed.handle}]\n${kept.json === undefined ? '' : beside(kept)}`

/** Bytes of a sample, of which the price of a long text is taken where no digest tells it. */
const SAMPLE = 65_536

function bookResult(
  output: Output,
  at: Containment,
  kept: Kept | undefined,
  text: string | undefined,
  rawTokens = priceOf(output.bytes),
): void {
  const raw: Measure = { bytes: output.bytes.length, tokens: rawTokens }
  const { handle } = kept?.sealed ?? {}
  const event: Event = {
    ...(handle === undefined ? {} : { of: handle }),
    ts: new Date().toISOString(),
    ...{ host: at.host, session: at.session, family: output.family, raw },
    cap: hostCapOf(at.host, output.bytes.length, output.facts.exit),
    ...(text === undefined ? {} : { delivered: { bytes: Buffer.byteLength(text), tokens: tokensOf(text) } }),
    method: text === undefined ? 'raw' : output.method,
    ...(output.facts.exit === undefined ? {} : { exit: output.facts.exit }),
    ...(output.binary ? { binary: true } : {}),
  }
  const failed = book(rowOf(event), ledgerFile(at.env, at.home))
  if (failed !== undefined) throw new Error(failed)
}

/** Tokens of a text, by its first bytes. */
function priceOf(bytes: Uint8Array): number {
  const sampled = Math.min(bytes.length, SAMPLE)
  const tokens = tokensOf(Buffer.from(bytes.subarray(0, SAMPLE)).toString('utf8'))
  return sampled === 0 ? 0 : Math.round((tokens * bytes.length) / sampled)
}
