/** Where the managed runtime keeps its state. */
import { isAbsolute, join, resolve } from 'node:path'
import { makeDirs, openState } from '../../session/store.ts'
import { homeOf } from '../ctx/asking.ts'
import type { Io } from '../io.ts'

/** What a verb cannot do, as one sentence for the person. */
export class CannotOpen extends Error {}

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
  const state = openState(io.env, homeOf(io))
  if ('refused' in state) throw new CannotOpen(state.refused)
  return join(state.path, 'managed')
}
