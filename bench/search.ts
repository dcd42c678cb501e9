/** `npm run bench -- search [megabytes]`: how long looking for texts and expressions in one kept log takes. */
import { mkdtempSync, openSync, readSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { searchAnswer } from '../src/containment/query/search.ts'
import { openStore } from '../src/containment/store/store.ts'
import { writeLog } from './lines.ts'
import { median, ms, table } from './stats.ts'

const RUNS = 5

const CASES: readonly { readonly name: string; readonly patterns: readonly string[]; readonly fixed: boolean }[] = [
  { name: 'text, nowhere', patterns: ['connection refused by peer'], fixed: true },
  { name: 'text, a few', patterns: ['id=9e3779b1 '], fixed: true },
  { name: 'text, one line in 1000', patterns: ['ERROR'], fixed: true },
  { name: 'text, one line in 31', patterns: ['status=404'], fixed: true },
  { name: 'text, every line', patterns: ['request id='], fixed: true },
  { name: 'five texts', patterns: ['ERROR', 'refused', 'ms=310\n'.trim(), 'worker-17', 'panic'], fixed: true },
  { name: 'expression', patterns: ['ERROR .* ms=3\\d\\d$'], fixed: false },
]

export async function run([size = '100']: readonly string[]): Promise<void> {
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  try {
    const file = join(dir, 'log')
    writeLog(file, Number(size) * 1e6)
    const store = openStore({ env: { CTX_STATE_HOME: join(dir, 'state') }, home: dir })
    const spool = store.create({ argv: ['log'], cwd: dir })
    const fd = openSync(file, 'r')
    const buffer = new Uint8Array(1 << 20)
    for (let n = readSync(fd, buffer); n > 0; n = readSync(fd, buffer)) spool.append('stdout', buffer.subarray(0, n))
    const { id = '', streams } = spool.seal({ exit: 0 })
    const rows = [['pattern', 'matches', 'ms', 'of a core', 'MB/s of a core']]
    for (const { name, patterns, fixed } of CASES) {
      const times: number[] = []
      const cores: number[] = []
      let matches = ''
      for (let i = 0; i < RUNS; i++) {
        const began = performance.now()
        const before = process.cpuUsage()
        const found = await searchAnswer(
          { handle: { is: 'run', id } },
          { store, cwd: dir },
          {
            patterns,
            fixed,
            context: 0,
            mostMatches: 80,
            skip: 0,
            budget: 1200,
            limitMs: 60_000,
            mask: (_, text) => ({ text, masked: 0 }),
          },
        )
        times.push(performance.now() - began)
        const { user, system } = process.cpuUsage(before)
        cores.push((user + system) / 1000)
        matches = 'refused' in found ? found.refused : String(found.matches)
      }
      const rate = (streams.merged.bytes / 1000 / median(cores)).toFixed(0)
      rows.push([name, matches, ms(median(times)), ms(median(cores)), rate])
    }
    process.stdout.write(
      `${streams.merged.bytes} bytes, ${streams.merged.lines} lines; median of ${RUNS}\n\n${table(rows)}\n`,
    )
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
