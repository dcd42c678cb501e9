import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf } from '../bytes.ts'
import { present } from '../digest/present.ts'
import { smallOutput } from '../run/output.ts'
import { mask as maskWith } from './redact.ts'

// In pieces, so that scanners of repositories do not take it for a token.
const FIRST = 'aB3dE5gH7jK9mN1pQ3'
const REST = 'rS5tU7vW9xY1zA3bC5'
const TOKEN = `${'gh'}${'p_'}${FIRST}${REST}`
const ESC = '\u001b'
const mask = (text: string) => maskWith(text, 'a key for tests')
const between = (what: string): string => [...TOKEN].join(what)

/** An output as both small paths show it. */
function shownOf(bytes: Uint8Array): readonly Buffer[] {
  const verdict = { exit: 0, signal: undefined }
  const { parts } = smallOutput([{ to: 'stdout', bytes }], verdict, mask)
  const input = {
    bytes: bytesOf(bytes),
    commands: [],
    label: '',
    exit: 0,
    budget: 600,
    windows: { first: 1e6, last: 1e6 },
  }
  return [Buffer.concat(parts.map((part) => part.bytes)), Buffer.from(present({ ...input, mask }).text)]
}

const hidden = (bytes: Uint8Array, kept: string): void => {
  for (const shown of shownOf(bytes)) {
    const text = shown.toString()
    assert.match(text, /\[ctx:redacted:github-[a-z-]+:[0-9a-f]{8}\]/)
    assert.ok(text.includes(kept), text)
    assert.doesNotMatch(text, /[\u0000\u0008\u001b]/)
    assert.ok(!text.includes(FIRST) && !text.includes(REST), text)
  }
}

for (const [why, text] of [
  ['colours of grep, all of the end', `t=gh${'p_'}${ESC}[01;31m${ESC}[K${FIRST}${REST}${ESC}[m${ESC}[K\n`],
  ['colours of grep in the middle', `t=gh${'p_'}${ESC}[01;31m${ESC}[K${FIRST}${ESC}[m${ESC}[K${REST}\n`],
  [
    'a short match whose sequence the mask would eat',
    `t=gh${'p_'}aB3${ESC}[01;31m${ESC}[KdE5${ESC}[m${ESC}[K${TOKEN.slice(10)}\n`,
  ],
  ['a sequence at every letter', `t=${between(`${ESC}[0m`)}\n`],
  ['bold by overstrike', `t=${[...TOKEN].map((c) => `${c}\b${c}`).join('')}\n`],
  ['underlined by overstrike', `t=${[...TOKEN].map((c) => `_\b${c}`).join('')}\n`],
  ['spaces without width', `t=${between('\u200b')}\n`],
  ['joiners of words', `t=${between('\u2060')}\n`],
  ['NUL between letters', `t=${between('\0')}\n`],
  ['words that only a sequence keeps apart', `x${ESC}[5Ct=${ESC}[5C${TOKEN}${ESC}[5C=y t=\n`],
] as const)
  test(`a small output is masked without what is not seen: ${why}`, () => hidden(Buffer.from(text), 't='))

test('a small output in UTF-16 is masked as text, with and without a mark', () => {
  const text = `the line t=${TOKEN} is here\n`
  const little = Buffer.from(text, 'utf16le')
  hidden(little, 'the line t=')
  hidden(Buffer.from(little).swap16(), 'the line t=')
  hidden(Buffer.concat([Buffer.from([0xff, 0xfe]), little]), 'the line t=')
})

test('without a secret every byte stays', () => {
  for (const bytes of [
    Buffer.from(`${ESC}[31mred${ESC}[0m b\bb \u200b 👩‍👧 \0 ${ESC}]8;;https://a.example/${ESC}\\link\n`),
    Buffer.from('text in two bytes a letter, and more of it\n', 'utf16le'),
  ])
    for (const shown of shownOf(bytes)) assert.deepEqual(shown, bytes)
  const odd = Buffer.from([0, 255, 254, 0x1b, 0x5b, 0xc3, 8, 10])
  assert.deepEqual(shownOf(odd)[0], odd)
})

test('a secret within a sequence is masked as well', () => {
  for (const shown of shownOf(Buffer.from(`${ESC}]8;;https://a.example/?t=${TOKEN}${ESC}\\link\n`)))
    assert.ok(!shown.includes(TOKEN), shown.toString())
})
