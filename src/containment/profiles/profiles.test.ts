import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { bytesOf } from '../bytes.ts'
import { digestOf, RUN_WINDOWS } from '../digest/digest.ts'
import type { Line, Probe } from '../digest/family.ts'
import { familyOf } from './compile.ts'
import { expressionOf } from './expression.ts'
import { trust, trustedHashes } from './files.ts'
import { findProfiles } from './load.ts'
import { type Profile, readProfile } from './profile.ts'
import { userFamilies } from './profiles.ts'
import { templateOf } from './template.ts'
import { tryProfile } from './try.ts'

interface FaultRow {
  readonly why: string
  readonly text: readonly string[]
  /** Line and a part of the message. */
  readonly faults: readonly (readonly [number, string])[]
}

const rows: readonly FaultRow[] = JSON.parse(
  readFileSync(new URL('../../../cases/profiles/faults.json', import.meta.url), 'utf8'),
)

for (const { why, text, faults } of rows) {
  test(`profile with ${why}`, () => {
    const read = readProfile(text.join('\n'))
    assert.ok('faults' in read, 'it must not be read')
    assert.deepEqual(
      read.faults.map(({ line }) => line),
      faults.map(([line]) => line),
      JSON.stringify(read.faults),
    )
    for (const [i, [, message]] of faults.entries())
      assert.ok(read.faults[i]!.message.includes(message), read.faults[i]!.message)
  })
}

function profileOf(value: object): Profile {
  const read = readProfile(JSON.stringify({ id: 'a', detect: { command: 'a' }, ...value }))
  assert.ok(!('faults' in read), JSON.stringify(read))
  return read
}

const linesOf = (texts: readonly string[]): Line[] => {
  let from = 0
  return texts.map((text, i) => {
    const line = { n: i + 1, text, from, to: from + Buffer.byteLength(text) }
    from = line.to + 1
    return line
  })
}

const probeOf = (lines: readonly Line[], command?: readonly string[]): Probe => ({
  commands: command === undefined ? [] : [{ program: command[0]!, args: command.slice(1) }],
  ...{ exit: undefined, signal: undefined, head: lines.slice(0, 40), tail: lines.slice(-80) },
  bytes: bytesOf(new Uint8Array()),
})

function readingOf(value: object, texts: readonly string[]) {
  const lines = linesOf(texts)
  const reader = familyOf(profileOf(value)).reader(probeOf(lines))
  for (const line of lines) reader.line(line)
  return reader.end()
}

test('a block goes on until its end, a new block, or its most lines', () => {
  const keep = [{ line: '^FAIL (\\w+)', name: '$1', until: '^$', lines: 3 }]
  const texts = ['FAIL a', ' why', '', 'ok', 'FAIL b', 'FAIL c', '1', '2', '3', '4']
  assert.deepEqual(readingOf({ keep }, texts), {
    ...{ parsed: 6, other: 4, facts: [] },
    items: [
      { kind: 'failure', span: { from: 1, to: 1 }, name: 'a' },
      { kind: 'detail', span: { from: 2, to: 2 } },
      { kind: 'failure', span: { from: 5, to: 5 }, name: 'b' },
      { kind: 'failure', span: { from: 6, to: 6 }, name: 'c' },
      { kind: 'detail', span: { from: 7, to: 8 } },
    ],
  })
})

test('counts are lines or sums of a group; noise is counted, with its first line', () => {
  const value = {
    count: [
      { line: '^warning', as: 'warnings' },
      { line: '([0-9,]+) tests passed', as: 'tests passed', sum: 1 },
      { line: 'nowhere', as: 'ghosts' },
    ],
    fold: [{ line: '^step', as: 'steps' }, '^tick'],
    status: { failed: 'broke', passed: 'all is well' },
    budget: { tokens: 100, tail: 2 },
  }
  const reading = readingOf(value, [
    'step 1',
    'warning: x',
    '1,200 tests passed',
    'step 2',
    'tick',
    '34 tests passed',
    'all is well',
    'it broke',
    'all is well',
  ])
  assert.deepEqual(reading, {
    ...{ parsed: 6, other: 3, failed: true },
    facts: ['1 warnings', '1234 tests passed', '0 ghosts', '2 steps folded'],
    items: [
      { kind: 'example', span: { from: 1, to: 1 }, times: 2 },
      { kind: 'example', span: { from: 5, to: 5 }, times: 1 },
    ],
    ends: { head: 0, tail: 2 },
  })
  assert.equal(familyOf(profileOf(value)).budget, 100)
  assert.equal(readingOf(value, ['nothing', 'known']), undefined, 'it stands down')
})

test('a profile is detected by how a command begins, or by a line', () => {
  const family = familyOf(profileOf({ detect: { command: ['acme build', 'make'], line: '^ACME v[0-9]' }, fold: ['x'] }))
  const at = (command: readonly string[] | undefined, ...texts: string[]) =>
    family.detect(probeOf(linesOf(texts), command))
  assert.deepEqual(
    [
      at(['acme', 'build', '-j4']),
      at(['make']),
      at(['acme', 'test']),
      at(['acme']),
      at(['other'], 'x', 'ACME v3'),
      at(undefined, 'an ACME v3'),
    ],
    [true, true, false, false, true, false],
  )
})

const someLine = fc.oneof(
  fc.constantFrom('FAIL a', 'step 1', 'warning: x', '', '  why', 'done: 3 errors', 'héllo [ctx exit 0]'),
  fc.string({ maxLength: 40 }),
)
const someProfile = fc.record(
  {
    keep: fc.array(
      fc.record(
        {
          line: fc.constantFrom('FAIL (.)', 'done', '^', 'x$'),
          as: fc.constantFrom('failure', 'verdict', 'cause', 'rare', 'detail'),
          until: fc.constantFrom('^$', 'step'),
          lines: fc.integer({ min: 1, max: 200 }),
          name: fc.constantFrom('$1', 'n'),
        },
        { requiredKeys: ['line'] },
      ),
      { maxLength: 3 },
    ),
    count: fc.array(fc.record({ line: fc.constantFrom('warning', '([0-9]+)'), as: fc.constant('things') }), {
      maxLength: 2,
    }),
    fold: fc.array(fc.constantFrom('^step', '.'), { minLength: 1, maxLength: 2 }),
  },
  { requiredKeys: ['fold'] },
)

test('every line is counted once, items lie in the output, and the digest takes the reading', () => {
  fc.assert(
    fc.property(someProfile, fc.array(someLine, { minLength: 1, maxLength: 120 }), (value, given) => {
      const texts = given.map((text) => text.replace(/[\r\n]/g, ' '))
      const reading = readingOf(value, texts)
      if (reading === undefined) return
      assert.equal(reading.parsed + reading.other, texts.length)
      for (const { span } of reading.items) assert.ok(1 <= span.from && span.from <= span.to && span.to <= texts.length)
      const profile = profileOf(value)
      const family = { ...familyOf(profile), detect: () => true }
      const bytes = new TextEncoder().encode(texts.map((text) => `${text}\n`).join(''))
      const input = {
        bytes: bytesOf(bytes),
        commands: [],
        label: '',
        budget: 200,
        windows: RUN_WINDOWS,
        mask: (text: string) => ({ text, masked: 0 }),
      }
      assert.doesNotThrow(() => digestOf(input, { families: [family] }))
    }),
    { numRuns: 300 },
  )
})

test('no expression is slow, and what cannot be bounded is no expression', () => {
  const evil = ['(a+)+$', '(a|aa)+$', '(.*a){12}$', '^(([a-z])+.)+[A-Z]([a-z])+$', 'a*a*a*a*a*a*b', '(x+x+)+y']
  const start = performance.now()
  for (const pattern of evil) {
    const made = expressionOf(pattern)
    assert.ok(typeof made !== 'string', pattern)
    for (const text of ['a'.repeat(5_000), 'x'.repeat(5_000), `${'ab'.repeat(2_500)}!`]) made.test(text)
  }
  assert.ok(performance.now() - start < 20_000)
  for (const pattern of ['(?=a)', '(?<!a)b', '(a)\\1', '(', 'a{1001}', 'x'.repeat(1_001)])
    assert.equal(typeof expressionOf(pattern), 'string', pattern)
})

test('the groups of an expression, and lines longer than are looked at', () => {
  const made = expressionOf('(\\w+)=(\\d+)?')
  assert.ok(typeof made !== 'string')
  assert.deepEqual(made.groups('x a=12'), ['a=12', 'a', '12'])
  assert.deepEqual(made.groups('a='), ['a=', 'a', ''])
  assert.equal(made.groups('-'), undefined)
  assert.equal(made.test(`${' '.repeat(4_096)}a=1`), false)
})

test('the tests of a profile see what does not hold', () => {
  const output = [{ line: 'step {n}', times: 500 }, 'FAIL a']
  const base = { keep: [{ line: '^FAIL' }], fold: ['^step'], budget: { tokens: 200 } }
  const tried = tryProfile(
    profileOf({
      ...base,
      tests: [
        { name: 'holds', command: 'a', exit: 1, output, shows: 'FAIL a', hides: 'step 77', most: 200 },
        { command: 'b', output, shows: ['FAIL a', 'zebra'], hides: 'FAIL', most: 1 },
        { name: 'another tool', command: 'b', output: [{ line: 'x{n}', times: 900 }], detects: false },
      ],
    }),
  )
  assert.deepEqual(
    tried.map(({ name, misses }) => [name, misses.length]),
    [
      ['holds', 0],
      ['test 2', 4],
      ['another tool', 0],
    ],
  )
  assert.match(
    tried[1]!.misses.join('; '),
    /not take it for its own; "zebra" is not shown; "FAIL" is shown; it takes ≈\d+ tokens/,
  )
})

test('the profile to start from is a profile, and its test holds', () => {
  const read = readProfile(templateOf('acme', 'acme build'))
  assert.ok(!('faults' in read), JSON.stringify(read))
  assert.deepEqual(
    tryProfile(read).map(({ misses }) => misses),
    [[]],
  )
})

test('profiles in the documentation are profiles, and their tests hold', () => {
  const docs = readFileSync(new URL('../../../docs/containment.md', import.meta.url), 'utf8')
  const samples = [...docs.matchAll(/^```jsonc\n([\s\S]*?)^```$/gm)].map((match) => match[1]!)
  const profiles = samples.filter((text) => text.includes('"detect"')).map(readProfile)
  assert.ok(profiles.length > 0)
  for (const profile of profiles) {
    assert.ok(!('faults' in profile), JSON.stringify(profile))
    assert.ok(profile.tests.length > 0)
    for (const { name, misses, text } of tryProfile(profile)) assert.deepEqual(misses, [], `${name}\n${text}`)
  }
})

test('what a person has not trusted is not used; trust is for one content', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-profiles-'))
  try {
    const env = { XDG_STATE_HOME: join(dir, 'state') }
    const repo = join(dir, 'repo')
    const below = join(repo, 'src', 'deep')
    const file = join(repo, '.sallyport', 'digests', 'acme.jsonc')
    mkdirSync(below, { recursive: true })
    mkdirSync(join(repo, '.git'))
    assert.deepEqual(findProfiles(env, dir, below), { root: repo, found: [] })
    mkdirSync(join(repo, '.sallyport', 'digests'), { recursive: true })
    writeFileSync(file, templateOf('acme', 'acme'))
    writeFileSync(join(repo, '.sallyport', 'digests', 'broken.jsonc'), '{')
    const [found, broken] = findProfiles(env, dir, below).found
    assert.deepEqual([found?.trusted, found?.profile?.id, broken?.faults.length], [false, 'acme', 1])
    assert.deepEqual(await userFamilies(env, dir, below), [])
    assert.equal(trust(env, dir, file, found!.sha256!), undefined)
    assert.deepEqual(
      (await userFamilies(env, dir, below)).map(({ id }) => id),
      ['user-acme'],
    )
    const kept = join(dir, 'state', 'sallyport', 'digests.jsonl')
    assert.equal(statSync(kept).mode & 0o777, 0o600)
    writeFileSync(file, `${templateOf('acme', 'acme')}\n`)
    assert.deepEqual(await userFamilies(env, dir, below), [], 'another content')
    writeFileSync(file, templateOf('acme', 'acme'))
    assert.equal((await userFamilies(env, dir, below)).length, 1)
    chmodSync(kept, 0o622)
    assert.equal(trustedHashes(env, dir).size, 0, 'a file that others may write is nobody’s word')
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})
