import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { canonicalName } from '../src/adlc/adlc.ts'
import { gatheredIo } from '../src/cli/io.testing.ts'
import { runProgram } from '../src/cli/program.ts'
import { diskWorld } from '../src/world/disk.ts'
import { depsOf, respondTo } from './hook-support.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'ticket-')))
after(() => rmSync(scratch, { recursive: true, force: true }))
const home = join(scratch, 'home')
const repo = join(scratch, 'repo')
const bare = join(scratch, 'bare')
const broken = join(scratch, 'broken')

function put(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}
for (const root of [repo, bare, broken]) mkdirSync(join(root, '.git'), { recursive: true })
mkdirSync(home)
const MANIFEST = '{"format":"adlc-ticket-directory","version":1}'
for (const root of [repo, broken]) put(join(root, '.adlc/tickets/.store.json'), MANIFEST)
put(join(repo, '.adlc/tickets', canonicalName('T1')), '{"id":"T1","title":"t","scope":["lib/**"]}')
put(join(broken, '.adlc/tickets/notes.txt'), '')

const NONE = `is not in the store of ${repo}, so no scope is checked`
const WORKER = `is not in the store of ${repo}, so a worker that has it may write nothing there`
/** The sentence, or undefined where nothing is said. */
const rows: readonly (readonly [
  what: string,
  env: Readonly<Record<string, string>>,
  flags: readonly string[],
  where: string,
  said: string | undefined,
])[] = [
  ['no ticket', {}, [], repo, undefined],
  ['one that is there', { ADLC_TICKET: 'T1' }, [], repo, undefined],
  ['an empty variable', { ADLC_TICKET: '' }, [], repo, undefined],
  ['one that is not there', { ADLC_TICKET: 'T9' }, [], repo, `the ticket T9 (from ADLC_TICKET) ${NONE}`],
  [
    'one with an odd id',
    { ADLC_TICKET: 'T9\n\u001b' },
    [],
    repo,
    `the ticket "T9\\n\\u001b" (from ADLC_TICKET) ${NONE}`,
  ],
  ['a worker’s variable', { AGB_WORKER_TICKET: 'T9' }, [], repo, `the ticket T9 (from AGB_WORKER_TICKET) ${WORKER}`],
  ['a worker', {}, ['--mode', 'worker', '--ticket', 'T9'], repo, `the ticket T9 (from --ticket) ${WORKER}`],
  [
    'a worker of that variable',
    { AGB_WORKER_TICKET: 'T9' },
    ['--mode', 'worker'],
    repo,
    `the ticket T9 (from AGB_WORKER_TICKET) ${WORKER}`,
  ],
  ['a worker, over a variable', { ADLC_TICKET: 'T9' }, ['--mode', 'worker', '--ticket', 'T1'], repo, undefined],
  ['a variable where no store is', { ADLC_TICKET: 'T9' }, [], bare, undefined],
  [
    'a worker where no store is',
    {},
    ['--mode', 'worker', '--ticket', 'T9'],
    bare,
    'there is no store that the ticket T9 (from --ticket) could be in, so no scope is checked',
  ],
  ['a store that cannot be read', { ADLC_TICKET: 'T9' }, [], broken, undefined],
]

describe('a ticket that no store has', () => {
  for (const [what, env, flags, where, said] of rows)
    for (const verb of ['check', 'explain'])
      test(`${verb} tells of it: ${what}`, async () => {
        const io = gatheredIo(where, { HOME: home, PATH: process.env['PATH'], ...env })
        const code = await runProgram('sallyport', [verb, ...flags, '--', 'true'], io)
        assert.equal(io.errors, said === undefined ? '' : `sallyport ${verb}: ${said}\n`)
        assert.ok([0, 10, 11].includes(code), `${code}`)
      })

  test('a pointer file to it is no more than a hint', async () => {
    const pointer = join(repo, '.adlc/current-ticket.json')
    put(pointer, '{"id":"T9"}')
    const io = gatheredIo(repo, { HOME: home })
    await runProgram('sallyport', ['check', '--', 'true'], io)
    rmSync(pointer)
    assert.deepEqual([io.errors, io.text], ['', 'pass\n'])
  })

  test('a flag for a ticket that would count for nothing is bad usage', async () => {
    for (const flags of [[], ['--mode', 'headless']]) {
      const io = gatheredIo(repo, { HOME: home })
      assert.equal(await runProgram('sallyport', ['check', ...flags, '--ticket', 'T1', '--', 'true'], io), 2)
      assert.match(io.errors, /^sallyport check: --ticket ID goes with --mode worker[^\n]*\n$/)
    }
  })

  test('sallyport adlc status tells of it', async () => {
    for (const [id, told] of [
      ['T9', true],
      ['T1', false],
    ] as const) {
      const io = gatheredIo(repo, { HOME: home, ADLC_TICKET: id })
      assert.equal(await runProgram('sallyport', ['adlc', 'status'], io), 0)
      assert.equal(io.text.includes(`the ticket ${id} (from ADLC_TICKET) ${NONE}.`), told, io.text)
    }
  })

  /** What the hook of a host says to a session that begins. */
  function begun(host: string, event: string, payload: object, env: Readonly<Record<string, string>>): string {
    const world = diskWorld({ env: { HOME: home, ...env }, cwd: repo })
    const deps = depsOf(() => assert.fail('nothing is judged'), {
      ...{ world, cwd: repo, budget: { ms: 60_000, questions: 100_000, start: world.now() } },
      person: { home, user: 'u', platform: 'linux' },
    })
    const row = {
      name: event,
      event,
      payload: { session_id: 's', transcript_path: '/t', hook_event_name: event, ...payload },
    }
    return respondTo(host, row, deps).stdout
  }

  test('a session is told of it once, at its start, where its host passes that on', () => {
    const note = `Sallyport: the ticket T9 (from ADLC_TICKET) ${NONE}.`
    const start = { cwd: repo, source: 'startup' }
    for (const host of ['claude', 'codex', 'droid'])
      assert.ok(begun(host, 'SessionStart', start, { ADLC_TICKET: 'T9' }).includes(note), host)
    const first = { conversationId: 'c', workspacePaths: [repo], invocationNum: 0 }
    assert.ok(begun('antigravity', 'PreInvocation', first, { ADLC_TICKET: 'T9' }).includes(note))
    assert.ok(!begun('claude', 'SessionStart', start, { ADLC_TICKET: 'T1' }).includes('ticket'))
    assert.ok(
      !begun('claude', 'SessionStart', { ...start, source: 'resume' }, { ADLC_TICKET: 'T9' }).includes('ticket'),
    )
    put(join(home, '.config/sallyport/policy.jsonc'), '{"profile":"observe"}')
    assert.ok(!begun('claude', 'SessionStart', start, { ADLC_TICKET: 'T9' }).includes('ticket'))
    rmSync(join(home, '.config'), { recursive: true })
  })
})

test('where the store is no JSON the place is said, and that the store is to be mended', async () => {
  const torn = join(scratch, 'torn')
  mkdirSync(join(torn, '.git'), { recursive: true })
  put(join(torn, '.adlc/tickets.json'), '{\n  "tickets": [],\n}\n')
  for (const words of [['touch a'], ['--profile', 'adlc', '--', 'touch a']]) {
    const io = gatheredIo(torn, { HOME: home })
    assert.equal(await runProgram('sallyport', ['check', ...words], io), 11)
    assert.match(io.text, /tickets\.json is no valid JSON \(line 3 column 1\)/)
    assert.match(io.text, /\nsafer: a person mends the ticket store; `sallyport adlc lint`/)
    assert.doesNotMatch(io.text, /leave the rail/)
  }
})
