/**
 * What one hook adds to a tool call: a command hook and an http hook beside a bare start of bubblewrap, taken in turns in one
 * run, in one environment that is in use. `npm run bench -- hooks [rounds]`. Wall time depends on what else runs.
 */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { request } from 'node:https'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { hookWorldOf } from '../src/managed/agent/hook-world.ts'
import type { Clock, HookWorld } from '../src/managed/contract.ts'
import { startLab } from '../src/managed/egress/lab.testing.ts'
import { makeHooks } from '../src/managed/hooks/engine.ts'
import { openEnvironments } from '../src/managed/sandbox/environments.ts'
import { median, ms, quantile, table } from './stats.ts'

const ROUNDS = 40
const HOST = 'gate.example.test'
const CALL = { name: 'code_execution', args: { code: 'rm -rf /tmp/forbidden', language: 'bash' } }
const FILE = '/.agents/hooks.json'
const GATE = `import sys, json
print(json.dumps({"decision": "deny" if "rm -rf" in sys.stdin.read() else "allow"}))
`
const DENY = '{"decision":"deny"}'

const CLOCK: Clock = {
  now: () => Date.now(),
  after(wait, then) {
    const timer = setTimeout(then, wait)
    return () => clearTimeout(timer)
  },
}

const say = (text: string): void => void process.stdout.write(`${text}\n`)

export async function run(args: readonly string[]): Promise<void> {
  const rounds = Math.max(1, Number(args[0] ?? ROUNDS) || ROUNDS)
  const dir = mkdtempSync(join(tmpdir(), 'bench-hooks-'))
  const lab = await startLab({ hosts: [`${HOST}:443`], answer: (_req, res) => void res.end(DENY) })
  try {
    const environments = await openEnvironments({
      ...{ state: join(dir, 'state'), egress: lab.egress, clock: CLOCK, report: () => {} },
      credentials: { placeholder: () => undefined },
    })
    try {
      const { id } = await environments.create({})
      const tree = await environments.files(id)
      await tree.write('/gate.py', Buffer.from(GATE), true)
      const world = await hookWorldOf(environments, lab.egress, id, undefined)
      const { port } = lab.upstreams[`${HOST}:443`]!
      const program = { cwd: '/', timeout: 30_000, outputLimit: 4_096 }
      const ways: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['bwrap … true, bare', bare],
        ['a program in the environment (true)', () => environments.run(id, { ...program, argv: ['/bin/true'] })],
        ['no hook for the call', hook(world, [])],
        ['one command hook (printf)', hook(world, [{ type: 'command', command: `printf '${DENY}'` }])],
        ['one command hook (python3 gate.py)', hook(world, [{ type: 'command', command: 'python3 /gate.py' }])],
        ['a POST over TLS from this process', () => post(port, lab.ca.certificate)],
        ['one http hook', hook(world, [{ type: 'http', url: `https://${HOST}/` }])],
      ]
      const first: number[] = []
      const took = ways.map((): number[] => [])
      for (const [, way] of ways) first.push(await timed(way))
      for (let round = 0; round < rounds; round++)
        for (const [i, [, way]] of ways.entries()) took[i]!.push(await timed(way))
      const base = median(took[0]!)
      const load = loadavg()[0]!.toFixed(1)
      say(
        `Node ${process.version}, ${process.platform} ${process.arch}, ${availableParallelism()} processors, load ${load}`,
      )
      say(`\n${rounds} rounds in turns, milliseconds`)
      say(
        table([
          ['', 'first', 'median', 'p95', 'of bare bwrap'],
          ...ways.map(([name], i) => [
            name,
            ms(first[i]!),
            ms(median(took[i]!)),
            ms(quantile(took[i]!, 0.95)),
            (median(took[i]!) / base).toFixed(2),
          ]),
        ]),
      )
    } finally {
      await environments.close()
    }
  } finally {
    await lab.close()
    rmSync(dir, { recursive: true, force: true })
  }
}

async function timed(way: () => Promise<unknown>): Promise<number> {
  const from = process.hrtime.bigint()
  await way()
  return Number(process.hrtime.bigint() - from) / 1e6
}

/** The hooks of a configuration of its own, each round with the file looked at anew as before every call. */
function hook(world: HookWorld, handlers: readonly object[]): () => Promise<unknown> {
  const text = JSON.stringify({ gate: { pre_tool_execution: [{ matcher: '*', hooks: handlers }] } })
  const bytes = Buffer.from(text)
  const real = async (path: string) => (path === FILE ? path : world.files.real(path))
  const files = { ...world.files, real, stamp: async () => 'same', read: async () => bytes }
  const hooks = makeHooks()
  const { signal } = new AbortController()
  return async () => {
    const { decision } = await hooks.before({ ...world, files }, CALL, signal)
    if ((decision === 'deny') !== handlers.length > 0) throw new Error(`the hook answered ${decision}`)
  }
}

function bare(): Promise<void> {
  return new Promise((done, fail) => {
    const child = spawn('bwrap', ['--unshare-all', '--die-with-parent', '--ro-bind', '/', '/', '/bin/true'], {
      stdio: 'ignore',
    })
    child.on('error', fail)
    child.on('close', (code) => (code === 0 ? done() : fail(new Error(`bwrap ended with ${code}`))))
  })
}

function post(port: number, ca: string): Promise<void> {
  return new Promise((done, fail) => {
    const out = request({ host: '127.0.0.1', port, servername: HOST, ca, method: 'POST', agent: false }, (answer) => {
      answer.resume()
      answer.on('end', done)
    })
    out.on('error', fail)
    out.end(JSON.stringify({ tool_call: CALL, environment_id: 'env' }))
  })
}
