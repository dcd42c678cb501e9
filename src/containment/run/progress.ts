/** One line on a terminal that tells a person how far a command is, while its output is captured. */
import { writeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { stripVTControlCharacters } from 'node:util'

const BEGIN_MS = 1000
const EVERY_MS = 250
/** Of the last line, no more is looked at. */
const TAIL_BYTES = 1024
const WIDTH = 100

export interface Progress {
  saw(chunk: Uint8Array): void
  /** Takes the line away. */
  stop(): void
}

/** Undefined where stderr is no terminal, or one that cannot overwrite a line. `mask` hides secrets of the last line. */
export function progressOn(
  env: Readonly<Record<string, string | undefined>>,
  mask: (text: string) => string,
): Progress | undefined {
  if (!isatty(2) || env['TERM'] === 'dumb' || env['TERM'] === undefined || env['CI']) return undefined
  const began = performance.now()
  let bytes = 0
  let lines = 0
  let tail = ''
  let shown = false
  const show = () => {
    if (performance.now() - began < BEGIN_MS) return
    shown = true
    const seconds = Math.floor((performance.now() - began) / 1000)
    const last = stripVTControlCharacters(mask(tail.split(/[\r\n]/).findLast((line) => line.trim() !== '') ?? ''))
    const text = `[ctx] ${sizeOf(bytes)} · ${lines} lines · ${seconds} s · ${last.replaceAll('\t', ' ')}`
    write(`\r\x1b[K${[...text].slice(0, WIDTH).join('')}`)
  }
  const timer = setInterval(show, EVERY_MS)
  timer.unref()
  return {
    saw(chunk) {
      bytes += chunk.length
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++
      tail = (tail + Buffer.from(chunk.subarray(-TAIL_BYTES)).toString()).slice(-TAIL_BYTES)
    },
    stop() {
      clearInterval(timer)
      if (shown) write('\r\x1b[K')
    },
  }
}

const write = (text: string): void => {
  try {
    writeSync(2, text)
  } catch {
    // A terminal that is gone.
  }
}

/** Bytes for people: `17 B`, `3.4 kB`, `1.2 GB`. */
export function sizeOf(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let unit = 0
  let size = bytes
  for (; size >= 1000 && unit < units.length - 1; unit++) size /= 1000
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`
}
