import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { need } from '../../../test/need.ts'
import type { EnvironmentSpec, Source } from '../contract.ts'
import { arrived, startLab } from '../egress/lab.testing.ts'
import { lab } from './sandbox.testing.ts'
import { gitServer, objectStore } from './store.testing.ts'

const inline = (target: string, content = 'x', more: object = {}): Source => ({
  type: 'inline',
  target,
  content,
  ...more,
})
const big = (bytes: number): string => 'x'.repeat(bytes)

/** What is refused before anything is made, each with words of the refusal. */
const REFUSED: readonly (readonly [string, readonly unknown[], RegExp])[] = [
  ['the root', [inline('/')], /sources\[0\].*root/],
  ['the root by another name', [inline('a'), inline('./')], /sources\[1\].*root/],
  ['above', [inline('../x')], /sources\[0\].*"\.\."/],
  ['above in the middle', [inline('a/../../x')], /"\.\."/],
  ['NUL', [inline('a\0b')], /NUL/],
  ['/proc', [inline('/proc/1/x')], /system/],
  ['/usr', [inline('usr/bin/x')], /system/],
  ['/etc', [inline('//etc/passwd')], /system/],
  ['/bin', [inline('/bin/sh')], /system/],
  ['no target', [{ type: 'inline', content: 'x' }], /target is missing/],
  ['more than 1 MiB', [inline('a', big(1024 * 1024 + 1))], /sources\[0\].*1048576/],
  ['more than 2 MiB together', [0, 1, 2].map((n) => inline(`a${n}`, big(900_000))), /sources\[2\].*together/],
  ['unknown encoding', [inline('a', 'x', { encoding: 'gzip' })], /encoding "gzip"/],
  ['no base64', [inline('a', 'a!b', { encoding: 'base64' })], /base64/],
  ['unknown type', [{ type: 'skill_registry', source: 'x', target: 'y' }], /type "skill_registry" is not known/],
  ['no https', [{ type: 'repository', source: 'http://h/r', target: 'r' }], /https/],
  ['a local repository', [{ type: 'repository', source: '/etc', target: 'r' }], /https/],
  ['another transport', [{ type: 'repository', source: 'ext::sh -c id', target: 'r' }], /https/],
  ['a password', [{ type: 'repository', source: 'https://u:p@h/r', target: 'r' }], /user name or password/],
  ['an option', [{ type: 'repository', source: '--upload-pack=id', target: 'r' }], /https/],
  ['no bucket', [{ type: 'gcs', source: 'gs://', target: 'r' }], /gs:\/\/bucket\/path/],
]

test('sources that cannot be right are refused by their number, and nothing is made', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  for (const [name, sources, words] of REFUSED) {
    const spec = { sources } as unknown as EnvironmentSpec
    await assert.rejects(one.environments.create(spec), { status: 400, code: 'invalid_request', message: words }, name)
  }
  const closed: Source[] = [{ type: 'gcs', source: 'gs://bucket/x', target: 'x' }]
  for (const network of ['disabled', { allowlist: 'disabled' }] as const)
    await assert.rejects(
      one.environments.create({ sources: closed, network }),
      /sources\[0\].*network, which is disabled/,
    )
  assert.deepEqual(await one.environments.list(), [])
  assert.deepEqual(readdirSync(join(one.state, 'environments')), [])
})

const BASIC = `Basic ${Buffer.from('x-oauth-basic:secret-token').toString('base64')}`
const MANY = Object.fromEntries(Array.from({ length: 1500 }, (_, n) => [`many/d${n % 7}/f${n}`, Buffer.from(`${n}\n`)]))
const LARGE = Buffer.alloc(20 * 1024 * 1024, 'abcdefg')

async function upstreams(t: TestContext) {
  const git = gitServer(BASIC)
  const store = objectStore({
    buckets: {
      public: {
        ...MANY,
        'one.txt': Buffer.from('one\n'),
        'large.bin': LARGE,
        'dir/a': Buffer.from('a'),
        'dirx/b': Buffer.from('b'),
      },
      private: { 'conf/hooks.json': Buffer.from('{}\n') },
      sly: { 'd/../../../x': Buffer.from('x') },
      torn: { 'f/x': Buffer.from('whole') },
      'more-than-allowed': { 'f/x': Buffer.alloc(3_000_000) },
    },
    guarded: { private: 'Bearer bucket-token' },
    broken: new Set(['f/x']),
  })
  const upstream = await startLab({
    hosts: ['git.example.com:443', 'storage.googleapis.com:443'],
    answer: (req, res) => (req.headers.host === 'git.example.com' ? git.answer(req, res) : store(req, res)),
  })
  t.after(async () => {
    await upstream.close()
    git.close()
  })
  return upstream
}

test('repositories and buckets are fetched through the way out of the environment', async (t) => {
  if (!need(t, 'git')) return
  const upstream = await upstreams(t)
  const one = await lab(t, { egress: upstream.egress, sourceLimits: { repository: 2_000_000, objects: 2 ** 25 } })
  if (one === undefined) return
  const { environments, bash } = one
  const network = {
    allowlist: [
      { domain: 'git.example.com', transform: { Authorization: BASIC } },
      { domain: 'storage.googleapis.com', transform: [{ Authorization: 'Bearer bucket-token' }] },
    ],
  }

  await t.test('a private repository, with its hooks, and no secret inside', async () => {
    const { id } = await environments.create({
      network,
      sources: [
        inline('/workspace/repo/own.txt', 'kept\n'),
        inline('/workspace/repo/README', 'replaced\n'),
        { type: 'repository', source: 'https://git.example.com/private.git', target: '/workspace/repo' },
        { type: 'repository', source: 'https://git.example.com/repo.git', target: 'other' },
      ],
    })
    assert.deepEqual(await environments.hookRoots(id), ['/', '/workspace', '/workspace/repo', '/other'])
    const seen = await bash(
      id,
      'cd repo && cat README own.txt .agents/hooks.json && git log --oneline | wc -l && git status --short; ' +
        'cat /other/README; grep -rIl secret-token /workspace /other /home /tmp /etc /runtime/*.pem 2>/dev/null; cat .git/config',
    )
    assert.match(seen.output, /^private\nkept\n\{\}\n1\n\?\? own.txt\nrepo\n\[core\]/)
    assert.doesNotMatch(seen.output, /secret-token|x-oauth-basic/)
    assert.match(seen.output, /url = https:\/\/git.example.com\/private.git/)
    assert.deepEqual(arrived(upstream.seen.at(-1)!, 'authorization'), [BASIC])
    // The links of the repository are links inside: they lead nowhere on the host.
    const files = await environments.files(id)
    assert.equal(await files.real('/workspace/repo/etc/passwd'), '/etc/passwd')
    assert.equal(await files.real('/workspace/repo/up'), '/tmp')
  })

  await t.test('public and private buckets, in pages and in pieces', async () => {
    const { id, fileCount } = await environments.create({
      network,
      sources: [
        { type: 'gcs', source: 'gs://public/many', target: '/data' },
        { type: 'gcs', source: 'gs://public/one.txt', target: '/data/renamed.txt' },
        { type: 'gcs', source: 'gs://public/dir', target: '/d' },
        { type: 'gcs', source: 'gs://public/large.bin', target: '/large' },
        { type: 'gcs', source: 'gs://private/conf', target: '/.agents' },
      ],
    })
    assert.equal(fileCount, 1500 + 4)
    const seen = await bash(
      id,
      'find /data -type f | wc -l; cat /data/d3/f1480 /data/renamed.txt; ls /d; md5sum < /large; cat /.agents/hooks.json',
    )
    const { createHash } = await import('node:crypto')
    const sum = createHash('md5').update(LARGE).digest('hex')
    assert.equal(seen.output, `1501\n1480\none\na\n${sum}  -\n{}\n`)
  })

  const FAILED: readonly (readonly [string, Source, RegExp])[] = [
    [
      'no repository',
      { type: 'repository', source: 'https://git.example.com/none.git', target: 'r' },
      /cannot be cloned.*not found/i,
    ],
    [
      'too large',
      { type: 'repository', source: 'https://git.example.com/large.git', target: 'r' },
      /larger than 2000000/,
    ],
    [
      'a host that is not listed',
      { type: 'repository', source: 'https://other.example.com/r.git', target: 'r' },
      /cannot be cloned/,
    ],
    ['no bucket', { type: 'gcs', source: 'gs://missing/x', target: 'r' }, /gs:\/\/missing does not exist/],
    ['nothing below', { type: 'gcs', source: 'gs://public/nothing', target: 'r' }, /holds nothing/],
    ['names that lead out', { type: 'gcs', source: 'gs://sly/d', target: 'r' }, /can be no file/],
    ['another content', { type: 'gcs', source: 'gs://torn/f', target: 'r' }, /another content/],
  ]
  for (const [name, source, words] of FAILED)
    await t.test(`fails: ${name}`, async () => {
      const sources = [inline('a'), source]
      await assert.rejects(environments.create({ network, sources }), { status: 400, message: words })
    })

  await t.test('fails: without the credential, and too many bytes', async () => {
    const open = { allowlist: [{ domain: '*' }] }
    for (const [source, words] of [
      [{ type: 'gcs', source: 'gs://private/conf', target: 'r' }, /may not be read \(401\).*credential/],
      [{ type: 'repository', source: 'https://git.example.com/private.git', target: 'r' }, /cannot be cloned/],
    ] as const)
      await assert.rejects(environments.create({ network: open, sources: [source] }), { status: 400, message: words })
    const small = await lab(t, { egress: upstream.egress, sourceLimits: { repository: 1, objects: 2_000_000 } })
    const source: Source = { type: 'gcs', source: 'gs://more-than-allowed/f', target: 'r' }
    await assert.rejects(small!.environments.create({ network: open, sources: [source] }), /3000000 bytes.*2000000/)
  })

  await t.test('nothing of a failed one is left', async () => {
    const left = readdirSync(join(one.state, 'environments'))
    assert.deepEqual(left.sort(), (await environments.list()).map(({ id }) => id).sort())
    for (const id of left) {
      assert.equal(existsSync(join(one.state, 'environments', id, 'fetched')), false)
      assert.doesNotMatch(
        readFileSync(
          join(one.state, 'environments', id, 'root', 'etc', '..', 'workspace', '..', '..', 'record.json'),
          'utf8',
        ),
        /"content":"[^"]/,
      )
    }
  })
})
