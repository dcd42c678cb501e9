/**
 * `npm run bench -- capture [megabytes] [rounds]`: what keeping a log costs beside `tee` and `cat > file`, and how much
 * memory it takes beside an idle Node. Each round does all of it, so that the ratios are of one moment.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { writeLog } from './lines.ts'
import { median, table } from './stats.ts'

const SOURCE = fileURLToPath(new URL('./capture-child.ts', import.meta.url))
const CTX = fileURLToPath(new URL('../bin/ctx.js', import.meta.url))

const IDLE =
  "process.stdout.write(String(/VmHWM:\\s+(\\d+)/.exec(require('fs').readFileSync('/proc/self/status','latin1'))?.[1] ?? process.memoryUsage().rss / 1000))"

interface Told {
  readonly ms: number
  readonly peak: number
  readonly bytes: number
  readonly lines: number
}

export async function run([size = '1000', rounds = '3']: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  try {
    const log = join(dir, 'log')
    const out = join(dir, 'out')
    writeLog(log, Number(size) * 1e6)
    // As the program is shipped: reading TypeScript takes memory of its own.
    const child = join(dir, 'child.mjs')
    buildSync({
      entryPoints: [SOURCE],
      outfile: child,
      bundle: true,
      platform: 'node',
      format: 'esm',
      logLevel: 'error',
    })
    const state = join(dir, 'state')
    const env = { ...process.env, CTX_STATE_HOME: state }
    const timed = (work: () => void): number => {
      const began = performance.now()
      work()
      const ms = performance.now() - began
      rmSync(out, { force: true })
      rmSync(state, { recursive: true, force: true })
      return ms
    }
    const shell = (line: string) => () => void execFileSync('sh', ['-c', line, 'sh', log, out], { env })
    const [cat, tee, raw, kept]: number[][] = [[], [], [], []]
    let told: Told | undefined
    let idle = 0
    for (let round = 0; round < Number(rounds); round++) {
      cat!.push(timed(shell('cat "$1" > "$2"')))
      tee!.push(timed(shell('cat "$1" | tee "$2" > /dev/null')))
      timed(() => {
        told = JSON.parse(execFileSync(process.execPath, [child, state, log], { encoding: 'utf8' })) as Told
      })
      kept!.push(told!.ms)
      raw!.push(timed(shell(`'${process.execPath}' '${CTX}' run --raw -- cat "$1" > /dev/null`)))
      idle = Number(execFileSync(process.execPath, ['-e', IDLE], { encoding: 'utf8' })) / 1000
    }
    const of = (times: number[] | undefined): number => median(times ?? [])
    const row = (name: string, times: number[] | undefined): string[] => [
      name,
      (of(times) / 1000).toFixed(2),
      (told!.bytes / 1000 / of(times)).toFixed(0),
      (of(tee) / of(times)).toFixed(2),
    ]
    const rows = [
      ['way', 's', 'MB/s', 'speed of tee = 1'],
      row('cat > file', cat),
      row('cat | tee file > /dev/null', tee),
      row('capture: bytes, hash, lines', kept),
      row('ctx run --raw > /dev/null', raw),
    ]
    process.stdout.write(
      `${told!.bytes} bytes, ${told!.lines} lines; median of ${rounds}\n\n${table(rows)}\n\n` +
        `memory at most: ${told!.peak.toFixed(0)} MB; an idle Node: ${idle.toFixed(0)} MB; growth ${(told!.peak - idle).toFixed(0)} MB\n`,
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
