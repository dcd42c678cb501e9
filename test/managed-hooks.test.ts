/** Published cases of hooks with real processes: commands run in bubblewrap, without network, on a scratch tree. */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { openScratch, type ScratchFile } from '../src/cli/managed/scratch.ts'
import type { HookOptions, HookVerdict, HookWorld, ProgramEnd } from '../src/managed/contract.ts'
import { makeHooks } from '../src/managed/hooks/engine.ts'
import { need } from './need.ts'

const FILE = '/.agents/hooks.json'
const SCRIPT = '/.agents/hooks-scripts/gate.py'
const RUN = `python3 ${SCRIPT}`

/** The gate of the published example. */
const GATE = `#!/usr/bin/env python3
import sys, json
data = json.load(sys.stdin)
cmd = str(data.get("tool_call", {}).get("args", {}))
if "rm -rf" in cmd:
    print(json.dumps({"decision": "deny", "reason": "Destructive command blocked by security gate."}))
else:
    print(json.dumps({"decision": "allow"}))
`

interface Tried {
  readonly verdict: HookVerdict
  readonly ends: readonly ProgramEnd[]
  /** A file that a handler left. */
  left(path: string): string | undefined
}

const handler = (command: string, timeout?: number) => ({
  type: 'command',
  command,
  ...(timeout === undefined ? {} : { timeout }),
})

interface Setting {
  readonly handlers: readonly object[]
  readonly script?: string
  readonly args?: Readonly<Record<string, unknown>>
  readonly options?: HookOptions
  readonly event?: string
  readonly cancelAfter?: number
}

/** Runs the handlers on one call of `code_execution`, then hands what came of it to `check`. */
async function tried(setting: Setting, check: (tried: Tried) => void | Promise<void>): Promise<void> {
  const { handlers, script = GATE, args = { code: 'rm -rf /tmp/forbidden', language: 'bash' } } = setting
  const config = { 'security-gate': { [setting.event ?? 'pre_tool_execution']: [{ matcher: '*', hooks: handlers }] } }
  const files = new Map<string, ScratchFile>([
    [FILE, { bytes: Buffer.from(JSON.stringify(config)) }],
    [SCRIPT, { bytes: Buffer.from(script) }],
  ])
  const scratch = openScratch(files)
  const ends: ProgramEnd[] = []
  const world: HookWorld = {
    ...{ environment: 'env_xyz789', roots: ['/'], networkDisabled: false },
    files: {
      real: async (path) => (files.has(path) ? path : undefined),
      stamp: async () => 'fixed',
      read: async (path) => files.get(path)?.bytes,
    },
    run: async (run) => {
      const end = await scratch.run(run)
      ends.push(end)
      return end
    },
    request: async () => assert.fail('there is no http handler'),
  }
  try {
    const hooks = makeHooks(setting.options)
    const call = { name: 'code_execution', args }
    const cancel = new AbortController()
    if (setting.cancelAfter !== undefined) setTimeout(() => cancel.abort(new Error('cancelled')), setting.cancelAfter)
    const verdict =
      setting.event === 'post_tool_execution'
        ? await hooks.after(world, call, 'x', cancel.signal)
        : await hooks.before(world, call, cancel.signal)
    await check({
      verdict,
      ends,
      left(path) {
        const at = join(scratch.dir, path)
        return existsSync(at) ? readFileSync(at, 'utf8') : undefined
      },
    })
  } finally {
    scratch.close()
  }
}

/** Processes of this machine whose command line has this word. */
function processesWith(word: string): readonly string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && name !== String(process.pid))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').includes(word)
      } catch {
        return false
      }
    })
}

/** Whether a sandbox can be had; the test is skipped where it cannot. */
const sandboxed = (t: TestContext): boolean => need(t, 'bwrap') && need(t, 'python3')

const REASON = 'Destructive command blocked by security gate.'

test('1, 2: the published gate denies, and lets other calls run', async (t) => {
  if (!sandboxed(t)) return
  await tried({ handlers: [handler(RUN, 10)] }, ({ verdict }) => {
    assert.equal(verdict.decision, 'deny')
    assert.equal(verdict.reason, REASON)
    assert.deepEqual(verdict.warnings, [])
  })
  await tried({ handlers: [handler(RUN, 10)], args: { code: 'echo hi', language: 'bash' } }, ({ verdict }) => {
    assert.equal(verdict.decision, 'allow')
    assert.equal(verdict.trace[0]!.outcome, 'allow')
  })
})

test('3: standard input is one line of exactly the published JSON, then its end', async (t) => {
  if (!sandboxed(t)) return
  const event = {
    tool_call: { name: 'code_execution', args: { code: 'echo hi', language: 'bash' } },
    environment_id: 'env_xyz789',
  }
  const { args } = event.tool_call
  await tried({ handlers: [handler('cat > /workspace/stdin; pwd > /workspace/pwd')], args }, ({ left }) => {
    assert.equal(left('workspace/stdin'), `${JSON.stringify(event)}\n`)
    assert.equal(left('workspace/pwd'), '/\n')
  })
  await tried({ handlers: [handler('cat > /workspace/stdin')], args, event: 'post_tool_execution' }, ({ left }) => {
    assert.equal(left('workspace/stdin'), `${JSON.stringify({ ...event, error: 'x' })}\n`)
  })
})

const print = (text: string): string => `printf %s '${text}'`
const DENY = '{"decision":"deny","reason":"no"}'

/** What a handler does, the decision, and words of the warning. */
const PROCESSES: readonly (readonly [string, string, 'allow' | 'deny', string | undefined])[] = [
  ['4: a deny without reason', print('{"decision":"deny"}'), 'deny', undefined],
  ['5: a reason that is a number', print('{"decision":"deny","reason":42}'), 'deny', undefined],
  ['13: a valid deny, exit 1', `${print(DENY)}; exit 1`, 'allow', 'exit status 0'],
  ['14: exit 2', 'echo blocked >&2; exit 2', 'allow', 'exit 2 is no deny here'],
  ['15: a command that is not there', 'no-such-program', 'allow', 'not found'],
  ['15: a file that cannot be executed', FILE, 'allow', 'exit status 126'],
  ['16: a crash', `${print(DENY)}; kill -SEGV $$`, 'allow', '139'],
  ['20: nothing at all', ':', 'allow', undefined],
  ['22: a script that reads nothing', print(DENY), 'deny', undefined],
]

for (const [name, command, decision, warning] of PROCESSES)
  test(name, async (t) => {
    if (!sandboxed(t)) return
    await tried({ handlers: [handler(command)] }, ({ verdict }) => {
      assert.equal(verdict.decision, decision)
      const said = verdict.warnings.map(({ text }) => text).join('\n')
      if (warning === undefined) assert.equal(said, '')
      else assert.ok(said.includes(warning), said)
      if (name.startsWith('4') || name.startsWith('5'))
        assert.equal(verdict.reason, 'Tool call denied by hook "security-gate".')
    })
  })

/** A number that no other process has on its command line. */
const unlikely = (): string => `600.${Math.floor(Math.random() * 1e9)}${process.pid}`

test('17, 18: a timeout allows whatever was printed, and nothing goes on', async (t) => {
  if (!sandboxed(t)) return
  for (const before of ['', `${print(DENY)}; `]) {
    const time = unlikely()
    const from = performance.now()
    await tried({ handlers: [handler(`${before}sleep ${time}`, 1)] }, ({ verdict }) => {
      assert.equal(verdict.decision, 'allow')
      assert.match(verdict.warnings[0]!.text, /timeout of 1 s/)
      const ms = performance.now() - from
      assert.ok(ms >= 1_000 && ms < 20_000, `${ms} ms`)
      assert.deepEqual(processesWith(time), [])
    })
  }
})

test('21: five megabytes are cut, and what printed them is ended', async (t) => {
  if (!sandboxed(t)) return
  const command = `${print(DENY)}; head -c 5242880 /dev/zero; sleep 600`
  await tried({ handlers: [handler(command)] }, ({ verdict, ends }) => {
    assert.equal(verdict.decision, 'allow')
    assert.match(verdict.warnings[0]!.text, /more than 1048576 bytes/)
    assert.ok(ends[0]!.stdout.length <= 1 << 20)
  })
})

test('22: two megabytes of arguments, read or not', async (t) => {
  if (!sandboxed(t)) return
  const args = { code: 'x'.repeat(2 << 20), language: 'bash' }
  await tried({ handlers: [handler(print(DENY))], args }, ({ verdict }) => {
    assert.equal(verdict.decision, 'deny')
    assert.equal(verdict.reason, 'no')
  })
  await tried({ handlers: [handler('wc -c > /workspace/count')], args }, ({ left }) => {
    assert.ok(Number(left('workspace/count')) > 2 << 20)
  })
})

test('23: a child in the background that holds standard output does not outlive its handler', async (t) => {
  if (!sandboxed(t)) return
  const time = unlikely()
  await tried({ handlers: [handler(`sleep ${time} & ${print(DENY)}`, 5)] }, ({ verdict }) => {
    // The shell itself ended in time and with its answer.
    assert.equal(verdict.decision, 'deny')
    assert.deepEqual(processesWith(time), [])
  })
})

test('32, 33: handlers run in order, after a deny, too, unless stopOnDeny is set', async (t) => {
  if (!sandboxed(t)) return
  const mark = (letter: string) => `printf ${letter} >> /workspace/marks`
  const handlers = [handler(`${mark('a')}; ${print(DENY)}`), handler(mark('b')), handler(mark('c'))]
  await tried({ handlers }, ({ verdict, left }) => {
    assert.equal(verdict.decision, 'deny')
    assert.equal(left('workspace/marks'), 'abc')
  })
  await tried({ handlers, options: { stopOnDeny: true } }, ({ verdict, left }) => {
    assert.equal(verdict.decision, 'deny')
    assert.equal(left('workspace/marks'), 'a')
    assert.deepEqual(
      verdict.trace.map(({ outcome }) => outcome),
      ['deny', 'not-run', 'not-run'],
    )
  })
})

test('a cancelled call ends its handler at once', async (t) => {
  if (!sandboxed(t)) return
  const time = unlikely()
  const from = performance.now()
  await assert.rejects(
    tried({ handlers: [handler(`sleep ${time}`), handler(RUN)], cancelAfter: 300 }, () => assert.fail('it went on')),
    /cancelled/,
  )
  assert.ok(performance.now() - from < 20_000)
  assert.deepEqual(processesWith(time), [])
})
