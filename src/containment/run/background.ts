/** `ctx run --bg` and `--bg-after`: the command runs in a process of its own, and we wait for it as long as we are told. */

import { handleSignals } from './capture.ts'
import { captured, earlierRun, verdictOfRun } from './captured.ts'
import { type Job, startJob } from './job.ts'
import type { RunOptions } from './options.ts'
import { OWN_FAILURE } from './run.ts'
import type { RunServices } from './services.ts'
import { shellArgv, shellOf } from './shell.ts'
import { print } from './sink.ts'

/** Starts it, and shows the handle of the job, or what it wrote where it ended in time. Gives our exit code. */
export async function runInBackground(
  program: readonly string[],
  options: RunOptions,
  inherited: readonly number[],
  env: NodeJS.ProcessEnv,
  services: RunServices,
): Promise<number> {
  const store = await services.store()
  if (store.path === undefined) {
    services.say(
      `${store.notice ?? 'captures are switched off'}; a command in the background needs a place for its output`,
    )
    return OWN_FAILURE
  }
  const line = options.shell ? options.argv[0] : undefined
  const argv = line === undefined ? options.argv : shellArgv(shellOf(env), line)
  const earlier = earlierRun(store, argv, options.cwd)
  const job = await startJob(program, wordsOf(options), options, inherited, env)
  if ('refused' in job) {
    services.say(job.refused)
    return job.code
  }
  if (options.bgAfterMs === 0 || !(await endsWithin(job, options.bgAfterMs ?? 0))) {
    job.letGo()
    await print(1, Buffer.from(`[ctx job:${job.id} | running in the background | ctx job ${job.id} --wait]\n`))
    return 0
  }
  const run = store.resolve({ is: 'job', id: job.id })
  if (run.is === 'unresolved' || run.is === 'blob' || run.manifest === undefined) {
    services.say(run.is === 'unresolved' ? run.refused : `the capture of job:${job.id} cannot be read`)
    return OWN_FAILURE
  }
  const command = { argv, ...(line === undefined ? {} : { line }) }
  const verdict = verdictOfRun(store, run.manifest, options.timeoutMs)
  const how = { command, earlier, budget: options.budget, focus: options.focus, cwd: options.cwd }
  const found = { ...run, manifest: run.manifest }
  const { parts, digest, sealed } = await captured(store, found, verdict, how, services)
  for (const part of parts) await print(part.to === 'stdout' ? 1 : 2, part.bytes)
  if (digest !== undefined) await print(1, Buffer.from(digest.text))
  await services.book({ sealed, verdict, command, rawBytes: run.capture.streams.merged.bytes, digest })
  return verdict.exit ?? OWN_FAILURE
}

/** Whether the job ends in time. What we are sent meanwhile is for the command. */
async function endsWithin(job: Job, ms: number): Promise<boolean> {
  const unhook = handleSignals((signal) => {
    try {
      process.kill(job.pid, signal)
    } catch {
      // It has ended.
    }
  })
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const inTime = await Promise.race([job.ended.then(() => true as const), late])
  clearTimeout(timer)
  unhook()
  return inTime
}

/** The flags that the process of the job needs, and the command. */
const wordsOf = (options: RunOptions): readonly string[] => [
  ...(options.shell ? ['--shell'] : []),
  ...(options.pty ? ['--pty'] : []),
  ...(options.timeoutMs === undefined ? [] : ['--timeout', String(options.timeoutMs / 1000)]),
  '--',
  ...options.argv,
]
