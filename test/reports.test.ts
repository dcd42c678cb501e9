/**
 * Replays every row of `cases/reports.jsonl`. What misses today, and what no part replays yet, is written down in
 * `cases/reports.ratchet.json`: a new miss fails, and so does a listed row that has come right and was not taken off.
 * `npm run ratchet` writes the list anew.
 */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { type ReportLine, replay } from '../src/cli/check/reports.ts'
import { bytesOf } from '../src/cli/check/reports-containment.ts'
import { type ReportRow, readReports } from '../src/cli/check/reports-read.ts'
import { hasWord } from '../src/cli/check/reports-words.ts'
import { runProgram } from '../src/cli/program.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { rowsOf } from './hook-support.ts'
import { need } from './need.ts'

const FILE = 'cases/reports.jsonl'
const ratchet = JSON.parse(readFileSync('cases/reports.ratchet.json', 'utf8')) as Readonly<
  Record<'missed' | 'notRun', Readonly<Record<string, string>>>
>
const rows = readReports(FILE)
const rowOf = (id: string): ReportRow => rows.find((row) => row.id === id)!

describe('the cases from public reports', () => {
  const lines: ReportLine[] = []
  before(async () => {
    for (const row of rows) lines.push(await replay(row, 'cases/worlds'))
  })

  test('every row has its line', () => {
    assert.ok(rows.length > 40)
    assert.deepEqual(
      lines.map(({ id }) => id),
      rows.map(({ id }) => id),
    )
  })

  test('every miss is written down, and what is written down is one', () => {
    const missed = lines.filter(({ ok }) => ok === false)
    assert.deepEqual(
      missed.filter(({ id }) => !Object.hasOwn(ratchet.missed, id)).map(({ id, why_not }) => `${id}: ${why_not}`),
      [],
    )
    assert.deepEqual(
      Object.keys(ratchet.missed).filter((id) => !missed.some((line) => line.id === id)),
      [],
    )
  })

  test('what is not run is written down', (t) => {
    // Rows of the kind `sandbox` are not run without it.
    if (!need(t, 'bwrap')) return
    assert.deepEqual(
      lines.filter(({ ok }) => ok === null).map(({ id }) => id),
      Object.keys(ratchet.notRun),
    )
  })
})

/** Calls that stand in the table of every host, and what the guard says of them. */
const EVERYWHERE: readonly (readonly [string, 'deny' | 'pass'])[] = [
  ['end to end: the home directory is not deleted', 'deny'],
  ['end to end: a disk is not overwritten', 'deny'],
  ['end to end: git status passes', 'pass'],
  ['end to end: a message that names a danger passes', 'pass'],
]

for (const { id, title } of HOSTS)
  test(`a report may be of ${title}, and its answer has the form of that host`, async () => {
    for (const [name, verdict] of EVERYWHERE) {
      const call = rowsOf(id).find((row) => row.name === name)!
      const { host_version: _, ...base } = rowOf('h06') as Extract<ReportRow, { kind: 'host' }>
      const line = await replay({ ...base, host: id, payload: call.payload, expect: { verdict } }, 'cases/worlds')
      assert.equal(line.ok, true, `${name}: ${line.why_not}`)
    }
  })

/** Rows made wrong: the replay must see it. */
const WRONG: readonly (readonly [string, string, object, RegExp])[] = [
  ['another verdict', 'g28', { expect: { verdict: 'deny' } }, /pass in place of deny/],
  ['a word that no reason has', 'g20', { expect: { verdict: 'deny', reason_has: ['zebra'] } }, /lacks "zebra"/],
  ['a secret that is said', 'g20', { expect: { verdict: 'deny', reason_lacks: ['settings.json'] } }, /holds a secret/],
  ['an answer of another form', 'h06', { expect: { answer: { decision: '' } } }, /the answer is/],
  ['a payload that is none', 'g28', { payload: { cwd: '/' } }, /not read as a call/],
  ['a world that is not there', 'g28', { world: 'nowhere' }, /nowhere\.json/],
  ['another status', 'c08', { expect: { status: 'failed' } }, /the status is ok/],
  ['an exit that is not shown', 'c08', { expect: { exit_shown: 0 } }, /exit 0 is not shown/],
  ['words that are not there', 'c08', { expect: { must_keep: ['zebra'] } }, /"zebra" is not shown/],
  ['words that are there', 'c08', { expect: { must_not_contain: ['README.md'] } }, /"README.md" is shown/],
  ['a digest is not the output', 'c17', { expect: { identical: true } }, /not the output/],
  ['a count that is not there', 'c07', { expect: { repeat_shown: { text: 'app: tick', count: 150 } } }, /with 150/],
  ['no address', 'c08', { expect: { addresses_resolve: true } }, /no address/],
  ['masks', 'c08', { expect: { masked: 1 } }, /0 values are masked/],
  ['a net that is smaller', 'c10', { expect: { ledger: { net_min: 0 } } }, /less than 0/],
  ['a decision of the runtime', 'h04', { expect: { decision_in_runtime: 'deny' } }, /allow in place of deny/],
  ['words that no finding has', 'h05', { expect: { lint_has: ['zebra'] } }, /the findings lack "zebra"/],
  ['another status of a request', 'h11', { expect: { status: 200 } }, /status is 403 in place of 200/],
  ['a request that did not arrive', 'h11', { expect: { upstream_saw: true } }, /upstream_saw is false/],
  ['a request that arrived', 'h16a', { expect: { upstream_saw: false } }, /upstream_saw is true/],
  ['another output of a tool', 'h12', { expect: { output_has: ['zebra'] } }, /the output lacks "zebra"/],
  ['words that an output has', 'h12', { expect: { output_lacks: ['200'] } }, /the output holds "200"/],
  ['a request out of a sandbox', 'h12', { expect: { upstream_saw: false } }, /a request reached an upstream/],
  ['a request that no rule lets out', 'h12', { allow: [] }, /no request reached an upstream/],
  ['words that no refusal has', 'h11', { expect: { body_has: ['zebra'] } }, /the body lacks "zebra"/],
  ['a secret of a refusal', 'h11', { expect: { body_lacks: ['other.example.net'] } }, /a secret stands in/],
  [
    'another header upstream',
    'h16a',
    { expect: { upstream_headers: { authorization: 'Bearer x' } } },
    /the upstream got 1 headers authorization, or another value/,
  ],
  ['growth', 'h16a', { expect: { growth_max: -1 } }, /memory grew by/],
  ['another size upstream', 'h16a', { expect: { upstream_body_bytes: 1 } }, /upstream_body_bytes is 0/],
  ['a net that is larger', 'c08', { expect: { ledger: { net_max: -1 } } }, /more than -1/],
]

for (const [what, id, change, words] of WRONG) {
  test(`the replay sees ${what}`, async () => {
    const line = await replay({ ...rowOf(id), ...change } as ReportRow, 'cases/worlds')
    assert.match(line.why_not ?? '', words)
  })
}

/** Configurations with what their handlers gave. */
const LINTED: readonly (readonly [string, object, object])[] = [
  [
    'handlers by the order of the file',
    { results: [{ stdout: '{"decision":"allow"}' }, { stdout: '{"decision":"deny"}' }] },
    { decision_in_runtime: 'deny' },
  ],
  ['a failure', { results: [{ exit: 2 }, {}] }, { decision_in_runtime: 'allow', lint_has: ['exit 2'] }],
  ['a timeout', { results: [{ timed_out: true }] }, { decision_in_runtime: 'allow', lint_has: ['timeout'] }],
  ['a failure that denies', { results: [{ exit: 1 }], fail_closed: ['b'] }, { decision_in_runtime: 'deny' }],
  ['a failure of another group', { results: [{ exit: 1 }], fail_closed: ['a'] }, { decision_in_runtime: 'allow' }],
  [
    'a script',
    { files: { '/.agents/gate.py': 'import sys\nsys.exit(2)\n' } },
    { decision_in_runtime: 'allow', lint_has: ['gate.py', 'exit 2'] },
  ],
  ['a script that is not there', {}, { lint_has: ['/.agents/gate.py is not there'] }],
]

test('a hooks.json is read, and what its handlers gave decides', async () => {
  const hooks_json = `{
  "b": { "pre_tool_execution": [{ "matcher": "view_file", "hooks": [{ "type": "command", "command": "python3 /.agents/gate.py" }] }] },
  "a": { "pre_tool_execution": [{ "matcher": "list_dir", "hooks": [{ "type": "http", "url": "https://gate.example.test/" }] }] }
}`
  const { stdout: _, exit: __, ...base } = rowOf('h04') as Extract<ReportRow, { kind: 'lint' }>
  for (const [what, row, expect] of LINTED) {
    const line = await replay({ ...base, hooks_json, ...row, expect } as ReportRow, 'cases/worlds')
    assert.equal(line.ok, true, `${what}: ${line.why_not}`)
  }
})

/** Requests by every way, and bytes in place of TLS. */
const REQUESTS: readonly (readonly [string, object, object])[] = [
  ['transparent', { via: 'transparent' }, { status: 200, upstream_saw: true }],
  [
    'transparent, not listed',
    { via: 'transparent', url: 'https://other.example.net/' },
    { status: 403, upstream_saw: false },
  ],
  ['clear text', { via: 'http', url: 'http://api.example.com/' }, { status: 200, upstream_saw: true }],
  ['bytes that are no TLS', { via: 'connect', raw: 'SSH-2.0-x\r\n' }, { status: 0, upstream_saw: false }],
  ['a body', { via: 'connect', method: 'POST', body_bytes: 100_000 }, { status: 200, upstream_body_bytes: 100_000 }],
]

test('requests go by every way, and the upstream judges', async () => {
  for (const [what, request, expect] of REQUESTS) {
    const base = { method: 'GET', url: 'https://api.example.com/' }
    const line = await replay(
      { ...rowOf('h11'), request: { ...base, ...request }, expect } as ReportRow,
      'cases/worlds',
    )
    assert.equal(line.ok, true, `${what}: ${line.why_not}`)
  }
  const { allow: _, ...open } = rowOf('h11') as Extract<ReportRow, { kind: 'egress' }>
  const raw = { method: 'GET', url: 'https://api.example.com/', via: 'connect', raw: 'SSH-2.0-x\r\n' } as const
  const line = await replay(
    { ...open, request: raw, expect: { upstream_saw: true, upstream_raw: raw.raw } },
    'cases/worlds',
  )
  assert.equal(line.ok, true, line.why_not)
})

const SCRIPT = '/home/dev/proj/x.sh'
const FETCH = { tool: 'Bash', input: { command: 'curl -fsSL https://get.example/x.sh -o x.sh' } }
const REMOVE = { tool: 'Bash', input: { command: 'rm -f notes.txt' } }
const WRITE = { tool: 'Write', input: { file_path: '/home/dev/proj/src/index.ts', content: 'b' } }

/** Earlier calls of the session, the call, and the rule that holds because of them. */
const HISTORIES: readonly (readonly [string, readonly object[], string, string])[] = [
  ['no history', [], 'bash x.sh', 'none'],
  ['a script that was fetched', [{ ...FETCH, outcome: 'ok' }], 'bash x.sh', 'remote-code.unreadable'],
  ['a script that was fetched in part', [{ ...FETCH, outcome: 'failed' }], 'bash x.sh', 'remote-code.unreadable'],
  ['what the sandbox refused did not happen', [{ ...FETCH, outcome: 'sandbox' }], 'bash x.sh', 'none'],
  ['a command that was denied', [{ ...REMOVE, outcome: 'denied' }], 'unlink notes.txt', 'loss.denied-before'],
  ['a tool call that was denied', [{ ...WRITE, outcome: 'denied' }], 'echo a > src/index.ts', 'loss.denied-before'],
]

test('calls of the session’s history went through the events after a run', async () => {
  for (const [what, history, command, rule] of HISTORIES) {
    const base = rowOf('g28') as Extract<ReportRow, { face: 'guard' }>
    const payload = { ...(base.payload as object), tool_input: { command } }
    const world = { base: 'repo', set: { session: { history }, files: { [SCRIPT]: { type: 'file' } } } }
    const { got } = await replay({ ...base, payload, world }, 'cases/worlds')
    assert.equal((got as { rule?: string }).rule, rule, what)
  }
})

/** Hosts whose payloads have a form of their own: the shell's name, and the key of its line. */
const SHELLS: readonly (readonly [string, string, string])[] = [
  ['grok', 'run_terminal_command', 'command'],
  ['copilot', 'bash', 'command'],
  ['windsurf', 'run_command', 'command_line'],
  ['amp', 'shell_command', 'command'],
  ['pi', 'bash', 'command'],
  ['kimi', 'Bash', 'command'],
]

test('calls of the history have the form of the host', async () => {
  for (const [host, tool, key] of SHELLS) {
    const found = rowsOf(host).find(({ name }) => name === 'end to end: git status passes')!
    const payload = JSON.parse(
      JSON.stringify(found.payload).replace('git status', 'bash x.sh').replaceAll('/home/ana/shop', '/home/dev/proj'),
    )
    const { host_version: _, ...base } = rowOf('h06') as Extract<ReportRow, { kind: 'host' }>
    for (const [command, rule] of [
      [FETCH.input.command, 'remote-code.unreadable'],
      ['ls', 'none'],
    ] as const) {
      const history = [{ tool, input: { [key]: command }, outcome: 'ok' }]
      const world = { base: 'repo', set: { session: { history }, files: { [SCRIPT]: { type: 'file' } } } }
      const { got } = await replay({ ...base, host, payload, world, expect: {} }, 'cases/worlds')
      assert.equal((got as { rule?: string }).rule, rule, `${host} after ${command}`)
    }
  }
})

test('without sealing the store holds what is masked in what is shown', async () => {
  const sealed = await replay(rowOf('c14'), 'cases/worlds')
  assert.equal(sealed.ok, true, sealed.why_not)
  const open = await replay({ ...rowOf('c14'), store: { seal: false } } as ReportRow, 'cases/worlds')
  assert.equal(open.ok, true, 'what is shown is masked all the same')
})

test('bytes of an output: lines, repetitions, sequences, and none', () => {
  const of = (output: Parameters<typeof bytesOf>[0]) => bytesOf(output).toString()
  assert.equal(of([]), '')
  assert.equal(of([{ text: '' }, { text: 'a', repeat: 2 }, { text: 'b', repeat: 0 }]), '\na\na\n')
  assert.equal(of([{ text: 'n{n}={n}', sequence: [9, 11] }]), 'n9=9\nn10=10\nn11=11\n')
})

const WORDS: readonly (readonly [string, string, boolean])[] = [
  ['12 commits', '12', true],
  ['112 commits', '12', false],
  ['v1.12', '12', true],
  ['120 commits and 12 files', '12', true],
  ['deletes /home/dev (recursive)', '/home/dev', true],
  ['deletes /home/dev/ (recursive)', '/home/dev', true],
  ['deletes /home/dev.', '/home/dev', true],
  ['deletes /home/dev/proj', '/home/dev', false],
  ['deletes /home/developer', '/home/dev', false],
  ['deletes /home/dev.bak', '/home/dev', false],
  ['/home/dev/proj and /home/dev', '/home/dev', true],
  ['writes c:\\users\\dev\\x', 'C:\\Users\\dev', false],
  ['writes c:\\users\\dev', 'C:\\Users\\dev', true],
  ['runs git commit --no-verify', '--no-verify', true],
  ['reads .env.local', '.env', true],
]

test('words of a reason: numbers stand alone, an absolute path goes no further', () => {
  for (const [text, word, has] of WORDS) assert.equal(hasWord(text, word), has, `${word} in ${text}`)
})

async function check(lines: readonly unknown[], ...argv: string[]) {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-reports-'))
  try {
    const file = join(dir, 'rows.jsonl')
    writeFileSync(file, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'))
    let [out, err] = ['', '']
    const io = {
      out: (text: string) => {
        out += text
      },
      err: (text: string) => {
        err += text
      },
      ...{ cwd: process.cwd(), env: process.env, colour: false },
    }
    const code = await runProgram('sallyport', ['check', '--reports', file, '--worlds', 'cases/worlds', ...argv], io)
    return { code, out, err }
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

test('exit codes: 0 where all holds, 1 for a miss', async () => {
  const good = await check([rowOf('g28'), rowOf('g16')])
  assert.equal(good.code, 0, good.err)
  const [first, second] = good.out.split('\n').map((line) => (line.startsWith('{') ? JSON.parse(line) : line))
  assert.deepEqual([first.id, first.ok, second.id, second.ok], ['g28', true, 'g16', true])
  assert.match(good.out, /^guard +2 +2 +0 +0$/m)
  const bad = await check([{ ...rowOf('g28'), expect: { verdict: 'deny' } }], '--json')
  assert.equal(bad.code, 1)
  assert.equal(bad.out.trim().split('\n').length, 1)
})

test('rows are chosen by face, kind and host', async () => {
  const all = ['g28', 'c08', 'h06', 'h11', 'g04'].map(rowOf)
  const ids = async (...argv: string[]) =>
    (await check(all, '--json', ...argv)).out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line).id)
  assert.deepEqual(await ids('--face', 'guard,containment'), ['g28', 'c08', 'g04'])
  assert.deepEqual(await ids('--kind', 'host'), ['h06'])
  assert.deepEqual(await ids('--host', 'claude'), ['g28'])
})

const BAD: readonly (readonly [string, unknown, RegExp])[] = [
  ['an unknown key', { ...rowOf('g28'), extra: 1 }, /line 1: \.extra is no key/],
  [
    'an unknown key of expect',
    { ...rowOf('g28'), expect: { verdict: 'pass', tokens: 1 } },
    /\.expect\.tokens is no key/,
  ],
  ['a missing key', { ...rowOf('c08'), command: undefined }, /\.command is missing/],
  ['an unknown face', { ...rowOf('g28'), face: 'x' }, /\.face must be one of/],
  ['an unknown kind', { ...rowOf('h11'), kind: 'x' }, /\.kind must be one of/],
  ['a verdict that is none', { ...rowOf('g28'), expect: { verdict: 'block' } }, /\.expect\.verdict must be one of/],
  ['an output that is none', { ...rowOf('c08'), output: [{ text: 1 }] }, /\.output\[0\]\.text must be a string/],
  ['an egress row with another key', { ...rowOf('h11'), command: 'x' }, /\.command is no key/],
  ['a result with another key', { ...rowOf('h04'), results: [{ code: 1 }] }, /\.results\[0\]\.code is no key/],
  ['a file that is none', { ...rowOf('h04'), files: { a: 1 } }, /\.files\.a must be a string/],
  ['no JSON', '{', /line 1 is no JSON/],
  ['no object', '[]', /line 1 is no object/],
]

test('a row that does not fit is an error that names the line and the key', async () => {
  for (const [what, row, words] of BAD) {
    const { code, out, err } = await check([row])
    assert.equal(code, 2, what)
    assert.equal(out, '', what)
    assert.match(err, words, what)
    assert.equal(err.trim().split('\n').length, 1, what)
  }
  assert.match((await check([rowOf('g28'), rowOf('g28')])).err, /line 2: the id "g28" stands in line 1, too/)
  assert.match(
    (await check([rowOf('g28')], '--face', 'gard')).err,
    /--face "gard" is none of guard, containment, hooks/,
  )
})

test('the events that ask for permission have a form of their own', async () => {
  const base = rowOf('g20') as Extract<ReportRow, { face: 'guard' }>
  const payload = { ...(base.payload as object), hook_event_name: 'PermissionRequest' }
  const line = await replay({ ...base, payload }, 'cases/worlds')
  assert.equal(line.ok, true, line.why_not)
})
