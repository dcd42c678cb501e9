/** The HTTP side of a door: one server for clients of a proxy, for what is inside TLS, and for captured clear text. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { answerProblem, answerRaw } from './answers.ts'
import { type Door, reportProblem, type Way } from './door-state.ts'
import { forward, MOST_HEAD } from './forward.ts'
import { type Place, targetOf } from './message.ts'
import { readAuthority } from './names.ts'
import { Refused } from './policy.ts'
import { upgrade } from './websocket.ts'

/** What is known of a connection that speaks HTTP. `closed`: every request gets this answer. */
export interface Speaker {
  readonly place: Place
  readonly way: Way
  readonly closed?: Refused
}

export interface HttpSide {
  /** Takes over a connection. What was read of it before must have been put back. */
  speak(socket: Duplex, speaker: Speaker): void
  close(): void
}

/** A connection without a request is kept so long. */
const KEEP_MS = 65_000
const HEAD_MS = 60_000

/** `tunnel`: what happens to a CONNECT whose target could be read. */
export function httpSide(
  door: Door,
  tunnel: (socket: Duplex, head: Buffer, host: Parameters<typeof reportProblem>[2] & object, port: number) => void,
): HttpSide {
  const speakers = new WeakMap<object, Speaker>()
  const open = new Set<Duplex>()
  const server: Server = createServer({
    insecureHTTPParser: false,
    requireHostHeader: false,
    maxHeaderSize: MOST_HEAD,
    headersTimeout: HEAD_MS,
    // An upload may take as long as it takes.
    requestTimeout: 0,
    keepAliveTimeout: KEEP_MS,
  })

  const refuse = (speaker: Speaker, error: unknown): Refused => {
    const refused = error instanceof Refused ? error : new Refused('form', 'Bad request.', 400)
    const { place } = speaker
    reportProblem(
      door,
      speaker.way,
      place.is === 'inside' ? place.host : undefined,
      place.is === 'inside' ? place.port : undefined,
      refused,
    )
    return refused
  }

  const onRequest = (req: IncomingMessage, res: ServerResponse) => {
    const speaker = speakers.get(req.socket)!
    try {
      if (speaker.closed !== undefined) throw speaker.closed
      void forward(door, speaker.way, req, res, targetOf(req, speaker.place))
    } catch (error) {
      res.on('error', () => {})
      answerProblem(res, speaker.closed ?? refuse(speaker, error))
    }
  }
  server.on('request', onRequest)
  server.on('checkContinue', onRequest)
  server.on('checkExpectation', (req: IncomingMessage, res: ServerResponse) => {
    answerProblem(
      res,
      refuse(speakers.get(req.socket)!, new Refused('form', 'Bad request: its expectation is unknown.', 417)),
    )
  })
  server.on('upgrade', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const speaker = speakers.get(socket)!
    try {
      if (speaker.closed !== undefined) throw speaker.closed
      void upgrade(door, req, socket, head, targetOf(req, speaker.place))
    } catch (error) {
      answerRaw(socket, speaker.closed ?? refuse(speaker, error))
    }
  })
  server.on('connect', (req: IncomingMessage, socket: Duplex, head: Buffer) => {
    const speaker = speakers.get(socket)!
    try {
      if (speaker.closed !== undefined) throw speaker.closed
      if (speaker.place.is !== 'proxy') throw new Refused('form', 'Bad request: CONNECT has no place in a tunnel.', 400)
      const authority = readAuthority(req.url ?? '')
      if ('wrong' in authority) throw new Refused('form', `Bad request: the CONNECT target ${authority.wrong}.`, 400)
      if (authority.port === undefined) throw new Refused('form', 'Bad request: the CONNECT target has no port.', 400)
      tunnel(socket, head, authority.host, authority.port)
    } catch (error) {
      answerRaw(socket, speaker.closed ?? refuse(speaker, error))
    }
  })
  server.on('clientError', (error: NodeJS.ErrnoException & { reason?: string }, socket: Duplex) => {
    const speaker = speakers.get(socket)
    if (error.code === 'ECONNRESET' || !socket.writable || speaker === undefined) {
      socket.destroy()
      return
    }
    answerRaw(socket, refuse(speaker, unreadable(error)))
  })

  return {
    speak(socket, speaker) {
      speakers.set(socket, speaker)
      open.add(socket)
      socket.once('close', () => open.delete(socket))
      server.emit('connection', socket as Socket)
    },
    close() {
      for (const socket of open) socket.destroy()
      server.close()
    },
  }
}

function unreadable(error: NodeJS.ErrnoException & { reason?: string }): Refused {
  if (error.code === 'HPE_PAUSED_H2_UPGRADE')
    return new Refused('form', 'HTTP/2 is not spoken here: use HTTP/1.1.', 505)
  if (error.code === 'HPE_HEADER_OVERFLOW') return new Refused('form', 'Bad request: its headers are too large.', 431)
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') return new Refused('form', 'The request did not come in time.', 408)
  const why = error.reason ?? error.code ?? 'it is no HTTP/1.1'
  return new Refused('form', `Bad request: it cannot be read as HTTP/1.1 (${why}).`, 400)
}
