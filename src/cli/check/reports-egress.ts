/** Replays a request of a report through a door, against local upstreams whose log is the judge. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import type { AllowEntry, EgressDoor, Network } from '../../managed/contract.ts'
import { createCredentials } from '../../managed/credentials/credentials.ts'
import {
  type Answer,
  arrived,
  ask,
  knock,
  type Lab,
  raw,
  secure,
  startLab,
  tunnelTo,
} from '../../managed/egress/lab.ts'
import { authorityText, hostText, readTarget, type Target } from '../../managed/egress/names.ts'
import type { Outcome } from './reports-guard.ts'
import type { EgressRow } from './reports-read.ts'

/** Bytes that were sent in place of TLS are waited for so long. */
const RAW_MS = 1500
/** How often memory is looked at. */
const SAMPLE_MS = 20
/** The first of two requests, where growth is measured. */
const FIRST_BYTES = 1 << 24

interface Got {
  readonly status: number
  readonly body: string
  readonly upstream_saw: boolean
  readonly upstream_raw: string
  readonly upstream_body_bytes: number
  readonly upstream_headers: Readonly<Record<string, readonly string[]>>
  /** Bytes by which this whole process grew, upstream and client included. */
  readonly growth: number
}

/** Runs the row's request with scratch state that is removed afterwards. */
export async function replayEgress(row: EgressRow): Promise<Outcome> {
  const target = readTarget(row.request.url)
  if ('wrong' in target) return { got: null, misses: [`the address ${target.wrong}`] }
  const dir = mkdtempSync(join(tmpdir(), 'sallyport-report-'))
  const bytes: Buffer[] = []
  const credentials = createCredentials({
    dir: join(dir, 'credentials'),
    clock: { now: () => Date.now() },
    request: async () => ({ ok: false, why: 'No token endpoint.', refused: false, timedOut: false }),
  })
  const own = `${hostText(target.host)}:${target.port}`
  const lab = await startLab({
    hosts: [...new Set([own, ...listed(row)])],
    plain: target.secure ? [] : [own],
    secrets: credentials,
    ...(row.request.raw === undefined
      ? {}
      : { raw: { [own]: (socket) => void socket.on('data', (part: Buffer) => bytes.push(part)) } }),
  })
  try {
    if (row.credential !== undefined) await credentials.create(row.credential)
    const door = await lab.open(networkOf(row), row.credential === undefined ? [] : [row.credential.id])
    // What TLS and the like load at their first use, and the buffers that a stream settles at, are no growth of it.
    if (row.expect.growth_max !== undefined) await send(row, door, lab, target, FIRST_BYTES)
    const had = lab.seen.length
    const memory = watchMemory()
    const answer = await send(row, door, lab, target, row.request.body_bytes)
    const growth = memory.stop()
    const seen = lab.seen.slice(had)
    const got: Got = {
      status: answer.status,
      body: answer.body,
      upstream_saw: seen.length > 0 || bytes.length > 0,
      upstream_raw: Buffer.concat(bytes).toString('latin1'),
      upstream_body_bytes: seen.reduce((sum, one) => sum + one.bytes, 0),
      upstream_headers: Object.fromEntries(
        Object.keys(row.expect.upstream_headers ?? {}).map((name) => [
          name,
          seen.flatMap((one) => arrived(one, name.toLowerCase())),
        ]),
      ),
      growth,
    }
    return { got: shown(row, got), misses: missesOf(row, got, `${JSON.stringify(lab.events)}${textsBelow(dir)}`) }
  } finally {
    await lab.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

/** An upstream for every host that the row names, so that nothing is refused for want of one. */
const listed = (row: EgressRow): readonly string[] =>
  (row.allow ?? [])
    .map((entry) => (typeof entry === 'string' ? entry : entry.domain))
    .filter((domain) => !domain.includes('*'))
    .flatMap((domain) => [`${domain}:443`, `${domain}:80`])

const networkOf = ({ allow }: EgressRow): Network =>
  allow === undefined
    ? undefined
    : { allowlist: allow.map((entry): AllowEntry => (typeof entry === 'string' ? { domain: entry } : entry)) }

async function send(
  { request }: EgressRow,
  door: EgressDoor,
  lab: Lab,
  target: Target,
  bytes: number | undefined,
): Promise<Answer> {
  const { method, via } = request
  const closed: Answer = { status: 0, headers: {}, body: '' }
  const where = authorityText(target.host, target.port, target.secure)
  const headers: Record<string, string> = { Host: where, ...request.headers }
  if (bytes !== undefined) headers['Content-Length'] = String(bytes)
  const once = { method, headers, ...(bytes === undefined ? {} : { body: bytes }) }
  try {
    if (via === 'http') return await ask(await knock(door), { ...once, path: request.url })
    if (via === 'transparent') {
      const first = { to: 'address', address: '198.18.0.7', name: hostText(target.host), port: target.port }
      if (request.raw !== undefined)
        return { ...closed, body: await raw(door, Buffer.from(request.raw, 'latin1'), first, RAW_MS) }
      const socket = await knock(door, first)
      return await ask(target.secure ? await secure(socket, hostText(target.host), trusted(door, lab)) : socket, {
        ...once,
        path: target.path,
      })
    }
    const tunnel = await tunnelTo(door, `${hostText(target.host)}:${target.port}`)
    if (!('socket' in tunnel)) return tunnel
    if (request.raw !== undefined) {
      tunnel.socket.write(Buffer.from(request.raw, 'latin1'))
      await Promise.race([new Promise((resolve) => tunnel.socket.once('close', resolve).resume()), pause(RAW_MS)])
      const ended = tunnel.socket.destroyed
      tunnel.socket.destroy()
      return { ...closed, status: ended ? 0 : 200 }
    }
    const stream = target.secure
      ? await secure(tunnel.socket, hostText(target.host), trusted(door, lab))
      : tunnel.socket
    return await ask(stream, { ...once, path: target.path })
  } catch {
    return closed
  }
}

/** What a client in the sandbox trusts. */
const trusted = (door: EgressDoor, lab: Lab): string => `${readFileSync(door.caFile, 'utf8')}${lab.ca.certificate}`

function watchMemory(): { stop(): number } {
  const rss = () => process.memoryUsage.rss()
  const before = rss()
  let most = before
  const timer = setInterval(() => {
    most = Math.max(most, rss())
  }, SAMPLE_MS)
  return {
    stop() {
      clearInterval(timer)
      return Math.max(most, rss()) - before
    },
  }
}

/** Of what was got, what the row asks about. */
const shown = (row: EgressRow, { body, upstream_raw: _, growth, ...got }: Got): unknown => ({
  ...got,
  ...(row.expect.body_has || row.expect.body_lacks ? { body } : {}),
  ...(row.expect.growth_max === undefined ? {} : { growth }),
})

function missesOf({ expect }: EgressRow, got: Got, log: string): string[] {
  const misses: string[] = []
  const same = (name: 'status' | 'upstream_saw' | 'upstream_raw' | 'upstream_body_bytes') => {
    if (expect[name] !== undefined && expect[name] !== got[name])
      misses.push(
        `${name} is ${JSON.stringify(got[name]).slice(0, 80)} in place of ${JSON.stringify(expect[name]).slice(0, 80)}`,
      )
  }
  same('status')
  same('upstream_saw')
  same('upstream_raw')
  same('upstream_body_bytes')
  for (const [name, value] of Object.entries(expect.upstream_headers ?? {})) {
    const values = got.upstream_headers[name] ?? []
    if (values.length !== 1 || values[0] !== value)
      misses.push(`the upstream got ${values.length} headers ${name}, or another value`)
  }
  for (const word of expect.body_has ?? [])
    if (!got.body.includes(word)) misses.push(`the body lacks ${JSON.stringify(word)}`)
  for (const secret of expect.body_lacks ?? [])
    if (got.body.includes(secret) || log.includes(secret)) misses.push('a secret stands in the body, the log or a file')
  if (expect.growth_max !== undefined && got.growth > expect.growth_max)
    misses.push(`memory grew by ${got.growth} bytes, more than ${expect.growth_max}`)
  return misses
}

const textsBelow = (dir: string): string =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'))
    .join('\n')
