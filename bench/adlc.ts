/**
 * What tickets cost a verdict: a repository of 500 tickets and 200 rails on disk, judged in this process, once with what
 * the process read before and once without, and as a host runs the hook. `npm run bench -- adlc [rounds]`. Processor time
 * (of one cached verdict, user and system) hardly depends on what else runs.
 */
import { spawnSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { canonicalName } from '../src/adlc/adlc.ts'
import { readCases } from '../src/cli/check/cases.ts'
import type { ToolCall } from '../src/core/call.ts'
import { answer } from '../src/core/driver.ts'
import type { World } from '../src/core/world.ts'
import type { Context } from '../src/guard/context.ts'
import { judge } from '../src/guard/judge.ts'
import { hostOf } from '../src/hosts/registry.ts'
import { EMPTY_POLICY, type Profile } from '../src/policy/policy.ts'
import { EMPTY_SESSION } from '../src/session/session.ts'
import { diskWorld } from '../src/world/disk.ts'
import { replayWorld } from '../src/world/replay.ts'
import { median, ms, quantile, table } from './stats.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = join(ROOT, 'dist/hook.cjs')
const ROUNDS = 200
const TICKETS = 500
const RAILS = 200
/** Rounds that only warm the engine. */
const COLD = 20
/** Milliseconds after which the store's files count as unchanged by their times. */
const SETTLED = 2_100
/** A cold store is read anew each time: fewer rounds say as much. */
const PART = 8
const BUDGET = { ms: 5_000, questions: 50_000 }

interface Scene {
  readonly home: string
  readonly project: string
}

export function run(args: readonly string[]): void {
  const rounds = Math.max(1, Number(args[0] ?? ROUNDS) || ROUNDS)
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'bench-')))
  try {
    const scene = layScene(scratch)
    pause(SETTLED)
    const load = loadavg()[0]!.toFixed(1)
    say(
      `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} processors, load ${load}; ` +
        `${TICKETS} tickets, ${RAILS} rails on disk`,
    )
    for (const profile of ['adlc', 'standard'] as const) inProcess(scene, profile, rounds)
    wholeProcess(scene, Math.max(5, Math.round(rounds / PART)))
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const pause = (time: number): void => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, time)

const say = (text: string): void => void process.stdout.write(`${text}\n`)

/**
 * The everyday commands in that repository; those that wait for git are left out. Each is judged once in a first round, whose
 * commands this process has never judged, and once in a second.
 */
function everyday(scene: Scene, timed: (call: ToolCall) => number | undefined): void {
  const commands = readCases(join(ROOT, 'cases/benign.jsonl')).map(({ command }) => command!)
  const calls = commands.map((command) => callOf({ name: '', tool: 'Bash', input: { command } }, scene))
  for (const round of ['first', 'second']) {
    const times = calls.flatMap((call) => timed(call) ?? [])
    say(
      `${times.length} of ${calls.length} everyday commands (without those that wait for git), cached, ${round} round: median ${ms(median(times))}, p95 ${ms(quantile(times, 0.95))}`,
    )
  }
}

/** What projects freeze: mostly single files and directories, some patterns. */
function railOf(i: number): string {
  const area = `src/area${i % 20}`
  if (i % 10 < 5) return `${area}/mod${i}/contract.ts`
  if (i % 10 < 7) return `${area}/frozen${i}/**`
  if (i % 10 < 8) return `${area}/gen${i}/*.{json,lock}`
  return i % 10 < 9 ? `test/suite${i}/**/*.golden` : `**/schema${i}.[jt]s`
}

/** A directory that one of the rails freezes. */
const FROZEN = 'src/area5/frozen5'

function layScene(scratch: string): Scene {
  const home = join(scratch, 'home')
  const project = join(home, 'work', 'proj')
  const put = (name: string, text: string) => {
    const path = join(project, name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  put('package.json', '{"name":"proj","scripts":{"test":"node --test"}}\n')
  put('.gitignore', 'node_modules\ndist\n')
  for (let i = 0; i < 60; i++) put(`lib/part${i % 6}/file${i}.ts`, `export const a = ${i}\n`)
  for (let i = 0; i < RAILS; i++)
    if (i % 10 < 5) put(railOf(i), 'export type T = string\n')
    else put(`src/area${i % 20}/frozen${i}/a.ts`, 'export {}\n')
  put('.adlc/config.json', '{}\n')
  put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}\n')
  for (let i = 0; i < TICKETS; i++) {
    const id = `T${i}`
    const active = i % 5 === 0
    const rails = active ? [railOf((i / 5) * 2), railOf((i / 5) * 2 + 1)] : [railOf(i % RAILS)]
    const ticket = {
      ...{ id, title: `Ticket number ${i}`, rails, scope: [`lib/part${i % 6}/**`] },
      ...(active ? {} : { status: 'completed' }),
      edges: i === 0 ? [] : [{ to: `T${i - 1}` }],
      notes: 'what the ticket is about, in a few words that make it as long as tickets usually are. '.repeat(8),
    }
    put(`.adlc/tickets/${canonicalName(id)}`, `${JSON.stringify(ticket, undefined, 2)}\n`)
  }
  const git = (...words: string[]) =>
    spawnSync('git', ['-c', 'user.name=bench', '-c', 'user.email=bench@example.org', ...words], {
      cwd: project,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, GIT_CONFIG_NOSYSTEM: '1' },
    })
  git('init', '-q', '-b', 'main')
  git('add', '-A')
  git('commit', '-q', '-m', 'first')
  return { home, project }
}

interface Sample {
  readonly name: string
  readonly tool: string
  readonly input: Readonly<Record<string, unknown>>
  /**
   * Its verdict waits for git, which takes far longer than all else: it does not count for the sum. To start a process
   * takes longer the larger this one is: tens of milliseconds here, two in a hook.
   */
  readonly git?: true
}

const samples = (project: string): readonly Sample[] => [
  { name: 'read', tool: 'Bash', input: { command: 'cat lib/part1/file1.ts | head -5' } },
  { name: 'read, by tool', tool: 'Read', input: { file_path: `${project}/lib/part1/file1.ts` } },
  { name: 'harmless write', tool: 'Write', input: { file_path: `${project}/lib/part1/new.ts`, content: 'x\n' } },
  { name: 'railed write', tool: 'Write', input: { file_path: `${project}/${FROZEN}/new.ts`, content: 'x\n' } },
  { name: 'shell write', tool: 'Bash', input: { command: 'mkdir -p lib/part2/x && echo hi > lib/part2/x/a.txt' } },
  {
    name: 'globs',
    tool: 'Bash',
    input: { command: 'mkdir -p out && cp lib/part*/file1?.ts lib/{part1,part2}/*.ts out/ && cat lib/**/*.md > out/a' },
  },
  { name: 'railed edit, git', tool: 'Edit', input: { file_path: `${project}/${railOf(0)}` }, git: true },
  {
    name: 'rm with globs, git',
    tool: 'Bash',
    input: { command: 'rm -f lib/part*/file1?.ts out/{a,b}*.js' },
    git: true,
  },
]

function callOf(sample: Sample, scene: Scene): ToolCall {
  const payload = {
    ...{ session_id: 'bench', cwd: scene.project, permission_mode: 'default', hook_event_name: 'PreToolUse' },
    ...{ tool_name: sample.tool, tool_input: sample.input },
  }
  const decoded = hostOf('claude')!.decode(payload, 'PreToolUse', { version: undefined, unattended: false, env: {} })
  if (decoded.is !== 'pre') throw new Error(`the call ${sample.name} cannot be read`)
  return { ...decoded.call, workspaces: [scene.project] }
}

function inProcess(scene: Scene, profile: Profile, rounds: number): void {
  const context: Context = {
    ...{ policy: { ...EMPTY_POLICY, profile }, session: EMPTY_SESSION, mode: { is: 'interactive' }, unattended: false },
    ...{ platform: process.platform === 'darwin' ? 'darwin' : 'linux', home: scene.home, user: 'dev' },
  }
  const env = { HOME: scene.home, PATH: '/usr/bin:/bin' }
  const judged = (call: ToolCall, world: World) =>
    answer(judge(call, context), world, { ...BUDGET, start: world.now() })
  const timed = (call: ToolCall, world: World): number => {
    const from = process.hrtime.bigint()
    judged(call, world)
    return Number(process.hrtime.bigint() - from) / 1e6
  }
  const times = (count: number, call: ToolCall, world: () => World): number[] => {
    for (let i = 0; i < Math.min(COLD, count); i++) timed(call, world())
    return Array.from({ length: count }, () => timed(call, world()))
  }
  const kept = diskWorld({ env, cwd: scene.project })
  /** What was changed a moment ago is read anew by every verdict. */
  const touch = () => {
    const dir = join(scene.project, '.adlc/tickets')
    const now = new Date()
    for (const name of readdirSync(dir)) utimesSync(join(dir, name), now, now)
  }
  const all: number[] = []
  const rows = samples(scene.project).map((sample) => {
    const call = callOf(sample, scene)
    const { value, facts } = judged(call, kept)
    const recorded = replayWorld(facts)
    times(COLD, call, () => kept)
    const before = process.cpuUsage()
    const cached = Array.from({ length: rounds }, () => timed(call, kept))
    const { user, system } = process.cpuUsage(before)
    touch()
    const fresh = Array.from({ length: Math.ceil(rounds / PART) }, () => timed(call, kept))
    pause(SETTLED)
    const replayed = times(rounds, call, () => recorded)
    if (!sample.git) all.push(...cached)
    const cells = [cached, fresh, replayed].flatMap((list) => [ms(median(list)), ms(quantile(list, 0.95))])
    return [sample.name, value.verdict.decision, ms((user + system) / 1000 / rounds), ...cells]
  })
  say(`\nOne verdict in this process, profile ${profile}, ${rounds} rounds, milliseconds`)
  const head = ['', 'verdict', 'processor', 'cached', 'p95', 'not cached', 'p95', 'recorded facts', 'p95']
  say(table([head, ...rows, ['all but git', '', '', ms(median(all)), ms(quantile(all, 0.95))]]))
  everyday(scene, (call) => {
    const { facts } = judged(call, kept)
    const time = timed(call, kept)
    return facts.some(({ question }) => question.ask === 'git') ? undefined : time
  })
}

function wholeProcess(scene: Scene, rounds: number): void {
  if (!existsSync(HOOK)) {
    say('\nThe hook is not built: npm run build, for times of whole processes')
    return
  }
  const env = { PATH: process.env['PATH'] ?? '', HOME: scene.home, USER: 'dev' }
  const start = (argv: readonly string[], input: string): number => {
    const from = process.hrtime.bigint()
    spawnSync(process.execPath, argv, { cwd: scene.project, env, input })
    return Number(process.hrtime.bigint() - from) / 1e6
  }
  const payload = (sample: Sample) =>
    JSON.stringify({
      ...{ session_id: 'bench', cwd: scene.project, permission_mode: 'default', hook_event_name: 'PreToolUse' },
      ...{ tool_name: sample.tool, tool_input: sample.input },
    })
  const contenders = [
    { name: 'node -e 0', argv: ['-e', '0'], input: '' },
    ...samples(scene.project).map((sample) => ({
      ...{ name: sample.name, argv: [HOOK, 'claude', 'PreToolUse'], input: payload(sample) },
    })),
  ]
  for (const { argv, input } of contenders) start(argv, input)
  const walls = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    contenders.forEach(({ argv, input }, i) => void walls[i]!.push(start(argv, input)))
  const base = median(walls[0]!)
  say(`\nWhole process, ${rounds} rounds in turns, milliseconds`)
  say(
    table([
      ['', 'median', 'p95', 'of node -e 0'],
      ...contenders.map(({ name }, i) => [
        ...[name, ms(median(walls[i]!)), ms(quantile(walls[i]!, 0.95)), (median(walls[i]!) / base).toFixed(2)],
      ]),
    ]),
  )
}
