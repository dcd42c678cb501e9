/**
 * A host that does what the contract of Claude Code says, as far as the probe asks for it, and breaks it in one point on
 * demand: settings, hooks, tools, print mode, sub-agents, an MCP server on stdio, and a model of the Messages API.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'

type Fields = Readonly<Record<string, unknown>>

/** Each breaks the contract in one point. */
export const FAULTS = [
  'deny-ignored',
  'deny-ignored-for-writes',
  'deny-ignored-for-edits',
  'deny-ignored-for-mcp',
  'deny-ignored-in-subagents',
  'deny-ignored-in-bypass',
  'deny-runs-first',
  'reason-dropped',
  'ask-is-allow',
  'ask-without-reason',
  'hook-skipped',
  'hook-skipped-for-writes',
  'hook-skipped-for-edits',
  'hook-skipped-for-mcp',
  'hook-skipped-in-subagents',
  'hook-skipped-in-bypass',
  'silence-is-deny',
  'first-hook-wins',
  'last-hook-wins',
  'crash-stays-open',
  'hang-stays-open',
  'hang-is-waited-for',
  'garbage-closes',
  'rewrite-dropped',
  'rewrite-allows',
  'replacement-ignored',
  'note-dropped',
  'post-hook-skipped',
] as const
export type Fault = (typeof FAULTS)[number] | 'none'

interface Handler {
  readonly command: string
  readonly timeout: number
  readonly onFailure?: string
}

interface Ran {
  readonly failed?: string
  readonly output: Fields
}

/** Runs as the host; the words of the process are its arguments. */
export async function fakeHost(fault: Fault): Promise<void> {
  const words = process.argv.slice(2)
  if (words.includes('--version')) {
    process.stdout.write('2.1.332 (fake)\n')
    return
  }
  const home = process.env['HOME']!
  const settings = JSON.parse(readFileSync(join(home, '.claude', 'settings.json'), 'utf8')) as Fields
  const mcp = words.includes('--mcp-config') ? new Server(words[words.indexOf('--mcp-config') + 1]!) : undefined
  const allowed = words.includes('--allowedTools')
  const bypass = words.includes('--dangerously-skip-permissions')
  try {
    await new Session(fault, settings, { allowed, bypass }, mcp).talk('hi', false)
  } finally {
    mcp?.close()
  }
  process.stdout.write('{"result":"done"}\n')
}

class Session {
  private readonly fault: Fault
  private readonly hooks: Readonly<Record<string, readonly { readonly hooks: readonly Handler[] }[]>>
  private readonly mode: { readonly allowed: boolean; readonly bypass: boolean }
  private readonly mcp: Server | undefined

  constructor(fault: Fault, settings: Fields, mode: Session['mode'], mcp: Server | undefined) {
    this.fault = fault
    this.hooks = (settings['hooks'] ?? {}) as Session['hooks']
    this.mode = mode
    this.mcp = mcp
  }

  /** One conversation with the model, to its end. */
  async talk(prompt: string, inside: boolean): Promise<void> {
    const messages: Fields[] = [{ role: 'user', content: prompt }]
    for (;;) {
      const response = await fetch(`${process.env['ANTHROPIC_BASE_URL']}/v1/messages`, {
        method: 'POST',
        body: JSON.stringify({ model: 'fake', tools: [{ name: 'Bash' }], messages }),
      })
      const { content } = (await response.json()) as { content: Fields[] }
      messages.push({ role: 'assistant', content })
      const calls = content.filter((block) => block['type'] === 'tool_use')
      if (calls.length === 0) return
      const results: Fields[] = []
      for (const call of calls) results.push(...(await this.call(call, inside)))
      messages.push({ role: 'user', content: results })
    }
  }

  private async call(call: Fields, inside: boolean): Promise<readonly Fields[]> {
    const tool = String(call['name'])
    const input = call['input'] as Fields
    const answer = (text: string, failed: boolean): Fields => ({
      type: 'tool_result',
      tool_use_id: call['id'],
      content: [{ type: 'text', text }],
      is_error: failed,
    })
    const gate = await this.before(tool, input, String(call['id']), inside)
    if (gate.refused !== undefined) return [answer(gate.refused, true)]
    const result = await this.run(tool, gate.input)
    const after = await this.after(tool, gate.input, result.text, String(call['id']))
    const notes = after.notes.map((text) => ({ type: 'text', text }))
    return [answer(after.text, result.failed), ...notes]
  }

  /** The gate before a run: what the hooks say, and what the host itself asks of a person, of whom there is none. */
  private async before(
    tool: string,
    input: Fields,
    id: string,
    inside: boolean,
  ): Promise<{ readonly refused?: string; readonly input: Fields }> {
    const ran = this.isSkipped(tool, inside) ? [] : await this.all('PreToolUse', tool, { tool_input: input }, id)
    const closed = ran.find(({ failed }) => failed !== undefined)
    if (closed !== undefined) return { refused: `PreToolUse:${tool} hook error: ${closed.failed}`, input }
    const outputs = ran.map(({ output }) => output)
    const said = (decision: string) => outputs.find((output) => output['permissionDecision'] === decision)
    const counted =
      this.fault === 'first-hook-wins'
        ? outputs.slice(-1)
        : this.fault === 'last-hook-wins'
          ? outputs.slice(1)
          : outputs
    const deny = counted.includes(said('deny')!) ? said('deny') : undefined
    if (this.fault === 'silence-is-deny' && outputs.some((output) => Object.keys(output).length === 0))
      return { refused: 'hook error: no decision', input }
    if (deny !== undefined && !this.isIgnored(tool, inside)) {
      if (this.fault === 'deny-runs-first') await this.run(tool, input)
      const reason = this.fault === 'reason-dropped' ? 'Blocked by hook' : String(deny['permissionDecisionReason'])
      return { refused: `PreToolUse:${tool} hook error: ${reason}`, input }
    }
    const ask = said('ask')
    if (ask !== undefined && this.fault !== 'ask-is-allow')
      return {
        refused: this.fault === 'ask-without-reason' ? 'approval denied' : String(ask['permissionDecisionReason']),
        input,
      }
    const rewritten = outputs.findLast((output) => output['updatedInput'] !== undefined)
    const grants = this.fault === 'rewrite-allows' && rewritten !== undefined
    if (!this.mode.allowed && !this.mode.bypass && !grants && tool !== 'Read')
      return { refused: 'This needs approval', input }
    if (rewritten === undefined || this.fault === 'rewrite-dropped') return { input }
    return { input: rewritten['updatedInput'] as Fields }
  }

  private isSkipped(tool: string, inside: boolean): boolean {
    const { fault } = this
    return (
      fault === 'hook-skipped' ||
      (fault === 'hook-skipped-for-writes' && tool === 'Write') ||
      (fault === 'hook-skipped-for-edits' && tool === 'Edit') ||
      (fault === 'hook-skipped-for-mcp' && tool.startsWith('mcp__')) ||
      (fault === 'hook-skipped-in-subagents' && inside) ||
      (fault === 'hook-skipped-in-bypass' && this.mode.bypass)
    )
  }

  private isIgnored(tool: string, inside: boolean): boolean {
    const { fault } = this
    return (
      fault === 'deny-ignored' ||
      (fault === 'deny-ignored-for-writes' && tool === 'Write') ||
      (fault === 'deny-ignored-for-edits' && tool === 'Edit') ||
      (fault === 'deny-ignored-for-mcp' && tool.startsWith('mcp__')) ||
      (fault === 'deny-ignored-in-subagents' && inside) ||
      (fault === 'deny-ignored-in-bypass' && this.mode.bypass)
    )
  }

  private async after(
    tool: string,
    input: Fields,
    text: string,
    id: string,
  ): Promise<{ readonly text: string; readonly notes: readonly string[] }> {
    if (this.fault === 'post-hook-skipped') return { text, notes: [] }
    const tool_response = tool === 'Bash' ? { stdout: text, stderr: '', interrupted: false, isImage: false } : text
    const ran = await this.all('PostToolUse', tool, { tool_input: input, tool_response }, id)
    const outputs = ran.map(({ output }) => output)
    const put = outputs.findLast((output) => output['updatedToolOutput'] !== undefined)?.['updatedToolOutput']
    const stdout = typeof put === 'object' && put !== null ? (put as Fields)['stdout'] : undefined
    const notes = outputs.flatMap((output) =>
      typeof output['additionalContext'] === 'string' ? [output['additionalContext']] : [],
    )
    return {
      text: typeof stdout === 'string' && this.fault !== 'replacement-ignored' ? stdout : text,
      notes: this.fault === 'note-dropped' ? [] : notes,
    }
  }

  private async all(event: string, tool: string, more: Fields, id: string): Promise<readonly Ran[]> {
    const payload = {
      session_id: 'fake',
      transcript_path: join(process.env['HOME']!, '.claude', 't.jsonl'),
      cwd: process.cwd(),
      permission_mode: this.mode.bypass ? 'bypassPermissions' : 'default',
      hook_event_name: event,
      tool_name: tool,
      tool_use_id: id,
      ...more,
    }
    const handlers = (this.hooks[event] ?? []).flatMap((group) => group.hooks)
    return Promise.all(handlers.map((handler) => this.hook(handler, JSON.stringify(payload))))
  }

  private async hook(handler: Handler, payload: string): Promise<Ran> {
    const wait = this.fault === 'hang-is-waited-for' ? 60_000 : handler.timeout * 1_000
    const ended = await started(handler.command, payload, wait)
    const closes = (fault: Fault) => handler.onFailure === 'block' && this.fault !== fault
    if (ended.late) return { output: {}, ...(closes('hang-stays-open') ? { failed: 'it took too long' } : {}) }
    if (ended.exit === 2) return { output: {}, failed: ended.stderr }
    if (ended.exit !== 0) return { output: {}, ...(closes('crash-stays-open') ? { failed: `exit ${ended.exit}` } : {}) }
    if (ended.stdout.trim() === '') return { output: {} }
    try {
      const { hookSpecificOutput } = JSON.parse(ended.stdout) as { hookSpecificOutput?: Fields }
      return { output: hookSpecificOutput ?? {} }
    } catch {
      return { output: {}, ...(this.fault === 'garbage-closes' ? { failed: 'no JSON' } : {}) }
    }
  }

  private async run(tool: string, input: Fields): Promise<{ readonly text: string; readonly failed: boolean }> {
    const text = (key: string) => String(input[key])
    switch (tool) {
      case 'Bash': {
        const { stdout, stderr, status } = spawnSync('/bin/bash', ['-c', text('command')], { encoding: 'utf8' })
        return { text: `${stdout}${stderr}`, failed: status !== 0 }
      }
      case 'Read':
        return { text: existsSync(text('file_path')) ? readFileSync(text('file_path'), 'utf8') : '', failed: false }
      case 'Write':
        writeFileSync(text('file_path'), text('content'))
        return { text: 'written', failed: false }
      case 'Edit': {
        const before = readFileSync(text('file_path'), 'utf8')
        writeFileSync(text('file_path'), before.replace(text('old_string'), text('new_string')))
        return { text: 'edited', failed: false }
      }
      case 'Agent':
        await this.talk(text('prompt'), true)
        return { text: 'done', failed: false }
      default:
        return { text: (await this.mcp?.call(tool.split('__').at(-1)!, input)) ?? 'no such tool', failed: false }
    }
  }
}

interface Ended {
  readonly exit: number | null
  readonly late: boolean
  readonly stdout: string
  readonly stderr: string
}

/** Runs the command of a hook; `wait` in milliseconds. */
function started(command: string, input: string, wait: number): Promise<Ended> {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], { detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
    const out = { stdout: '', stderr: '' }
    child.stdout.setEncoding('utf8').on('data', (text) => (out.stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (out.stderr += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const timer = setTimeout(() => {
      process.kill(-child.pid!, 'SIGKILL')
      resolve({ exit: null, late: true, ...out })
    }, wait)
    child.on('close', (exit) => {
      clearTimeout(timer)
      resolve({ exit, late: false, ...out })
    })
  })
}

/** An MCP server on stdio, as far as calling its tools goes. */
class Server {
  private readonly child
  private readonly waiting = new Map<number, (result: Fields) => void>()
  private count = 0

  constructor(config: string) {
    const { mcpServers } = JSON.parse(config) as {
      mcpServers: Record<string, { readonly command: string; readonly args: readonly string[] }>
    }
    const { command, args } = Object.values(mcpServers)[0]!
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
    createInterface({ input: this.child.stdout }).on('line', (line) => {
      const { id, result } = JSON.parse(line) as { id: number; result: Fields }
      this.waiting.get(id)?.(result)
    })
  }

  async call(name: string, input: Fields): Promise<string> {
    if (this.count === 0) await this.request('initialize', { protocolVersion: '2025-06-18', capabilities: {} })
    const result = await this.request('tools/call', { name, arguments: input })
    return (result['content'] as Fields[]).map((block) => String(block['text'])).join('\n')
  }

  private request(method: string, params: Fields): Promise<Fields> {
    const id = ++this.count
    return new Promise((resolve) => {
      this.waiting.set(id, resolve)
      this.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`)
    })
  }

  close(): void {
    this.child.kill('SIGKILL')
  }
}
