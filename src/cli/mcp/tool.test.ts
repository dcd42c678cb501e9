import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import { openStore } from '../../containment/store/store.ts'
import { tokensOf } from '../../containment/tokens.ts'
import type { Io } from '../io.ts'
import { answerCall, TOOL } from './tool.ts'

const home = mkdtempSync(join(tmpdir(), 'tool-'))
after(() => rmSync(home, { recursive: true, force: true }))
const env = { HOME: home }
const io: Io = { out: () => {}, err: () => {}, cwd: home, env, colour: false }
const lines = Array.from({ length: 5000 }, (_, at) => `line ${at + 1}\n`).join('')
const ref = openStore({ env, home }).putBytes(Buffer.from(lines), { argv: ['x'], exit: 0 }).handle!
const other = openStore({ env, home }).putBytes(Buffer.from(`${lines}one more\n`), { argv: ['x'], exit: 1 }).handle!
writeFileSync(join(home, 'note.txt'), 'a note\n')

describe('the tool of our server', () => {
  it('costs a session less than 700 tokens', () => assert.ok(tokensOf(JSON.stringify(TOOL)) < 700))

  it('has no operation that runs anything', () => {
    for (const op of TOOL.inputSchema.properties.op.enum) assert.match(op, /^(?:get|search|stats|diff)$/)
  })

  const good: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
    ['lines', { op: 'get', ref, selector: { lines: '7:8' } }, /L7: line 7\nL8: line 8\n/],
    ['a pattern', { op: 'search', ref, patterns: ['line 4711'] }, /L4711: line 4711/],
    [
      'a fixed text with lines around',
      { op: 'search', ref, patterns: ['4711'], options: { fixed: true, context: 1 } },
      /line 4712/,
    ],
    ['what there is', { op: 'stats', ref }, /5000 lines/],
    ['what changed', { op: 'diff', ref, other }, /one more/],
    ['a file of the workspace', { op: 'get', ref: 'repo:note.txt', workspace: home }, /a note/],
  ]
  for (const [name, args, answer] of good)
    it(name, async () => {
      const { text, failed } = await answerCall(args, io)
      assert.equal(failed, false)
      assert.match(text, answer)
    })

  const bad: readonly (readonly [string, Readonly<Record<string, unknown>>, RegExp])[] = [
    ['no op', { ref }, /op takes get, search/],
    ['an op that runs', { op: 'run', ref: 'ls' }, /op takes get, search/],
    ['a name of every object', { op: 'constructor', ref }, /op takes/],
    ['no ref', { op: 'get' }, /ref is missing/],
    ['nothing to compare with', { op: 'diff', ref }, /other is missing/],
    ['an unknown argument', { op: 'get', ref, raw: true }, /"raw" is no argument/],
    ['an unknown selector', { op: 'get', ref, selector: { raw: '1' } }, /no "raw"/],
    ['two selectors', { op: 'get', ref, selector: { lines: '1:2', bytes: '1:2' } }, /one selector/],
    ['a selector that is no text', { op: 'get', ref, selector: { lines: 7 } }, /lines takes a text/],
    ['too many patterns', { op: 'search', ref, patterns: Array(17).fill('x') }, /at most 16/],
    ['a number that is none', { op: 'search', ref, patterns: ['x'], options: { context: -1 } }, /context takes/],
    ['a relative workspace', { op: 'get', ref: 'repo:x', workspace: '.' }, /absolute/],
    ['nothing there', { op: 'get', ref: 'run:ffffffffffff' }, /run:ffffffffffff/],
    ['behind the end', { op: 'get', ref, selector: { lines: '9000:9001' } }, /5000/],
  ]
  for (const [name, args, sentence] of bad)
    it(`says what is wrong: ${name}`, async () => {
      const { text, failed } = await answerCall(args, io)
      assert.equal(failed, true)
      assert.match(text, /^ctx \S*: .*\n$/)
      assert.match(text, sentence)
    })

  it('an answer is bounded, whatever is asked for', async () => {
    for (const maxTokens of [-5, 0, 64, 1_000_000, 1.5, 'many', null, Number.NaN]) {
      const { text, failed } = await answerCall({ op: 'get', ref, maxTokens }, io)
      assert.equal(failed, false)
      assert.ok(tokensOf(text) <= 1250, `${String(maxTokens)}: ${tokensOf(text)}`)
    }
    const less = await answerCall({ op: 'get', ref, maxTokens: 200 }, io)
    assert.ok(tokensOf(less.text) <= 220)
  })

  it('never throws, whatever comes', async () => {
    const args = fc.dictionary(
      fc.constantFrom('op', 'ref', 'patterns', 'selector', 'options', 'maxTokens', 'x'),
      fc.jsonValue(),
    )
    await fc.assert(
      fc.asyncProperty(args, fc.constantFrom('get', 'search', 'stats', 'diff'), async (given, op) => {
        const { text } = await answerCall({ ...given, op }, io)
        assert.ok(text.length > 0)
      }),
      { numRuns: 50 },
    )
  })
})
