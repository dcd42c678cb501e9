/** What is kept of an interaction is what was told of it, wherever the file ends. */
import assert from 'node:assert/strict'
import { appendFileSync, mkdtempSync, readFileSync, rmSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import fc from 'fast-check'
import type { Step } from '../agent/steps.ts'
import { fold, type Line } from './fold.ts'
import { Journals } from './journal.ts'
import { Live } from './live.ts'
import { Turns } from './turns.ts'
import type { Head, Numbered } from './wire.ts'

const directory = mkdtempSync(join(tmpdir(), 'live-'))
after(() => rmSync(directory, { recursive: true, force: true }))

const head = (id: string): Head => ({
  ...{ id, object: 'interaction', status: 'in_progress' },
  ...{ created: '2026-01-01T00:00:00.000Z', updated: '2026-01-01T00:00:00.000Z' },
})

type Act =
  | { readonly do: 'step'; readonly step: Step }
  | { readonly do: 'text'; readonly pieces: readonly string[] }
  | { readonly do: 'used' }
  | { readonly do: 'trace' }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({
    type: fc.constant('user_input' as const),
    content: fc.constant([{ type: 'text' as const, text: 'hi' }]),
  }),
  fc.record({
    type: fc.constant('code_execution_call' as const),
    id: fc.string(),
    arguments: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
  fc.record({ type: fc.constant('code_execution_result' as const), call_id: fc.string(), result: fc.string() }),
  fc.record({
    type: fc.constant('function_call' as const),
    id: fc.string(),
    name: fc.string(),
    arguments: fc.dictionary(fc.string(), fc.jsonValue()),
  }),
)
const act: fc.Arbitrary<Act> = fc.oneof(
  fc.record({ do: fc.constant('step' as const), step }),
  fc.record({
    do: fc.constant('text' as const),
    pieces: fc.array(fc.string({ minLength: 1 }), { minLength: 1, maxLength: 4 }),
  }),
  fc.constant({ do: 'used' as const }),
  fc.constant({ do: 'trace' as const }),
)

function perform(live: Live, acts: readonly Act[]): void {
  live.begin()
  for (const one of acts) {
    if (one.do === 'step') live.step(one.step)
    else if (one.do === 'used') live.used({ input: 1, output: 2 })
    else if (one.do === 'trace') live.trace({ call: 'x' })
    else {
      const text = live.text()
      for (const piece of one.pieces) text.piece(piece)
      text.end()
    }
  }
}

/** As it comes back from a file. */
const plain = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T

describe('an interaction', () => {
  it('reads back as it was, event by event', () => {
    fc.assert(
      fc.property(fc.array(act), fc.boolean(), (acts, fails) => {
        const lines: Line[] = []
        const live = new Live(
          head('int_00000000'),
          (line) => lines.push(line),
          () => 0,
        )
        const heard: (Numbered | undefined)[] = []
        live.listen((event) => heard.push(event))
        perform(live, acts)
        live.finish(fails ? 'failed' : 'completed', fails ? { code: 'x', message: 'y' } : undefined)
        const folded = fold(plain(lines))!
        assert.deepEqual(folded.view, plain(live.view))
        assert.deepEqual(folded.events, plain(live.events))
        assert.deepEqual(heard.slice(0, -1), live.events)
        assert.equal(heard.at(-1), undefined)
        assert.deepEqual(
          live.events.map(({ event_id }) => event_id),
          live.events.map((_, at) => String(at + 1)),
        )
        // What comes after the end is not heard.
        live.step({ type: 'user_input', content: [] })
        live.finish('cancelled')
        assert.deepEqual(fold(plain(lines))!.view, folded.view)
      }),
    )
  })

  it('is failed, and nothing of it lost, wherever a crash cut its file off', () => {
    let count = 0
    fc.assert(
      fc.property(
        fc.array(act, { maxLength: 6 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.constantFrom('', '{"is":"ev', '\u0000\u0000'),
        (acts, cut, torn) => {
          count++
          const at = join(directory, String(count))
          const journals = new Journals(at)
          const id = `int_${String(count).padStart(8, '0')}`
          const live = new Live(
            head(id),
            (line) => journals.append(id, line),
            () => 0,
          )
          perform(live, acts)
          const file = join(at, `${id}.jsonl`)
          const whole = readFileSync(file)
          const first = whole.indexOf('\n') + 1
          const kept = first + Math.floor((whole.length - first) * cut)
          truncateSync(file, kept)
          appendFileSync(file, torn)
          assert.deepEqual(new Journals(at).open(), [id])
          const before = journals.read(id)!
          Live.resume(
            before,
            (line) => journals.append(id, line),
            () => 0,
          ).finish('failed', { code: 'aborted', message: 'm' })
          const after = journals.read(id)!
          assert.equal(after.view.status, 'failed')
          assert.deepEqual(after.view.steps, before.view.steps)
          assert.deepEqual(after.events.slice(0, before.events.length), before.events)
          assert.deepEqual(
            after.events.map(({ event_id }) => event_id),
            after.events.map((_, n) => String(n + 1)),
          )
          assert.deepEqual(new Journals(at).open(), [])
        },
      ),
      { numRuns: 60 },
    )
  })

  it('without its first line is none, and its file goes', () => {
    const at = join(directory, 'none')
    const journals = new Journals(at)
    appendFileSync(join(at, 'int_00000000.jsonl'), '{"is":"ma')
    assert.deepEqual(journals.open(), [])
    assert.equal(journals.read('int_00000000'), undefined)
    for (const id of ['../x', 'int_', 'int_../../x', '']) assert.equal(journals.read(id), undefined)
  })
})

describe('turns', () => {
  it('come one after another in order, whoever gives up meanwhile', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ key: fc.constantFrom('a', 'b'), leaves: fc.boolean() }), { maxLength: 12 }),
        async (all) => {
          const turns = new Turns()
          const begun: number[] = []
          const inside = { a: 0, b: 0 }
          await Promise.all(
            all.map(async ({ key, leaves }, n) => {
              const stop = new AbortController()
              if (leaves) setTimeout(() => stop.abort(new Error('left')), n % 3)
              let leave: () => void
              try {
                leave = await turns.enter(key, stop.signal)
              } catch (error) {
                assert.equal((error as Error).message, 'left')
                return
              }
              assert.equal(++inside[key as 'a'], 1)
              begun.push(n)
              await new Promise((done) => setTimeout(done, 1))
              inside[key as 'a']--
              leave()
            }),
          )
          // The last one out takes the queue along a moment later.
          await new Promise((done) => setImmediate(done))
          for (const key of ['a', 'b']) {
            const own = begun.filter((n) => all[n]!.key === key)
            assert.deepEqual(
              own,
              own.toSorted((one, other) => one - other),
            )
            for (const [n, { key: at, leaves }] of all.entries()) if (at === key && !leaves) assert.ok(own.includes(n))
            assert.equal(turns.isBusy(key), false)
          }
        },
      ),
      { numRuns: 40 },
    )
  })
})
