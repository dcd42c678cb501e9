/** Records of sessions as real hosts wrote them under a scripted model: two commands, one of which failed. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { HostId } from '../../core/call.ts'
import { unasked } from '../setup/asked.ts'
import { recordedCalls } from './records.ts'

/** The rows that OpenCode keeps in its database. */
const part = (id: string, at: number, state: object, tool = 'bash') =>
  JSON.stringify({
    ...{ id, session: 'ses_dd2218b63ffe98Bh5cljKBhst2', at, directory: '/home/ana/work/repo' },
    data: JSON.stringify({ type: 'tool', tool, callID: id, state }),
  })
const OPENCODE = [
  part('prt_1', 1796065899390, { status: 'completed', input: { command: 'echo marker-one' } }),
  part('prt_2', 1796065903898, { status: 'completed', input: { command: 'ls no-such-thing' } }),
  // It reaches the hook for all that is known, but was not seen to.
  part('prt_3', 1796065905755, { status: 'completed', input: { filePath: '/x' } }, 'read'),
  part('prt_4', 1796065905999, { status: 'running', input: { command: 'sleep 9' } }),
].join('\n')

interface Row {
  readonly host: HostId
  readonly text: string
  readonly session: string
  readonly tool: string
  /** The host itself calls the second one failed. */
  readonly failed: boolean
  readonly running?: number
}

const file = (name: string) => readFileSync(`cases/transcripts/${name}`, 'utf8')
const ROWS: readonly Row[] = [
  {
    host: 'gemini',
    text: file('gemini.jsonl'),
    session: '59d025a6-6e6d-448e-a46b-4af09e0d76c0',
    tool: 'run_shell_command',
    failed: false,
  },
  {
    host: 'qwen',
    text: file('qwen.jsonl'),
    session: '90da0b37-f573-452d-acd0-c92845f77d86',
    tool: 'run_shell_command',
    failed: true,
  },
  {
    host: 'copilot',
    text: file('copilot.jsonl'),
    session: '7fe3166a-e67b-4b3f-909b-eb2f67765193',
    tool: 'bash',
    failed: false,
  },
  {
    host: 'pi',
    text: file('pi.jsonl'),
    session: '01a22dcc-cb27-73d0-800b-6ff19224431a',
    tool: 'bash',
    failed: true,
  },
  {
    host: 'cline',
    text: file('cline.messages.json'),
    session: '1796064732559_i8p8v',
    tool: 'run_commands',
    failed: true,
  },
  {
    host: 'opencode',
    text: OPENCODE,
    session: 'ses_dd2218b63ffe98Bh5cljKBhst2',
    tool: 'bash',
    failed: false,
    running: 1,
  },
]

describe('records of sessions', () => {
  for (const { host, text, session, tool, failed, running = 0 } of ROWS)
    test(host, () => {
      const calls = recordedCalls(host, text)
      const ended = calls.filter(({ outcome }) => outcome !== 'unknown')
      assert.equal(calls.length - ended.length, running)
      assert.deepEqual(
        ended.map((call) => [call.host, call.session, call.tool, call.outcome]),
        [
          [host, session, tool, 'ok'],
          [host, session, tool, failed ? 'failed' : 'ok'],
        ],
      )
      assert.match(JSON.stringify(ended[0]!.input), /echo marker-one/)
      // Not asked about at all, about the first alone, and about each.
      const times = ended.map(({ at }) => at! + 50)
      assert.equal(unasked(calls, [], 0).length, 2)
      assert.deepEqual(
        unasked(calls, [times[0]!], 0).map(({ id }) => id),
        [ended[1]!.id],
      )
      assert.equal(unasked(calls, times, 0).length, 0)
    })

  test('a call of a sub-agent of Copilot is of the session that its hooks name', () => {
    const calls = recordedCalls('copilot', file('copilot-agents.jsonl'))
    assert.deepEqual(
      calls.map(({ session, tool }) => [session, tool]),
      [['3cf740d2-5e86-4bb6-8ce7-6efa8b3a9386', 'bash']],
    )
  })

  test('whatever stands there, nothing is thrown', () => {
    const hosts = fc.constantFrom(...ROWS.map(({ host }) => host))
    fc.assert(
      fc.property(hosts, fc.array(fc.json(), { maxLength: 6 }), (host, rows) => {
        recordedCalls(host, rows.join('\n'))
      }),
    )
    for (const { host, text } of ROWS)
      for (let at = 0; at < text.length; at += 97) recordedCalls(host, text.slice(0, at))
  })
})
