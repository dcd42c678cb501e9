import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Mask, Source } from '../store/types.ts'
import { Masking } from './masking.ts'

/** Hides `<…>` within a line, and blocks between their first and last line. */
const mask: Mask = (text) => {
  let masked = 0
  const out = text.replace(/-----BEGIN x-----\n[a-z\n]*-----END x-----|<[a-z]*>/g, () => {
    masked++
    return '[hidden]'
  })
  return { text: out, masked }
}

const piece = fc.oneof(
  fc.constantFrom('plain ', '<secret>', '\n', '-----BEGIN x-----\nabc\ndef\n-----END x-----', '\u00e4', '>', ' '),
  fc.integer({ min: 1, max: 60 }).map((n) => 'long text '.repeat(n)),
)
const stream = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

function run(parts: readonly (readonly [Source, Buffer])[]): {
  kept: Record<Source, string>
  order: Source[]
  masked: number
} {
  const kept: Record<Source, Buffer[]> = { stdout: [], stderr: [] }
  const order: Source[] = []
  const masking = new Masking(mask, (source, chunk) => {
    kept[source].push(Buffer.from(chunk))
    order.push(source)
  })
  for (const [source, bytes] of parts) masking.append(source, bytes)
  masking.end()
  const text = (source: Source) => Buffer.concat(kept[source]).toString('latin1')
  return { kept: { stdout: text('stdout'), stderr: text('stderr') }, order, masked: masking.masked }
}

test('each stream is masked as if it had come in one piece, however both were cut', () => {
  fc.assert(
    fc.property(
      stream,
      stream,
      fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1, maxLength: 20 }),
      (out, err, cuts) => {
        const left: Record<Source, Buffer> = { stdout: Buffer.from(out), stderr: Buffer.from(err) }
        const parts: [Source, Buffer][] = []
        for (let i = 0; left.stdout.length + left.stderr.length > 0; i++) {
          const source: Source = i % 2 === 0 ? 'stdout' : 'stderr'
          const cut = cuts[i % cuts.length]!
          parts.push([source, left[source].subarray(0, cut)])
          left[source] = left[source].subarray(cut)
        }
        const { kept } = run(parts)
        for (const [source, text] of [
          ['stdout', out],
          ['stderr', err],
        ] as const)
          assert.equal(kept[source], mask(Buffer.from(text).toString('latin1')).text)
      },
    ),
    { numRuns: 300 },
  )
})

test('bytes that are no text stay as they are', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      const given = Buffer.from(bytes)
      assert.equal(run([['stdout', given]]).kept.stdout, mask(given.toString('latin1')).text)
    }),
  )
})

test('lines go on before those of the other stream that came later', () => {
  const line = (text: string) => Buffer.from(text)
  const { order } = run([
    ['stdout', line('one\n')],
    ['stderr', line('two\n')],
    ['stdout', line('three\n')],
  ])
  assert.deepEqual(order, ['stdout', 'stderr', 'stdout'])
})

test('what is held back is bounded: an endless line, and a block without an end', () => {
  for (const start of ['', '-----BEGIN x-----\n']) {
    let most = 0
    let [given, got] = [0, 0]
    const masking = new Masking(mask, (_, chunk) => {
      got += chunk.length
    })
    masking.append('stdout', Buffer.from(start))
    given += start.length
    for (let i = 0; i < 64; i++) {
      masking.append('stdout', Buffer.alloc(64 * 1024, 'x'))
      given += 64 * 1024
      most = Math.max(most, given - got)
    }
    masking.end()
    assert.equal(got, given)
    assert.ok(most <= 1024 * 1024 + 64 * 1024 + 20, `${most}`)
  }
})
