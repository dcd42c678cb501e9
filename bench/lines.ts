/** Log lines as services write them, the same for every run. */
import { closeSync, openSync, writeSync } from 'node:fs'

const BATCH = 5000

/** Writes at least `bytes` bytes of log lines to a file. */
export function writeLog(file: string, bytes: number): void {
  const fd = openSync(file, 'w')
  try {
    for (let i = 0, done = 0; done < bytes; ) {
      let text = ''
      for (const end = i + BATCH; i < end; i++) text += logLine(i)
      done += writeSync(fd, text)
    }
  } finally {
    closeSync(fd)
  }
}

function logLine(i: number): string {
  const two = (n: number): string => String(n % 60).padStart(2, '0')
  const time = `2026-11-30T12:${two(i)}:${two(i * 7)}.${String(i % 1000).padStart(3, '0')}Z`
  const level = i % 1009 === 0 ? 'ERROR' : i % 13 === 0 ? 'WARN ' : 'INFO '
  const id = ((i * 2654435761) >>> 0).toString(16)
  return `${time} ${level} [worker-${i % 16}] request id=${id} path=/api/v1/items/${i % 997} status=${i % 31 ? 200 : 404} ms=${i % 311}\n`
}
