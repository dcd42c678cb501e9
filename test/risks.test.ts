/**
 * Each risk of `docs/risks.md` is pinned: by a case of `cases/risks.json` that shows what the guard answers today, or by
 * the name of a test. A case is `{id, world, command | call, verdict, files?, note?}`: `files` are added to the world.
 * Where an answer has changed, the risk has: mend its entry, then its case.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { judgeCase, subjectOfWorld } from '../src/cli/check/case.ts'
import { frozenWorld, parseFrozenWorld } from '../src/world/frozen.ts'

interface JudgedPin {
  readonly id: string
  readonly world: string
  readonly command?: string
  readonly call?: { readonly tool: string; readonly input: unknown }
  readonly verdict: string
  readonly files?: Readonly<Record<string, unknown>>
}

interface TestPin {
  readonly id: string
  readonly test: string
  /** Part of the test's title. */
  readonly name: string
}

const pins = JSON.parse(readFileSync('cases/risks.json', 'utf8')) as readonly (JudgedPin | TestPin)[]
const told = [...readFileSync('docs/risks.md', 'utf8').matchAll(/^### (R\d\d) /gm)].map((match) => match[1]!)

describe('the register of risks', () => {
  test('ids run from R01 without a gap', () => {
    assert.ok(told.length > 10)
    assert.deepEqual(
      told,
      told.map((_, i) => `R${String(i + 1).padStart(2, '0')}`),
    )
  })

  test('every risk has a pin, and every pin a risk', () => {
    assert.deepEqual([...new Set(pins.map((pin) => pin.id))].sort(), [...told].sort())
  })

  for (const pin of pins)
    if ('test' in pin)
      test(`${pin.id}: ${pin.test} holds it`, () => {
        assert.ok(existsSync(pin.test))
        assert.ok(pin.name !== '' && readFileSync(pin.test, 'utf8').includes(pin.name), `no test says "${pin.name}"`)
      })
    else
      test(`${pin.id}: ${pin.command ?? pin.call?.tool} is answered with ${pin.verdict} today`, () => {
        const path = `cases/worlds/${pin.world}.json`
        const text = readFileSync(path, 'utf8')
        const { files, ...rest } = JSON.parse(text)
        const { call } = pin
        const world = { ...rest, ...(call && { call }), files: { ...files, ...pin.files } }
        const file = parseFrozenWorld(JSON.stringify(world), path)
        const { verdict } = judgeCase(subjectOfWorld(file, pin), frozenWorld(file))
        assert.equal(verdict.decision, pin.verdict, verdict.reason)
      })
})
