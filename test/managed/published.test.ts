/**
 * The published programs against a running server with real sandboxes: the JavaScript ones as they are, with both versions
 * of the SDK; the bodies of curl, and those that the Python and Java programs send. Then our own examples.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join, resolve } from 'node:path'
import { after, before, describe, type TestContext, test } from 'node:test'
import { arrived, type Lab, startLab } from '../../src/managed/egress/lab.testing.ts'
import { need } from '../need.ts'
import { node22, OLDER, olderSdk } from './sdk-install.ts'
import { type Body, canIsolate, KEY, type Running, resultsOf, startRuntime, textOf } from './support.ts'

const TELEMETRY = 'telemetry.example.com:443'
const DENIED = 'Destructive command blocked by security gate.'
const TOKEN = 'telemetry_secret_token_123'

let lab: Lab
let runtime: Running | undefined
before(async () => {
  lab = await startLab({ hosts: [TELEMETRY] })
})
after(async () => {
  await runtime?.close()
  await lab.close()
})

/** The one runtime of this file; undefined where there are no sandboxes. */
async function running(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t) || !need(t, 'python3')) return undefined
  runtime ??= await startRuntime({ operator: { upstreams: lab.upstreams } })
  return runtime
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

/** Runs a client program with the variables that lead the SDK to the server. */
function start(argv: readonly [string, ...string[]], base: string, cwd: string): Promise<Ran> {
  const [program, ...args] = argv
  const env = {
    PATH: process.env['PATH'],
    HOME: cwd,
    GEMINI_API_KEY: KEY,
    GOOGLE_GEMINI_BASE_URL: base,
    TELEMETRY_TOKEN: TOKEN,
  }
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: 60_000 })
  let [out, err] = ['', '']
  child.stdout.on('data', (part) => (out += String(part)))
  child.stderr.on('data', (part) => (err += String(part)))
  return new Promise((done, fail) => {
    child.once('error', fail)
    child.once('close', (code) => done({ code, out, err }))
  })
}

/** Runs a program of the SDK from a directory where it finds that SDK. */
async function startProgram(file: string, sdk: Sdk, base: string): Promise<Ran> {
  const directory = mkdtempSync(join(sdk.within, 'program-'))
  try {
    if (sdk.modules !== undefined) symlinkSync(sdk.modules, join(directory, 'node_modules'))
    cpSync(file, join(directory, basename(file)))
    return await start([sdk.node, join(directory, basename(file))], base, directory)
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

interface Sdk {
  readonly node: string
  /** A directory below which programs may lie. */
  readonly within: string
  readonly modules?: string
}

const NEWER: Sdk = { node: process.execPath, within: tmpdir(), modules: resolve('node_modules') }

/** What must come of the published programs, by the name of their file. */
const PROGRAMS: Readonly<Record<string, (out: string) => void>> = {
  'security-gate': (out) => assert.ok(out.includes(DENIED), out),
  privacy(out) {
    assert.match(out, /blocked by PII compliance policy/)
    assert.match(out, /"team_size": 42/)
    assert.doesNotMatch(out, /000-00-0000/)
  },
  telemetry(out) {
    assert.match(out, /event 1/)
    seenTelemetry()
  },
}

/** What reached the telemetry server since the last look: each event with the token, and nothing of it inside. */
function seenTelemetry(): void {
  const seen = lab.seen.splice(0)
  assert.ok(seen.length > 0)
  for (const one of seen) {
    assert.deepEqual([one.method, one.url], ['POST', '/api/v1/agent-events'])
    assert.deepEqual(arrived(one, 'authorization'), [`Bearer ${TOKEN}`])
    assert.match(arrived(one, 'content-type')[0] ?? '', /^application\/json/)
    const event = JSON.parse(one.body)
    assert.deepEqual(Object.keys(event).sort(), ['environment_id', 'tool_call'])
    assert.ok(['write_to_file', 'view_file'].includes(event.tool_call.name))
  }
}

for (const [name, check] of Object.entries(PROGRAMS))
  describe(`the published ${name}`, () => {
    test('case 102: the JavaScript program as it is, SDK 3.3.0', async (t) => {
      const server = await running(t)
      if (server === undefined) return
      const { code, out, err } = await startProgram(`cases/managed/published/${name}.mjs`, NEWER, server.base)
      assert.equal(code, 0, err)
      check(out)
    })

    test('case 102: the JavaScript program as it is, SDK 3.3.0 on Node 22', async (t) => {
      const server = await running(t)
      if (server === undefined) return
      if (!existsSync(node22())) {
        if (process.env['SALLYPORT_REQUIRE_ALL'] === '1') throw new Error('Node 22 is absent')
        return t.skip('not run: Node 22 is not installed (node test/managed/sdk-install.ts)')
      }
      const sdk = { ...NEWER, node: node22() }
      const { code, out, err } = await startProgram(`cases/managed/published/${name}.mjs`, sdk, server.base)
      assert.equal(code, 0, err)
      check(out)
    })

    test(`case 102: the JavaScript program as it is, SDK ${OLDER} on Node 20`, async (t) => {
      const server = await running(t)
      if (server === undefined) return
      const node = '/usr/bin/node'
      if (!existsSync(node) || !existsSync(join(olderSdk(), 'node_modules', '@google', 'genai'))) {
        if (process.env['SALLYPORT_REQUIRE_ALL'] === '1') throw new Error('SDK 2 or the system’s Node is absent')
        return t.skip(
          'not run: SDK 2 is not installed (node test/managed/sdk-install.ts), or there is no /usr/bin/node',
        )
      }
      const sdk = { node, within: olderSdk() }
      const { code, out, err } = await startProgram(`cases/managed/published/${name}.mjs`, sdk, server.base)
      assert.equal(code, 0, err)
      check(out)
    })

    test('case 104: the body of curl', async (t) => {
      const server = await running(t)
      if (server === undefined || !need(t, 'curl')) return
      const args = [
        '-sS',
        '-X',
        'POST',
        `${server.base}/v1beta/interactions`,
        '-d',
        `@cases/managed/published/${name}.curl.json`,
      ]
      const headers = ['-H', 'Content-Type: application/json', '-H', `x-goog-api-key: ${KEY}`]
      const { code, out, err } = await start(['curl', ...args, ...headers], server.base, process.cwd())
      assert.equal(code, 0, err)
      const first = JSON.parse(out) as Body
      assert.equal(first.status, 'completed', out)
      const second =
        name === 'privacy'
          ? await server.run(
              [
                {
                  type: 'text',
                  text: 'Understood. Please read the approved /workspace/public/summary.json file instead and provide the summary.',
                },
              ],
              { environment: first.environment_id, previous_interaction_id: first.id },
            )
          : undefined
      assert.equal(second?.environment_id ?? first.environment_id, first.environment_id)
      check(textOf(first) + (second === undefined ? '' : textOf(second)))
    })

    for (const language of ['python', 'java'])
      test(`the bodies that the ${language} program sends`, async (t) => {
        const server = await running(t)
        if (server === undefined) return
        const bodies = JSON.parse(readFileSync(`cases/managed/published/${name}.${language}.json`, 'utf8')) as object[]
        const answers: Body[] = []
        for (const body of bodies) {
          const last = answers.at(-1)
          const text = JSON.stringify(body)
            .replace('"ENVIRONMENT"', JSON.stringify(last?.environment_id))
            .replace('"PREVIOUS"', JSON.stringify(last?.id))
          const told = await server.ask('POST', '/v1beta/interactions', text)
          assert.equal(told.status, 200, told.text)
          answers.push(told.body)
        }
        const isOldName = language === 'java' && name !== 'security-gate'
        if (!isOldName) return check(answers.map(textOf).join('\n'))
        // The published Java programs name tools by their old names: nothing is denied or reported, and that is said.
        assert.deepEqual(
          answers.flatMap(resultsOf).map(({ isError }) => isError),
          answers.flatMap(resultsOf).map(() => false),
        )
        assert.equal(lab.seen.length, 0)
        const { body } = await server.ask('GET', `/v1/environments/${answers[0]!.environment_id}`)
        assert.match((body.warnings ?? []).join('\n'), /view_file/)
      })
  })

describe('case 65: the privacy flow', () => {
  test('turns share the environment, not the id, and the gate sees the path', async (t) => {
    const server = await running(t)
    if (server === undefined) return
    const [one, two] = JSON.parse(readFileSync('cases/managed/published/privacy.python.json', 'utf8'))
    const first = (await server.ask('POST', '/v1/interactions', one)).body
    const ids = { environment: first.environment_id, previous_interaction_id: first.id }
    const second = (await server.ask('POST', '/v1/interactions', { ...two, ...ids })).body
    assert.equal(second.environment_id, first.environment_id)
    assert.notEqual(second.id, first.id)
    assert.equal(second.previous_interaction_id, first.id)
    assert.match(resultsOf(first)[0]!.text, /^Tool call denied by hook: Access to confidential/)
    assert.match(resultsOf(second)[0]!.text, /Engineering/)
    const { body } = await server.ask('GET', `/v1/interactions/${first.id}/trace`)
    assert.deepEqual(
      body.trace[0]?.handlers.map(({ group, outcome }) => [group, outcome]),
      [['privacy-gate', 'deny']],
    )
  })
})

/** What must come of our own examples. */
const EXAMPLES: Readonly<Record<string, (out: string) => void>> = {
  'security-gate': (out) => assert.ok(out.includes(`denied by hook: ${DENIED}`), out),
  privacy(out) {
    assert.match(out, /Private records are closed/)
    assert.match(out, /Engineering/)
    assert.doesNotMatch(out.replace(/"arguments".*/, ''), /150000/)
  },
  'auto-format': (out) =>
    assert.match(
      out.replaceAll('\\n', '\n').replaceAll('\\"', '"'),
      /\{\n {2}"a": true,\n {2}"b": \[\n {4}1,\n {4}2\n {2}\]\n\}/,
    ),
  telemetry(out) {
    assert.match(out, /event 1/)
    seenTelemetry()
  },
}

describe('the examples', () => {
  for (const [name, check] of Object.entries(EXAMPLES)) {
    test(`${name}.mjs`, async (t) => {
      const server = await running(t)
      if (server === undefined) return
      const { code, out, err } = await startProgram(`examples/${name}.mjs`, NEWER, server.base)
      assert.equal(code, 0, err)
      check(out)
    })

    test(`curl/${name}.sh`, async (t) => {
      const server = await running(t)
      if (server === undefined || !need(t, 'curl')) return
      const { code, out, err } = await start(['sh', `examples/curl/${name}.sh`], server.base, process.cwd())
      assert.equal(code, 0, err)
      check(out)
    })
  }

  test('the token of the telemetry is nowhere in the environment, its hooks, or what the server tells', async (t) => {
    const server = await running(t)
    if (server === undefined) return
    const [body] = JSON.parse(readFileSync('cases/managed/published/telemetry.python.json', 'utf8'))
    const told = await server.ask('POST', '/v1/interactions', body)
    seenTelemetry()
    const id = told.body.environment_id
    const look = await server.run(
      'Run `env; cat /.agents/hooks.json; grep -rs telemetry_secret /workspace /home /.agents /etc /runtime /tmp /var`',
      { environment: id },
    )
    const shown = [told.text, JSON.stringify(look.steps.filter(({ type }) => type === 'code_execution_result'))]
    shown.push((await server.ask('GET', `/v1/environments/${id}`)).text, JSON.stringify(server.events))
    for (const text of shown) assert.doesNotMatch(text, /secret_token/)
  })
})
