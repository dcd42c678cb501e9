/** Setup, doctor, status and the way back, with the shipped program on scratch homes. */
import assert from 'node:assert/strict'
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { agentAround, surroundings } from '../src/cli/person/person.ts'
import { isYes } from '../src/cli/setup/setup.ts'
import { KNOWN } from '../src/setup/hosts.ts'
import { BEFORE, type Home, settingsOf, shipped, wire } from './setup.testing.ts'

const built = shipped()
const { home } = built
/** The hook of the package itself. */
const dist = () => join(built.dir, 'package', 'dist', 'hook.cjs')
/** Hosts that have settings of a user. */
const OF_USER = KNOWN.filter(({ row }) => row.files.some(({ settings }) => settings.user !== undefined))
const ALL = OF_USER.map(({ host }) => host.id).join(',')

/** Only a person takes the guard out: below an agent these tests cannot run. */
function person(t: TestContext): boolean {
  const agent = agentAround(surroundings({}))
  if (agent !== undefined) t.skip(`not run: ${agent}`)
  return agent === undefined
}

const wired = (hosts: string, shared = false, scope = 'user'): Home => wire(home(shared), hosts, scope)

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
    for (const { host } of OF_USER)
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
    // What stays is told, with the way to remove it.
    const state = at.file('.local/state/sallyport')
    assert.doesNotMatch(gone.out, new RegExp(`rm -r (?:\\S+ )*${state}(?:\\s|$)`), gone.out)
    const advised = /^what can go \((.+)\): rm -r (.+)$/m.exec(gone.out)
    assert.match(advised![1]!, /^log, /)
    for (const path of advised![2]!.split(' '))
      assert.ok(existsSync(path) && !/snapshots|managed|backups/.test(path.slice(state.length)), path)
    assert.doesNotMatch(gone.out, /^stays: /m)
    for (const name of readdirSync(state))
      assert.match(gone.out, new RegExp(`^what .* ${join(state, name)}(?: |$)`, 'm'))
    assert.match(at.run(['uninstall']).out, /^nothing of setup is registered with any host\nwhat can go /)
    // What exists nowhere else is named, and is in no advice to remove it.
    const dear = ['snapshots/s_1/x', 'managed/credentials/x'].map((name) => join(state, name))
    const policy = at.file('.config/sallyport/policy.jsonc')
    for (const file of [...dear, policy, `${policy}.bak`]) {
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      writeFileSync(file, '{ "v": 1 }\n')
    }
    assert.equal(at.run(['setup', '--yes', '--host', 'claude']).code, 0)
    const again = at.run(['uninstall', '--yes'])
    for (const path of [`${state}/snapshots`, `${state}/managed`, policy, `${policy}.bak`]) {
      assert.match(again.out, new RegExp(`^stays: .*${path}(?:,| )`, 'm'))
      assert.doesNotMatch(again.out, new RegExp(`rm -r .*${path}`))
    }
    assert.deepEqual(readdirSync(at.file('.local/state/sallyport/hosts')), [])
    assert.deepEqual(readdirSync(at.file('.local/state/sallyport/backups')), [])
  })

  for (const { host } of KNOWN)
    test(`of ${host.id} alone: doctor is content but for what is the person’s, and the gate answers`, () => {
      const at = wired(host.id, true, OF_USER.some((one) => one.host === host) ? 'user' : 'project')
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

  test('doctor ends in one line that counts and names what is wrong', () => {
    const last = (at: Home) => at.run(['doctor', '--static']).out.trimEnd().split('\n').at(-1)
    assert.match(last(home())!, /^1 problem: no host is wired; \d+ warnings?$/)
    const at = wired('claude', true)
    assert.match(last(at)!, /^no problems; \d+ warnings?$/)
    rmSync(at.file('.claude/settings.json'))
    assert.match(last(at)!, /^1 problem: settings of Claude Code; \d+ warnings?$/)
  })

  test('status and doctor tell of a pause until it is over, and are not content meanwhile', () => {
    const at = wired('claude', true)
    const until = new Date(Math.floor(Date.now() / 1000) * 1000 + 30 * 60_000)
    const shown = until.toISOString().replace('T', ' ').replace('.000', '')
    at.write('.local/state/sallyport/pause.json', JSON.stringify({ until: until.getTime() }))
    const told = at.run(['status'])
    assert.match(told.out, new RegExp(`^PAUSED: a person has paused the guard until ${shown}: .*sallyport pause off\n`))
    const { ok, pausedUntil } = JSON.parse(at.run(['status', '--json']).out)
    assert.deepEqual([told.code, ok, pausedUntil], [1, false, until.toISOString()])
    const doctor = at.run(['doctor', '--static'])
    assert.match(doctor.out, new RegExp(`^ {2}FAIL pause: a person has paused the guard until ${shown}: `, 'm'))
    assert.match(doctor.out, /^1 problem: pause of this machine; /m)
    assert.equal(doctor.code, 1)
    // A pause that is over is none.
    at.write('.local/state/sallyport/pause.json', JSON.stringify({ until: Date.now() - 1 }))
    const after = at.run(['status'])
    assert.deepEqual([after.code, /pause/i.test(after.out)], [0, false])
    assert.doesNotMatch(at.run(['doctor', '--static']).out, /pause/)
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

  for (const [what, setup] of [
    ['and setup', true],
    ['and no setup', false],
  ] as const)
    test(`entries put in by hand, ${what}: uninstall takes them out, says so, and names a copy of the file`, (t) => {
      if (!person(t)) return
      const at = home()
      const config = at.run(['wrap', 'claude', '--print-config'], { name: 'ctx' }).out
      const text = `{ "model": "opus",${config.slice(config.indexOf('{') + 1)}`
      at.write('.claude/settings.json', text)
      if (setup) assert.match(at.run(['setup', '--yes', '--host', 'claude']).out, /wired already|renews its entries/)
      const planned = at.run(['uninstall', '--dry-run']).out
      assert.match(
        planned,
        /takes its entries out of \S+\/settings\.json, which were there before setup or without it\n/,
      )
      const { code, out } = at.run(['uninstall', '--yes'])
      assert.equal(code, 0, out)
      assert.doesNotMatch(out, /byte for byte/)
      assert.match(out, /settings\.json is without its entries, which were there before setup or without it\n/)
      const copy = /^ {2}as it was with them it is kept in (.+)$/m.exec(out)?.[1]
      assert.equal(readFileSync(copy!, 'utf8'), text)
      assert.deepEqual(JSON.parse(at.read('.claude/settings.json')), { model: 'opus' })
    })

  test('a gate that was put in by hand is seen by doctor and status, which say so, and tried', () => {
    const at = home(true)
    const hook = dist()
    const line = (event: string, path = hook) => `${JSON.stringify(process.execPath)} ${path} claude ${event}`
    const put = (path: string, ...events: string[]) =>
      at.write(
        '.claude/settings.json',
        JSON.stringify({
          hooks: Object.fromEntries(
            events.map((event) => [
              event,
              [{ matcher: '*', hooks: [{ type: 'command', command: line(event, path) }] }],
            ]),
          ),
        }),
      )
    const told = () => [at.run(['status']), at.run(['doctor', '--static'])] as const
    const file = at.file('.claude/settings.json')
    const takes = 'wired by hand; sallyport setup --host claude takes it over'
    put(hook, 'PreToolUse', 'PostToolUse')
    const before = at.tree()
    const [status, doctor] = told()
    assert.deepEqual([status.code, doctor.code], [0, 0], doctor.out)
    assert.match(status.out, new RegExp(`^Claude Code \\(user\\): its gate stands in ${file}\n {2}${takes}\n`))
    assert.match(doctor.out, /^Claude Code \(user, wired by hand\)$/m)
    assert.match(
      doctor.out,
      new RegExp(`^ {2}warn settings: ${file}: ${takes}, which also registers .*SessionStart`, 'm'),
    )
    assert.match(doctor.out, /^ {2}ok {3}canary: the hook for PreToolUse answers/m)
    assert.match(doctor.out, /^no problems; /m)
    assert.deepEqual(
      JSON.parse(at.run(['status', '--json']).out).gates.map((gate: { byHand: true; host: string }) => [
        gate.host,
        gate.byHand,
      ]),
      [['claude', true]],
    )
    assert.deepEqual(at.tree(), before)

    const bad: readonly [what: string, put: () => void, says: RegExp][] = [
      ['without a gate', () => put(hook, 'PostToolUse'), /an entry for PreToolUse is missing/],
      [
        'of a hook that is gone',
        () => put('/nowhere/dist/hook.cjs', 'PreToolUse'),
        /names \/nowhere\/dist\/hook\.cjs, which/,
      ],
      [
        'in a file that the host drops',
        () => at.write('.claude/settings.json', `// mine\n${at.read('.claude/settings.json')}`),
        /settings: \S+settings\.json: .*strict JSON/,
      ],
    ]
    for (const [what, make, says] of bad) {
      make()
      for (const { code, out } of told()) {
        assert.equal(code, 1, `${what}: ${out}`)
        assert.match(out, says, what)
      }
    }
    // What another program registered is none of ours.
    at.write('.claude/settings.json', '{"hooks":{"PreToolUse":[{"hooks":[{"type":"command","command":"./mine.sh"}]}]}}')
    for (const { out } of told()) assert.match(out, /^no host is wired; run sallyport setup$/m)
  })

  test('a hook that a project registers by itself is told of and never started', () => {
    const at = home(true)
    const mark = at.file('started')
    at.write('work/evil/hook.cjs', `require('node:fs').writeFileSync(${JSON.stringify(mark)}, '')`)
    const command = `${process.execPath} ${at.file('work/evil/hook.cjs')} claude PreToolUse`
    at.write(
      'work/.claude/settings.local.json',
      JSON.stringify({ hooks: { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] } }),
    )
    const { out } = at.run(['doctor'])
    assert.match(out, /warn canary: a hook that was registered by hand here is not tried/)
    assert.match(out, /sallyport setup --scope project --host claude takes it over/)
    assert.equal(existsSync(mark), false)
  })

  for (const { host } of OF_USER)
    test(`of ${host.id}: what setup wrote is seen also where its record is gone`, () => {
      const at = wired(host.id, true)
      rmSync(at.file('.local/state/sallyport/hosts'), { recursive: true })
      const { gates } = JSON.parse(at.run(['status', '--json']).out)
      const [gate, ...more] = gates as { host: string; byHand: boolean; faults: { name: string }[] }[]
      const faults = gate?.faults.map(({ name }) => name)
      assert.deepEqual(
        [gate?.host, gate?.byHand, faults, more],
        [host.id, true, host.id === 'codex' ? ['trust'] : [], []],
      )
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

  test('the copy of a setup that could wire nothing is known to uninstall, and stays while settings name it', (t) => {
    if (!person(t)) return
    const at = home()
    at.write('.claude/settings.json', '{ // mine\n}\n')
    const before = at.tree()
    const { out } = at.run(['setup', '--yes', '--host', 'claude'])
    const [name] = readdirSync(at.file('.local/share/sallyport'))
    const copy = at.file(`.local/share/sallyport/${name}`)
    // A person puts the snippet in, with a hook of his own beside ours, which nobody takes apart.
    const snippet = JSON.parse(/^ {4}\{[\s\S]*^ {4}\}$/m.exec(out)![0])
    snippet.hooks.PreToolUse[0].hooks.push({ type: 'command', command: './mine.sh' })
    at.write('.claude/settings.json', JSON.stringify(snippet))
    assert.equal(at.run(['setup', '--yes', '--host', 'kiro']).code, 0)
    const other = at.run(['uninstall', '--yes'])
    assert.equal(other.code, 0, other.out)
    assert.ok(existsSync(copy), other.out)
    assert.match(
      other.out,
      new RegExp(`^stays: ${copy}, a copy of this program that settings of a host still name$`, 'm'),
    )
    at.write('.claude/settings.json', '{ // mine\n}\n')
    assert.match(at.run(['uninstall', '--dry-run']).out, new RegExp(`^removes ${copy}, .*\nnothing was changed`, 'm'))
    assert.deepEqual([at.run(['uninstall']).code, existsSync(copy)], [1, true])
    const gone = at.run(['uninstall', '--yes'])
    assert.match(gone.out, new RegExp(`^${copy} is gone$`, 'm'))
    assert.doesNotMatch(gone.out, /not known to sallyport/)
    assert.deepEqual([gone.code, existsSync(at.file('.local/share/sallyport')), at.tree()], [0, false, before])
  })

  test('two setups at once, and one beside an uninstall, wait for each other', async (t) => {
    if (!person(t)) return
    const at = home()
    const before = at.tree()
    const words = ['setup', '--yes', '--host', 'claude,kiro']
    const both = await Promise.all([at.beside(words), at.beside(words)])
    assert.deepEqual(
      both.map(({ code }) => code),
      [0, 0],
      JSON.stringify(both),
    )
    assert.equal(at.read('.claude/settings.json').split('claude PreToolUse"').length, 2)
    const [, gone] = await Promise.all([at.beside(words), at.beside(['uninstall', '--yes'])])
    assert.equal(gone!.code, 0, JSON.stringify(gone))
    // Whichever came last: what is registered is there, or nothing is.
    if (existsSync(at.file('.claude/settings.json'))) assert.equal(at.run(['doctor', '--static']).code, 0)
    assert.equal(at.run(['uninstall', '--yes']).code, 0)
    assert.deepEqual(at.tree(), before)
    assert.deepEqual(
      readdirSync(at.file('.local/state/sallyport')).filter((name) => name.includes('lock')),
      [],
    )
  })

  test('what a setup that was killed had begun to put together goes with the next one', () => {
    const at = home()
    // No process has such a number.
    at.write('.local/share/sallyport/.0.0.1.999999999/dist/hook.cjs', '')
    at.write(`.local/share/sallyport/.0.0.1.${process.pid}/dist/hook.cjs`, '')
    assert.equal(at.run(['setup', '--yes', '--host', 'kiro']).code, 0)
    const left = readdirSync(at.file('.local/share/sallyport')).filter((name) => name.startsWith('.'))
    assert.deepEqual(left, [`.0.0.1.${process.pid}`])
  })

  test('an empty or a relative HOME moves nothing', () => {
    for (const HOME of ['', 'here']) {
      const at = home(true)
      const env = { HOME, XDG_STATE_HOME: at.file('state') }
      const { out, err } = at.run(['setup', '--dry-run', '--host', 'claude'], { env })
      assert.match(out, /makes \/|adds to \/|as it is/, out + err)
      assert.doesNotMatch(out, /makes (?!\/)/)
    }
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

test('a yes is one letter or the whole word, in any case', () => {
  for (const [answer, yes] of [
    ...['y', 'Y', 'yes', 'YES', ' Yes '].map((text) => [text, true] as const),
    ...['', 'n', 'no', 'yess', 'ye', 'y n', 'ja'].map((text) => [text, false] as const),
  ])
    assert.equal(isYes(answer), yes, JSON.stringify(answer))
})
