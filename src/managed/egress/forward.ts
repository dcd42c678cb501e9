/** Sends one request on and its answer back, both streamed. */
import { type ClientRequest, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { UpstreamAgent, type UpstreamArgs } from './agent.ts'
import { answerProblem } from './answers.ts'
import { type BodyPlace, readable, readFirst, swapPieces, swapWhole } from './body.ts'
import { type Door, reportProblem, type Way } from './door-state.ts'
import { Failed, failureOf } from './failure.ts'
import { keepFlat } from './flat.ts'
import { endToEnd, valuesOf, withoutHeaders } from './headers.ts'
import { hostText, type Target } from './names.ts'
import { Refused } from './policy.ts'
import { framing, noteStatus, type Prepared, prepare } from './prepare.ts'

/** The head of an answer may be so long. */
export const MOST_HEAD = 64 * 1024

/** What is sent as the body. */
interface Body {
  readonly framing: readonly string[]
  readonly from: Readable | Buffer | undefined
}

/** Forwards `req`, whose destination was read already. Never throws: problems are answered. */
export async function forward(
  door: Door,
  way: Way,
  req: IncomingMessage,
  res: ServerResponse,
  target: Target,
): Promise<void> {
  res.on('error', () => {})
  try {
    const prepared = await prepare(door, way, req.method ?? 'GET', target, req.rawHeaders)
    const body = await bodyOf(door, req, res, target)
    if (res.destroyed) return
    await exchange(door, req, res, target, prepared, body)
  } catch (error) {
    const problem = problemOf(error, target)
    reportProblem(door, way, target.host, target.port, problem)
    answerProblem(res, problem)
  }
}

/** What is answered for an error. */
export const problemOf = (error: unknown, target: Target): Refused | Failed =>
  error instanceof Refused ? error : failureOf(error, hostText(target.host))

async function bodyOf(door: Door, req: IncomingMessage, res: ServerResponse, target: Target): Promise<Body> {
  const form = framing(req.rawHeaders)
  if (form === 'none') return { framing: [], from: undefined }
  const chunked = ['Transfer-Encoding', 'chunked']
  const expect = expects(req)
  if (!door.swap.active || !readable(valuesOf(req.rawHeaders, 'content-encoding'))) {
    const length = form === 'chunked' ? chunked : ['Content-Length', valuesOf(req.rawHeaders, 'content-length')[0]!]
    return { framing: expect ? [...length, 'Expect', '100-continue'] : length, from: req }
  }
  const place: BodyPlace = {
    host: target.host,
    secure: target.secure,
    contentType: valuesOf(req.rawHeaders, 'content-type')[0] ?? '',
  }
  // The body is wanted here, whatever the upstream will say to it.
  if (expect) res.writeContinue()
  const first = await readFirst(req)
  if (!first.whole) return { framing: chunked, from: Readable.from(swapPieces(door.swap, first.held, req, place)) }
  const bytes = swapWhole(door.swap, first.bytes, place)
  return { framing: ['Content-Length', String(bytes.length)], from: bytes }
}

/** Ends when the answer was sent whole, or throws where none could be had. */
function exchange(
  door: Door,
  req: IncomingMessage,
  res: ServerResponse,
  target: Target,
  prepared: Prepared,
  body: Body,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const args: UpstreamArgs = {
      to: { host: target.host, port: target.port, secure: target.secure },
      agent: door.agent,
      method: req.method ?? 'GET',
      path: prepared.path,
      headers: [...withoutHeaders(prepared.headers, 'content-length', 'expect'), ...body.framing],
      maxHeaderSize: MOST_HEAD,
      setHost: false,
    }
    let upstream: ClientRequest
    let done = false
    const finish = (error?: unknown) => {
      if (done) return
      done = true
      leave()
      if (error === undefined) resolve()
      else {
        upstream.destroy()
        reject(error)
      }
    }
    const leave = door.flows.add(door.policy, {
      host: target.host,
      port: target.port,
      end: () => finish(new Refused('allowlist', `Blocked: the network rules of this environment changed.`)),
    })
    res.once('close', () => {
      if (!res.writableFinished) upstream.destroy()
      finish()
    })
    const start = (fresh: boolean) => {
      upstream = request(fresh ? { ...args, agent: new UpstreamAgent(door.dialer) } : args)
      upstream.on('continue', () => res.writeContinue())
      upstream.on('response', (answer) => {
        noteStatus(door, prepared.permit, answer.statusCode ?? 0)
        try {
          sendBack(req, res, answer, finish)
        } catch {
          // A status or a header that no answer of ours can carry.
          finish(new Failed(`${hostText(target.host)} sent an answer that is no valid HTTP/1.1.`))
        }
      })
      upstream.on('error', (error) => {
        // A kept connection that the server closed at the same moment: nothing was lost where there is no body.
        if (!fresh && !res.headersSent && upstream.reusedSocket && body.from === undefined && !done && isStale(error))
          start(true)
        else finish(error)
      })
      // A server that switches protocols unasked.
      upstream.on('upgrade', (_answer, socket) => {
        socket.destroy()
        finish(new Failed(`${hostText(target.host)} switched protocols unasked.`))
      })
      send(body, upstream, finish)
    }
    start(false)
  })
}

const isStale = (error: NodeJS.ErrnoException): boolean => error.code === 'ECONNRESET' || error.code === 'EPIPE'

const expects = (req: IncomingMessage): boolean =>
  valuesOf(req.rawHeaders, 'expect').some((value) => value.trim().toLowerCase() === '100-continue')

function send(body: Body, upstream: ClientRequest, finish: (error: unknown) => void): void {
  const { from } = body
  if (from === undefined || Buffer.isBuffer(from)) {
    upstream.end(from)
    return
  }
  // A client that waits for a word of the upstream sends nothing before.
  upstream.flushHeaders()
  from.pipe(upstream)
  keepFlat(from)
  from.once('error', finish)
}

function sendBack(
  req: IncomingMessage,
  res: ServerResponse,
  answer: IncomingMessage,
  finish: (error?: unknown) => void,
): void {
  if ((answer.statusCode ?? 0) < 200) throw new Error('no final answer')
  const headers = endToEnd(answer.rawHeaders)
  const bodiless = req.method === 'HEAD' || answer.statusCode === 204 || answer.statusCode === 304
  // Of unknown length: chunked to clients that know it, else until the connection ends, which Node does by itself.
  if (!bodiless && valuesOf(headers, 'content-length').length === 0 && req.httpVersion === '1.1')
    headers.push('Transfer-Encoding', 'chunked')
  if (valuesOf(headers, 'date').length === 0) res.sendDate = false
  res.writeHead(answer.statusCode ?? 502, answer.statusMessage ?? '', headers)
  // An answer whose body is long in coming is shown at once; otherwise its head goes with the first bytes.
  setImmediate(() => {
    if (!res.destroyed && !res.writableEnded) res.flushHeaders()
  })
  answer.once('error', finish)
  answer.pipe(res)
  keepFlat(answer)
  res.once('finish', () => {
    // A body that nobody waits for any more is read away, so that the client can read the answer.
    if (!req.complete) {
      req.unpipe()
      req.resume()
    }
  })
}
