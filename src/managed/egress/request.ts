/** Requests of the runtime itself in the name of an environment: the same policy and the same injection, no redirects. */
import { request as httpRequest, type IncomingMessage } from 'node:http'
import type { Network, OutAnswer, OutRequest, Report } from '../contract.ts'
import { ManagedError } from '../contract.ts'
import { UpstreamAgent, type UpstreamArgs } from './agent.ts'
import { readable, swapWhole } from './body.ts'
import { type Dialer, dialerOf } from './dial.ts'
import { type Judging, reportProblem } from './door-state.ts'
import { Failed } from './failure.ts'
import { MOST_HEAD, problemOf } from './forward.ts'
import { valuesOf, withoutHeaders } from './headers.ts'
import { readTarget, type Target } from './names.ts'
import { type Operator, type OperatorOptions, readOperator } from './operator.ts'
import { swapOf } from './placeholders.ts'
import { policyOf, Refused } from './policy.ts'
import { noteStatus, prepare } from './prepare.ts'
import { wrongHeader } from './rules.ts'
import { NO_SECRETS, type Secrets } from './secrets.ts'

export interface Sending {
  readonly network: Network
  readonly id: string
  readonly request: OutRequest
  /** The environment's door where it is open: its placeholders count. */
  readonly state: Judging | undefined
  readonly operator: Operator
  readonly dialer: Dialer
  readonly secrets: Secrets
  readonly report: Report
}

/** Never throws for what happens on the way; ManagedError 400 for rules that make no sense. */
export async function sendFor(sending: Sending): Promise<OutAnswer> {
  const { network, id, request, state, operator, secrets, report } = sending
  const door: Judging = {
    environment: id,
    policy: policyOf(network, operator),
    secrets,
    swap: state?.swap ?? swapOf([], secrets),
    report,
  }
  const target = readTarget(request.url)
  if ('wrong' in target) return { ok: false, why: `The address ${target.wrong}.`, refused: true, timedOut: false }
  try {
    return await exchange(door, sending, target)
  } catch (error) {
    if (error instanceof ManagedError) throw error
    const problem = problemOf(error, target)
    reportProblem(door, 'runtime', target.host, target.port, problem)
    const timedOut = problem instanceof Failed && problem.status === 504
    return { ok: false, why: problem.message, refused: problem instanceof Refused, timedOut }
  }
}

async function exchange(door: Judging, { request, dialer }: Sending, target: Target): Promise<OutAnswer> {
  const headers: string[] = []
  for (const [name, value] of Object.entries(request.headers)) {
    if (/^(?:host|content-length)$/i.test(name)) continue
    const wrong = wrongHeader(name, value)
    if (wrong !== undefined) throw new Refused('form', `Bad request: ${wrong}`, 400)
    headers.push(name, value)
  }
  if (!/^[A-Z]+$/.test(request.method)) throw new Refused('form', 'Bad request: the method is none.', 400)
  const started = performance.now()
  const left = () => Math.max(1, request.timeout - (performance.now() - started))
  const late = () => new Failed('The request did not end in time.', 504)
  const prepared = await within(prepare(door, 'runtime', request.method, target, headers), left(), late)
  let body = request.body
  if (body !== undefined && door.swap.active && readable(valuesOf(headers, 'content-encoding')))
    body = swapWhole(door.swap, Buffer.from(body), {
      host: target.host,
      secure: target.secure,
      contentType: valuesOf(headers, 'content-type')[0] ?? '',
    })
  const agent = new UpstreamAgent(dialer)
  const args: UpstreamArgs = {
    to: { host: target.host, port: target.port, secure: target.secure },
    agent,
    method: request.method,
    path: prepared.path,
    headers: [
      ...withoutHeaders(prepared.headers, 'connection'),
      ...(body === undefined ? [] : ['Content-Length', String(body.byteLength)]),
      'Connection',
      'close',
    ],
    maxHeaderSize: MOST_HEAD,
    setHost: false,
  }
  const out = httpRequest(args)
  const stop = () => out.destroy(new Failed('The request was cancelled.'))
  request.signal?.addEventListener('abort', stop, { once: true })
  try {
    if (request.signal?.aborted) throw new Failed('The request was cancelled.')
    const answered = new Promise<OutAnswer>((resolve, reject) => {
      out.on('error', reject)
      out.on('upgrade', (_answer, socket) => {
        socket.destroy()
        reject(new Failed('The server switched protocols unasked.'))
      })
      out.on('response', (answer) => {
        noteStatus(door, prepared.permit, answer.statusCode ?? 0)
        gather(answer, request.limit).then(resolve, reject)
      })
      out.end(body)
    })
    return await within(answered, left(), late)
  } finally {
    request.signal?.removeEventListener('abort', stop)
    out.destroy()
    agent.destroy()
  }
}

async function gather(answer: IncomingMessage, limit: number): Promise<OutAnswer> {
  const parts: Buffer[] = []
  let size = 0
  let cut = false
  for await (const part of answer as AsyncIterable<Buffer>) {
    const fits = part.subarray(0, limit - size)
    parts.push(fits)
    size += fits.length
    if (fits.length < part.length) {
      cut = true
      break
    }
  }
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(answer.headers))
    headers[name] = Array.isArray(value) ? value.join(', ') : (value ?? '')
  return { ok: true, status: answer.statusCode ?? 0, headers, body: Buffer.concat(parts), cut }
}

async function within<T>(promise: Promise<T>, ms: number, late: () => Error): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  try {
    return await Promise.race([
      promise,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(late()), ms)
      }),
    ])
  } finally {
    clearTimeout(timer)
    promise.catch(() => {})
  }
}

/** Requests in no environment's name, such as those to token endpoints: any public host, nothing is set. */
export function plainRequests(options: OperatorOptions, report: Report): (request: OutRequest) => Promise<OutAnswer> {
  const operator = readOperator(options)
  const dialer = dialerOf(operator)
  return (request) =>
    sendFor({ network: undefined, id: '', request, state: undefined, operator, dialer, secrets: NO_SECRETS, report })
}
