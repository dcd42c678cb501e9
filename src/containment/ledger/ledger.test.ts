import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { promisify } from 'node:util'
import fc from 'fast-check'
import { CAPS, hostCapOf } from './caps.ts'
import { entryNet, Tally } from './gain.ts'
import { gainText, publishedLines, sizeText } from './gain-text.ts'
import { book, ledgerFile, readLedger, rowOf } from './ledger.ts'
import { priceOf, readPrices } from './prices.ts'
import { type Event, emittedBytes, type LedgerRow, type Measure, netOf, parseRow, shownBytes } from './row.ts'

type Pair = readonly [number, number]
interface CaseRow {
  readonly why: string
  readonly event: {
    host: string
    raw: Pair
    share?: Pair
    delivered?: Pair
    retrieved?: Pair
    overhead?: Pair
    exit?: number
    method: Event['method']
    binary?: boolean
  }
  readonly net: number
  readonly cap?: number
}

const rows: readonly CaseRow[] = JSON.parse(
  readFileSync(new URL('../../../cases/ledger/events.json', import.meta.url), 'utf8'),
)
const measure = ([bytes, tokens]: Pair): Measure => ({ bytes, tokens })

function eventOf({ event }: CaseRow): Event {
  const some = (name: 'share' | 'delivered' | 'retrieved' | 'overhead') =>
    event[name] === undefined ? {} : { [name]: measure(event[name]) }
  return {
    of: 'run:0123456789ab',
    ts: '2026-01-02T03:04:05.000Z',
    host: event.host,
    session: 's1',
    family: 'pytest',
    raw: measure(event.raw),
    cap: hostCapOf(event.host, event.raw[0], event.exit),
    ...some('share'),
    ...some('delivered'),
    ...some('retrieved'),
    ...some('overhead'),
    method: event.method,
    exit: event.exit ?? 0,
    ...(event.binary ? { binary: true } : {}),
  }
}

for (const row of rows) {
  test(`ledger: ${row.why}`, () => {
    const booked = rowOf(eventOf(row))
    assert.equal(netOf(booked), row.net)
    if (row.cap !== undefined) assert.equal(booked.host_cap.bytes, row.cap)
    assert.deepEqual(parseRow(JSON.stringify(booked)), booked)
  })
}

const amount = fc.nat({ max: 5_000_000 }).chain((bytes) => fc.nat({ max: bytes }).map((tokens) => ({ bytes, tokens })))
const event: fc.Arbitrary<Event> = fc
  .record(
    {
      of: fc.constantFrom('run:0123456789ab', 'blob:abcdef012345', 'run:ffffffffffff', 'nonsense'),
      ts: fc.constantFrom('2026-01-02T03:04:05.000Z', '2026-01-03T00:00:00.000Z', '2026-02-01T10:00:00.000Z'),
      host: fc.constantFrom('claude', 'codex', 'antigravity', 'none', 'Secret=hunter2!'),
      session: fc.string(),
      family: fc.oneof(fc.constantFrom('pytest', 'git log', 'generic'), fc.string()),
      raw: amount,
      delivered: amount,
      retrieved: amount,
      overhead: amount,
      method: fc.constantFrom<Event['method'][]>(
        'run',
        'replace',
        'proxy',
        'raw',
        'retrieval',
        'overhead',
      ) as fc.Arbitrary<Event['method']>,
      exit: fc.integer({ min: 0, max: 255 }),
      binary: fc.boolean(),
    },
    { requiredKeys: ['ts', 'host', 'session', 'family', 'raw', 'method'] },
  )
  .map((made) => ({ ...made, cap: hostCapOf(made.host, made.raw.bytes) }) as Event)

test('what the host would have shown is never more than the output or its cap, and parts are never more than the whole', () => {
  fc.assert(
    fc.property(event, (given) => {
      const row = rowOf(given)
      assert.ok(shownBytes(row) <= row.raw && shownBytes(row) <= row.host_cap.bytes)
      assert.ok(row.tokens.shown <= given.raw.tokens)
      assert.ok(netOf(row) <= row.tokens.shown)
      if (given.raw.bytes > 0)
        assert.ok(row.tokens.shown * given.raw.bytes <= given.raw.tokens * shownBytes(row) + given.raw.bytes)
      if (given.delivered === undefined && !given.retrieved && !given.overhead) assert.equal(netOf(row), 0)
      if (given.binary && given.delivered) assert.ok(netOf(row) <= 0)
      if (given.raw.bytes === 0) assert.ok(netOf(row) <= 0, 'a retrieval spares nothing, whatever it looked through')
    }),
  )
})

test('the same event gives the same row, and no row holds what it should not', () => {
  fc.assert(
    fc.property(event, (given) => {
      const row = rowOf(given)
      assert.deepEqual(rowOf(structuredClone(given)), row)
      assert.deepEqual(parseRow(JSON.stringify(row)), row)
      assert.ok(Buffer.byteLength(JSON.stringify(row)) < 1024)
      assert.match(row.family, /^[a-z][a-z0-9_.+-]{0,23}(?: [a-z][a-z-]{0,15})?$/)
      assert.doesNotMatch(JSON.stringify(row), /hunter2/)
      assert.match(row.session, /^[0-9a-f]{16}$/)
    }),
  )
})

test('sums of a ledger are the sums of its rows, whichever way they are cut', () => {
  fc.assert(
    fc.property(fc.array(event, { minLength: 1, maxLength: 40 }), (events) => {
      const booked = events.map(rowOf)
      const tally = new Tally()
      for (const row of booked) tally.add(row)
      const gain = tally.gain()
      assert.ok(gain !== undefined)
      const total = (of: (row: LedgerRow) => number) => booked.reduce((sum, row) => sum + of(row), 0)
      assert.equal(gain.tokens.net, total(netOf))
      assert.equal(
        gain.tokens.net,
        gain.tokens.shown - gain.tokens.delivered - gain.tokens.retrieved - gain.tokens.overhead,
      )
      assert.equal(gain.contained.raw, total(shownBytes))
      assert.equal(gain.contained.emitted, total(emittedBytes))
      assert.ok(gain.contained.raw <= gain.captured)
      for (const parts of [gain.families, gain.hosts, gain.days]) {
        assert.equal(
          parts.reduce((sum, { net }) => sum + net, 0),
          gain.tokens.net,
        )
        assert.equal(
          parts.reduce((sum, part) => sum + part.events, 0),
          gain.events,
        )
      }
      assert.ok(gain.share === undefined || gain.share <= 1)
      assert.ok(entryNet(gain.best[0]!) >= gain.median && gain.median >= entryNet(gain.worst[0]!))
      assert.ok(gain.best.length <= 10 && gain.worst.length === gain.best.length)
      assert.doesNotThrow(() => gainText(gain, priceOf(undefined), 100))
    }),
  )
})

test('what was fetched of a capture counts against its event, however its handle was written', () => {
  for (const handle of [
    'run:0123456789ab',
    'run:012345',
    'run:0123456789ab#stderr',
    `run:0123456789ab${'c'.repeat(52)}`,
  ]) {
    const tally = new Tally()
    const base = eventOf(rows[1]!)
    tally.add(rowOf(base))
    const none = { bytes: 0, tokens: 0 }
    const retrieved = { bytes: 30_000, tokens: 9000 }
    tally.add(rowOf({ ...base, of: handle, raw: none, delivered: none, retrieved, method: 'retrieval' }))
    const gain = tally.gain()!
    assert.deepEqual([gain.events, gain.retrievals, entryNet(gain.worst[0]!)], [1, 1, 5420 - 9000], handle)
  }
})

test('two lines are in the published format', () => {
  const tally = new Tally()
  tally.add(
    rowOf({
      ...eventOf(rows.find(({ why }) => why.startsWith('nothing could be replaced: raw to raw'))!),
      cap: { bytes: 1_000_000, kind: 'assumed' },
    }),
  )
  assert.deepEqual(publishedLines(tally.gain()!), [
    'contained: 273.4 KiB raw -> 273.4 KiB emitted (1.0x)',
    'est tokens kept out of context: 0',
  ])
  assert.deepEqual([0, 1023, 1024, 279_962, 5 * 1024 ** 3].map(sizeText), [
    '0 B',
    '1023 B',
    '1.0 KiB',
    '273.4 KiB',
    '5.0 GiB',
  ])
})

test('the report names the price and shows the best beside the worst', () => {
  const tally = new Tally()
  for (const row of rows)
    tally.add(rowOf({ ...eventOf(row), of: `run:${String(rows.indexOf(row)).padStart(12, '0')}` }))
  const gain = tally.gain()!
  const wide = gainText(gain, priceOf('claude-sonnet-5-20260101'), 120)
  assert.match(
    wide,
    /^est spend avoided \(input-priced\): ~-?\$\d+\.\d\d \(claude-sonnet-5-20260101 @ \$2\.00\/Mtok in\)$/m,
  )
  assert.match(wide, /^price .* https:\S+, \d{4}-\d\d-\d\d$/m)
  assert.match(wide, /^best +worst$/m)
  assert.match(wide, /^ +5,420 +pytest +run:000000000001 +-1,180 +pytest +run:000000000009$/m)
  assert.match(gainText(gain, priceOf('gpt-0'), 60), /\(fallback @ \$3\.00\/Mtok in\)/)
  for (const line of wide.split('\n')) assert.ok(line.length <= 240 && !/\s$/.test(line))
})

test('of one event there is no best and no worst, and a cap says what it is', () => {
  const tally = new Tally()
  tally.add(
    rowOf({ ...eventOf(rows[1]!), of: 'run:0123456789ab', host: 'none', cap: { bytes: 30_000, kind: 'assumed' } }),
  )
  const text = gainText(tally.gain()!, priceOf(undefined), 120)
  assert.equal(text.split('run:0123456789ab').length, 2)
  assert.match(text, /^the event$/m)
  assert.doesNotMatch(text, /best|worst/)
  assert.match(text, /^cap {7}without a host shows 30,000 B of a result at most \(assumed; 1 event\)$/m)
  assert.match(text, /half of the events spare ≈-?[\d,]+ or more$/m)
})

test('prices: the first row that fits, a person’s own before ours, a fallback that is named', () => {
  assert.equal(priceOf('Claude-Opus-4-1').input, 15)
  assert.equal(priceOf('claude-opus-4-8').input, 5)
  assert.equal(priceOf(undefined).model, 'fallback')
  const own = readPrices({ prices: [{ match: 'Claude-Opus', input: 1, source: 'my contract', date: '2026-01-01' }] })
  assert.ok(typeof own !== 'string')
  assert.equal(priceOf('claude-opus-4-8', own).input, 1)
  for (const bad of [
    null,
    {},
    { prices: [{}] },
    { prices: [{ match: 'x', input: -1 }] },
    { prices: [{ match: 'x', input: 1 }] },
  ])
    assert.equal(typeof readPrices(bad), 'string')
})

test('a cap that is called measured rests on a receipt', () => {
  for (const { host, kind, source } of CAPS) {
    const [, file, scenario] = /^receipt:(\S+), (\S+)$/.exec(source) ?? []
    assert.equal(kind === 'measured', file !== undefined, source)
    if (file === undefined) continue
    const receipt = JSON.parse(readFileSync(new URL(`../../../receipts/${file}`, import.meta.url), 'utf8'))
    assert.equal(receipt.host, host)
    assert.ok(
      receipt.scenarios.some(({ id }: { id: string }) => id === scenario),
      scenario,
    )
  }
})

function scratch(use: (dir: string) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const dir = mkdtempSync(join(tmpdir(), 'sallyport-ledger-'))
    try {
      await use(dir)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  }
}

const readAll = (file: string): { rows: LedgerRow[]; skipped: number | undefined } => {
  const found: LedgerRow[] = []
  const read = readLedger(file, (row) => found.push(row))
  return { rows: found, skipped: read?.skipped }
}

test(
  'the file grows by whole lines, is private, and a torn or foreign line costs that line alone',
  scratch((dir) => {
    const file = ledgerFile({ CTX_STATE_HOME: join(dir, 'state') }, '/nowhere')
    assert.equal(file, join(dir, 'state', 'ledger.jsonl'))
    assert.deepEqual(readAll(file), { rows: [], skipped: undefined })
    const row = rowOf(eventOf(rows[1]!))
    assert.equal(book(row, file), undefined)
    const before = readFileSync(file)
    assert.equal(statSync(file).mode & 0o777, 0o600)
    appendFileSync(file, '{"v":1,"id":')
    assert.equal(book(row, file), undefined)
    appendFileSync(file, `\n\nnot json\n{"v":2}\nnull\n${'x'.repeat(3_000_000)}\n`)
    assert.equal(book(row, file), undefined)
    assert.deepEqual(readAll(file), { rows: [row, row, row], skipped: 5 })
    assert.deepEqual(readFileSync(file).subarray(0, before.length), before, 'what was booked stays as it is')
  }),
)

test(
  'a file that cannot be ours is left alone, with a clause that says so',
  scratch((dir) => {
    const row = rowOf(eventOf(rows[1]!))
    mkdirSync(join(dir, 'd', 'ledger.jsonl'), { recursive: true })
    assert.match(book(row, join(dir, 'd', 'ledger.jsonl')) ?? '', /cannot be written|no regular file/)
    writeFileSync(join(dir, 'other'), '')
    symlinkSync(join(dir, 'other'), join(dir, 'link'))
    assert.match(book(row, join(dir, 'link')) ?? '', /cannot be written/)
    assert.equal(readFileSync(join(dir, 'other'), 'utf8'), '')
  }),
)

test(
  'processes that book at the same time lose no row',
  scratch(async (dir) => {
    const file = join(dir, 'ledger.jsonl')
    const code = `
      import { book } from ${JSON.stringify(new URL('./ledger.ts', import.meta.url).href)}
      const row = ${JSON.stringify(rowOf(eventOf(rows[1]!)))}
      for (let i = 0; i < 100; i++) if (book({ ...row, raw: Number(process.argv[1]) * 100 + i }, process.argv[2]) !== undefined) process.exit(1)`
    const run = promisify(execFile)
    await Promise.all(
      [0, 1, 2, 3].map((n) => run(process.execPath, ['--input-type=module', '-e', code, String(n), file])),
    )
    const all = readAll(file)
    assert.equal(all.skipped, 0)
    assert.deepEqual(
      all.rows.map(({ raw }) => raw).sort((a, b) => a - b),
      Array.from({ length: 400 }, (_, i) => i),
    )
  }),
)
