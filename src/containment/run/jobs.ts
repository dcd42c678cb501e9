/** Jobs as others see them: listed, looked at, waited for, ended. */
import type { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import { namesIn, readText } from '../store/files.ts'
import { jobOf } from '../store/layout.ts'
import { lives } from '../store/owner.ts'
import { type Found, isLive, readHead, spoolsIn } from '../store/recover.ts'
import type { Capture, Manifest, Resolved, Store } from '../store/types.ts'
import { END_SIGNAL } from './job.ts'

export interface JobEntry {
  readonly id: string
  readonly argv: readonly string[]
  readonly cwd: string
  /** The run that it became; absent while it runs. */
  readonly manifest?: Manifest
}

/** Milliseconds between two looks. */
const LOOK_MS = 50
/** How long a job that is asked to end may take, beyond the grace that its command has. */
const END_MS = 4000

/** All jobs of a store: those that run first, then the latest first. A job whose process died is sealed on the way. */
export function jobsOf(store: Store): readonly JobEntry[] {
  const root = store.path
  if (root === undefined) return []
  const running = spoolsIn(root).flatMap((found): readonly JobEntry[] => {
    const head = readHead(join(root, 'spool', found.name))
    if (head?.job === undefined || !isLive(root, found)) return []
    return [{ id: head.job, argv: head.argv, cwd: head.cwd }]
  })
  store.recover()
  const done = namesIn(join(root, 'jobs'))
    .filter((id) => /^[0-9a-f]{12}$/.test(id) && !running.some((job) => job.id === id))
    .flatMap((id): readonly (JobEntry & { readonly ts: string })[] => {
      const run = store.resolve({ is: 'run', id: readText(jobOf(root, id)) ?? '' })
      if (run.is !== 'run' || run.manifest === undefined) return []
      const { manifest } = run
      const { cwd = '', ts = '' } = store.occurrences(manifest.id).at(-1) ?? {}
      return [{ id, argv: manifest.argv, cwd, manifest, ts }]
    })
    .sort((a, b) => (a.ts === b.ts ? (a.id < b.id ? -1 : 1) : a.ts < b.ts ? 1 : -1))
  return [...running, ...done]
}

/** A job as an address gives it: running, or the run that it became. */
export type JobState =
  | { readonly is: 'running'; readonly id: string; readonly capture: Capture }
  | { readonly is: 'ended'; readonly id: string; readonly capture: Capture; readonly manifest: Manifest }
  | Extract<Resolved, { is: 'unresolved' }>

/** What has become of a job. `id`: the whole id or a prefix. */
export function stateOf(store: Store, id: string): JobState {
  const found = store.resolve({ is: 'job', id })
  if (found.is === 'unresolved') return found
  if (found.is === 'blob') return { is: 'unresolved', why: 'unknown', refused: `there is no job:${id}` }
  const { capture, manifest } = found
  return manifest === undefined
    ? { is: 'running', id: found.id, capture }
    : { is: 'ended', id: found.id, capture, manifest }
}

/** Waits until the job has ended, for at most `ms`. Gives what it is then. */
export async function waitFor(store: Store, id: string, ms: number | undefined): Promise<JobState> {
  const until = ms === undefined ? Number.POSITIVE_INFINITY : performance.now() + ms
  for (;;) {
    const state = stateOf(store, id)
    // Between its last byte and its seal a job is neither; that passes.
    const passing = state.is === 'unresolved' && state.why === 'unavailable'
    if ((state.is !== 'running' && !passing) || performance.now() >= until) return state
    await after(LOOK_MS)
  }
}

/**
 * Ends a running job: SIGTERM to all of it, then SIGKILL, and what was captured is sealed. Where its process does not
 * answer it is killed, which takes the command with it.
 */
export async function endJob(store: Store, id: string): Promise<JobState> {
  const owner = ownerOf(store, id)
  if (owner === undefined) return stateOf(store, id)
  send(owner.owner.pid, END_SIGNAL)
  const state = await waitFor(store, id, END_MS)
  if (state.is !== 'running') return state
  if (lives(owner.owner, 0)) send(owner.owner.pid, 'SIGKILL')
  return waitFor(store, id, END_MS)
}

function ownerOf(store: Store, id: string): Found | undefined {
  const root = store.path
  if (root === undefined) return undefined
  return spoolsIn(root).find((found) => {
    const job = readHead(join(root, 'spool', found.name))?.job
    return job?.startsWith(id) === true && isLive(root, found)
  })
}

function send(pid: number, signal: keyof typeof constants.signals): void {
  try {
    process.kill(pid, signal)
  } catch {
    // It has ended.
  }
}
