/** Payload to answer with the real guard, in a small frozen world. Reasons are the guard's own business. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { judgeCall } from '../src/guard/judge.ts'
import { HOSTS } from '../src/hosts/registry.ts'
import { reasonFor } from '../src/record/reason.ts'
import { depsOf, readAnswer, respondTo, rowsOf } from './hook-support.ts'

for (const host of HOSTS) {
  const rows = rowsOf(host.id).filter((row) => row.decision !== undefined)
  describe(`end to end on ${host.title}`, () => {
    it('has a dozen rows or more', () => assert.ok(rows.length >= 12))

    for (const row of rows) {
      it(row.name, () => {
        const outcome = respondTo(host.id, row, depsOf(judgeCall, { words: reasonFor }))
        assert.equal(outcome.problem, undefined)
        const said = readAnswer(host.id, outcome.stdout)
        assert.ok(said !== 'nothing')
        const { decision, reason } = said
        if (row.decision === 'not-pass') assert.notEqual(decision, 'pass')
        // A host that cannot ask gets a deny.
        else if (row.decision === 'ask')
          assert.equal(decision, host.capabilities['pre.ask'].support === 'no' ? 'deny' : 'ask')
        else assert.equal(decision, row.decision, reason)
        assert.ok(reason.length <= 600)
      })
    }
  })
}
