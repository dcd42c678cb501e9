/** `sallyport check --cases`: replays a case file against frozen worlds. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Decision } from '../../core/verdict.ts'
import type { World } from '../../core/world.ts'
import { type FrozenWorldFile, frozenWorld, parseFrozenWorld } from '../../world/frozen.ts'
import { judgeCase, subjectOfWorld } from './case.ts'

export interface CaseRow {
  readonly id: string
  readonly command?: string
  readonly world: string
  readonly verdict: Decision
  readonly family: string
  readonly why?: string
  readonly shell?: string
}

export interface CaseLine {
  readonly id: string
  readonly verdict: Decision | 'error'
  readonly expected: Decision
  readonly rule: string
  readonly reason: string
}

/** Reads a case file. Throws one sentence that names the file and the line. */
export function readCases(file: string): CaseRow[] {
  const rows: CaseRow[] = []
  for (const [i, line] of readFileSync(file, 'utf8').split('\n').entries()) {
    if (line.trim() === '') continue
    let row: CaseRow
    try {
      row = JSON.parse(line) as CaseRow
    } catch {
      throw new Error(`${file}, line ${i + 1} is not JSON`)
    }
    if (typeof row.id !== 'string' || typeof row.world !== 'string' || !['deny', 'ask', 'pass'].includes(row.verdict))
      throw new Error(`${file}, line ${i + 1} needs id, world and a verdict of deny, ask or pass`)
    rows.push(row)
  }
  if (rows.length === 0) throw new Error(`the file ${file} holds no rows`)
  return rows
}

/** Judges every row; a row that cannot be judged is a line with the verdict `error`. */
export function runCases(rows: readonly CaseRow[], worldsDir: string): CaseLine[] {
  const worlds = new Map<string, { readonly file: FrozenWorldFile; readonly world: World }>()
  return rows.map((row) => {
    try {
      let known = worlds.get(row.world)
      if (known === undefined) {
        const path = join(worldsDir, `${row.world}.json`)
        const file = parseFrozenWorld(readFileSync(path, 'utf8'), path)
        known = { file, world: frozenWorld(file) }
        worlds.set(row.world, known)
      }
      const { verdict } = judgeCase(subjectOfWorld(known.file, row), known.world)
      return {
        id: row.id,
        verdict: verdict.decision,
        expected: row.verdict,
        rule: verdict.rule,
        reason: verdict.reason,
      }
    } catch (error) {
      return {
        id: row.id,
        verdict: 'error',
        expected: row.verdict,
        rule: 'none',
        reason: error instanceof Error ? error.message : String(error),
      }
    }
  })
}
