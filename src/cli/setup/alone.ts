/** One setup or uninstall at a time: what one has planned the other would take away. */
import { setTimeout as sleep } from 'node:timers/promises'
import { unwritable } from '../../session/unwritable.ts'
import { acquireLock } from '../../setup/migration-lock.ts'
import { EXIT, type Io } from '../io.ts'
import { Halt } from './places.ts'

/** Name of the lock in the state directory. */
export const LOCK = '.setup.lock.d'
/** Milliseconds that another one may take: it starts each host for a moment. */
const MOST_MS = 120_000
const STEP_MS = 200

function lockOf(state: string): ReturnType<typeof acquireLock> {
  try {
    return acquireLock(state, new Date(), LOCK)
  } catch (error) {
    throw new Halt(`${unwritable(`the state directory ${state}`, error)}; nothing was changed`, EXIT.problem)
  }
}

/** Does the work while no other one is at work. Throws a `Halt` where another one goes on and on. */
export async function alone<T>(
  state: string,
  io: Pick<Io, 'err'>,
  name: string,
  work: () => T | Promise<T>,
): Promise<T> {
  const until = Date.now() + MOST_MS
  for (let told = false; ; await sleep(STEP_MS)) {
    const lock = lockOf(state)
    if ('release' in lock) {
      try {
        return await work()
      } finally {
        lock.release()
      }
    }
    const who = lock.heldBy === 'unknown' ? 'another one' : `process ${lock.heldBy.pid}`
    if (Date.now() > until)
      throw new Halt(`${who} is at work there (${state}/${LOCK}); nothing was changed`, EXIT.problem)
    if (!told) io.err(`${name}: waits for ${who}, which sets up or takes out\n`)
    told = true
  }
}
