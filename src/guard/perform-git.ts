/** Steps of git: which repository each is about, and what later steps of the line see of it. */
import type { Doing } from '../commands/doing.ts'
import type { Asking } from '../core/question.ts'
import { textOf, textsOf } from '../core/value.ts'
import { repoOf } from '../paths/repo.ts'
import { type By, type Engine, emit, type Frame } from './engine.ts'
import type { Machine } from './machine.ts'
import { changesOf, freshPaths, through, withChange } from './overlay.ts'
import { absolutes, physical } from './physical.ts'

/** Whether this line made a repository around a directory that was there before, and is nobody's own. */
function madeAround(engine: Engine, dir: string, m: Machine): boolean {
  const inside = (path: string) => dir === path || dir.startsWith(`${path}/`)
  if (engine.context.session.created.some(inside)) return false
  for (const path of freshPaths(m.overlay)) if (inside(path)) return false
  for (const change of changesOf(m.overlay))
    if (change.is === 'git' && change.op.is === 'make' && inside(change.path)) return true
  return false
}

/** Performs one step of git in every place that the shell may be in. */
export function* git(
  engine: Engine,
  doing: Extract<Doing, { do: 'git' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<void> {
  if (frame.where && !frame.where.same) return
  const dirs = doing.at ? (textsOf(doing.at.value)?.flatMap((text) => absolutes(text, m, engine) ?? []) ?? []) : m.cwd
  const when = doing.when
  if (dirs.length === 0) {
    emit(engine, 'git', { is: 'git', repo: undefined, op: doing.op }, frame, by, {
      seen: m.overlay,
      provenance: 'unknown',
      when,
    })
    return
  }
  for (const dir of dirs) {
    const found = yield* physical(engine, dir, true, m.overlay)
    const start = found.is === 'path' ? found.target : dir
    const repo = yield* through(repoOf(start, engine.paths.flavour), m.overlay)
    if (repo === 'none') {
      // `git init` on this line makes everything below untracked.
      if (doing.op.is === 'make') {
        const made = textOf(doing.op.path?.value)
        const at = made === undefined ? undefined : absolutes(made, m, engine)?.[0]
        if (at !== undefined) m.overlay = withChange(m.overlay, { is: 'git', path: at, op: doing.op })
      } else if (doing.op.is === 'clean' && madeAround(engine, start, m))
        emit(engine, 'git', { is: 'git', repo: undefined, op: { ...doing.op, paths: { is: 'all' } } }, frame, by, {
          seen: m.overlay,
          when,
        })
      continue
    }
    const root = repo === 'unknown' ? undefined : repo.root
    emit(engine, 'git', { is: 'git', repo: root, op: doing.op }, frame, by, { seen: m.overlay, when, note: start })
    if (root !== undefined) m.overlay = withChange(m.overlay, { is: 'git', path: root, op: doing.op })
  }
}
