/** What the attacks are aimed at: upstreams, services of the machine and a resolver, each with a log of what arrived. */
import { spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { networkInterfaces } from 'node:os'
import { join } from 'node:path'
import { WebSocketServer } from 'ws'
import type { Lab } from '../../src/managed/egress/lab.testing.ts'
import { startWorld, type World } from './bypass-world.ts'

/** The word that the environment of a process of the runtime holds. */
const PLANTED = 'PLANTED_VALUE'

export interface Judge {
  readonly world: World
  /** What arrived, by the name of the place. Requests are `host:port`, with the path behind it in `paths`. */
  arrived(): string[]
  readonly paths: string[]
  readonly lookedUp: string[]
  readonly lab: Lab
  /** Words in braces that the variables of an attack may hold. */
  readonly places: Readonly<Record<string, string>>
  reset(): void
  close(): Promise<void>
}

const HOSTS = [
  ...['listed.test:443', 'listed.test:80', 'listed.test:22', 'listed.test:8443', 'evil.test:443', 'evil.test:80'],
  ...['evillisted.test:443', 'listed.test.evil.tld:443', 'sub.listed.test:443', 'deep.test:443', 'a.deep.test:443'],
  ...['test:443', 'xn--lsted-tsa.test:443', 'xn--lsted-tsa.test:80', 'raw.test:443'],
  ...['203.0.113.7:443', '203.0.113.7:80', '203.0.113.7:8443'],
]

/** Listens on a port of all addresses, or at a path. */
async function listening(at: string | number, heard: () => void): Promise<Server> {
  const server = createServer((socket) => {
    heard()
    socket.on('error', () => {})
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  server.listen(at)
  await once(server, 'listening')
  return server
}

function ownAddress(family: 'IPv4' | 'IPv6'): string | undefined {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? [])
  return all.find((one) => one.family === family && !one.internal && !one.address.startsWith('fe80'))?.address
}

export async function startJudge(): Promise<Judge> {
  const log: string[] = []
  const paths: string[] = []
  const lookedUp: string[] = []
  const service = await listening(0, () => log.push('service'))
  const port = (service.address() as AddressInfo).port
  const udp = createSocket('udp4', (_, from) => {
    log.push('udp')
    udp.send('heard', from.port, from.address, () => {})
  })
  udp.bind(0)
  await once(udp, 'listening')
  // Without an interface of its own a machine has its loopback only.
  const own = ownAddress('IPv4') ?? '127.0.0.2'
  const own6 = ownAddress('IPv6') ?? '::1'
  const names: Readonly<Record<string, readonly string[]>> = {
    'to-loopback.test': ['127.0.0.1'],
    'to-own.test': [own],
    'to-unspecified.test': ['0.0.0.0'],
    'to-both.test': ['203.0.113.9', '127.0.0.1'],
    'to-mapped.test': ['::ffff:127.0.0.1'],
    'to-compatible.test': ['::127.0.0.1'],
    'to-6to4.test': ['2002:7f00:1::'],
    'to-nat64.test': ['64:ff9b::7f00:1'],
    'to-translated.test': ['::ffff:0:7f00:1'],
    'to-six.test': ['::1'],
    'to-metadata.test': ['169.254.169.254'],
  }
  const sockets = new WebSocketServer({ noServer: true })
  const world = await startWorld({
    hosts: HOSTS,
    plain: ['listed.test:22', 'listed.test:8443', 'xn--lsted-tsa.test:80', '203.0.113.7:8443'],
    raw: {
      'raw.test:443': (socket) => {
        socket.on('error', () => {})
        socket.once('data', () => {
          log.push('raw.test:443')
          socket.end()
        })
      },
    },
    secrets: {
      use: () => 'placeholder',
      header: () => Promise.reject(new Error('none')),
      rejected: () => {},
      variable: () => ({ value: 'v', places: new Set(['header']), trusted: [] }),
    },
    operator: {
      ports: [port],
      allowPrivate: [`${own}/32`, `${own6}/128`],
      upstreams: { [`service.test:${port}`]: { address: '127.0.0.1', port } },
      async resolve(name) {
        lookedUp.push(name)
        const found = names[name]
        if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return found
      },
    },
    answer(request, response) {
      const to = {
        '/to-loopback': `http://127.0.0.1:${port}/`,
        '/to-evil': 'https://evil.test/',
        '/to-metadata': 'http://169.254.169.254/latest/meta-data/',
      }[request.url ?? '']
      request.resume()
      request.on('end', () => {
        if (to !== undefined) response.writeHead(302, { location: to })
        response.end('arrived\n')
      })
    },
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket as never, head, (ws) => {
        ws.on('message', (data) => {
          paths.push(String(data))
          ws.send('heard')
        })
        ws.on('error', () => {})
      }),
  })
  const unix = join(world.directory, 'service')
  const abstract = `sallyport-service-${process.pid}`
  const more = await Promise.all([
    listening(unix, () => log.push('unix')),
    listening(`\0${abstract}`, () => log.push('abstract')),
  ])
  const door = await world.lab.open({ allowlist: [{ domain: 'evil.test' }] }, [], 'other')
  const child = spawn('sleep', ['3600'], { env: { PATH: process.env['PATH'] ?? '', PLANTED } })
  await once(child, 'spawn')
  const { lab } = world
  return {
    ...{ world, paths, lookedUp, lab },
    arrived: () => [...lab.seen.map(({ host }) => host), ...log],
    places: {
      port: String(port),
      udp: String(udp.address().port),
      own,
      own6: `[${own6}]`,
      unix,
      abstract,
      door: door.socket,
    },
    reset() {
      for (const list of [log, paths, lookedUp, lab.seen]) list.length = 0
      lab.connections = 0
    },
    async close() {
      child.kill('SIGKILL')
      for (const one of [service, udp, ...more]) one.close()
      await world.close()
    },
  }
}
