import assert from 'node:assert/strict'
import { lstatSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { shown } from '../address.ts'
import { MARKER, mask } from '../redact/redact.ts'
import { StreamMask } from '../redact/stream.ts'
import { placeOf } from './layout.ts'
import { allOf, type Chunk, capture, joined, scratch, storeAt } from './store.testing.ts'
import type { Source } from './types.ts'

const source = fc.constantFrom<Source>('stdout', 'stderr')
const chunks: fc.Arbitrary<readonly Chunk[]> = fc.array(fc.tuple(source, fc.uint8Array({ maxLength: 40 })), {
  maxLength: 30,
})

test('what was captured reads back, by stream and in the order in which it came, now and from a new store', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  fc.assert(
    fc.property(chunks, (given) => {
      const sealed = capture(store, given)
      const found = storeAt(dir).resolve({ is: 'run', id: sealed.id ?? '' })
      assert.equal(found.is, 'run')
      for (const it of [sealed, ...(found.is === 'run' ? [found.capture] : [])]) {
        assert.deepEqual(allOf(it.stream('merged')), joined(given))
        assert.deepEqual(allOf(it.stream('stdout')), joined(given, 'stdout'))
        assert.deepEqual(allOf(it.stream('stderr')), joined(given, 'stderr'))
      }
    }),
    { numRuns: 60 },
  )
})

test('a part of a stream is that part', (t) => {
  const store = storeAt(scratch(t))
  fc.assert(
    fc.property(chunks, fc.nat(600), fc.nat(600), (given, from, length) => {
      const sealed = capture(store, given)
      for (const name of ['stdout', 'stderr', 'merged'] as const) {
        const whole = joined(given, name === 'merged' ? undefined : name)
        const part = sealed.stream(name).read(from, from + length)
        assert.deepEqual(Buffer.from(part), whole.subarray(from, from + length))
      }
    }),
    { numRuns: 60 },
  )
})

test('how the bytes were cut into chunks makes no other run; another order of streams does', (t) => {
  const store = storeAt(scratch(t))
  fc.assert(
    fc.property(chunks, fc.integer({ min: 1, max: 7 }), (given, step) => {
      const finer = given.flatMap(([from, bytes]): Chunk[] =>
        Array.from({ length: Math.ceil(bytes.length / step) }, (_, i) => [from, bytes.slice(i * step, (i + 1) * step)]),
      )
      assert.equal(capture(store, finer).id, capture(store, given).id)
    }),
    { numRuns: 40 },
  )
  const one = capture(store, [
    ['stdout', 'a\n'],
    ['stderr', 'b\n'],
  ])
  const other = capture(store, [
    ['stderr', 'b\n'],
    ['stdout', 'a\n'],
  ])
  assert.notEqual(one.id, other.id)
})

test('argv, exit and signal count for the id of a run; the directory does not', (t) => {
  const store = storeAt(scratch(t))
  const run = (argv: readonly string[], exit: number, cwd = '/a', signal?: string) => {
    const spool = store.create({ argv, cwd })
    spool.append('stdout', Buffer.from('x\n'))
    return spool.seal(signal === undefined ? { exit } : { signal }).id
  }
  const ids = [run(['a'], 0), run(['b'], 0), run(['a'], 1), run(['a', ''], 0), run(['a'], 0, '/a', 'SIGTERM')]
  assert.equal(new Set(ids).size, ids.length)
  assert.equal(run(['a'], 0, '/elsewhere'), ids[0])
  assert.deepEqual(
    store.occurrences(ids[0] ?? '').map(({ cwd }) => cwd),
    ['/a', '/elsewhere'],
  )
})

const text = fc
  .array(fc.tuple(fc.nat(3000), fc.constantFrom('\n', '\n\n', '', '\r\n')), { maxLength: 200 })
  .map((parts) => parts.map(([length, end]) => 'x'.repeat(length) + end).join(''))

test('lines are found by their number and by their bytes, in long and short texts', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  fc.assert(
    fc.property(text, fc.nat(1000), (given, pick) => {
      const sealed = capture(store, [
        ['stderr', 'first\n'],
        ['stdout', given],
      ])
      const found = storeAt(dir).resolve({ is: 'run', id: sealed.id ?? '' })
      assert.ok(found.is === 'run')
      const ends = [...given.matchAll(/\n/g)].map(({ index }) => index)
      const lines = ends.length + (given === '' || given.endsWith('\n') ? 0 : 1)
      for (const it of [sealed, found.capture]) {
        const out = it.stream('stdout')
        assert.equal(out.lines, lines)
        const n = 1 + (pick % (lines + 2))
        assert.equal(out.lineStart(n), n === 1 ? 0 : (ends[n - 2] ?? given.length - 1) + 1)
        const offset = given.length === 0 ? 0 : (pick * 7919) % given.length
        assert.equal(out.lineAt(offset), ends.filter((end) => end < offset).length + 1)
        assert.equal(it.stream('merged').lines, lines + 1)
      }
    }),
    { numRuns: 60 },
  )
})

test('directories are 0700, files 0600, whatever the umask', (t) => {
  const dir = scratch(t)
  const before = process.umask(0)
  t.after(() => process.umask(before))
  const store = storeAt(dir)
  capture(store, [
    ['stdout', 'x'.repeat(200_000)],
    ['stderr', 'y\n'],
  ])
  store.putBytes(Buffer.from('z'), {})
  store.pin({ is: 'blob', id: store.putBytes(Buffer.from('z'), {}).id ?? '' })
  store.create({ argv: ['growing'], cwd: '/' })
  const all = readdirSync(join(dir, 'state', 'store'), { recursive: true, withFileTypes: true })
  assert.ok(all.length > 12)
  for (const entry of all) {
    const path = join(entry.parentPath, entry.name)
    assert.equal(lstatSync(path).mode & 0o777, entry.isDirectory() ? 0o700 : 0o600, path)
  }
})

test('a handed-over result is a blob, or a run where its command is known', (t) => {
  const store = storeAt(scratch(t))
  const blob = store.putBytes(Buffer.from('one\ntwo\n'), {})
  const run = store.putBytes(Buffer.from('one\ntwo\n'), { argv: ['tool', 'x'], exit: 3 })
  const bytes = store.bytesOf({ is: 'blob', id: blob.id ?? '' })
  assert.ok(!('is' in bytes))
  assert.equal(allOf(bytes).toString(), 'one\ntwo\n')
  assert.equal(bytes.lines, 2)
  assert.equal(blob.handle, shown('blob', blob.id ?? ''))
  assert.equal(run.manifest?.exit, 3)
  assert.equal(run.manifest?.partial, undefined)
  assert.equal(run.streams.merged.sha256, blob.id)
})

test('short ids are refused by name where they fit several things; at most eight are named', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const { id = '', manifest } = capture(store, [['stdout', 'x']])
  const ids = Array.from({ length: 11 }, (_, i) => id.slice(0, 14) + String(i).padStart(2, '0') + id.slice(16))
  for (const other of ids) {
    const place = placeOf(join(dir, 'state', 'store'), 'run', other)
    mkdirSync(place, { recursive: true })
    writeFileSync(join(place, 'manifest.json'), JSON.stringify({ ...manifest, id: other }))
  }
  const found = store.resolve({ is: 'run', id: id.slice(0, 8) })
  assert.ok(found.is === 'unresolved')
  assert.equal(found.why, 'ambiguous')
  const named = [...found.refused.matchAll(/run:[0-9a-f]+/g)].slice(1).map(([name]) => name)
  assert.equal(named.length, 8)
  assert.match(found.refused, /and 4 more/)
  for (const name of named) assert.equal(store.resolve({ is: 'run', id: name.slice(4) }).is, 'run')
})

test('bytes that a power cut shortened are named as lost, and put right when the run is made again', (t) => {
  const dir = scratch(t)
  const store = storeAt(dir)
  const { id = '', streams } = capture(store, [['stdout', 'four']])
  const blob = placeOf(join(dir, 'state', 'store'), 'blob', streams.merged.sha256)
  truncateSync(blob, 2)
  const found = store.resolve({ is: 'run', id })
  assert.ok(found.is === 'unresolved')
  assert.equal(found.why, 'damaged')
  capture(store, [['stdout', 'four']])
  assert.equal(readFileSync(blob, 'utf8'), 'four')
  assert.equal(store.resolve({ is: 'run', id }).is, 'run')
})

test('a capture that passes its quota stops with a sentence, and goes on counting', (t) => {
  const store = storeAt(scratch(t), { limit: 10 })
  const spool = store.create({ argv: ['flood'], cwd: '/' })
  for (const part of ['12345\n', '789\n', 'more\n', 'end']) spool.append('stdout', Buffer.from(part))
  const sealed = spool.seal({ exit: 0 })
  assert.deepEqual(sealed.stopped, { at: 10, seen: 18, seenLines: 4, why: 'limit' })
  assert.equal(allOf(sealed.stream('merged')).toString(), '12345\n789\n')
  assert.match(sealed.notice ?? '', /^capture stopped at 10 bytes: .*18 bytes in all$/)
  assert.deepEqual(sealed.manifest?.stopped, sealed.stopped)
})

test('without a store a capture can be read, and has no address', (t) => {
  for (const options of [{ off: true }, { env: { CTX_STATE_HOME: '/nowhere', SALLYPORT_NO_STORE: '1' } }]) {
    const dir = scratch(t)
    const store = storeAt(dir, options)
    const sealed = capture(store, [
      ['stdout', 'a\n'],
      ['stderr', 'b\n'],
    ])
    assert.equal(allOf(sealed.stream('merged')).toString(), 'a\nb\n')
    assert.deepEqual(
      [sealed.handle, sealed.notice, store.place, store.notice],
      [undefined, undefined, 'none', undefined],
    )
    assert.deepEqual(readdirSync(dir), [])
  }
})

test('the latest run of a command in its directory is found', (t) => {
  const store = storeAt(scratch(t))
  assert.equal(store.earlier(['tool'], '/work'), undefined)
  capture(store, [['stdout', 'first']])
  const second = capture(store, [['stdout', 'second']], ['tool'], 1)
  assert.equal(store.earlier(['tool'], '/work')?.id, second.id)
  assert.equal(store.earlier(['tool'], '/other'), undefined)
  assert.equal(store.earlier(['tool', '-v'], '/work'), undefined)
})

test('secrets are masked before they are written, also where they come in pieces', (t) => {
  const dir = scratch(t)
  const key = 'a key for tests'
  const seal = { mask: (text: string) => mask(text, key), stream: () => new StreamMask(key) }
  const store = storeAt(dir, { seal })
  const sealed = capture(
    store,
    [
      ['stdout', 'a API_KEY=abcdefgh1'],
      ['stderr', 'warn\n'],
      ['stdout', `2345678 b\nx\n-----BEGIN ${'PRIVATE'} KEY-----\n${'MIIC'.repeat(8)}\nMIIC`],
      ['stderr', 'API_KEY=zyxwvuts777\n'],
      ['stdout', `${'MIIC'.repeat(7)}\nCab\n-----END ${'PRIVATE'} KEY-----\ndone`],
    ],
    ['login', '--with', 'API_KEY=klmnopqr999'],
  )
  const masked = (which: 'stdout' | 'stderr') => allOf(sealed.stream(which)).toString().replace(MARKER, '[hidden]')
  assert.equal(masked('stdout'), 'a API_KEY=[hidden] b\nx\n[hidden]\ndone')
  assert.equal(masked('stderr'), 'warn\nAPI_KEY=[hidden]\n')
  assert.match(sealed.manifest?.argv[2] ?? '', /^API_KEY=\[ctx:redacted:/)
  assert.equal(sealed.manifest?.sealed, true)
  assert.equal(store.earlier(['login', '--with', 'API_KEY=klmnopqr999'], '/work')?.id, sealed.id)
  store.putBytes(Buffer.from('API_KEY=ghijklmn444'), {})
  for (const entry of readdirSync(join(dir, 'state'), { recursive: true, withFileTypes: true }))
    if (entry.isFile())
      assert.doesNotMatch(
        readFileSync(join(entry.parentPath, entry.name), 'latin1'),
        /abcdefgh|klmnop|ghijkl|zyxw|MIIC|Cab\b/,
      )
})
