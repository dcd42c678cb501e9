/** A secret of every kind, wherever it stands in a line and whatever is around it: no answer shows it. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf } from '../bytes.ts'
import { digestOf, RUN_WINDOWS } from '../digest/digest.ts'
import { KINDS } from '../redact/kinds.ts'
import { mask, maskSlice } from '../redact/redact.ts'
import { getAnswer } from './get.ts'
import { linesOf, openedOf } from './query.testing.ts'
import { searchAnswer } from './search.ts'

const KEY = 'k'.repeat(32)
const slice = (before: string, text: string, behind: string) => maskSlice(before, text, behind, KEY)

const examples = KINDS.flatMap(({ name, examples: all }) =>
  all.map((example) => {
    const bar = example.indexOf('|')
    // What is looked for in the answers: the part behind the bar, where it is no plain word.
    const part = /[A-Za-z0-9+/_.-]{12}/.exec(example.slice(bar + 1))?.[0] ?? example.slice(bar + 1)
    return { name, text: example.replace('|', ''), part }
  }),
)

const rows = (n: number): string => Array.from({ length: n }, (_, i) => `served the request ${i}\n`).join('')

/** Lines around a secret, which is the word `{}`. */
const FORMS: Readonly<Record<string, string>> = {
  'at the start': '{}\n',
  'behind a word that a return kept apart': 'step 1\r{}\rstep 2\n',
  'between control characters': 'a\u000c{}\u001fb\n',
  'in colours that begin in its midst': 'ERROR \u001b[31m{/}\u001b[0m\n',
  'with a sign of no width in it': 'ERROR {~}\n',
  'above a line that would go on with it': 'ERROR {}\nabc is next\n',
  'in a line that is cut': `ERROR ${'x '.repeat(1200)}{} ${'y '.repeat(1200)}\n`,
}

const filled = (form: string, text: string): string => {
  const half = text.length >> 1
  const with_ = (sign: string) => text.slice(0, half) + sign + text.slice(half)
  return form.replace('{}', text).replace('{/}', with_('\u001b[1m')).replace('{~}', with_('\u200b'))
}

for (const [form, line] of Object.entries(FORMS))
  test(`a secret ${form}`, async () => {
    for (const { name, text, part } of examples) {
      const raw = `${rows(60)}${filled(line, text)}${rows(60)}`
      const at = Buffer.from(raw).indexOf(filled(line, text).slice(0, 6)) + 2
      const bytes = linesOf(raw)
      const clear = (shown: string, where: string) => {
        // What nobody sees is no cover.
        const seen = shown.replaceAll('\u200b', '').replaceAll('0123456789ab', '')
        assert.ok(!seen.includes(part), `${name}, ${where}:\n${shown}`)
      }
      const input = { bytes: bytesOf(Buffer.from(raw)), commands: [], label: '', handle: 'run:0123456789ab' }
      clear(
        digestOf({
          ...input,
          maskSlice: slice,
          budget: 600,
          windows: RUN_WINDOWS,
          exit: 1,
          mask: (one) => mask(one, KEY),
        }).text,
        'digest',
      )
      const selectors = [
        { by: 'lines', from: 60, to: 63 },
        { by: 'bytes', from: at - 40, to: at + 3000 },
      ] as const
      for (const selector of selectors) {
        const answer = getAnswer(openedOf(raw), selector, { budget: 1200, mask: slice })
        assert.ok(!('refused' in answer))
        clear(answer.text, 'get')
      }
      for (const context of [0, 1]) {
        const resolve = () => ({ is: 'blob', id: 'fedcba987654', bytes }) as const
        const found = await searchAnswer(
          { handle: { is: 'blob', id: 'fedcba987654' } },
          { store: { resolve }, cwd: '/' },
          {
            ...{ patterns: ['ERROR', 'request 59'], fixed: true, context },
            ...{ mostMatches: 80, skip: 0, budget: 1200, mask: slice },
          },
        )
        assert.ok(!('refused' in found))
        clear(found.text, 'search')
      }
    }
  })
