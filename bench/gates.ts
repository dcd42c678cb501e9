/**
 * What the gates of containment cost: looking at a line beside reading it as a shell does, and a result of 50 MB through the
 * built hook beside a Node that only reads and parses the same payload. `npm run bench -- gates [rounds]`.
 *
 * Wall time depends on what else runs: compare within one run.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { mayFlood } from '../src/containment/birth/names.ts'
import { birthOf } from '../src/containment/birth.ts'
import { parseShell } from '../src/shell/parse.ts'
import { median, ms, quantile, table } from './stats.ts'

const ROOT = join(import.meta.dirname, '..')
const HOOK = join(ROOT, 'dist/hook.cjs')
const ROUNDS = 5
/** Passes over all lines: the first ones are for the engine to get warm. */
const PASSES = { cold: 5, counted: 20 }
/** Bytes of the result. */
const LARGE = 50_000_000

export function run(args: readonly string[]): void {
  const rounds = Math.max(1, Number(args[0] ?? ROUNDS) || ROUNDS)
  say(
    `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} processors, load ${loadavg()[0]!.toFixed(1)}`,
  )
  looking()
  if (!existsSync(HOOK)) spawnSync(process.execPath, ['scripts/build.ts'], { cwd: ROOT, stdio: 'inherit' })
  largeResult(rounds)
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function looking(): void {
  const lines = (JSON.parse(readFileSync(join(ROOT, 'cases/gates/birth.json'), 'utf8')) as { line: string }[]).map(
    ({ line }) => line,
  )
  const ways: readonly (readonly [string, (line: string) => unknown])[] = [
    ['reading the line as a shell does', parseShell],
    ['the words of it', mayFlood],
    ['the whole look, reading included', (line) => birthOf(line, 'posix')],
  ]
  const rows = ways.map(([name, look]) => {
    const took: number[] = []
    for (let pass = 0; pass < PASSES.cold + PASSES.counted; pass++)
      for (const line of lines) {
        const from = process.hrtime.bigint()
        look(line)
        if (pass >= PASSES.cold) took.push(Number(process.hrtime.bigint() - from) / 1e6)
      }
    return [name, ms(median(took)), ms(quantile(took, 0.95)), ms(quantile(took, 1))]
  })
  say(`\nLooking at ${lines.length} lines of cases/gates/birth.json in one warm process, milliseconds a line`)
  say(table([['', 'median', 'p95', 'most'], ...rows]))
}

function largeResult(rounds: number): void {
  const scratch = mkdtempSync(join(tmpdir(), 'bench-'))
  try {
    const line = (i: number) =>
      `2026-01-31T10:00:${String(i % 60).padStart(2, '0')} INFO worker ${i % 17} took request ${i}\n`
    const parts: string[] = []
    for (let i = 0, size = 0; size < LARGE; i++) {
      parts.push(line(i))
      size += parts[i]!.length
    }
    const payload = join(scratch, 'payload.json')
    const response = { stdout: parts.join(''), stderr: '', interrupted: false, isImage: false }
    const call = { session_id: 's', cwd: scratch, permission_mode: 'default', hook_event_name: 'PostToolUse' }
    const input = { ...call, tool_name: 'Bash', tool_input: { command: './flood' }, tool_response: response }
    writeFileSync(payload, JSON.stringify(input))
    const env = { PATH: process.env['PATH'], HOME: scratch, XDG_STATE_HOME: join(scratch, 'state') }
    const start = (argv: readonly string[]): number => {
      const from = performance.now()
      const run = spawnSync(process.execPath, argv, { env, stdio: [openSync(payload, 'r'), 'pipe', 'inherit'] })
      if (run.status !== 0 || run.stdout.length > 20_000) throw new Error(`${argv[0]} did not answer as it should`)
      return performance.now() - from
    }
    const READ = 'JSON.parse(require("fs").readFileSync(0, "utf8"))'
    const ways: readonly (readonly [string, readonly string[]])[] = [
      ['a Node that reads and parses it', ['-e', READ]],
      ['the hook', [HOOK, 'claude', 'PostToolUse']],
    ]
    const took = ways.map((): number[] => [])
    start(ways[1]![1])
    for (let round = 0; round < rounds; round++) for (const [i, [, argv]] of ways.entries()) took[i]!.push(start(argv))
    say(`\nA result of ${LARGE / 1e6} MB, whole processes in turns, ${rounds} rounds, milliseconds`)
    say(
      table([
        ['', 'median', 'most'],
        ...ways.map(([name], i) => [name, ms(median(took[i]!)), ms(quantile(took[i]!, 1))]),
      ]),
    )
    say(`The hook takes ${(median(took[1]!) / median(took[0]!)).toFixed(1)} times as long as reading alone.`)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}
