/** Puts the calls of a sequence before the guard, each with the tree as it is then. */
import { judgeCase } from '../../src/cli/check/case.ts'
import type { World } from '../../src/core/world.ts'
import { type EarlierCall, EMPTY_SESSION } from '../../src/session/session.ts'
import { HOME, ROOT } from './tree.ts'

export interface Said {
  readonly decision: 'deny' | 'ask' | 'pass'
  readonly rule: string
  readonly reason: string
}

/** The verdict on one call in profile `standard`, with nobody there to ask. `earlier`: calls of the session that ran. */
export function judgeCommand(command: string, world: World, earlier: readonly string[] = []): Said {
  const { verdict } = judgeCase(
    {
      ...{ command, cwd: ROOT, workspaces: [ROOT], mode: { is: 'headless' }, unattended: true },
      ...{ session: EMPTY_SESSION, profile: 'standard' },
      history: earlier.map((text): EarlierCall => ({ command: text })),
      person: { home: HOME, user: 'dev', platform: 'linux' },
    },
    world,
  )
  const { decision, rule, reason } = verdict
  return { decision, rule, reason }
}
