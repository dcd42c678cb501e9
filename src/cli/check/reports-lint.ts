/** Replays what a report tells of a `hooks.json`, or of one handler's answer: what the runtime decides, and what lint says. */
import { Buffer } from 'node:buffer'
import { type HookWarning, type HookWorld, type ProgramEnd, SANDBOX_TOOLS } from '../../managed/contract.ts'
import { makeHooks } from '../../managed/hooks/engine.ts'
import { lintHooks } from '../../managed/hooks/lint.ts'
import { EVENTS, type HookFile } from '../../managed/hooks/model.ts'
import { refusedBy } from '../managed/reach.ts'
import type { Outcome } from './reports-guard.ts'
import type { HandlerResult, LintRow } from './reports-read.ts'
import { hasWord } from './reports-words.ts'

const FILE = '/.agents/hooks.json'
/** The configuration of a row that has one handler's answer alone. */
const ALONE = { handler: { pre_tool_execution: [{ matcher: '*', hooks: [{ type: 'command', command: 'handler' }] }] } }

/** Nothing is run: what the handlers gave stands in the row. */
export async function replayLint(row: LintRow): Promise<Outcome> {
  const alone = row.hooks_json === undefined
  const text =
    typeof row.hooks_json === 'string' ? row.hooks_json : JSON.stringify(row.hooks_json ?? ALONE, undefined, 2)
  const { stdout, exit } = row
  const own = { ...(stdout === undefined ? {} : { stdout }), ...(exit === undefined ? {} : { exit }) }
  const results = row.results ?? (alone ? [own] : [])
  const bytes = Buffer.from(text)
  const { file, findings } = lintHooks(
    { path: FILE, bytes },
    {
      ...{ networkKnown: false, pinned: false, argsStyle: 'seed' },
      refuses: (url) => refusedBy(undefined, url),
      script: (path) =>
        Object.hasOwn(row.files ?? {}, path) ? { text: row.files![path]!, executable: true } : 'absent',
    },
  )
  const said: HookWarning[] = alone ? [] : [...findings]
  let decision: 'allow' | 'deny' = 'allow'
  for (const name of SANDBOX_TOOLS) {
    const hooks = makeHooks({ failClosed: row.fail_closed ?? [] })
    const verdict = await hooks.before(worldOf(bytes, file, results), { name, args: {} }, new AbortController().signal)
    if (verdict.decision === 'deny') decision = 'deny'
    said.push(...verdict.warnings)
  }
  const { decision_in_runtime: expected, lint_has: has = [] } = row.expect
  const texts = [...new Set(said.map((one) => one.text))]
  const words = texts.join('\n').toLowerCase()
  const misses = has.flatMap((word) => (hasWord(words, word) ? [] : [`the findings lack ${JSON.stringify(word)}`]))
  if (expected !== undefined && decision !== expected) misses.push(`${decision} in place of ${expected}`)
  return { got: { decision, findings: texts }, misses }
}

/** Handlers by what they call, each with the results of its places in the order of the file. */
function worldOf(bytes: Uint8Array, file: HookFile, results: readonly HandlerResult[]): HookWorld {
  const handlers = file.groups
    .flatMap(({ rules }) => EVENTS.flatMap((event) => rules[event]).flatMap((rule) => rule.handlers))
    .sort((a, b) => a.line - b.line)
  const waiting = new Map<string, HandlerResult[]>()
  handlers.forEach((handler, i) => {
    const key = handler.is === 'command' ? handler.command : handler.is === 'http' ? handler.url : ''
    waiting.set(key, [...(waiting.get(key) ?? []), results[i] ?? {}])
  })
  const next = (key: string): HandlerResult => waiting.get(key)?.shift() ?? {}
  return {
    ...{ environment: 'env_report', roots: ['/'], networkDisabled: false },
    files: {
      real: async (path) => (path === FILE ? path : undefined),
      stamp: async () => 'fixed',
      read: async (_path, limit) => bytes.subarray(0, limit),
    },
    run: async ({ argv }) => endOf(next(argv[2]!)),
    request: async ({ url }) => {
      const { stdout = '', exit = 0, timed_out: timedOut = false } = next(url)
      if (timedOut) return { ok: false, why: 'timeout', refused: false, timedOut }
      return { ok: true, status: exit === 0 ? 200 : 500, headers: {}, body: Buffer.from(stdout), cut: false }
    },
  }
}

const endOf = ({ stdout = '', stderr = '', exit = 0, timed_out: timedOut = false }: HandlerResult): ProgramEnd => ({
  ...{ started: true, exit: timedOut ? null : exit, killedBy: timedOut ? 'SIGKILL' : null, timedOut },
  ...{ cancelled: false, cut: false, stdout: Buffer.from(stdout), stderr: Buffer.from(stderr), ms: 0 },
})
