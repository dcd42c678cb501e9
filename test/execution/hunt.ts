/** Whether the sequences find planted faults. */
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { serialize } from 'node:v8'
import { MUTANTS, UNCHANGED } from './mutants.ts'
import { isHarmless, isHole, judgeRan, type Ran } from './run.ts'

const run = promisify(execFile)
/** One mutant: some thousand judgements. */
const MOST_MS = 180_000

export interface Hunt {
  readonly id: string
  /** The seed of a sequence that shows the fault; undefined: it survives. */
  readonly seed: number | undefined
}

/** Judges the sequences that changed something protected once for each mutant, two at a time. */
export async function hunt(all: readonly Ran[], each: (found: Hunt) => void = () => {}): Promise<Hunt[]> {
  const dir = mkdtempSync(join(tmpdir(), 'mutants-'))
  try {
    // What is a hole by itself would show every fault.
    const telling = all.filter((ran) => !isHarmless(ran) && !isHole(judgeRan(ran)))
    const file = join(dir, 'ran')
    writeFileSync(file, serialize(telling))
    const child = fileURLToPath(new URL('planted.ts', import.meta.url))
    const seedOf = async (id: string): Promise<number | undefined> => {
      const { stdout } = await run(process.execPath, [child, id, file], { timeout: MOST_MS })
      return stdout.trim() === 'none' ? undefined : Number(stdout)
    }
    const plain = await seedOf(UNCHANGED)
    if (plain !== undefined) throw new Error(`seed ${plain} is a hole without any fault`)
    const out: Hunt[] = []
    const queue = [...MUTANTS]
    const worker = async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const found = { id: next.id, seed: await seedOf(next.id) }
        out.push(found)
        each(found)
      }
    }
    await Promise.all([worker(), worker()])
    return out
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}
