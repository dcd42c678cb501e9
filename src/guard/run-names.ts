/** What the name of a command stands for, where that is no row of the tables: a program of somebody's own, a function, an alias. */
import { readerOf } from '../commands/registry.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Arg, prefixOf, type Span, textOf, type Value } from '../core/value.ts'
import type { Node } from '../shell/tree.ts'
import { EITHER, type Engine, emit, type Frame, type Outcome } from './engine.ts'
import type { Machine } from './machine.ts'
import { through } from './overlay.ts'
import { absolutes } from './physical.ts'
import { readFile } from './streams.ts'

/** Directories of a new PATH that are looked at; those of the system end the search. */
const MOST_DIRS = 8

/** A readable script of that name in a directory that this line put on PATH before those of the system. */
export function* plantedProgram(
  engine: Engine,
  name: string,
  m: Machine,
  own: ReadonlyMap<string, Value> | undefined,
): Asking<string | undefined> {
  const value = own?.get('PATH') ?? m.vars.get('PATH')
  if (value === undefined || value === 'unset') return undefined
  const dirs = (textOf(value) ?? prefixOf(value)).split(':').slice(0, MOST_DIRS)
  for (const dir of dirs) {
    if (PROGRAM_DIRS.test(`${dir}/x`)) return undefined
    for (const path of absolutes(`${dir === '' ? '.' : dir}/${name}`, m, engine) ?? []) {
      if (path.includes('/node_modules/.bin/')) continue
      const file = yield* readFile(engine, path, m)
      if (file.is === 'text' && file.text !== '') return path
    }
  }
  return undefined
}

/** Directories whose programs are what their name says, wherever the machine keeps them. */
export const PROGRAM_DIRS = /^(?:\/usr(?:\/local)?)?\/s?bin\/[^/]+$|^\/opt\/homebrew\/bin\/[^/]+$/

/**
 * Whether a path names a program of somebody's own that only shares its name with a known one: a readable script in the
 * project. A binary elsewhere is taken for what it is called, since a copy of `git` does what git does.
 */
export function* ownProgram(engine: Engine, name: string, m: Machine): Asking<boolean> {
  if (PROGRAM_DIRS.test(name)) return false
  const base = baseOf(name, engine.context.platform === 'win32')
  if (readerOf(base) === undefined) return true
  const path = name.startsWith('/') ? name : m.cwd.length === 1 ? `${m.cwd[0]}/${name}` : undefined
  if (path === undefined || path.includes('/node_modules/.bin/')) return false
  const text = yield* through(ask('text', { path, limit: 4096 }), m.overlay)
  return typeof text === 'object' && 'text' in text && /^#!/.test(text.text)
}

export function baseOf(name: string, windows: boolean): string {
  const cut = Math.max(name.lastIndexOf('/'), windows ? name.lastIndexOf('\\') : -1)
  const base = name.slice(cut + 1)
  return windows
    ? base.replace(/\.(?:exe|cmd|bat|com|ps1)$/i, '').toLowerCase()
    : base.endsWith('.exe')
      ? base.slice(0, -4)
      : base
}

export function* runFunction(
  engine: Engine,
  name: string,
  body: { readonly body: Node; readonly source: string },
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
  span: Span,
): Asking<Outcome> {
  const key = `function ${name}`
  if (frame.running.includes(key)) {
    if (frame.forked)
      emit(
        engine,
        'system',
        { is: 'thing', name: `${name} calls itself without end` },
        frame,
        { name, span },
        { note: 'fork-bomb' },
      )
    return EITHER
  }
  const outer = m.positional
  m.positional = args.map((arg) => arg.value)
  const outcome = yield* engine.node(body.body, m, {
    ...frame,
    source: body.source,
    depth: frame.depth + 1,
    running: [...frame.running, key],
  })
  m.positional = outer
  m.gone = false
  return outcome
}

/** An alias is text: it is read, and the arguments follow its last word. */
export function* runAlias(
  engine: Engine,
  text: string,
  args: readonly Arg[],
  m: Machine,
  frame: Frame,
): Asking<Outcome> {
  const outer = m.positional
  m.positional = args.map((arg) => arg.value)
  const whole = `${text} "$@"`
  const outcome = yield* engine.text(whole, m, { ...frame, source: whole })
  m.positional = outer
  return outcome
}
