/**
 * Random writers over a scratch ADLC repository, run in a sandbox: what changed a rail or the trust root had not passed, and
 * what changed nothing there passes. `SALLYPORT_SOAK=1` runs ten times as many and plants the faults as well.
 */
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { hunt } from './execution/hunt.ts'
import { MUTANTS, placesOf } from './execution/mutants.ts'
import { judgeRan, minimised, type Outcome, type Ran, runSeeds, show, summaryOf } from './execution/run.ts'
import { canRun, openSandbox, type Sandbox } from './execution/sandbox.ts'
import { sequenceOf } from './execution/sequence.ts'
import { absolute, isProtected, PLACES } from './execution/tree.ts'
import { need } from './need.ts'

const SOAK = process.env['SALLYPORT_SOAK'] === '1'
const SEEDS = Array.from({ length: SOAK ? 5_000 : 500 }, (_, i) => i + 1)
/** Of these the faults are looked for: what a few hundred do not show is rarely shown by more. */
const FAULT_SEEDS = 1_500

/** Programs that the writers use; one that is absent would make its rows harmless. */
const PROGRAMS = [
  'git',
  'python3',
  'perl',
  'rsync',
  'unzip',
  'zip',
  'ed',
  'make',
  'curl',
  'patch',
  'openssl',
  'xz',
  'bzip2',
]

function needSandbox(t: TestContext): boolean {
  if (!need(t, 'bwrap')) return false
  const problem = canRun()
  if (problem === undefined) return true
  if (process.env['SALLYPORT_REQUIRE_ALL'] === '1')
    throw new Error(`no sandbox, and every test is required: ${problem}`)
  t.skip(`not run: no sandbox (${problem})`)
  return false
}

test('the grammar: one seed is one sequence', () => {
  for (const seed of [1, 2, 77]) assert.deepEqual(sequenceOf(seed), sequenceOf(seed))
  assert.notDeepEqual(sequenceOf(1).calls, sequenceOf(2).calls)
})

test('the tree: each place has the protection of its role', () => {
  for (const { path, role } of PLACES)
    assert.equal(isProtected(absolute(path)), role === 'rail' || role === 'trust', path)
})

test('each fault has its one place in the guard', () => {
  assert.equal(MUTANTS.length, 20)
  assert.deepEqual(
    MUTANTS.filter((mutant) => placesOf(mutant) !== 1).map(({ id, file }) => `${id} (${file})`),
    [],
  )
})

test('random writers', async (t) => {
  for (const program of PROGRAMS) if (!need(t, program)) return
  if (!needSandbox(t)) return
  const sandbox = await openSandbox()
  const kept: Ran[] = []
  const outcomes: Outcome[] = []
  try {
    await t.test('the sandbox is closed, and shows what a call did', () => isClosed(sandbox))
    await runSeeds(SEEDS, sandbox, (ran) => {
      outcomes.push(judgeRan(ran))
      if (SOAK && ran.sequence.seed <= FAULT_SEEDS) kept.push(ran)
    })
    const { holes, alarms, passed, changed, harmless } = summaryOf(outcomes)
    await t.test('whatever changed a rail or the trust root had not passed', async () => {
      const shown = []
      for (const hole of holes.slice(0, 5)) shown.push(show(await minimised(hole, sandbox)))
      assert.equal(holes.length, 0, `${holes.length} holes\n${shown.join('\n')}`)
    })
    await t.test('what changed nothing there passes, nine times of ten', () => {
      assert.ok(passed >= 0.9, `${(passed * 100).toFixed(1)} %\n${alarms.slice(0, 10).map(show).join('\n')}`)
    })
    await t.test('both kinds are many', () => {
      assert.ok(changed > SEEDS.length / 4 && harmless > SEEDS.length / 3, `${changed} changed, ${harmless} did not`)
    })
    t.diagnostic(`${changed} changed something protected; of ${harmless} others ${(passed * 100).toFixed(1)} % passed`)
    if (SOAK) {
      await t.test('planted faults are found, eighteen of twenty', async () => {
        const lost = (await hunt(kept)).filter(({ seed }) => seed === undefined).map(({ id }) => id)
        assert.ok(lost.length <= 2, `not found: ${lost.join('; ')}`)
      })
    }
  } finally {
    sandbox.close()
  }
})

async function isClosed(sandbox: Sandbox): Promise<void> {
  const look = [
    'ls / > seen', // what there is at all
    'cat /proc/net/dev | tail -n +3 | cut -d: -f1 >> seen', // interfaces of the network
    'env | sort >> seen',
    'touch /usr/x /etc/x /x 2>> seen; id -u >> seen',
  ]
  const [after] = await sandbox.run([look.join('\n')])
  const seen = after!.get(absolute('seen'))!.content
  assert.doesNotMatch(seen, /^(?:root|work|home2|mnt|srv|var)$/m)
  assert.doesNotMatch(seen, /eth|SALLYPORT|NODE_/)
  assert.equal(seen.match(/Read-only file system/g)?.length, 3, seen)
  assert.match(seen, /^1000$/m)
  const [changed] = await sandbox.run(['echo x >> src/core/rates.ts'])
  assert.equal(changed!.get(absolute('src/core/rates.ts'))!.content.endsWith('x\n'), true)
  // And each run begins anew.
  const [again] = await sandbox.run(['true'])
  assert.deepEqual(again!.get(absolute('src/core/rates.ts')), sandbox.start.get(absolute('src/core/rates.ts')))
  assert.equal(again!.has(absolute('seen')), false)
}
