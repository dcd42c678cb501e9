/**
 * How long a host waits for the hook: the whole process beside a shell and a Node that do nothing, taken in turns in one
 * run, and the verdict alone. `npm run bench -- hook [rounds]`. Nothing of the cases is executed: they are judged.
 *
 * Wall time depends on what else runs; processor time (user and system, Linux only) hardly does.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { judgeCase, subjectOfWorld } from '../src/cli/check/case.ts'
import { type CaseRow, readCases } from '../src/cli/check/cases.ts'
import { frozenWorld, parseFrozenWorld } from '../src/world/frozen.ts'
import { layScene } from './scene.ts'
import { median, ms, quantile, table } from './stats.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = join(ROOT, 'dist/hook.cjs')
const OTHER = join(ROOT, 'node_modules/cc-safety-net/package.json')
/** Rounds of the table where the command names none: enough for a median that stands still. */
const ROUNDS = 60
/** Passes over all cases in this process: the first ones are for the engine to get warm. */
const PASSES = { cold: 3, counted: 8 }

interface Contender {
  readonly name: string
  readonly argv: readonly string[]
  readonly input: boolean
}

export function run(args: readonly string[]): void {
  const rounds = Math.max(1, Number(args[0] ?? ROUNDS) || ROUNDS)
  if (!existsSync(HOOK)) build()
  const rows = readCases(join(ROOT, 'cases/guard.jsonl')).filter((row) => row.command !== undefined && !row.shell)
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const load = loadavg()[0]!.toFixed(1)
    say(
      `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} processors, load ${load}`,
    )
    wholeProcess(rows, scratch, rounds)
    verdictAlone(rows)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function build(): void {
  const { status } = spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  if (status !== 0) throw new Error('the hook could not be built')
}

function wholeProcess(rows: readonly CaseRow[], scratch: string, rounds: number): void {
  const { home, project } = layScene(scratch)
  const contenders: Contender[] = [
    { name: '/bin/sh -c :', argv: ['/bin/sh', '-c', ':'], input: false },
    { name: 'node -e 0', argv: [process.execPath, '-e', '0'], input: false },
    { name: 'sallyport hook', argv: [process.execPath, HOOK, 'claude', 'PreToolUse'], input: true },
    ...other(),
  ]
  const env = { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'dev' }
  const payload = (row: CaseRow) =>
    JSON.stringify({
      session_id: 'bench',
      transcript_path: join(home, 'transcript.jsonl'),
      cwd: project,
      permission_mode: 'default',
      hook_event_name: 'PreToolUse',
      tool_name: 'Bash',
      // The cases speak of a home and a project of their own.
      tool_input: { command: row.command!.replaceAll('/home/dev/proj', project).replaceAll('/home/dev', home) },
    })
  const start = ({ argv, input }: Contender, row: CaseRow): number => {
    const from = process.hrtime.bigint()
    spawnSync(argv[0]!, argv.slice(1), { cwd: project, env, input: input ? payload(row) : '' })
    return Number(process.hrtime.bigint() - from) / 1e6
  }
  const rowAt = (round: number): CaseRow => rows[(round * 37) % rows.length]!
  // The first call of an installation keeps compiled code for the others.
  const first = contenders.map((one) => start(one, rowAt(0)))
  const walls = contenders.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    contenders.forEach((one, i) => {
      walls[i]!.push(start(one, rowAt(round)))
    })
  const cpu = contenders.map((one) => {
    const before = childrenTicks()
    for (let round = 0; round < rounds; round++) start(one, rowAt(round))
    const after = childrenTicks()
    return before === undefined || after === undefined ? Number.NaN : ((after - before) * TICK_MS) / rounds
  })
  const base = contenders.findIndex((one) => one.name === 'node -e 0')
  const ratio = (value: number, of: number) => (Number.isNaN(value) ? '-' : (value / of).toFixed(2))
  say(`\nWhole process, ${rounds} rounds in turns, milliseconds`)
  say(
    table([
      ['', 'first', 'median', 'p95', 'of node -e 0', 'processor', 'of node -e 0'],
      ...contenders.map((one, i) => [
        one.name,
        ms(first[i]!),
        ms(median(walls[i]!)),
        ms(quantile(walls[i]!, 0.95)),
        ratio(median(walls[i]!), median(walls[base]!)),
        ms(cpu[i]!),
        ratio(cpu[i]!, cpu[base]!),
      ]),
    ]),
  )
  const judged = ownMilliseconds(join(home, '.local/state/sallyport/log.jsonl'))
  say(
    `\nThe verdict within a fresh process (${judged.length} calls): median ${ms(median(judged))}, p95 ${ms(quantile(judged, 0.95))}`,
  )
}

/** Another guard, where somebody put it beside us: `npm i --no-save cc-safety-net`. */
function other(): readonly Contender[] {
  if (!existsSync(OTHER)) return []
  const { bin, version } = JSON.parse(readFileSync(OTHER, 'utf8')) as {
    bin: string | Record<string, string>
    version: string
  }
  const file = typeof bin === 'string' ? bin : Object.values(bin)[0]!
  const argv = [process.execPath, join(dirname(OTHER), file), 'hook', '--claude-code']
  return [{ name: `cc-safety-net ${version}`, argv, input: true }]
}

/** The hook writes down how long each verdict took. */
function ownMilliseconds(log: string): number[] {
  if (!existsSync(log)) return []
  const lines = readFileSync(log, 'utf8').trim().split('\n')
  return lines.map((line) => (JSON.parse(line) as { ms: number }).ms)
}

/** Linux counts in hundredths of a second. */
const TICK_MS = 10

/** Processor time of the children that ended, in ticks. Undefined where the system does not tell. */
function childrenTicks(): number | undefined {
  try {
    const text = readFileSync('/proc/self/stat', 'utf8')
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
    return Number(fields[13]) + Number(fields[14])
  } catch {
    return undefined
  }
}

function verdictAlone(rows: readonly CaseRow[]): void {
  const worlds = new Map(
    [...new Set(rows.map((row) => row.world))].map((name) => {
      const file = join(ROOT, 'cases/worlds', `${name}.json`)
      const json = parseFrozenWorld(readFileSync(file, 'utf8'), name)
      return [name, { json, world: frozenWorld(json) }]
    }),
  )
  const cases = rows.map((row) => {
    const { json, world } = worlds.get(row.world)!
    return { id: row.id, subject: subjectOfWorld(json, row), world }
  })
  const walls: number[] = []
  const best = new Map<string, number>()
  for (let pass = 0; pass < PASSES.cold + PASSES.counted; pass++) {
    for (const { id, subject, world } of cases) {
      const from = process.hrtime.bigint()
      judgeCase(subject, world)
      const took = Number(process.hrtime.bigint() - from) / 1e6
      if (pass < PASSES.cold) continue
      walls.push(took)
      best.set(id, Math.min(took, best.get(id) ?? Number.POSITIVE_INFINITY))
    }
  }
  const least = [...best.values()]
  say(`\nWarm verdicts in one process, ${cases.length} cases in frozen worlds, milliseconds`)
  say(
    table([
      ['', 'median', 'p95', 'most'],
      ['every verdict', ms(median(walls)), ms(quantile(walls, 0.95)), ms(quantile(walls, 1))],
      ['the best of each case', ms(median(least)), ms(quantile(least, 0.95)), ms(quantile(least, 1))],
    ]),
  )
  const slow = [...best].sort((a, b) => b[1] - a[1]).slice(0, 5)
  say(`Slowest: ${slow.map(([id, took]) => `${id} ${ms(took)}`).join(', ')}`)
}
