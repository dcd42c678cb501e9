/** Which calls leave the tickets alone, and that their verdict is the one that reading them gives. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Files, HOME, MANIFEST, ROOT, worldOf } from '../../adlc/world.testing.ts'
import type { ToolCall } from '../../core/call.ts'
import { answer } from '../../core/driver.ts'
import { EMPTY_POLICY } from '../../policy/policy.ts'
import { EMPTY_SESSION } from '../../session/session.ts'
import type { Context } from '../context.ts'
import { judge } from '../judge.ts'

const FILES: Files = {
  '.git': { dir: true },
  '.git/HEAD': 'ref: refs/heads/main\n',
  '.git/config': '[core]\n\tbare = false\n',
  '.adlc/tickets/.store.json': MANIFEST,
  '.adlc/tickets/@T1': { id: 'T1', title: 'One', rails: ['lib/lock.mjs', 'lib/frozen/**'] },
  'lib/lock.mjs': 'export {}\n',
  'lib/frozen/a.ts': 'export {}\n',
  'lib/feature.mjs': 'export {}\n',
  '/srv/a': 'x\n',
  [`${HOME}/.gemini/antigravity-cli/plugin_data/antigravity-booster/x`]: 'x',
}

const shell = (text: string, cwd = ROOT): ToolCall =>
  ({
    ...{ host: 'claude', tool: 'Bash', session: 's', cwd, workspaces: [ROOT] },
    actions: [{ is: 'shell', text, dialect: 'posix', cwd }],
  }) as unknown as ToolCall

const context = (more: Partial<Context> = {}): Context =>
  ({
    ...{ policy: { ...EMPTY_POLICY, profile: 'adlc' }, session: EMPTY_SESSION, mode: { is: 'interactive' } },
    ...{ unattended: false, platform: 'linux', home: HOME, user: 'dev', ...more },
  }) as Context

const judged = (call: ToolCall, given = context(), more: Files = {}) => {
  const { value, facts } = answer(judge(call, given), worldOf({ ...FILES, ...more }), {
    ms: 60_000,
    start: 0,
    questions: 100_000,
  })
  return { decision: value.verdict.decision, reads: facts.some(({ question }) => question.ask === 'texts') }
}

/** Lines of the published first stage: the verdict, and no ticket is read. */
const PLAIN: readonly (readonly [line: string, decision: string, cwd?: string])[] = [
  ['cat lib/feature.mjs', 'pass'],
  ['cat lib/lock.mjs', 'pass'],
  ['cat < lib/lock.mjs', 'pass'],
  ['grep -rn x lib | head -3', 'pass'],
  ['ls -la . lib; wc -l lib/frozen/a.ts && tail -n 2 lib/lock.mjs', 'pass'],
  ['cat lib/missing || ls', 'pass'],
  ['ls .adlc/tickets', 'pass'],
  ['/bin/cat lib/lock.mjs', 'pass'],
  ['cat lib/lock.mjs 2>/dev/null', 'pass'],
  ['head -3 a.ts', 'pass', `${ROOT}/lib`],
  ['git log --oneline -3 | cat', 'pass'],
  ['git diff --stat lib/lock.mjs', 'pass'],
]

/** What only looks like it. */
const WHOLE: readonly (readonly [line: string, cwd?: string])[] = [
  ['cat lib/feature.mjs > lib/lock.mjs'],
  ['cat lib/*.mjs'],
  ['cat $FILE'],
  ['A=1 cat lib/lock.mjs'],
  ['cat ~/x'],
  ['(cat lib/lock.mjs)'],
  ['cat lib/lock.mjs; rm lib/lock.mjs'],
  ['cat lib/lock.mjs | tee lib/frozen/a.ts'],
  ['cat lib/lock.mjs | sh'],
  ['cd lib && cat lock.mjs'],
  ['cat() { rm lib/lock.mjs; }; cat x'],
  ['sort lib/lock.mjs'],
  ['grep x lib/lock.mjs | xargs rm'],
  ['env -C lib cat lock.mjs'],
  ['cat "lib/lock.mjs'],
  ['ls', '/srv'],
  ['git branch -a'],
]

test('a line of the first stage reads no ticket', () => {
  for (const [line, decision, cwd] of PLAIN)
    assert.deepEqual(judged(shell(line, cwd)), { decision, reads: false }, line)
})

test('any other line is judged with the tickets', () => {
  for (const [line, cwd] of WHOLE) assert.equal(judged(shell(line, cwd)).reads, true, line)
})

test('where git would run a program for a reader, tickets decide', () => {
  const set = { '.git/config': '[diff]\n\texternal = ./show.sh\n[core]\n\tfsmonitor = ./watch.sh\n' }
  for (const line of ['git diff', 'git status --short', 'git show HEAD', 'git log -p'])
    assert.deepEqual(judged(shell(line), context(), set), { decision: 'ask', reads: true }, line)
})

test('without tickets the verdict is the one that they give, for people and workers', () => {
  for (const mode of [{ is: 'interactive' }, { is: 'worker', ticket: 'T1' }, { is: 'readonly' }] as Context['mode'][]) {
    // A rule about a zone of tickets makes every call read them.
    const rules = [
      { id: 'x', zone: 'frozen', command: 'nothing', verdict: 'ask', reason: 'a reason', origin: 'policy' },
    ] as unknown as Context['policy']['rules']
    const whole = context({ mode, policy: { ...EMPTY_POLICY, profile: 'adlc', rules } })
    for (const [line, , cwd] of [...PLAIN, ['cat ~/.gemini/antigravity-cli/plugin_data/antigravity-booster/x', '']]) {
      const [quick, slow] = [judged(shell(line!, cwd), context({ mode })), judged(shell(line!, cwd), whole)]
      assert.equal(slow.reads, true, line)
      assert.equal(quick.decision, slow.decision, `${line} (${mode.is})`)
    }
  }
})

test('in a profile for everybody, output that is thrown away changes nothing either', () => {
  const standard = context({ policy: { ...EMPTY_POLICY, profile: 'standard' } })
  for (const [line, reads] of [
    ['npm test 2>/dev/null', false],
    ['npm test >/dev/null 2>&1', false],
    ['npm test 2>err.log', true],
    ['npm test | tee /dev/null', false],
    ['cat lib/feature.mjs > /dev/../home/dev/proj/lib/x', true],
  ] as const)
    assert.equal(judged(shell(line), standard).reads, reads, line)
})

test('data of the guard stays closed to readers that name it from the root', () => {
  const line = `cat ${HOME}/.gemini/antigravity-cli/plugin_data/antigravity-booster/x`
  assert.deepEqual(judged(shell(line)), { decision: 'deny', reads: false })
})
