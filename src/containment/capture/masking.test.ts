import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { mask as maskText } from '../redact/redact.ts'
import { StreamMask } from '../redact/stream.ts'
import type { Source } from '../store/types.ts'
import { Masking } from './masking.ts'

const KEY = 'a key for tests'
const mask = (bytes: Buffer): string => maskText(bytes.toString(), KEY).text
const masking = (keep: (source: Source, chunk: Uint8Array) => void) => new Masking(() => new StreamMask(KEY), keep)

// In pieces, so that scanners of repositories do not take them for secrets.
const BODY = `${'MIIC'.repeat(16)}\n`
const BEGIN = `-----BEGIN ${'PRIVATE'} KEY-----\n`
const BLOCK = `${BEGIN}${BODY}${BODY}Cab=\n-----END ${'PRIVATE'} KEY-----`

const piece = fc.oneof(
  fc.constantFrom(
    'plain ',
    'API_KEY=aB3dE5gH7jK9',
    `gh${'p_'}EXAMPLEEXAMPLEEXAMPLE1234`,
    '\n',
    BLOCK,
    '\u00e4',
    '>',
    ' ',
  ),
  fc.integer({ min: 1, max: 60 }).map((n) => 'long text '.repeat(n)),
)
const stream = fc.array(piece, { maxLength: 30 }).map((pieces) => pieces.join(''))

function run(parts: readonly (readonly [Source, Buffer])[]): {
  kept: Record<Source, string>
  order: Source[]
} {
  const kept: Record<Source, Buffer[]> = { stdout: [], stderr: [] }
  const order: Source[] = []
  const both = masking((source, chunk) => {
    kept[source].push(Buffer.from(chunk))
    order.push(source)
  })
  for (const [source, bytes] of parts) both.append(source, bytes)
  both.end()
  const text = (source: Source) => Buffer.concat(kept[source]).toString()
  return { kept: { stdout: text('stdout'), stderr: text('stderr') }, order }
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
          assert.equal(kept[source], mask(Buffer.from(text)))
      },
    ),
    { numRuns: 300 },
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

test('what is held back is bounded: an endless line, and a key without an end', () => {
  for (const [start, line] of [
    ['', 'x'.repeat(64 * 1024)],
    [BEGIN, BODY.repeat(1024)],
  ] as const) {
    let most = 0
    let [held, got] = [0, 0]
    const both = masking((_, chunk) => {
      got += chunk.length
      held = 0
    })
    both.append('stdout', Buffer.from(start))
    for (let i = 0; i < 64; i++) {
      both.append('stdout', Buffer.from(line))
      held += line.length
      most = Math.max(most, held)
    }
    both.end()
    if (start === '') assert.equal(got, 64 * line.length)
    assert.ok(most <= 1024 * 1024 + 2 * 64 * 1024 + 100, `${most}`)
  }
})
