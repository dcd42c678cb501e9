/** Another product's way: the same outputs through the `ctx_execute` of context-mode, with and without an intent. */
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Arm } from './digest-arms.ts'
import type { Corpus } from './second/kit.ts'
import { installed } from './tokenizer.ts'

const WAIT = 20_000
const INTENT = 'errors, failures, warnings and anything unusual'

/** One arm each way; none where the package cannot be had or does not answer. */
export async function contextMode(place: string, corpora: readonly Corpus[]): Promise<Readonly<Record<string, Arm>>> {
  if (!installed(place, 'context-mode')) return {}
  const scratch = mkdtempSync(join(tmpdir(), 'bench-peer-'))
  const server = join(place, 'node_modules/context-mode/server.bundle.mjs')
  const child = spawn(process.execPath, [server], {
    cwd: scratch,
    env: { ...process.env, HOME: scratch },
    stdio: ['pipe', 'pipe', 'ignore'],
    // A group of its own, so that what it starts ends with it.
    detached: true,
  })
  try {
    const call = calls(child.stdin, child.stdout)
    await call('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    })
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' })}\n`)
    const plain = new Map<string, string>()
    const asked = new Map<string, string>()
    for (const corpus of corpora) {
      const file = join(scratch, corpus.id)
      writeFileSync(file, corpus.text)
      const code = `cat '${file}'; exit ${corpus.exit}`
      plain.set(corpus.id, await execute(call, { language: 'shell', code }))
      asked.set(corpus.id, await execute(call, { language: 'shell', code, intent: INTENT }))
    }
    const arm =
      (texts: ReadonlyMap<string, string>): Arm =>
      ({ id }) => ({ text: texts.get(id) ?? '' })
    return { 'context-mode': arm(plain), 'context-mode, with intent': arm(asked) }
  } catch (error) {
    process.stdout.write(`context-mode did not run: ${error instanceof Error ? error.message : String(error)}\n`)
    return {}
  } finally {
    try {
      process.kill(-child.pid!, 'SIGKILL')
    } catch {
      // It has ended by itself.
    }
    rmSync(scratch, { recursive: true, force: true })
  }
}

type Call = (method: string, params: object) => Promise<Reply>
interface Reply {
  readonly result?: { readonly content?: readonly { readonly text?: string }[] }
}

async function execute(call: Call, args: object): Promise<string> {
  const { result } = await call('tools/call', { name: 'ctx_execute', arguments: args })
  // The echo of the command is not the output's.
  return (result?.content ?? [])
    .map(({ text = '' }) => text)
    .join('\n')
    .replace(/^```shell\n[\s\S]*?\n```\n+/, '')
}

function calls(input: NodeJS.WritableStream, output: NodeJS.ReadableStream): Call {
  const waiting = new Map<number, (reply: Reply) => void>()
  let rest = ''
  output.on('data', (chunk) => {
    rest += String(chunk)
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!line.startsWith('{')) continue
      const reply = JSON.parse(line) as Reply & { id?: number }
      if (reply.id !== undefined) waiting.get(reply.id)?.(reply)
    }
  })
  let id = 0
  return (method, params) =>
    new Promise((resolve, reject) => {
      const own = ++id
      const timer = setTimeout(() => reject(new Error(`no answer to ${method}`)), WAIT)
      waiting.set(own, (reply) => {
        clearTimeout(timer)
        waiting.delete(own)
        resolve(reply)
      })
      input.write(`${JSON.stringify({ jsonrpc: '2.0', id: own, method, params })}\n`)
    })
}
