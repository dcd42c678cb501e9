/** The reason of a verdict: what the worst finding says, where in a script it stands, and what else is refused. Pure. */
import type { Via } from '../core/effect.ts'
import { type Finding, PUBLISHED_RAIL } from '../core/verdict.ts'

/** Reasons beside the first that are said: a model needs the kinds, not every path. */
const MOST_MORE = 2
/** Characters of a reason, before the entry points add theirs. */
const MOST_REASON = 400
/** Characters of code that are quoted. */
const MOST_CODE = 100

const UNATTENDED = / \(unattended: [^)]*\)$/

/** `sorted`: the strictest first. `show`: a path as people read it. */
export function reasonOf(sorted: readonly Finding[], show: (path: string) => string): string {
  const [worst] = sorted
  if (worst === undefined) return ''
  if (standsAlone(worst)) return worst.reason
  const end = UNATTENDED.exec(worst.reason)?.[0] ?? ''
  let out = bare(worst) + placeOf(worst.via, show)
  const said = new Set([bare(worst)])
  // That an effect was denied before says most.
  const order = [...sorted].sort((a, b) => Number(before(b)) - Number(before(a)))
  for (const finding of order) {
    const more = bare(finding)
    if (finding.decision !== worst.decision || standsAlone(finding) || said.has(more)) continue
    // One frozen path is frozen by its ticket and, since it is, by every rule about what is.
    if (finding.family === 'frozen' && worst.family === 'frozen' && finding.effect === worst.effect) continue
    if (said.size > MOST_MORE || out.length + more.length > MOST_REASON) break
    said.add(more)
    out += `; ${more}`
  }
  return out + end
}

/** The published sentences are said as they are. */
const standsAlone = ({ rule, family }: Finding): boolean => family === 'adlc' || rule === PUBLISHED_RAIL

const before = ({ rule }: Finding): boolean => rule === 'loss.denied-before'

const bare = ({ reason }: Finding): string => reason.replace(UNATTENDED, '')

/** Where an effect stands that is not in the call itself: a line of a script, or a piece of code. */
function placeOf(via: readonly Via[] | undefined, show: (path: string) => string): string {
  const last = via?.at(-1)
  if (last === undefined || last.source === 'call') return ''
  if (last.line !== undefined && last.source.startsWith('/')) return ` (${show(last.source)}:${last.line})`
  const code = last.text.replace(/\s+/g, ' ').trim()
  return ` (${last.source}: ${code.length > MOST_CODE ? `${code.slice(0, MOST_CODE - 1)}…` : code})`
}
