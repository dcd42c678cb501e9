/** Files of environments over the API, through the SDK and by hand. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, type TestContext, test } from 'node:test'
import { gunzipSync, gzipSync } from 'node:zlib'
import { need } from '../need.ts'
import { canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

let server: Running | undefined
after(async () => server?.close())

async function ready(t: TestContext): Promise<Running | undefined> {
  if (!canIsolate(t)) return undefined
  server ??= await startRuntime()
  return server
}

describe('case 122: files', () => {
  /** A tar of what `fill` writes into a scratch directory. */
  function tarOf(fill: (directory: string) => void, ...flags: readonly string[]): Buffer {
    const directory = mkdtempSync(join(tmpdir(), 'tar-'))
    try {
      mkdirSync(join(directory, 'in'))
      fill(join(directory, 'in'))
      return execFileSync('tar', ['-c', '-C', join(directory, 'in'), ...flags, '.'], { maxBuffer: 2 ** 26 })
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

  test('an archive of many entries holds nobody up, and its answer names a page of them', async (t) => {
    const own = await ready(t)
    if (own === undefined || !need(t, 'tar')) return
    const { environment_id: id } = await own.run('hello', { environment: 'remote' })
    const archive = tarOf((directory) => {
      for (let n = 0; n < 2_500; n++) writeFileSync(join(directory, `f${n}`), '')
    })
    const put = async (into: string, query: string) => {
      const url = `${own.base}/upload/v1/environments/${id}/files/workspace/${into}?extract=true${query}`
      const answer = await fetch(url, {
        ...{ method: 'PUT', headers: { 'x-goog-api-key': 'test-key' }, body: new Uint8Array(archive) },
      })
      const body = (await answer.json()) as { files: readonly unknown[]; file_count?: string }
      return { status: answer.status, files: body.files, count: body.file_count }
    }
    const { status, files, count } = await put('many', '')
    assert.deepEqual([status, files.length, count], [200, 1_000, '2501'])
    assert.equal((await put('many', '')).status, 409)
    assert.equal((await put('many', '&overwrite=true')).status, 200)
    await own.run('Run `mkdir half && touch half/f2499`', { environment: id })
    assert.equal((await put('half', '')).status, 409, 'the last one is there already')
    const list = await own.ask('GET', `/v1/environments/${id}/files/workspace/half`)
    assert.equal(list.body.files.length, 1, 'nothing was written')
  })

  const ranges: readonly (readonly [range: string, status: number])[] = [
    ['bytes 0-5/6', 200],
    ['bytes 0-5/*', 200],
    ['bytes 0-2/6', 400],
    ['bytes 1-6/7', 400],
    ['bytes 0-5/7', 400],
    ['bytes */6', 400],
    ['lines 0-5/6', 400],
  ]
  test('a whole upload that says it is a piece is refused', async (t) => {
    const own = await ready(t)
    if (own === undefined) return
    const { environment_id: id } = await own.run('hello', { environment: 'remote' })
    for (const [at, [range, status]] of ranges.entries()) {
      const url = `/upload/v1/environments/${id}/files/workspace/r${at}`
      assert.equal((await own.ask('PUT', url, 'abcdef', { 'content-range': range })).status, status, range)
      const there = await own.ask('GET', `/v1/environments/${id}/files/workspace/r${at}?alt=media`)
      assert.equal(there.status, status === 200 ? 200 : 404, range)
    }
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
