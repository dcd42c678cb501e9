/** The verbs that answer from captures, through the program. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { capture, ended, processOf, scratch, storeAt } from '../../containment/store/store.testing.ts'
import type { Sealed, Store } from '../../containment/store/types.ts'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'

interface Bench {
  readonly dir: string
  readonly store: Store
  /** Runs `ctx` with these words. */
  ctx(...argv: readonly string[]): Promise<{ readonly code: number; readonly out: string; readonly err: string }>
}

function bench(t: TestContext): Bench {
  const dir = scratch(t)
  const cwd = join(dir, 'work')
  mkdirSync(cwd)
  const env = { HOME: dir, CTX_STATE_HOME: join(dir, 'state'), XDG_STATE_HOME: join(dir, 'xdg') }
  return {
    dir,
    store: storeAt(dir),
    async ctx(...argv) {
      const io = gatheredIo(cwd, env)
      const code = await runProgram('ctx', argv, io)
      return { code, out: io.text, err: io.errors }
    },
  }
}

const handleOf = ({ handle = '' }: Sealed): string => handle

test('get: selectors as flags or in one argument; a refusal is one sentence and 2', async (t) => {
  const { store, ctx } = bench(t)
  const run = handleOf(
    capture(store, [
      ['stdout', 'one\ntwo\n'],
      ['stderr', 'three\n'],
    ]),
  )
  const flags = await ctx('get', `${run}#stdout`, '--lines', '2:2')
  assert.deepEqual(flags, { code: 0, err: '', out: `[ctx get ${run}#stdout --lines 2:2 | 1 of 2 lines]\nL2: two\n` })
  assert.equal((await ctx('get', `${run}#stdout --lines 2:2`)).out, flags.out)
  for (const [argv, why] of [
    [[run, '--lines', '4:9'], `that lies behind the end: ${run} has 3 lines, --lines 1:3`],
    [[`${run} --lines 1:2`, '--bytes', '0:1'], 'an address takes one selector, and these are 2: --bytes, --lines'],
    [['run:12345'], 'run:12345 has 5 digits; an id needs 6 to 64'],
    [['run:ffffffffffff'], 'there is no run:ffffffffffff in the store'],
    [['blob:ffffffffffff#stdout'], 'a blob has no streams; leave #stdout away'],
    [[run, '--budget', '5'], '--budget 5 is no number from 100 on'],
    [['repo:../up'], 'repo:../up leads out of the workspace'],
  ] as const)
    assert.deepEqual(await ctx('get', ...argv), { code: 2, out: '', err: `ctx get: ${why}\n` })
})

test('get --raw passes exactly the bytes: nothing, NUL, no UTF-8, only stderr', async (t) => {
  const { dir, store } = bench(t)
  const odd = Buffer.from([0, 255, 254, 10, 0x1b, 0x5b, 0x6d, 13, 10, 0xc3])
  for (const [chunks, address, bytes] of [
    [[], '', Buffer.alloc(0)],
    [[['stdout', odd]], '', odd],
    [[['stderr', odd]], '#stderr', odd],
    [[['stderr', odd]], '#stdout', Buffer.alloc(0)],
    [[['stdout', odd]], ' --bytes 1:3', odd.subarray(1, 4)],
  ] as const) {
    const run = handleOf(capture(store, chunks))
    const main = JSON.stringify(new URL('../main.ts', import.meta.url).href)
    const child = processOf(
      `import { main } from ${main}; process.exitCode = await main('ctx', ['get', ${JSON.stringify(run + address)}, '--raw'])`,
      { env: { ...process.env, HOME: dir, CTX_STATE_HOME: join(dir, 'state') } },
    )
    child.stdout?.setEncoding('latin1')
    const { out, err, code } = await ended(child)
    assert.deepEqual({ out, err, code }, { out: bytes.toString('latin1'), err: '', code: 0 })
  }
})

test('get of the workspace: a live file, told again with its anchor', async (t) => {
  const { dir, ctx } = bench(t)
  writeFileSync(join(dir, 'work', 'a.txt'), 'a\nb\nc\n')
  const { out } = await ctx('get', 'repo:a.txt', '--lines', '2:2')
  const [, anchor] = /--lines 2:2@([0-9a-f]{8})/.exec(out) ?? []
  writeFileSync(join(dir, 'work', 'a.txt'), 'new\na\nb\nc\n')
  assert.match(
    (await ctx('get', 'repo:a.txt', '--lines', `2:2@${anchor}`)).out,
    /--lines 3:3@.*moved from 2:2\]\nL3: b\n$/,
  )
  writeFileSync(join(dir, 'work', 'a.txt'), 'x\n')
  const gone = await ctx('get', 'repo:a.txt', '--lines', `2:2@${anchor}`)
  assert.equal(gone.code, 2)
  assert.match(gone.err, /are gone from repo:a.txt/)
})

test('files that the policy closes are not shown; its budget holds', async (t) => {
  const { dir, ctx } = bench(t)
  const work = join(dir, 'work')
  for (const place of [
    join(work, '.git'),
    join(work, '.sallyport'),
    join(work, 'private'),
    join(dir, '.config', 'sallyport'),
  ])
    mkdirSync(place, { recursive: true })
  writeFileSync(join(work, '.sallyport', 'policy.jsonc'), '{"denyRead": ["private/**"]}')
  writeFileSync(join(dir, '.config', 'sallyport', 'policy.jsonc'), '{"budgets": {"result": 150}}')
  writeFileSync(join(work, 'private', 'a.txt'), 'needle\n')
  writeFileSync(join(work, 'b.txt'), 'needle and more of it\n'.repeat(100))
  const closed = await ctx('get', 'repo:private/a.txt')
  assert.equal(closed.code, 2)
  assert.match(
    closed.err,
    /^ctx get: repo:private\/a.txt is not shown: denyRead of the policy names it: private\/\*\*\n$/,
  )
  assert.deepEqual(await ctx('search', 'two needles', 'repo:'), {
    ...{ code: 2, out: '' },
    err: "ctx search: the address stands first, as in: ctx search repo: 'two needles'\n",
  })
  const found = await ctx('search', 'repo:', 'needle')
  assert.doesNotMatch(found.out, /private/)
  assert.match(found.out, /1 file left out/)
  const { out } = await ctx('get', 'repo:b.txt')
  assert.ok(out.split('\n').length < 20)
  writeFileSync(join(work, '.sallyport', 'policy.jsonc'), '{"denyRead": [')
  assert.match((await ctx('get', 'repo:b.txt')).err, /the policy .* cannot be used/)
})

test('secrets are masked in get and search', async (t) => {
  const { store, ctx } = bench(t)
  const token = ['ghp', 'x9K2mQ7vT4bN8cR3wZ6yL1dF5hJ0sA2gEwQ7'].join('_')
  const run = handleOf(capture(store, [['stdout', `login\nGITHUB_TOKEN=${token}\ndone\n`]]))
  for (const argv of [
    ['get', run],
    ['search', run, 'TOKEN'],
    ['stats', run],
  ]) {
    const { code, out } = await ctx(...argv)
    assert.equal(code, 0)
    assert.doesNotMatch(out, new RegExp(token.slice(4, 20)))
    assert.match(out, /\[ctx:redacted:[a-z-]+:[0-9a-f]{8}\]/)
  }
})

test('what is answered is booked as a debit of its size, not what was looked through', async (t) => {
  const { dir, store, ctx } = bench(t)
  const run = handleOf(capture(store, [['stdout', 'needle\n'.repeat(200_000)]]))
  const { out } = await ctx('search', run, 'needle', '--fixed')
  const rows = readFileSync(join(dir, 'state', 'ledger.jsonl'), 'utf8')
    .trim()
    .split('\n')
  const [row] = rows.map((one) => JSON.parse(one) as Record<string, unknown>)
  assert.equal(rows.length, 1)
  assert.deepEqual(
    { raw: row?.['raw'], delivered: row?.['delivered'], retrieved: row?.['retrieved'], method: row?.['method'] },
    { raw: 0, delivered: 0, retrieved: Buffer.byteLength(out), method: 'retrieval' },
  )
})

test('pin, gc and purge', async (t) => {
  const { store, ctx } = bench(t)
  const kept = handleOf(capture(store, [['stdout', 'kept']]))
  const lost = handleOf(capture(store, [['stdout', 'lost']]))
  assert.deepEqual(await ctx('pin', kept), { code: 0, out: `${kept} is kept for good\n`, err: '' })
  assert.match((await ctx('gc', '--retention-days', '0')).out, /^removed 1 run and 1 blob, \d+ bytes\n$/)
  assert.equal((await ctx('get', kept)).code, 0)
  assert.match((await ctx('get', lost)).err, /^ctx get: run:[0-9a-f]{12} expired on \d{4}-\d\d-\d\d; /)
  assert.equal((await ctx('purge')).code, 2)
  assert.match((await ctx('purge', kept)).out, /^removed 1 run and 1 blob/)
  assert.match((await ctx('get', kept)).err, /was purged on/)
  capture(store, [['stdout', 'more']])
  assert.match((await ctx('purge', '--all')).out, /^removed 1 run and 1 blob/)
  assert.match((await ctx('gc', '--retention-days', 'x')).err, /^ctx gc: --retention-days x is no number/)
})

test('stats tell sizes and kinds, diff tells what changed', async (t) => {
  const { store, ctx } = bench(t)
  const ok = Array.from({ length: 60 }, (_, i) => `ok ${i} - case ${i}\n`).join('')
  const before = handleOf(
    capture(
      store,
      [
        ['stdout', `${ok}not ok 61 - sums\n`],
        ['stderr', 'warn\n'],
      ],
      ['suite'],
      1,
    ),
  )
  const after = handleOf(
    capture(
      store,
      [
        ['stdout', `${ok}slow disk\n`],
        ['stderr', 'warn\n'],
      ],
      ['suite'],
      0,
    ),
  )
  const stats = await ctx('stats', before)
  assert.match(
    stats.out,
    /^\[ctx stats run:[0-9a-f]{12} \| exit 1 \| suite\]\n\[ctx 62 lines, \d+ bytes, ≈\d+ tokens, text\]\n/,
  )
  assert.match(stats.out, /\n60× ok 0 - case 0\n/)
  const diff = await ctx('diff', before, after)
  assert.equal(diff.code, 0)
  assert.match(diff.out, /\[ctx was: exit 1 \| suite\]\n\[ctx is: exit 0 \| suite\]/)
  assert.match(diff.out, /\[ctx stderr: the same 1 line\]/)
  assert.match(diff.out, /\n1× slow disk\n/)
  assert.match(diff.out, /\n1× not ok 61 - sums\n/)
  assert.match((await ctx('diff', before, 'repo:x')).err, /^ctx diff: /)
  const same = await ctx('diff', before, before)
  assert.match(same.out, /the same 61 lines/)
  assert.doesNotMatch(same.out, /new in/)
})

const KINDS: readonly (readonly [string, RegExp])[] = [
  ['', /0 lines, 0 bytes, ≈0 tokens, empty/],
  ['[{"id":1,"name":"a"},{"id":2,"name":"b"}]', /JSON, an array of 2: \{id: number, name: text\}\]/],
  ['{"a":1}\n{"a":2,"b":[]}\n{"a":3}\n', /JSON lines, 3 records, fields: a 3, b 1\]/],
  ['id,name,note\n1,a,"x, y"\n2,b,z\n', /a table of 3 rows with 3 columns between commas: id, name, note\]/],
  ['plain\ntext\n', /, text\]/],
  ['\u007fELF\u0002\u0001\u0000\u0000', /, ELF binary\]/],
]

test('stats tell what kind of data it is', async (t) => {
  const { store, ctx } = bench(t)
  for (const [text, kind] of KINDS) {
    const { handle = '' } = store.putBytes(Buffer.from(text, 'latin1'), {})
    assert.match((await ctx('stats', handle)).out, kind, text)
  }
})

test('what a verb quotes of its words is masked, on both streams', async (t) => {
  const { store, ctx } = bench(t)
  const run = handleOf(capture(store, [['stdout', 'one\ntwo\n']]))
  // In pieces, so that scanners of repositories do not take it for a token.
  const token = `${'gh'}${'p_'}aB3dE5gH7jK9mN1pQ3rS5tU7vW9xY1zA3bC5`
  for (const argv of [
    ['search', run, token],
    ['search', run, token, 'two'],
    ['search', run, `${'x'.repeat(100)} ${token}`],
    ['search', run, '--query', token],
    ['search', run, `(${token}`],
    ['search', run, `${token}${'x'.repeat(2000)}`],
    ['search', run, 'o', '--budget', token],
    ['get', token],
    ['get', `repo:${token}`],
    ['job', token],
    ['purge', token],
    ['pin', token],
    ['diff', token, run],
    ['digest', token],
    ['gain', '--model', token],
    ['profile', 'test', token],
    ['run', '--', token],
    ['run', '--cwd', token, '--', 'true'],
    ['run', '--timeout', token, '--', 'true'],
    [token],
    ['get', `--${token}`],
  ]) {
    const { out, err } = await ctx(...argv)
    assert.ok(out + err !== '', argv.join(' '))
    assert.ok(!(out + err).includes(token.slice(0, 16)), `${argv.join(' ')}: ${out}${err}`)
  }
})

test('search finds in UTF-16 what get shows of it, with the same numbers', async (t) => {
  const { store, ctx } = bench(t)
  const text = `${Array.from({ length: 200 }, (_, i) => `line ${i + 1}\n`).join('')}error tok ä\n`
  const bytes = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')])
  const run = handleOf(capture(store, [['stdout', bytes]]))
  assert.match((await ctx('get', run, '--lines', '200:201')).out, /^L201: error tok ä$/m)
  for (const argv of [
    [run, 'error'],
    [`${run} --lines 100:201`, 'error'],
    [run, '--fixed', 'tok ä'],
    [run, '--query', 'error'],
  ]) {
    const { out } = await ctx('search', ...argv)
    assert.match(out, /1 match\]\nL201: error tok ä\n/)
    assert.match(out, /^\[ctx UTF-16 searched as UTF-8\]$/m)
  }
  assert.match((await ctx('search', `${run} --bytes 0:99`, 'line')).out, /0 matches.*was not searched as text/s)
  const long = Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(`${'ä'.repeat(5000)}needle\n`, 'utf16le')])
  const other = handleOf(capture(store, [['stdout', long]]))
  assert.match((await ctx('search', other, 'needle')).out, /^\[ctx bytes 98\d\d:100\d\d of line 1\]$/m)
})
