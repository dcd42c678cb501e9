import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import {
  absolute,
  expandHome,
  type Flavour,
  fileUrlPath,
  isInside,
  join,
  normalise,
  parentsOf,
  plainPath,
  relativeTo,
} from './lexical.ts'

const cases = JSON.parse(readFileSync(new URL('../../cases/paths/lexical.json', import.meta.url), 'utf8')) as {
  normalise: [Flavour, string, string][]
  absolute: [Flavour, string, string, string][]
  inside: [Flavour, boolean, string, string, boolean][]
  expandHome: [string, string | null][]
  fileUrl: [string, string | null][]
}

test('normalise', () => {
  for (const [flavour, path, expected] of cases.normalise) assert.equal(normalise(path, flavour), expected, path)
})

test('absolute', () => {
  for (const [flavour, base, path, expected] of cases.absolute) {
    assert.equal(absolute(base, path, flavour), expected, `${path} from ${base}`)
  }
})

test('isInside', () => {
  for (const [flavour, foldsCase, path, dir, expected] of cases.inside) {
    assert.equal(isInside(path, dir, { flavour, foldsCase }), expected, `${path} in ${dir}`)
  }
})

test('expandHome', () => {
  for (const [text, expected] of cases.expandHome)
    assert.equal(expandHome(text, '/home/dev', 'dev') ?? null, expected, text)
})

test('fileUrlPath', () => {
  for (const [text, expected] of cases.fileUrl) {
    const got = fileUrlPath(text)
    assert.equal(typeof got === 'object' ? got.path : (got ?? null), expected, text)
  }
})

test('joining keeps .., so that links can be followed first', () => {
  assert.equal(join('/home/dev', '../x/./y/..'), '/home/dev/../x/./y/..')
})

test('parents and relative paths', () => {
  assert.deepEqual(parentsOf('/a/b/c'), ['/a/b', '/a', '/'])
  assert.deepEqual(parentsOf('C:\\a\\b', 'win32'), ['C:\\a', 'C:\\'])
  assert.equal(relativeTo('/a/b', '/a/b/c/d'), 'c/d')
  assert.equal(relativeTo('/a/b', '/a/b'), '')
  assert.equal(relativeTo('/a/b', '/a/c'), undefined)
})

const part = fc.constantFrom('a', 'B', '.', '..', '', 'x y', 'ß', 'é', '.git', 'a.', 'c:', '~')
const path = fc.array(part, { maxLength: 8 }).map((parts) => parts.join('/'))

test('normalising twice is normalising once', () => {
  for (const flavour of ['posix', 'win32'] as const) {
    fc.assert(
      fc.property(path, (text) => {
        const once = normalise(text, flavour)
        assert.equal(normalise(once, flavour), once)
      }),
    )
  }
})

test('what lies in a directory has a relative path that leads back', () => {
  fc.assert(
    fc.property(path, path, (a, b) => {
      const dir = normalise(`/${a}`)
      const inner = normalise(`/${b}`)
      const rest = relativeTo(dir, inner)
      if (rest !== undefined) assert.equal(absolute(dir, rest), inner)
      assert.equal(rest !== undefined, isInside(inner, dir))
    }),
  )
})

test('plain paths agree with isInside', () => {
  fc.assert(
    fc.property(path, path, fc.boolean(), (a, b, foldsCase) => {
      const sense = { flavour: 'posix', foldsCase } as const
      const same = plainPath(`/${a}`, sense) === plainPath(`/${b}`, sense)
      assert.equal(same, isInside(`/${a}`, `/${b}`, sense) && isInside(`/${b}`, `/${a}`, sense))
    }),
  )
})

test('an absolute path comes out as the platform has it, tidy or not', () => {
  const piece = fc.constantFrom('/', '/', 'a', '.', '..', '.git', '..a', 'a.', ' ')
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
      const path = `/${pieces.join('')}`
      const wanted = posix.normalize(path).replace(/(?<=.)\/$/, '')
      assert.equal(normalise(path), wanted)
      assert.equal(plainPath(path, { flavour: 'posix', foldsCase: false }), wanted.slice(1))
    }),
    { numRuns: 2000 },
  )
})
