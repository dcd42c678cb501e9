/** Scripts that a pattern names (`sh ./x/*.sh`, `find x -name '*.py' -exec python3 {} \;`): each of them may run. */
import type { Doing } from '../commands/doing.ts'
import { type Asking, ask } from '../core/question.ts'
import { exact, type GlobPart, type Value } from '../core/value.ts'
import { matchPattern } from '../shell/expand.ts'
import type { By, Engine, Frame, Outcome } from './engine.ts'
import { expandGlob, MOST_NAMES } from './globs.ts'
import type { Machine } from './machine.ts'
import { through } from './overlay.ts'
import { absolutes, physical } from './physical.ts'
import { runFile } from './scripts.ts'

/** Scripts that one pattern may name, and directories that are looked at for one of any depth. */
const MOST_SCRIPTS = 16
const MOST_DIRS = 200

/** Runs what a pattern matches now; a pattern of too many names, or of none that can be told, is run as a whole. */
export function* runMatching(
  engine: Engine,
  doing: Extract<Doing, { do: 'script' }>,
  m: Machine,
  frame: Frame,
  by: By,
): Asking<Outcome | undefined> {
  const { value } = doing.path
  const names = (yield* expandGlob(engine, value, m, MOST_SCRIPTS)) ?? (yield* below(engine, value, m))
  if (names === undefined || names.length === 0) return yield* runFile(engine, doing, m, frame, by)
  // A pattern is the first name that it matches, and the others are its arguments; any of them may come first.
  for (const name of names)
    yield* runFile(engine, { ...doing, path: { ...doing.path, value: exact(name) } }, m, frame, by)
  return undefined
}

/** The files of any depth below a directory that end in a name, as `find` gives them: `dir`, deep, `/name`. */
function* below(engine: Engine, value: Value, m: Machine): Asking<readonly string[] | undefined> {
  const [dir, deep, name, ...rest] = value.is === 'glob' ? value.parts : []
  if (dir?.is !== 'text' || deep?.is !== 'deep' || name?.is !== 'text' || !name.text.startsWith('/')) return undefined
  const lead = name.text.slice(1)
  const wanted: readonly GlobPart[] = lead === '' ? rest : [{ is: 'text', text: lead }, ...rest]
  if (wanted.some((part) => part.is === 'any' || part.is === 'deep' || (part.is === 'text' && part.text.includes('/'))))
    return undefined
  const start = absolutes(dir.text, m, engine)
  const found = start?.length === 1 ? yield* physical(engine, start[0]!, true, m.overlay) : undefined
  if (found?.is !== 'path' || !found.exists) return undefined
  const names: string[] = []
  const queue = [found.target]
  for (let at = 0; at < queue.length; at++) {
    if (at >= MOST_DIRS) return undefined
    const list = yield* through(ask('list', { dir: queue[at]!, limit: MOST_NAMES }), m.overlay)
    if (list === 'unknown' || (list !== 'absent' && list.cut)) return undefined
    if (list === 'absent') continue
    for (const entry of list.entries) {
      const path = `${queue[at]!.replace(/\/$/, '')}/${entry.name}`
      if (entry.kind === 'dir') {
        if (entry.name !== 'node_modules' && entry.name !== '.git') queue.push(path)
      } else if (matchPattern(wanted, entry.name)) names.push(path)
      if (names.length > MOST_SCRIPTS) return undefined
    }
  }
  return names
}
