/** Why nothing can be written to a place, in words. */

const NOT_OURS = 'you may not write there'
const NO_ROOM = 'no room is left there'
const NO_WAY = 'something on the way to it is no directory'

/** What a person can do is the same for all: another place. */
const WHY: Readonly<Record<string, string>> = {
  EROFS: 'its file system is read-only',
  EACCES: NOT_OURS,
  EPERM: NOT_OURS,
  ENOSPC: NO_ROOM,
  EDQUOT: NO_ROOM,
  ENOTDIR: NO_WAY,
  EEXIST: NO_WAY,
}

/** One sentence without a full stop. `what`: the place below our state, as it is named; `error`: what an attempt to write there threw. */
export function unwritable(what: string, error: unknown): string {
  const code = error instanceof Error ? ((error as NodeJS.ErrnoException).code ?? error.message) : String(error)
  const why = WHY[code]
  return `${what} cannot be written to: ${why === undefined ? code : `${why} (${code})`}; mend that, or name another place by XDG_STATE_HOME, for the agents as well`
}
