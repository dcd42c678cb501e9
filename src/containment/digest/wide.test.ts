import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf } from '../bytes.ts'
import { digestOf, RUN_WINDOWS } from './digest.ts'
import { narrow } from './wide.ts'

/** The text as a capture: little or big end first, with or without a mark, or cut within its last character. */
const FORMS: Readonly<Record<string, (text: string) => Buffer>> = {
  'little end first': (text) => Buffer.from(`\ufeff${text}`, 'utf16le'),
  'big end first': (text) => Buffer.from(`\ufeff${text}`, 'utf16le').swap16(),
  'without a mark': (text) => Buffer.from(`${'plain '.repeat(700)}${text}`, 'utf16le'),
  'cut in the last character': (text) => Buffer.concat([Buffer.from(`\ufeff${text}`, 'utf16le'), Buffer.from([0x41])]),
}

/** Texts whose pieces end in all ways: within a character of four bytes or not, at a line end, beyond any cache. */
const TEXTS: readonly (readonly [string, string])[] = [
  ['short', 'a line\nand ü another\n'],
  ['pairs', '😀'.repeat(700_000)],
  ['pairs at odd places', `x${'😀'.repeat(700_000)}`],
  ['halves alone', `${'text '.repeat(1000)}${'\ud800a'.repeat(400_000)}`],
  ['lines', 'a line of the log, über alles\r\n'.repeat(80_000)],
  ['more than is kept', 'one line of many, each of them alike\n'.repeat(400_000)],
]

for (const [how, form] of Object.entries(FORMS))
  for (const [what, text] of TEXTS)
    test(`${what}, ${how}, reads as UTF-8 from any place to any place`, () => {
      const raw = form(text)
      const mark = how === 'without a mark' ? 0 : 2
      const given = how === 'without a mark' ? `${'plain '.repeat(700)}${text}` : text
      const utf8 = Buffer.from(given)
      const { bytes, placeOf, sizeOf, lines } = narrow(bytesOf(raw))!
      assert.equal(bytes.size, utf8.length)
      assert.ok(utf8.equals(bytes.read(0, bytes.size)))
      assert.equal(lines, true)
      const target = Buffer.alloc(300_000)
      for (let i = 0; i < 40; i++) {
        const from = Math.floor((utf8.length * ((i * 7919) % 1000)) / 1000)
        const to = Math.min(utf8.length, from + ((i * 104_729) % 400_000))
        assert.ok(utf8.subarray(from, to).equals(bytes.read(from, to)), `${from}:${to}`)
        const length = bytes.into!(target, from)
        assert.ok(utf8.subarray(from, from + target.length).equals(target.subarray(0, length)))
      }
      for (const units of [0, 1, 1001, 524_287, 524_288, 524_290, given.length]) {
        const head = given.slice(0, units)
        if (units > given.length || /[\ud800-\udbff]$/.test(head)) continue
        const place = Buffer.byteLength(head)
        assert.equal(placeOf(place), mark + 2 * units)
        assert.equal(sizeOf(0, place), 2 * units)
      }
    })

test('what is no UTF-16 is left', () => {
  for (const raw of [Buffer.from('plain text\n'.repeat(100)), Buffer.alloc(8192), Buffer.from([0xff, 0xfe, 0, 0])])
    assert.equal(narrow(bytesOf(raw)), undefined)
})

test('a flood in UTF-16 is digested as text, however long it is', () => {
  const lines = Array.from({ length: 400_000 }, (_, i) => `request ${i} was answered in ${i % 900} ms`)
  lines[300_000] = 'FATAL: the queue of müller is gone'
  const bytes = bytesOf(Buffer.from(`\ufeff${lines.join('\r\n')}\r\n`, 'utf16le'))
  assert.ok(bytes.size > 16 << 20)
  const { text, priced } = digestOf({
    bytes,
    commands: [],
    label: '',
    exit: 1,
    budget: 600,
    windows: RUN_WINDOWS,
    mask: (text) => ({ text, masked: 0 }),
    handle: 'run:0123456789ab',
  })
  assert.equal(priced, true)
  assert.match(text, /^\[ctx exit 1 \| 400000 lines, /)
  assert.match(text, /^L300001: FATAL: the queue of müller is gone$/m)
  assert.match(text, /^\[ctx UTF-16, shown as UTF-8\]$/m)
})
