/** Readers of languages against `cases/code/<language>.json`: rows `{name, text, args?, does}`, `does` as `show.ts` writes it. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Language } from '../commands/doing.ts'
import { showDoing } from '../commands/show.ts'
import { type Arg, exact } from '../core/value.ts'
import { base64Bytes, base64Text, utf8 } from './decode.ts'
import { MOST_TEXT } from './lexer.ts'
import { MOST_DOINGS, readCode } from './registry.ts'

interface Case {
  readonly name: string
  readonly text: string
  readonly args?: readonly string[]
  readonly file?: string
  readonly does: readonly string[]
}

const FOLDER = new URL('../../cases/code/', import.meta.url)
const KNOWN = { home: '/home/dev' }
const argOf = (text: string): Arg => ({ value: exact(text), span: { from: 0, to: 0 } })

const files = readdirSync(FOLDER).filter((name) => name.endsWith('.json'))
const corpus = files.map((name) => ({
  language: name.replace(/\.json$/, '') as Language,
  rows: JSON.parse(readFileSync(new URL(name, FOLDER), 'utf8')) as readonly Case[],
}))

for (const { language, rows } of corpus)
  describe(`code in ${language}`, () => {
    for (const row of rows)
      it(row.name, () => {
        const known = row.file === undefined ? KNOWN : { ...KNOWN, file: row.file }
        assert.deepEqual(readCode(language, row.text, (row.args ?? []).map(argOf), known).map(showDoing), row.does)
      })
    it('has cases with names of their own', () => {
      const names = rows.map((row) => row.name)
      assert.deepEqual(
        names.filter((name, i) => names.indexOf(name) !== i),
        [],
      )
    })
    it('ends without throwing for any cut and any join of its texts', () => {
      const piece = fc.oneof(
        fc.constantFrom(...rows.map((row) => row.text)),
        fc.constantFrom(
          '(',
          ')',
          '{',
          '}',
          '[',
          '"',
          "'",
          '`',
          '\n',
          '    ',
          '=>',
          '=',
          '.',
          ',',
          '<<',
          '/',
          '#',
          '$',
          '${',
          'end ',
          'if ',
          'for ',
        ),
        fc.string({ maxLength: 4 }),
      )
      fc.assert(
        fc.property(fc.array(piece, { maxLength: 5 }), fc.nat(400), fc.nat(400), (pieces, from, length) => {
          const text = pieces.join('').slice(from % 50, from + length)
          for (const doing of readCode(language, text, [], KNOWN)) assert.equal(typeof showDoing(doing), 'string')
        }),
        { numRuns: 300 },
      )
    })
    it('says that a text is too long or too deep', () => {
      assert.equal(readCode(language, 'a '.repeat(MOST_TEXT), [])[0]?.do, 'opaque')
      for (const open of ['(', '[', '{', 'f(', '-', '!', 'a=', 'not ', 'x ? '])
        assert.ok(readCode(language, open.repeat(4_000), []).length <= MOST_DOINGS + 1)
    })
  })

describe('code in any language', () => {
  it('has a corpus of at least eighty texts', () => {
    assert.ok(corpus.reduce((sum, { rows }) => sum + rows.length, 0) >= 80)
  })
})

describe('decoding', () => {
  it('gives back what was encoded', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 60 }), (text) => {
        const bytes = Buffer.from(text, 'utf8')
        assert.deepEqual(base64Bytes(bytes.toString('base64')), [...bytes])
        assert.deepEqual(base64Bytes(bytes.toString('base64url')), [...bytes])
        assert.equal(utf8([...bytes]), bytes.toString('utf8'))
      }),
    )
  })
  it('refuses what is no base64', () => {
    assert.equal(base64Text('a*b'), undefined)
    assert.equal(base64Text('abcde'), undefined)
  })
})
