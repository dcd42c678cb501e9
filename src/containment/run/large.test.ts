/**
 * However much a command writes, the memory of `ctx run` stays where it was, and what is shown of it is exact. Small here;
 * with SALLYPORT_SOAK=1 a gigabyte.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { packed } from '../../../test/packed.testing.ts'
import { type Scratch, scratch } from './run.testing.ts'

const SOAK = process.env['SALLYPORT_SOAK'] === '1'
const SIZE = SOAK ? 1 << 30 : 64 << 20
const MOST_MS = SOAK ? 600_000 : 120_000
/** Growth over an idle Node. */
const MOST_GROWTH = 40 << 20

const shippedTo = mkdtempSync(join(tmpdir(), 'ctx-shipped-'))
const shipped = packed(shippedTo)
after(() => rmSync(shippedTo, { recursive: true, force: true }))

/** The largest resident memory of a process until it ends, in bytes; undefined where the system does not tell. */
async function peakOf(pid: number, ended: Promise<unknown>): Promise<number | undefined> {
  let peak: number | undefined
  const look = () => {
    try {
      const found = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))
      if (found) peak = Number(found[1]) * 1024
    } catch {
      // It has ended.
    }
  }
  const timer = setInterval(look, 20)
  await ended
  clearInterval(timer)
  return peak
}

/** Resident memory of a Node that does nothing. */
async function idle(): Promise<number | undefined> {
  const node = spawn(process.execPath, ['-e', 'setTimeout(() => {}, 500)'], { stdio: 'ignore' })
  return peakOf(node.pid!, new Promise((resolve) => node.once('exit', resolve)))
}

function mergedOf(place: Scratch) {
  const store = place.store
  const [run] = store.recent(1)
  assert.ok(run)
  const bytes = store.bytesOf({ is: 'run', id: run.id })
  assert.ok('read' in bytes)
  return bytes
}

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('latin1')

test('a flood of lines: flat memory, exact totals and tail, an addressable middle', { timeout: MOST_MS }, async (t) => {
  const place = scratch(t, await shipped)
  const run = place.start(['run', '--shell', '--', `yes | head -c ${SIZE}; echo the end`])
  const [base, peak, { code, out }] = await Promise.all([idle(), peakOf(run.pid, run.ended), run.ended])
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^\\[ctx exit 0 \\| ${SIZE / 2 + 1} lines, ${SIZE + 8} bytes`))
  assert.match(out, /the end\n/)
  const bytes = mergedOf(place)
  assert.equal(bytes.size, SIZE + 8)
  const middle = bytes.lineStart(SIZE / 4)
  assert.equal(middle, SIZE / 2 - 2)
  assert.equal(text(bytes.read(middle, middle + 4)), 'y\ny\n')
  if (base !== undefined && peak !== undefined) {
    t.diagnostic(`${SIZE} bytes: ${Math.round((peak - base) / 2 ** 20)} MiB over an idle Node`)
    assert.ok(peak - base <= MOST_GROWTH, `${peak - base} bytes over an idle Node`)
  } else assert.ok(!existsSync('/proc/self/status'))
})

test('one line without an end: flat memory, and its bytes can be fetched', { timeout: MOST_MS }, async (t) => {
  const place = scratch(t, await shipped)
  const line = `head -c ${SIZE / 2} /dev/zero | tr '\\0' x; printf needle; head -c ${SIZE / 2} /dev/zero | tr '\\0' y`
  const run = place.start(['run', '--shell', '--', line])
  const [base, peak, { code, out }] = await Promise.all([idle(), peakOf(run.pid, run.ended), run.ended])
  assert.equal(code, 0)
  assert.match(out, new RegExp(`^\\[ctx exit 0 \\| 1 line, ${SIZE + 6} bytes`))
  assert.ok(out.length < 20_000)
  assert.equal(text(mergedOf(place).read(SIZE / 2 - 1, SIZE / 2 + 7)), 'xneedley')
  if (base !== undefined && peak !== undefined) {
    t.diagnostic(`${SIZE} bytes: ${Math.round((peak - base) / 2 ** 20)} MiB over an idle Node`)
    assert.ok(peak - base <= MOST_GROWTH, `${peak - base} bytes over an idle Node`)
  }
})

test('a reader that is slow holds the command up, not our memory', { timeout: MOST_MS }, async (t) => {
  const place = scratch(t, await shipped)
  const run = spawn(process.execPath, [await shipped, 'run', '--raw', '--', 'head', '-c', String(SIZE), '/dev/zero'], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'], CTX_STATE_HOME: place.state, HOME: place.dir },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let size = 0
  setTimeout(() => run.stdout.on('data', (part: Buffer) => (size += part.length)), 1500)
  const ended = new Promise((resolve) => run.once('close', resolve))
  const [base, peak] = await Promise.all([idle(), peakOf(run.pid!, ended)])
  assert.equal(size, SIZE)
  if (base !== undefined && peak !== undefined)
    assert.ok(peak - base <= MOST_GROWTH, `${peak - base} bytes over an idle Node`)
})
