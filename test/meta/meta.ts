/** Judges every case in every respelling. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { judgeCase, subjectOfWorld } from '../../src/cli/check/case.ts'
import { readCases } from '../../src/cli/check/cases.ts'
import type { Decision } from '../../src/core/verdict.ts'
import { type FrozenWorldFile, frozenWorld, parseFrozenWorld } from '../../src/world/frozen.ts'
import { RESPELLINGS } from './respellings.ts'
import { textOf } from './text.ts'

export interface Miss {
  readonly id: string
  readonly text: string
  readonly verdict: Decision | 'error'
  readonly expected: Decision
}

export interface Rate {
  readonly respelling: string
  /** By expected verdict: how many lines were respelt, and how many kept their verdict. */
  readonly counts: Readonly<Record<Decision, { readonly tried: number; readonly kept: number }>>
  readonly misses: readonly Miss[]
}

/** Rates of the respellings over the rows of a case file. `only`: ids of respellings to try; all where absent. */
export function metaRates(cases: string, worlds: string, only?: ReadonlySet<string>): Rate[] {
  const files = new Map<string, FrozenWorldFile>()
  const fileOf = (name: string): FrozenWorldFile => {
    let file = files.get(name)
    if (file === undefined) {
      const path = join(worlds, `${name}.json`)
      file = parseFrozenWorld(readFileSync(path, 'utf8'), path)
      files.set(name, file)
    }
    return file
  }
  const lines = readCases(cases).flatMap((row) => {
    if (row.command === undefined || row.shell !== undefined) return []
    const text = textOf(row.command)
    return text === undefined ? [] : [{ row, text }]
  })
  return RESPELLINGS.filter(({ id }) => only?.has(id) ?? true).map(({ id, respell }) => {
    const counts = { deny: { tried: 0, kept: 0 }, ask: { tried: 0, kept: 0 }, pass: { tried: 0, kept: 0 } }
    const misses: Miss[] = []
    for (const { row, text } of lines) {
      const file = fileOf(row.world)
      const exists = (path: string) => Object.hasOwn(file.files ?? {}, resolve(file.cwd ?? '/', path))
      const command = respell(text, exists)
      if (command === undefined) continue
      let verdict: Decision | 'error'
      try {
        verdict = judgeCase(subjectOfWorld(file, { ...row, command }), frozenWorld(file)).verdict.decision
      } catch {
        verdict = 'error'
      }
      const count = counts[row.verdict]
      count.tried++
      if (verdict === row.verdict) count.kept++
      else misses.push({ id: row.id, text: command, verdict, expected: row.verdict })
    }
    return { respelling: id, counts, misses }
  })
}
