/** From texts to places: absolute paths, and where they really lie at this step of the line. */
import type { Answer, Asking, Question } from '../core/question.ts'
import { isAbsolute, separatorOf } from '../paths/lexical.ts'
import { nearPath, type Resolved, resolvePath } from '../paths/resolve.ts'
import type { Engine } from './engine.ts'
import type { Machine } from './machine.ts'
import { changesOf, type Overlay, through, turnView } from './overlay.ts'

/** Follows the links of an absolute path, as the disk will be at this step. */
export function* physical(
  engine: Engine,
  path: string,
  follow: boolean,
  overlay: Overlay | undefined,
): Asking<Resolved> {
  if (engine.view !== overlay) {
    turnView(engine.paths, engine.view, overlay)
    engine.view = overlay
  }
  const near = nearPath(path, engine.paths)
  return near ?? (yield* through(resolvePath(path, { follow, budget: engine.paths }), overlay))
}

/** Whether earlier steps of the line made names that lead elsewhere. */
function leadsElsewhere(overlay: Overlay | undefined): boolean {
  for (const { is } of changesOf(overlay)) if (is === 'link' || is === 'moved') return true
  return false
}

/**
 * Runs what a command's reader asks as the disk will be at this step. Readers name files as the line does: where the line
 * itself made links, these are followed first, since the world does not know them.
 */
export function* asItWillBe<T>(asking: Asking<T>, engine: Engine, m: Machine): Asking<T> {
  const { overlay } = m
  if (!leadsElsewhere(overlay)) return yield* through(asking, overlay)
  let step = asking.next()
  while (!step.done) {
    const question = yield* followed(step.value, engine, overlay)
    step = asking.next(yield* through(put(question), overlay))
  }
  return step.value
}

function* put(question: Question): Asking<Answer> {
  return yield question
}

function* followed(question: Question, engine: Engine, overlay: Overlay | undefined): Asking<Question> {
  if (question.ask !== 'text' && question.ask !== 'list' && question.ask !== 'stat') return question
  const path = question.ask === 'list' ? question.dir : question.path
  const found = yield* physical(engine, path, question.ask !== 'stat', overlay)
  if (found.is !== 'path') return question
  if (question.ask === 'list') return { ...question, dir: found.target }
  return { ...question, path: question.ask === 'stat' ? found.entry : found.target }
}

const MAGIC = /^\/proc\/(?:self|thread-self|\d+)\/(root|cwd)(?=\/|$)/

/** Every absolute path that a text may name from where the shell may be. Undefined: it may be anywhere. */
export function absolutes(text: string, m: Machine, engine: Engine): readonly string[] | undefined {
  const { flavour } = engine.paths
  const magic = text.startsWith('/proc/') ? MAGIC.exec(text) : null
  // The kernel's own names for the root and for where the shell is.
  if (magic) {
    const rest = text.slice(magic[0].length)
    if (magic[1] === 'root') return [rest === '' ? '/' : rest]
    return m.cwd.length === 0 ? undefined : m.cwd.map((dir) => dir + rest)
  }
  if (isAbsolute(text, flavour)) return [text]
  if (m.cwd.length === 0) return undefined
  const separator = separatorOf(flavour)
  return m.cwd.map((dir) => (dir.endsWith(separator) ? dir + text : dir + separator + text))
}
