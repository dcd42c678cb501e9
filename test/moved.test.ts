/** Where setup writes, the guard lets no agent write: also where a variable moved the settings of a host. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { whoseOf } from '../src/cli/hook/person.ts'
import { newLayout } from '../src/paths/layout.ts'
import { movedBy } from '../src/paths/moved.ts'
import { zonesOf } from '../src/paths/zones.ts'
import { type Place, pathOf } from '../src/setup/wire/row.ts'
import { WIRE_ROWS } from '../src/setup/wire/rows.ts'

const HOME = '/home/dev'
const PROJECT = '/srv/proj'
const SALLYPORT = join(import.meta.dirname, '..', 'bin', 'sallyport.js')

type Env = Readonly<Record<string, string>>

function isRoot(path: string, env: Env): boolean {
  const moved = movedBy(env, HOME, (value) => (value.startsWith('/') ? [value] : []))
  const layout = newLayout({ platform: 'linux', home: HOME, user: 'dev', workspaces: [PROJECT], moved })
  return zonesOf(path, layout).has('trust-root')
}

/** Every place of a host that setup writes to, or in which hooks are switched off. */
const PLACES: readonly (readonly [host: string, place: Place])[] = WIRE_ROWS.flatMap((row) => [
  ...row.files.flatMap(({ settings }) => Object.values(settings).map((place) => [row.host, place] as const)),
  ...row.off.map(({ place }) => [row.host, place] as const),
])

/** Variables that move a place. */
const variablesOf = ({ env, dir }: Place): readonly string[] => [
  ...(env === undefined ? [] : [env]),
  ...(dir.startsWith('$config/') ? ['XDG_CONFIG_HOME'] : dir.startsWith('$data/') ? ['XDG_DATA_HOME'] : []),
]

describe('settings of hosts', () => {
  for (const [host, place] of PLACES) {
    for (const env of [{}, ...variablesOf(place).map((name): Env => ({ [name]: '/moved/here' }))]) {
      const path = pathOf(place, { home: HOME, env, project: PROJECT })
      test(`${host}: ${path}`, () => {
        assert.ok(isRoot(path, env))
      })
    }
  }

  test('some places are moved', () => {
    const names = new Set(PLACES.flatMap(([, place]) => variablesOf(place)))
    for (const name of ['CODEX_HOME', 'GROK_HOME', 'KIMI_CODE_HOME', 'XDG_CONFIG_HOME'])
      assert.ok(names.has(name), name)
  })
})

const OURS: readonly (readonly [variable: string, path: string])[] = [
  ['XDG_CONFIG_HOME', '/m/sallyport/policy.jsonc'],
  ['XDG_STATE_HOME', '/m/sallyport/log.jsonl'],
  ['XDG_DATA_HOME', '/m/sallyport/0.2.0/bin/exit-code.sh'],
  ['CLAUDE_CONFIG_DIR', '/m/.claude.json'],
  ['FACTORY_HOME_OVERRIDE', '/m/.factory/hooks.json'],
  ['FACTORY_HOME_OVERRIDE', '/m/hooks.json'],
  ['GEMINI_CLI_HOME', '/m/.gemini/settings.json'],
  ['KIRO_HOME', '/m/agents/a.json'],
]

test('further places that variables move, and nothing where they say nothing absolute', () => {
  for (const [variable, path] of OURS) {
    assert.ok(isRoot(path, { [variable]: '/m' }), `${variable} ${path}`)
    for (const value of ['', 'm', './m', '~/m']) assert.ok(!isRoot(path, { [variable]: value }), `${variable}=${value}`)
  }
})

test('what a variable names by a link counts by both names', () => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'moved-')))
  try {
    symlinkSync(dir, join(dir, 'link'))
    const { home, moved } = whoseOf({ HOME, CODEX_HOME: join(dir, 'link') })
    assert.equal(home, HOME)
    assert.deepEqual(moved, [
      { to: join(dir, 'link'), usual: '.codex' },
      { to: dir, usual: '.codex' },
    ])
    assert.deepEqual(whoseOf({ HOME, XDG_CONFIG_HOME: `${HOME}/.config` }).moved, [])
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
})

test('the hook reads the variables of its own process', () => {
  const home = realpathSync(mkdtempSync(join(tmpdir(), 'moved-')))
  try {
    const file = join(home, 'elsewhere', 'sallyport', 'policy.jsonc')
    const input = JSON.stringify({
      ...{ session_id: 's', cwd: home, hook_event_name: 'PreToolUse', permission_mode: 'default' },
      ...{ tool_name: 'Write', tool_input: { file_path: file, content: '{}' } },
    })
    const said = (env: Env) =>
      spawnSync(process.execPath, [SALLYPORT, 'hook', 'claude', 'PreToolUse'], {
        input,
        cwd: home,
        env: { PATH: process.env['PATH'], HOME: home, ...env },
        encoding: 'utf8',
      }).stdout
    assert.doesNotMatch(said({}), /trust-root/)
    assert.match(said({ XDG_CONFIG_HOME: join(home, 'elsewhere') }), /"deny".*trust-root/)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
})
