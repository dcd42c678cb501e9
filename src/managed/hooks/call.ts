/** Calls one handler: a command in the sandbox, or a POST on the environment's way out. */
import type { HookWorld, OutAnswer, ProgramEnd } from '../contract.ts'
import { type Answer, readAnswer } from './answer.ts'
import { type About, type Finding, finding, quoted, shortened } from './findings.ts'
import type { CommandHandler, HttpHandler } from './model.ts'

/** Bytes that are read of an answer; what says more is ended. */
const MOST_OUTPUT = 1 << 20

export type Called =
  | { readonly is: 'answered'; readonly answer: Answer }
  /** Published as an approval: it did not start, ended badly, took too long, said no or too much. */
  | { readonly is: 'failed'; readonly why: string; readonly findings: readonly Finding[] }

/** Where a handler's command runs. */
interface Place {
  readonly cwd: string
  readonly about: About
}

/** Runs a command handler with the event on its standard input. Rejects where `signal` aborts. */
export async function callCommand(
  world: HookWorld,
  { command, timeout }: CommandHandler,
  payload: string,
  { cwd, about }: Place,
  signal: AbortSignal,
): Promise<Called> {
  let end: ProgramEnd
  try {
    end = await world.run({
      argv: ['/bin/sh', '-c', command],
      cwd,
      stdin: `${payload}\n`,
      timeout: timeout * 1000,
      outputLimit: MOST_OUTPUT,
      killAtLimit: true,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    return failed('start', `it could not be started: ${messageOf(error)}`, about)
  }
  signal.throwIfAborted()
  return readEnd(end, timeout, about)
}

/** What the end of a command means. The order is the published one: start, timeout, status, then the answer. */
export function readEnd(end: ProgramEnd, timeout: number, about: About): Called {
  if (!end.started) return failed('start', `it could not be started${end.why ? `: ${end.why}` : ''}`, about)
  if (end.timedOut) return failed('timeout', `it reached its timeout of ${timeout} s`, about)
  if (end.cancelled) return failed('start', 'it was stopped', about)
  if (end.cut) return failed('output', `it printed more than ${MOST_OUTPUT} bytes`, about)
  if (end.killedBy !== null) return failed('signal', `it was ended by ${end.killedBy}`, about)
  const text = Buffer.from(end.stdout).toString('utf8')
  if (end.exit === 0) return { is: 'answered', answer: readAnswer(text, about) }
  return failed('exit', exitWords(end, text, about), about)
}

function exitWords({ exit, stderr }: ProgramEnd, text: string, about: About): string {
  const { decision } = readAnswer(text, about)
  const said = lastLine(Buffer.from(stderr).toString('utf8'))
  const words = `it ended with exit status ${exit}${said === '' ? '' : ` (${said})`}`
  if (decision === 'deny') return `${words}, and a deny counts only with exit status 0`
  if (exit === 2) return `${words}: exit 2 is no deny here, print {"decision":"deny","reason":"…"} and exit 0`
  if (exit === 126) return `${words}: the program cannot be executed`
  if (exit === 127) return `${words}: the program was not found`
  return words
}

/** The last line of standard error: mostly the one that says it. */
const lastLine = (text: string): string => shortened(text.trimEnd().split('\n').at(-1)!.trim(), 200)

/** Posts the event. Redirects are not followed. Rejects where `signal` aborts. */
export async function callHttp(
  world: HookWorld,
  { url, headers, timeout }: HttpHandler,
  payload: string,
  about: About,
  signal: AbortSignal,
): Promise<Called> {
  let answer: OutAnswer
  const typed = Object.keys(headers).some((name) => name.toLowerCase() === 'content-type')
  try {
    answer = await world.request({
      method: 'POST',
      url,
      headers: typed ? headers : { 'Content-Type': 'application/json', ...headers },
      body: Buffer.from(payload),
      timeout: timeout * 1000,
      limit: MOST_OUTPUT,
      signal,
    })
  } catch (error) {
    signal.throwIfAborted()
    return failed('unreachable', `the request failed: ${messageOf(error)}`, about)
  }
  signal.throwIfAborted()
  return readReply(answer, timeout, about)
}

function readReply(answer: OutAnswer, timeout: number, about: About): Called {
  if (!answer.ok) {
    if (answer.timedOut) return failed('timeout', `it reached its timeout of ${timeout} s`, about)
    const why = answer.why.replace(/^Blocked: |\.$/g, '')
    if (answer.refused) return failed('refused', `the network rules refused it: ${why}`, about)
    return failed('unreachable', `the request failed: ${why}`, about)
  }
  const { status, body, cut } = answer
  if (status < 200 || status > 299) {
    const why = status >= 300 && status < 400 ? ', and redirects are not followed' : ''
    return failed('status', `it answered with HTTP ${status}${why}`, about)
  }
  if (cut) return failed('output', `it answered with more than ${MOST_OUTPUT} bytes`, about)
  return { is: 'answered', answer: readAnswer(Buffer.from(body).toString('utf8'), about) }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

function failed(kind: string, why: string, about: About): Called {
  const text = `a hook of the group ${quoted(about.group ?? '')} failed: ${why}`
  return { is: 'failed', why, findings: [finding('allows', `failed.${kind}`, text, about)] }
}
