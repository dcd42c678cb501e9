/** Approvals are used up by the call that needs them, once, and by no other. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Deps } from '../src/cli/hook/respond.ts'
import type { Decision, EffectIdentity, Finding, Verdict } from '../src/core/verdict.ts'
import { EMPTY_SESSION } from '../src/session/session.ts'
import { depsOf, PROJECT, respondTo } from './hook-support.ts'

const remove = (target: string): EffectIdentity => ({ act: 'delete', target, tree: true })

/** Denies the delete of each word of the command unless it is approved; `ls` refuses nothing. */
const judge: Deps['judge'] = function* (call, { session }) {
  const [action] = call.actions
  const words = action?.is === 'shell' ? action.text.split(' ').slice(1) : []
  const findings = words
    .map(remove)
    .filter(({ target }) => !session.approved.flat().some((one) => one.target === target))
    .map((identity): Finding => ({ rule: 'loss.x', family: 'loss', decision: 'deny', reason: 'gone', identity }))
  const decision: Decision = findings.length > 0 ? 'deny' : 'pass'
  return { decision, rule: 'loss.x', reason: 'gone', status: 'complete', findings, effects: [] } satisfies Verdict
}

const rows: readonly [name: string, command: string, taken: boolean, decision: Decision, claimed: string[]][] = [
  ['a call that nothing refuses uses nothing up', 'ls', false, 'pass', []],
  ['an approved effect passes and uses its approval up', 'rm a', false, 'pass', ['a']],
  ['each approval that is needed is used up', 'rm a b', false, 'pass', ['a', 'b']],
  ['an effect that nobody approved uses nothing up', 'rm c', false, 'deny', []],
  ['approvals that do not suffice are kept', 'rm a c', false, 'deny', []],
  ['an approval that another call took is none', 'rm a', true, 'deny', ['a']],
]

describe('approvals', () => {
  for (const [name, command, taken, decision, claimed] of rows) {
    it(name, () => {
      const asked: string[] = []
      const deps = depsOf(judge, {
        sessionOf: () => ({ ...EMPTY_SESSION, approved: [[remove('a')], [remove('b')]] }),
        claim: (_, approval) => {
          asked.push(approval[0]!.target)
          return !taken
        },
      })
      const payload = { session_id: 's', cwd: PROJECT, tool_name: 'Bash', tool_input: { command } }
      const outcome = respondTo('claude', { name, event: 'PreToolUse', payload }, deps)
      assert.equal(outcome.answered?.decision, decision)
      assert.deepEqual(asked, claimed)
    })
  }
})
