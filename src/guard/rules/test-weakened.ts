/** Tests that are made weaker: an assertion of an existing test goes or changes, or a test is skipped. Off by default. */
import type { Action, Replacement, ToolCall } from '../../core/call.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { absolute } from '../../paths/lexical.ts'
import type { Context } from '../context.ts'
import type { Tools } from '../subject.ts'

/** Bytes of a test that is written anew. */
const MOST_BYTES = 256 * 1024
const MOST_SHOWN = 80

/** Where tests lie, and how they are named. */
const TEST =
  /(?:^|[/\\])(?:tests?|__tests__|specs?|testing)[/\\][^/\\]+\.\w+$|(?:^|[/\\])(?:test_[^/\\]*|[^/\\]*(?:_test|_spec|\.test|\.spec|Tests?|Spec))\.\w+$/

/** A line that says what must hold. */
const ASSERTION =
  /\bassert\w*\b|\bexpect\s*\(|\bshould\b|\b(?:t|b)\.(?:Error|Fatal|Fail)\w*\(|\brequire\.\w+\(t\b|\bEXPECT_\w+|\bverify\s*\(|\bmust_\w+/

/** What takes a test out of the run. */
const SKIP =
  /\.(?:skip|todo|failing)\b|\bx(?:it|describe|test)\s*\(|@(?:pytest\.mark\.(?:skip|xfail)|unittest\.skip|Disabled|Ignore)|#\[ignore|\bt\.Skip\w*\(|\bpytest\.skip\(|\bskip\s*:\s*true/

/** Findings of the file tools of a call. */
export function* testFindings(call: ToolCall, context: Context, tools: Tools): Asking<readonly Finding[]> {
  const set = context.policy.families['test-weakened']
  if (set === undefined || set === 'off') return []
  const out: Finding[] = []
  for (const action of call.actions) {
    if ((action.is !== 'edit' && action.is !== 'write') || !TEST.test(action.path)) continue
    const path = absolute(call.cwd ?? '', action.path, tools.sense.flavour)
    for (const change of yield* changesOf(action, path)) {
      const what = weakened(change)
      if (what === undefined) continue
      out.push({
        rule: `test-weakened.${what.kind}`,
        family: 'test-weakened',
        decision: 'ask',
        reason: `${what.kind === 'skip' ? 'skips a test in' : 'changes an assertion of'} ${tools.show(path)} (${what.line.slice(0, MOST_SHOWN)})`,
        safer: 'mend the code under test, or say in your answer why the test is wrong',
      })
      break
    }
  }
  return out
}

function* changesOf(action: Extract<Action, { is: 'edit' | 'write' }>, path: string): Asking<readonly Replacement[]> {
  if (action.is === 'edit') return action.changes ?? []
  if (action.content === undefined) return []
  const before = yield* ask('text', { path, limit: MOST_BYTES })
  return typeof before === 'object' ? [{ removed: before.text, added: action.content }] : []
}

/** The first line that shows it; undefined where nothing is weaker. A line that only moved is no change. */
function weakened({ removed, added }: Replacement): { kind: 'assertion' | 'skip'; line: string } | undefined {
  const kept = new Map<string, number>()
  for (const line of linesOf(added)) kept.set(line, (kept.get(line) ?? 0) + 1)
  for (const line of linesOf(removed)) {
    const left = kept.get(line) ?? 0
    if (left > 0) kept.set(line, left - 1)
    else if (ASSERTION.test(line)) return { kind: 'assertion', line }
  }
  const skipped = [...kept].find(([line, count]) => count > 0 && SKIP.test(line))
  return skipped === undefined ? undefined : { kind: 'skip', line: skipped[0] }
}

const linesOf = (text: string): readonly string[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
