/** An upgrade to WebSocket: judged, set and replaced like any request, then a tunnel. */
import { type IncomingMessage, request, ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { UpstreamArgs } from './agent.ts'
import { answerRaw } from './answers.ts'
import { type Door, reportProblem } from './door-state.ts'
import { forward, MOST_HEAD, problemOf } from './forward.ts'
import { endToEnd, pairs, valuesOf, withoutHeaders } from './headers.ts'
import type { Target } from './names.ts'
import { Refused } from './policy.ts'
import { framing, noteStatus, prepare } from './prepare.ts'
import { join } from './tunnel.ts'

/** Handles a request with an `Upgrade` header. Never throws. */
export async function upgrade(
  door: Door,
  req: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  target: Target,
): Promise<void> {
  socket.on('error', () => {})
  const asked = valuesOf(req.rawHeaders, 'upgrade').map((value) => value.trim().toLowerCase())
  if (asked.length !== 1 || asked[0] !== 'websocket') {
    plainly(door, req, socket, target)
    return
  }
  try {
    // Its bytes would stand before those of the tunnel, and each server would read them differently.
    if (hasBody(req)) throw new Refused('form', 'Bad request: an upgrade with a body does not pass this proxy.', 400)
    const prepared = await prepare(door, 'upgrade', req.method ?? 'GET', target, req.rawHeaders)
    const args: UpstreamArgs = {
      to: { host: target.host, port: target.port, secure: target.secure },
      agent: door.agent,
      method: req.method ?? 'GET',
      path: prepared.path,
      headers: [...withoutHeaders(prepared.headers, 'content-length'), 'Connection', 'Upgrade', 'Upgrade', 'websocket'],
      maxHeaderSize: MOST_HEAD,
      setHost: false,
    }
    const leave = door.flows.add(door.policy, {
      host: target.host,
      port: target.port,
      end: () => {
        socket.destroy()
        upstream.destroy()
      },
    })
    const upstream = request(args)
    socket.once('close', () => upstream.destroy())
    upstream.on('error', (error) => {
      leave()
      problem(door, socket, target, error)
    })
    upstream.on('upgrade', (answer, other, first) => {
      noteStatus(door, prepared.permit, 101)
      socket.write(headOf(answer, ['Connection', 'Upgrade', 'Upgrade', 'websocket']))
      if (first.length > 0) socket.write(first)
      if (head.length > 0) other.write(head)
      join(socket, other, leave)
    })
    upstream.on('response', (answer) => {
      noteStatus(door, prepared.permit, answer.statusCode ?? 0)
      // The server said no: its answer goes back, and the connection ends with it.
      socket.write(headOf(answer, ['Connection', 'close']))
      answer.pipe(socket)
      answer.once('end', leave)
      answer.once('error', () => {
        leave()
        socket.destroy()
      })
    })
    upstream.end()
  } catch (error) {
    problem(door, socket, target, error)
  }
}

const hasBody = ({ rawHeaders }: IncomingMessage): boolean =>
  framing(rawHeaders) === 'chunked' ||
  valuesOf(rawHeaders, 'content-length').some((length) => !/^0+$/.test(length.trim()))

function problem(door: Door, socket: Duplex, target: Target, error: unknown): void {
  const known = problemOf(error, target)
  reportProblem(door, 'upgrade', target.host, target.port, known)
  answerRaw(socket, known)
}

function headOf(answer: IncomingMessage, more: readonly string[]): string {
  let head = `HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}\r\n`
  for (const [name, value] of pairs([...endToEnd(answer.rawHeaders), ...more])) head += `${name}: ${value}\r\n`
  return `${head}\r\n`
}

/** Another protocol was offered (`h2c`): a server may go on as if it was not, and so do we, for requests without a body. */
function plainly(door: Door, req: IncomingMessage, socket: Duplex, target: Target): void {
  if (framing(req.rawHeaders) !== 'none') {
    const refusal = new Refused('form', 'Bad request: only WebSocket upgrades pass this proxy.', 400)
    reportProblem(door, 'upgrade', target.host, target.port, refusal)
    answerRaw(socket, refusal)
    return
  }
  const res = new ServerResponse(req)
  res.shouldKeepAlive = false
  res.assignSocket(socket as never)
  res.once('finish', () => {
    res.detachSocket(socket as never)
    socket.end()
  })
  void forward(door, 'upgrade', req, res, target)
}
