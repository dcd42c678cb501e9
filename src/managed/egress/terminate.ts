/** Ends TLS in place of the server, with a leaf of the environment's own authority. */
import type { Duplex } from 'node:stream'
import { type SecureContext, TLSSocket } from 'node:tls'
import type { Authority } from './ca.ts'
import { type Host, hostText, readHost } from './names.ts'
import { Refused } from './policy.ts'

const HANDSHAKE_MS = 15_000

/**
 * Shakes hands as the server that the client names. `expected`: what the connection was opened to; another name is
 * refused during the handshake. Rejects with Refused, the connection being closed already.
 */
export function terminate(
  socket: Duplex,
  authority: Authority,
  expected: Host | undefined,
): Promise<{ readonly tls: TLSSocket; readonly host: Host }> {
  return new Promise((resolve, reject) => {
    let named: Host | undefined
    let why: Refused | undefined
    const tls = new TLSSocket(socket as never, {
      isServer: true,
      ALPNProtocols: ['http/1.1'],
      SNICallback: (servername, choose) => {
        const read = readHost(servername)
        if ('wrong' in read || read.host.is === 'address')
          why = new Refused('agreement', 'Blocked: the name in the TLS handshake is no domain name.')
        else if (expected !== undefined && hostText(expected) !== read.host.name)
          why = new Refused(
            'agreement',
            `Blocked: the connection was opened to ${hostText(expected)}, but its TLS handshake names ${read.host.name}.`,
          )
        else {
          named = read.host
          authority.contextFor(read.host.name).then(
            (context: SecureContext) => choose(null, context),
            (error: Error) => choose(error),
          )
          return
        }
        choose(why)
      },
    })
    const fail = (error?: NodeJS.ErrnoException) => {
      clearTimeout(timer)
      tls.destroy()
      socket.destroy()
      reject(why ?? reasonOf(error, named))
    }
    const timer = setTimeout(() => fail(), HANDSHAKE_MS)
    tls.on('error', fail)
    tls.once('close', () => fail())
    tls.once('secure', () => {
      clearTimeout(timer)
      tls.off('error', fail)
      if (named === undefined) fail()
      else resolve({ tls, host: named })
    })
  })
}

function reasonOf(error: NodeJS.ErrnoException | undefined, named: Host | undefined): Refused {
  if (error?.code === 'ERR_SSL_NO_APPLICATION_PROTOCOL')
    return new Refused(
      'form',
      `${named === undefined ? 'The server' : hostText(named)} is reached over HTTP/1.1 only here, and the client offered nothing but HTTP/2.`,
    )
  if (named === undefined)
    return new Refused('agreement', 'Blocked: a TLS handshake names no server, so the allowlist cannot judge it.')
  return new Refused('form', `The TLS handshake of a client failed (${error?.code ?? 'it ended early'}).`)
}
