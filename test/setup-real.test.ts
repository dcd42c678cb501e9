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
import { cline } from '../src/cli/probe/rig/cline.ts'
import { codex } from '../src/cli/probe/rig/codex.ts'
import { FAILING_FLOOD, FLOOD_SCRIPT, UNKNOWN_FLOOD } from '../src/cli/probe/rig/contained.ts'
import { copilot } from '../src/cli/probe/rig/copilot.ts'
import { gemini } from '../src/cli/probe/rig/gemini.ts'
import { opencode } from '../src/cli/probe/rig/opencode.ts'
import { pi } from '../src/cli/probe/rig/pi.ts'
import { qwen } from '../src/cli/probe/rig/qwen.ts'
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
  /** Files that setup writes, below the home directory. */
  readonly files: readonly string[]
  /** What becomes of the first of them before setup, from what the host needs in it; undefined: there is none. */
  readonly texts: Readonly<Record<string, (needed: string | undefined) => string | undefined>>
  readonly shell: (id: string, command: string) => Call
  /** Other settings without which the host does not run. */
  readonly prepare?: (at: Scratch, model: Model) => void
  /** A flood, and what the model sees of it. */
  readonly flood: { readonly command: string; readonly shown: RegExp; readonly ran: boolean; readonly whole?: true }
  /** The host ends the run at a denial, and the model sees no reason. */
  readonly ends?: true
  /** Checks of doctor that fail until the person has done his part. */
  readonly left?: readonly string[]
  /** Words of the driver that its wrapped form does not need. */
  readonly unneeded?: string
}

const scenario = { mode: 'allowed' } as Scenario
const NOTHING = { event: 'PreToolUse', matcher: '*', timeout: 10, command: 'true' }
const ready = (driver: Driver) => (at: Scratch, model: Model) =>
  driver.configure(at, NOTHING, {}, model, { mode: 'bypass' } as Scenario)

const DIGESTED = { command: UNKNOWN_FLOOD, shown: /\[ctx exit \w+ \| \d+ lines/, ran: true } as const
const crlf = (text = '{}\n') => `${text.trimEnd().replaceAll('\n', '\r\n')}  \r\n\t`
const versioned = (text = '{}\n') => text.replace(/\n\}\n$/, ',\n  "$version": 4\n}\n')
const AS_IS = { 'as it was': (text: string | undefined) => text }
const NONE = { 'no file': () => undefined }

const REAL: readonly Real[] = [
  {
    driver: claude,
    name: 'claude',
    files: ['.claude/settings.json'],
    texts: {
      ...NONE,
      'a byte order mark, CRLF, blanks at the end': () =>
        '\ufeff{\r\n\t"permissions": { "allow": [] },\r\n\t"hooks": {\r\n\t\t"Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\r\n\t}\r\n}\r\n \t',
      'one line without its end, unknown keys': () =>
        '{"somethingNew":{"a":[1.0]},"hooks":{"NoSuchEvent":[{"hooks":[]}]}}',
    },
    shell: (id, command) => ({ id, tool: 'Bash', input: { command, description: 'Work' } }),
    flood: DIGESTED,
  },
  {
    driver: codex,
    name: 'codex',
    files: ['.codex/hooks.json'],
    texts: {
      ...NONE,
      'hooks of another tool, CRLF, no newline at the end': () =>
        '{\r\n  "hooks": {\r\n    "Stop": [{ "hooks": [{ "type": "command", "command": "true" }] }]\r\n  }\r\n}',
    },
    shell: (id, command) => ({ id, tool: 'exec_command', input: { cmd: command } }),
    prepare: ready(codex),
    flood: DIGESTED,
    left: ['trust'],
    unneeded: '--dangerously-bypass-hook-trust',
  },
  {
    driver: copilot,
    name: 'copilot',
    files: ['.copilot/hooks/sallyport.json'],
    texts: NONE,
    shell: (id, command) => ({ id, tool: 'bash', input: { command, description: 'Work' } }),
    prepare: ready(copilot),
    // The host itself shows a part of it.
    flood: { command: UNKNOWN_FLOOD, shown: /Output too large to read at once|\[ctx exit/, ran: true },
  },
  {
    driver: opencode,
    name: 'opencode',
    files: ['.config/opencode/plugins/sallyport.js'],
    texts: NONE,
    shell: (id, command) => ({ id, tool: 'bash', input: { command, description: 'Work' } }),
    prepare: ready(opencode),
    flood: DIGESTED,
  },
  {
    driver: qwen,
    name: 'qwen',
    files: ['.qwen/settings.json'],
    // It would put its version there itself, which is no change of ours.
    texts: {
      'as it was': (text) => versioned(text),
      'CRLF, blanks at the end': (text) => crlf(versioned(text)),
    },
    shell: (id, command) => ({
      id,
      tool: 'run_shell_command',
      input: { command, description: 'Work', is_background: false },
    }),
    prepare: ready(qwen),
    // Neither input nor output can be changed: the bounded form is named.
    flood: { command: FAILING_FLOOD, shown: /CTX_CONTEXT_GUARD: routed through ctx/, ran: false },
  },
  {
    driver: gemini,
    name: 'gemini',
    files: ['.gemini/settings.json'],
    texts: { ...AS_IS, 'CRLF, blanks at the end': crlf },
    shell: (id, command) => ({ id, tool: 'run_shell_command', input: { command, description: 'Work' } }),
    prepare: ready(gemini),
    flood: DIGESTED,
  },
  {
    driver: pi,
    name: 'pi',
    files: ['.pi/agent/extensions/sallyport.js'],
    texts: NONE,
    shell: (id, command) => ({ id, tool: 'bash', input: { command } }),
    prepare: ready(pi),
    flood: DIGESTED,
  },
  {
    driver: cline,
    name: 'cline',
    files: ['.cline/hooks/PreToolUse', '.cline/hooks/PostToolUse'],
    texts: NONE,
    shell: (id, command) => ({ id, tool: 'run_commands', input: { commands: [command] } }),
    prepare: ready(cline),
    // Nothing is contained there: no result can be replaced, and no table knows this program.
    flood: { command: UNKNOWN_FLOOD, shown: /line 1 of 1500/, ran: true, whole: true },
    ends: true,
  },
]

/** Driven where they are installed; the others where that is asked for. */
const ALWAYS: ReadonlySet<string> = new Set(['claude', 'codex'])
const all = process.env['SALLYPORT_DRIVE'] === 'all'
const driven = REAL.filter(({ driver }) => all || ALWAYS.has(driver.host))

const skipOf = ({ driver }: Real) =>
  driver.program(driveDirectory()) === undefined && process.env['SALLYPORT_REQUIRE_ALL'] !== '1' && 'not installed'

let root = ''
before(async () => {
  if (!driven.some(({ driver }) => driver.program(driveDirectory()))) return
  root = realpathSync(mkdtempSync(join(driveDirectory(), 'package-')))
  await builtPackage(join(root, 'package'))
})
after(() => {
  if (root !== '') rmSync(root, { recursive: true, force: true })
})

function person(t: TestContext): boolean {
  const agent = agentAround(surroundings({}))
  if (agent !== undefined) t.skip(`not run: ${agent}`)
  return agent === undefined
}

for (const real of driven)
  describe(`real ${real.driver.host}`, () => {
    for (const [what, text] of Object.entries(real.texts))
      test(`${what}: guarded between setup and uninstall`, { skip: skipOf(real) }, async (t) => {
        if (person(t)) await guarded(real, text)
      })
    test('guarded for one session, and nothing is left', { skip: skipOf(real) }, () => once(real))
  })

const removal = (real: Real): Call => real.shell('call_rm', 'rm -rf ~/precious')

/** The denied call did not run; the model saw why, where the host goes on. */
function denied(real: Real, at: Scratch, model: Model, told: string): void {
  assert.ok(existsSync(join(at.home, 'precious', 'letter.txt')), told)
  if (!real.ends) assert.match(model.shown().get('call_rm')?.text ?? '', /Sallyport: denied: deletes ~\/precious/, told)
}

/** Files below the home directory that setup may touch, and those of the host beside them. */
const touched = (real: Real, at: Scratch): readonly (string | undefined)[] =>
  real.files.map((name) => (existsSync(join(at.home, name)) ? readFileSync(join(at.home, name), 'utf8') : undefined))

async function guarded(real: Real, text: (needed: string | undefined) => string | undefined): Promise<void> {
  const at = makeScratch()
  const { driver, shell, flood } = real
  const model = await driver.startModel(oneByOne(shell('call_flood', flood.command), removal(real)))
  try {
    writeFileSync(join(at.cwd, 'flood.sh'), FLOOD_SCRIPT, { mode: 0o755 })
    real.prepare?.(at, model)
    const file = join(at.home, real.files[0]!)
    const wanted = text(existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    rmSync(file, { force: true })
    mkdirSync(dirname(file), { recursive: true })
    if (wanted !== undefined) writeFileSync(file, wanted)
    const before = touched(real, at)
    const set = ours(real, at, ['setup', '--yes', '--host', driver.host])
    assert.equal(set.code, 0, set.out)
    const environment = { ...offline(model.url), ...driver.environment(at, model) }
    const start = startOf(driver.program(driveDirectory())!)
    const ended = await runIn(at, [...start, ...driver.words(scenario)], environment, 90_000)
    const shown = model.shown()
    const told = `${ended.stderr}\n${ended.stdout.slice(0, 2000)}\n${JSON.stringify([...shown]).slice(0, 4000)}`
    denied(real, at, model, told)
    assert.equal(existsSync(join(at.cwd, 'marker')), flood.ran, told)
    assert.match(shown.get('call_flood')?.text ?? '', flood.shown, told)
    if (!flood.whole) assert.ok(!shown.get('call_flood')!.text.includes('line 700 of'), told)
    // What the session left tells that its gate was asked about both.
    const status = JSON.parse(ours(real, at, ['status', '--json']).out)
    const [session] = status.sessions
    assert.deepEqual([session?.host, session?.gate], [driver.host, 'live'], JSON.stringify(status))
    assert.ok((session.asked ?? 2) >= 2, JSON.stringify(status))
    // The host's own record of it was found and read.
    assert.ok(session.asked === undefined || session.calls >= 1, JSON.stringify(status))
    const doctor = JSON.parse(ours(real, at, ['doctor', '--json']).out)
    const checks = doctor.hosts[0].checks as { name: string; level: string }[]
    const failed = checks.filter(({ level }) => level === 'fail').map(({ name }) => name)
    assert.deepEqual(failed, real.left ?? [], JSON.stringify(checks))
    const gone = ours(real, at, ['uninstall', '--yes', '--host', driver.host])
    assert.equal(gone.code, 0, gone.out)
    assert.deepEqual(touched(real, at), before)
    assert.equal(existsSync(join(at.home, '.local', 'share', 'sallyport')), false)
  } finally {
    await model.close()
    spawnSync('chmod', ['-R', 'u+rwX', join(at.home, '.local')])
    removeScratch(at)
  }
}

async function once(real: Real): Promise<void> {
  const { driver } = real
  const at = makeScratch()
  const model = await driver.startModel(oneByOne(removal(real)))
  try {
    real.prepare?.(at, model)
    const [text] = Object.values(real.texts)
    const file = join(at.home, real.files[0]!)
    const wanted = text?.(existsSync(file) ? readFileSync(file, 'utf8') : undefined)
    for (const name of real.files) rmSync(join(at.home, name), { force: true })
    if (wanted !== undefined) writeFileSync(file, wanted)
    const before = touched(real, at)
    install(real, at)
    const own = driver.words(scenario).filter((word) => word !== real.unneeded)
    const ctx = join(root, 'package', 'bin', 'ctx.js')
    const environment = { ...offline(model.url), ...driver.environment(at, model), PATH: pathOf(at) }
    const ended = await runIn(at, [process.execPath, ctx, 'wrap', driver.host, '--', ...own], environment, 90_000)
    denied(real, at, model, `${ended.stderr}\n${JSON.stringify([...model.shown()])}`)
    assert.deepEqual(touched(real, at), before)
  } finally {
    await model.close()
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
