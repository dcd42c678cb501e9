/**
 * `npm run bench -- egress [--size MB] [--rounds N] [--peer DIR]`: what a door costs beside the same TLS without one: latency on a
 * kept connection, throughput of one stream, a link of 1 Gbit/s (a token bucket in the upstream), and memory. Beside mockttp
 * where DIR is a place with it (`npm i --no-save mockttp`). Upstream, proxy, peer and client are processes of their own; the
 * relay of a sandbox is not in the way.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { parseArgs } from 'node:util'
import { createAuthority } from '../src/managed/egress/ca.ts'
import type { Role } from './egress-child.ts'
import { median, ms, quantile, table } from './stats.ts'

const HOST = 'bench.test'
const REQUESTS = 1500
const LINK = 125e6
const STREAM = 180e6
const SAMPLE_MS = 25
/** What is asked of it. */
const GOALS = { added: 1.5, intercepted: 0.2, opaque: 0.5, link: 0.9, growth: 16 }

interface Arm {
  readonly name: string
  open(): Promise<TLSSocket>
  /** What its requests name; the peer has no map of names to upstreams. */
  readonly host?: string
  readonly process?: ChildProcess
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({
    args: [...args],
    options: {
      size: { type: 'string', default: '1000' },
      rounds: { type: 'string', default: '3' },
      peer: { type: 'string' },
    },
  })
  const size = Number(values.size) * 1e6
  const rounds = Number(values.rounds)
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-bench-'))
  const children: ChildProcess[] = []
  const start = async (role: Role): Promise<{ child: ChildProcess; said: Record<string, string & number> }> => {
    const child = fork(join(import.meta.dirname, 'egress-child.ts'), [JSON.stringify(role)])
    children.push(child)
    return { child, said: (await told(child)) as Record<string, string & number> }
  }
  try {
    const ca = await createAuthority('bench', Date.now)
    const upstream = await start({ role: 'upstream', ...(await ca.pemFor(HOST)) })
    const local = await start({ role: 'upstream', ...(await ca.pemFor('localhost')) })
    const upstreams = { [`${HOST}:443`]: { address: '127.0.0.1', port: upstream.said['port']!, ca: ca.certificate } }
    const closed = await start({ role: 'proxy', dir: join(dir, 'closed'), upstreams, network: 'allowlist' })
    const open = await start({ role: 'proxy', dir: join(dir, 'open'), upstreams, network: 'open' })
    const arms: Arm[] = [
      { name: 'direct TLS', open: () => secured(connect(upstream.said['port']!, '127.0.0.1'), HOST, ca.certificate) },
      {
        name: 'intercepted',
        open: async () =>
          secured(
            await tunnel(connect(closed.said['socket']!), `${HOST}:443`, true),
            HOST,
            readFileSync(closed.said['caFile']!, 'utf8'),
          ),
        process: closed.child,
      },
      {
        name: 'opaque tunnel',
        open: async () =>
          secured(await tunnel(connect(open.said['socket']!), `${HOST}:443`, true), HOST, ca.certificate),
        process: open.child,
      },
    ]
    const module = values.peer === undefined ? undefined : join(values.peer, 'node_modules/mockttp/dist/main.js')
    if (module !== undefined && existsSync(module)) {
      const peer = await start({ role: 'peer', module, ca: ca.certificate })
      arms.push({
        name: 'mockttp',
        open: async () =>
          secured(
            await tunnel(connect(peer.said['port']!, '127.0.0.1'), `localhost:${local.said['port']}`, false),
            'localhost',
            peer.said['ca']!,
          ),
        process: peer.child,
        host: `localhost:${local.said['port']}`,
      })
    } else say('mockttp is not there: npm i --no-save mockttp in a scratch directory, and name it with --peer')
    await latency(arms)
    await throughput(arms, size, rounds)
    await link(arms, size / 2)
    await memory(arms.filter((arm) => arm.process !== undefined))
  } finally {
    for (const child of children) child.disconnect()
    rmSync(dir, { recursive: true, force: true })
  }
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

function told(child: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const settle = (then: () => void) => {
      child.off('message', got).off('exit', gone)
      then()
    }
    const got = (message: unknown) => settle(() => resolve(message))
    const gone = () => settle(() => reject(new Error('a child ended')))
    child.once('message', got).once('exit', gone)
  })
}

async function tunnel(socket: Socket, target: string, ours: boolean): Promise<Socket> {
  socket.write(`${ours ? '{"to":"proxy"}\n' : ''}CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n\r\n`)
  const head = await new Promise<Buffer>((resolve, reject) => socket.once('data', resolve).once('error', reject))
  if (!/^HTTP\/1\.1 200 /.test(head.toString('latin1'))) throw new Error(`the tunnel was refused: ${head}`)
  return socket
}

async function secured(socket: Socket, servername: string, ca: string): Promise<TLSSocket> {
  const tls = connectTls({ socket, servername, ca, ALPNProtocols: ['http/1.1'] })
  await new Promise((resolve, reject) => tls.once('secureConnect', resolve).once('error', reject))
  return tls
}

/** Small requests one after another, the arms in turns of a hundred so that all see the same load of the machine. */
async function latency(arms: readonly Arm[]): Promise<void> {
  const sides = await Promise.all(
    arms.map(async (arm) => {
      const socket = await arm.open()
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      agent.createConnection = () => socket
      return { arm, agent, socket, times: [] as number[] }
    }),
  )
  for (const { agent, arm } of sides) for (let i = 0; i < 200; i++) await small(agent, arm)
  for (let turn = 0; turn < REQUESTS / 100; turn++)
    for (const { agent, arm, times } of sides)
      for (let i = 0; i < 100; i++) {
        const began = performance.now()
        await small(agent, arm)
        times.push(performance.now() - began)
      }
  const base = sides[0]!.times
  say(`\nLatency of ${REQUESTS} small requests on a kept connection, ms (goal: at most ${GOALS.added} added at p50)`)
  say(
    table([
      ['', 'p50', 'p95', 'added p50', 'added p95'],
      ...sides.map(({ arm, times }) => [
        arm.name,
        ...[0.5, 0.95].map((part) => ms(quantile(times, part))),
        ...(times === base ? ['', ''] : [0.5, 0.95].map((part) => ms(quantile(times, part) - quantile(base, part)))),
      ]),
    ]),
  )
  for (const { socket } of sides) socket.destroy()
}

const small = (agent: Agent, { host = HOST }: Arm): Promise<void> =>
  new Promise((resolve, reject) => {
    request({ agent, path: '/2', headers: { Host: host } }, (res) => {
      if (res.statusCode === 200) res.resume().once('end', resolve)
      else reject(new Error(`a request was answered ${res.statusCode}`))
    })
      .once('error', reject)
      .end()
  })

/** Bytes a second of one download. */
async function download(arm: Arm, path: string, bytes: number): Promise<number> {
  const tls = await arm.open()
  const began = performance.now()
  let got = -1
  await new Promise<void>((resolve, reject) => {
    tls.on('data', (part: Buffer) => {
      // The head comes first.
      got += got < 0 ? part.length - part.indexOf('\r\n\r\n') - 3 : part.length
      if (got >= bytes) resolve()
    })
    tls.once('close', () => reject(new Error(`${arm.name} ended after ${got} bytes`)))
    tls.write(`GET ${path} HTTP/1.1\r\nHost: ${arm.host ?? HOST}\r\n\r\n`)
  })
  const rate = bytes / ((performance.now() - began) / 1000)
  tls.destroy()
  return rate
}

const rate = (value: number): string => (value / 1e6).toFixed(0)

async function throughput(arms: readonly Arm[], size: number, rounds: number): Promise<void> {
  const rates = arms.map((): number[] => [])
  const costs = arms.map((): number[] => [])
  for (let round = 0; round < rounds; round++)
    for (const [i, arm] of arms.entries()) {
      const before = arm.process === undefined ? undefined : await used(arm.process)
      rates[i]!.push(await download(arm, `/${size}`, size))
      if (before !== undefined) costs[i]!.push(((await used(arm.process!)).cpu - before.cpu) / (size / 1e9))
    }
  const shares = rates.map((list) => median(list.map((value, round) => value / rates[0]![round]!)))
  say(
    `\n${size / 1e6} MB in one stream, ${rounds} rounds (goals: ${GOALS.intercepted} of direct intercepted, ${GOALS.opaque} opaque)`,
  )
  say(
    table([
      ['', 'MB/s', 'of direct', 'seconds of a core per GB'],
      ...arms.map(({ name }, i) => [name, rate(median(rates[i]!)), shares[i]!.toFixed(2), ms(median(costs[i]!))]),
    ]),
  )
}

async function link(arms: readonly Arm[], size: number): Promise<void> {
  const rates: number[] = []
  for (const arm of arms) rates.push(await download(arm, `/${size}/${LINK}`, size))
  say(`\n${size / 1e6} MB over a link of 1 Gbit/s (a token bucket in the upstream; goal: ${GOALS.link})`)
  say(
    table([
      ['', 'MB/s', 'of the link', 'of direct'],
      ...arms.map(({ name }, i) => [
        name,
        rate(rates[i]!),
        (rates[i]! / LINK).toFixed(2),
        (rates[i]! / rates[0]!).toFixed(2),
      ]),
    ]),
  )
}

async function memory(arms: readonly Arm[]): Promise<void> {
  const rows: string[][] = []
  for (const arm of arms) {
    const grown: string[] = []
    for (const streams of [1, 1, 4]) {
      const before = await rss(arm.process!)
      let most = before
      let going = true
      const watch = (async () => {
        while (going) {
          most = Math.max(most, await rss(arm.process!))
          await new Promise((resolve) => setTimeout(resolve, SAMPLE_MS))
        }
      })()
      await Promise.all(Array.from({ length: streams }, () => download(arm, `/${STREAM}`, STREAM)))
      going = false
      await watch
      grown.push(((most - before) / streams / (1 << 20)).toFixed(1))
    }
    rows.push([arm.name, ...grown])
  }
  say(`\nGrowth of the proxy’s resident memory, MiB a stream of ${STREAM / 1e6} MB (goal: at most ${GOALS.growth})`)
  say(table([['', 'first', 'next', 'of four at once'], ...rows]))
}

/** Resident bytes and seconds of processor time so far. */
async function used(child: ChildProcess): Promise<{ readonly rss: number; readonly cpu: number }> {
  child.send('used')
  return (await told(child)) as { rss: number; cpu: number }
}

const rss = async (child: ChildProcess): Promise<number> => (await used(child)).rss
