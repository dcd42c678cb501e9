/**
 * The guard behind the plugin's runner (`plugin/antigravity/bin/hook-runner.sh`). One call on stdin; a deny or an ask as
 * one line on stdout with code 0, nothing for a pass. What breaks, and what takes longer than the runner's patience,
 * ends with nothing and code 1: then the runner decides.
 */
import { writeSync } from 'node:fs'
import type { ToolCall } from '../core/call.ts'
import type { Asking } from '../core/question.ts'
import type { Verdict } from '../core/verdict.ts'
import type { Context } from '../guard/context.ts'
import { judgeCall } from '../guard/judge.ts'
import type { HostAnswer } from '../hosts/host.ts'
import type { Policy } from '../policy/policy.ts'
import { reasonFor } from '../record/reason.ts'
import { clock } from '../world/clock.ts'
import { type Deps, respond } from './hook/respond.ts'
import { Shell } from './hook/run.ts'
import { type Incoming, leave } from './hook/stdin.ts'

export { warmUp } from './hook/warm.ts'

/** Milliseconds from the start: two seconds before the runner's watchdog, eight before the host's deadline. */
const DEADLINE = 7_000

/** Answers one call and ends the process. */
export function runnerMain(): void {
  try {
    const shell = new Shell(['antigravity', 'PreToolUse'], DEADLINE, 'runner')
    shell.read((incoming) =>
      leave(
        guarded(() => run(shell, incoming)),
        incoming,
      ),
    )
  } catch (error) {
    process.exit(failed(error))
  }
}

function guarded(work: () => number): number {
  try {
    return work()
  } catch (error) {
    return failed(error)
  }
}

function failed(error: unknown): number {
  complain(error instanceof Error ? (error.stack ?? error.message) : String(error))
  return 1
}

function run(shell: Shell, incoming: Incoming): number {
  if (incoming.end === 'late' || incoming.end === 'failed') {
    complain('the call could not be read in time')
    return 1
  }
  if (incoming.end === 'whole' && !isJson(incoming.bytes)) {
    write({ decision: 'deny', reason: 'malformed payload: invalid JSON' })
    return 0
  }
  const outcome = respond(incoming, shell.request, { ...shell.deps(judge), words: shell.naming(wordsFor) })
  if (outcome.broke || clock() >= DEADLINE) {
    complain(outcome.problem ?? 'the verdict came too late')
    return 1
  }
  write(outcome.answered)
  shell.remember(outcome)
  const note = outcome.stderr || shell.refused
  if (note) complain(note)
  return 0
}

/** The published guard is what this plugin stands for, unless a person chose another profile. */
export const withProfile = (policy: Policy): Policy =>
  policy.origins?.['profile'] === undefined ? { ...policy, profile: 'adlc' } : policy

/** What the published guard says of a rail, word for word: its own doctor and others look for it. */
const PUBLISHED = /^Target path matches frozen rail: /

const wordsFor: Deps['words'] = (verdict, extra) =>
  PUBLISHED.test(verdict.reason) ? verdict.reason : reasonFor(verdict, extra)

function* judge(call: ToolCall, context: Context): Asking<Verdict> {
  return yield* judgeCall(call, { ...context, policy: withProfile(context.policy) })
}

/** Throws where the line cannot be written whole: half an answer is none. */
function write(answer: HostAnswer | undefined): void {
  if (answer === undefined || answer.decision === 'pass') return
  const bytes = new TextEncoder().encode(`${JSON.stringify({ decision: answer.decision, reason: answer.reason })}\n`)
  for (let at = 0; at < bytes.length; ) at += writeSync(1, bytes, at)
}

/** To the plugin's log, which the runner keeps. */
function complain(text: string): void {
  try {
    writeSync(2, `${text}\n`)
  } catch {
    // Nobody keeps a log.
  }
}

function isJson(bytes: Uint8Array): boolean {
  try {
    JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
    return true
  } catch {
    return false
  }
}
