/** Which calls of sessions the gate was asked about: the host's own record of a session against our log. */
import { readFileSync } from 'node:fs'
import { logFiles } from '../../record/log-file.ts'
import { redact } from '../../record/redact.ts'
import type { Mark } from '../../session/live.ts'
import type { Known } from '../../setup/hosts.ts'
import type { PastCall } from '../replay/transcript.ts'

/** When the gate was asked, in milliseconds since the epoch, by host and session. */
export interface Asked {
  times(host: string, session: string): readonly number[]
  /** Whether the log names the session: a name that looks like a secret is masked there. */
  names(session: string): boolean
  /** The log knows nothing of what was before. */
  readonly from: number
}

/** Files of the log that are read: some thousand verdicts. */
const MOST_FILES = 2
/** A host may write its line a little after it asked. */
const SKEW_MS = 5_000

/** When the gate was asked in a session and in all that are part of the same one. */
export function timesIn(
  asked: Asked,
  marks: readonly Pick<Mark, 'host' | 'session' | 'root'>[],
  host: string,
  session: string,
): readonly number[] {
  const own = marks.find((mark) => mark.host === host && mark.session === session)
  const root = own?.root ?? session
  const parts = marks.filter((mark) => mark.host === host && mark.root === root).map((mark) => mark.session)
  return [...new Set([session, ...parts])].flatMap((one) => asked.times(host, one))
}

/** Reads the log: only events before a run count, and no canaries. */
export function readAsked(state: string, known: readonly Known[]): Asked {
  const gates = new Map(
    known.map(({ host, row }) => [host.id as string, row.events.find(({ is }) => is === 'gate')?.name]),
  )
  const times = new Map<string, number[]>()
  let from = Number.POSITIVE_INFINITY
  for (const file of logFiles(state).slice(0, MOST_FILES).reverse()) {
    for (const line of linesOf(file)) {
      const at = Date.parse(String(line['ts']))
      if (Number.isNaN(at)) continue
      from = Math.min(from, at)
      if (line['event'] !== gates.get(String(line['host'])) || String(line['rule']).startsWith('gate.')) continue
      const key = keyOf(String(line['host']), String(line['session']))
      times.set(key, [...(times.get(key) ?? []), at])
    }
  }
  return {
    times: (host, session) => times.get(keyOf(host, session)) ?? [],
    names: (session) => redact(session) === session,
    from,
  }
}

const keyOf = (host: string, session: string): string => `${host}\0${session}`

function linesOf(file: string): readonly Readonly<Record<string, unknown>>[] {
  try {
    return readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => {
        try {
          const read: unknown = JSON.parse(line)
          return typeof read === 'object' && read !== null ? [read as Record<string, unknown>] : []
        } catch {
          return []
        }
      })
  } catch {
    return []
  }
}

/** Calls that have a result and that no gate was asked about. `since`: what began before does not count. */
export function unasked(
  calls: readonly PastCall[],
  times: readonly number[],
  since: number,
  unhooked: readonly string[] = [],
): readonly PastCall[] {
  const free = [...times].sort((a, b) => a - b)
  const counted = calls
    .filter(
      ({ at, outcome, tool }) => at !== undefined && at >= since && outcome !== 'unknown' && !unhooked.includes(tool),
    )
    .sort((a, b) => a.at! - b.at!)
  // Each call takes the first event that can be its own: those of calls side by side may come in any order.
  return counted.filter(({ at }) => {
    const index = free.findIndex((time) => time >= at! - SKEW_MS)
    if (index >= 0) free.splice(index, 1)
    return index < 0
  })
}
