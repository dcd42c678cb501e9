/**
 * A runtime in a process of its own: with programs running, for tests that kill it, saying the environment's id; with one line
 * of bash, saying what that said; or, in the mode `starts`, with a new environment and a program in it for each line of stdin.
 */
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { openEnvironments } from './environments.ts'
import { StubEgress, TestClock } from './sandbox.testing.ts'

const [directory, code, mode] = process.argv.slice(2) as [string, string | undefined, string | undefined]
const environments = await openEnvironments({
  state: join(directory, 'state'),
  egress: new StubEgress(directory),
  clock: new TestClock(),
  credentials: { placeholder: () => undefined },
  report: ({ kind, text }) => {
    if (kind === 'sandbox.weaker') process.stdout.write(`${text}\n`)
  },
  allowWeaker: mode === 'weaker',
})
if (mode === 'starts') {
  process.stdin.on('data', async () => {
    const { id } = await environments.create({})
    const run = { argv: ['sleep', code!], cwd: '/', timeout: 600_000, outputLimit: 1 }
    void environments.run(id, run)
    await environments.tool(id, 'code_execution', { code: `sleep ${code}` }, new AbortController().signal)
  })
  process.stdout.write('ready\n')
  await new Promise(() => {})
}
const { id } = await environments.create({
  env: { A: 'b' },
  sources: [{ type: 'inline', target: '/workspace/f', content: 'kept\n' }],
})
if (code !== undefined) {
  const run = { argv: ['/bin/bash', '-c', code], cwd: '/', timeout: 30_000, outputLimit: 10_000 }
  const end = await environments.run(id, run)
  process.stdout.write(`${Buffer.from(end.stdout)}\n`)
  process.exit(0)
}
// A half-made environment, as a runtime leaves it that is killed while it fetches sources.
mkdirSync(join(directory, 'state/environments/env_half/root/workspace'), { recursive: true })
const signal = new AbortController().signal
await environments.tool(id, 'code_execution', { code: '(setsid sleep 9876543 &) ; sleep 9876543 &' }, signal)
process.stdout.write(`${id}\n`)
await environments.run(id, { argv: ['sleep', '9876543'], cwd: '/', timeout: 600_000, outputLimit: 1 })
