/** Starts a host for a moment and waits for the event with which it begins a session: only the host itself can tell that it loads its hooks. */
import { spawn } from 'node:child_process'
import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { dropMarks, readMarks } from '../session/live.ts'
import { detect } from './detect.ts'
import type { Known } from './hosts.ts'
import type { Check } from './plugin-doctor.ts'
import type { Surroundings } from './wire/row.ts'

/** Milliseconds that a host may take to begin. */
const MOST_MS = 20_000
const STEP_MS = 50
/** Directories of such sessions are known by this. */
const NAME = 'sallyport-wake-'

/** Whether a session was begun by us. */
export const isWoken = (cwd: string | undefined): boolean => cwd?.includes(`/${NAME}`) ?? false

/** Undefined where the host is not here or cannot be started so. Its other hooks for the beginning of a session run, too. */
export async function wakeCheck({ host, row }: Known, at: Surroundings, state: string): Promise<Check | undefined> {
  const { program } = detect(row, at)
  if (row.wake === undefined || program === undefined) return undefined
  const cwd = realpathSync(mkdtempSync(join(tmpdir(), NAME)))
  const began = Date.now()
  const child = spawn(program, row.wake.words, {
    ...{ cwd, detached: true, stdio: 'ignore' },
    env: { ...at.env, ...row.wake.env, PWD: cwd } as NodeJS.ProcessEnv,
  })
  let ended = false
  child.once('error', () => (ended = true))
  child.once('exit', () => (ended = true))
  const seen = () => readMarks(state).some((mark) => mark.host === host.id && mark.cwd === cwd)
  try {
    while (!seen() && !ended && Date.now() - began < MOST_MS) await sleep(STEP_MS)
    // Its hook may still be writing when the host is gone.
    if (ended && !seen()) await sleep(10 * STEP_MS)
    const ms = Date.now() - began
    if (seen()) return { name: 'host', level: 'ok', detail: `${host.title} was started and called the hook (${ms} ms)` }
    const trust = row.host === 'codex' ? ', or its hooks are not trusted' : ''
    return {
      name: 'host',
      level: 'fail',
      detail: `${host.title} was started and called no hook: it does not take its settings, as with a value of a wrong type anywhere in the file${trust}`,
    }
  } finally {
    kill(child.pid)
    dropMarks(state, (mark) => mark.cwd === cwd)
    rmSync(cwd, { recursive: true, force: true })
  }
}

/** The host and all that it started. */
function kill(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL')
  } catch {
    // It is gone.
  }
}
