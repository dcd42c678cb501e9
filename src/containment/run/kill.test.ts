/**
 * Killed at any moment, a run leaves a store that holds: what was sealed resolves with the right bytes, what was not is
 * recovered or was never begun, and nothing of the child lives on. A tenth of the moments; all of them with SALLYPORT_SOAK=1.
 */
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after as afterAll, test } from 'node:test'
import { setTimeout as after } from 'node:timers/promises'
import { packed } from '../../../test/packed.testing.ts'
import { spoolsIn } from '../store/recover.ts'
import { alive, type Scratch, scratch, until } from './run.testing.ts'

const ALL = 200
const SOAK = process.env['SALLYPORT_SOAK'] === '1'
const SEED = 20_261_130
/** A run from its start to its end, on a slow machine: later moments find it sealed. */
const LATEST_MS = 900

/** Numbers from 0 to 1, the same for the same seed. */
function* randoms(seed: number): Generator<number, never> {
  for (let x = seed; ; ) {
    x = (Math.imul(x, 1664525) + 1013904223) >>> 0
    yield x / 2 ** 32
  }
}

/** Writes both streams in pieces for a while; what it writes of each is a beginning of `textOf`. */
const WRITER = `echo $$ >> pids; i=0; while [ $i -lt 400 ]; do i=$((i+1)); echo "$1 out $i"; echo "$1 err $i" >&2; done; sleep 0.3; seq 1 20000`

const textOf = (name: string, stream: 'stdout' | 'stderr'): string =>
  Array.from({ length: 400 }, (_, i) => `${name} ${stream === 'stdout' ? 'out' : 'err'} ${i + 1}\n`).join('') +
  (stream === 'stdout' ? Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join('') : '')

async function killed(place: Scratch, name: string, ms: number): Promise<void> {
  const run = place.start(['run', '--', 'sh', '-c', WRITER, 'sh', name])
  await Promise.race([after(ms), run.ended])
  try {
    process.kill(run.pid, 'SIGKILL')
  } catch {
    // It had ended.
  }
  await run.ended
}

const shippedTo = mkdtempSync(join(tmpdir(), 'ctx-shipped-'))
afterAll(() => rmSync(shippedTo, { recursive: true, force: true }))

test('a kill at any moment leaves a store that holds', { timeout: SOAK ? 900_000 : 120_000 }, async (t) => {
  const place = scratch(t, await packed(shippedTo))
  const random = randoms(SEED)
  const moments = Array.from({ length: SOAK ? ALL : ALL / 10 }, (_, index) => ({
    name: `run${index}`,
    ms: Math.floor(random.next().value * LATEST_MS),
  }))
  const queue = [...moments]
  const worker = async () => {
    for (let one = queue.shift(); one !== undefined; one = queue.shift()) await killed(place, one.name, one.ms)
  }
  await Promise.all([worker(), worker()])

  const pids = existsSync(join(place.dir, 'pids')) ? readFileSync(join(place.dir, 'pids'), 'utf8').split('\n') : []
  assert.ok(await until(() => !pids.filter(Boolean).some((pid) => alive(Number(pid)))), 'a child lives on')

  const store = place.store
  const root = join(place.state, 'store')
  const spools = spoolsIn(root).map(({ id }) => id)
  const recovered = store.recover()
  assert.ok(recovered.length <= spools.length)
  // A spool without a head was not begun; nothing else may be left.
  assert.deepEqual(spoolsIn(root), [])
  const runs = store.recent(10_000)
  let partial = 0
  for (const run of runs) {
    const name = run.argv.at(-1) ?? ''
    if (run.partial) partial++
    for (const stream of ['stdout', 'stderr'] as const) {
      const found = store.resolve({ is: 'run', id: run.id.slice(0, 12) })
      assert.equal(found.is, 'run')
      assert.ok(found.is === 'run')
      const bytes = found.capture.stream(stream)
      const text = Buffer.from(bytes.read(0, bytes.size))
      assert.equal(createHash('sha256').update(text).digest('hex'), run.streams[stream].sha256)
      assert.ok(
        textOf(name, stream).startsWith(text.toString()),
        `${name} ${stream} is no beginning of what was written`,
      )
      if (!run.partial) assert.equal(text.toString(), textOf(name, stream))
    }
    assert.ok(
      store.answers({ handle: { is: 'run', id: run.id }, selector: { by: 'bytes', from: 0, to: 0 } }) ||
        run.streams.merged.bytes === 0,
    )
  }
  assert.ok(partial > 0, 'no kill came while a run was captured')
  const again = place.store
  assert.equal(again.recent(10_000).length, runs.length)
  assert.deepEqual(readdirSync(join(root, 'spool')), [])
  t.diagnostic(`${moments.length} kills: ${runs.length} runs kept, ${partial} of them cut off`)
})
