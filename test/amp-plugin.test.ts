/** The plugin of Amp: whatever the hook does, Amp gets one of the answers of its contract. */
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { pathToFileURL } from 'node:url'

const SOURCE = join(import.meta.dirname, '..', 'plugin', 'amp', 'sallyport.js')

let dir: string

before(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'amp-plugin-')))
})

after(() => rmSync(dir, { recursive: true, force: true }))

type Handler = (event: unknown, ctx: unknown) => Promise<unknown>

interface Loaded {
  readonly call: Handler
  readonly result: Handler
}

let count = 0

/** The plugin with a hook that runs `script`, as Amp loads it. */
async function load(script: string, amp: object = {}, wait = 10_000): Promise<Loaded> {
  const hook = join(dir, `hook-${count}.cjs`)
  writeFileSync(hook, script)
  const text = readFileSync(SOURCE, 'utf8')
    .replace("['NODE', 'HOOK']", JSON.stringify([process.execPath, hook]))
    .replace('WAIT = 10_000', `WAIT = ${wait}`)
  const file = join(dir, `plugin-${count++}.mjs`)
  writeFileSync(file, text)
  const plugin = (await import(pathToFileURL(file).href)) as { default: (amp: object) => void; description: string }
  assert.ok(plugin.description.length > 10)
  const handlers: Record<string, Handler> = {}
  plugin.default({
    on: (name: string, handler: Handler) => {
      assert.ok(!(name in handlers))
      handlers[name] = handler
    },
    ...amp,
  })
  assert.deepEqual(Object.keys(handlers), ['tool.call', 'tool.result'])
  return { call: handlers['tool.call']!, result: handlers['tool.result']! }
}

const EVENT = { toolUseID: 'toolu_1', tool: 'Bash', input: { command: 'ls' }, thread: { id: 'T-1' } }
const DONE = { ...EVENT, status: 'done', output: 'long' }
const says = (answer: unknown) => `process.stdout.write(${JSON.stringify(JSON.stringify(answer))} + '\\n')`
const rejected = (message: string) => ({ action: 'reject-and-continue', message })
const REFUSED = 'Sallyport did not answer, so this call is refused: '

/** What the hook does, and what Amp gets before the call. `agreed`: what the person answers. */
const ROWS: readonly {
  readonly name: string
  readonly hook: string
  readonly agreed?: boolean | 'throws'
  readonly gets: unknown
}[] = [
  { name: 'silence is a pass, which Amp takes as one word alone', hook: '', gets: { action: 'allow' } },
  { name: 'an empty object is one, too', hook: says({}), gets: { action: 'allow' } },
  { name: 'a denial goes to the model', hook: says({ reject: 'no' }), gets: rejected('no') },
  {
    name: 'another input goes in place of the call’s',
    hook: says({ input: { command: 'ctx run -- ls' } }),
    gets: { action: 'modify', input: { command: 'ctx run -- ls' } },
  },
  { name: 'an ask that is agreed to runs', hook: says({ confirm: 'sure?' }), agreed: true, gets: { action: 'allow' } },
  {
    name: 'an ask that is not agreed to does not',
    hook: says({ confirm: 'sure?' }),
    agreed: false,
    gets: rejected('The person did not agree: sure?'),
  },
  {
    name: 'an ask where nobody can be asked does not',
    hook: says({ confirm: 'sure?' }),
    agreed: 'throws',
    gets: rejected(`${REFUSED}no screen`),
  },
  { name: 'a hook that crashes', hook: 'process.exit(3)', gets: rejected(`${REFUSED}it ended with 3`) },
  { name: 'a hook that says no JSON', hook: `console.log('x')`, gets: rejected(`${REFUSED}its answer cannot be read`) },
  { name: 'a hook that says no object', hook: says(null), gets: rejected(`${REFUSED}its answer cannot be read`) },
  {
    name: 'a hook that says something else',
    hook: says({ decision: 'allow' }),
    gets: rejected('Sallyport gave no proper answer, so this call is refused'),
  },
]

describe('the plugin of Amp before a call', () => {
  for (const { name, hook, agreed, gets } of ROWS)
    test(name, async () => {
      const asked: unknown[] = []
      const confirm = async (what: unknown) => {
        asked.push(what)
        if (agreed === 'throws') throw new Error('no screen')
        return agreed
      }
      const { call } = await load(hook)
      assert.deepEqual(await call(EVENT, { ui: { confirm } }), gets)
      const question = { title: 'Run Bash?', message: 'sure?', confirmButtonText: 'Run' }
      assert.deepEqual(asked, agreed === undefined ? [] : [question])
    })

  test('a hook that hangs is ended', async () => {
    const { call } = await load('setTimeout(() => {}, 60_000)', {}, 500)
    assert.deepEqual(await call(EVENT, {}), rejected(`${REFUSED}it took too long`))
  })

  test('the hook gets the event, the thread and the project', async () => {
    const echo = `process.stdin.setEncoding('utf8'); let all = ''; process.stdin.on('data', (part) => (all += part)).on('end', () =>
      process.stdout.write(JSON.stringify({ reject: process.argv.slice(2).join(' ') + ' ' + all })))`
    const helpers = { filePathFromURI: (uri: string) => uri.replace('file://', '') }
    const told = async (amp: object) => {
      const { call } = await load(echo, amp)
      const { message } = (await call(EVENT, {})) as { message: string }
      assert.ok(message.startsWith('amp tool.call '))
      return JSON.parse(message.slice('amp tool.call '.length)) as Record<string, unknown>
    }
    const payload = { name: 'tool.call', session: 'T-1', event: EVENT }
    assert.deepEqual(await told({ system: { workspaceRoot: 'file:///home/ana/shop' }, helpers }), {
      ...payload,
      cwd: '/home/ana/shop',
    })
    assert.deepEqual(await told({}), { ...payload, cwd: process.cwd() })
    const throws = () => {
      throw new Error('no path')
    }
    assert.deepEqual(await told({ system: { workspaceRoot: 'orb://x' }, helpers: { filePathFromURI: throws } }), {
      ...payload,
      cwd: process.cwd(),
    })
  })
})

describe('the plugin of Amp behind a call', () => {
  test('a text goes in place of the result, which keeps its status', async () => {
    const { result } = await load(says({ output: 'short' }))
    assert.deepEqual(await result(DONE, {}), { status: 'done', output: 'short' })
  })

  for (const [name, hook] of [
    ['silence', ''],
    ['a hook that crashes', 'process.exit(3)'],
    ['a hook that says something else', says({ reject: 'no' })],
  ] as const)
    test(`${name} leaves the result as it is`, async () => {
      const { result } = await load(hook)
      assert.equal(await result(DONE, {}), undefined)
    })
})
