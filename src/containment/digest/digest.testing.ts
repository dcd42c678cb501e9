/** Outputs as cases write them, and what holds for every digest. */
import { parseAddress, shellAddress } from '../address.ts'
import { readShown } from '../frame.ts'
import { tokensOf } from '../tokens.ts'
import type { Digest, DigestInput } from './digest.ts'
import { wideOf } from './magic.ts'

/** A line and how often; a line for each number of a range, in place of `{n}`; hexadecimal bytes; a text without line end. */
export type Output =
  | { readonly text: string; readonly repeat?: number }
  | { readonly sequence: readonly [number, number]; readonly text: string }
  | { readonly hex: string; readonly repeat?: number }
  | { readonly part: string; readonly repeat?: number }

/** The bytes of an output. */
export function outputBytes(output: readonly Output[]): Buffer {
  const parts: Buffer[] = []
  for (const entry of output) {
    const repeat = 'repeat' in entry ? (entry.repeat ?? 1) : 1
    if ('hex' in entry) parts.push(Buffer.from(entry.hex.repeat(repeat), 'hex'))
    else if ('part' in entry) parts.push(Buffer.from(entry.part.repeat(repeat)))
    else if ('sequence' in entry)
      for (let n = entry.sequence[0]; n <= entry.sequence[1]; n++)
        parts.push(Buffer.from(`${entry.text.replaceAll('{n}', String(n))}\n`))
    else parts.push(Buffer.from(`${entry.text}\n`.repeat(repeat)))
  }
  return Buffer.concat(parts)
}

export const unmasked = (text: string): { text: string; masked: number } => ({ text, masked: 0 })

/** Every way in which a digest breaks what holds for all of them; empty where it breaks none. */
export function faultsOf(digest: Digest, input: DigestInput): string[] {
  const faults: string[] = []
  const raw = Buffer.from(input.bytes.read(0, input.bytes.size))
  const capture = shownOf(decoded(raw))
  const [first = '', ...lines] = digest.text.replace(/\n$/, '').split('\n')
  const code = input.exit === undefined ? undefined : /\bexit (\d+)/.exec(first)?.[1]
  if (!first.startsWith('[ctx ')) faults.push(`the first line is no verdict: ${first}`)
  if (input.exit !== undefined && code !== String(input.exit)) faults.push(`exit ${input.exit} is told as ${code}`)
  for (const line of lines) {
    const shown = readShown(line)
    if (shown.is === 'slice' && !capture.includes(shown.text) && !capture.includes(line))
      faults.push(`not in the capture: ${JSON.stringify(line)}`)
    if (/[^\P{Cc}\t]/u.test(line)) faults.push(`control characters: ${JSON.stringify(line)}`)
  }
  faults.push(...misplaced(lines, raw))
  const body = lines.join('\n')
  if (tokensOf(body) > digest.rawTokens) faults.push(`${tokensOf(body)} tokens for ${digest.rawTokens}`)
  if (Buffer.byteLength(body) > raw.length) faults.push(`${Buffer.byteLength(body)} bytes for ${raw.length}`)
  const count = raw.length === 0 ? 0 : newlines(raw) + (raw.at(-1) === 0x0a ? 0 : 1)
  for (const printed of digest.addresses) {
    const address = parseAddress(printed)
    if ('refused' in address) faults.push(`${printed}: ${address.refused}`)
    else if (!digest.text.includes(shellAddress(address))) faults.push(`${printed} is not in the text`)
    else if (address.selector?.by === 'lines' && address.selector.to > count)
      faults.push(`${printed} of ${count} lines`)
    else if (address.selector?.by === 'bytes' && address.selector.to >= raw.length)
      faults.push(`${printed} of ${raw.length} bytes`)
  }
  const omitted = /(\d+) shown/.exec(first)?.[1]
  if (input.handle !== undefined && raw.length > 0) {
    if (!digest.addresses.includes(input.handle)) faults.push('the capture is not named')
    const numbered = wideOf(raw) === undefined
    if (
      numbered &&
      lines.length > 0 &&
      Number(omitted) < count &&
      !digest.addresses.some((printed) => printed.includes(' --'))
    )
      faults.push(`${count - Number(omitted)} lines are left out without an address`)
  }
  return faults
}

/** Slices that do not stand in the line that they are said, or seen, to be of. */
function misplaced(lines: readonly string[], raw: Buffer): string[] {
  if (wideOf(raw) !== undefined) return []
  const capture = raw
    .toString('latin1')
    .split('\n')
    .map((line) => shownOf(Buffer.from(line, 'latin1').toString()))
  const faults: string[] = []
  // The line that a slice without a number is of: the one behind that of the slice above it, where that is known.
  let next: number | undefined = 1
  for (const line of lines) {
    const shown = readShown(line)
    if (shown.is === 'frame') continue
    const own: number | undefined = shown.line ?? (shown.times === undefined ? next : undefined)
    const text = own === undefined ? undefined : capture[own - 1]
    if (
      text !== undefined &&
      !text.includes(shown.text) &&
      !(next !== undefined && capture[next - 2]?.includes(shown.text))
    )
      faults.push(`not in line ${own}: ${JSON.stringify(line)}`)
    next = own === undefined ? undefined : own + 1
  }
  return faults
}

function newlines(bytes: Buffer): number {
  let found = 0
  for (const c of bytes) if (c === 0x0a) found++
  return found
}

/** A capture without escape sequences and control characters; returns and line ends part it. */
function shownOf(text: string): string {
  const string = '\\u001b[\\]PX^_](?:[^\\u0007\\u001b\\n\\r]*(?:\\u0007|\\u001b\\\\))?'
  const csi = '(?:\\u001b\\[|\\u009b)[\\x20-\\x3f]*[\\x40-\\x7e]?'
  const other = '\\u001b[\\x20-\\x2f]*[\\x30-\\x7e]?'
  return text
    .replace(new RegExp(`${csi}|${string}|${other}`, 'g'), '')
    .replace(/\r/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '')
}

function decoded(raw: Buffer): string {
  const wide = wideOf(raw)
  if (wide === undefined) return raw.toString()
  const units = raw.subarray(wide.mark, raw.length - (raw.length % 2))
  const text = (wide.order === 'be' ? Buffer.from(units).swap16() : units).toString('utf16le')
  return Buffer.from(text).toString()
}
