/** The published cases of the endpoint, 105 to 130, through the SDK, with real sandboxes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { TestClock } from '../../src/managed/sandbox/sandbox.testing.ts'
import { EMPTY_POLICY } from '../../src/policy/policy.ts'
import { need } from '../need.ts'
import {
  AGENT,
  calls,
  canIsolate,
  command,
  inline,
  type Running,
  resultsOf,
  script,
  startRuntime,
  textOf,
  until,
} from './support.ts'

let server: Running | undefined
after(async () => server?.close())

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t)) return undefined
  server ??= await startRuntime()
  return server
}

/** Whether any process of the machine has this text among its words. */
const isRunning = (word: string): boolean =>
  globSync('/proc/[0-9]*/cmdline').some((file) => {
    try {
      return readFileSync(file, 'utf8')
        .split('\0')
        .some((one) => one.split(/[\s;]+/).includes(word))
    } catch {
      return false
    }
  })

const agent = AGENT

/** What is read of an event. */
interface Event {
  readonly event_type: string
  readonly event_id?: string
  readonly interaction?: { readonly id: string; readonly environment_id?: string }
  readonly delta?: { readonly type: string; readonly text?: string }
}

describe('streams and the background', () => {
  test('case 107, 110: the text of a stream is that of the answer; a stream is taken up again', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const stream = await interactions.create({ agent, input: 'Run `seq 3`', environment: 'remote', stream: true })
    const events: Event[] = []
    for await (const event of stream) events.push(event as Event)
    const [created, completed] = [events[0]!, events.at(-1)!]
    assert.deepEqual([created.event_type, completed.event_type], ['interaction.created', 'interaction.completed'])
    const { id, environment_id } = created.interaction!
    assert.ok(environment_id)
    assert.equal(completed.interaction?.environment_id, environment_id)
    const text = events.flatMap((one) => (one.delta?.type === 'text' ? [one.delta.text] : [])).join('')
    const whole = await interactions.get(id)
    assert.equal(text, whole.output_text)
    const rest: Event[] = []
    const again = await interactions.get(id, { stream: true, last_event_id: events[4]!.event_id! })
    for await (const event of again) rest.push(event as Event)
    assert.deepEqual(rest, events.slice(5))
  })

  test('case 109, 113: what is refused is a BadRequestError, before any event', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const wrong = { agent, input: 'x', environment: { type: 'remote', sources: [inline('/', 'x')] }, stream: true }
    await assert.rejects(own.client.interactions.create(wrong as never), { name: 'BadRequestError', status: 400 })
    await assert.rejects(own.client.interactions.create({ agent: 'nobody', input: 'x' }), { name: 'NotFoundError' })
    await assert.rejects(own.client.interactions.create({ agent, model: 'scripted', input: 'x' } as never), {
      status: 400,
    })
  })

  test('case 111: cancelling kills the command, with all it started', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const begun = Date.now()
    const made = await interactions.create({
      agent,
      input: command('sleep 60.0111 & sleep 60.0112'),
      environment: 'remote',
      background: true,
    })
    assert.ok(Date.now() - begun < 1_500)
    assert.equal(made.status, 'in_progress')
    await until(() => (isRunning('60.0112') ? true : undefined))
    const asked = Date.now()
    assert.equal((await interactions.cancel(made.id)).status, 'cancelled')
    await until(() => (isRunning('60.0111') || isRunning('60.0112') ? undefined : true), 2_000)
    assert.ok(Date.now() - asked < 4_000)
    assert.equal((await interactions.cancel(made.id)).status, 'cancelled')
  })

  test('case 112: who breaks out of a stream ends the run', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { interactions } = own.client
    const stream = await interactions.create({
      agent,
      input: command('sleep 60.0121'),
      environment: 'remote',
      stream: true,
    })
    let id = ''
    for await (const event of stream) {
      if (event.event_type === 'interaction.created') id = event.interaction.id
      if (isRunning('60.0121')) break
      if (event.event_type === 'step.stop' && event.index === 1) {
        await until(() => (isRunning('60.0121') ? true : undefined))
        break
      }
    }
    await until(async () => ((await interactions.get(id)).status === 'cancelled' ? true : undefined))
    await until(() => (isRunning('60.0121') ? undefined : true), 3_000)
  })
})

describe('environments', () => {
  test('case 115, 125: files stay for the next run, also after a failure', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const first = await own.run(
      script({ calls: [{ name: 'code_execution', args: { code: 'echo one > a' } }] }, { fail: 'gone' }),
      { environment: 'remote' },
    )
    assert.equal(first.status, 'failed')
    const second = await own.run('Run `cat a`', { environment: first.environment_id })
    assert.match(resultsOf(second)[0]!.text, /^one/)
    const third = await own.run('Run `ls`', { environment: 'remote' })
    assert.notEqual(third.environment_id, first.environment_id)
    assert.doesNotMatch(resultsOf(third)[0]!.text, /^a$/m)
  })

  const sources: readonly (readonly [name: string, list: readonly object[], index: number])[] = [
    ['more than 1 MB', [inline('a', 'x'), inline('b', 'x'.repeat(1024 * 1024 + 1))], 1],
    ['more than 2 MB in all', [0, 1, 2].map((n) => inline(`a${n}`, 'x'.repeat(900_000))), 2],
    ['the root', [inline('/', 'x')], 0],
    ['upwards', [inline('a', 'x'), inline('../x', 'x')], 1],
  ]
  for (const [name, list, index] of sources)
    test(`case 117: ${name} is refused by its number`, async (t) => {
      const own = await ready(t)
      if (own === undefined) return
      const before = (await own.ask('GET', '/v1/environments?page_size=1000')).text
      const told = await own.ask('POST', '/v1/interactions', {
        agent,
        input: 'x',
        environment: { type: 'remote', sources: list },
      })
      assert.equal(told.status, 400)
      assert.match(told.body.error.message, new RegExp(`\\b${index}\\b`))
      assert.equal((await own.ask('GET', '/v1/environments?page_size=1000')).text, before)
    })

  test('case 118, 121: binary content; variables in commands and hooks', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const bytes = Buffer.from([0, 255, 10, 128, 13])
    const hooks = {
      a: { post_tool_execution: [{ hooks: [{ type: 'command', command: 'echo "$WORD" > /workspace/hooked' }] }] },
    }
    const body = await own.run('Run `printenv WORD; od -An -tx1 /workspace/b`', {
      environment: {
        type: 'remote',
        sources: [
          { type: 'inline', target: 'workspace/b', content: bytes.toString('base64'), encoding: 'base64' },
          inline('.agents/hooks.json', JSON.stringify(hooks)),
        ],
        env: { WORD: 'to be seen' },
      },
    })
    assert.match(resultsOf(body)[0]!.text, /^to be seen\n 00 ff 0a 80 0d/)
    assert.equal(
      (await own.ask('GET', `/v1/environments/${body.environment_id}/files/workspace/hooked?alt=media`)).text,
      'to be seen\n',
    )
  })

  test('case 124: deleting one ends what works in it', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const made = await own.client.interactions.create({
      agent,
      input: command('sleep 60.0241'),
      environment: 'remote',
      background: true,
    })
    await until(() => (isRunning('60.0241') ? true : undefined))
    await own.client.environments.delete(made.environment_id!)
    assert.equal(isRunning('60.0241'), false)
    assert.equal((await own.client.interactions.get(made.id)).status, 'failed')
    await assert.rejects(own.client.environments.get(made.environment_id!), { name: 'NotFoundError' })
  })

  test('case 114, 126: idle ones are stopped, and gone after a week', async (t) => {
    if (!canIsolate(t)) return
    const clock = new TestClock()
    const own = await startRuntime({ clock })
    try {
      const body = await own.run(command('echo kept > a; nohup sleep 60.0261 >/dev/null 2>&1 &'), {
        environment: 'remote',
      })
      const environment = body.environment_id
      clock.turn(16 * 60_000)
      await until(() => (isRunning('60.0261') ? undefined : true))
      assert.match(resultsOf(await own.run('Run `cat a`', { environment }))[0]!.text, /^kept/)
      clock.turn(8 * 24 * 60 * 60_000)
      await until(async () =>
        (await own.ask('POST', '/v1/interactions', { agent, input: 'x', environment })).status === 404
          ? true
          : undefined,
      )
    } finally {
      await own.close()
    }
  })

  test('case 130: twenty at once on one environment lose nothing', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { environment_id: environment } = await own.run('Run `echo 0 > n`', { environment: 'remote' })
    const add = command('n=$(cat n); sleep 0.05; echo $((n + 1)) > n')
    const all = await Promise.all(
      Array.from({ length: 20 }, () =>
        own.client.interactions.create({ agent, input: add, environment: environment! }),
      ),
    )
    assert.deepEqual(
      all.map(({ status }) => status),
      all.map(() => 'completed'),
    )
    assert.match(resultsOf(await own.run('Run `cat n`', { environment }))[0]!.text, /^20\n/)
  })

  test('case 128: a saved agent begins anew each time', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { agents } = own.client
    await agents.create({
      ...{ id: 'keeper', base_agent: AGENT },
      base_environment: { type: 'remote', sources: [{ type: 'inline', target: 'workspace/a', content: 'as made' }] },
    })
    const first = await own.run('Run `echo changed > a`', { agent: 'keeper' })
    assert.equal(first.status, 'completed')
    assert.match(resultsOf(await own.run('Run `cat a`', { agent: 'keeper' }))[0]!.text, /^as made/)
    assert.match(
      resultsOf(await own.run('Run `cat a`', { agent: 'keeper', environment: first.environment_id }))[0]!.text,
      /^changed/,
    )
    await agents.delete('keeper')
    await assert.rejects(agents.get('keeper'), { name: 'NotFoundError' })
  })

  test('what the AGENTS.md of the environment says reaches the model', async (t) => {
    if (!canIsolate(t)) return
    const heard: string[] = []
    const own = await startRuntime({
      models: () => ({
        name: 'listening',
        async turn({ instructions }) {
          heard.push(instructions)
          return { text: 'heard', calls: [], tokens: { input: 1, output: 1 } }
        },
      }),
    })
    try {
      const sources = [inline('AGENTS.md', 'Speak in rhymes.'), inline('.agents/AGENTS.md', 'Never shout.')]
      await own.run('hello', { environment: { type: 'remote', sources }, system_instruction: 'Be kind.' })
      for (const word of ['Speak in rhymes.', 'Never shout.', 'Be kind.']) assert.ok(heard[0]!.includes(word), word)
    } finally {
      await own.close()
    }
  })
})

describe('case 122: files', () => {
  /** A tar of what `fill` writes into a scratch directory. */
  function tarOf(fill: (directory: string) => void, ...flags: readonly string[]): Buffer {
    const directory = mkdtempSync(join(tmpdir(), 'tar-'))
    try {
      mkdirSync(join(directory, 'in'))
      fill(join(directory, 'in'))
      return execFileSync('tar', ['-c', '-C', join(directory, 'in'), ...flags, '.'])
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
  }

  const blob = (bytes: Uint8Array): Blob => new Blob([new Uint8Array(bytes)])

  test('are listed, told of, brought and taken', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { files } = own.client.environments
    const { environment_id: environment } = await own.run(
      'Run `mkdir -p d/e; echo one > d/a.txt; echo two > d/e/b.txt`',
      { environment: 'remote' },
    )
    const at = { environment: environment! }
    const root = (await files.list({ ...at, path: '/' })).files!
    assert.ok(root.some(({ name, type }) => name === 'workspace' && type === 'DIRECTORY'))
    const all = (await files.list({ ...at, path: 'workspace/d', recursive: true })).files!
    assert.deepEqual(
      all.map(({ path }) => path),
      ['workspace/d/a.txt', 'workspace/d/e', 'workspace/d/e/b.txt'],
    )
    const [one] = (await files.list({ ...at, path: 'workspace/d/a.txt' })).files!
    assert.deepEqual([one!.size_bytes, one!.type, one!.name], ['4', 'FILE', 'a.txt'])
    await assert.rejects(
      files.list({ ...at, path: 'no/such' }),
      new RegExp(`Path 'no/such' not found in environment '${environment}'\\.`),
    )
    const got = await files.download({ ...at, path: '/workspace/d/a.txt' })
    assert.equal(Buffer.from(got).toString(), 'one\n')
    await files.upload({ ...at, path: 'new/deep/c.bin', file: blob(Buffer.alloc(9 * 1024 * 1024, 7)) })
    assert.equal((await files.download({ ...at, path: 'new/deep/c.bin' })).length, 9 * 1024 * 1024)
    const page = await own.ask('GET', `/v1/environments/${environment}/files/workspace/d?page_size=1`)
    assert.deepEqual([page.body.files.length, typeof page.body['next_page_token']], [1, 'string'])
  })

  test('a directory comes as a tar, the whole as well', async (t) => {
    const own = await ready(t)
    if (own === undefined || !need(t, 'tar')) return
    const long = `${'n'.repeat(120)}/${'m'.repeat(120)}.txt`
    const { environment_id: id } = await own.run(
      command(
        `mkdir -p d/e "d/${long.split('/')[0]}"; echo one > d/a.txt; echo two > d/e/b.txt; echo long > "d/${long}"`,
      ),
      { environment: 'remote' },
    )
    const names = async (path: string) => {
      const answer = await fetch(own.base + path, { headers: { 'x-goog-api-key': 'test-key' } })
      assert.equal(answer.status, 200)
      return execFileSync('tar', ['-t'], { input: Buffer.from(await answer.arrayBuffer()), encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    const base = `/v1beta/environments/${id}/files/workspace/d?alt=media`
    assert.deepEqual((await names(base)).toSorted(), ['a.txt', 'e/', `${long.split('/')[0]}/`].sort())
    assert.deepEqual(
      (await names(`${base}&recursive=true`)).toSorted(),
      ['a.txt', 'e/', 'e/b.txt', `${long.split('/')[0]}/`, long].sort(),
    )
    assert.ok((await names(`/v1beta/files/environment-${id}:download?alt=media`)).includes('workspace/d/e/b.txt'))
  })

  test('one that is there is not overwritten unless that is asked for', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { environment_id: id } = await own.run('Run `echo old > a`', { environment: 'remote' })
    const url = `/upload/v1beta/environments/${id}/files/workspace/a`
    const told = await own.ask('PUT', url, 'new')
    assert.deepEqual(
      [told.status, told.body.error],
      [409, { code: 'aborted', message: 'Requested entity already exists' }],
    )
    assert.equal((await own.ask('PUT', `${url}?overwrite=true`, 'new')).status, 200)
    assert.equal((await own.ask('GET', `/v1/environments/${id}/files/workspace/a?alt=media`)).text, 'new')
    assert.equal((await own.ask('PUT', `/v1/environments/${id}/files/workspace/a`, 'x')).status, 400)
  })

  test('come in pieces, by either protocol', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { environment_id: id } = await own.run('hello', { environment: 'remote' })
    const url = `/upload/v1beta/environments/${id}/files/workspace/p`
    const begun = await own.ask('PUT', `${url}?uploadType=resumable`, undefined, { 'x-upload-content-length': '6' })
    const session = new URL(begun.headers.get('location')!).pathname
    const first = await own.ask('PUT', session, 'abc', { 'content-range': 'bytes 0-2/6' })
    assert.deepEqual([first.status, first.headers.get('range')], [308, 'bytes=0-2'])
    assert.equal((await own.ask('PUT', session, 'x', { 'content-range': 'bytes 5-5/6' })).status, 400)
    const asked = await own.ask('PUT', session, undefined, { 'content-range': 'bytes */6' })
    assert.deepEqual([asked.status, asked.headers.get('range')], [308, 'bytes=0-2'])
    const last = await own.ask('PUT', session, 'def', { 'content-range': 'bytes 3-5/6' })
    assert.deepEqual([last.status, last.body.files[0]?.['size_bytes']], [200, '6'])
    assert.equal((await own.ask('PUT', session, 'x', { 'content-range': 'bytes 6-6/7' })).status, 404)
    const start = { 'x-goog-upload-protocol': 'resumable', 'x-goog-upload-command': 'start' }
    const google = await own.ask('PUT', `${url}2`, undefined, start)
    const place = new URL(google.headers.get('x-goog-upload-url')!).pathname
    await own.ask('POST', place, 'abc', { 'x-goog-upload-command': 'upload', 'x-goog-upload-offset': '0' })
    const query = await own.ask('POST', place, undefined, { 'x-goog-upload-command': 'query' })
    assert.equal(query.headers.get('x-goog-upload-size-received'), '3')
    const done = await own.ask('POST', place, 'def', {
      'x-goog-upload-command': 'upload, finalize',
      'x-goog-upload-offset': '3',
    })
    assert.equal(done.headers.get('x-goog-upload-status'), 'final')
    for (const name of ['p', 'p2'])
      assert.equal((await own.ask('GET', `/v1/environments/${id}/files/workspace/${name}?alt=media`)).text, 'abcdef')
  })

  test('archives are unpacked', async (t) => {
    const own = await ready(t)
    if (own === undefined || !need(t, 'tar')) return
    const { files } = own.client.environments
    const { environment_id: environment } = await own.run('hello', { environment: 'remote' })
    const archive = tarOf((directory) => {
      mkdirSync(join(directory, 'sub'))
      writeFileSync(join(directory, 'sub', 'run.sh'), 'echo ran\n', { mode: 0o755 })
      writeFileSync(join(directory, 'a.txt'), 'one\n')
      symlinkSync('a.txt', join(directory, 'link'))
    })
    for (const [name, bytes] of [
      ['plain', archive],
      ['zipped', gzipSync(archive)],
    ] as const) {
      const told = await files.upload({
        environment: environment!,
        path: `/workspace/${name}`,
        file: blob(bytes),
        extract: true,
      })
      assert.ok(told.files.some(({ path }: { path?: string }) => path === `workspace/${name}/a.txt`))
      const body = await own.run(`Run \`cd ${name} && sub/run.sh && cat link && ls -A\``, { environment })
      assert.equal(resultsOf(body)[0]!.text, 'ran\none\na.txt\nlink\nsub\n')
    }
    assert.ok(gunzipSync(gzipSync(archive)).equals(archive))
    const again = await own.ask(
      'PUT',
      `/upload/v1/environments/${environment}/files/workspace/plain?extract=true`,
      undefined,
    )
    assert.equal(again.status, 400)
    await assert.rejects(
      files.upload({ environment: environment!, path: '/workspace/plain', file: blob(archive), extract: true }, {
        maxRetries: 0,
      } as never),
      /already exists/,
    )
  })

  const bad: readonly (readonly [name: string, make: () => Buffer])[] = [
    [
      'an entry that leads out',
      () => tarOf((at) => writeFileSync(join(at, 'x'), 'x'), '--transform=s,^\\./x,../x,', '-P'),
    ],
    [
      'an absolute entry',
      () => tarOf((at) => writeFileSync(join(at, 'x'), 'x'), '--transform=s,^\\./x,/workspace/x,', '-P'),
    ],
    ['a link that leads out', () => tarOf((at) => symlinkSync('../../etc', join(at, 'x')))],
    ['an absolute link', () => tarOf((at) => symlinkSync('/etc/passwd', join(at, 'x')))],
    ['no archive', () => Buffer.from('this is no archive'.repeat(100))],
    ['half an archive', () => gzipSync(tarOf((at) => writeFileSync(join(at, 'x'), 'x'.repeat(9_000)))).subarray(0, 60)],
  ]
  for (const [name, make] of bad)
    test(`${name} is refused, and nothing is written`, async (t) => {
      const own = await ready(t)
      if (own === undefined || !need(t, 'tar')) return
      const { environment_id: id } = await own.run('hello', { environment: 'remote' })
      const list = `/v1/environments/${id}/files?recursive=true&page_size=1000`
      const before = (await own.ask('GET', list)).body.files.map(({ path }) => path)
      const answer = await fetch(`${own.base}/upload/v1/environments/${id}/files/workspace/sub?extract=true`, {
        ...{ method: 'PUT', headers: { 'x-goog-api-key': 'test-key' }, body: new Uint8Array(make()) },
      })
      assert.equal(answer.status, 400, await answer.text())
      assert.deepEqual(
        (await own.ask('GET', list)).body.files.map(({ path }) => path),
        before,
      )
    })
})

describe('credentials', () => {
  test('case 123: are made, told of, changed and removed', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { credentials } = own.client
    const made = await credentials.create({ id: 'c1', type: 'bearer_token', token: 'S3CRET' } as never)
    assert.doesNotMatch(JSON.stringify(made), /S3CRET/)
    const again = await own.ask('POST', '/v1/credentials', { id: 'c1', type: 'bearer_token', token: 'x' })
    assert.deepEqual([again.status, again.body.error.code], [409, 'aborted'])
    assert.match(again.body.error.message, /^Credential 'c1' already exists\./)
    const wrong = await own.ask('POST', '/v1/credentials', { id: 'c2', type: 'bearer_token', tokn: 'x' })
    assert.equal(wrong.status, 400)
    assert.match(wrong.body.error.message, /tokn[\s\S]*token/)
    assert.equal((await own.ask('PATCH', '/v1/credentials/c1', { token: 'y' })).status, 400)
    assert.equal((await own.ask('PATCH', '/v1/credentials/c1', { type: 'oauth2', client_id: 'y' })).status, 400)
    await credentials.create({ id: 'c3', type: 'bearer_token', token: 'z' } as never)
    const page = await own.ask('GET', '/v1/credentials?page_size=1')
    assert.equal(typeof page.body['next_page_token'], 'string')
    const last = await own.ask('GET', `/v1/credentials?page_size=1&page_token=${page.body['next_page_token']}`)
    assert.equal(last.body['next_page_token'], undefined)
    assert.equal((await own.ask('DELETE', '/v1/credentials/c1')).text, '{}')
    await assert.rejects(credentials.get('c1'), { name: 'NotFoundError' })
    await own.again()
    assert.equal((await own.client.credentials.get('c3')).id, 'c3')
  })
})

describe('the gates', () => {
  test('a flood becomes a digest, and its address is looked up in the same environment alone', async (t) => {
    if (!canIsolate(t)) return
    const asked: unknown[] = []
    const own = await startRuntime({
      lookUp: async (args) => {
        asked.push(args)
        return { text: 'L1: found', failed: false }
      },
    })
    try {
      const body = await own.run(command('seq 1 20000; echo ERROR at the end; seq 1 5'), { environment: 'remote' })
      const [flood] = resultsOf(body)
      assert.ok(flood!.text.length < 4_000)
      const address = /\b(?:run|blob):[0-9a-f]+/.exec(flood!.text)![0]
      const look = await own.run(
        calls(
          ['ctx', { op: 'get', ref: address, selector: { lines: '1:2' } }],
          ['ctx', { op: 'get', ref: 'repo:/etc/passwd' }],
        ),
        {
          environment: body.environment_id,
        },
      )
      assert.deepEqual(
        resultsOf(look).map(({ text, isError }) => [isError ? 'refused' : text]),
        [['L1: found'], ['refused']],
      )
      assert.equal(asked.length, 1)
      assert.deepEqual((await own.ask('GET', `/v1/interactions/${look.id}/trace`)).body.trace, [])
    } finally {
      await own.close()
    }
  })

  test('the guard denies what it would deny, or only says so', async (t) => {
    if (!canIsolate(t)) return
    for (const mode of ['enforce', 'observe'] as const) {
      const own = await startRuntime({ guard: { mode, policy: EMPTY_POLICY } })
      try {
        const body = await own.run(
          calls(
            ['code_execution', { code: 'rm -rf ~' }],
            [
              'code_execution',
              { code: 'import shutil, os; shutil.rmtree(os.path.expanduser("~"))', language: 'python' },
            ],
            ['code_execution', { code: 'echo fine' }],
            ['write_to_file', { path: '/workspace/a.txt', content: 'x' }],
          ),
          { environment: 'remote' },
        )
        const denied = resultsOf(body).map(({ text }) => text.startsWith('Tool call denied by hook: '))
        assert.deepEqual(denied, mode === 'enforce' ? [true, true, false, false] : [false, false, false, false], mode)
        // What was only observed has run: then there is no home left to lose.
        const said = own.events.filter(({ kind }) => kind.startsWith('guard.'))
        assert.equal(said.length, mode === 'enforce' ? 2 : 1)
      } finally {
        await own.close()
      }
    }
  })
})

test('a conversation and its environment outlive a restart', async (t) => {
  const own = await ready(t)
  if (own === undefined) return
  const first = await own.run('Run `echo kept > a`', { environment: 'remote' })
  await own.again()
  assert.deepEqual((await own.ask('GET', `/v1/interactions/${first.id}`)).body, first)
  const second = await own.run('Run `cat a`', { environment: first.environment_id, previous_interaction_id: first.id })
  assert.match(textOf(second), /kept/)
})
