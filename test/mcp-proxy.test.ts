/** The proxy between a host and a server, both as their own library speaks: what floods is bounded, all else passes. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { CreateMessageRequestSchema, LoggingMessageNotificationSchema } from '@modelcontextprotocol/sdk/types.js'

const PROGRAM = new URL('../bin/sallyport.js', import.meta.url).pathname
const LAB = new URL('mcp-lab.ts', import.meta.url).pathname
const HOME = mkdtempSync(join(tmpdir(), 'proxy-'))
const env = { PATH: process.env['PATH'] ?? '', HOME, XDG_STATE_HOME: join(HOME, 'state') }
after(() => rmSync(HOME, { recursive: true, force: true }))

/** The text of a stored address, unbounded. */
const stored = (address: string): string => {
  const run = spawnSync(process.execPath, [PROGRAM, 'get', '--raw', address], { env, encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  return run.stdout
}

interface Result {
  readonly content: readonly { readonly type: string; readonly text?: string }[]
  readonly isError?: boolean
  readonly structuredContent?: Readonly<Record<string, unknown>>
  readonly _meta?: unknown
}

async function connect(args: readonly string[]): Promise<Client> {
  const client = new Client({ name: 'host', version: '1.0.0' }, { capabilities: { sampling: {} } })
  client.setRequestHandler(CreateMessageRequestSchema, async ({ params }) => {
    const { content } = params.messages[0]!
    return { model: 'm', role: 'assistant', content: { type: 'text', text: `echo ${JSON.stringify(content)}` } }
  })
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [PROGRAM, 'mcp', 'proxy', ...args],
    env,
  })
  await client.connect(transport)
  return client
}

const http = spawn(process.execPath, [LAB, '--http'], { stdio: ['ignore', 'pipe', 'inherit'] })
const address = new Promise<string>((resolve) => createInterface({ input: http.stdout }).once('line', resolve))
after(() => http.kill())

const ways: readonly (readonly [string, () => Promise<readonly string[]>])[] = [
  ['a program', async () => ['--', process.execPath, LAB]],
  ['an address', async () => ['--url', await address, '--header', 'Authorization: Bearer lab']],
]

for (const [way, args] of ways)
  describe(`the proxy in front of ${way}`, () => {
    let client: Client
    const call = async (name: string): Promise<Result> =>
      (await client.callTool({ name, arguments: { a: 1 } })) as unknown as Result
    before(async () => {
      client = await connect(await args())
      await client.listTools()
    })
    after(() => client.close())

    it('small results pass as they are, and what the host knows of the server is the server’s', async () => {
      assert.equal(client.getServerVersion()?.name, 'lab')
      assert.deepEqual(await call('small'), { content: [{ type: 'text', text: 'small: {"a":1}' }] })
    })

    it('a flood becomes a digest whose address leads to all of it', async () => {
      const { content } = await call('flood')
      assert.equal(content.length, 1)
      const text = content[0]!.text!
      assert.ok(text.length < 4000 && text.includes('the odd one out'))
      const handle = /\| (blob:[0-9a-f]{12}) \|/.exec(text)?.[1]
      assert.equal(stored(handle!).split('\n').length, 3000)
      assert.deepEqual(await call('flood'), { content })
    })

    it('an error stays one, and the rest of the result is kept', async () => {
      const { content, isError, _meta } = await call('fail')
      assert.equal(isError, true)
      assert.deepEqual(_meta, { ctxContained: true })
      const beside = /as JSON: (blob:[0-9a-f]{12})\]/.exec(content[0]!.text!)?.[1]
      const all = JSON.parse(stored(beside!)) as Result
      assert.equal(all.isError, true)
      assert.deepEqual(all._meta, { trace: 'x'.repeat(100) })
    })

    it('images stay beside the digest', async () => {
      const { content } = await call('mixed')
      assert.deepEqual(
        content.map(({ type }) => type),
        ['text', 'image'],
      )
      assert.ok(content[0]!.text!.length < 4000)
    })

    it('structured content stays what the tool’s schema allows: the host’s library checks it', async () => {
      const { content, structuredContent } = await call('rows')
      assert.ok(content[0]!.text!.length < 4000)
      const { total, rows } = structuredContent as { readonly total: number; readonly rows: readonly unknown[] }
      assert.equal(total, 3000)
      assert.deepEqual(rows[0], { id: 0, name: 'name 0' })
      assert.ok(JSON.stringify(structuredContent).length < 16_384)
      const bare = await call('bare')
      assert.deepEqual(bare.structuredContent, { ctxContained: true })
      assert.match(bare.content[0]!.text!, /^\[ctx /)
    })

    it('resources are bounded, each by itself', async () => {
      const { contents } = await client.readResource({ uri: 'lab://log' })
      const [log, note] = contents as { readonly text?: string }[]
      assert.match(log?.text ?? '', /^\[ctx /)
      assert.equal(note?.text, 'short')
    })

    it('the server asks the host, and gets its answer', async () => {
      const { content } = await call('ask')
      assert.match(content[0]!.text!, /the host said .*what is it\?/)
    })

    it('progress and cancellation pass', async () => {
      const seen: number[] = []
      await client.callTool({ name: 'progress', arguments: {} }, undefined, {
        onprogress: ({ progress }) => void seen.push(progress),
      })
      assert.deepEqual(seen, [1, 2, 3])
      const told = new Promise((resolve) =>
        client.setNotificationHandler(LoggingMessageNotificationSchema, ({ params }) => resolve(params.data)),
      )
      const abort = new AbortController()
      const waiting = client.callTool({ name: 'wait', arguments: {} }, undefined, { signal: abort.signal })
      setTimeout(() => abort.abort(), 50)
      await assert.rejects(waiting)
      assert.equal(await told, 'the wait was cancelled')
    })

    it('errors of the protocol pass', async () => {
      await assert.rejects(client.request({ method: 'nobody/knows' }, CreateMessageRequestSchema as never), /-32601/)
    })
  })

describe('the proxy as a program', () => {
  const run = (args: readonly string[], input = '') =>
    spawnSync(process.execPath, [PROGRAM, 'mcp', 'proxy', ...args], { env, input, encoding: 'utf8', timeout: 20_000 })

  const bad: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no server', [], 2, /^sallyport mcp proxy: name the server/],
    ['two servers', ['--url', 'http://127.0.0.1:9/', '--', 'x'], 2, /two servers/],
    ['an address of another kind', ['--url', 'ftp://x/'], 2, /no address of HTTP/],
    ['a header that is none', ['--url', 'http://127.0.0.1:9/', '--header', 'x'], 2, /is no header/],
    ['a program that is not there', ['--', '/nonexistent/server'], 1, /cannot be started \(ENOENT\)/],
  ]
  for (const [name, args, status, sentence] of bad)
    it(name, () => {
      const { status: got, stderr, stdout } = run(args)
      assert.equal(got, status)
      assert.match(stderr, sentence)
      assert.equal(stderr.trimEnd().split('\n').length, 1)
      assert.equal(stdout, '')
    })

  it('a server that ends, ends it with 1', async () => {
    const child = spawn(process.execPath, [PROGRAM, 'mcp', 'proxy', '--', process.execPath, '-e', ''], { env })
    let said = ''
    child.stderr.on('data', (part) => {
      said += part
    })
    assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 1)
    assert.match(said, /the server has ended/)
  })

  it('a host that ends, ends the server and exits 0; lines that are no messages pass', () => {
    const echo = 'process.stdin.pipe(process.stdout)'
    const { status, stdout } = run(['--', process.execPath, '-e', echo], 'no message\n{"jsonrpc":"2.0","method":"x"}\n')
    assert.equal(status, 0)
    assert.equal(stdout, 'no message\n{"jsonrpc":"2.0","method":"x"}\n')
  })

  it('an address that nobody listens at is told to who asks', () => {
    const ask = '{"jsonrpc":"2.0","id":7,"method":"initialize","params":{}}\n'
    const { stdout } = run(['--url', 'http://127.0.0.1:9/'], ask)
    const { id, error } = JSON.parse(stdout)
    assert.equal(id, 7)
    assert.match(error.message, /cannot be reached/)
  })
})

it('what the proxy booked says so', () => {
  const rows = readFileSync(join(env.XDG_STATE_HOME, 'sallyport/ledger.jsonl'), 'utf8').trimEnd().split('\n')
  const proxied = rows.map((row) => JSON.parse(row)).filter(({ method }) => method === 'proxy')
  assert.ok(proxied.length > 0)
  for (const { raw, delivered } of proxied) assert.ok(raw > 16_384 && delivered < 5000)
})
