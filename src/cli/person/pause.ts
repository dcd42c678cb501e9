/** `sallyport pause`: for a while the guard only watches, where a person says so. */
import { randomBytes } from 'node:crypto'
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { MOST_PAUSE_MS, PAUSE_FILE, pausedUntil } from '../../session/pause.ts'
import { openState } from '../../session/store.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { shownTime } from '../time.ts'
import { type Surroundings, surroundings, whyNoPerson } from './person.ts'

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 }

/** `length`: `30s`, `10m`, `1h` at most; `off` ends a pause; absent tells whether there is one. */
export function pauseVerb(length: string | undefined, io: Io, around: Surroundings = surroundings(io.env)): number {
  const now = Date.now()
  const state = openState(io.env, homeOf(io.env))
  if ('refused' in state) {
    io.err(`sallyport pause: ${state.refused}\n`)
    return EXIT.problem
  }
  const file = join(state.path, PAUSE_FILE)
  if (length === undefined) {
    const until = pausedUntil(state.path, now)
    io.out(until === undefined ? 'the guard is on\n' : `the guard only watches until ${shownTime(until)}\n`)
    return EXIT.ok
  }
  if (length === 'off') {
    // Going back to being guarded needs nobody's leave.
    rmSync(file, { force: true })
    io.out('the guard is on\n')
    return EXIT.ok
  }
  const [, count, unit] = /^([1-9][0-9]{0,4})([smh])$/.exec(length) ?? []
  const ms = Number(count) * (UNITS[unit ?? ''] ?? Number.NaN)
  if (!(ms <= MOST_PAUSE_MS)) {
    io.err(`sallyport pause: ${JSON.stringify(length)} is no time of at most an hour; say 30s, 10m or 1h, or off\n`)
    return EXIT.usage
  }
  const why = whyNoPerson(around)
  if (why !== undefined) {
    io.err(`sallyport pause: ${why}\n`)
    return EXIT.problem
  }
  const made = `${file}.${randomBytes(4).toString('hex')}`
  writeFileSync(made, `${JSON.stringify({ until: now + ms })}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(made, file)
  io.out(
    `the guard only watches until ${shownTime(now + ms)}; changes of its own settings stay refused; end it with: sallyport pause off\n`,
  )
  return EXIT.ok
}
