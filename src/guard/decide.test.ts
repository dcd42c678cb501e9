/** Which of several findings leads a verdict: its rule and the beginning of its reason. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { gatheredIo } from '../cli/io.testing.ts'
import { runProgram } from '../cli/program.ts'
import type { Decision, Finding } from '../core/verdict.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { EMPTY_POLICY } from '../policy/policy.ts'
import { EMPTY_SESSION } from '../session/session.ts'
import { decide, whilePaused } from './decide.ts'

const found = (rule: string, decision: Decision, reason = rule): Finding => ({
  rule,
  family: rule.split('.')[0] as Finding['family'],
  decision,
  reason,
})

const decided = (findings: readonly Finding[]) =>
  decide(
    {
      status: 'complete',
      effects: [],
      ran: [],
      readings: [],
      paths: newPathBudget(),
    },
    findings,
    {
      policy: EMPTY_POLICY,
      session: EMPTY_SESSION,
      mode: { is: 'interactive' },
      unattended: false,
      platform: 'linux',
      home: '/home/dev',
      user: 'dev',
    },
    { lifted: () => false, denied: [] },
  )

const ROWS: readonly { readonly found: readonly Finding[]; readonly leads: string; readonly why: string }[] = [
  {
    found: [found('loss.unknown', 'ask'), found('publish.release', 'ask')],
    leads: 'publish.release',
    why: 'what is known comes before a target that is not',
  },
  {
    found: [found('trust-root.maybe', 'ask'), found('loss.few', 'ask')],
    leads: 'loss.few',
    why: 'what is known comes before what may be',
  },
  {
    found: [found('loss.unknown', 'ask'), found('frozen.holds', 'ask')],
    leads: 'frozen.holds',
    why: 'what is known to lie below comes before a target that is not known',
  },
  {
    found: [found('frozen.holds', 'deny'), found('frozen.path', 'deny')],
    leads: 'frozen.path',
    why: 'the target itself comes before what lies below it',
  },
  {
    found: [found('publish.release', 'ask'), found('loss.unknown', 'deny')],
    leads: 'loss.unknown',
    why: 'the strictest comes first, known or not',
  },
  {
    found: [found('infra.change', 'ask'), found('publish.release', 'ask')],
    leads: 'infra.change',
    why: 'else the order of the line holds',
  },
]

for (const { found: findings, leads, why } of ROWS)
  test(why, () => {
    const { rule, reason } = decided(findings)
    assert.equal(rule, leads)
    assert.ok(reason.startsWith(leads), reason)
  })

test('a line that publishes says so, whatever else in it is not known', async () => {
  const io = gatheredIo(process.cwd(), { HOME: '/home/dev' })
  const line = "node -e 'fs.rmSync(process.argv[1], {recursive: true})' x; npm publish"
  await runProgram('sallyport', ['check', '--world', 'cases/worlds/repo.json', '--', line], io)
  assert.match(io.text, /^ask {2}publish\.release: npm publishes app; the target of node text /)
})

const PAUSED: readonly { readonly found: readonly Finding[]; readonly stands: string }[] = [
  { found: [found('loss.root', 'deny'), found('publish.release', 'ask')], stands: 'none' },
  { found: [found('loss.root', 'deny'), found('frozen.path', 'deny')], stands: 'frozen.path' },
  { found: [found('adlc.stage', 'deny'), found('frozen.ticket', 'deny')], stands: 'frozen.ticket' },
  { found: [found('trust-root.implicit', 'deny')], stands: 'trust-root.implicit' },
  { found: [found('adlc.worker', 'deny'), found('tamper.self', 'ask')], stands: 'tamper.self' },
]

for (const { found: findings, stands } of PAUSED)
  test(`while the guard is paused ${stands} stands of ${findings.map(({ rule }) => rule).join(' and ')}`, () => {
    const { decision, rule, reason } = whilePaused(decided(findings))
    assert.equal(decision, stands === 'none' ? 'pass' : findings.find((one) => one.rule === stands)!.decision)
    if (stands !== 'none') assert.deepEqual([rule, reason], [stands, stands])
  })
