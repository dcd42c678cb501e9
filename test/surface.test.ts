/** The advice at a session's start: what MCP servers were measured at by the proxy is told once, in the host's own form. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { type Served, servedIn, surfaceAdvice, tokensOfTools } from '../src/containment/surface.ts'
import type { Json } from '../src/core/call.ts'
import { type Offered, Surface } from '../src/mcp/surface.ts'

const ROOT = realpathSync(mkdtempSync(join(tmpdir(), 'surface-')))
after(() => rmSync(ROOT, { recursive: true, force: true }))
const PROGRAM = new URL('../bin/sallyport.js', import.meta.url).pathname
const LAB = new URL('mcp-lab.ts', import.meta.url).pathname
const project = join(ROOT, 'proj')
const env = { PATH: process.env['PATH'] ?? '', HOME: ROOT, XDG_STATE_HOME: join(ROOT, 'state') }
const state = join(ROOT, 'state/sallyport')
mkdirSync(project)

const served = (name: string, tokens: number, more: Partial<Served> = {}): Served => ({
  ...{ name, tools: 3, tokens, cwd: project, at: Date.now() },
  ...more,
})

function lay(host: string, ...rows: readonly Served[]): void {
  const dir = join(state, 'hosts', `${host}.surface`)
  mkdirSync(dir, { recursive: true, mode: 0o700 })
  for (const [i, row] of rows.entries()) writeFileSync(join(dir, `${i}.json`), JSON.stringify({ v: 1, ...row }))
}

const hook = (host: string, event: string, payload: object): string => {
  const argv = [PROGRAM, 'hook', host, event]
  const run = spawnSync(process.execPath, argv, { env, cwd: project, input: JSON.stringify(payload), encoding: 'utf8' })
  assert.equal(run.status, 0, run.stderr)
  return run.stdout
}

const start = (cwd: string, source = 'startup') => ({
  ...{ session_id: 's', transcript_path: '/t', cwd, hook_event_name: 'SessionStart', source },
})
const invocation = (invocationNum: number) => ({ conversationId: 'c', workspacePaths: [project], invocationNum })

describe('the advice', () => {
  it('speaks beyond 8,000 tokens, names the largest servers and counts the rest', () => {
    assert.equal(surfaceAdvice([]), undefined)
    assert.equal(surfaceAdvice([served('a', 8_000)]), undefined)
    assert.match(
      surfaceAdvice([served('a', 8_001, { tools: 1 })])!,
      /an MCP server take ≈8,001 .*a ≈8,001 \(1 tool\)\./,
    )
    const many = ['a', 'b', 'c', 'd', 'e'].map((name, i) => served(name, 9_000 - i))
    assert.match(surfaceAdvice(many)!, /5 MCP servers take ≈44,990 .*a ≈9,000 \(3 tools\), b .*, c .* and 2 more\./)
  })

  it('counts what a model is given of a tool', () => {
    const tool = { name: 'x', description: 'word '.repeat(100), inputSchema: { type: 'object' } }
    const one = tokensOfTools([tool])
    assert.ok(one > 90 && one < 150, String(one))
    assert.equal(tokensOfTools([tool, tool]), 2 * one)
    assert.equal(tokensOfTools([{ ...tool, outputSchema: { big: 'word '.repeat(500) } }]), one)
    assert.equal(tokensOfTools([null, 3, []]), 0)
  })
})

describe('a list of tools that passes', () => {
  const pass = (...messages: readonly (readonly ['host' | 'server', Json])[]): readonly Offered[] => {
    const seen: Offered[] = []
    const surface = new Surface((offered) => seen.push(offered))
    for (const [from, message] of messages) {
      if (from === 'host') surface.fromHost(message)
      else assert.equal(surface.fromServer(message), message)
    }
    return seen
  }
  const ask = (id: number, cursor?: string): Json => ({
    ...{ jsonrpc: '2.0', id, method: 'tools/list' },
    ...(cursor === undefined ? {} : { params: { cursor } }),
  })
  const give = (id: number, names: readonly string[], nextCursor?: string): Json => ({
    ...{ jsonrpc: '2.0', id },
    result: { tools: names.map((name) => ({ name })), ...(nextCursor === undefined ? {} : { nextCursor }) },
  })
  const names = (seen: readonly Offered[]) =>
    seen.map(({ tools }) => tools.map((tool) => (tool as { name: string }).name))

  it('is told when its last page has passed, and anew from its first', () => {
    const pages = [
      ['host', ask(1)],
      ['server', give(1, ['a'], 'p2')],
      ['host', ask(2, 'p2')],
      ['server', give(2, ['b'])],
    ] as const
    assert.deepEqual(names(pass(...pages)), [['a', 'b']])
    assert.deepEqual(names(pass(...pages, ['host', ask(3)], ['server', give(3, ['c'])])), [['a', 'b'], ['c']])
    assert.deepEqual(pass(['host', ask(1)], ['server', give(1, ['a'], 'p2')]), [])
  })

  it('knows who speaks, also in batches, and is not misled by what nobody asked for', () => {
    const hello = { jsonrpc: '2.0', id: 0, method: 'initialize', params: { clientInfo: { name: 'claude-code' } } }
    const back = { jsonrpc: '2.0', id: 0, result: { serverInfo: { name: 'lab' } } }
    const [seen] = pass(['host', [hello, ask(1)]], ['server', [back, give(1, ['a'])]])
    assert.deepEqual([seen?.client, seen?.server], ['claude-code', 'lab'])
    assert.deepEqual(
      pass(['server', give(1, ['a'])], ['host', ask(2)], ['server', { jsonrpc: '2.0', id: 2, error: {} }]),
      [],
    )
  })
})

describe('a session that starts', () => {
  beforeEach(() => rmSync(state, { recursive: true, force: true }))

  it('is told what the proxy measured, where the host calls itself by a name we know', async () => {
    const client = new Client({ name: 'claude-code', version: '2.0.0' })
    const args = [PROGRAM, 'mcp', 'proxy', '--', process.execPath, LAB]
    await client.connect(new StdioClientTransport({ command: process.execPath, args, env, cwd: project }))
    const { tools } = await client.listTools()
    await client.close()
    const [row] = servedIn(env, ROOT, 'claude', project, Date.now())
    assert.deepEqual(
      [row?.name, row?.tools, row?.tokens],
      ['lab', tools.length, tokensOfTools(tools as unknown as Json[])],
    )
  })

  it('hears it in the form of its host, and the words are booked against us', () => {
    for (const host of ['claude', 'codex', 'antigravity']) lay(host, served('github', 9_100))
    for (const host of ['claude', 'codex']) {
      const { hookSpecificOutput: said } = JSON.parse(hook(host, 'SessionStart', start(project)))
      assert.deepEqual(Object.keys(said), ['hookEventName', 'additionalContext'])
      assert.match(said.additionalContext, /^\[ctx\] The tools of an MCP server take ≈9,100 tokens .*github/)
    }
    const { injectSteps } = JSON.parse(hook('antigravity', 'PreInvocation', invocation(0)))
    assert.deepEqual(Object.keys(injectSteps[0]), ['ephemeralMessage'])
    const rows = readFileSync(join(state, 'ledger.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line))
    assert.deepEqual(
      rows.map(({ method, raw, overhead }) => [method, raw, overhead > 100]),
      Array(3).fill(['overhead', 0, true]),
    )
  })

  it('hears nothing else', () => {
    const silent = (host: string, event: string, payload: object) => hook(host, event, payload).trim().replace('{}', '')
    lay('claude', served('a', 7_000), served('b', 900))
    assert.equal(silent('claude', 'SessionStart', start(project)), '', 'small')
    lay('claude', served('a', 9_000, { cwd: ROOT }), served('b', 9_000, { at: Date.now() - 8 * 24 * 3600 * 1000 }))
    assert.equal(silent('claude', 'SessionStart', start(project)), '', 'of another project, or long ago')
    lay('claude', served('a', 9_000))
    lay('antigravity', served('a', 9_000))
    assert.equal(silent('claude', 'SessionStart', start(project, 'resume')), '', 'told before')
    assert.equal(silent('claude', 'SessionStart', start(join(ROOT, 'gone'))), '', 'no directory')
    assert.equal(silent('claude', 'SessionEnd', { ...start(project), hook_event_name: 'SessionEnd' }), '')
    assert.equal(silent('antigravity', 'PreInvocation', invocation(1)), '', 'later calls of the model')
    assert.equal(silent('antigravity', 'PreInvocation', { ...invocation(0), workspacePaths: [] }), '')
    const dir = join(state, 'hosts/claude.surface')
    for (const name of readdirSync(dir)) writeFileSync(join(dir, name), '{"tokens": 1e9')
    assert.equal(silent('claude', 'SessionStart', start(project)), '', 'damaged')
    mkdirSync(join(ROOT, '.config/sallyport'), { recursive: true })
    writeFileSync(join(ROOT, '.config/sallyport/policy.jsonc'), '{"profile":"observe"}')
    lay('claude', served('a', 9_000))
    assert.equal(silent('claude', 'SessionStart', start(project)), '', 'one that only observes')
    rmSync(join(ROOT, '.config'), { recursive: true })
  })
})
