/** Transcripts that the real hosts wrote, replayed in a home laid out like theirs. */
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { gatheredIo } from '../io.testing.ts'
import { EXIT } from '../io.ts'
import { replayVerb, report } from './replay.ts'
import { readTranscript } from './transcript.ts'

let home = ''
before(async () => {
  home = mkdtempSync(join(tmpdir(), 'replay-'))
  const repo = join(home, 'work/repo')
  mkdirSync(repo, { recursive: true })
  mkdirSync(join(home, 'precious'))
  writeFileSync(join(home, 'precious/letter.txt'), 'the only copy\n')
  writeFileSync(join(repo, 'draft.txt'), 'first\n')
  await setTimeout(50)
  const start = new Date().toISOString()
  await setTimeout(50)
  // The sessions made these.
  writeFileSync(join(repo, 'note.txt'), 'noted\n')
  writeFileSync(join(repo, 'marker'), '')
  for (const host of ['claude', 'codex']) {
    const text = readFileSync(`cases/transcripts/${host}.jsonl`, 'utf8')
      .replaceAll('/home/dev', home)
      .replaceAll(/"timestamp": ?"[^"]*"/g, `"timestamp":"${start}"`)
    writeFileSync(join(home, `${host}.jsonl`), text)
  }
})
after(() => rmSync(home, { recursive: true, force: true }))

function run(paths: readonly string[], flags: object = {}): { code: number; out: string; err: string } {
  const io = gatheredIo(home, { HOME: home, PATH: process.env['PATH'] })
  const code = replayVerb(flags, paths, io)
  return { code, out: io.text, err: io.errors }
}

const verdicts = (paths: readonly string[], flags: object = {}) =>
  run(paths, { json: true, ...flags })
    .out.trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; verdict: string; rule: string; outcome: string })

describe('calls are read as the hosts wrote them', () => {
  test('Claude Code', () => {
    const calls = readTranscript(readFileSync('cases/transcripts/claude.jsonl', 'utf8'))!.calls
    assert.deepEqual(
      calls.map(({ id, tool, outcome }) => [id, tool, outcome]),
      [
        ['toolu_note', 'Write', 'ok'],
        ['toolu_remove', 'Bash', 'failed'],
        ['toolu_touch', 'Bash', 'ok'],
      ],
    )
  })

  test('Codex', () => {
    const calls = readTranscript(readFileSync('cases/transcripts/codex.jsonl', 'utf8'))!.calls
    assert.deepEqual(
      calls.map(({ tool, input, outcome }) => [tool, input, outcome]),
      [
        ['Bash', { command: 'rm -rf ~/precious' }, 'failed'],
        ['Bash', { command: 'touch marker' }, 'ok'],
      ],
    )
  })

  const item = (payload: object) =>
    `{"type":"session_meta","payload":{"id":"s","cwd":"/w"}}\n${JSON.stringify({ type: 'response_item', payload })}`
  const forms: [string, object, string, unknown, string?][] = [
    [
      'a shell with words',
      {
        type: 'function_call',
        name: 'shell',
        call_id: 'c',
        arguments: '{"command":["bash","-lc","ls | head"],"workdir":"/w/x"}',
      },
      'Bash',
      { command: 'ls | head' },
      '/w/x',
    ],
    [
      'a command in words',
      { type: 'function_call', name: 'shell', call_id: 'c', arguments: '{"command":["rm","a b"]}' },
      'Bash',
      { command: "rm 'a b'" },
    ],
    [
      'the local shell',
      { type: 'local_shell_call', call_id: 'c', action: { type: 'exec', command: ['sh', '-c', 'id'] } },
      'Bash',
      { command: 'id' },
    ],
    [
      'a patch',
      { type: 'custom_tool_call', name: 'apply_patch', call_id: 'c', input: '*** Begin Patch' },
      'apply_patch',
      { command: '*** Begin Patch' },
    ],
    [
      'another tool',
      { type: 'function_call', name: 'lab__look', call_id: 'c', arguments: '{"at":1}' },
      'lab__look',
      { at: 1 },
    ],
    [
      'arguments that are no JSON',
      { type: 'function_call', name: 'lab__look', call_id: 'c', arguments: '{' },
      'lab__look',
      {},
    ],
  ]
  for (const [name, payload, tool, input, cwd = '/w'] of forms)
    test(name, () => {
      const [call] = readTranscript(item(payload))!.calls
      assert.deepEqual([call?.tool, call?.input, call?.cwd], [tool, input, cwd])
    })

  test('what is no transcript', () => {
    assert.equal(readTranscript('hello\n{"a":1}\n'), undefined)
    assert.equal(readTranscript(''), undefined)
  })
})

test('the loss is stopped, and what the sessions made themselves is not', () => {
  // A home below the directory of temporary files: what lies there is asked about, and Codex cannot ask.
  assert.deepEqual(
    verdicts(['claude.jsonl']).map(({ id, verdict }) => [id, verdict]),
    [
      ['toolu_note', 'pass'],
      ['toolu_remove', 'ask'],
      ['toolu_touch', 'pass'],
    ],
  )
  assert.deepEqual(
    verdicts(['codex.jsonl']).map(({ id, verdict, outcome }) => [id, verdict, outcome]),
    [
      ['call_remove', 'deny', 'failed'],
      ['call_touch', 'pass', 'ok'],
    ],
  )
})

test('a directory that is newer than the session was there all the same, and that is said', () => {
  const old = join(home, 'old')
  mkdirSync(old)
  const text = readFileSync(join(home, 'claude.jsonl'), 'utf8')
  writeFileSync(join(old, 'old.jsonl'), text.replaceAll(/"timestamp": ?"[^"]*"/g, '"timestamp":"2020-01-01T00:00:00Z"'))
  const { err, out } = run(['old/old.jsonl'], { json: true })
  assert.match(err, /work\/repo is newer than the session/)
  const rows = out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; verdict: string })
  assert.equal(rows.find(({ id }) => id === 'toolu_remove')?.verdict, 'ask')
  rmSync(old, { recursive: true })
})

test('a directory is searched for transcripts, and the totals are of all', () => {
  const { code, out } = run(['.'])
  assert.equal(code, EXIT.ok)
  assert.match(
    out,
    /^5 calls of 2 sessions\n {2}pass {7}3 \(60\.0 %\)\n {2}ask {8}1 \(20\.0 %\)\n {2}deny {7}1 \(20\.0 %\)\n {7}1 {2}ask loss\./,
  )
})

test('what would have been held up although it ran is told, most often first, ten at most', () => {
  const one = (n: number, decision: 'ask' | 'deny' | 'pass', outcome: 'ok' | 'failed') => ({
    call: { host: 'claude', id: '', session: '', cwd: '', at: 0, tool: 'Bash', input: {}, outcome } as const,
    decision,
    rule: `loss.kind${n}`,
    reason: 'because',
    shown: `command${n} x`,
  })
  const many = Array.from({ length: 12 }, (_, n) => Array.from({ length: n + 1 }, () => one(n, 'ask', 'ok'))).flat()
  const out = report([...many, one(99, 'deny', 'failed'), one(98, 'pass', 'ok')], 1)
  const shown = out.slice(out.indexOf('stopped most often')).match(/^ {2}(\d+)×/gm)
  assert.equal(shown?.length, 10)
  assert.equal(shown?.[0], '  12×')
  assert.ok(!out.includes('command99') && !out.includes('command98'))
})

test('files that are none: one sentence each, the others are read all the same', () => {
  writeFileSync(join(home, 'other.txt'), 'no transcript\n')
  const { code, out, err } = run(['absent.jsonl', 'other.txt', 'codex.jsonl'])
  assert.equal(code, EXIT.problem)
  assert.match(err, /absent\.jsonl is not there\n.*other\.txt is no transcript of Claude Code or Codex\n$/)
  assert.match(out, /^2 calls of 1 session\n/)
  assert.equal(run([]).code, EXIT.usage)
})
