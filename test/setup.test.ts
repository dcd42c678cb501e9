/** Setup, doctor, status and the way back, with the shipped program on scratch homes. */
import assert from 'node:assert/strict'
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { agentAround, surroundings } from '../src/cli/person/person.ts'
import { KNOWN } from '../src/setup/hosts.ts'
import { pathOf } from '../src/setup/wire/row.ts'
import { type Home, shipped } from './setup.testing.ts'

const { home } = shipped()
const ALL = KNOWN.map(({ host }) => host.id).join(',')

/** Only a person takes the guard out: below an agent these tests cannot run. */
function person(t: TestContext): boolean {
  const agent = agentAround(surroundings({}))
  if (agent !== undefined) t.skip(`not run: ${agent}`)
  return agent === undefined
}

/** What a person has before setup, by the host: other hooks, odd blanks, line ends of Windows, no newline at the end. */
const BEFORE: Readonly<Record<string, string | undefined>> = {
  claude:
    '{\r\n\t"model": "opus",\r\n\t"hooks": {\r\n\t\t"PreToolUse": [{ "matcher": "Bash", "hooks": [] }]\r\n\t}\r\n}  \r\n\t',
  codex: '{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }',
}

const settingsOf = (at: Home, host: string): string =>
  pathOf(KNOWN.find((one) => one.host.id === host)!.row.files[0]!.settings.user!, {
    home: at.path,
    env: {},
    project: at.path,
  })

function wired(hosts: string, shared = false): Home {
  const at = home(shared)
  for (const host of hosts.split(',')) {
    const text = BEFORE[host]
    if (text !== undefined) at.write(settingsOf(at, host).slice(at.path.length + 1), text)
  }
  const { code, out, err } = at.run(['setup', '--yes', '--host', hosts])
  assert.equal(code, 0, out + err)
  return at
}

describe('setup and the way back', () => {
  test('wire every host that is named though none is found, change nothing the second time, and leave no trace', (t) => {
    if (!person(t)) return
    const at = home()
    for (const [host, text] of Object.entries(BEFORE))
      if (text !== undefined) at.write(settingsOf(at, host).slice(at.path.length + 1), text)
    const before = at.tree()
    const dry = at.run(['setup', '--dry-run', '--host', ALL])
    assert.deepEqual([dry.code, at.tree()], [0, before])
    const first = at.run(['setup', '--yes', '--host', ALL])
    assert.equal(first.code, 0, first.out + first.err)
    for (const { host } of KNOWN)
      assert.match(first.out, new RegExp(`${host.title}: its program was not found; it is wired all the same`))
    const after = at.tree()
    assert.notDeepEqual(after, before)
    assert.equal(at.run(['setup', '--yes']).code, 0)
    assert.deepEqual(at.tree(), after)
    const planned = at.run(['uninstall', '--dry-run'])
    assert.deepEqual([planned.code, at.tree()], [0, after])
    const gone = at.run(['uninstall', '--yes'])
    assert.equal(gone.code, 0, gone.out + gone.err)
    assert.deepEqual(at.tree(), before)
    assert.equal(existsSync(at.file('.local/share/sallyport')), false)
    assert.deepEqual(readdirSync(at.file('.local/state/sallyport/hosts')), [])
    assert.deepEqual(readdirSync(at.file('.local/state/sallyport/backups')), [])
  })

  for (const { host } of KNOWN)
    test(`of ${host.id} alone: doctor is content but for what is the person’s, and the gate answers`, () => {
      const at = wired(host.id, true)
      const { code, out } = at.run(['doctor', '--json'])
      const [report] = JSON.parse(out).hosts as {
        host: string
        checks: { name: string; level: string; detail: string }[]
      }[]
      assert.equal(report!.host, host.id)
      const failed = report!.checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
      assert.deepEqual([failed, code], host.id === 'codex' ? [['trust'], 1] : [[], 0], out)
      assert.ok(
        report!.checks.some(({ name, level }) => name === 'canary' && level === 'ok'),
        out,
      )
    })

  test('the settings of a project are its own', (t) => {
    if (!person(t)) return
    const at = home()
    const before = at.tree()
    const { code, out } = at.run(['setup', '--yes', '--host', 'claude', '--scope', 'project'])
    assert.equal(code, 0, out)
    assert.ok(at.read('work/.claude/settings.local.json').includes('claude PreToolUse'))
    assert.equal(existsSync(at.file('.claude')), false)
    assert.equal(at.run(['uninstall', '--yes', '--scope', 'user']).code, 0)
    assert.ok(existsSync(at.file('work/.claude/settings.local.json')))
    assert.equal(at.run(['uninstall', '--yes', '--scope', 'project']).code, 0)
    assert.deepEqual(at.tree(), before)
  })

  test('what cannot be read is left alone, with the snippet', () => {
    const at = home()
    at.write('.claude/settings.json', '{ // mine\n}\n')
    const { code, out } = at.run(['setup', '--yes', '--host', 'claude'])
    assert.equal(code, 1)
    assert.match(out, /strict JSON/)
    assert.match(out, /"matcher": "\*"/)
    assert.equal(at.read('.claude/settings.json'), '{ // mine\n}\n')
    // Whoever puts the snippet in by hand registers a program that is there.
    const named = /(\/[^\s"'\\]+\/dist\/hook\.cjs)/.exec(out)?.[1]
    assert.ok(named !== undefined && existsSync(named), out)
  })

  const usage: readonly [words: readonly string[], code: number, says: RegExp][] = [
    [['setup', '--host', 'nosuch'], 2, /^sallyport setup: there is no host "nosuch"; the hosts are [^\n]+\n$/],
    [['setup', '--scope', 'team', '--yes'], 2, /^sallyport setup: --scope is user or project[^\n]+\n$/],
    [['setup'], 1, /^sallyport setup: no host was found[^\n]+\n$/],
    [['setup', '--host', 'claude'], 1, /^sallyport setup: [^\n]+say --yes\n$/],
    [['doctor', '--host', 'nosuch'], 2, /^sallyport doctor: there is no host[^\n]+\n$/],
  ]
  for (const [words, code, says] of usage)
    test(`${words.join(' ')} ends with ${code}`, () => {
      const at = home()
      const ran = at.run(words)
      assert.equal(ran.code, code, ran.out + ran.err)
      assert.match(ran.err, says)
    })

  test('hosts on the PATH are found, others are not touched', () => {
    const at = home()
    at.program('claude', '2.1.332')
    const { out } = at.run(['setup', '--dry-run'])
    assert.match(out, /Claude Code: 2\.1\.332 at /)
    assert.doesNotMatch(out, /Codex/)
  })

  test('the runtime is read-only and another build of the same version stands beside it', () => {
    const at = wired('claude')
    const [name] = readdirSync(at.file('.local/share/sallyport'))
    const dir = at.file(join('.local/share/sallyport', name!))
    const manifest = JSON.parse(readFileSync(join(dir, 'manifest.json'), 'utf8')) as { files: Record<string, string> }
    assert.ok('dist/hook.cjs' in manifest.files && 'bin/ctx.js' in manifest.files)
    if (process.getuid?.() !== 0) assert.throws(() => writeFileSync(join(dir, 'dist/hook.cjs'), ''))
    chmodSync(join(dir, 'manifest.json'), 0o644)
    const other = { ...manifest, files: { ...manifest.files, 'package.json': '0'.repeat(64) } }
    writeFileSync(join(dir, 'manifest.json'), JSON.stringify(other))
    at.run(['setup', '--yes', '--host', 'claude'])
    assert.equal(readdirSync(at.file('.local/share/sallyport')).length, 2)
    assert.ok(at.read('.claude/settings.json').includes(`${name}-`))
  })
})

interface Kill {
  readonly what: string
  /** The check that must say so, and in which words. */
  readonly check: string
  readonly says: RegExp
  readonly kill: (at: Home, runtime: string) => void
  /** As a user who is not root: modes bind him. */
  readonly plain?: true
  /** `doctor --fix` brings it back. */
  readonly fixed?: true
}

const SETTINGS = '.claude/settings.json'
const edit = (from: string | RegExp, to: string) => (at: Home) =>
  at.write(SETTINGS, at.read(SETTINGS).replace(from, to))

const KILLS: readonly Kill[] = [
  {
    what: 'the settings are deleted',
    check: 'settings',
    says: /is gone/,
    kill: (at) => rmSync(at.file(SETTINGS)),
    fixed: true,
  },
  {
    what: 'the settings cannot be read',
    check: 'settings',
    says: /cannot be read \(EACCES\)/,
    kill: (at) => chmodSync(at.file(SETTINGS), 0),
    plain: true,
  },
  {
    what: 'the directory cannot be entered',
    check: 'settings',
    says: /cannot be read \(EACCES\)/,
    kill: (at) => chmodSync(at.file('.claude'), 0),
    plain: true,
  },
  { what: 'the JSON is broken', check: 'settings', says: /not JSON/, kill: edit(/\}\s*$/, '') },
  { what: 'a comment is put into it', check: 'settings', says: /strict JSON/, kill: edit('{', '{ // note\n') },
  {
    what: 'the file is emptied',
    check: 'settings',
    says: /not JSON/,
    kill: (at) => at.write(SETTINGS, ''),
    fixed: true,
  },
  {
    what: 'the entry is taken out',
    check: 'settings',
    says: /PreToolUse is missing/,
    kill: edit('"PreToolUse"', '"PreToolUsed"'),
    fixed: true,
  },
  {
    what: 'onFailure is taken out',
    check: 'settings',
    says: /is not as setup wrote it/,
    kill: edit(/"onFailure":\s*"block"/, '"onFailure":"continue"'),
    fixed: true,
  },
  {
    what: 'the command is another one',
    check: 'settings',
    says: /PostToolUse is not as setup wrote it/,
    kill: edit('claude PostToolUse"', 'claude PostToolUse --x"'),
    fixed: true,
  },
  {
    what: 'hooks are switched off',
    check: 'switches',
    says: /disableAllHooks/,
    kill: edit('{', '{ "disableAllHooks": true,'),
  },
  {
    what: 'the hook is deleted',
    check: 'runtime',
    says: /hook\.cjs is gone/,
    kill: (_at, dir) => rmSync(join(dir, 'dist/hook.cjs')),
    fixed: true,
  },
  {
    what: 'a part of the hook is changed',
    check: 'runtime',
    says: /hook-core\.cjs was changed/,
    kill: (_at, dir) => spoil(join(dir, 'dist/hook-core.cjs')),
    fixed: true,
  },
  {
    what: 'the hook cannot be read',
    check: 'runtime',
    says: /cannot be read \(EACCES\)/,
    kill: (_at, dir) => chmodSync(join(dir, 'dist/hook.cjs'), 0),
    plain: true,
    fixed: true,
  },
  {
    what: 'the Node is deleted',
    check: 'runtime',
    says: /node is gone/,
    kill: (_at, dir) => rmSync(join(dir, 'node')),
    fixed: true,
  },
  {
    what: 'the runtime is deleted',
    check: 'runtime',
    says: /is gone/,
    kill: (_at, dir) => rmSync(dir, { recursive: true }),
    fixed: true,
  },
  {
    what: 'the host is too old',
    check: 'version',
    says: /is 1\.0\.88, older than/,
    kill: (at) => at.program('claude', '1.0.88'),
  },
]

function spoil(path: string): void {
  chmodSync(path, 0o644)
  writeFileSync(path, `${readFileSync(path, 'utf8')} `)
}

/** The user whom modes bind. */
const PLAIN = 65_534

describe('a gate that is killed is told, and which one', () => {
  for (const { what, check, says, kill, plain, fixed } of KILLS)
    test(what, (t) => {
      if (plain && process.getuid?.() !== 0) return t.skip('not run: needs a second user')
      const at = wired('claude', check !== 'runtime' && !plain)
      const runtime = join(at.data, 'sallyport', readdirSync(join(at.data, 'sallyport'))[0]!)
      if (check === 'runtime') loosen(runtime)
      kill(at, runtime)
      const as = plain ? PLAIN : undefined
      if (plain) giveAway(at)
      const doctor = at.run(['doctor', '--json'], { as })
      assert.equal(doctor.code, 1, doctor.out + doctor.err)
      const checks = JSON.parse(doctor.out).hosts[0].checks as { name: string; level: string; detail: string }[]
      const failed = checks.filter(({ level }) => level === 'fail')
      assert.ok(
        failed.some(({ name, detail }) => name === check && says.test(detail)),
        JSON.stringify(failed),
      )
      const status = at.run(['status'], { as })
      assert.equal(status.code, 1)
      assert.match(status.out, /Claude Code \(user\): its gate is DEAD/)
      assert.match(status.out, says)
      if (!fixed) return
      const mended = at.run(['doctor', '--fix', '--json'], { as })
      assert.equal(mended.code, 0, mended.out + mended.err)
      assert.equal(at.run(['status'], { as }).code, 0)
    })

  test('a store that cannot be written', (t) => {
    if (process.getuid?.() !== 0) return t.skip('not run: needs a second user')
    const at = wired('claude')
    mkdirSync(at.file('.local/state/sallyport/store'))
    giveAway(at)
    chmodSync(at.file('.local/state/sallyport/store'), 0o500)
    const { code, out } = at.run(['doctor', '--json'], { as: PLAIN })
    assert.equal(code, 1)
    const store = (JSON.parse(out).checks as { name: string; level: string; detail: string }[]).find(
      ({ name }) => name === 'store',
    )
    assert.deepEqual([store?.level, /EACCES/.test(store?.detail ?? '')], ['fail', true])
  })
})

/** The runtime as its owner may spoil it. */
function loosen(dir: string): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  chmodSync(dir, 0o755)
}

function giveAway(at: Home): void {
  for (const entry of readdirSync(at.path, { recursive: true, withFileTypes: true }))
    chownSync(join(entry.parentPath, entry.name), PLAIN, PLAIN)
  chownSync(at.path, PLAIN, PLAIN)
  chmodSync(join(at.path, '..'), 0o755)
}
