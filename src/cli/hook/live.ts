/** What a session's first event of a kind leaves behind, and what is said where results come of calls that nobody asked about. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { eventOf } from '../../hosts/events.ts'
import { field, fieldsOf, textOf } from '../../hosts/guards.ts'
import { type Mark, putMark } from '../../session/live.ts'
import { isMarked, UNASKED } from '../../session/mark.ts'
import { sessionName } from '../../session/store.ts'
import { recordedCalls } from '../replay/records.ts'
import type { Outcome, Request } from './respond.ts'

/** Bytes of a transcript's end that are looked at when a session ends. */
const MOST_TRANSCRIPT = 4 * 1024 * 1024

const SESSION_KEYS = 'session_id sessionId conversationId sessionID conversation_id taskId trajectory_id'.split(' ')

/** The session that a payload names, in any host's spelling. */
export function sessionIn(payload: unknown): string | undefined {
  const fields = fieldsOf(payload)
  if (fields === undefined) return undefined
  for (const key of SESSION_KEYS) if (textOf(field(fields, key)) !== undefined) return textOf(field(fields, key))
  return undefined
}

/** Marks the kind of event. `session`: as the call names it; absent: as the payload does. */
export function markSession(state: string, outcome: Outcome, request: Request, session: string, now: number): void {
  const { host, kind, call, payload } = outcome
  const fields = fieldsOf(payload) ?? {}
  const event = call?.event ?? eventOf(host.events, request.event)?.name ?? request.event.slice(0, 64)
  const transcript = textOf(field(fields, 'transcript_path')) ?? textOf(field(fields, 'transcriptPath'))
  const root = textOf(field(fieldsOf(field(fields, 'sessionContext')) ?? {}, 'rootSessionId'))
  const cwd = call?.cwd ?? textOf(field(fields, 'cwd'))
  const { version } = request.launch
  const mark: Mark = {
    t: now,
    host: host.id,
    session,
    event,
    ...(version === undefined ? {} : { version }),
    ...(cwd === undefined ? {} : { cwd }),
    ...(transcript === undefined ? {} : { transcript }),
    ...(root === undefined ? {} : { root }),
  }
  putMark(state, sessionName(host.id, session), kind === 'other' ? event : kind, mark)
}

/**
 * A result of a session that no event before a run was seen of. Once a session: a sentence for stderr, and, where the
 * host hands a note to the model, an answer that holds it. Undefined: it was said before.
 */
export function missedGate(
  state: string,
  { host, call, stdout }: Outcome,
  now: number,
): { readonly note: string; readonly stdout: string } | undefined {
  if (call === undefined) return undefined
  const mark = { t: now, host: host.id, session: call.session, event: call.event }
  if (!putMark(state, sessionName(host.id, call.session), 'dead', mark)) return undefined
  return {
    note: `sallyport hook: ${UNASKED}`,
    stdout: host.encodeNote?.(`Sallyport: ${UNASKED}. Tell the person.`) ?? stdout,
  }
}

/** At a session's end: whether its transcript shows calls that no event before a run was seen of. */
export function endedUnseen(state: string, { host, payload }: Outcome, session: string): boolean {
  const name = sessionName(host.id, session)
  const path = textOf(field(fieldsOf(payload) ?? {}, 'transcript_path'))
  if (path === undefined || isMarked(state, name, 'pre')) return false
  return recordedCalls(host.id, tailOf(path)).some(({ outcome }) => outcome !== 'unknown')
}

/** The end of a file, from a whole line on; empty where it cannot be read. */
function tailOf(path: string): string {
  let handle: number | undefined
  try {
    handle = openSync(path, 'r')
    const { size } = fstatSync(handle)
    const length = Math.min(size, MOST_TRANSCRIPT)
    const bytes = Buffer.alloc(length)
    const got = readSync(handle, bytes, 0, length, size - length)
    const text = bytes.toString('utf8', 0, got)
    return size > length ? text.slice(text.indexOf('\n') + 1) : text
  } catch {
    return ''
  } finally {
    if (handle !== undefined) closeSync(handle)
  }
}
