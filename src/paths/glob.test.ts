import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import picomatch from 'picomatch'
import type { GlobPart } from '../core/value.ts'
import { compileGlob } from './glob.ts'
import { normalise, POSIX, parentsOf } from './lexical.ts'

const cases = JSON.parse(readFileSync(new URL('../../cases/paths/globs.json', import.meta.url), 'utf8')) as {
  base: string
  matches: [string, string, boolean][]
  folded: [string, string, boolean][]
  contains: [string, string, boolean, boolean][]
  intersections: [string, string, boolean, ('tree' | 'dots' | 'climbs')?][]
  problems: [string, string][]
}
const { base } = cases
const FOLDED = { flavour: 'posix', foldsCase: true } as const
const at = (path: string) => normalise(path.startsWith('/') ? path : `${base}/${path}`)

/** The case files write pattern pieces as shells do, and `…` for an unknown stretch. */
function partsOf(text: string): GlobPart[] {
  return [...text.matchAll(/\*\*|\*|\?|…|\[(?:\[:[a-z]+:\]|[^\]])*\]|[^*?…[]+/g)].map(([piece]): GlobPart => {
    if (piece === '**') return { is: 'deep' }
    if (piece === '*') return { is: 'star' }
    if (piece === '?') return { is: 'question' }
    if (piece === '…') return { is: 'any' }
    return piece.startsWith('[') ? { is: 'class', text: piece } : { is: 'text', text: piece }
  })
}

test('what globs match', () => {
  for (const [glob, path, expected] of cases.matches) {
    const matcher = compileGlob(glob, base, POSIX)
    assert.equal(matcher.problem, undefined, glob)
    assert.equal(matcher.matches(at(path)), expected, `${glob} on ${path}`)
  }
})

test('what globs match where names fold', () => {
  for (const [glob, path, expected] of cases.folded) {
    assert.equal(compileGlob(glob, base, FOLDED).matches(at(path)), expected, `${glob} on ${path}`)
  }
})

test('what may lie in a directory', () => {
  for (const [glob, dir, may, holds] of cases.contains) {
    const matcher = compileGlob(glob, base, POSIX)
    assert.equal(matcher.mayContain(at(dir)), may, `${glob} below ${dir}`)
    assert.equal(matcher.holds(at(dir)), holds, `${glob} wholly in ${dir}`)
  }
})

test('what shell patterns may name', () => {
  for (const [glob, pattern, expected, how] of cases.intersections) {
    const absolute = pattern.startsWith('/')
    const options = { tree: how === 'tree', dots: how === 'dots', climbs: how === 'climbs' }
    const got = compileGlob(glob, base, POSIX).mayMatch(partsOf(pattern), absolute ? '' : `${base}/`, options)
    assert.equal(got, expected, `${glob} and ${pattern}`)
  }
})

test('globs that cannot be used say why and fail to the named side', () => {
  for (const [glob, words] of [...cases.problems, ['a'.repeat(1025), 'longer than 1024'] as const]) {
    const rail = compileGlob(glob, base, POSIX)
    assert.ok(rail.problem?.includes(words), `${glob}: ${rail.problem}`)
    assert.equal(rail.matches(at('x')), true)
    assert.equal(rail.matches('/elsewhere'), false)
    assert.equal(rail.mayContain(at('x')), true)
    assert.equal(rail.mayMatch([{ is: 'star' }], `${base}/`), true)
    const scope = compileGlob(glob, base, { ...POSIX, closed: 'none' })
    assert.equal(scope.matches(at('x')), false)
    assert.equal(scope.mayContain(base), false)
  }
})

test('Windows globs take both slashes', () => {
  const sense = { flavour: 'win32', foldsCase: true } as const
  for (const glob of ['spec\\**', 'spec/**', 'C:\\Proj\\spec', 'c:/proj/spec/']) {
    const matcher = compileGlob(glob, 'C:\\proj', sense)
    assert.equal(matcher.matches('c:\\PROJ\\Spec\\a.json'), true, glob)
    assert.equal(matcher.matches('C:\\proj\\src\\a.json'), false, glob)
    assert.equal(matcher.mayMatch([{ is: 'text', text: '\\S' }, { is: 'star' }], 'C:\\proj'), true, glob)
    assert.equal(matcher.mayMatch([{ is: 'star' }], 'C:\\proj\\src\\'), false, glob)
  }
})

test('patterns made to take for ever do not', () => {
  const long = 'a'.repeat(4000)
  for (const glob of ['*a*a*a*a*a*a*a*a*b', '+(a|aa|aaa|*a)b', '**/*a/**/*a/**/*b', '*(*(*(a)))b', '!(*a*a*a*a*b)c']) {
    assert.equal(compileGlob(glob, base, POSIX).matches(at(long)), false, glob)
  }
  const stars: GlobPart[] = Array.from({ length: 2000 }, (_, i) => (i % 2 ? { is: 'star' } : { is: 'text', text: 'a' }))
  assert.equal(typeof compileGlob('**/*b*b*b', base, POSIX).mayMatch(stars, `${base}/`), 'boolean')
})

const names = ['a', 'b', 'ab', '.a', 'a.b', 'ba']
const piece = fc.constantFrom('a', 'b', '*', '?', '**', '[ab]', '.', 'a*', '*b', '{a,ab}', '@(a|b)', '.*')
const segments = fc.array(piece, { minLength: 1, maxLength: 4 })
const glob = segments.map((parts) => parts.join('/')).filter((text) => !/(?:^|\/)\.(?:\/|$)/.test(text))
const path = fc.array(fc.constantFrom(...names), { minLength: 1, maxLength: 4 }).map((parts) => parts.join('/'))

test('globs with a pattern in their last component match what picomatch does', () => {
  // Whether a final `**` may stand for nothing depends there on what is before it; ours always may.
  const ending = glob.filter((text) => /[*?(]/.test(text.split('/').at(-1)!) && !text.endsWith('/**'))
  fc.assert(
    fc.property(ending, path, (text, name) => {
      assert.equal(compileGlob(text, base, POSIX).matches(at(name)), picomatch(text, { dot: true })(name))
    }),
    { numRuns: 2000 },
  )
})

test('what is matched may be contained in every parent, and a literal pattern may match it', () => {
  fc.assert(
    fc.property(glob, path, (text, name) => {
      const matcher = compileGlob(text, base, POSIX)
      if (!matcher.matches(at(name))) return
      for (const dir of parentsOf(at(name))) assert.ok(matcher.mayContain(dir), dir)
      assert.ok(matcher.mayMatch([], at(name)))
      assert.ok(matcher.mayMatch([{ is: 'text', text: name }], `${base}/`))
      assert.ok(matcher.mayMatch([{ is: 'any' }], ''))
    }),
    { numRuns: 2000 },
  )
})

const shellPiece = fc.constantFrom<GlobPart>(
  { is: 'star' },
  { is: 'question' },
  { is: 'any' },
  { is: 'class', text: '[a.]' },
  { is: 'class', text: '[!b]' },
  { is: 'text', text: 'a' },
  { is: 'text', text: '.' },
  { is: 'text', text: 'b' },
  { is: 'text', text: '/' },
)

/** An expression that is written apart from the code under test: what a shell matches among plain names. */
function shellExpression(parts: readonly GlobPart[]): RegExp {
  let text = ''
  for (const part of parts) {
    const start = text === '' || text.endsWith('/')
    const noDot = start ? '(?![.])' : ''
    if (part.is === 'star') text += `${noDot}[^/]*`
    else if (part.is === 'question') text += `${noDot}[^/]`
    else if (part.is === 'class') text += `${noDot}(?!/)${part.text.replace('!', '^')}`
    else if (part.is === 'any') text += '[^]*'
    else if (part.is === 'text') text += part.text.replace('.', '[.]')
  }
  return new RegExp(`^${text}$`)
}

test('a path that both match is never denied to lie in both', () => {
  const clean = fc
    .array(shellPiece, { minLength: 1, maxLength: 6 })
    .filter((parts) => parts[0]!.is !== 'text' || parts[0]!.text !== '/')
  fc.assert(
    fc.property(glob, clean, path, (text, parts, name) => {
      if (!shellExpression(parts).test(name)) return
      const matcher = compileGlob(text, base, POSIX)
      if (matcher.matches(at(name))) assert.ok(matcher.mayMatch(parts, `${base}/`), name)
      const parent = parentsOf(at(name))[0]!
      if (matcher.mayContain(at(name))) assert.ok(matcher.mayMatch(parts, `${base}/`, { tree: true }), parent)
    }),
    { numRuns: 5000 },
  )
})
