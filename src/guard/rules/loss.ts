/** Loss: puts the effects that can lose something before the judges of `loss.ts`. */

import { SAVED_FIRST } from '../../commands/backup.ts'
import type { Effect } from '../../core/effect.ts'
import { type Asking, ask } from '../../core/question.ts'
import type { Finding } from '../../core/verdict.ts'
import { judgeGit, judgeLossOfPath, type LossTools, type PhysicalTarget } from '../loss.ts'
import { gitSteps, isSaved, lookUp, type Overlay, originsBelow, through } from '../overlay.ts'
import { ONE_NAME } from '../perform-files.ts'
import { finding, isIdle, type Subject, type Tools } from '../subject.ts'
import { zonesAt } from '../tools.ts'

/** Notes of changes whose loss is judged elsewhere, or by their own rule: by the git step beside them, by where the content goes. */
const ELSEWHERE: ReadonlySet<string> = new Set(['git', 'git-add', 'git-clean', 'git-config', 'link-keeps', SAVED_FIRST])

export function* loss(subject: Subject, tools: Tools): Asking<readonly Finding[]> {
  const { effect } = subject
  const overlay = effect.seen as Overlay | undefined
  if (effect.target.is === 'git') return yield* through(judgeGit(effect, toolsOf(tools, overlay)), overlay)
  const act = actOf(effect)
  if (act === undefined || ELSEWHERE.has(effect.note ?? '')) return []
  if (subject.located.is === 'unresolved') {
    if (act === 'write' || act === 'change') return []
    const tree = effect.target.is === 'unknown' && effect.target.tree ? ', recursive,' : ''
    const why = subject.located.why === 'unknown' ? 'is unknown' : `cannot be resolved (${subject.located.why})`
    return [
      finding(subject, 'loss', 'unknown', 'ask', `the target of ${effect.by} (${subject.located.what})${tree} ${why}`, {
        safer: 'write the path out',
      }),
    ]
  }
  const going = effect.act === 'delete' ? subject.places.filter(({ tree }) => tree).map(({ path }) => path) : []
  const own = toolsOf(tools, overlay, going)
  const findings: Finding[] = []
  for (const place of subject.places) {
    if (isIdle(effect, place)) continue
    const before = findings.length
    const targets = targetsAt(place, act)
    for (const target of targets) {
      for (const found of yield* through(judgeLossOfPath(target, own), overlay)) {
        // What an archive holds is not known: it may replace what lies there, it need not.
        const may = effect.note === 'unpack' && place.zones.has('project') && found.decision === 'deny'
        const moved = effect.note === ONE_NAME ? ontoOneName(found, effect.safer) : {}
        const bare = found.rule === 'loss.root' ? bareOf(effect, found.reason) : {}
        findings.push({
          ...found,
          ...(may ? { decision: 'ask' as const } : {}),
          ...moved,
          ...bare,
          effect,
          via: effect.via,
        })
      }
    }
    // A place of the session's own may hold what this line moved or copied there: that keeps its state.
    if (act !== 'delete' || findings.length > before || place.open) continue
    for (const path of originsBelow(overlay, place.path)) {
      const stat = yield* ask('stat', { path })
      if (stat === 'absent') continue
      const target: PhysicalTarget = {
        path,
        tree: true,
        act,
        exists: true,
        ...(stat === 'unknown' ? {} : { kind: stat.kind }),
      }
      const was = { ...own, saved: () => false, origin: (one: string) => one }
      for (const found of yield* judgeLossOfPath(target, was)) findings.push({ ...found, effect, via: effect.via })
    }
  }
  return findings
}

/** One target for a place; in temp one for each name that a pattern matches there now, since some may be the session's. */
function targetsAt(place: Subject['places'][number], act: PhysicalTarget['act']): readonly PhysicalTarget[] {
  const linked = (place.names ?? []).filter((name) => name.linked)
  const whole: readonly PhysicalTarget[] = [
    { ...place, act },
    ...linked.map(({ path, kind }): PhysicalTarget => ({ path, kind, tree: place.tree, act, exists: true })),
  ]
  const { pattern, names, ...rest } = place
  // A pattern that begins with no text of its own may match hidden names, too, which nobody looked up.
  if (pattern?.[0]?.is !== 'text' || names === undefined || act !== 'delete') return whole
  if (names.length === 0) return []
  if (!place.zones.has('temp') || place.zones.has('project')) return whole
  return names.map(({ path, kind }) => ({ ...rest, path, kind, exists: true, act }))
}

/** Words that are a variable and nothing but a slash or a star behind it: `$DIR/*`, `"$DIR"/`. */
const BARE = /(?<=\s)"?\$(?:(\w+)|\{(\w+)\})"?\/\*?"?(?=\s|$)/g
const ROOT = /\s["']?\/\*?["']?(?=\s|$)/

/** The whole file system where nothing but one variable of the line can mean it: the variable was to hold more. */
function bareOf(effect: Effect, reason: string): Partial<Finding> {
  const text = effect.via.at(-1)?.text ?? ''
  const [only, more] = [...text.matchAll(BARE)]
  if (only === undefined || more !== undefined || ROOT.test(text)) return {}
  return { reason: `${reason}, since $${only[1] ?? only[2]} is empty, not set or /` }
}

/** Files that would all get one name: the last of them stays, so the person is asked whatever their number. */
const ontoOneName = (found: Finding, safer: string | undefined): Partial<Finding> => ({
  decision: 'ask',
  reason: `${found.reason}: the destination does not exist or is no directory, so each file would replace the one before`,
  ...(safer === undefined ? {} : { safer }),
})

function actOf(effect: Effect): PhysicalTarget['act'] | undefined {
  if (effect.act === 'delete') return effect.note === 'move' ? 'move' : 'delete'
  if (effect.act === 'append' || effect.act === 'edit') return 'change'
  return effect.act === 'write' ? 'write' : undefined
}

function toolsOf(tools: Tools, overlay: Overlay | undefined, going: readonly string[] = []): LossTools {
  const { context } = tools
  return {
    sense: tools.sense,
    home: context.home,
    workspaces: tools.workspaces,
    zones: (path) => zonesAt(tools, path, overlay),
    disposable: tools.disposable,
    earlier: (root) => gitSteps(overlay, root),
    origin(path) {
      const place = lookUp(overlay, path)
      return place.is === 'world' ? place.path : path
    },
    saved: (path) => isSaved(overlay, path, going),
    show: tools.show,
  }
}
