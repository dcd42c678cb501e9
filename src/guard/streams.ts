/** What a stream says, where its text matters: files are read, here and now. */
import type { Content } from '../commands/doing.ts'
import { type Asking, ask } from '../core/question.ts'
import { exact, type Taint, textOf, unknown, type Value } from '../core/value.ts'
import type { Engine } from './engine.ts'
import type { Machine } from './machine.ts'
import { isBrought, through } from './overlay.ts'
import { absolutes, physical } from './physical.ts'

/** A file read for its text; larger ones are data, not scripts. */
export const MOST_TEXT = 256 * 1024

export type FileReading =
  | { readonly is: 'text'; readonly text: string; readonly path: string; readonly cut: boolean }
  | { readonly is: 'absent' }
  | { readonly is: 'unreadable' | 'unknown'; readonly path: string }

/** Reads a file by an absolute path, links followed, as the disk will be at this step. */
export function* readFile(engine: Engine, path: string, m: Machine): Asking<FileReading> {
  const found = yield* physical(engine, path, true, m.overlay)
  if (found.is !== 'path') return { is: 'unknown', path }
  if (!found.exists)
    return isBrought(m.overlay, found.target) ? { is: 'unknown', path: found.target } : { is: 'absent' }
  if (found.kind === 'dir') return { is: 'absent' }
  const text = yield* through(ask('text', { path: found.target, limit: MOST_TEXT }), m.overlay)
  if (text === 'absent') return { is: 'absent' }
  if (text === 'unknown') return { is: 'unknown', path: found.target }
  if (text === 'unreadable') return { is: 'unreadable', path: found.target }
  return { is: 'text', text: text.text, path: found.target, cut: text.cut }
}

/** The text of a stream as a value. */
export function* textOfContent(engine: Engine, content: Content, m: Machine): Asking<Value> {
  if (content.text.is !== 'unknown' && content.text.is !== 'partly') return content.text
  const files = content.files
  if (files?.length !== 1) return withTaints(content.text, content.taints)
  const name = textOf(files[0]!.value)
  const paths = name === undefined ? undefined : absolutes(name, m, engine)
  if (name !== undefined) {
    const stream = engine.streams.get(name)
    if (stream) return yield* textOfContent(engine, stream, m)
  }
  if (paths?.length !== 1) return content.text
  const read = yield* readFile(engine, paths[0]!, m)
  if (read.is === 'text' && !read.cut) return exact(read.text)
  return read.is === 'absent' ? exact('') : unknown('input')
}

/** Runs what a command's reader asks where names may stand for streams (`<(…)`): their text is what was written into them. */
export function* withStreams<T>(asking: Asking<T>, engine: Engine, m: Machine): Asking<T> {
  if (engine.streams.size === 0) return yield* asking
  let step = asking.next()
  while (!step.done) {
    const question = step.value
    const stream = question.ask === 'text' ? engine.streams.get(question.path) : undefined
    if (stream === undefined) step = asking.next(yield question)
    else {
      const text = textOf(yield* textOfContent(engine, stream, m))
      step = asking.next(text === undefined ? 'unknown' : { text, cut: false })
    }
  }
  return step.value
}

/** Where a stream's bytes came from, streams behind names included. */
export function taintsOfContent(engine: Engine, content: Content): readonly Taint[] {
  const names = (content.files ?? []).flatMap((file) => textOf(file.value) ?? [])
  return [...new Set([...content.taints, ...names.flatMap((name) => engine.streams.get(name)?.taints ?? [])])]
}

function withTaints(value: Value, taints: readonly Taint[]): Value {
  if (taints.length === 0 || (value.is !== 'unknown' && value.is !== 'partly')) return value
  return { ...value, taints: [...new Set([...(value.taints ?? []), ...taints])] }
}
