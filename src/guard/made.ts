/**
 * What a program that no table knows makes of a file of the project and prints. The program may do anything by itself, so
 * what it prints is worth as much trust as it is, where nothing from elsewhere went in: then an interpreter may run it.
 */
import type { Content } from '../commands/doing.ts'
import type { Asking } from '../core/question.ts'
import { type Arg, textOf, unknown } from '../core/value.ts'
import { isInside } from '../paths/lexical.ts'
import type { Engine, Frame } from './engine.ts'
import { UNKNOWN_OUT } from './engine.ts'
import type { Machine } from './machine.ts'
import { absolutes, physical } from './physical.ts'

/** The output of such a program; of unknown origin where an operand is no plain word and no file of the project. */
export function* outputOf(engine: Engine, args: readonly Arg[], m: Machine, frame: Frame): Asking<Content> {
  const { stdin } = frame
  // What came from the network stays so, whoever passes it on.
  if (stdin.taints.includes('remote')) return { text: unknown('input', ['remote']), taints: ['remote'] }
  // Outside a pipe nobody runs it.
  if (!frame.forked) return UNKNOWN_OUT
  let fed = stdin.text.is === 'unknown' && stdin.text.why === 'program'
  for (const arg of args) {
    const text = textOf(arg.value)
    if (text === undefined) return UNKNOWN_OUT
    if (text.startsWith('-') || /^\w+$/.test(text)) continue
    if (!(yield* isOfProject(engine, text, m))) return UNKNOWN_OUT
    fed = true
  }
  return fed && stdin.taints.length === 0 ? { text: unknown('program'), taints: [] } : UNKNOWN_OUT
}

/** A file that is there, inside a workspace, and that this session neither wrote nor fetched. */
function* isOfProject(engine: Engine, name: string, m: Machine): Asking<boolean> {
  const path = absolutes(name, m, engine)?.[0]
  const found = path === undefined ? undefined : yield* physical(engine, path, true, m.overlay)
  if (found?.is !== 'path' || !found.exists || found.kind === 'dir') return false
  const { session } = engine.context
  if (session.written.includes(found.target) || session.downloaded.includes(found.target)) return false
  return engine.workspaces.some((root) => isInside(found.target, root, engine.paths))
}
