/** The same line in other words gets the same verdict, and the other words do mean the same. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { need } from '../need.ts'
import { metaRates } from './meta.ts'
import { runLines, SAMPLES, TREE } from './proof.ts'
import { RESPELLINGS } from './respellings.ts'
import { textOf } from './text.ts'

/** The two ends of a pipe run at the same time. */
const inOrder = (sample: string, out: string): string =>
  sample.includes(' | ') ? out.split('\n').sort().join('\n') : out

/** Of the denials and of the passes alike. */
const LEAST_KEPT = 0.99

describe('verdicts of respelt cases', () => {
  for (const { respelling, counts, misses } of metaRates('cases/guard.jsonl', 'cases/worlds')) {
    test(respelling, () => {
      const told = misses.map(({ id, verdict, expected, text }) => `${id}: ${expected} became ${verdict}: ${text}`)
      for (const decision of ['deny', 'pass'] as const) {
        const { tried, kept } = counts[decision]
        assert.ok(tried >= 30, `${tried} rows to ${decision} are too few to tell`)
        assert.ok(kept / tried >= LEAST_KEPT, told.join('\n'))
      }
    })
  }
})

test('each respelling calls the same programs with the same arguments', (t) => {
  if (!need(t, 'bwrap') || !need(t, 'bash')) return
  const paths = new Set(
    Object.keys(TREE).flatMap((path) => path.split('/').map((_, i, all) => all.slice(0, i + 1).join('/'))),
  )
  const exists = (path: string) => paths.has(path.replace(/^\.\//, ''))
  const tried = SAMPLES.flatMap((sample) => {
    const text = textOf(sample)
    assert.ok(text, sample)
    return RESPELLINGS.flatMap(({ id, respell }) => {
      const line = respell(text, exists)
      return line === undefined ? [] : [{ sample, id, line }]
    })
  })
  for (const { id } of RESPELLINGS)
    assert.ok(
      tried.some((one) => one.id === id),
      `no sample for: ${id}`,
    )
  const plain = new Map(runLines(SAMPLES).map((out, i) => [SAMPLES[i]!, out]))
  for (const [sample, out] of plain) assert.match(out, /^(?:[a-z]+(?:\||\n)|file )/, sample)
  const wrong = runLines(tried.map(({ line }) => line)).flatMap((out, i) => {
    const { sample, id, line } = tried[i]!
    return inOrder(sample, out) === inOrder(sample, plain.get(sample)!)
      ? []
      : [`${id}: ${line}\n--- as written\n${plain.get(sample)}--- respelt\n${out}`]
  })
  assert.deepEqual(wrong, [], wrong.join('\n'))
})
