/**
 * The real hosts, offline and headless: setup, a guarded session, doctor, and the way back. The denied call did not run,
 * the flood was contained, and what setup touched is as it was.
 */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { agentAround, surroundings } from '../src/cli/person/person.ts'
import { claude } from '../src/cli/probe/rig/claude.ts'
import { codex } from '../src/cli/probe/rig/codex.ts'
import { FLOOD_SCRIPT, UNKNOWN_FLOOD } from '../src/cli/probe/rig/contained.ts'
import { type Driver, oneByOne, type Scenario, startOf } from '../src/cli/probe/rig/scenario.ts'
import {
  baseEnvironment,
  driveDirectory,
  makeScratch,
  offline,
  removeScratch,
  runIn,
  type Scratch,
} from '../src/cli/probe/rig/scratch.ts'
import type { Call, Model } from '../src/cli/probe/rig/script.ts'
import { builtPackage } from './built.testing.ts'

interface Real {
  readonly driver: Driver
  /** The program's name on the PATH. */
  readonly name: string
  readonly settings: (at: Scratch) => string
  /** What stands in the settings before setup; undefined: there is no file. */
  readonly texts: Readonly<Record<string, string | undefined>>
  readonly shell: (id: string, command: string) => Call
  /** Other settings without which the host does not run. */
  readonly prepare?: (at: Scratch, model: Model) => void
  /** Checks of doctor that fail until the person has done his part. */
  readonly left: readonly string[]
}

const scenario = { mode: 'allowed' } as Scenario

const REAL: readonly Real[] = [
  {
    driver: claude,
    name: 'claude',
    settings: (at) => join(at.home, '.claude', 'settings.json'),
    texts: {
      'no settings': undefined,
      'a byte order mark, CRLF, blanks at the end':
        '\ufeff{\r\n\t"permissions": { "allow": [] },\r\n\t"hooks": {\r\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\r\n\t}\r\n}\r\n \t',
      'one line without its end, unknown keys': '{"somethingNew":{"a":[1.0]},"hooks":{"NoSuchEvent":[{"hooks":[]}]}}',
    },
    shell: (id, command) => ({ id, tool: 'Bash', input: { command, description: 'Work' } }),
    left: [],
  },
  {
    driver: codex,
    name: 'codex',
    settings: (at) => join(at.home, '.codex', 'hooks.json'),
    texts: {
      'no hooks': undefined,
      'hooks of another tool, CRLF, no newline at the end':
        '{\r\n  "hooks": {\r\n    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\r\n  }\r\n}',
    },
    shell: (id, command) => ({ id, tool: 'exec_command', input: { cmd: command } }),
    prepare: (at, model) => codex.configure(at, NOTHING, {}, model, { mode: 'bypass' } as Scenario),
    left: ['trust'],
  },
]
const NOTHING = { event: 'PreToolUse', matcher: '*', timeout: 10, command: 'true' }

const skipOf = ({ driver }: Real) =>
  driver.program(driveDirectory()) === undefined && process.env['SALLYPORT_REQUIRE_ALL'] !== '1' && 'not installed'

let root = ''
before(() => {
  if (!REAL.some(({ driver }) => driver.program(driveDirectory()))) return
  root = realpathSync(mkdtempSync(join(driveDirectory(), 'package-')))
  builtPackage(join(root, 'package'))
})
after(() => {
  if (root !== '') rmSync(root, { recursive: true, force: true })
})

function person(t: TestContext): boolean {
  const agent = agentAround(surroundings({}))
  if (agent !== undefined) t.skip(`not run: ${agent}`)
  return agent === undefined
}

for (const real of REAL)
  describe(`real ${real.driver.host}`, () => {
    const program = real.driver.program(driveDirectory())
    const skip = skipOf(real)
    for (const [what, text] of Object.entries(real.texts))
      test(`${what}: guarded between setup and uninstall`, { skip }, async (t) => {
        if (person(t)) await guarded(real, program!, text)
      })
  })

for (const real of REAL)
  test(`real ${real.driver.host}: guarded for one session, and nothing is left`, { skip: skipOf(real) }, async () => {
    const { driver, shell } = real
    const at = makeScratch()
    const model = await driver.startModel(oneByOne(shell('call_rm', 'rm -rf ~/precious')))
    try {
      real.prepare?.(at, model)
      rmSync(real.settings(at), { force: true })
      install(real, at)
      const own = driver.words(scenario).filter((word) => word !== '--dangerously-bypass-hook-trust')
      const wrapped = [
        process.execPath,
        join(root, 'package', 'bin', 'ctx.js'),
        'wrap',
        driver.host,
        '--',
        ...own,
      ] as const
      const environment = { ...offline(model.url), ...driver.environment(at, model), PATH: pathOf(at) }
      const ended = await runIn(at, [...wrapped], environment, 90_000)
      const told = `${ended.stderr}\n${JSON.stringify([...model.shown()])}`
      assert.equal(ended.exit, 0, told)
      assert.ok(existsSync(join(at.home, 'precious', 'letter.txt')), told)
      assert.match(model.shown().get('call_rm')?.text ?? '', /Sallyport: denied: deletes ~\/precious/, told)
      assert.equal(existsSync(real.settings(at)), false)
    } finally {
      await model.close()
      removeScratch(at)
    }
  })

async function guarded(real: Real, program: string, text: string | undefined): Promise<void> {
  const at = makeScratch()
  const { driver, shell } = real
  const model = await driver.startModel(
    oneByOne(shell('call_rm', 'rm -rf ~/precious'), shell('call_flood', UNKNOWN_FLOOD)),
  )
  try {
    writeFileSync(join(at.cwd, 'flood.sh'), FLOOD_SCRIPT, { mode: 0o755 })
    real.prepare?.(at, model)
    const file = real.settings(at)
    rmSync(file, { force: true })
    mkdirSync(dirname(file), { recursive: true })
    if (text !== undefined) writeFileSync(file, text)
    const set = ours(real, at, ['setup', '--yes', '--host', driver.host])
    assert.equal(set.code, 0, set.out)
    const environment = { ...offline(model.url), ...driver.environment(at, model) }
    const ended = await runIn(at, [...startOf(program), ...driver.words(scenario)], environment, 90_000)
    const shown = model.shown()
    const told = `${ended.stderr}\n${JSON.stringify([...shown])}`
    assert.ok(existsSync(join(at.home, 'precious', 'letter.txt')), told)
    assert.match(shown.get('call_rm')?.text ?? '', /Sallyport: denied: deletes ~\/precious/, told)
    assert.ok(existsSync(join(at.cwd, 'marker')), told)
    assert.match(shown.get('call_flood')?.text ?? '', /\[ctx exit \w+ \| 1500 lines/, told)
    assert.ok(!shown.get('call_flood')!.text.includes('line 700 of 1500'))
    // What the session left tells that its gate was asked about both.
    const status = JSON.parse(ours(real, at, ['status', '--json']).out)
    const [session] = status.sessions
    assert.deepEqual([session.host, session.gate, session.asked], [driver.host, 'live', 2], JSON.stringify(status))
    const doctor = JSON.parse(ours(real, at, ['doctor', '--json']).out)
    const checks = doctor.hosts[0].checks as { name: string; level: string }[]
    const failed = checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
    assert.deepEqual(failed, real.left, JSON.stringify(checks))
    if (real.left.length === 0) assert.ok(checks.some(({ name, level }) => name === 'host' && level === 'ok'))
    const gone = ours(real, at, ['uninstall', '--yes', '--host', driver.host])
    assert.equal(gone.code, 0, gone.out)
    assert.equal(existsSync(file) ? readFileSync(file, 'utf8') : undefined, text)
    assert.equal(existsSync(join(at.home, '.local', 'share', 'sallyport')), false)
  } finally {
    await model.close()
    spawnSync('chmod', ['-R', 'u+rwX', join(at.home, '.local')])
    removeScratch(at)
  }
}

/** Puts the host on the PATH of a scratch home. */
function install({ driver, name }: Real, at: Scratch): void {
  const program = driver.program(driveDirectory())!
  mkdirSync(join(at.root, 'bin'), { recursive: true })
  const node = program.endsWith('.js') ? `'${process.execPath}' ` : ''
  writeFileSync(join(at.root, 'bin', name), `#!/bin/sh\nexec ${node}'${program}' "$@"\n`, { mode: 0o755 })
}

const pathOf = (at: Scratch): string => `${join(at.root, 'bin')}:${baseEnvironment(at)['PATH']}`

/** Runs the shipped program in the scratch home, with the host on its PATH. */
function ours(real: Real, at: Scratch, words: readonly string[]): { code: number | null; out: string } {
  install(real, at)
  const env = { ...baseEnvironment(at), PATH: pathOf(at), ...(real.name === 'claude' ? { IS_SANDBOX: '1' } : {}) }
  const done = spawnSync(process.execPath, [join(root, 'package', 'bin', 'sallyport.js'), ...words], {
    ...{ cwd: at.cwd, env, encoding: 'utf8', timeout: 120_000 },
  })
  return { code: done.status, out: `${done.stdout}${done.stderr}` }
}
