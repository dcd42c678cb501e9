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

/** Definitions of one name that a branch may have made; `none` where another branch leaves the name as it was. */
export type Choices<T> = readonly (T | 'none')[]

/** More definitions than this of one name are not followed: what it runs is then unknown. */
export const MOST_CHOICES = 8

export interface Trap {
  readonly text: Value
  readonly source: string
  /** Set on one branch only: what a variable was there, as long as it still has the value that the join gave it. */
  readonly was?: ReadonlyMap<string, { readonly joined: Value | 'unset'; readonly was: Value | 'unset' }>
}

export interface Machine {
  cwd: Places
  oldCwd: Places | undefined
  stack: Places[]
  /** Variables set on the line; `unset` for those removed. What is not here is the environment's. */
  vars: Map<string, Value | 'unset'>
  /**
   * Names whose values go along to programs: `false` where only some branch said so. A name of the environment goes along
   * without being here; `*`: every name that is set from here on (`set -a`).
   */
  exported: Map<string, boolean>
  functions: Map<string, Choices<FunctionBody>>
  aliases: Map<string, Choices<string>>
  positional: readonly Value[] | undefined
  overlay: Overlay | undefined
  /** `exit`, `exec` or `return` was reached: nothing further runs here. */
  gone: boolean
  /** `set -e` */
  errexit: boolean
  /** By signal. Each of several may be the one that is set. */
  traps: Map<string, readonly Trap[]>
}

export const newMachine = (cwd: Places): Machine => ({
  cwd,
  oldCwd: undefined,
  stack: [],
  vars: new Map(),
  exported: new Map(),
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
  exported: new Map(m.exported),
  functions: new Map(m.functions),
  aliases: new Map(m.aliases),
  traps: new Map(m.traps),
})

/** What an assignment of the line does: after `set -a` the variable goes along to programs, too. */
export function setVariable(m: Machine, name: string, value: Value): void {
  m.vars.set(name, value)
  const all = m.exported.get('*')
  if (all !== undefined && m.exported.get(name) !== true) m.exported.set(name, all)
}

/** Puts everything of `from` into `into`. */
export const become = (into: Machine, from: Machine): void => {
  Object.assign(into, from)
}

const joinPlaces = (a: Places, b: Places): Places => {
  if (a.length === 0 || b.length === 0) return []
  const all = [...new Set([...a, ...b])]
  return all.length > MOST_PLACES ? [] : all
}

function joinExported(a: ReadonlyMap<string, boolean>, b: ReadonlyMap<string, boolean>): Map<string, boolean> {
  const out = new Map<string, boolean>()
  for (const name of new Set([...a.keys(), ...b.keys()])) out.set(name, a.get(name) === true && b.get(name) === true)
  return out
}

function joinChoices<T>(
  a: ReadonlyMap<string, Choices<T>>,
  b: ReadonlyMap<string, Choices<T>>,
): Map<string, Choices<T>> {
  const none: Choices<T> = ['none']
  const out = new Map<string, Choices<T>>()
  for (const name of new Set([...a.keys(), ...b.keys()]))
    out.set(name, [...new Set([...(a.get(name) ?? none), ...(b.get(name) ?? none)])])
  return out
}

type Vars = Machine['vars']

/** What a variable is for a trap: what it was on the branch that set the trap, where nothing changed it since. */
export const variableFor = (trap: Trap, name: string, value: Value | 'unset'): Value | 'unset' => {
  const kept = trap.was?.get(name)
  return kept !== undefined && kept.joined === value ? kept.was : value
}

function joinTraps(a: Machine, b: Machine, joined: Vars): Map<string, readonly Trap[]> {
  const keep = (trap: Trap, own: Vars): Trap => {
    const was = new Map<string, { joined: Value | 'unset'; was: Value | 'unset' }>()
    for (const [name, value] of own) {
      const now = joined.get(name)
      const before = variableFor(trap, name, value)
      if (now !== undefined && now !== before) was.set(name, { joined: now, was: before })
    }
    return { text: trap.text, source: trap.source, was }
  }
  const out = new Map<string, readonly Trap[]>()
  for (const signal of new Set([...a.traps.keys(), ...b.traps.keys()])) {
    const left = a.traps.get(signal) ?? []
    const right = b.traps.get(signal) ?? []
    const all = [
      ...left.map((trap) => (right.includes(trap) ? trap : keep(trap, a.vars))),
      ...right.filter((trap) => !left.includes(trap)).map((trap) => keep(trap, b.vars)),
    ]
    out.set(signal, all)
  }
  return out
}

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
    exported: joinExported(a.exported, b.exported),
    functions: joinChoices(a.functions, b.functions),
    aliases: joinChoices(a.aliases, b.aliases),
    positional: JSON.stringify(a.positional) === JSON.stringify(b.positional) ? a.positional : undefined,
    overlay: joinOverlays(a.overlay, b.overlay),
    gone: a.gone,
    errexit: a.errexit && b.errexit,
    traps: joinTraps(a, b, vars),
  }
}
