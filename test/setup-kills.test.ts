/** A gate that is killed is told by doctor and by status, and which one. */
import assert from 'node:assert/strict'
import {
  chmodSync,
  chownSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { KNOWN } from '../src/setup/hosts.ts'
import { pathOf } from '../src/setup/wire/row.ts'
import { giveAway, type Home, PLAIN, shipped, wire } from './setup.testing.ts'

const { home } = shipped()
const wired = (hosts: string, shared = false, scope = 'user'): Home => wire(home(shared), hosts, scope)

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
    kill: (_at, dir) => spoil(join(dir, globSync('dist/hook-*/hook-core.cjs', { cwd: dir })[0]!)),
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

describe('a gate that is killed is told, and which one', () => {
  for (const { what, check, says, kill, plain, fixed } of KILLS)
    test(what, (t) => {
      if (plain && process.getuid?.() !== 0) return t.skip('not run: needs a second user')
      const at = wired('claude', check !== 'runtime')
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
    const at = wired('claude', true)
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

/** What kills the gate of any host: each file that setup wrote, and its program. */
interface AnyKill {
  readonly what: string
  readonly check: string
  readonly says: RegExp
  readonly kill: (path: string, at: Home) => void
  readonly plain?: true
  /** Files that this says something about. */
  readonly of?: (path: string) => boolean
}

const ANY: readonly AnyKill[] = [
  { what: 'is deleted', check: 'settings', says: /is gone/, kill: (path) => rmSync(path) },
  {
    what: 'is cut off',
    check: 'settings',
    says: /not JSON|not TOML|changed since setup/,
    kill: (path) => writeFileSync(path, readFileSync(path, 'utf8').trimEnd().slice(0, -3)),
  },
  {
    what: 'starts another hook',
    check: 'settings',
    says: /is missing|is not as setup wrote it|changed since setup/,
    kill: (path) => writeFileSync(path, readFileSync(path, 'utf8').replaceAll('hook.cjs', 'hook.off')),
    of: (path) => !path.endsWith('plugin.json'),
  },
  // The last one: the home is another user's from then on.
  {
    what: 'cannot be read',
    check: 'settings',
    says: /cannot be read \(EACCES\)/,
    kill: (path) => chmodSync(path, 0),
    plain: true,
  },
]

describe('a file of any host that is killed is told, and which one', () => {
  for (const { host, row } of KNOWN) {
    const scope = row.files.some(({ settings }) => settings.user !== undefined) ? 'user' : 'project'
    let wiredOnce: Home | undefined
    for (const { what, check, says, kill, plain, of } of ANY)
      test(`${host.id}: each file that ${what}`, (t) => {
        if (plain && process.getuid?.() !== 0) return t.skip('not run: needs a second user')
        // Each file is put back as it was, so that one home serves all.
        wiredOnce ??= wired(host.id, true, scope)
        const at = wiredOnce
        const places = row.files.flatMap(({ settings }) => settings[scope] ?? [])
        const paths = places.map((place) => pathOf(place, { home: at.path, env: {}, project: at.file('work') }))
        if (plain) giveAway(at)
        const as = plain ? PLAIN : undefined
        for (const path of paths.filter((one) => of?.(one) ?? true)) {
          const whole = readFileSync(path)
          const { mode } = statSync(path)
          kill(path, at)
          const doctor = at.run(['doctor', '--json', '--static'], { as })
          assert.equal(doctor.code, 1, doctor.out + doctor.err)
          const checks = JSON.parse(doctor.out).hosts[0].checks as { name: string; level: string; detail: string }[]
          const failed = checks.filter(({ level }) => level === 'fail')
          assert.ok(
            failed.some(({ name, detail }) => name === check && says.test(detail) && detail.includes(path)),
            JSON.stringify(failed),
          )
          const status = at.run(['status'], { as })
          assert.equal(status.code, 1)
          assert.ok(status.out.includes(`${host.title} (${scope}): its gate is DEAD`), status.out)
          assert.ok(status.out.includes(path), status.out)
          rmSync(path, { force: true })
          writeFileSync(path, whole, { mode })
          chmodSync(path, mode)
          if (plain) chownSync(path, PLAIN, PLAIN)
        }
      })
  }

  test('a probe that found a hole in the version that is here', () => {
    const at = home(true)
    at.program('claude', '2.1.400')
    assert.equal(at.run(['setup', '--yes', '--host', 'claude']).code, 1)
    const checksOf = () => {
      const { code, out } = at.run(['doctor', '--static', '--json'])
      const checks = JSON.parse(out).hosts[0].checks as { name: string; level: string; detail: string }[]
      return { code, of: (name: string) => checks.find((one) => one.name === name) }
    }
    const unprobed = checksOf()
    assert.deepEqual([unprobed.code, unprobed.of('version')?.level, unprobed.of('probe')], [0, 'warn', undefined])
    const probed = (ran: boolean) =>
      at.write(
        '.local/state/sallyport/probes/claude.json',
        JSON.stringify({
          ...{ v: 1, host: 'claude', version: '2.1.400', at: '2026-11-30T00:00:00Z' },
          findings: [{ id: 'shell-deny', claim: 'pre.deny yes: it did not run', holds: !ran, ran }],
        }),
      )
    probed(false)
    const held = checksOf()
    assert.deepEqual([held.code, held.of('version')?.level, held.of('probe')?.level], [0, 'ok', 'ok'])
    probed(true)
    const hole = checksOf()
    assert.deepEqual([hole.code, hole.of('probe')?.level], [1, 'fail'])
    assert.match(hole.of('probe')!.detail, /differs from the table in 1 of 1 scenarios: shell-deny/)
    assert.match(at.run(['status']).out, /its gate is DEAD\n {2}probe: /)
  })

  for (const { host, row } of KNOWN.filter(({ row: { least } }) => least !== undefined))
    test(`${host.id}: a version that is too old`, () => {
      const at = home(true)
      at.program(row.programs[0]!, row.leastOf === undefined ? '0.0.1' : '2001.01.01')
      const { code, out } = at.run(['setup', '--yes', '--host', host.id])
      assert.equal(code, 1, out)
      for (const verb of [['doctor', '--static'], ['status']]) {
        const told = at.run(verb)
        assert.equal(told.code, 1, told.out)
        assert.match(told.out, /version: .* is (?:0\.0\.1|2001\.01\.01), older than/)
      }
    })
})

/** The runtime as its owner may spoil it. */
function loosen(dir: string): void {
  for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true }))
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o755)
  chmodSync(dir, 0o755)
}
