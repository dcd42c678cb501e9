/** What became of the gate in each session that left marks. */

import type { HostId } from '../../core/call.ts'
import { counted } from '../../core/count.ts'
import { type NamedMark, readMarks } from '../../session/live.ts'
import type { Known } from '../../setup/hosts.ts'
import { isWoken } from '../../setup/wake.ts'
import type { Surroundings } from '../../setup/wire/row.ts'
import { shownTime } from '../time.ts'
import { readAsked, timesIn, unasked } from './asked.ts'
import { callsIn, recordsOf } from './recorded.ts'

export interface SessionState {
  readonly host: HostId
  readonly session: string
  /** First and last sign of it, in milliseconds since the epoch. */
  readonly since: number
  readonly last: number
  readonly version?: string
  readonly cwd?: string
  /** Kinds of events that reached us. */
  readonly events: readonly string[]
  /** How often the gate was asked, as far as the log goes back; absent where the log does not name the session. */
  readonly asked?: number
  /** Calls in the host's own record that count; absent where there is none. */
  readonly calls?: number
  /** `idle`: no call has run yet. */
  readonly gate: 'live' | 'dead' | 'idle'
  /** For `dead`: one clause. */
  readonly why?: string
}

/** Sessions of the last days that are told of. */
const MOST_MS = 7 * 24 * 3600 * 1000
const MOST_SESSIONS = 50

/** The newest first. `since`: when each host was wired. */
export function sessionStates(
  state: string,
  known: readonly Known[],
  since: ReadonlyMap<HostId, number>,
  now: number,
  at: Surroundings,
): readonly SessionState[] {
  const asked = readAsked(state, known)
  const all = readMarks(state)
  const groups = new Map<string, NamedMark[]>()
  for (const mark of all) {
    if (isWoken(mark.cwd)) continue
    const key = `${mark.host}\0${mark.session}`
    groups.set(key, [...(groups.get(key) ?? []), mark])
  }
  return [...groups.values()]
    .flatMap((marks) => {
      const one = known.find(({ host }) => host.id === marks[0]!.host)
      if (one === undefined) return []
      const { session } = marks[0]!
      const times = asked.names(session) ? timesIn(asked, all, one.host.id, session) : undefined
      const from = Math.max(since.get(one.host.id) ?? 0, asked.from)
      return [
        stateOf(
          one,
          marks.sort((a, b) => a.t - b.t),
          times,
          from,
          at,
        ),
      ]
    })
    .filter(({ last }) => now - last < MOST_MS)
    .sort((a, b) => b.last - a.last)
    .slice(0, MOST_SESSIONS)
}

function stateOf(
  one: Known,
  marks: readonly NamedMark[],
  known: readonly number[] | undefined,
  from: number,
  at: Surroundings,
): SessionState {
  const { host, row } = one
  const times = known ?? []
  const first = marks[0]!
  const held = <K extends 'version' | 'cwd' | 'transcript' | 'root'>(key: K) =>
    marks.find((mark) => mark[key] !== undefined)?.[key]
  const [version, cwd, transcript] = [held('version'), held('cwd'), held('transcript')]
  const name = held('root') ?? first.session
  const path = row.transcripts === undefined ? undefined : (transcript ?? recordsOf(one, at, name).at(0))
  const found = path === undefined || known === undefined ? undefined : callsIn(host.id, path)
  const calls = (found ?? []).filter(({ session }) => row.transcripts?.holds === undefined || session === name)
  const missed = unasked(calls, times, from, row.unhooked)
  const has = (what: string) => marks.some((mark) => mark.what === what)
  const why =
    missed.length > 0
      ? `${missed.length} of ${counted(calls.length, 'call')} ran without being asked about, the last ${missed.at(-1)!.tool} at ${shownTime(missed.at(-1)!.at!)}`
      : has('dead')
        ? 'results came of calls that it was not asked about'
        : undefined
  return {
    host: host.id,
    session: first.session,
    since: first.t,
    last: Math.max(marks.at(-1)!.t, times.at(-1) ?? 0),
    ...(version === undefined ? {} : { version }),
    ...(cwd === undefined ? {} : { cwd }),
    events: [...new Set(marks.filter(({ what }) => what !== 'dead').map(({ event }) => event))],
    ...(known === undefined ? {} : { asked: known.length }),
    ...(found === undefined ? {} : { calls: calls.length }),
    gate: why !== undefined ? 'dead' : has('pre') || times.length > 0 ? 'live' : 'idle',
    ...(why === undefined ? {} : { why }),
  }
}
