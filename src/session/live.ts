/**
 * Marks that say which kinds of events a session had: one small file a session and kind, made once. So each later event
 * costs one look, and whoever reads them knows which sessions a gate has seen. Entry points only.
 */
import { closeSync, existsSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs'
import { under } from '../core/native-path.ts'
import { MARKS, markFile } from './mark.ts'
import { makeDirs, removeOld } from './store.ts'

/** What a mark holds. */
export interface Mark {
  /** Milliseconds since the epoch. */
  readonly t: number
  readonly host: string
  readonly session: string
  readonly event: string
  readonly version?: string
  readonly cwd?: string
  /** The host's own record of the session. */
  readonly transcript?: string
  /** The session that this one is part of, where the host tells its hooks another name than its records have. */
  readonly root?: string
}

/** A mark and what it is of: `pre`, `post`, `dead`, or the name of an event without a call. */
export interface NamedMark extends Mark {
  readonly what: string
}

/** Marks that are older belong to sessions that are over. */
const MARK_DAYS = 30
/** Marks that are read at most; a session has a handful. */
const MOST_MARKS = 4096

/** Makes a mark. False where it is there already or cannot be made. Never throws. */
export function putMark(state: string, name: string, what: string, mark: Mark): boolean {
  const file = markFile(state, name, what)
  try {
    if (!existsSync(under(state, MARKS))) makeDirs(under(state, MARKS))
    const handle = openSync(file, 'wx', 0o600)
    try {
      writeSync(handle, `${JSON.stringify(mark)}\n`)
    } finally {
      closeSync(handle)
    }
    removeOld(under(state, MARKS), MARK_DAYS * 24 * 3600 * 1000)
    return true
  } catch {
    return false
  }
}

/** All marks, in no order; what cannot be read is left out. */
export const readMarks = (state: string): readonly NamedMark[] => filesOf(state).map(({ mark }) => mark)

/** Removes the marks that `gone` names. */
export function dropMarks(state: string, gone: (mark: NamedMark) => boolean): void {
  for (const { file, mark } of filesOf(state)) if (gone(mark)) rmSync(file, { force: true })
}

function filesOf(state: string): readonly { readonly file: string; readonly mark: NamedMark }[] {
  let names: string[] = []
  try {
    names = readdirSync(under(state, MARKS)).slice(0, MOST_MARKS)
  } catch {
    return []
  }
  return names.flatMap((name) => {
    const file = under(state, `${MARKS}/${name}`)
    try {
      const mark = JSON.parse(readFileSync(file, 'utf8')) as Mark
      const whole = [mark.host, mark.session, mark.event].every((text) => typeof text === 'string')
      if (!whole || typeof mark.t !== 'number') return []
      return [{ file, mark: { ...mark, what: name.slice(name.lastIndexOf('.') + 1) } }]
    } catch {
      return []
    }
  })
}
