/** Where the managed runtime keeps its state. */
import { existsSync, rmdirSync, rmSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import { isTaken } from '../../managed/open.ts'
import { makeDirs, openState } from '../../session/store.ts'
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'

/** What a verb cannot do, as one sentence for the person. */
export class CannotOpen extends Error {}

/** A directory that is named to be looked at must be there; it is not made. Throws `CannotOpen`. */
export function mustBeThere(io: Io, given: string | undefined): void {
  if (given !== undefined && !existsSync(resolve(io.cwd, given)))
    throw new CannotOpen(
      `there is no state directory ${resolve(io.cwd, given)}; --state takes the one that serve was given`,
    )
}

/**
 * What removes a state directory, and those above it, that were not there when this was called, as long as no other runtime
 * has taken it meanwhile.
 */
export function undoState(io: Io, given: string | undefined): () => void {
  let path: string
  try {
    path = given === undefined ? stateOf(io, undefined) : resolve(io.cwd, given)
  } catch {
    return () => {}
  }
  if (existsSync(path)) return () => {}
  const above: string[] = []
  for (let at = dirname(path); !existsSync(at) && at !== dirname(at); at = dirname(at)) above.push(at)
  return () => {
    if (isTaken(path)) return
    rmSync(path, { recursive: true, force: true })
    for (const directory of above)
      try {
        rmdirSync(directory)
      } catch {
        return
      }
  }
}

/** The state directory: the one that is named, else one in the user's. Throws `CannotOpen`. */
export function stateOf(io: Io, given: string | undefined): string {
  if (given !== undefined) {
    const path = isAbsolute(given) ? given : resolve(io.cwd, given)
    try {
      makeDirs(path)
    } catch (error) {
      throw new CannotOpen(
        `the directory ${path} cannot be made (${(error as NodeJS.ErrnoException).code ?? String(error)})`,
      )
    }
    return path
  }
  const state = openState(io.env, homeOf(io.env))
  if ('refused' in state) throw new CannotOpen(state.refused)
  return join(state.path, 'managed')
}
