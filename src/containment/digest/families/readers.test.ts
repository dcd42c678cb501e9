import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../../bytes.ts'
import type { Family, Line, Probe, Reading } from '../family.ts'
import { cargo } from './cargo.ts'
import { cc } from './cc.ts'
import { corpus } from './corpus.testing.ts'
import { ctest } from './ctest.ts'
import { eslint } from './eslint.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { jest } from './jest.ts'
import { frameOf } from './js-frames.ts'
import { minitest } from './minitest.ts'
import { mocha } from './mocha.ts'
import { nodeTest } from './node-test.ts'
import { npm } from './npm.ts'
import { phpunit } from './phpunit.ts'
import { pip } from './pip.ts'
import { pytest } from './pytest.ts'
import { pythonLint } from './python-lint.ts'
import { foreign } from './report.ts'
import { rspec } from './rspec.ts'
import { tap } from './tap.ts'
import { tsc } from './tsc.ts'
import { unittest } from './unittest.ts'
import { vitest } from './vitest.ts'

const READ: readonly Family[] = [
  pytest, unittest, jest, vitest, mocha, nodeTest, tap, rspec, minitest, phpunit, go, cargo, tsc, eslint, pythonLint,
  java, ctest, cc, npm, pip,
] // biome-ignore format: a list

function probeOf(lines: readonly Line[]): Probe {
  const [head, tail] = [lines.slice(0, 40), lines.slice(-80)]
  return { commands: [], exit: 1, signal: undefined, head, tail, bytes: bytesOf(new Uint8Array()) }
}

function linesOf(texts: readonly string[]): Line[] {
  let from = 0
  return texts.map((text, at) => {
    const line = { n: at + 1, text, from, to: from + Buffer.byteLength(text) }
    from = line.to + 1
    return line
  })
}

function read(family: Family, texts: readonly string[]): Reading | undefined {
  const lines = linesOf(texts)
  const reader = family.reader(probeOf(lines))
  for (const line of lines) reader.line(line)
  return reader.end()
}

/** What the digest holds a family to. */
function assertHolds(reading: Reading, texts: readonly string[], bytes: number): void {
  assert.equal(reading.parsed + reading.other, texts.length)
  for (const { span, bytes: part, kind } of reading.items) {
    assert.ok(span.from >= 1 && span.from <= span.to && span.to <= texts.length, `${kind} ${span.from} to ${span.to}`)
    if (part !== undefined)
      assert.ok(part.from < part.to && part.to <= bytes, `${kind} bytes ${part.from} to ${part.to}`)
  }
}

describe('readers of runners, compilers and package managers', () => {
  const pool = corpus().flatMap(({ bytes }) => new TextDecoder().decode(bytes.subarray(0, 6000)).split('\n'))
  const known = fc.nat(pool.length - 1).map((at) => pool[at]!.replace(/\u001b\[[\d;]*m|\r/gu, ''))
  const odd = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }).map((text) => text.replace(/[\n\r]/gu, ' ')),
    fc.constantFrom('', ' ', '(', 'not ok', '}', '...', '  ---', '✖', '●', '===', '____ ____', '1..', '#'),
  )
  const texts = fc.array(fc.oneof({ weight: 4, arbitrary: known }, { weight: 1, arbitrary: odd }), { maxLength: 120 })

  for (const family of READ)
    it(`${family.id} accounts for any lines in any order`, () => {
      fc.assert(
        fc.property(texts, (lines) => {
          family.detect(probeOf(linesOf(lines)))
          const reading = read(family, lines)
          if (reading !== undefined) assertHolds(reading, lines, Buffer.byteLength(lines.join('\n')))
        }),
        { numRuns: 150 },
      )
    })

  it('stand down before an output that is not theirs', () => {
    const log = Array.from({ length: 200 }, (_, n) => `2026-03-01T00:00:${n % 60} INFO worker ${n} took ${n * 7} ms`)
    for (const family of READ) assert.equal(read(family, log), undefined, family.id)
  })

  it('leave searches and listings alone, whatever they found', () => {
    const lines = linesOf(
      corpus().flatMap(({ bytes }) => new TextDecoder().decode(bytes.subarray(0, 3000)).split('\n')),
    )
    const commands = [{ program: 'grep', args: ['-rn', 'error', 'logs'] }]
    for (let at = 0; at < lines.length; at += 40) {
      const probe = { ...probeOf(lines.slice(at, at + 40)), commands }
      assert.deepEqual(
        READ.filter((family) => family.detect(probe)).map(({ id }) => id),
        [],
      )
    }
  })

  const MANY = 30_000
  const floods: readonly [Family, (n: number) => readonly string[], readonly string[]][] = [
    [pytest, (n) => [`FAILED tests/test_a.py::test_${n} - assert ${n} == 0`], [`${MANY} failed in 1.00s`]],
    [tap, (n) => [`not ok ${n + 1} - case ${n}`], [`1..${MANY}`]],
    [go, (n) => [`--- FAIL: Test${n} (0.00s)`, `    a_test.go:${n + 1}: off`], ['FAIL\texample.com/a\t0.01s']],
    [tsc, (n) => [`src/a${n}.ts(1,1): error TS2322: Type 'T${n}' is not assignable.`], []],
    [cc, (n) => [`a${n}.c:1:1: error: '${n}' undeclared`, `    1 | x${n}`, '      | ^'], []],
    [
      cargo,
      (n) => [`error[E0308]: mismatched types`, `  --> src/a.rs:${n + 1}:5`, ''],
      ['error: could not compile `a`'],
    ],
    [java, (n) => [`A${n}.java:1: error: cannot find symbol`], [`${MANY} errors`]],
  ]
  for (const [family, each, last] of floods)
    it(`${family.id} counts ${MANY} failures and holds few of them`, () => {
      const head = family === pytest ? ['===== short test summary info ====='] : []
      const lines = [...head, ...Array.from({ length: MANY }, (_, n) => each(n)).flat(), ...last]
      const reading = read(family, lines)
      assert.ok(reading !== undefined)
      assertHolds(reading, lines, Buffer.byteLength(lines.join('\n')))
      assert.ok(reading.items.length < 5000, `${reading.items.length} items`)
      assert.ok(
        reading.facts.some((fact) => (typeof fact === 'string' ? fact : fact.text).includes(`${MANY} `)),
        JSON.stringify(reading.facts),
      )
    })
})

describe('places in stacks', () => {
  const frames: readonly [string, string | undefined][] = [
    ['    at f (/home/dev/proj/a.js:1:2)', '/home/dev/proj/a.js'],
    ['    at async f (file:///home/dev/proj/a.mjs:10:20)', 'file:///home/dev/proj/a.mjs'],
    ['    at src/a.test.ts:3:4', 'src/a.test.ts'],
    [' ❯ f src/cart.ts:4:30', 'src/cart.ts'],
    [' ❯ src/cart.ts:4:30', 'src/cart.ts'],
    ['        f (node:internal/async_hooks:227:14)', 'node:internal/async_hooks'],
    ['    at Array.map (<anonymous>)', undefined],
    ['    at Module._compile (a.js:1:2) {', 'a.js'],
    ['12:30:45', undefined],
    ['took 1:2', undefined],
    ['', undefined],
    [':1:2', undefined],
  ]
  for (const [line, path] of frames) it(JSON.stringify(line), () => assert.equal(frameOf(line), path))

  const own: readonly [string, boolean][] = [
    ['/home/dev/proj/src/a.py', false],
    ['../js/node_modules/jest/build/a.js', true],
    ['/home/dev/.venv/lib/python3.11/site-packages/_pytest/main.py', true],
    ['/usr/lib/go-1.19/src/runtime/panic.go', true],
    ['/rustc/598/library/core/src/panicking.rs', true],
    ['node:internal/process', true],
    ['<frozen importlib._bootstrap>', true],
    ['src/vendors/list.ts', false],
    ['lib/cart.rb', false],
  ]
  for (const [path, tools] of own)
    it(`${path} is ${tools ? "a tool's" : "the project's"}`, () => assert.equal(foreign(path), tools))
})
