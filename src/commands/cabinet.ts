/** `expand` of Windows: what a cabinet holds comes to lie in a file or a folder. */
import { textOf } from '../core/value.ts'
import type { Doing, Invocation } from './doing.ts'

const SWITCH = /^[-/](?:r|i|d|f:.*)$/i

/**
 * What `expand SOURCE… TARGET`, `expand -F:FILES SOURCE TARGET` and `expand -R SOURCE` do; undefined where the words are those
 * of the program of the same name that lays out text. Pure.
 */
export function expandCabinet(call: Invocation): readonly Doing[] | undefined {
  const texts = call.args.map((arg) => textOf(arg.value) ?? '')
  const given = texts.filter((text) => SWITCH.test(text)).map((text) => text[1]!.toLowerCase())
  if (texts.some((text) => /^[-/][A-Za-z-]/.test(text) && !SWITCH.test(text) && !/[\\/]/.test(text.slice(1))))
    return undefined
  const words = call.args.filter((_, i) => !SWITCH.test(texts[i]!))
  const sources = words.length > 1 ? words.slice(0, -1) : words
  const to = words.length > 1 ? words.at(-1) : undefined
  const reads = sources.map((at): Doing => ({ do: 'path', act: 'read', at }))
  if (given.includes('d')) return reads
  if (to === undefined)
    return given.includes('r') || given.includes('f')
      ? [{ do: 'unpack', archive: sources[0], into: undefined }]
      : undefined
  const folder = given.includes('f') || given.includes('r') || given.includes('i') || sources.length > 1
  // One file goes to the name that is given, or into the folder of that name.
  return [
    ...(folder ? [] : [...reads, { do: 'path', act: 'write', at: to } as const]),
    ...sources.map((archive): Doing => ({ do: 'unpack', archive, into: to })),
  ]
}
