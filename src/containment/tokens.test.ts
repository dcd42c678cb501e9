import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { textParts, tokensOf } from './tokens.ts'

/** Texts with the tokens that the o200k vocabulary makes of them, counted when they were recorded. */
const ROWS = JSON.parse(readFileSync(join(import.meta.dirname, '../../cases/tokens.json'), 'utf8')) as readonly {
  readonly name: string
  readonly tokens: number
  readonly text: string
}[]

for (const { name, tokens, text } of ROWS)
  test(`${name}: within 10 % of ${tokens} tokens`, () => {
    const estimate = tokensOf(text)
    assert.ok(Math.abs(estimate / tokens - 1) <= 0.1, `≈${estimate}`)
  })

test('no text costs nothing, any text something, and a longer one never less', () => {
  assert.equal(tokensOf(''), 0)
  fc.assert(
    fc.property(fc.string({ unit: 'binary', minLength: 1 }), fc.string({ unit: 'binary' }), (text, more) => {
      assert.ok(tokensOf(text) >= 1)
      // Two texts may meet in one word or run, which then costs less than both.
      assert.ok(tokensOf(`${text}\n${more}`) >= tokensOf(text) - 1)
    }),
  )
})

test('the parts of a line', () => {
  const { words, digits, marks, marked, blanks } = textParts('src/a12.ts:7345 failed  (fast)')
  assert.deepEqual({ words, digits, marks, marked, blanks }, { words: 5, digits: 3, marks: 3, marked: 2, blanks: 1 })
})
