/** The names of guards, out of the files in which hosts register hooks. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { answer } from '../core/driver.ts'
import type { Answer } from '../core/question.ts'
import type { World } from '../core/world.ts'
import type { Moved } from '../paths/moved.ts'
import { checkFrozenWorld, frozenWorld } from '../world/frozen.ts'
import { guardNames } from './guard-names.ts'

const HOME = '/home/dev'
const ROOT = '/home/dev/proj'
const OURS = ['agb', 'ctx', 'sallyport']

function namesIn(files: Readonly<Record<string, string>>, moved: readonly Moved[] = []): readonly string[] {
  const world = checkFrozenWorld(
    {
      platform: 'linux',
      user: 'dev',
      home: HOME,
      cwd: ROOT,
      workspaces: [ROOT],
      env: {},
      session: { id: 's', interactive: true, created: [], denied: [] },
      files: Object.fromEntries(Object.entries(files).map(([path, content]) => [path, { type: 'file', content }])),
      git: {},
    },
    'names',
  )
  const budget = { ms: 5_000, start: 0, questions: 10_000 }
  return [...answer(guardNames(HOME, [ROOT], moved), frozenWorld(world), budget).value]
    .filter((name) => !OURS.includes(name))
    .sort()
}

/** Hooks as Claude Code and those that took its form write them. */
const groups = (event: string, command: string) => ({
  [event]: [{ matcher: '*', hooks: [{ type: 'command', command }] }],
})
const json = (value: unknown) => JSON.stringify(value)
const hooks = (command: string) => json({ hooks: groups('PreToolUse', command) })

const ROWS: readonly { readonly host: string; readonly at: string; readonly text: string }[] = [
  { host: 'Claude Code', at: `${HOME}/.claude/settings.json`, text: hooks('ward hook') },
  {
    host: 'Codex',
    at: `${HOME}/.codex/config.toml`,
    text: '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = "ward hook"\n',
  },
  {
    host: 'Copilot CLI',
    at: `${HOME}/.copilot/hooks/a.json`,
    text: json({ version: 1, hooks: { preToolUse: [{ type: 'command', bash: 'ward' }] } }),
  },
  { host: 'Droid', at: `${HOME}/.factory/hooks.json`, text: json(groups('PreToolUse', 'ward hook')) },
  { host: 'Droid, in its settings', at: `${ROOT}/.factory/settings.json`, text: hooks('/opt/bin/ward hook') },
  { host: 'Grok', at: `${HOME}/.grok/hooks/a.json`, text: hooks('node /opt/ward.mjs') },
  { host: 'Grok in a project', at: `${ROOT}/.grok/hooks/b.json`, text: hooks('ward') },
  {
    host: 'Kimi Code',
    at: `${HOME}/.kimi-code/config.toml`,
    text: 'model = "x"\n\n[[hooks]]\nevent = "PreToolUse"\ncommand = "ward hook kimi"\ntimeout = 5\n',
  },
  {
    host: 'Kimi Code, quoted',
    at: `${HOME}/.kimi-code/config.toml`,
    text: '[[ hooks ]]\ncommand = \'sh "/opt/ward.sh"\' # ours\n',
  },
  {
    host: 'Windsurf',
    at: `${HOME}/.codeium/windsurf/hooks.json`,
    text: json({ hooks: { pre_run_command: [{ command: 'ward', show_output: true }] } }),
  },
  {
    host: 'Windsurf in a project',
    at: `${ROOT}/.windsurf/hooks.json`,
    text: json({ hooks: { pre_write_code: [{ command: 'ward' }] } }),
  },
  { host: 'Devin', at: `${HOME}/.config/devin/config.json`, text: hooks('ward') },
  { host: 'Devin in a project', at: `${ROOT}/.devin/hooks.v1.json`, text: json(groups('PreToolUse', 'ward')) },
  { host: 'Devin on one machine', at: `${ROOT}/.devin/config.local.json`, text: hooks('ward') },
  {
    host: 'Kiro',
    at: `${HOME}/.kiro/hooks/a.json`,
    text: json({
      version: 'v1',
      hooks: [{ name: 'w', trigger: 'PreToolUse', action: { type: 'command', command: 'ward' } }],
    }),
  },
  {
    host: 'an agent of Kiro',
    at: `${ROOT}/.kiro/agents/a.json`,
    text: json({ name: 'a', hooks: { preToolUse: [{ command: 'ward' }] }, mcpServers: { x: { command: 'other' } } }),
  },
]

for (const { host, at, text } of ROWS)
  test(`a guard of ${host} is known by its name`, () => assert.deepEqual(namesIn({ [at]: text }), ['ward']))

const NONE: readonly { readonly what: string; readonly at: string; readonly text: string }[] = [
  { what: 'a program that the tables know', at: `${HOME}/.grok/hooks/a.json`, text: hooks('npm run lint') },
  {
    what: 'a command outside the hooks',
    at: `${HOME}/.kimi-code/config.toml`,
    text: '[[hooks]]\nevent = "x"\n[mcp.x]\ncommand = "ward"\n',
  },
  { what: 'a file that is no JSON', at: `${HOME}/.factory/hooks.json`, text: '{"hooks": ward' },
  { what: 'another file beside the hooks', at: `${HOME}/.grok/hooks/README.md`, text: hooks('ward') },
  { what: 'a server', at: `${ROOT}/.devin/config.json`, text: json({ mcpServers: { x: { command: 'ward' } } }) },
]

for (const { what, at, text } of NONE) test(`${what} is no guard`, () => assert.deepEqual(namesIn({ [at]: text }), []))

test('hooks are found where a variable put the settings', () => {
  const moved = [{ to: '/x/grok', usual: '.grok' }]
  assert.deepEqual(namesIn({ '/x/grok/hooks/a.json': hooks('ward') }, moved), ['ward'])
})

test('hooks are found in a home and in a project with more names than are looked through', () => {
  const many = Object.fromEntries(
    [HOME, ROOT].flatMap((dir) => Array.from({ length: 300 }, (_, i) => [`${dir}/.a${i}`, ''])),
  )
  assert.deepEqual(namesIn({ ...many, [`${HOME}/.grok/hooks/a.json`]: hooks('ward') }), ['ward'])
  assert.deepEqual(namesIn({ ...many, [`${ROOT}/.qwen/settings.json`]: hooks('ward') }), ['ward'])
})

test('hooks are found where a root cannot be listed; a name in other letters counts where it may be meant', () => {
  const asked = (listed: Answer) => {
    const world: World = {
      now: () => 0,
      answer: (question) =>
        question.ask === 'list' ? listed : question.ask === 'text' ? { text: hooks('ward'), cut: false } : 'absent',
    }
    const { value, facts } = answer(guardNames(HOME, [ROOT]), world, { ms: 5_000, start: 0, questions: 10_000 })
    return { found: value.has('ward'), texts: facts.filter(({ question }) => question.ask === 'text').length }
  }
  const entries = (...names: string[]) => names.map((name) => ({ name, kind: 'dir' }) as const)
  assert.equal(asked('unknown').found, true)
  assert.equal(asked({ entries: entries('a'), cut: true }).found, true)
  assert.equal(asked({ entries: entries('.Claude'), cut: false }).found, true)
  assert.deepEqual(asked({ entries: entries('src', '.git'), cut: false }), { found: false, texts: 0 })
  assert.deepEqual(asked('absent'), { found: false, texts: 0 })
})
