/** What a captured run is shown as: its bytes where they are few, else a digest. */
import { maskBare } from '../redact/bare.ts'
import type { Source } from './capture.ts'

/** Up to this many bytes an output is shown as it is. */
export const SMALL_BYTES = 2048

/** How the child ended, as far as anybody knows. */
export interface Verdict {
  /** What the caller is given as exit code; undefined where the capture was cut off. */
  readonly exit: number | undefined
  readonly signal: string | undefined
  /** Seconds after which it was ended; true where nobody knows any more how many. */
  readonly timedOutAfter?: number | true | undefined
  /** Statuses of the stages of the last pipeline. */
  readonly stages?: readonly number[] | undefined
}

/** A piece of a small output, for the stream that it came by. */
export interface Part {
  readonly to: Source
  readonly bytes: Uint8Array
}

type Hide = (text: string) => { readonly text: string; readonly masked: number }

/** A status that a stage has when nobody reads it any more: no failure. */
const SIGPIPE = 141

/** Statuses of the stages, where one failed and the last did not show it. */
export const hiddenFailure = (stages: readonly number[] | undefined): readonly number[] | undefined =>
  stages?.slice(0, -1).some((status) => status !== 0 && status !== SIGPIPE) ? stages : undefined

/**
 * The parts of a small output: in the order in which they came where no secret is in them, else one stream after the
 * other, masked. `pieces` are the parts in that order. Behind them comes our line where the command did not succeed.
 */
export function smallOutput(
  pieces: readonly Part[],
  verdict: Verdict,
  mask: Hide,
): { readonly parts: readonly Part[]; readonly masked: number } {
  const whole = (['stdout', 'stderr'] as const).map((to) => {
    const text = latin1(pieces.filter((piece) => piece.to === to).map(({ bytes }) => bytes))
    return { to, text, ...hidden(text, mask) }
  })
  const masked = whole.reduce((sum, one) => sum + one.masked, 0)
  const parts: Part[] = masked === 0 ? [...pieces] : whole.map(({ to, shown }) => ({ to, bytes: bytesOf(shown) }))
  const line = endLine(verdict)
  if (line !== undefined) {
    const stdout = whole[0]?.text ?? ''
    const open = stdout !== '' && !stdout.endsWith('\n')
    parts.push({ to: 'stdout', bytes: bytesOf(`${open ? '\n' : ''}${line}\n`) })
  }
  return { parts, masked }
}

function hidden(text: string, mask: Hide): { readonly shown: string; readonly masked: number } {
  const bare = text === '' ? undefined : maskBare(bytesOf(text), mask)
  if (bare !== undefined) return { shown: Buffer.from(bare.text).toString('latin1'), masked: bare.masked }
  const { text: shown, masked } = mask(text)
  return { shown, masked }
}

/** `[ctx exit N]`, with the signal or the deadline where there was one. Undefined for success. */
export function endLine(verdict: Verdict): string | undefined {
  if (verdict.exit === 0 && verdict.timedOutAfter === undefined) return undefined
  const notes = [
    verdict.exit === undefined ? 'exit unknown: the capture was cut off' : `exit ${verdict.exit}`,
    ...(verdict.timedOutAfter === undefined ? [] : [timeWords(verdict.timedOutAfter)]),
    ...(verdict.signal === undefined ? [] : [`killed by ${verdict.signal}`]),
  ]
  return `[ctx ${notes.join(' | ')}]`
}

const timeWords = (seconds: number | true): string => (seconds === true ? 'timed out' : `timed out after ${seconds} s`)

/** Lines of ours that belong under the first line of a digest. */
export function notesOf(verdict: Verdict): readonly string[] {
  const stages = hiddenFailure(verdict.stages)
  return [
    ...(verdict.timedOutAfter === undefined ? [] : [`[ctx ${timeWords(verdict.timedOutAfter)}]`]),
    ...(stages === undefined ? [] : [`[ctx stages of the pipeline: exit ${stages.join(', ')}]`]),
  ]
}

/** A digest with lines put under its first. */
export function withNotes(text: string, notes: readonly string[]): string {
  if (notes.length === 0) return text
  const end = text.indexOf('\n')
  return end < 0
    ? `${text}\n${notes.join('\n')}\n`
    : `${text.slice(0, end + 1)}${notes.map((note) => `${note}\n`).join('')}${text.slice(end + 1)}`
}

const latin1 = (chunks: readonly Uint8Array[]): string => Buffer.concat(chunks).toString('latin1')
const bytesOf = (text: string): Uint8Array => Buffer.from(text, 'latin1')
