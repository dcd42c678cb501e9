import type { Asking } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import type { Subject, Tools } from '../subject.ts'

// biome-ignore lint/correctness/useYield: rules may ask
export function* loss(_subject: Subject, _tools: Tools): Asking<readonly Finding[]> {
  return []
}
