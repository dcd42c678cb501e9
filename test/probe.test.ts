/** The probe finds out what a host does against its contract. All faults: `npm run probe-proof`. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { probed } from '../src/cli/probe/probe-host.ts'
import { DRIVERS } from '../src/cli/probe/rig/drivers.ts'
import { FAULTS } from './probe/fake-host.ts'
import { probeFault } from './probe/faulted.ts'

const IDS = ['shell-deny', 'shell-pass', 'subagent-deny', 'rewrite', 'post-replace', 'mcp-deny']

describe('the probe', () => {
  test('has 25 faults or more to be proven by', () => assert.ok(FAULTS.length >= 25))

  for (const { host } of DRIVERS)
    test(`${host}: tries at least eleven scenarios, the denial of a command first`, () => {
      const ids = probed(DRIVERS.find((one) => one.host === host)!).map(({ id }) => id)
      assert.ok(ids.length >= 11, ids.join())
      assert.equal(ids[0], 'shell-deny')
    })

  test('finds nothing wrong with a host that keeps to its contract', async () => {
    const wrong = (await probeFault('none', IDS)).filter(({ holds }) => holds !== true)
    assert.deepEqual(wrong, [])
  })

  const faults = [
    ['hook-skipped-in-subagents', 'subagent-deny'],
    ['deny-ignored-for-mcp', 'mcp-deny'],
    ['replacement-ignored', 'post-replace'],
  ] as const
  for (const [fault, id] of faults)
    test(`finds ${fault}, and nothing else`, async () => {
      const findings = await probeFault(fault, IDS)
      assert.deepEqual(
        findings.filter(({ holds }) => holds === false).map((one) => one.id),
        [id],
      )
    })

  test('what there is no time for is not tried, and not called found', async () => {
    const { probeHost } = await import('../src/cli/probe/probe-host.ts')
    let clock = 0
    const late = await probeHost(DRIVERS[0]!, '/nowhere', '', () => (clock += 85_000))
    assert.ok(late.every(({ holds, why }) => holds === undefined && why.includes('were over')))
  })
})
