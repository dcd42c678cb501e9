/** What a digest costs at growing sizes: time per megabyte and memory, each in a process of its own. */
import { spawnSync } from 'node:child_process'
import {
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Bytes } from '../src/containment/bytes.ts'
import { digestOf, RUN_WINDOWS } from '../src/containment/digest/digest.ts'
import { mask, maskSlice } from '../src/containment/redact/redact.ts'
import { randomOf } from './second/kit.ts'
import { ms, table } from './stats.ts'

const MB = 1_000_000
const SIZES = [1, 10, 100]
const SOAK = [...SIZES, 1000]

/** Prints the table. `soak`: up to 1 GB. */
export function cost(place: string, soak: boolean, say: (text: string) => void): void {
  mkdirSync(place, { recursive: true })
  const rows = [['cost of a digest', 'MB', 'ms', 'ms per MB', 'MB/s', 'MB over an idle process']]
  const idle = child('idle', '').memory
  for (const kind of ['log', 'words', 'encoded', 'line'] as const)
    for (const size of soak ? SOAK : SIZES) {
      const { spent, memory } = child(kind, fileOf(place, kind, size))
      rows.push([
        kind,
        String(size),
        ms(spent),
        ms(spent / size),
        String(Math.round((size * 1000) / spent)),
        ((memory - idle) / 1024).toFixed(0),
      ])
    }
  say(`\n${table(rows)}\nlog: lines of a server; words: no two lines alike; encoded: lines of base64; line: one line`)
}

/** A file of a kind and size, made once. */
function fileOf(place: string, kind: string, size: number): string {
  const file = join(place, `${kind}-${size}`)
  if (existsSync(file) && statSync(file).size >= size * MB) return file
  const random = randomOf(size)
  const handle = openSync(`${file}.part`, 'w')
  const words = 'alpha bravo charlie delta echo foxtrot golf hotel india juliet kilo lima mike november oscar'.split(
    ' ',
  )
  let at = 0
  for (let written = 0; written < size * MB; ) {
    let part = ''
    while (part.length < MB) {
      at++
      if (kind === 'log')
        part += `2026-05-04T10:${at % 60}:00Z ${at % 9973 === 0 ? 'WARN retry' : 'INFO done'} worker-${at % 16} request ${random.hex(12)} in ${random.int(1, 900)} ms\n`
      else if (kind === 'words')
        part += `${Array.from({ length: random.int(2, 14) }, () => random.of(words) + random.of(words)).join(random.of([' ', '/', '.']))}\n`
      else if (kind === 'encoded') part += `${Buffer.from(random.hex(114), 'hex').toString('base64')}\n`
      else part += `{"id":${at},"name":"${random.of(words)}","ok":true},`
    }
    written += writeSync(handle, part)
  }
  closeSync(handle)
  renameSync(`${file}.part`, file)
  return file
}

function child(kind: string, file: string): { spent: number; memory: number } {
  const { stdout, status } = spawnSync(process.execPath, [import.meta.filename, kind, file], { encoding: 'utf8' })
  if (status !== 0) throw new Error('the measuring process failed')
  return JSON.parse(stdout) as { spent: number; memory: number }
}

function fileBytes(file: string): Bytes {
  const handle = openSync(file, 'r')
  return {
    size: fstatSync(handle).size,
    read: (from, to) => {
      const buffer = Buffer.allocUnsafe(Math.max(0, to - from))
      return buffer.subarray(0, readSync(handle, buffer, 0, buffer.length, from))
    },
    into: (target, from) => readSync(handle, target, 0, target.length, from),
  }
}

if (process.argv[1] === import.meta.filename) {
  const [kind = '', file = ''] = process.argv.slice(2)
  const started = performance.now()
  if (kind !== 'idle')
    digestOf({
      bytes: fileBytes(file),
      commands: [],
      label: kind,
      exit: 0,
      budget: 600,
      windows: RUN_WINDOWS,
      mask: (text) => mask(text, 'bench'),
      maskSlice: (before, text, behind) => maskSlice(before, text, behind, 'bench'),
    })
  process.stdout.write(JSON.stringify({ spent: performance.now() - started, memory: process.resourceUsage().maxRSS }))
}
