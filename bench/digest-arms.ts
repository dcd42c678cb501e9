/** Other ways to shorten an output, and what is asked of every way. */
import { type Address, parseAddress } from '../src/containment/address.ts'
import { voiceOf } from '../src/containment/digest/loud.ts'
import { readShown } from '../src/containment/frame.ts'
import { tokensOf } from '../src/containment/tokens.ts'
import type { Corpus, Needle } from './second/kit.ts'

export interface Made {
  readonly text: string
  readonly status?: string
  readonly rawTokens?: number
  readonly addresses?: readonly string[]
}

export type Arm = (corpus: Corpus, budget: number) => Made

/** What one host shows: the exit code where there is one, and of more than 30,000 characters the first 2,000. */
export const hostRule: Arm = ({ text, exit }) => {
  const all = text.toString()
  const shown = all.length > 30_000 ? `${all.slice(0, 2000)}\n… output was ${all.length} characters` : all
  return { text: exit === 0 ? shown : `Exit code ${exit}\n${shown}` }
}

/** As much of both ends as the budget holds, half each. */
export const headTail: Arm = ({ text }, budget) => {
  const all = text.toString()
  if (tokensOf(all) <= budget) return { text: all }
  let keep = budget * 2
  const cut = () => `${all.slice(0, keep)}\n…\n${all.slice(-keep)}`
  while (keep > 20 && tokensOf(cut()) > budget) keep -= 20
  return { text: cut() }
}

export const tailLines: Arm = ({ text }) => ({ text: text.toString().split('\n').slice(-50).join('\n') })

/** Whether a reader would take the run for the opposite of what it was. */
export function falseVerdict(text: string, exit: number): boolean {
  const first = text.split('\n', 1)[0] ?? ''
  const told = /\bexit (\d+)|exit code:? (\d+)/i.exec(text)
  const code = told === null ? undefined : Number(told[1] ?? told[2])
  if (code !== undefined && (/^\[ctx /.test(first) || /^exit code/i.test(first))) return code !== exit
  const failure = text.split('\n').some((line) => voiceOf(line).loud >= 3)
  return exit !== 0 && !failure
}

/** Lines of a digest that are neither frame nor a slice of the capture. */
export function fabricated(text: string, raw: Uint8Array): string[] {
  const capture = withoutControls(Buffer.from(raw).toString())
  return text
    .replace(/\n$/, '')
    .split('\n')
    .filter((line) => {
      const shown = readShown(line)
      return shown.is === 'slice' && !capture.includes(shown.text) && !capture.includes(line)
    })
}

/** Escape sequences and control characters out, by another road than the digest's; a return parts lines. */
const withoutControls = (text: string): string =>
  text
    .replace(
      /\u001b\[[\x20-\x3f]*[\x40-\x7e]|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\u001b[\x20-\x2f]*[\x30-\x7e]/g,
      '',
    )
    .replace(/\r/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')

/** Whether a needle lies in what one of the addresses names. An address of the whole capture alone does not count. */
export function reachable(needle: Needle, addresses: readonly string[], raw: Uint8Array, handle: string): boolean {
  const text = Buffer.from(raw)
  return addresses.some((printed) => {
    const address = parseAddress(printed)
    if ('refused' in address || !printed.startsWith(handle)) throw new Error(`${printed} is no address of the capture`)
    const slice = sliceOf(address, text)
    return slice !== undefined && needle.any.some((spelling) => slice.includes(spelling))
  })
}

function sliceOf({ selector }: Address, raw: Buffer): Buffer | undefined {
  if (selector?.by === 'bytes') return raw.subarray(selector.from, selector.to + 1)
  if (selector?.by !== 'lines') return undefined
  let from = 0
  for (let n = 1; n < selector.from; n++) from = raw.indexOf(10, from) + 1
  let to = from
  for (let n = selector.from; n <= selector.to; n++) {
    const end = raw.indexOf(10, to)
    to = end < 0 ? raw.length : end + 1
  }
  return raw.subarray(from, to)
}
