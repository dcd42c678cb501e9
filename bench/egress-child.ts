/** One role of `egress.ts` in a process of its own: the upstream, the proxy, or the peer. Told by its argument in JSON. */
import type { RequestListener } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import type { Network } from '../src/managed/contract.ts'
import { createEgress } from '../src/managed/egress/egress.ts'
import type { Upstream } from '../src/managed/egress/operator.ts'

export type Role =
  | { readonly role: 'upstream'; readonly cert: string; readonly key: string }
  | {
      readonly role: 'proxy'
      readonly dir: string
      readonly upstreams: Readonly<Record<string, Upstream>>
      readonly network: 'open' | 'allowlist'
    }
  | { readonly role: 'peer'; readonly module: string; readonly ca: string }

const BLOCK = Buffer.alloc(64 * 1024, 's')

/** `/N` gives N bytes; `/N/RATE` so many a second by a token bucket; a body is counted. */
const answer: RequestListener = (req, res) => {
  const [bytes = 0, rate = 0] = (req.url ?? '/').slice(1).split('/').map(Number)
  if (req.method === 'POST') {
    req.on('end', () => res.end('ok')).resume()
    return
  }
  res.writeHead(200, { 'Content-Length': bytes })
  const began = performance.now()
  let sent = 0
  const more = () => {
    while (sent < bytes) {
      // A bucket that holds 10 ms of the link.
      const allowed = rate === 0 ? bytes : ((performance.now() - began + 10) / 1000) * rate
      if (sent >= allowed) {
        setTimeout(more, 2)
        return
      }
      const part = BLOCK.subarray(0, Math.min(BLOCK.length, bytes - sent))
      sent += part.length
      if (!res.write(part)) {
        res.once('drain', more)
        return
      }
    }
    res.end()
  }
  more()
}

async function start(role: Role): Promise<object> {
  if (role.role === 'upstream') {
    const server = createServer({ cert: role.cert, key: role.key }, answer)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return { port: (server.address() as AddressInfo).port }
  }
  if (role.role === 'proxy') {
    const network: Network = role.network === 'open' ? undefined : { allowlist: [{ domain: '*.test' }] }
    const egress = createEgress({
      dir: role.dir,
      clock: { now: Date.now },
      report: () => {},
      operator: { upstreams: role.upstreams },
    })
    const { socket, caFile } = await egress.open('bench', network, [])
    return { socket, caFile }
  }
  // Not a dependency of ours: found where the person installed it.
  const peer = (await import(pathToFileURL(role.module).href)) as {
    generateCACertificate(): Promise<{ key: string; cert: string }>
    getLocal(options: object): {
      start(): Promise<void>
      readonly port: number
      forAnyRequest(): { thenPassThrough(options: object): Promise<void> }
    }
  }
  const https = await peer.generateCACertificate()
  const server = peer.getLocal({ https, recordTraffic: false })
  await server.start()
  await server.forAnyRequest().thenPassThrough({ additionalTrustedCAs: [{ cert: role.ca }] })
  return { port: server.port, ca: https.cert }
}

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send!({ rss: process.memoryUsage.rss(), cpu: (user + system) / 1e6 })
})
process.on('disconnect', () => process.exit())
process.send!(await start(JSON.parse(process.argv[2]!) as Role))
