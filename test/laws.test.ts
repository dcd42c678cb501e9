/**
 * The laws of a verdict (`docs/architecture.md`): recorded answers replay to the same bytes, judging ends for any
 * answers, a fact that is missing never makes it milder, and the spelling of a command does not matter.
 */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { judgeCase, type Subject, subjectOfWorld } from '../src/cli/check/case.ts'
import { keyOf } from '../src/core/driver.ts'
import { compareStrictness, type Decision, type Family, type Finding } from '../src/core/verdict.ts'
import type { Context } from '../src/guard/context.ts'
import { decide } from '../src/guard/decide.ts'
import { judge } from '../src/guard/judge.ts'
import type { Plan } from '../src/guard/plan.ts'
import { newPathBudget } from '../src/paths/resolve.ts'
import { EMPTY_POLICY } from '../src/policy/policy.ts'
import { EMPTY_SESSION } from '../src/session/session.ts'
import { frozenWorld } from '../src/world/frozen.ts'
import { replayWorld } from '../src/world/replay.ts'
import {
  drive,
  everyRow,
  forgetting,
  randomOf,
  recordOf,
  SEED,
  SOAK,
  STRANGE,
  strangeAnswers,
  worldFile,
} from './laws-support.ts'
import { shellLines } from './lines.testing.ts'

const runs = (usual: number) => ({ seed: SEED, numRuns: SOAK ? usual * 20 : usual })

const inRepo = (command: string): Subject => subjectOfWorld(worldFile('repo'), { command })
const repo = () => frozenWorld(worldFile('repo'))

describe('recorded answers', () => {
  test('replay to the same record, for every case', () => {
    for (const { row, subject, result } of everyRow()) {
      const again = judgeCase(subject, replayWorld(result.facts))
      assert.equal(JSON.stringify(recordOf(subject, again)), JSON.stringify(recordOf(subject, result)), row.id)
    }
  })

  test('replay to the same record, for lines that nobody wrote', () => {
    fc.assert(
      fc.property(shellLines(), (line) => {
        const first = judgeCase(inRepo(line), repo())
        const again = judgeCase(inRepo(line), replayWorld(first.facts))
        assert.equal(JSON.stringify(recordOf(inRepo(line), again)), JSON.stringify(recordOf(inRepo(line), first)))
      }),
      runs(150),
    )
  })

  test('fail loudly where one is missing, naming it', () => {
    for (const [i, { row, subject, result }] of everyRow().entries()) {
      if (result.facts.length === 0) continue
      const gone = i % result.facts.length
      const key = JSON.stringify(result.facts[gone]!.question)
      const rest = result.facts.filter((_, at) => at !== gone)
      assert.throws(
        () => judgeCase(subject, replayWorld(rest)),
        (error: Error) => error.message.includes(key),
        row.id,
      )
    }
  })
})

describe('judging ends', () => {
  const context: Context = {
    policy: { ...EMPTY_POLICY, frozen: [{ glob: 'spec/**', base: '/home/dev/proj', origin: { layer: 'user' } }] },
    session: EMPTY_SESSION,
    mode: { is: 'interactive' },
    unattended: false,
    platform: 'linux',
    home: '/home/dev',
    user: 'dev',
  }
  /** Far above what any line asks on a real disk: an end, not a measure. */
  const MOST_QUESTIONS = 500_000

  const judgeLine = (line: string, kind: (typeof STRANGE)[number], seed: number) =>
    drive(
      judge(
        {
          host: 'claude',
          event: 'PreToolUse',
          tool: 'Bash',
          actions: [{ is: 'shell', text: line, dialect: 'posix' }],
          cwd: '/home/dev/proj',
          workspaces: ['/home/dev/proj'],
          session: 's',
          mode: { is: 'interactive' },
        },
        context,
      ),
      strangeAnswers(kind, seed),
      MOST_QUESTIONS,
    ).value.verdict

  for (const kind of STRANGE) {
    test(`for any line, in a world of the kind "${kind}"`, () => {
      fc.assert(
        fc.property(shellLines(), fc.nat(), (line, seed) => {
          const verdict = judgeLine(line, kind, seed)
          assert.ok(['deny', 'ask', 'pass'].includes(verdict.decision))
        }),
        runs(60),
      )
    })

    test(`for the commands of the cases, in a world of the kind "${kind}"`, () => {
      const random = randomOf(SEED)
      for (const { row } of everyRow()) {
        if (row.command === undefined || row.shell !== undefined) continue
        if (!SOAK && random() > 0.2) continue
        judgeLine(row.command, kind, SEED)
      }
    })
  }

  test('for any text at all', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(fc.constantFrom(...`$(){}[]<>|&;'"\\\`\n\t #*?~!=-`), fc.constantFrom('rm', 'a', 'if', 'do')),
          {
            maxLength: 40,
          },
        ),
        fc.nat(),
        (pieces, seed) => {
          judgeLine(pieces.join(''), 'any', seed)
        },
      ),
      runs(300),
    )
  })
})

describe('a fact that is missing', () => {
  test('never turns a refusal of a case into a pass', () => {
    const random = randomOf(SEED)
    let tried = 0
    const milder: string[] = []
    for (const { row, file, subject, result } of everyRow()) {
      if (result.verdict.decision !== 'deny') continue
      for (const { question, answer } of result.facts) {
        if (answer === 'unknown' || (!SOAK && random() > 0.1)) continue
        tried++
        const key = keyOf(question)
        const { verdict } = judgeCase(subject, forgetting(frozenWorld(file), key))
        if (verdict.decision === 'pass') milder.push(`${row.id} without ${key}`)
      }
    }
    assert.deepEqual(milder, [])
    assert.ok(tried > (SOAK ? 2_000 : 150), `${tried} tried`)
  })

  test('never turns a refusal of a line that nobody wrote into a pass', () => {
    fc.assert(
      fc.property(shellLines(), fc.nat(), (line, at) => {
        const first = judgeCase(inRepo(line), repo())
        // What the environment says of a variable may be unknown in any world; then its text is what nobody knows.
        const facts = first.facts.filter(({ question, answer }) => answer !== 'unknown' && question.ask !== 'env')
        if (first.verdict.decision !== 'deny' || facts.length === 0) return
        const key = keyOf(facts[at % facts.length]!.question)
        assert.notEqual(judgeCase(inRepo(line), forgetting(repo(), key)).verdict.decision, 'pass', key)
      }),
      runs(200),
    )
  })
})

describe('the strictest finding', () => {
  const decisions = fc.constantFrom<Decision>('deny', 'ask', 'pass')
  const findings = fc.array(
    fc.record({ decision: decisions, family: fc.constantFrom<Family>('loss', 'secrets', 'infra', 'tamper') }),
  )
  const plan: Plan = { effects: [], ran: [], status: 'complete', readings: [], paths: newPathBudget() }
  const context = (profile: 'standard' | 'observe', unattended: boolean): Context => ({
    policy: { ...EMPTY_POLICY, profile },
    session: EMPTY_SESSION,
    mode: { is: 'interactive' },
    unattended,
    platform: 'linux',
    home: '/home/dev',
    user: 'dev',
  })
  const made = (list: readonly { decision: Decision; family: Family }[]): Finding[] =>
    list.map(({ decision, family }, i) => ({ rule: `${family}.n${i}`, family, decision, reason: `reason ${i}` }))

  test('is the verdict, with its own rule and reason; nobody there to ask makes an ask a deny', () => {
    fc.assert(
      fc.property(findings, fc.boolean(), (list, unattended) => {
        const all = made(list)
        const verdict = decide(plan, all, context('standard', unattended), { lifted: () => false, denied: [] })
        const worst = all.reduce<Decision>((a, b) => (compareStrictness(b.decision, a) > 0 ? b.decision : a), 'pass')
        assert.equal(verdict.decision, worst === 'ask' && unattended ? 'deny' : worst)
        const own = all.find((finding) => finding.rule === verdict.rule)
        if (worst === 'pass') assert.equal(verdict.rule, 'none')
        else assert.ok(own && verdict.reason.startsWith(own.reason))
      }),
      { seed: SEED },
    )
  })

  test('is the verdict of every case', () => {
    for (const { row, result } of everyRow()) {
      const { verdict } = result
      for (const finding of verdict.findings)
        assert.ok(compareStrictness(verdict.decision, finding.decision) >= 0, `${row.id}: ${finding.rule}`)
    }
  })
})

describe('profiles and families', () => {
  test('observe passes every case, and keeps the rule that it would have named', () => {
    for (const { row, file, subject, result } of everyRow()) {
      const { verdict } = judgeCase({ ...subject, profile: 'observe' }, frozenWorld(file))
      assert.equal(verdict.decision, 'pass', row.id)
      if (result.policy.profile !== 'observe') assert.equal(verdict.rule, result.verdict.rule, row.id)
    }
  })

  const SWITCHED: readonly Family[] = [
    'trust-root',
    'frozen',
    'scope',
    'loss',
    'secrets',
    'remote-code',
    'tamper',
    'publish',
    'infra',
  ]
  for (const family of SWITCHED) {
    test(`${family} can be off, ask or deny`, () => {
      let seen = 0
      for (const { row, file, subject, result } of everyRow()) {
        const { families } = result.policy
        if (families[family] !== undefined || !result.verdict.findings.some((one) => one.family === family)) continue
        if (!SOAK && ++seen > 12) break
        for (const to of ['off', 'ask', 'deny'] as const) {
          const base = (subject.userPolicy ?? {}) as { families?: object }
          const userPolicy = { ...base, families: { ...base.families, [family]: to } }
          const { verdict } = judgeCase({ ...subject, userPolicy, unattended: false }, frozenWorld(file))
          // What was denied before sticks whatever the family is set to.
          const own = verdict.findings.filter((one) => one.family === family && one.rule !== 'loss.denied-before')
          const wrong = own.filter((one) => one.decision !== 'pass' && one.decision !== to)
          assert.deepEqual(
            wrong.map((one) => `${one.rule} ${one.decision}`),
            [],
            `${row.id}: ${family} ${to}`,
          )
        }
      }
    })
  }
})
