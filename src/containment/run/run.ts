/** `ctx run` in the foreground: capture, then show little of it, or pass all of it on. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isatty } from 'node:tty'
import type { RunFacts, Sealed, Spool, Store } from '../store/types.ts'
import { type CaptureRequest, capture, type Outcome, type Taker } from './capture.ts'
import { answersOf, digestOf, earlierRun } from './captured.ts'
import { codeOf, type NotStarted } from './child.ts'
import { softFileLimit } from './inherited.ts'
import { startLifeline } from './lifeline.ts'
import type { RunOptions } from './options.ts'
import { endLine, hiddenFailure, SMALL_BYTES, smallOutput, type Verdict } from './output.ts'
import type { Progress } from './progress.ts'
import { ptyArgv } from './pty.ts'
import { spelled } from './raw-words.ts'
import type { Digested, RunServices, Shown } from './services.ts'
import { readStages, shellArgv, shellOf, withStages } from './shell.ts'
import { print, samePlace } from './sink.ts'
import { passOn, record } from './takers.ts'

/** Exit code of our own failures. */
export const OWN_FAILURE = 125
const TIMED_OUT = 124

/** Runs the command and shows what it wrote. Gives the exit code of `ctx run`. */
export async function runCommand(
  options: RunOptions,
  inherited: readonly number[],
  env: NodeJS.ProcessEnv,
  services: RunServices,
): Promise<number> {
  const line = options.shell ? (options.argv[0] ?? '') : undefined
  const shell = line === undefined ? undefined : shellOf(env)
  const argv = shell === undefined || line === undefined ? options.argv : shellArgv(shell, line)
  const stages = shell === undefined || line === undefined || options.raw ? undefined : await stagesOf(shell, line)
  const child = stages?.argv ?? argv
  const onTerminal = options.pty ? ptyArgv(child, options.cwd, env, process.platform) : child
  if ('refused' in onTerminal) return failed(services, onTerminal.code, onTerminal.refused)
  const lifeline = startLifeline(options.pty || samePlace(1, 2) ? 1 : 2, env)
  const store = await services.store()
  const spool = store.create({ argv, cwd: options.cwd })
  const spelling = options.pty || stages !== undefined ? undefined : spelled(child, options.argv.length)
  const request: CaptureRequest = {
    argv: onTerminal,
    ...(spelling === undefined ? {} : { spelled: spelling.argv }),
    cwd: options.cwd,
    elsewhere: options.elsewhere,
    pty: options.pty,
    env,
    more: inherited,
    fileLimit: softFileLimit(),
    stdin: 'inherit',
    lifeline,
    ...(options.timeoutMs === undefined ? {} : { timeoutMs: options.timeoutMs }),
  }
  const command = { argv, ...(line === undefined ? {} : { line }) }
  const shown = { options, command, store, spool, services, stages }
  try {
    return options.raw ? await passed(request, shown) : await digested(request, shown)
  } finally {
    spelling?.done()
    if (stages !== undefined) rmSync(stages.dir, { recursive: true, force: true })
  }
}

interface Running {
  readonly options: RunOptions
  readonly command: Shown['command']
  readonly store: Store
  readonly spool: Spool
  readonly services: RunServices
  readonly stages: Stages | undefined
}

/** `--raw`: every byte, and nothing of ours. */
async function passed(request: CaptureRequest, running: Running): Promise<number> {
  const { spool, services, command } = running
  const taker = passOn(spool)
  const outcome = await capture(request, taker)
  const lost = await taker.finish()
  if ('refused' in outcome) return notStarted(running, outcome)
  const verdict = verdictOf(outcome, running)
  const rawBytes = spool.seen
  const sealed = spool.seal(factsOf(outcome))
  await services.book({ sealed, verdict, command, rawBytes, digest: undefined })
  return endOf(verdict, lost, services)
}

/** Exit code: the child's, but no success where its output is lost to the reader. */
function endOf({ exit }: Verdict, lost: string | undefined, services: RunServices): number {
  if (lost === undefined) return exit ?? OWN_FAILURE
  services.say(`the output cannot be written (${lost})`)
  return exit || OWN_FAILURE
}

async function digested(request: CaptureRequest, running: Running): Promise<number> {
  const { options, command, store, spool, services } = running
  const progress = await services.progress()
  const taker = record(spool, store.path !== undefined || store.notice === undefined, services.filter)
  const outcome = await capture(request, progress === undefined ? taker : watched(taker, progress))
  progress?.stop()
  let lost = await taker.finish()
  const show = async (to: 1 | 2, bytes: Uint8Array): Promise<void> => {
    const code = await print(to, bytes)
    lost ??= code
  }
  if ('refused' in outcome) return notStarted(running, outcome)
  const verdict = verdictOf(outcome, running)
  const earlier = taker.total > SMALL_BYTES && !taker.passing ? earlierRun(store, command.argv, options.cwd) : undefined
  const sealed = spool.seal(factsOf(outcome))
  let digest: Digested | undefined
  if (outcome.uncaptured || taker.passing) {
    const line = endLine(verdict)
    if (line !== undefined) await show(1, Buffer.from(`${line}\n`))
  } else if (taker.total <= SMALL_BYTES) {
    // Where there is nothing, there is nothing to hide, and most of such commands are short.
    const mask = taker.total === 0 ? (text: string) => ({ text, masked: 0 }) : await services.mask()
    const { parts } = smallOutput(taker.pieces, verdict, mask)
    for (const part of parts) await show(part.to === 'stdout' ? 1 : 2, part.bytes)
  } else {
    const { budget, focus, cwd } = options
    const answers = answersOf(store)
    digest = await digestOf(services, { sealed, verdict, earlier, command, budget, focus, cwd, answers })
    await show(1, Buffer.from(digest.text))
  }
  for (const sentence of sentences(outcome, verdict, store, sealed, digest !== undefined)) services.say(sentence)
  await services.book({ sealed, verdict, command, rawBytes: taker.total, digest })
  return endOf(verdict, lost, services)
}

/** What a person or a model must know and cannot see from the output. */
function sentences(
  outcome: Outcome,
  verdict: Verdict,
  store: Store,
  sealed: Sealed,
  digested: boolean,
): readonly string[] {
  const stages = digested ? undefined : hiddenFailure(verdict.stages)
  const notice = store.notice ?? sealed.notice
  return [
    ...(notice === undefined ? [] : [notice]),
    ...(outcome.uncaptured ? ['the output could not be captured; it went out as it came'] : []),
    ...(outcome.held
      ? ['a process in the background still holds the output; what it writes from now on is not captured']
      : []),
    ...(stages === undefined ? [] : [`the stages of the pipeline ended with ${stages.join(', ')}`]),
    ...(digested && !isatty(1) ? ['the output was digested; --raw passes every byte'] : []),
  ]
}

function verdictOf(outcome: Outcome, { options, stages }: Running): Verdict {
  const timedOutAfter = outcome.timedOut && options.timeoutMs !== undefined ? options.timeoutMs / 1000 : undefined
  return {
    exit: outcome.timedOut ? TIMED_OUT : codeOf(outcome),
    signal: outcome.signal,
    timedOutAfter,
    stages: stages?.read(),
  }
}

const factsOf = (outcome: Outcome): RunFacts => ({
  ...(outcome.exit === undefined ? {} : { exit: outcome.exit }),
  ...(outcome.signal === undefined ? {} : { signal: outcome.signal }),
  ...(outcome.timedOut ? { timedOut: true } : {}),
  ms: Math.round(outcome.ms),
})

function notStarted({ spool, services }: Running, { code, refused }: NotStarted): number {
  spool.drop()
  return failed(services, code, refused)
}

function failed(services: RunServices, code: number, refused: string): number {
  services.say(refused)
  return code
}

function watched(taker: Taker, progress: Progress): Taker {
  return {
    ...taker,
    take(source, chunk, again) {
      progress.saw(chunk)
      return taker.take(source, chunk, again)
    },
  }
}

interface Stages {
  readonly argv: readonly string[]
  readonly dir: string
  read(): readonly number[] | undefined
}

/** For a line whose status hides those of its first stages: the same line, which tells them. */
async function stagesOf(shell: ReturnType<typeof shellOf>, line: string): Promise<Stages | undefined> {
  if (!line.includes('|')) return undefined
  const { endsInPipeline } = await import('./commands.ts')
  if (!endsInPipeline(line)) return undefined
  let dir: string
  try {
    dir = mkdtempSync(join(tmpdir(), 'ctx-stages-'))
  } catch {
    return undefined
  }
  const file = join(dir, 'stages')
  const told = withStages(shell, line, file)
  if (told === undefined) {
    rmSync(dir, { recursive: true, force: true })
    return undefined
  }
  return {
    argv: shellArgv(shell, told),
    dir,
    read() {
      try {
        return readStages(readFileSync(file, 'latin1'))
      } catch {
        return undefined
      }
    },
  }
}
