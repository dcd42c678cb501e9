import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { SUPPRESSIONS, suppressionsAdded } from './rails-check-suppressions.ts'

interface Row {
  readonly marker: string
  readonly path: string
  readonly must: readonly string[]
  readonly must_not: readonly string[]
}

const { rows } = JSON.parse(readFileSync(new URL('../../cases/rails/suppressions.json', import.meta.url), 'utf8')) as {
  readonly rows: readonly Row[]
}

test('each marker is seen in the lines that carry it and in no others', () => {
  for (const { marker, path, must, must_not } of rows) {
    const has = (line: string) => suppressionsAdded(path, undefined, line).some((one) => one.marker === marker)
    for (const line of must) assert.ok(has(line), `${marker}: ${line}`)
    for (const line of must_not) assert.ok(!has(line), `${marker}: ${line}`)
  }
})

test('each row of the table has its lines', () => {
  const known = rows.map(({ marker }) => marker)
  assert.deepEqual([...new Set(SUPPRESSIONS.map(({ marker }) => marker))].sort(), [...new Set(known)].sort())
  for (const row of SUPPRESSIONS) {
    const lines = rows.filter(
      ({ marker, path }) => marker === row.marker && (row.in === undefined || row.in.test(path)),
    )
    assert.ok(
      lines.some(({ must }) => must.some((line) => row.pattern.test(line))),
      String(row.pattern),
    )
  }
})

test('prose is exempt, what mixes prose and code is not', () => {
  assert.deepEqual(suppressionsAdded('docs/a.md', undefined, '// @ts-ignore'), [])
  assert.deepEqual(suppressionsAdded('docs/A.MARKDOWN', undefined, '// @ts-ignore'), [])
  assert.equal(suppressionsAdded('docs/a.mdx', undefined, '// @ts-ignore').length, 1)
})

test('only what is new counts: lines that stay or move are no news, further ones are', () => {
  const one = 'a\n// @ts-ignore\nb\n'
  assert.deepEqual(suppressionsAdded('a.ts', one, one), [])
  assert.deepEqual(suppressionsAdded('a.ts', one, 'b\n   // @ts-ignore\na\n'), [])
  assert.deepEqual(
    suppressionsAdded('a.ts', one, `${one}// @ts-ignore\n`).map(({ line }) => line),
    [4],
  )
  assert.deepEqual(suppressionsAdded('a.ts', one, 'a\n// @ts-ignore: other\nb\n').length, 1)
})

test('a ticket allows what it names and nothing else', () => {
  const text = '// @ts-ignore\n// eslint-disable\n'
  const markers = (body: string) => suppressionsAdded('a.ts', undefined, text, body).map(({ marker }) => marker)
  assert.deepEqual(markers(''), ['@ts-ignore', 'eslint-disable'])
  assert.deepEqual(markers('We do this:\n- allow-suppression: @ts-ignore\n'), ['eslint-disable'])
  assert.deepEqual(markers('allow-suppression: `eslint-disable`'), ['@ts-ignore'])
  assert.deepEqual(markers('allow-suppression: all\nallow-suppression: '), ['@ts-ignore', 'eslint-disable'])
})

test('a file against itself adds nothing, and any text comes to an end', () => {
  const part = fc.constantFrom('// @ts-ignore', 'it.skip(', '# noqa', '\n', ' ', 'x', '#', '[', '.only', '@', '/')
  const text = fc.array(part, { maxLength: 200 }).map((parts) => parts.join(''))
  fc.assert(
    fc.property(text, text, (one, other) => {
      assert.deepEqual(suppressionsAdded('test/a.test.ts', one, one), [])
      const added = suppressionsAdded('test/a.test.ts', one, other)
      assert.ok(added.length <= suppressionsAdded('test/a.test.ts', undefined, other).length)
    }),
  )
  const long = '.skip'.repeat(100_000) + '#'.repeat(100_000) + ' '.repeat(100_000)
  assert.deepEqual(suppressionsAdded('src/a.txt', undefined, long), [])
})
