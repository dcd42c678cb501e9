import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { PastCall } from '../replay/transcript.ts'
import { unasked } from './asked.ts'

const call = (at: number | undefined, tool = 'Bash', outcome: PastCall['outcome'] = 'ok'): PastCall => ({
  host: 'claude',
  id: `${at}`,
  session: 's',
  cwd: '/',
  at,
  tool,
  input: {},
  outcome,
})

/** Calls and events in seconds; how many calls no gate was asked about. */
const rows: readonly [what: string, calls: readonly PastCall[], times: readonly number[], missed: number][] = [
  ['no call', [], [], 0],
  ['each asked', [call(100_000), call(200_000)], [100_100, 200_100], 0],
  ['none asked', [call(100_000), call(200_000)], [], 2],
  ['the gate died', [call(100_000), call(200_000)], [100_100], 1],
  ['the gate came late', [call(100_000), call(200_000)], [200_100], 1],
  ['the host wrote its line after it asked', [call(100_000)], [98_000], 0],
  ['an event long before is of another call', [call(100_000)], [60_000], 1],
  ['asked after a long question to the person', [call(100_000)], [400_000], 0],
  ['side by side, asked one after the other', [call(100_000), call(100_001)], [100_100, 130_000], 0],
  ['no result yet', [call(100_000, 'Bash', 'unknown')], [], 0],
  ['a tool without hooks', [call(100_000, 'write_stdin')], [], 0],
  ['a failed call has run', [call(100_000, 'Bash', 'failed')], [], 1],
  ['before the gate was there', [call(500)], [], 0],
  ['no time', [call(undefined)], [], 0],
]

describe('calls that no gate was asked about', () => {
  for (const [what, calls, times, missed] of rows)
    test(what, () => assert.equal(unasked(calls, times, 1_000, ['write_stdin']).length, missed))

  test('never more than the calls that the events cannot cover, whatever the order', () => {
    const times = fc.array(fc.integer({ min: 2_000, max: 1_000_000 }), { maxLength: 30 })
    fc.assert(
      fc.property(times, times, (calls, events) => {
        const missed = unasked(
          calls.map((at) => call(at)),
          events,
          0,
        ).length
        assert.ok(missed >= calls.length - events.length && missed <= calls.length)
        assert.equal(
          unasked(
            [...calls].reverse().map((at) => call(at)),
            [...events].reverse(),
            0,
          ).length,
          missed,
        )
      }),
    )
  })
})
