/** Answers that the proxy gives itself: refusals and failures, one plain sentence each. */
import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Failed } from './failure.ts'
import { Refused } from './policy.ts'

/** Standard words for what went wrong (RFC 9209). */
const errorWord = (error: Refused | Failed): string =>
  error instanceof Refused
    ? error.status === 400
      ? 'http_request_error'
      : 'http_request_denied'
    : error.status === 504
      ? 'connection_timeout'
      : 'destination_unavailable'

const headersOf = (error: Refused | Failed, body: Buffer): readonly string[] => [
  'Content-Type',
  'text/plain; charset=utf-8',
  'Content-Length',
  String(body.length),
  'Proxy-Status',
  `sallyport; error=${errorWord(error)}`,
]

/** Answers a request that was parsed. */
export function answerProblem(res: ServerResponse, error: Refused | Failed): void {
  if (res.headersSent) {
    res.destroy()
    return
  }
  const body = Buffer.from(`${error.message}\n`)
  // The rest of the request is not read, so the connection cannot be used again.
  res.writeHead(error.status, STATUS_CODES[error.status] ?? '', [...headersOf(error, body), 'Connection', 'close'])
  res.end(body)
}

/** Answers on the bare connection, where no response object exists (CONNECT, upgrade, bytes that cannot be parsed). */
export function answerRaw(socket: Duplex, error: Refused | Failed): void {
  if (!socket.writable) {
    socket.destroy()
    return
  }
  const body = Buffer.from(`${error.message}\n`)
  const headers = headersOf(error, body)
  let head = `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status] ?? ''}\r\n`
  for (let i = 0; i < headers.length; i += 2) head += `${headers[i]}: ${headers[i + 1]}\r\n`
  socket.on('error', () => {})
  socket.end(Buffer.concat([Buffer.from(`${head}Connection: close\r\n\r\n`), body]))
  socket.resume()
}
