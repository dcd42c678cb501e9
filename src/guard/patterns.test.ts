/** Lines in one world each: what patterns take with them, and what other revisions bring. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { answer } from '../core/driver.ts'
import { EMPTY_POLICY } from '../policy/policy.ts'
import { EMPTY_SESSION } from '../session/session.ts'
import { type FrozenWorldFile, frozenWorld } from '../world/frozen.ts'
import { judgeCall } from './judge.ts'

interface Lines {
  readonly world: FrozenWorldFile
  readonly rows: readonly { readonly name: string; readonly line: string; readonly verdict: string }[]
}

for (const file of ['patterns', 'history'])
  describe(file, () => {
    const { world, rows } = JSON.parse(readFileSync(`cases/guard/${file}.json`, 'utf8')) as Lines
    for (const { name, line, verdict } of rows) {
      test(name, () => {
        const mode = { is: 'interactive' } as const
        const call = {
          ...({ host: 'claude', event: 'PreToolUse', tool: 'Bash', session: 's', mode } as const),
          actions: [{ is: 'shell', text: line, dialect: 'posix' } as const],
          cwd: world.cwd,
          workspaces: world.workspaces,
        }
        const context = {
          ...{ policy: EMPTY_POLICY, session: EMPTY_SESSION, mode, unattended: false },
          ...{ platform: world.platform, home: world.home, user: world.user },
        }
        const { value } = answer(judgeCall(call, context), frozenWorld(world), {
          ms: 5_000,
          start: 0,
          questions: 10_000,
        })
        assert.equal(value.decision, verdict, value.reason)
      })
    }
  })
