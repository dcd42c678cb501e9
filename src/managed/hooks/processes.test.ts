/** Published cases of hooks with real processes, real files and the tools of a real sandbox. */
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import { need } from '../../../test/need.ts'
import { hookWorldOf } from '../agent/hook-world.ts'
import type { HookOptions, HookPin, HookVerdict, ProgramEnd, SandboxTool } from '../contract.ts'
import { type Lab, lab } from '../sandbox/sandbox.testing.ts'
import { makeHooks } from './engine.ts'

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
const REASON = 'Destructive command blocked by security gate.'
const REMOVE = { code: 'rm -rf /tmp/forbidden', language: 'bash' }
const HELLO = { code: 'echo hi', language: 'bash' }

type Args = Readonly<Record<string, unknown>>

const handler = (command: string, timeout?: number) => ({
  type: 'command',
  command,
  ...(timeout === undefined ? {} : { timeout }),
})

const config = (handlers: readonly object[], event = 'pre_tool_execution', matcher = '*') =>
  JSON.stringify({ 'security-gate': { [event]: [{ matcher, hooks: handlers }] } })

/** One environment, and calls through its hooks. */
class Bench {
  readonly lab: Lab
  readonly id: string
  readonly ends: ProgramEnd[] = []
  hooks = makeHooks()
  pin: HookPin | undefined

  constructor(made: Lab, id: string) {
    this.lab = made
    this.id = id
  }

  async write(files: Readonly<Record<string, string>>): Promise<void> {
    const tree = await this.lab.environments.files(this.id)
    for (const [path, text] of Object.entries(files)) await tree.write(path, Buffer.from(text), true)
  }

  async read(path: string): Promise<string | undefined> {
    const bytes = await (await this.lab.environments.files(this.id)).read(path, 8 << 20)
    return bytes === undefined ? undefined : Buffer.from(bytes).toString('utf8')
  }

  async world() {
    const world = await hookWorldOf(this.lab.environments, this.lab.egress, this.id, this.pin)
    return {
      ...world,
      run: async (run: Parameters<typeof world.run>[0]) => {
        const end = await world.run(run)
        this.ends.push(end)
        return end
      },
    }
  }

  async before(
    args: Args = REMOVE,
    name = 'code_execution',
    signal = new AbortController().signal,
  ): Promise<HookVerdict> {
    this.ends.length = 0
    return this.hooks.before(await this.world(), { name, args }, signal)
  }

  /** The tool, then the hooks after it. */
  async ran(name: SandboxTool, args: Args) {
    const { signal } = new AbortController()
    const outcome = await this.lab.environments.tool(this.id, name, args, signal)
    return { outcome, verdict: await this.hooks.after(await this.world(), { name, args }, outcome.error, signal) }
  }

  /** Sets the handlers of the one configuration, and forgets what was known. */
  async set(handlers: readonly object[], options?: HookOptions, event?: string): Promise<void> {
    await this.write({ [FILE]: config(handlers, event), [SCRIPT]: GATE })
    this.hooks = makeHooks(options)
  }
}

/** A new environment in a new runtime; undefined where this machine has no sandbox. */
async function bench(t: TestContext): Promise<Bench | undefined> {
  if (!need(t, 'python3')) return undefined
  const made = await lab(t)
  return made === undefined ? undefined : new Bench(made, (await made.environments.create({})).id)
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

/** Whether all of them are gone: a killed process takes a moment to leave the table. */
async function gone(word: string): Promise<void> {
  for (let i = 0; i < 100 && processesWith(word).length > 0; i++) await new Promise((done) => setTimeout(done, 20))
  assert.deepEqual(processesWith(word), [])
}

/** Seconds that no other process waits. */
const unlikely = (): string => `600.${Math.floor(Math.random() * 1e9)}${process.pid}`

const print = (text: string): string => `printf %s '${text}'`
const DENY = '{"decision":"deny","reason":"no"}'

/** What a handler does, the decision, and words of the warning. */
const PROCESSES: readonly (readonly [string, string, 'allow' | 'deny', string | undefined])[] = [
  ['4: a deny without reason', print('{"decision":"deny"}'), 'deny', undefined],
  ['5: a reason that is a number', print('{"decision":"deny","reason":42}'), 'deny', undefined],
  ['7: nothing at all', ':', 'allow', undefined],
  ['13: a valid deny, exit 1', `${print(DENY)}; exit 1`, 'allow', 'exit status 0'],
  ['14: exit 2', 'echo blocked >&2; exit 2', 'allow', 'exit 2 is no deny here'],
  ['15: a command that is not there', 'no-such-program', 'allow', 'not found'],
  ['15: a file that cannot be executed', FILE, 'allow', 'exit status 126'],
  ['16: a crash', `${print(DENY)}; kill -SEGV $$`, 'allow', 'SIGSEGV'],
  ['22: a script that reads nothing', print(DENY), 'deny', undefined],
]

test('handlers are real processes', async (t) => {
  const one = await bench(t)
  if (one === undefined) return

  await t.test('1, 2: the published gate denies, and lets other calls run', async () => {
    await one.set([handler(RUN, 10)])
    const denied = await one.before()
    assert.deepEqual([denied.decision, denied.reason, denied.warnings], ['deny', REASON, []])
    const allowed = await one.before(HELLO)
    assert.deepEqual([allowed.decision, allowed.trace[0]!.outcome], ['allow', 'allow'])
  })

  await t.test('3: standard input is one line of exactly the published JSON, then its end', async () => {
    await one.set([handler('cat > /workspace/stdin; pwd > /workspace/pwd')])
    await one.before(HELLO)
    const event = { tool_call: { name: 'code_execution', args: HELLO }, environment_id: one.id }
    assert.equal(await one.read('/workspace/stdin'), `${JSON.stringify(event)}\n`)
    assert.equal(await one.read('/workspace/pwd'), '/\n')
  })

  for (const [name, command, decision, warning] of PROCESSES)
    await t.test(name, async () => {
      await one.set([handler(command)])
      const verdict = await one.before()
      assert.equal(verdict.decision, decision)
      const said = verdict.warnings.map(({ text }) => text).join('\n')
      if (warning === undefined) assert.equal(said, '')
      else assert.ok(said.includes(warning), said)
      if (/^[45]/.test(name)) assert.equal(verdict.reason, 'Tool call denied by hook "security-gate".')
    })

  await t.test('17, 18: a timeout allows whatever was printed, and nothing goes on', async () => {
    for (const before of ['', `${print(DENY)}; `]) {
      const time = unlikely()
      await one.set([handler(`${before}sleep ${time}`, 1)])
      const from = performance.now()
      const verdict = await one.before()
      assert.equal(verdict.decision, 'allow')
      assert.match(verdict.warnings[0]!.text, /timeout of 1 s/)
      const ms = performance.now() - from
      assert.ok(ms >= 1_000 && ms < 20_000, `${ms} ms`)
      await gone(time)
    }
  })

  await t.test('19: without a timeout it ends after thirty seconds', async () => {
    const time = unlikely()
    await one.set([handler(`sleep ${time}`)])
    const verdict = one.before()
    const turned = setInterval(() => {
      // Not before it runs.
      if (processesWith(time).length === 0) return
      clearInterval(turned)
      one.lab.clock.turn(29_000)
      setTimeout(() => {
        assert.notDeepEqual(processesWith(time), [], 'it was killed too early')
        one.lab.clock.turn(1_000)
      }, 300)
    }, 50)
    const { decision, warnings } = await verdict
    assert.equal(decision, 'allow')
    assert.match(warnings[0]!.text, /timeout of 30 s/)
    await gone(time)
  })

  await t.test('21: five megabytes are cut, and what printed them is ended', async () => {
    await one.set([handler(`${print(DENY)}; head -c 5242880 /dev/zero; sleep 600`)])
    const verdict = await one.before()
    assert.equal(verdict.decision, 'allow')
    assert.match(verdict.warnings[0]!.text, /more than 1048576 bytes/)
    assert.ok(one.ends[0]!.stdout.length <= 1 << 20)
  })

  await t.test('22: two megabytes of arguments, read or not', async () => {
    const args = { code: 'x'.repeat(2 << 20), language: 'bash' }
    await one.set([handler(print(DENY)), handler('wc -c > /workspace/count')])
    const verdict = await one.before(args)
    assert.deepEqual([verdict.decision, verdict.reason], ['deny', 'no'])
    assert.ok(Number(await one.read('/workspace/count')) > 2 << 20)
  })

  await t.test('23: a child in the background that holds standard output does not outlive its handler', async () => {
    const time = unlikely()
    await one.set([handler(`sleep ${time} & ${print(DENY)}`, 5)])
    // The shell itself ended in time and with its answer.
    assert.equal((await one.before()).decision, 'deny')
    await gone(time)
  })

  await t.test('24: what a handler calls goes to the door of its environment, and fires no hook', async () => {
    one.lab.egress.openings.length = 0
    await one.set([
      handler(
        `python3 -c 'import urllib.request; print(urllib.request.urlopen("http://gate.example.test/").read())' >&2`,
      ),
    ])
    assert.equal((await one.before()).trace.length, 1)
    assert.equal(one.lab.egress.openings.length, 1, one.lab.egress.openings.join('\n'))
  })

  await t.test('32, 33: handlers run in order, after a deny, too, unless stopOnDeny is set', async () => {
    const mark = (letter: string) => `printf ${letter} >> /workspace/marks`
    const handlers = [handler(`${mark('a')}; ${print(DENY)}`), handler(mark('b')), handler(mark('c'))]
    await one.set(handlers)
    assert.equal((await one.before()).decision, 'deny')
    assert.equal(await one.read('/workspace/marks'), 'abc')
    await one.write({ '/workspace/marks': '' })
    await one.set(handlers, { stopOnDeny: true })
    const { decision, trace } = await one.before()
    assert.equal(decision, 'deny')
    assert.equal(await one.read('/workspace/marks'), 'a')
    assert.deepEqual(
      trace.map(({ outcome }) => outcome),
      ['deny', 'not-run', 'not-run'],
    )
  })

  await t.test('A43: a cancelled call ends its handler at once', async () => {
    const time = unlikely()
    await one.set([handler(`sleep ${time}`), handler('printf x > /workspace/second')])
    const cancel = new AbortController()
    const verdict = one.before(REMOVE, 'code_execution', cancel.signal)
    setTimeout(() => cancel.abort(new Error('cancelled')), 400)
    await assert.rejects(verdict, /cancelled/)
    await gone(time)
    assert.equal(await one.read('/workspace/second'), undefined)
  })

  await t.test('failures of a group deny where that is asked', async () => {
    await one.set([handler('no-such-program')], { failClosed: ['security-gate'] })
    const { decision, reason } = await one.before()
    assert.equal(decision, 'deny')
    assert.match(reason!, /"security-gate" failed .*not found/)
  })
})

test('what a tool did is told after it', async (t) => {
  const one = await bench(t)
  if (one === undefined) return
  await one.set([handler('cat > /workspace/event; echo {"decision":"deny"}')], {}, 'post_tool_execution')
  const event = async () => JSON.parse((await one.read('/workspace/event')) ?? 'null')

  /** Case, tool, arguments, and the error. */
  const told: readonly (readonly [string, SandboxTool, Args, string | RegExp | undefined])[] = [
    ['46: a clean command', 'code_execution', HELLO, undefined],
    ['47: standard error', 'code_execution', { code: 'echo x >&2; exit 0', language: 'bash' }, /^x\n?$/],
    ['48: an exit status', 'code_execution', { code: 'exit 3', language: 'bash' }, 'exit status 3'],
    ['49: a file that is not there', 'view_file', { path: '/workspace/none' }, /none/],
    ['A40: a directory that is not there', 'list_dir', { path: '/workspace/none' }, /none/],
    ['46: a file operation', 'write_to_file', { path: '/workspace/a', content: 'x' }, undefined],
  ]
  for (const [name, tool, args, error] of told)
    await t.test(name, async () => {
      const { outcome, verdict } = await one.ran(tool, args)
      const { error: shown, ...rest } = await event()
      assert.deepEqual(rest, { tool_call: { name: tool, args }, environment_id: one.id })
      if (error === undefined) assert.ok(!('error' in (await event())))
      else if (typeof error === 'string') assert.equal(shown, error)
      else assert.match(shown, error)
      if (tool === 'view_file') assert.equal(outcome.isError, true)
      // 50: what it says is ignored.
      assert.deepEqual([verdict.decision, verdict.trace[0]!.outcome], ['allow', 'ignored'])
    })

  await t.test('51: one that fails or takes too long is waited for and logged', async () => {
    for (const [command, words] of [
      ['exit 1', /exit status 1/],
      [`sleep ${unlikely()}`, /timeout of 1 s/],
    ] as const) {
      await one.set([handler(command, 1)], {}, 'post_tool_execution')
      const { outcome, verdict } = await one.ran('code_execution', HELLO)
      assert.equal(outcome.isError, false)
      assert.deepEqual([verdict.decision, verdict.trace[0]!.outcome], ['allow', 'failed'])
      assert.match(verdict.warnings[0]!.text, words)
    }
  })
})

test('configurations are found in the tree', async (t) => {
  const one = await bench(t)
  if (one === undefined) return
  const says = (text: string) => config([handler(`echo ${text} >> /workspace/said; pwd >> /workspace/said`)])
  const said = async () => {
    const text = await one.read('/workspace/said')
    await one.write({ '/workspace/said': '' })
    return text?.trimEnd().split('\n')
  }

  await t.test('36: the root comes before the working directory', async () => {
    await one.write({ [FILE]: says('root'), '/workspace/.agents/hooks.json': says('work') })
    await one.before()
    assert.deepEqual(await said(), ['root', '/', 'work', '/workspace'])
  })

  await t.test('37: a file that is reached twice runs once', async () => {
    await one.lab.bash(one.id, 'rm -rf /workspace/.agents; ln -s /.agents /workspace/.agents')
    await one.before()
    assert.deepEqual(await said(), ['root', '/'])
    await one.lab.bash(
      one.id,
      'rm /workspace/.agents; mkdir /workspace/.agents; cd /workspace/.agents; ln -s ../../.agents/hooks.json',
    )
    await one.before()
    assert.deepEqual(await said(), ['root', '/'])
  })

  await t.test('43: what the agent writes counts at the next call', async () => {
    await one.lab.bash(one.id, 'rm -rf /workspace/.agents')
    await one.before()
    assert.deepEqual(await said(), ['root', '/'])
    const args = { path: '/workspace/.agents/hooks.json', content: says('new') }
    await one.lab.tool(one.id, 'write_to_file', args)
    await one.before()
    assert.deepEqual(await said(), ['root', '/', 'new', '/workspace'])
    await one.lab.bash(one.id, `cat > ${FILE} <<'END'\n${says('else')}\nEND`)
    await one.before()
    assert.deepEqual(await said(), ['else', '/', 'new', '/workspace'])
  })
})

test('43, 44: pinned, nothing that the agent does changes a decision', async (t) => {
  const one = await bench(t)
  if (one === undefined) return
  const own = 'bash /workspace/scripts/own.sh'
  await one.write({
    [FILE]: config([handler(RUN), handler(own)]),
    [SCRIPT]: GATE,
    '/workspace/scripts/own.sh': `echo ran > /workspace/own\n`,
  })
  one.hooks = makeHooks({ pinned: true })
  const { pin } = await one.hooks.provision(await one.world())
  assert.deepEqual(pin?.freeze, ['/.agents', '/workspace/scripts/own.sh'])
  await one.lab.environments.freeze(one.id, pin.freeze)
  one.pin = pin
  const attempts = [
    `echo 'print("{}")' > ${SCRIPT}`,
    `echo '{}' > ${FILE}`,
    `rm -rf /.agents`,
    `mv /.agents /gone; mkdir -p /.agents/hooks-scripts; echo 'print("{}")' > ${SCRIPT}`,
    `mv /workspace/scripts /workspace/old; mkdir /workspace/scripts; echo : > /workspace/scripts/own.sh`,
    `mkdir -p /workspace/.agents; echo '${config([handler('echo x > /workspace/new')])}' > /workspace/.agents/hooks.json`,
    'mkdir -p ~/.local/bin; for n in python3 bash sh cat; do printf "#!/bin/sh\necho {}\n" > ~/.local/bin/$n; chmod 755 ~/.local/bin/$n; done',
    'd=$(/usr/bin/python3 -m site --user-site); mkdir -p $d; echo "import os; print(chr(123) + chr(125)); os._exit(0)" > $d/usercustomize.py',
  ]
  for (const [i, code] of attempts.entries()) {
    const outcome = await one.lab.bash(one.id, code)
    if (i < 3) assert.match(outcome.output, /Read-only file system|busy/i, code)
    await one.lab.bash(one.id, 'rm -f /workspace/own')
    const verdict = await one.before()
    assert.deepEqual([verdict.decision, verdict.reason], ['deny', REASON], code)
    assert.equal(await one.read('/workspace/own'), 'ran\n', code)
  }
  assert.equal(await one.read('/workspace/new'), undefined)
  // A runtime that was started anew has the pin from whoever kept it.
  one.hooks = makeHooks()
  one.pin = JSON.parse(JSON.stringify(pin))
  assert.equal((await one.before()).decision, 'deny')
})
