import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { formatAddress, parseAddress, type Selector } from '../address.ts'
import { readShown } from '../frame.ts'
import { maskSlice } from '../redact/redact.ts'
import { tokensOf } from '../tokens.ts'
import { anchorOf } from './anchor.ts'
import { type Answer, getAnswer } from './get.ts'
import type { MaskSlice } from './page.ts'
import { bare, linesOf, openedOf, slices } from './query.testing.ts'
import type { Opened } from './source.ts'

const HANDLE = 'run:0123456789ab'

interface Row {
  readonly of: string
  readonly at: string
  readonly shows?: readonly string[]
  readonly says?: string
  readonly refused?: string
}

const { contents, cases } = JSON.parse(
  readFileSync(new URL('../../../cases/query/get.json', import.meta.url), 'utf8'),
) as { contents: Record<string, string>; cases: readonly Row[] }

test('an address shows what it names, and past the end says what there is', () => {
  for (const { of, at, shows, says, refused } of cases) {
    const name = `${of} ${at}`
    const address = parseAddress(at === '' ? HANDLE : `${HANDLE} ${at}`)
    assert.ok(!('refused' in address), name)
    const answer = getAnswer(openedOf(contents[of] ?? ''), address.selector, { budget: 1200, mask: bare })
    if (refused !== undefined) {
      assert.ok('refused' in answer, name)
      assert.ok(answer.refused.includes(refused), `${name}: ${answer.refused}`)
      continue
    }
    assert.ok(!('refused' in answer), name)
    const [first = '', ...rest] = answer.text.trimEnd().split('\n')
    assert.deepEqual(rest, shows, name)
    assert.ok(first.startsWith(`[ctx get ${HANDLE}`) && first.includes(says ?? ''), `${name}: ${first}`)
    assert.equal(answer.next, undefined, name)
  }
})

test('bytes that are no text are digits, and of a text the first line says that it is not shown as it is', () => {
  const said = (bytes: Uint8Array, selector?: Selector): string => {
    const answer = getAnswer(openedOf(bytes), selector, { budget: 1200, mask: bare })
    assert.ok(!('refused' in answer))
    return answer.text
  }
  const png = Buffer.from('89504e470d0a1a0affd8ffe0c3283f', 'hex')
  const jpeg = Buffer.concat([Buffer.alloc(40, 0xd8), png])
  for (const [bytes, selector] of [
    [png, undefined],
    [jpeg, { by: 'bytes', from: 0, to: 30 }],
    [Buffer.from('\u0001\u0002\u0003abc'), undefined],
  ] as const) {
    const text = said(bytes, selector)
    assert.match(text, /no text: bytes .* --raw passes them as they are/)
    assert.doesNotMatch(text, /\ufffd/)
    assert.deepEqual(slices(text), [])
  }
  const latin = Buffer.from(`${'a line of text, '.repeat(9)}caf\u00e9\n`, 'latin1')
  assert.match(said(latin), /^\[ctx get [^\n]*not all of it UTF-8[^\n]*--raw/)
  assert.match(said(Buffer.from(`${'x'.repeat(30)}é`), { by: 'bytes', from: 0, to: 30 }), /not all of it UTF-8/)
  for (const whole of ['café', 'a \ufffd that was there', '\u001b[31mred\u001b[0m', `${'ü'.repeat(9000)}x`])
    assert.doesNotMatch(said(Buffer.from(whole)), /UTF-8|no text/)
})

test('digits of a secret are not shown', () => {
  const token = 'ghp_0123456789abcdefghijABCDEFGHIJ456789'
  const mask: MaskSlice = (before, text, behind) => maskSlice(before, text, behind, 'key')
  for (const bytes of [
    Buffer.from(`\0\0A=1\0TOKEN=${token}\0B=2 and more of the environment\0`),
    Buffer.concat([Buffer.from([0, 1, 2, 3]), Buffer.from(`key ${token} done`, 'utf16le'), Buffer.from([1])]),
  ]) {
    const answer = getAnswer(openedOf(bytes), { by: 'bytes', from: 0, to: bytes.length }, { budget: 1200, mask })
    assert.ok(!('refused' in answer))
    const digits = [...answer.text.matchAll(/hex \d+: ([0-9a-f ]+)\]/g)].map(([, hex]) => hex!.replaceAll(' ', ''))
    const shown = Buffer.from(digits.join(''), 'hex').toString('latin1').replaceAll('\0', '')
    assert.doesNotMatch(shown, /ghp_|abcdef|ABCDEF/)
    assert.match(answer.text, /a secret stands here/)
  }
})

/** Follows an answer to its end. Every step is within the budget, and goes on behind the one before. */
function chain(opened: Opened, selector: Selector | undefined, budget: number): { shown: string; steps: number } {
  let shown = ''
  let at: Selector | undefined = selector
  for (let steps = 1; ; steps++) {
    assert.ok(steps < 5000, 'the chain does not end')
    const answer: Answer | { refused: string } = getAnswer(opened, at, { budget, mask: bare })
    assert.ok(!('refused' in answer), `${JSON.stringify(at)}: ${JSON.stringify(answer)}`)
    assert.ok(tokensOf(answer.text) <= budget, `${tokensOf(answer.text)} tokens of ${budget}`)
    for (const line of slices(answer.text)) {
      const read = readShown(line)
      assert.equal(read.is, 'slice')
      shown += read.text
    }
    if (answer.next === undefined) return { shown, steps }
    // What is printed is what is meant.
    assert.deepEqual(parseAddress(formatAddress(answer.next)), answer.next)
    at = answer.next.selector
  }
}

const line = fc.oneof(
  { weight: 6, arbitrary: fc.string({ maxLength: 60, unit: fc.constantFrom('a', 'b', '0', ' ', '-', '/') }) },
  { weight: 1, arbitrary: fc.integer({ min: 300, max: 3000 }).map((n) => 'long word '.repeat(n / 10)) },
  { weight: 1, arbitrary: fc.string({ maxLength: 300, unit: fc.constantFrom('ä', '€', '😀', 'z') }) },
)
const content = fc
  .tuple(fc.array(line, { maxLength: 60 }), fc.boolean())
  .map(([lines, end]) => lines.join('\n') + (end ? '\n' : ''))

test('answers that do not fit go on where they end, come to an end, and leave nothing out', () => {
  fc.assert(
    fc.property(content, fc.integer({ min: 100, max: 600 }), (text, budget) => {
      assert.equal(chain(openedOf(text), undefined, budget).shown, text.replaceAll('\n', ''))
    }),
    { numRuns: 60 },
  )
})

test('the same for a range of lines, of bytes and of records', () => {
  fc.assert(
    fc.property(content, fc.nat(100), fc.nat(100), fc.integer({ min: 100, max: 300 }), (text, a, b, budget) => {
      const opened = openedOf(text)
      const lines = text.split('\n')
      const from = 1 + (a % Math.max(1, opened.bytes.lines))
      const to = from + b
      if (opened.bytes.lines > 0)
        assert.equal(chain(opened, { by: 'lines', from, to }, budget).shown, lines.slice(from - 1, to).join(''))
      const bytes = Buffer.from(text)
      // Only at beginnings of characters: what is cut there is shown whole.
      let first = a % Math.max(1, bytes.length)
      while (first > 0 && (bytes[first]! & 0xc0) === 0x80) first--
      if (bytes.length > 0)
        assert.equal(
          chain(opened, { by: 'bytes', from: first, to: bytes.length - 1 }, budget).shown,
          bytes.subarray(first).toString().replaceAll('\n', ''),
        )
      const records = lines.filter((one) => one.trim() !== '')
      if (records.length > 0)
        assert.equal(
          chain(opened, { by: 'records', from: 1 + (a % records.length), to: records.length }, budget).shown.replaceAll(
            ' ',
            '',
          ),
          records
            .slice(a % records.length)
            .join('')
            .replaceAll(' ', ''),
        )
    }),
    { numRuns: 60 },
  )
})

test('text in UTF-16 is shown as text by its lines, and named by the bytes of the capture', () => {
  const text = 'eins\nzwölf €\ndrei\n'
  const big = Buffer.from(`\ufeff${text}`, 'utf16le').swap16()
  for (const raw of [
    big,
    Buffer.from(`\ufeff${text}`, 'utf16le'),
    Buffer.from(`${text}${'more\n'.repeat(20)}`, 'utf16le'),
  ]) {
    const answer = getAnswer(openedOf(raw), { by: 'lines', from: 2, to: 3 }, { budget: 300, mask: bare })
    assert.ok(!('refused' in answer))
    assert.deepEqual(slices(answer.text), ['L2: zwölf €', 'L3: drei'])
    assert.match(answer.text, /UTF-16 shown as UTF-8\]/)
  }
  const long = Buffer.from(`\ufeff${'ä'.repeat(5000)}`, 'utf16le')
  const answer = getAnswer(openedOf(long), undefined, { budget: 300, mask: bare })
  assert.ok(!('refused' in answer) && answer.next?.selector?.by === 'bytes')
  const [shown = ''] = slices(answer.text)
  assert.deepEqual(answer.next.selector, {
    by: 'bytes',
    from: 2 + 2 * shown.replace('L1: ', '').replace('\ufeff', '').length,
    to: 10_001,
  })
})

test('one line of 3 MB is reached by its bytes', () => {
  const text = `start ${'0123456789'.repeat(300_000)} end`
  const opened = openedOf(text)
  const answer = getAnswer(opened, undefined, { budget: 300, mask: bare })
  assert.ok(!('refused' in answer) && answer.next?.selector?.by === 'bytes')
  const middle = getAnswer(opened, { by: 'bytes', from: 1_500_000, to: 1_500_020 }, { budget: 300, mask: bare })
  assert.ok(!('refused' in middle))
  assert.deepEqual(slices(middle.text), [`L1: ${text.slice(1_500_000, 1_500_021)}`])
})

const HEX: MaskSlice = (before, text, behind) => {
  // A stand-in for what finds secrets: `KEY`, letters up to `END`, also over several lines.
  const whole = before + text + behind
  let out = text
  let masked = 0
  for (const { index, 0: found } of whole.matchAll(/KEY[a-z\n]*END/g)) {
    const from = Math.max(0, index - before.length)
    const to = Math.min(text.length, index + found.length - before.length)
    if (to <= 0 || from >= text.length) continue
    masked++
    out = `${text.slice(0, from)}[hidden]${text.slice(to)}`
  }
  return { text: out, masked }
}

test('secrets are hidden, also where the range begins or ends within one', () => {
  const opened = openedOf('before\nx KEYabc\ndef\nghiEND y\nafter\n')
  const show = (selector: Selector) => {
    const answer = getAnswer(opened, selector, { budget: 300, mask: HEX })
    assert.ok(!('refused' in answer))
    return { lines: slices(answer.text), masked: answer.masked }
  }
  assert.deepEqual(show({ by: 'lines', from: 1, to: 5 }).lines, [
    'L1: before',
    'L2: x [hidden]',
    'L3: [hidden]',
    'L4: [hidden] y',
    'L5: after',
  ])
  assert.deepEqual(show({ by: 'lines', from: 3, to: 3 }).lines, ['L3: [hidden]'])
  assert.deepEqual(show({ by: 'bytes', from: 12, to: 13 }), { lines: ['L2: [hidden]'], masked: 1 })
  assert.equal(show({ by: 'lines', from: 5, to: 5 }).masked, 0)
})

test('an anchor finds lines that moved, names the place, and refuses lines that are gone', () => {
  const repo = (text: string): Opened => ({ handle: { is: 'repo', path: 'a.txt' }, bytes: linesOf(text) })
  const old = repo('a\nb\nc\nd\n')
  const shown = getAnswer(old, { by: 'lines', from: 2, to: 3 }, { budget: 300, mask: bare })
  const anchor = anchorOf(old.bytes, 2, 3)
  assert.ok(!('refused' in shown))
  assert.ok(shown.text.startsWith(`[ctx get repo:a.txt --lines 2:3@${anchor} `), shown.text)
  const selector: Selector = { by: 'lines', from: 2, to: 3, anchor }
  const same = getAnswer(repo('A\nb\nc\n'), selector, { budget: 300, mask: bare })
  assert.ok(!('refused' in same))
  assert.doesNotMatch(same.text, /moved/)
  const moved = getAnswer(repo('new\nnew\na\nb\nc\nd\n'), selector, { budget: 300, mask: bare })
  assert.ok(!('refused' in moved))
  assert.match(moved.text, /--lines 4:5@[0-9a-f]{8} \| moved from 2:3\]/)
  assert.deepEqual(slices(moved.text), ['L4: b', 'L5: c'])
  const gone = getAnswer(repo('a\nb\nC\nd\n'), selector, { budget: 300, mask: bare })
  assert.ok('refused' in gone)
  assert.match(gone.refused, new RegExp(`anchor ${anchor} are gone from repo:a.txt`))
})

test('lines of a moved anchor are found wherever they are', () => {
  const short = fc.constantFrom('a', 'b', 'c', '')
  fc.assert(
    fc.property(
      fc.array(short, { minLength: 1, maxLength: 12 }),
      fc.array(short, { maxLength: 12 }),
      fc.array(short, { maxLength: 12 }),
      (block, before, behind) => {
        const text = (lines: readonly string[]) => lines.map((one) => `${one}\n`).join('')
        const anchor = anchorOf(linesOf(text(block)), 1, block.length)
        const opened = openedOf(text([...before, ...block, ...behind]))
        const selector: Selector = { by: 'lines', from: 1, to: block.length, anchor }
        const answer = getAnswer(opened, selector, { budget: 1200, mask: bare })
        assert.ok(!('refused' in answer))
        assert.deepEqual(
          answer.text
            .split('\n')
            .slice(1, -1)
            .map((one) => one.replace(/^L\d+: /, '')),
          block,
        )
      },
    ),
  )
})
