/** A hook process with a judge that does what the call says: for tests of everything around the judge. */

import { runHook } from '../src/cli/hook/run.ts'
import type { ToolCall } from '../src/core/call.ts'
import type { Effect } from '../src/core/effect.ts'
import { type Asking, ask } from '../src/core/question.ts'
import type { Decision, Finding, Verdict } from '../src/core/verdict.ts'

function* judge(call: ToolCall): Asking<Verdict> {
  const effects: Effect[] = []
  const findings: Finding[] = []
  let decision: Decision = 'pass'
  for (const action of call.actions) {
    if (action.is === 'write') {
      const target = { is: 'path', path: action.path, tree: false, follow: true } as const
      effects.push({ act: 'write', target, when: 'always', via: [], provenance: 'literal', by: call.tool })
    }
    if (action.is !== 'shell') continue
    const [word] = action.text.split(' ')
    if (word === 'crash') throw new Error('broken\n    at somewhere (secret.ts:1:1)')
    if (word === 'spin') for (let n = 0; ; n++) if ((yield* ask('stat', { path: `/x/${n}` })) === 'unknown') break
    if (word === 'deny' || word === 'ask' || word === 'spin') decision = word === 'ask' ? 'ask' : 'deny'
    if (word === 'deny') {
      const identity = { act: 'delete', target: action.text.slice(5), tree: true }
      findings.push({ rule: 'test.deny', family: 'loss', decision: 'deny', reason: 'no', identity })
    }
  }
  return { decision, rule: 'test.words', reason: `told to ${decision}`, status: 'complete', findings, effects }
}

runHook(process.argv.slice(2), judge)
