/** What planning reads off a line, against `cases/guard/plan.json`. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { answer } from '../core/driver.ts'
import type { Effect, Target } from '../core/effect.ts'
import { showGlob } from '../core/value.ts'
import { EMPTY_POLICY } from '../policy/policy.ts'
import { EMPTY_SESSION } from '../session/session.ts'
import { checkFrozenWorld, type FrozenWorldFile, frozenWorld, mergeWorld } from '../world/frozen.ts'
import { plan } from './plan.ts'

interface Row {
  readonly name: string
  readonly line: string
  readonly set?: unknown
  /** `act target`, then ` tree` for everything below, then ` branch` or ` later` where it does not surely happen now. */
  readonly effects: readonly string[]
}

const { world, rows } = JSON.parse(readFileSync('cases/guard/plan.json', 'utf8')) as {
  readonly world: FrozenWorldFile
  readonly rows: readonly Row[]
}

function effectsOf(line: string, file: FrozenWorldFile): readonly Effect[] {
  const call = {
    host: 'claude',
    event: 'PreToolUse',
    tool: 'Bash',
    actions: [{ is: 'shell', text: line, dialect: 'posix' }],
    cwd: file.cwd,
    workspaces: file.workspaces,
    session: 's',
    mode: { is: 'interactive' },
  } as const
  const context = {
    policy: EMPTY_POLICY,
    session: EMPTY_SESSION,
    mode: { is: 'interactive' },
    unattended: false,
    platform: file.platform,
    home: file.home,
    user: file.user,
  } as const
  return answer(plan(call, context), frozenWorld(file), { ms: 5_000, start: 0, questions: 10_000 }).value.effects
}

function showTarget(target: Target, note: string | undefined): string {
  switch (target.is) {
    case 'path': {
      const path = target.pattern ? `${target.path.replace(/\/+$/, '')}/${showGlob(target.pattern)}` : target.path
      return `${path}${target.open ? '…' : ''}${target.tree ? ' tree' : ''}`
    }
    case 'git':
      return `${target.op.is} in ${note ?? target.repo}`
    case 'unknown':
      return `${target.what} (unknown)`
    case 'remote':
      return `${target.service} ${target.name}`
    default:
      return target.name
  }
}

const show = ({ act, target, when, note }: Effect): string =>
  `${act} ${showTarget(target, note)}${when === 'always' ? '' : ` ${when}`}`

/** Names and metadata, that a program starts, and that a variable stands in front of it: every line has those. */
const isPlain = ({ act, target, note }: Effect): boolean =>
  act === 'names' || (act === 'run' && target.is !== 'path') || (act === 'guard' && note === 'variable')

describe('planning', () => {
  test('has its cases', () => {
    checkFrozenWorld(world, 'plan.json')
    assert.ok(rows.length >= 80)
    assert.equal(new Set(rows.map(({ name }) => name)).size, rows.length)
  })

  for (const { name, line, set, effects } of rows) {
    test(name, () => {
      const file = set === undefined ? world : mergeWorld(world, set)
      const got = effectsOf(line, file)
        .filter((effect) => !isPlain(effect))
        .map(show)
      assert.deepEqual([...new Set(got)], effects, line)
    })
  }
})
