/** The gate behind a run, through the hook's core and a store of its own: what each host is told in which shape, and what is kept. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, beforeEach, describe, it } from 'node:test'
import { gatesOf } from '../src/cli/hook/gates.ts'
import { parseAddress } from '../src/containment/address.ts'
import type { LedgerRow } from '../src/containment/ledger/row.ts'
import { openStore } from '../src/containment/store/store.ts'
import type { Env } from '../src/containment/store/types.ts'
import { depsOf, PROJECT, respondTo, saying } from './hook-support.ts'

const root = mkdtempSync(join(tmpdir(), 'after-'))
after(() => rmSync(root, { recursive: true, force: true }))
let home = ''
let count = 0
beforeEach(() => {
  home = join(root, `home-${count++}`)
})

interface Case {
  readonly tool?: string
  readonly input?: object
  readonly response: unknown
  readonly more?: object
}

const MODEL = { model: 'gpt-5.5' }
const payloadOf = (
  host: string,
  { tool = 'Bash', input = { command: './flood' }, response, more = {} }: Case,
): object =>
  host === 'antigravity'
    ? {
        conversationId: 'c',
        stepIdx: 1,
        workspacePaths: [PROJECT],
        toolCall: { name: tool, args: input },
        error: '',
        ...more,
      }
    : {
        ...{
          session_id: 's',
          cwd: PROJECT,
          permission_mode: 'default',
          hook_event_name: 'PostToolUse',
          tool_name: tool,
        },
        ...{ tool_input: input, tool_response: response, ...(host === 'codex' ? MODEL : {}), ...more },
      }

/** What the host is told. */
function told(host: string, one: Case, env: Env = { HOME: home }): string {
  const deps = depsOf(saying({ decision: 'pass', reason: '' }), { gates: gatesOf(env, env['HOME'] ?? '') })
  const row = { name: '', event: 'PostToolUse', payload: payloadOf(host, one) }
  return respondTo(host, row, deps).stdout
}

/** What Claude Code is to show in place of the result. */
const shown = (one: Case, env?: Env): never => {
  const { hookSpecificOutput: output, ...rest } = JSON.parse(told('claude', one, env))
  assert.deepEqual(rest, {})
  const { hookEventName, updatedToolOutput, ...others } = output
  assert.equal(hookEventName, 'PostToolUse')
  assert.deepEqual(others, {})
  return updatedToolOutput as never
}

function bytesAt(address: string): string {
  const parsed = parseAddress(address)
  assert.ok(!('refused' in parsed))
  const bytes = openStore({ env: { HOME: home }, home }).bytesOf(parsed.handle)
  assert.ok('size' in bytes, JSON.stringify(bytes))
  return Buffer.from(bytes.read(0, bytes.size)).toString()
}

const ledger = (): readonly LedgerRow[] => {
  const file = join(home, '.local/state/sallyport/ledger.jsonl')
  return existsSync(file)
    ? readFileSync(file, 'utf8')
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line))
    : []
}

const handleIn = (text: string): string => {
  const handle = /^\[ctx [^\n]*\| ((?:run|blob):[0-9a-f]{12}) \|/.exec(text)?.[1]
  assert.ok(handle, text.slice(0, 300))
  return handle
}

const lines = (n: number): string => Array.from({ length: n }, (_, at) => `line ${at + 1}`).join('\n')
const FLOOD = lines(6000)
const bash = (stdout: string, more: object = {}) => ({
  stdout,
  stderr: '',
  interrupted: false,
  isImage: false,
  ...more,
})

describe('results of Claude Code', () => {
  it('containment 14: 16,384 bytes stay, one more is replaced', () => {
    assert.equal(told('claude', { tool: 'mcp__lab__x', response: 'x'.repeat(16_384) }), '')
    assert.equal(typeof shown({ tool: 'mcp__lab__x', response: 'x'.repeat(16_385) }), 'string')
    assert.equal(told('claude', { tool: 'mcp__lab__x', response: 'ü'.repeat(8192) }), '')
    assert.equal(typeof shown({ tool: 'mcp__lab__x', response: 'ü'.repeat(8193) }), 'string')
  })

  it('containment 15: a command keeps its keys, and all of it is kept', () => {
    const output = shown({ response: bash(FLOOD, { noOutputExpected: false }) }) as Record<string, unknown>
    assert.deepEqual(
      { ...output, stdout: '' },
      { stdout: '', stderr: '', interrupted: false, isImage: false, noOutputExpected: false },
    )
    const text = String(output['stdout'])
    assert.match(text, /^\[ctx exit 0 \|/)
    assert.equal(bytesAt(handleIn(text)), FLOOD)
    const [row] = ledger()
    assert.equal(row?.method, 'replace')
    assert.equal(row?.raw, FLOOD.length)
    assert.ok(row.delivered < 4000 && row.host === 'claude')
  })

  it('both streams count, and an interrupted command is not said to have ended well', () => {
    const output = shown({ response: bash(lines(1200), { stderr: lines(1200), interrupted: true }) }) as {
      stdout: string
      interrupted: boolean
    }
    assert.equal(output.interrupted, true)
    assert.doesNotMatch(output.stdout, /exit 0/)
    assert.equal(bytesAt(handleIn(output.stdout)), `${lines(1200)}\n${lines(1200)}`)
  })

  it('a code that is no failure to the host is not taken for 0', () => {
    const output = shown({ response: bash(FLOOD, { returnCodeInterpretation: 'Files differ' }) }) as { stdout: string }
    assert.doesNotMatch(output.stdout, /exit 0/)
  })

  it('containment 16: an envelope stays one, and what it held is kept', () => {
    const response = {
      content: [{ type: 'text', text: FLOOD }],
      isError: true,
      structuredContent: { a: FLOOD },
      _meta: { b: 1 },
    }
    const output = shown({ tool: 'mcp__lab__x', response }) as { content: { text: string }[] }
    assert.deepEqual(
      { ...output, content: [] },
      { content: [], isError: true, structuredContent: { ctxContained: true }, _meta: { ctxContained: true } },
    )
    const { text } = output.content[0]!
    assert.doesNotMatch(text, /exit 0/)
    assert.equal(bytesAt(handleIn(text)), FLOOD)
    assert.deepEqual(JSON.parse(bytesAt(/as JSON: (blob:[0-9a-f]{12})/.exec(text)![1]!)), response)
  })

  it('a list of texts becomes one block', () => {
    const half = lines(1200)
    const output = shown({ tool: 'mcp__lab__x', response: [half, half].map((text) => ({ type: 'text', text })) }) as {
      text: string
    }[]
    assert.equal(output.length, 1)
    assert.equal(bytesAt(handleIn(output[0]!.text)), `${half}\n${half}`)
  })

  it('containment 17: an image stays beside the digest, and is kept with the whole', () => {
    const image = { type: 'image', source: { type: 'base64', data: 'QUJD' } }
    const response = [{ type: 'text', text: FLOOD }, image]
    const output = shown({ tool: 'mcp__lab__x', response }) as [{ text: string }, unknown]
    assert.deepEqual(output[1], image)
    assert.deepEqual(JSON.parse(bytesAt(/as JSON: (blob:[0-9a-f]{12})/.exec(output[0].text)![1]!)), response)
  })

  it('a large image with a few words is kept, shown as it is, and booked as no saving', () => {
    const response = [
      { type: 'text', text: 'a screen' },
      { type: 'image', source: { type: 'base64', data: 'A'.repeat(60_000) } },
    ]
    assert.equal(told('claude', { tool: 'mcp__lab__x', response }), '')
    assert.equal(ledger().length, 1)
    assert.equal(ledger()[0]?.method, 'raw')
  })

  it('containment 18: what is ours stays', () => {
    const own: readonly Case[] = [
      { response: bash(`[ctx get run:x]\n${FLOOD}`) },
      { tool: 'mcp__lab__x', response: `densified: ${FLOOD}` },
      { tool: 'mcp__ctx__ctx', response: FLOOD },
      { tool: 'mcp__sallyport__ctx', response: FLOOD },
      { input: { command: 'ctx run --raw -- ./flood' }, response: bash(FLOOD) },
      { input: { command: '/usr/bin/node /opt/sallyport/bin/ctx.js get --raw run:123456' }, response: bash(FLOOD) },
    ]
    for (const one of own) assert.equal(told('claude', one), '')
    assert.equal(ledger().length, 0)
    // Where nothing could be kept, `run` passes all of it.
    assert.notEqual(told('claude', { input: { command: 'ctx run -- ./flood --raw' }, response: bash(FLOOD) }), '')
    // Another command beside ours is not ours.
    assert.notEqual(told('claude', { input: { command: 'ctx gain; ./flood' }, response: bash(FLOOD) }), '')
    assert.notEqual(told('claude', { tool: 'mcp__ctxother__x', response: FLOOD }), '')
  })

  it('containment 20: the same result twice is the same text', () => {
    const one = { response: bash(FLOOD) }
    assert.equal(told('claude', one), told('claude', one))
    assert.equal(ledger().length, 2)
  })

  it('containment 21: 50 MB are answered long before the host gives up', () => {
    const text = `${'a line of the flood, and more of it\n'.repeat(1_400_000)}the end\n`
    const began = performance.now()
    const output = shown({ response: bash(text) }) as { stdout: string }
    // The registered timeout of the event is 10 s.
    assert.ok(performance.now() - began < 9_000)
    assert.match(output.stdout, /1400001 lines, 50400008 bytes/)
    assert.ok(output.stdout.length < 4000)
    assert.equal(bytesAt(handleIn(output.stdout)).length, text.length)
  })

  it('shapes that are not known stay, kept and booked as they were', () => {
    const file = { filePath: '/x', content: FLOOD, numLines: 6000, startLine: 1, totalLines: 6000 }
    for (const response of [{ type: 'text', file }, { result: FLOOD }, [{ a: FLOOD }]])
      assert.equal(told('claude', { tool: 'Read', input: { file_path: '/x' }, response }), '')
    assert.deepEqual(
      ledger().map(({ method }) => method),
      ['raw', 'raw', 'raw'],
    )
    for (const { raw, host_cap, delivered } of ledger()) assert.equal(delivered, Math.min(raw, host_cap.bytes))
  })

  it('a change says little, whatever its result holds: nothing of it is kept', () => {
    const response = { filePath: '/x', content: FLOOD, originalFile: FLOOD, structuredPatch: [] }
    for (const tool of ['Write', 'Edit'])
      assert.equal(told('claude', { tool, input: { file_path: '/x', content: FLOOD }, response }), '')
    assert.deepEqual(ledger(), [])
  })

  it('an image that a command printed stays', () => {
    assert.equal(told('claude', { response: bash('A'.repeat(60_000), { isImage: true }) }), '')
  })

  it('what the host cut is taken from the file in which it keeps the whole', () => {
    const path = join(root, 'kept.txt')
    writeFileSync(path, FLOOD)
    const cut = (over: object) =>
      shown({
        response: bash(FLOOD.slice(0, 30_000), {
          persistedOutputPath: path,
          persistedOutputSize: FLOOD.length,
          ...over,
        }),
      }) as { stdout: string }
    assert.equal(bytesAt(handleIn(cut({}).stdout)), FLOOD)
    // Another file than the payload says is not read.
    const link = join(root, 'link.txt')
    symlinkSync(path, link)
    const strange = [
      { persistedOutputSize: FLOOD.length + 1 },
      { persistedOutputPath: '/nonexistent' },
      { persistedOutputPath: link },
    ]
    for (const over of strange) assert.equal(bytesAt(handleIn(cut(over).stdout)), FLOOD.slice(0, 30_000))
    writeFileSync(path, FLOOD.replace('line 1', 'LINE 1'))
    assert.equal(bytesAt(handleIn(cut({}).stdout)), FLOOD.slice(0, 30_000))
  })

  it('secrets are masked, in the command line as well', () => {
    const key = 'ghp_0123456789abcdefghijABCDEFGHIJ456789'
    const output = shown({
      input: { command: `./flood --token ${key}` },
      response: bash(`${FLOOD}\ntoken: ${key}`),
    }) as { stdout: string }
    assert.doesNotMatch(output.stdout, /ghp_/)
    assert.match(output.stdout, /\[ctx:redacted:github-token:/)
  })

  it('containment 19: where nothing can be kept the result is short all the same, and says so', () => {
    const no = join(root, 'no-directory')
    writeFileSync(no, '')
    const output = shown({ response: bash(FLOOD) }, { HOME: no, XDG_RUNTIME_DIR: no }) as { stdout: string }
    assert.ok(output.stdout.length < 4000)
    assert.match(output.stdout, /^\[ctx /)
    assert.match(output.stdout, /\[ctx nothing of this is kept/)
    assert.doesNotMatch(output.stdout, /ctx get/)
  })
})

describe('results of Codex', () => {
  it('containment 25: a text is replaced by the reason of a stop; a structured result stays, kept and booked', () => {
    const { continue: goesOn, stopReason, ...rest } = JSON.parse(told('codex', { response: FLOOD }))
    assert.equal(goesOn, false)
    assert.deepEqual(rest, {})
    assert.equal(bytesAt(handleIn(stopReason)), FLOOD)
    assert.doesNotMatch(stopReason, /exit 0/)
    assert.equal(told('codex', { tool: 'mcp__lab__x', response: { content: [{ type: 'text', text: FLOOD }] } }), '')
    assert.deepEqual(
      ledger().map(({ method }) => method),
      ['replace', 'raw'],
    )
  })

  it('inside code mode nothing can be replaced', () => {
    assert.equal(told('codex', { response: FLOOD, more: { model: 'gpt-5.6-sol' } }), '')
    assert.deepEqual(
      ledger().map(({ method }) => method),
      ['raw'],
    )
  })
})

describe('results of Antigravity', () => {
  it('containment 30, 33: always an empty object; what a runner hands over is kept and booked as it was', () => {
    for (const more of [{}, { result: FLOOD }, { tool_response: { content: [{ type: 'text', text: FLOOD }] } }])
      assert.equal(
        told('antigravity', { tool: 'run_command', input: { CommandLine: 'x' }, response: undefined, more }),
        '{}\n',
      )
    assert.deepEqual(
      ledger().map(({ method }) => method),
      ['raw', 'raw'],
    )
    assert.equal(ledger()[0]?.delivered, Math.min(FLOOD.length, ledger()[0]!.host_cap.bytes))
  })
})
