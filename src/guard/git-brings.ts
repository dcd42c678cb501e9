/** Frozen files that a step of git would change to what another revision says. */
import type { Brought, GitOp } from '../core/git-op.ts'
import { type Asking, ask } from '../core/question.ts'
import type { Finding } from '../core/verdict.ts'
import { join, type PathSense } from '../paths/lexical.ts'
import { finding, type Subject, type Tools } from './subject.ts'

/** Revisions of one command that are looked at. */
const MOST_REVS = 16

const bringsOf = (op: GitOp): Brought | undefined => ('brings' in op ? op.brings : undefined)

const SAFER = 'have a person do it, or take only the files that are yours: git checkout REV -- FILE'

/** What a rule says of a path that git would bring: the name of what freezes it. */
export type FrozenBy = (path: string) => string | undefined

/**
 * An ask where a step of git would change a frozen file, or where that cannot be told. What the remote will send is not
 * known before it comes: `pull` and the like are left to the check before a merge.
 */
export function* broughtFindings(
  subject: Subject,
  frozenBy: FrozenBy,
  tools: Tools,
  sense: PathSense,
): Asking<readonly Finding[]> {
  const { effect } = subject
  if (effect.target.is !== 'git' || effect.target.repo === undefined) return []
  const { repo, op } = effect.target
  const brings = bringsOf(op)
  if (brings === undefined) return []
  const said = (what: string): readonly Finding[] => [
    finding(subject, 'frozen', 'history', 'ask', what, { safer: SAFER }),
  ]
  const unclear = `${effect.by} may bring other content to frozen files`
  if (brings.unknown || brings.revs.length > MOST_REVS) return said(unclear)
  for (const rev of brings.revs) {
    const paths = yield* ask('gitBrings', { repo, how: brings.how, rev })
    // Git refuses what does not exist.
    if (paths === 'absent') continue
    if (paths === 'unknown') return said(unclear)
    for (const name of paths) {
      const path = join(repo, name, sense.flavour)
      const by = frozenBy(path)
      if (by !== undefined)
        return said(`${effect.by} would bring what ${rev} says to ${tools.show(path)}, and it is frozen (${by})`)
    }
  }
  return []
}
