/** Rules about what file tools write: tests that are made weaker, live values of secrets. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { replayHost } from '../../cli/check/reports-guard.ts'

interface Row {
  readonly name: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  readonly files?: Readonly<Record<string, string>>
  readonly ignored?: readonly string[]
  readonly families?: Readonly<Record<string, string>>
  readonly verdict: 'deny' | 'ask' | 'pass'
  readonly has?: readonly string[]
  readonly lacks?: readonly string[]
}

const ROOT = '/home/dev/proj'

for (const row of JSON.parse(readFileSync('cases/guard/file-rules.json', 'utf8')) as Row[]) {
  test(row.name, () => {
    const files = Object.entries(row.files ?? {}).map(([path, content]) => [
      `${ROOT}/${path}`,
      { type: 'file', content },
    ])
    const set = {
      files: Object.fromEntries(files),
      ...(row.ignored === undefined ? {} : { git: { [ROOT]: { ignored: row.ignored } } }),
    }
    const outcome = replayHost(
      {
        ...{ id: row.name, face: 'guard', source: '', why: '', host: 'claude' },
        payload: {
          ...{ session_id: 's1', transcript_path: '/home/dev/t.jsonl', cwd: ROOT, permission_mode: 'default' },
          ...{ hook_event_name: 'PreToolUse', tool_name: row.tool, tool_input: row.input, tool_use_id: 'toolu_1' },
        },
        world: { base: 'benign', set },
        ...(row.families === undefined ? {} : { policy: { families: row.families } }),
        expect: { verdict: row.verdict, reason_has: row.has ?? [], reason_lacks: row.lacks ?? [] },
      } as never,
      'cases/worlds',
    )
    assert.ok('misses' in outcome)
    assert.deepEqual(outcome.misses, [])
  })
}
