/** Laws of the pieces that tell output exactly. Single cases are in the corpora. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { exact, showGlob, textOf } from '../core/value.ts'
import { bytesOfText, decode, encodeBase64, textOfBytes } from './bytes.ts'
import { formatted, readEscapes } from './escapes.ts'
import { patternParts } from './pattern.ts'
import { sedScript } from './sed.ts'
import { translate } from './tr.ts'
import { xargsLines } from './xargs.ts'

const text = fc.string({ unit: fc.constantFrom(...'abc \\\'"\n\t%xé🙂0/') })

describe('exact text', () => {
  it('comes back from base64', () => {
    fc.assert(fc.property(text, (given) => assert.equal(decode(encodeBase64(given)!, 'base64'), given)))
  })
  it('comes back from its bytes', () => {
    fc.assert(fc.property(text, (given) => assert.equal(textOfBytes(bytesOfText(given)!), given)))
  })
  it('is no text where a character is cut', () => {
    assert.equal(textOfBytes([0xc3]), undefined)
    assert.equal(bytesOfText('\ud800'), undefined)
    assert.equal(encodeBase64('\ud800'), undefined)
  })
  it('comes back from hexadecimal digits', () => {
    fc.assert(
      fc.property(text, (given) => {
        const digits = bytesOfText(given)!.map((byte) => byte.toString(16).padStart(2, '0'))
        assert.equal(decode(digits.join(''), 'hex'), given)
      }),
    )
  })
  it('stays as it is without a backslash', () => {
    fc.assert(
      fc.property(text, fc.constantFrom('format', 'b', 'echo'), (given, style) => {
        const plain = given.replaceAll('\\', '')
        assert.deepEqual(readEscapes(plain, style as 'b'), { text: plain, stop: false })
      }),
    )
  })
  it('is printed whole by %s', () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (words) => {
        assert.equal(textOf(formatted('%s\\n', words.map(exact))), words.map((word) => `${word}\n`).join(''))
      }),
    )
  })
  it('is turned back by the other direction of tr', () => {
    fc.assert(
      fc.property(text, (given) => {
        const there = translate(given, ['a-c', 'x-z'], new Set())!
        assert.equal(translate(there, ['x-z', 'a-c'], new Set()), given.replaceAll('x', 'a'))
      }),
    )
  })
  it('loses what tr deletes and nothing else', () => {
    fc.assert(
      fc.property(text, (given) => {
        assert.equal(translate(given, ['a-b'], new Set(['-d'])), given.replace(/[ab]/g, ''))
        assert.equal(translate(given, ['a-b'], new Set(['-d', '-c'])), given.replace(/[^ab]/gu, ''))
      }),
    )
  })
  it('splits into quoted words again', () => {
    const word = fc.string({ unit: fc.constantFrom(...'ab "\\'), minLength: 1 })
    fc.assert(
      fc.property(fc.array(word, { maxLength: 5 }), (words) => {
        const quoted = words.map((item) => `'${item}'`).join(' ')
        assert.deepEqual(xargsLines(quoted).flat(), words)
      }),
    )
  })
  it('of a pattern keeps its plain characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'ab./*?-') }), (pattern) => {
        assert.equal(showGlob(patternParts(pattern)), pattern.replace(/\*+/g, '*'))
      }),
    )
  })
  it('of a sed script never hides a command behind a substitution', () => {
    const piece = fc.string({ unit: fc.constantFrom(...'abew;/ ') })
    fc.assert(
      fc.property(piece, piece, (from, to) => {
        const script = `s|${from}|${to}|g;w out`
        assert.deepEqual(sedScript(script).writes, ['out'])
        assert.deepEqual(sedScript(script).runs, [])
      }),
    )
  })
})
