/** The state of an abstract shell: where it may be, what its variables may be, what the line changed so far. */
import { either, type Value } from '../core/value.ts'
import type { Node } from '../shell/tree.ts'
import { joinOverlays, type Overlay } from './overlay.ts'

/** Absolute directories that the shell may be in; none: it may be anywhere. */
export type Places = readonly string[]

/** More places than this are "anywhere". */
const MOST_PLACES = 8

export interface FunctionBody {
  readonly body: Node
  readonly source: string
}

export interface Machine {
  cwd: Places
  oldCwd: Places | undefined
  stack: Places[]
  /** Variables set on the line; `unset` for those removed. What is not here is the environment's. */
  vars: Map<string, Value | 'unset'>
  functions: Map<string, FunctionBody>
  aliases: Map<string, string>
  positional: readonly Value[] | undefined
  overlay: Overlay | undefined
  /** `exit`, `exec` or `return` was reached: nothing further runs here. */
  gone: boolean
  /** `set -e` */
  errexit: boolean
  /** Text of traps with the place where they were set. */
  traps: Map<string, { text: Value; source: string }>
}

export const newMachine = (cwd: Places): Machine => ({
  cwd,
  oldCwd: undefined,
  stack: [],
  vars: new Map(),
  functions: new Map(),
  aliases: new Map(),
  positional: undefined,
  overlay: undefined,
  gone: false,
  errexit: false,
  traps: new Map(),
})

export const fork = (m: Machine): Machine => ({
  ...m,
  stack: [...m.stack],
  vars: new Map(m.vars),
  functions: new Map(m.functions),
  aliases: new Map(m.aliases),
  traps: new Map(m.traps),
})

/** Puts everything of `from` into `into`. */
export const become = (into: Machine, from: Machine): void => {
  Object.assign(into, from)
}

const joinPlaces = (a: Places, b: Places): Places => {
  if (a.length === 0 || b.length === 0) return []
  const all = [...new Set([...a, ...b])]
  return all.length > MOST_PLACES ? [] : all
}

const joinMaps = <V>(a: ReadonlyMap<string, V>, b: ReadonlyMap<string, V>): Map<string, V> => new Map([...b, ...a])

/**
 * The state after either of two ways. A variable that only one way set is unknown unless both agree, since the other
 * way leaves it to the environment.
 */
export function join(a: Machine | undefined, b: Machine | undefined): Machine | undefined {
  if (a === undefined || b === undefined) return a ?? b
  if (a.gone !== b.gone) {
    const live = a.gone ? b : a
    return { ...live, overlay: joinOverlays(a.overlay, b.overlay) }
  }
  const vars = new Map<string, Value | 'unset'>()
  for (const name of new Set([...a.vars.keys(), ...b.vars.keys()])) {
    const x = a.vars.get(name)
    const y = b.vars.get(name)
    if (x === y && x !== undefined) vars.set(name, x)
    else if (x === undefined || y === undefined || x === 'unset' || y === 'unset')
      vars.set(name, { is: 'unknown', why: 'variable' })
    else vars.set(name, either(x, y))
  }
  return {
    cwd: joinPlaces(a.cwd, b.cwd),
    oldCwd: a.oldCwd && b.oldCwd ? joinPlaces(a.oldCwd, b.oldCwd) : undefined,
    stack: a.stack.length === b.stack.length ? a.stack : [],
    vars,
    functions: joinMaps(a.functions, b.functions),
    aliases: joinMaps(a.aliases, b.aliases),
    positional: JSON.stringify(a.positional) === JSON.stringify(b.positional) ? a.positional : undefined,
    overlay: joinOverlays(a.overlay, b.overlay),
    gone: a.gone,
    errexit: a.errexit && b.errexit,
    traps: joinMaps(a.traps, b.traps),
  }
}
