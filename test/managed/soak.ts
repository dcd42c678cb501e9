/**
 * Many interactions over some environments, with random cancels, restarts and kills of the server:
 * `npm run soak -- managed [--interactions N] [--environments M] [--seed S]` (2,000 over 40 by itself). Judges: no lost file of
 * a kept environment, no stuck interaction, no leaked process, namespace, mount or control group.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { Journals } from '../../src/managed/interactions/journal.ts'
import { isEnded } from '../../src/managed/interactions/wire.ts'

export interface Soak {
  readonly interactions: number
  readonly environments: number
  readonly seed: number
  readonly say?: (line: string) => void
}

export interface Judged {
  /** What went wrong, one sentence each; none where all is well. */
  readonly faults: readonly string[]
  readonly counts: Readonly<Record<string, number>>
}

const KEY = 'soak'
const AGENT = 'antigravity-preview-09-2026'
/** Interactions at once. */
const AT_ONCE = 8
/** Interactions between two ends of the server, a kill and an orderly one in turn. */
const BETWEEN = 25
/** Milliseconds that anything may take before it counts as stuck. */
const STUCK_MS = 180_000

/** Numbers from 0 to 1 that depend on the seed alone (mulberry32). */
function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

interface Place {
  readonly id: string
  /** Lines that a completed interaction has written. */
  readonly lines: Set<string>
}

class Server {
  readonly #state: string
  #child: ChildProcess | undefined
  base = ''

  constructor(state: string) {
    this.#state = state
  }

  async start(): Promise<void> {
    const argv = [resolve('bin/sallyport.js'), 'serve', '--port', '0', '--key', KEY, '--state', this.#state]
    const env = { PATH: process.env['PATH'], HOME: this.#state }
    const child = spawn(process.execPath, argv, { env, stdio: ['ignore', 'pipe', 'pipe'] })
    this.#child = child
    let text = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (part) => (text = (text + String(part)).slice(-4_000)))
    for (const end = Date.now() + STUCK_MS; ; ) {
      const port = /127\.0\.0\.1:(\d+)/.exec(text)?.[1]
      if (port !== undefined) {
        this.base = `http://127.0.0.1:${port}`
        return
      }
      if (child.exitCode !== null || Date.now() > end)
        throw new Error(`the server does not start (${child.exitCode}): ${text}`)
      await pause(20)
    }
  }

  async end(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const child = this.#child
    if (child === undefined) return
    this.#child = undefined
    const ended = new Promise((done) => child.once('close', done))
    child.kill(signal)
    const late = setTimeout(() => child.kill('SIGKILL'), STUCK_MS)
    await ended
    clearTimeout(late)
  }

  async ask(
    method: string,
    path: string,
    body?: object,
    signal = AbortSignal.timeout(STUCK_MS),
  ): Promise<{ readonly status: number; readonly text: string }> {
    const answer = await fetch(this.base + path, {
      ...{ method, signal, headers: { 'x-goog-api-key': KEY } },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    return { status: answer.status, text: await answer.text() }
  }
}

const pause = (ms: number): Promise<void> => new Promise((done) => setTimeout(done, ms))

/** Plays it to the end and judges. Throws where the server cannot be started at all. */
export async function soak({ interactions, environments, seed, say = () => {} }: Soak): Promise<Judged> {
  const root = mkdtempSync(join(tmpdir(), 'soak-'))
  const state = join(root, 's')
  const chance = random(seed)
  const faults: string[] = []
  const counts: Record<string, number> = {
    completed: 0,
    cancelled: 0,
    failed: 0,
    interrupted: 0,
    restarts: 0,
    kills: 0,
    removed: 0,
  }
  const count = (what: string) => {
    counts[what] = (counts[what] ?? 0) + 1
  }
  const server = new Server(state)
  /** Ids of all environments. */
  const made = new Set<string>()
  try {
    await server.start()
    const places: Place[] = []
    for (let n = 0; n < environments; n++) places.push(await makePlace(server, made))
    let next = 0
    /** While the server is being changed nobody begins anything. */
    let changing: Promise<void> = Promise.resolve()
    const worker = async () => {
      for (let n = next++; n < interactions; n = next++) {
        if (n > 0 && n % BETWEEN === 0) {
          const isKill = (n / BETWEEN) % 2 === 1
          count(isKill ? 'kills' : 'restarts')
          say(`${n} of ${interactions}: ${isKill ? 'killed' : 'restarted'}, ${JSON.stringify(counts)}`)
          changing = changing.then(async () => {
            await server.end(isKill ? 'SIGKILL' : 'SIGTERM')
            await server.start()
          })
        }
        await changing
        await one({ server, places, made, chance, count, faults }, n)
      }
    }
    await Promise.all(Array.from({ length: AT_ONCE }, worker))
    await changing
    faults.push(...(await stuck(server, state)), ...(await lost(server, places)))
    await server.end('SIGTERM')
    faults.push(...unended(state), ...leaked(state, made))
  } finally {
    await server.end('SIGKILL')
    rmSync(root, { recursive: true, force: true, maxRetries: 3 })
  }
  return { faults, counts }
}

async function makePlace(server: Server, made: Set<string>): Promise<Place> {
  const sources = [{ type: 'inline', target: 'workspace/first.txt', content: 'from the beginning\n' }]
  const { status, text } = await server.ask('POST', '/v1/environments', { sources })
  if (status !== 200) throw new Error(`no environment: ${text}`)
  const { id } = JSON.parse(text) as { id: string }
  made.add(id)
  return { id, lines: new Set() }
}

interface Playing {
  readonly server: Server
  readonly places: Place[]
  readonly made: Set<string>
  readonly chance: () => number
  readonly count: (what: string) => void
  readonly faults: string[]
}

/** One interaction of a random kind; what the server's end interrupts counts as interrupted. */
async function one(playing: Playing, n: number): Promise<void> {
  const { server, places, chance, count, faults } = playing
  const [which, kind, rest, fate] = [Math.floor(chance() * places.length), chance(), chance(), chance()]
  const place = places[which]!
  const line = `line-${n}`
  const code = `echo ${line} >> log; sync log; sleep ${(rest * 0.4).toFixed(3)}`
  const input = JSON.stringify({ script: [{ calls: [{ name: 'code_execution', args: { code } }] }, { text: 'done' }] })
  const body = { agent: AGENT, input, environment: place.id, background: kind < 0.4, stream: kind > 0.8 }
  try {
    const told = await server.ask('POST', '/v1/interactions', body)
    if (told.status !== 200) {
      // An environment that another one removed meanwhile.
      if (told.status !== 404) faults.push(`interaction ${n} is answered by ${told.status}: ${told.text.slice(0, 200)}`)
      return count('refused')
    }
    const id = /"id":"(int_\w+)"/.exec(told.text)![1]!
    if (kind < 0.4 && fate < 0.25) await server.ask('POST', `/v1/interactions/${id}/cancel`)
    const status = await ended(server, id)
    count(status)
    if (status === 'completed') place.lines.add(line)
    if (fate > 0.985) await renew(playing, which)
  } catch (error) {
    if (error instanceof Error && error.name === 'TimeoutError')
      faults.push(`interaction ${n} had no answer in ${STUCK_MS} ms`)
    count('interrupted')
  }
}

async function ended(server: Server, id: string): Promise<string> {
  for (const end = Date.now() + STUCK_MS; Date.now() < end; await pause(50)) {
    const { status, text } = await server.ask('GET', `/v1/interactions/${id}`)
    if (status !== 200) throw new Error(`${id} is answered by ${status}`)
    const found = (JSON.parse(text) as { status: Parameters<typeof isEnded>[0] }).status
    if (isEnded(found)) return found
  }
  throw new DOMException(`${id} does not end`, 'TimeoutError')
}

/** Takes a new environment in the place of one, which is removed. What still works there fails. */
async function renew({ server, places, made, count }: Playing, which: number): Promise<void> {
  const { id } = places[which]!
  places[which] = await makePlace(server, made)
  count('removed')
  await server.ask('DELETE', `/v1/environments/${id}`)
}

/** Interactions that the server says are at work although nobody waits for them any more. */
async function stuck(server: Server, state: string): Promise<string[]> {
  const faults: string[] = []
  for (const name of readdirSync(join(state, 'interactions'))) {
    const id = name.replace(/\.jsonl$/, '')
    try {
      await ended(server, id)
    } catch (error) {
      faults.push(`${id} is stuck: ${String(error)}`)
    }
  }
  return faults
}

/** Lines and files of kept environments that are not there. */
async function lost(server: Server, places: readonly Place[]): Promise<string[]> {
  const faults: string[] = []
  const read = (id: string, name: string) =>
    server.ask('GET', `/v1/environments/${id}/files/workspace/${name}?alt=media`)
  for (const { id, lines } of places) {
    const first = await read(id, 'first.txt')
    if (first.text !== 'from the beginning\n') faults.push(`${id} lost first.txt (${first.status})`)
    if (lines.size === 0) continue
    const there = new Set((await read(id, 'log')).text.split('\n'))
    for (const line of lines) if (!there.has(line)) faults.push(`${id} lost ${line}`)
  }
  return faults
}

/** Journals that do not say how it ended. */
function unended(state: string): string[] {
  return new Journals(join(state, 'interactions')).open().map((id) => `the journal of ${id} has no end`)
}

/** What of the state the machine still holds. Processes that have ended and wait to be collected hold nothing. */
function leaked(state: string, made: ReadonlySet<string>): string[] {
  const faults: string[] = []
  for (const directory of globSync('/proc/[0-9]*'))
    try {
      if (directory === `/proc/${process.pid}` || /^State:\s*[ZX]/m.test(readFileSync(`${directory}/status`, 'utf8')))
        continue
      const words = readFileSync(`${directory}/cmdline`, 'utf8').replaceAll('\0', ' ')
      // A namespace lives as long as a process in it: what runs inside has the tree of its environment among its mounts.
      const about = ['environ', 'mountinfo'].map((name) => readFileSync(`${directory}/${name}`, 'utf8'))
      if ([words, ...about].some((text) => text.includes(state)))
        faults.push(`a process is left: ${words.slice(0, 200)}`)
    } catch {
      // It has just ended.
    }
  if (readFileSync('/proc/self/mountinfo', 'utf8').includes(state)) faults.push(`mounts of ${state} are left`)
  for (const group of globSync('/sys/fs/cgroup/**/sallyport-*'))
    if ([...made].some((id) => group.includes(id))) faults.push(`the control group ${group} is left`)
  return faults
}

if (import.meta.main) {
  const words = process.argv.slice(2).filter((word) => word !== 'managed')
  const { values } = parseArgs({
    args: words,
    options: { interactions: { type: 'string' }, environments: { type: 'string' }, seed: { type: 'string' } },
  })
  const number = (name: keyof typeof values, standard: number): number => {
    const value = values[name] === undefined ? standard : Number(values[name])
    if (!Number.isInteger(value) || value < 1) throw new Error(`--${name} takes a whole number from 1`)
    return value
  }
  const begun = Date.now()
  const { faults, counts } = await soak({
    interactions: number('interactions', 2_000),
    environments: number('environments', 40),
    seed: number('seed', 1),
    say: (line) => process.stdout.write(`${line}\n`),
  })
  process.stdout.write(`${JSON.stringify(counts)} in ${Math.round((Date.now() - begun) / 1000)} s\n`)
  for (const fault of faults) process.stdout.write(`FAULT ${fault}\n`)
  process.stdout.write(
    faults.length === 0 ? 'no file lost, nothing stuck, nothing leaked\n' : `${faults.length} faults\n`,
  )
  if (faults.length > 0) process.exitCode = 1
}
