/** Many files named one by one are as many as one pattern that takes them: the files of one command count together. */
import type { Finding } from '../../core/verdict.ts'
import { MOST_ASKED } from '../loss-tools.ts'

const asksForFiles = ({ family, decision, loss, effect }: Finding): boolean =>
  family === 'loss' && decision === 'ask' && loss !== undefined && loss.files > 0 && effect !== undefined

/** Findings of loss with those refused that together, in one command, are more files than a person looks through. */
export function inBulk(findings: readonly Finding[]): readonly Finding[] {
  const asked = findings.filter(asksForFiles)
  if (asked.length < 2) return findings
  const keyOf = ({ effect }: Finding) => `${effect!.by} ${JSON.stringify(effect!.via)}`
  const files = new Map<string, number>()
  for (const one of asked) files.set(keyOf(one), (files.get(keyOf(one)) ?? 0) + one.loss!.files)
  return findings.map((one) =>
    asksForFiles(one) && files.get(keyOf(one))! > MOST_ASKED ? { ...one, decision: 'deny' as const } : one,
  )
}
