/** `ctx job` and `ctx jobs`. */
import { stripVTControlCharacters } from 'node:util'
import { ledgerFile, readLedger } from '../../containment/ledger/ledger.ts'
import { Masker, type MaskSlice } from '../../containment/query/page.ts'
import { captured, verdictOfRun } from '../../containment/run/captured.ts'
import { commandOfArgv } from '../../containment/run/commands.ts'
import { endJob, type JobState, jobsOf, stateOf, waitFor } from '../../containment/run/jobs.ts'
import { lineOf } from '../../containment/run/line.ts'
import { DIGEST_TOKENS, milliseconds } from '../../containment/run/options.ts'
import { print } from '../../containment/run/sink.ts'
import type { Store } from '../../containment/store/types.ts'
import { counted } from '../../core/count.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'
import { askingOf, bookAnswer } from './asking.ts'
import { servicesOf } from './run-services.ts'
import { settingsOf } from './run-settings.ts'

export interface JobFlags {
  readonly tail?: string
  readonly wait?: boolean
  readonly timeout?: string
  readonly kill?: boolean
}

const TAIL_LINES = 10
const MOST_LINES = 40
/** Columns of a line that is shown. */
const WIDTH = 200
/** Bytes of a line that are looked at. */
const LINE_BYTES = 4096
/** Jobs that are listed. */
const MOST_JOBS = 40

/** Shows one job, waits for it or ends it. Exit code: see the verb's description. */
export async function jobVerb(flags: JobFlags, given: string, io: Io): Promise<number> {
  const refuse = (why: string) => {
    io.err(`ctx job: ${why}\n`)
    return EXIT.usage
  }
  const id = given.replace(/^job:/, '').toLowerCase()
  if (!/^[0-9a-f]{6,12}$/.test(id)) return refuse(`${JSON.stringify(given)} is no job; ctx jobs lists them`)
  const lines = flags.tail === undefined ? TAIL_LINES : Number(flags.tail)
  if (!Number.isInteger(lines) || lines < 1 || lines > MOST_LINES)
    return refuse(`--tail ${flags.tail} is no number of lines from 1 to ${MOST_LINES}`)
  const ms = flags.timeout === undefined ? undefined : milliseconds(flags.timeout)
  if (Number.isNaN(ms)) return refuse(`--timeout ${flags.timeout} is no number of seconds`)
  const { services, store, budget } = await placesOf(io)
  const state = flags.kill ? await endJob(store, id) : flags.wait ? await waitFor(store, id, ms) : stateOf(store, id)
  if (state.is === 'unresolved') return refuse(state.refused)
  if (state.is === 'running') {
    const text = runningText(state, lines, (await askingOf(io)).mask)
    io.out(text)
    bookAnswer(io, 'job', `job:${state.id}`, text)
    if (!flags.wait && !flags.kill) return EXIT.ok
    io.err(`ctx job: job:${state.id} still runs${flags.timeout === undefined ? '' : ` after ${flags.timeout} s`}\n`)
    return EXIT.problem
  }
  const verdict = verdictOfRun(store, state.manifest)
  const command = commandOfArgv(state.manifest.argv)
  const { parts, digest, sealed } = await captured(
    store,
    state,
    verdict,
    { command, earlier: undefined, budget, focus: undefined, cwd: io.cwd },
    services,
  )
  for (const part of parts) await print(part.to === 'stdout' ? 1 : 2, part.bytes)
  if (digest !== undefined) io.out(digest.text)
  const shown = digest?.text ?? parts.map(({ bytes }) => Buffer.from(bytes).toString()).join('')
  // What the host would have shown of a flood counts once, and whoever looks again has it fetched.
  if (isBooked(io, state.id)) bookAnswer(io, 'job', `job:${state.id}`, shown)
  else {
    const rawBytes = state.capture.streams.merged.bytes
    await services.book({ sealed, job: state.id, verdict, command, rawBytes, digest })
  }
  return verdict.exit === 0 ? EXIT.ok : EXIT.problem
}

/** Whether the ledger has the end of a job. Where it cannot be read nothing is claimed a second time. */
function isBooked(io: Io, job: string): boolean {
  let booked = false
  try {
    readLedger(ledgerFile(io.env, homeOf(io.env)), ({ id, method }) => {
      booked ||= id === `job:${job}` && (method === 'run' || method === 'raw')
    })
  } catch {
    return true
  }
  return booked
}

/** Lists the jobs, those that run first. */
export async function jobsVerb(flags: { readonly json?: boolean }, io: Io): Promise<number> {
  const { services, store } = await placesOf(io)
  const mask = await services.mask()
  const jobs = jobsOf(store).map((job) => ({
    id: job.id,
    state: job.manifest === undefined ? 'running' : endWords(store, job.manifest),
    command: mask(lineOf(job.argv)).text,
    cwd: job.cwd,
    run: job.manifest === undefined ? null : `run:${job.manifest.id.slice(0, 12)}`,
  }))
  if (flags.json) io.out(`${JSON.stringify({ v: 1, jobs })}\n`)
  else if (jobs.length === 0) io.out('there are no jobs\n')
  else {
    for (const { id, state, command } of jobs.slice(0, MOST_JOBS))
      io.out(`job:${id}  ${state.padEnd(12)}  ${oneLine(command, WIDTH)}\n`)
    if (jobs.length > MOST_JOBS) io.out(`… and ${jobs.length - MOST_JOBS} more; --json lists all\n`)
  }
  return EXIT.ok
}

async function placesOf(io: Io) {
  const home = homeOf(io.env)
  const settings = await settingsOf(io.env, home, io.cwd)
  const services = servicesOf(io, home, settings, 'job')
  return { services, store: await services.store(), budget: settings.digest ?? DIGEST_TOKENS }
}

function endWords(store: Store, manifest: Parameters<typeof verdictOfRun>[1]): string {
  const { exit, signal } = verdictOfRun(store, manifest)
  if (signal !== undefined) return `${signal}, exit ${exit}`
  return exit === undefined ? 'cut off' : `exit ${exit}`
}

function runningText(state: Extract<JobState, { is: 'running' }>, most: number, mask: MaskSlice): string {
  const bytes = state.capture.stream('merged')
  const { lines, size } = bytes
  const first = Math.max(1, lines - most + 1)
  const masker = new Masker(bytes, mask)
  let text = `[ctx job:${state.id} | running | ${counted(lines, 'line')}, ${counted(size, 'byte')} so far]\n`
  for (let n = first; n <= lines; n++) {
    const from = bytes.lineStart(n)
    const slice = masker.slice(from, Math.min(bytes.lineStart(n + 1), from + LINE_BYTES))
    text += `L${n}: ${oneLine(slice, WIDTH)}\n`
  }
  return text
}

const oneLine = (text: string, width: number): string =>
  [
    ...stripVTControlCharacters(text)
      .replace(/[\r\n]+$/, '')
      .replace(/[\x00-\x08\x0a-\x1f\x7f]/g, ' '),
  ]
    .slice(0, width)
    .join('')
