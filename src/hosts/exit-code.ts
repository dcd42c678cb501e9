/**
 * Answers for hosts that take a denial by exit code 2 with the reason on stderr. The hook itself always ends with 0: with
 * `--exit-code` it prints what `bin/exit-code.sh` turns into such an answer, in a form that a shell reads without guessing.
 */
import type { Host, HostAnswer, Launch } from './host.ts'

/** What the launcher gives the host. */
export interface ExitAnswer {
  readonly code: 0 | 2
  /** Exact bytes. */
  readonly stdout: string
  /** What the model reads of a denial; empty for anything else. */
  readonly reason: string
}

/**
 * The answer to one event. `stdout`: what the hook prints without the launcher; `answered`: what the host was told before
 * a run, undefined for any other event; `event`: in the host's spelling.
 */
export function exitAnswer(
  host: Host,
  stdout: string,
  answered: HostAnswer | undefined,
  launch: Launch,
  event: string,
): ExitAnswer {
  if (answered === undefined || !denies(host, stdout, answered, launch, event)) return { code: 0, stdout, reason: '' }
  return { code: 2, stdout: host.exits === 'beside' ? stdout : '', reason: answered.reason }
}

/** A host that cannot ask gets a denial in its place. */
function denies(host: Host, stdout: string, answered: HostAnswer, launch: Launch, event: string): boolean {
  if (answered.decision !== 'ask') return answered.decision === 'deny'
  return stdout === host.encodePre({ decision: 'deny', reason: answered.reason }, launch, event)
}

/** The answer as the launcher reads it: a word, a line for stdout, the reason, and an end that shows that nothing is missing. */
export function framed({ code, stdout, reason }: ExitAnswer): string {
  const line = stdout.endsWith('\n') ? stdout.slice(0, -1) : stdout
  return `${code === 2 ? 'deny' : 'pass'}\n${line}\n${reason === '' ? '' : `${printable(reason)}\n`}end\n`
}

/** Shells lose some control characters and terminals obey others. */
const printable = (text: string): string => text.replace(/[\0-\x08\x0b-\x1f\x7f]/g, ' ')
