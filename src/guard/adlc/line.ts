/** What the parts of the shell classifier share: the line that is judged, and the last stage. */
import type { ToolCall } from '../../core/call.ts'
import type { Span } from '../../core/value.ts'
import type { Finding } from '../../core/verdict.ts'
import type { Subject, Tools } from '../subject.ts'
import { type Facts, stage } from './facts.ts'
import type { Roots } from './roots.ts'
import type { Place } from './walk.ts'

export interface Line {
  readonly facts: Facts
  readonly roots: Roots
  readonly tools: Tools
  readonly person: Place
  readonly call: ToolCall
  readonly subjects: readonly Subject[]
  readonly out: Finding[]
  left: number
}

export interface Involved {
  readonly adlc: boolean
  readonly active: boolean
}

/** The last stage: what nothing lets through. */
export function last(line: Pick<Line, 'facts'>, involved: Involved, why: string): readonly Finding[] {
  const { limits } = line.facts
  if (limits === 'R') return [stage('readonly', 'deny', `this worker may only read: ${why}`)]
  if (limits === 'W')
    return involved.adlc
      ? [stage('worker', 'deny', `a worker may not run this: ${why}`, 'use the file tools, or the test command')]
      : []
  return involved.active ? [stage('unlisted', 'ask', `paths are frozen here, and ${why}`)] : []
}

/** Effects of one top segment. */
export const effectsIn = (subjects: readonly Subject[], span: Span): readonly Subject[] =>
  subjects.filter(({ effect }) => {
    const first = effect.via[0]
    return first?.source === 'call' && first.span.from >= span.from && first.span.to <= span.to
  })
