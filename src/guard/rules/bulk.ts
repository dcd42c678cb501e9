/** Many files named one by one are as many as one pattern that takes them: the files of one command count together. */
import type { Finding } from '../../core/verdict.ts'
import { ONE_NAME } from '../perform-files.ts'
import { MOST_ASKED } from '../subject.ts'

const asksForFiles = ({ family, decision, loss, effect }: Finding): boolean =>
  family === 'loss' &&
  decision === 'ask' &&
  loss !== undefined &&
  loss.files > 0 &&
  effect !== undefined &&
  effect.note !== ONE_NAME

/** Findings of loss with those refused that together, in one command, are more files than a person looks through. */
export function inBulk(findings: readonly Finding[]): readonly Finding[] {
  const asked = findings.filter(asksForFiles)
  if (asked.length < 2) return findings
  const keyOf = ({ effect }: Finding) => `${effect!.by} ${JSON.stringify(effect!.via)}`
  // What is lost twice is one loss.
  const lost = new Map<string, Map<string, number>>()
  for (const one of asked) {
    const key = keyOf(one)
    if (!lost.has(key)) lost.set(key, new Map())
    lost.get(key)!.set(one.loss!.paths.join('\n'), one.loss!.files)
  }
  const filesOf = (one: Finding) => [...lost.get(keyOf(one))!.values()].reduce((all, files) => all + files, 0)
  return findings.map((one) =>
    asksForFiles(one) && filesOf(one) > MOST_ASKED ? { ...one, decision: 'deny' as const } : one,
  )
}
