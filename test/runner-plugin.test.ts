/**
 * The Antigravity plugin as the host would stage it: copied into a home directory with a Node laid there as a version
 * manager would, its own `hooks.json` command started from the plugin's root with nothing but the system's path.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { builtinModules } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { buildPlugin } from '../scripts/build-plugin.ts'
import { canonicalName } from '../src/adlc/adlc.ts'
import { readCases } from './adlc-published.testing.ts'
import { decisionOf, PLUGIN, type Ran, runIn, scratchOutsideTmp } from './runner-support.ts'

const NAME = 'antigravity-booster-sallyport'
/** Rows of the published guard that speak of the whole way of a call, or of bytes that are none. */
const WHOLE: ReadonlySet<number | string> = new Set([106, 112, 113])
const HOOKS = JSON.parse(readFileSync(join(PLUGIN, 'hooks.json'), 'utf8'))
const COMMAND: string = HOOKS['agb-policy-guard'].PreToolUse[0].hooks[0].command

let base: string
let home: string
let staged: string
/** An ADLC repository whose ticket freezes `lib/lock.mjs`. */
let repo: string

before(async () => {
  base = realpathSync(scratchOutsideTmp())
  home = join(base, 'home')
  staged = join(home, '.gemini', 'config', 'plugins', NAME)
  mkdirSync(staged, { recursive: true })
  for (const name of readdirSync(PLUGIN))
    if (name !== 'dist') cpSync(join(PLUGIN, name), join(staged, name), { recursive: true })
  await buildPlugin(join(staged, 'dist'), [22, 19], '0.0.0', new Set(['unbash', 'picomatch']))

  const bin = join(home, '.nvm', 'versions', 'node', process.version, 'bin')
  mkdirSync(bin, { recursive: true })
  try {
    linkSync(realpathSync(process.execPath), join(bin, 'node'))
  } catch {
    copyFileSync(process.execPath, join(bin, 'node'))
    chmodSync(join(bin, 'node'), 0o755)
  }

  repo = realpathSync(mkdtempSync(join(tmpdir(), 'plugin-repo-')))
  for (const dir of ['lib', '.adlc/tickets']) mkdirSync(join(repo, dir), { recursive: true })
  for (const file of ['lib/lock.mjs', 'lib/feature.mjs']) writeFileSync(join(repo, file), 'export const a = 1\n')
  writeFileSync(join(repo, '.adlc', 'config.json'), '{}')
  const ticket = { id: 'T1', title: 'A ticket', status: 'open', rails: ['lib/lock.mjs'], scope: ['lib/feature.mjs'] }
  writeFileSync(join(repo, '.adlc', 'tickets', canonicalName('T1')), JSON.stringify(ticket))
  writeFileSync(join(repo, '.adlc', 'tickets', '.store.json'), '{"format":"adlc-ticket-directory","version":1}')
  const git = (...args: string[]) =>
    assert.equal(
      spawnSync('git', ['-C', repo, '-c', 'user.name=a', '-c', 'user.email=a@example.org', ...args]).status,
      0,
    )
  git('init', '-q')
  git('add', '-A')
  git('commit', '-qm', 'all')
})

after(() => {
  for (const dir of [base, repo]) rmSync(dir, { recursive: true, force: true })
})

const hook = (input: string, env: NodeJS.ProcessEnv = {}): Promise<Ran> =>
  runIn('/bin/sh', ['-c', COMMAND], { cwd: staged, env: { PATH: '/usr/bin:/bin', HOME: home, ...env }, input })

const call = (name: string, args: object): string =>
  JSON.stringify({
    ...{ toolCall: { name, args }, stepIdx: 1, conversationId: 'c1', modelName: 'm' },
    ...{ workspacePaths: [repo], transcriptPath: '/x', artifactDirectoryPath: '/y' },
  })

const write = (path: string) =>
  call('write_to_file', { TargetFile: join(repo, path), CodeContent: 'x', toolSummary: 'a/b' })

describe('the plugin, staged', { concurrency: 2 }, () => {
  test('a write to the plugin itself is denied, by the guard and not by the fail-safe', async () => {
    const ran = await hook(call('write_to_file', { TargetFile: join(staged, 'hooks.json'), CodeContent: '{}' }))
    assert.equal(decisionOf(ran), 'deny')
    assert.doesNotMatch(ran.out, /fail-safe/)
  })

  test('a write to a frozen file is denied, with the rail', async () => {
    const ran = await hook(write('lib/lock.mjs'))
    assert.equal(ran.out, '{"decision":"deny","reason":"Target path matches frozen rail: lib/lock.mjs"}\n')
  })

  test('a write to the trust root is denied', async () => {
    const ran = await hook(write('.adlc/config.json'))
    assert.equal(decisionOf(ran), 'deny')
    assert.doesNotMatch(ran.out, /fail-safe/)
  })

  test('a harmless write is answered with nothing', async () => {
    assert.deepEqual(quick(await hook(write('lib/feature.mjs'))), { code: 0, out: '', err: '' })
  })

  test('a harmless command is answered with nothing', async () => {
    const ran = await hook(call('run_command', { CommandLine: 'git status', Cwd: repo }))
    assert.deepEqual(quick(ran), { code: 0, out: '', err: '' })
  })

  test('what is no JSON is denied by the guard', async () => {
    assert.equal((await hook('{nope')).out, '{"decision":"deny","reason":"malformed payload: invalid JSON"}\n')
  })

  test('a call without a tool is denied', async () => {
    const ran = await hook('{}')
    assert.equal(decisionOf(ran), 'deny')
    assert.doesNotMatch(ran.out, /fail-safe/)
  })

  for (const row of [...readCases('shell'), ...readCases('tools')])
    if (WHOLE.has(row.row) && row.world === 'A')
      test(`row ${row.id} of the published guard, by the guard and not by the fail-safe`, async () => {
        const input = row.stdin ?? JSON.stringify(row.payload).replaceAll('/lab/proj/active', repo)
        const ran = await hook(input)
        assert.deepEqual([decisionOf(ran), ran.code], [row.verdict[0], 0])
        assert.doesNotMatch(ran.out, /fail-safe/)
      })

  test('a worker is never asked', async () => {
    for (const env of [{ AGB_WORKER_TICKET: 'T1' }, { AGB_WORKER_MODE: 'readonly' }, { SALLYPORT_UNATTENDED: '1' }])
      for (const command of ['git status', 'git push --force origin main', 'rm -rf lib']) {
        const ran = await hook(call('run_command', { CommandLine: command, Cwd: repo }), env)
        assert.notEqual(decisionOf(ran), 'ask', command)
      }
  })

  test('a guard that is not there is no reason to let a call go on', async () => {
    const other = join(base, 'without')
    cpSync(staged, other, { recursive: true })
    rmSync(join(other, 'dist', 'hooks', 'pre-tool-use.core.cjs'))
    const env = { PATH: '/usr/bin:/bin', HOME: home }
    const ran = await runIn('/bin/sh', ['-c', COMMAND], { cwd: other, env, input: write('lib/feature.mjs') })
    assert.equal(decisionOf(ran), 'deny')
    assert.match(ran.out, /fail-safe/)
  })

  test('a disk that is full when the answer is written is no pass', () => {
    const child = join(staged, 'dist', 'hooks', 'pre-tool-use.bundle.mjs')
    const line = `'${process.execPath}' '${child}' > /dev/full`
    const ran = spawnSync('/bin/sh', ['-c', line], { input: '{}', env: { HOME: home } })
    assert.notEqual(ran.status, 0)
  })
})

describe('the plugin’s programs, staged', { concurrency: 2 }, () => {
  const ROOT_MARK = '$' + '{PLUGIN_ROOT}'

  test('the server for the host shows the tickets and tries the guard', async () => {
    const { command, args } = JSON.parse(readFileSync(join(staged, 'mcp_config.json'), 'utf8')).mcpServers.agb
    const ask = (id: number, method: string, params = {}) => JSON.stringify({ jsonrpc: '2.0', id, method, params })
    const input = [
      ask(1, 'initialize', { protocolVersion: '2025-06-18' }),
      '{"jsonrpc":"2.0","method":"notifications/initialized"}',
      ask(2, 'tools/list'),
      ask(3, 'tools/call', { name: 'agb_status', arguments: { repo } }),
      ask(4, 'tools/call', { name: 'agb_doctor' }),
      '',
    ].join('\n')
    const env = { PATH: '/usr/bin:/bin', HOME: home, PLUGIN_ROOT: staged }
    const filled = args.map((word: string) => word.replaceAll(ROOT_MARK, staged))
    const ran = await runIn(command, filled, { cwd: repo, env, input })
    assert.equal(ran.err, '')
    const said = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      said.map(({ id }) => id),
      [1, 2, 3, 4],
    )
    assert.deepEqual(
      said[1].result.tools.map((tool: { name: string }) => tool.name),
      ['agb_status', 'agb_doctor'],
    )
    const status = JSON.parse(said[2].result.content[0].text)
    assert.equal(status.root, staged)
    assert.ok(JSON.stringify(status.repo).includes('lib/lock.mjs'))
    const { checks } = JSON.parse(said[3].result.content[0].text)
    const level = (name: string) => checks.find((check: { name: string }) => check.name === name)?.level
    assert.deepEqual([level('files'), level('self-test'), level('plugins')], ['ok', 'ok', 'ok'])
    const data = join(home, '.gemini/antigravity-cli/plugin_data/antigravity-booster')
    assert.equal(JSON.parse(readFileSync(join(data, 'rails-guard-health.json'), 'utf8')).railsTrusted, true)
  })

  test('its own program starts, without anything beside it', async () => {
    const launcher = join(staged, 'bin', 'node-launcher.sh')
    const how = { cwd: repo, env: { PATH: '/usr/bin:/bin', HOME: home }, input: '' }
    for (const args of [['--version'], ['--help']]) {
      const ran = await runIn('/bin/sh', [launcher, 'dist/agb.mjs', ...args], how)
      assert.deepEqual([ran.code, ran.err], [0, ''], args.join())
      assert.match(ran.out, /agb/)
    }
  })
})

describe('the plugin’s program moves it into another home', () => {
  test('there and back', async () => {
    const other = join(base, 'other home')
    const plugins = join(other, '.gemini', 'config', 'plugins')
    mkdirSync(other)
    const agb = (...args: string[]) =>
      runIn(process.execPath, [join(staged, 'dist', 'agb.mjs'), ...args], {
        ...{ cwd: other, env: { PATH: '/usr/bin:/bin', HOME: other }, input: '' },
      })
    const there = await agb('migrate')
    assert.deepEqual([there.code, there.err], [0, ''])
    assert.deepEqual(readdirSync(plugins), [NAME])
    assert.deepEqual(
      readFileSync(join(plugins, NAME, 'dist/hooks/pre-tool-use.cjs')),
      readFileSync(join(staged, 'dist/hooks/pre-tool-use.cjs')),
    )
    assert.match(readFileSync(join(other, '.local', 'bin', 'agb'), 'utf8'), /'[^']*other home[^']*node-launcher\.sh'/)
    assert.equal((await agb('migrate')).code, 1)
    const back = await agb('migrate', '--rollback')
    assert.deepEqual([back.code, back.err], [0, ''])
    assert.deepEqual(readdirSync(plugins), [])
  })

  test('from within itself: a process of its own takes the plugin away once the program has ended', async () => {
    const other = join(base, 'third home')
    const config = join(other, '.gemini', 'config')
    mkdirSync(other)
    const how = { cwd: other, env: { PATH: '/usr/bin:/bin', HOME: other }, input: '' }
    const there = await runIn(process.execPath, [join(staged, 'dist', 'agb.mjs'), 'migrate', '--yes'], how)
    assert.deepEqual([there.code, there.err], [0, ''])
    const own = join(config, 'plugins', NAME)
    const back = await runIn(process.execPath, [join(own, 'dist', 'agb.mjs'), 'migrate', '--rollback'], how)
    assert.deepEqual([back.code, back.err], [0, ''])
    assert.match(back.out, /as soon as its program has ended/)
    const data = join(other, '.gemini/antigravity-cli/plugin_data/antigravity-booster')
    const state = () => JSON.parse(readFileSync(join(data, 'migration-state.json'), 'utf8')).state
    const ended = () => state() === 'ROLLED_BACK' && !existsSync(join(data, '.migration.lock.d'))
    for (let waited = 0; waited < 20_000 && !ended(); waited += 50) await setTimeout(50)
    assert.deepEqual([state(), existsSync(own)], ['ROLLED_BACK', false])
  })
})

const quick = ({ code, out, err }: Ran) => ({ code, out, err })

describe('the plugin’s files', () => {
  test('one hook, as its contract says', () => {
    const hooks = [
      {
        type: 'command',
        command: '/bin/sh bin/hook-runner.sh --timeout 9 dist/hooks/pre-tool-use.bundle.mjs',
        timeout: 15,
      },
    ]
    assert.deepEqual(HOOKS, { 'agb-policy-guard': { PreToolUse: [{ matcher: '*', hooks }] } })
    const plugin = JSON.parse(readFileSync(join(PLUGIN, 'plugin.json'), 'utf8'))
    assert.equal(plugin.name, NAME)
    assert.equal(plugin.version, JSON.parse(readFileSync(join(PLUGIN, '../../package.json'), 'utf8')).version)
  })

  test('what is built needs nothing but Node', () => {
    const dir = join(staged, 'dist', 'hooks')
    for (const name of readdirSync(dir)) {
      const text = readFileSync(join(dir, name), 'utf8')
      const asked = [...text.matchAll(/\b(?:require|import)\(["']([\w@:./-]+)["']\)/g)].map((match) => match[1]!)
      assert.deepEqual(
        asked.filter((one) => !builtinModules.includes(one.replace(/^node:/, '')) && !one.startsWith('./pre-tool-use')),
        [],
        name,
      )
      assert.ok(!text.includes(base) && !text.includes(process.cwd()), name)
    }
  })

  test('building again gives the same bytes', async () => {
    const again = join(base, 'again')
    await buildPlugin(again, [22, 19], '0.0.0', new Set(['unbash', 'picomatch']))
    for (const name of readdirSync(join(again, 'hooks')))
      assert.deepEqual(
        readFileSync(join(again, 'hooks', name)),
        readFileSync(join(staged, 'dist', 'hooks', name)),
        name,
      )
  })
})
