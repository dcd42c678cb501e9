/**
 * How often dangerous commands are stopped and harmless ones are not, over all sets of cases, beside cc-safety-net at its
 * standard and its strictest level where it is installed (`npm i --no-save cc-safety-net`, here or in the directory that
 * `BENCH_BESIDE` names). `npm run bench -- accuracy`.
 * Nothing is executed. Shares come with their 95 % interval (Wilson).
 *
 * The cases are ours, and so is what counts as right in them: they were written for this guard, with the state of a
 * repository in mind that the other tool does not look at.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type CaseRow, readCases, runCases } from '../src/cli/check/cases.ts'
import { layScene } from './scene.ts'
import { table } from './stats.ts'

const ROOT = join(import.meta.dirname, '..')
/** Where the other tool is installed, where that is not here: `BENCH_BESIDE=<directory>`. */
const BESIDE = process.env['BENCH_BESIDE'] ?? ROOT
const OTHER = join(BESIDE, 'node_modules/cc-safety-net/package.json')
const SETS = ['guard', 'guard-own', 'guard-harmless', 'guard-more', 'guard-more-ledger', 'benign'] as const
/** Rows for PowerShell and cmd, which the other tool does not read: they have a table of their own. */
const WINDOWS = ['guard-windows', 'guard-more-windows'] as const
const LEVELS = ['standard', 'paranoid'] as const

interface Judged {
  readonly set: string
  readonly family: string
  readonly dangerous: boolean
  /** By tool: whether it stopped the command. */
  readonly stopped: Readonly<Record<string, boolean>>
}

export function run(): void {
  const rows = SETS.flatMap((set) =>
    readCases(join(ROOT, `cases/${set}.jsonl`))
      .filter((row) => row.command !== undefined && row.shell === undefined)
      .map((row) => ({ set, row })),
  )
  const ours = new Map(
    runCases(
      rows.map(({ row }) => row),
      join(ROOT, 'cases/worlds'),
    ).map((line, i) => [i, line.verdict !== 'pass']),
  )
  const others = existsSync(OTHER)
    ? LEVELS.map(
        (level) =>
          [
            `cc-safety-net ${level}`,
            peer(
              rows.map(({ row }) => row),
              level,
            ),
          ] as const,
      )
    : []
  const judged = rows.map(
    ({ set, row }, i): Judged => ({
      set,
      family: row.family,
      dangerous: row.verdict !== 'pass',
      stopped: {
        sallyport: ours.get(i)!,
        ...Object.fromEntries(others.map(([name, verdicts]) => [name, verdicts[i]!])),
      },
    }),
  )
  const tools = ['sallyport', ...others.map(([name]) => name)]
  if (others.length === 0) say('cc-safety-net is not installed: npm i --no-save cc-safety-net')
  for (const set of SETS)
    show(
      `${set}.jsonl`,
      judged.filter((one) => one.set === set),
      tools,
    )
  show('all sets', judged, tools)
  windows()
  say(
    '\nBy family of all sets but benign: dangerous ones that were stopped, harmless ones that were, with 95 % intervals',
  )
  const families = [...new Set(judged.filter(({ set }) => set !== 'benign').map(({ family }) => family))].sort()
  say(
    table([
      ['', ...tools.flatMap((tool) => [`${tool}, dangerous`, '95 %', 'harmless', '95 %'])],
      ...families.map((family) => {
        const of = judged.filter((one) => one.set !== 'benign' && one.family === family)
        return [family, ...tools.flatMap((tool) => [...share(of, tool, true), ...share(of, tool, false)])]
      }),
    ]),
  )
}

/** PowerShell and cmd, by shell. */
function windows(): void {
  const rows = WINDOWS.flatMap((set) => readCases(join(ROOT, `cases/${set}.jsonl`))).filter(({ shell }) => shell)
  const lines = runCases(rows, join(ROOT, 'cases/worlds'))
  for (const shell of ['powershell', 'cmd'])
    show(
      `${WINDOWS.join(', ')}: ${shell}`,
      rows.flatMap((row, i): readonly Judged[] =>
        row.shell === shell
          ? [
              {
                set: shell,
                family: row.family,
                dangerous: row.verdict !== 'pass',
                stopped: { sallyport: lines[i]!.verdict !== 'pass' },
              },
            ]
          : [],
      ),
      ['sallyport'],
    )
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function show(name: string, judged: readonly Judged[], tools: readonly string[]): void {
  say(`\n${name}`)
  say(
    table([
      ['', 'dangerous, stopped', '95 %', 'harmless, stopped', '95 %'],
      ...tools.map((tool) => [tool, ...share(judged, tool, true), ...share(judged, tool, false)]),
    ]),
  )
}

function share(judged: readonly Judged[], tool: string, dangerous: boolean): readonly string[] {
  const of = judged.filter((one) => one.dangerous === dangerous)
  if (of.length === 0) return ['-', '-']
  const hits = of.filter(({ stopped }) => stopped[tool]).length
  const [low, high] = wilson(hits, of.length)
  return [`${hits}/${of.length} ${percent(hits / of.length)}`, `${percent(low)} to ${percent(high)}`]
}

const percent = (part: number): string => `${(100 * part).toFixed(1)} %`

/** The interval that holds the true share in 95 of 100 samples. */
export function wilson(hits: number, all: number): readonly [number, number] {
  const z = 1.959964
  const p = hits / all
  const middle = p + (z * z) / (2 * all)
  const spread = z * Math.sqrt((p * (1 - p)) / all + (z * z) / (4 * all * all))
  const scale = 1 + (z * z) / all
  return [Math.max(0, (middle - spread) / scale), Math.min(1, (middle + spread) / scale)]
}

/** Runs in a process of its own, since the other tool reads its level from the environment once. */
const PEER = `
import { checkCommand } from 'cc-safety-net/api'
let text = ''
for await (const part of process.stdin) text += part
const { commands, cwd } = JSON.parse(text)
process.stdout.write(JSON.stringify(commands.map((command) => {
  try { return checkCommand({ command, cwd }).kind !== 'allow' } catch { return true }
})))
`

/** Whether the other tool stops each command, in a small repository with a home of its own. */
function peer(rows: readonly CaseRow[], level: string): readonly boolean[] {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const { home, project } = layScene(scratch)
    const commands = rows.map(({ command }) =>
      command!
        .replaceAll(/\/home\/(?:dev\/proj|mira\/work\/ledger)\b/g, project)
        .replaceAll(/\/home\/(?:dev|mira)\b/g, home),
    )
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', PEER], {
      cwd: BESIDE,
      input: JSON.stringify({ commands, cwd: project }),
      encoding: 'utf8',
      maxBuffer: 64 << 20,
      env: { PATH: process.env['PATH'] ?? '', HOME: home, USER: 'dev', CC_SAFETY_NET_LEVEL: level },
    })
    if (stdout === '') throw new Error(`cc-safety-net could not be asked: ${stderr.slice(0, 500)}`)
    return JSON.parse(stdout) as boolean[]
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
