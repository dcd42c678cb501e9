/** Real clients through a door, with the variables that it gives and no flag: what arrives is judged by the upstream's log. */
import assert from 'node:assert/strict'
import { execFile, execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join, normalize } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { need } from '../../../test/need.ts'
import type { EgressDoor } from '../contract.ts'
import { arrived, type Lab, startLab } from './lab.testing.ts'

let lab: Lab
let door: EgressDoor
let proxy: Server
let dir: string
let env: Record<string, string>

before(async () => {
  dir = mkdtempSync(join(tmpdir(), 'clients-'))
  lab = await startLab({
    hosts: ['api.test:443', 'api.test:80', 'closed.test:443', 'closed.test:80'],
    answer: (req, res) => {
      const path = join(dir, 'srv', normalize(new URL(req.url ?? '/', 'http://x').pathname))
      try {
        res.end(readFileSync(path))
      } catch {
        req.on('end', () => res.writeHead(req.url === '/hello' || req.method === 'POST' ? 200 : 404).end('hello\n'))
      }
    },
  })
  door = await lab.open({ allowlist: [{ domain: 'api.test', transform: { 'X-Key': 'set' } }] })
  // What the helper inside a sandbox does for clients that know a proxy.
  proxy = createServer({ allowHalfOpen: true }, (socket) => {
    const inner = connect({ path: door.socket, allowHalfOpen: true })
    inner.write('{"to":"proxy"}\n')
    for (const side of [socket, inner]) side.on('error', () => void [socket.destroy(), inner.destroy()])
    socket.pipe(inner)
    inner.pipe(socket)
  })
  proxy.listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  env = {
    PATH: process.env['PATH'] ?? '',
    HOME: dir,
    HTTPS_PROXY: url,
    https_proxy: url,
    http_proxy: url,
    no_proxy: '',
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_NOSYSTEM: '1',
    ...door.variables(door.bundleFile, door.caFile),
  }
})
after(async () => {
  proxy.close()
  await lab.close()
  rmSync(dir, { recursive: true, force: true })
})

interface Ran {
  readonly code: number | string
  readonly out: string
}

const run = (file: string, args: readonly string[], more: Record<string, string> = {}): Promise<Ran> =>
  new Promise((resolve) => {
    execFile(file, args, { env: { ...env, ...more }, cwd: dir, timeout: 60_000 }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : (error.code ?? 'killed'), out: stdout + stderr }),
    )
  })

const URLLIB = 'import sys, urllib.request; print(urllib.request.urlopen(sys.argv[1]).read().decode())'
const REQUESTS = 'import sys, requests; r = requests.get(sys.argv[1]); r.raise_for_status(); print(r.text)'
const FETCH =
  'fetch(process.argv[1]).then(async (r) => { if (!r.ok) throw new Error(r.status); console.log(await r.text()) })'

interface Client {
  readonly name: string
  readonly program: string
  readonly args: (url: string) => readonly string[]
  /** What must be there beside the program. */
  readonly module?: string
  readonly env?: Record<string, string>
}

const CLIENTS: readonly Client[] = [
  { name: 'curl', program: 'curl', args: (url) => ['-sS', '--fail', url] },
  { name: 'curl --http2', program: 'curl', args: (url) => ['-sS', '--fail', '--http2', url] },
  {
    name: 'wget',
    program: 'wget',
    // Debian's reads no variable for certificates: a sandbox puts the bundle in the place of the system's.
    args: (url) => ['-q', '-O', '-', '--tries=1', `--ca-certificate=${env['SSL_CERT_FILE']}`, url],
  },
  { name: 'python urllib', program: 'python3', args: (url) => ['-c', URLLIB, url] },
  { name: 'python requests', program: 'python3', args: (url) => ['-c', REQUESTS, url], module: 'requests' },
  { name: 'node fetch', program: 'node', args: (url) => ['-e', FETCH, url], env: { NODE_USE_ENV_PROXY: '1' } },
]

const LISTED = 'https://api.test/hello'
const CLOSED = 'https://closed.test/hello'

describe('clients', () => {
  for (const { name, program, args, module, env: more } of CLIENTS)
    test(name, async (t) => {
      if (!need(t, program)) return
      if (module !== undefined && (await run(program, ['-c', `import ${module}`])).code !== 0) {
        t.skip(`not run: ${module} is absent`)
        return
      }
      const had = lab.seen.length
      const ran = await run(program, args(LISTED), more)
      assert.deepEqual([ran.code, ran.out.trim()], [0, 'hello'], ran.out)
      assert.deepEqual(
        lab.seen.slice(had).map((one) => arrived(one, 'x-key')),
        [['set']],
      )
      assert.notEqual((await run(program, args(CLOSED), more)).code, 0)
      assert.equal(lab.seen.length, had + 1)
    })

  test('curl shows the sentence of a refusal in clear text', async (t) => {
    if (!need(t, 'curl')) return
    const had = lab.seen.length
    const { out } = await run('curl', ['-sS', 'http://closed.test/hello'])
    assert.equal(out, 'Blocked: closed.test is not on the network allowlist of this environment.\n')
    assert.match(
      (await run('curl', ['-sS', 'http://api.test/hello'])).out,
      /^Blocked: api\.test has a credential or header rule/,
    )
    assert.equal(lab.seen.length, had)
  })

  test('curl sends a large body after 100-continue', async (t) => {
    if (!need(t, 'curl')) return
    writeFileSync(join(dir, 'large'), Buffer.alloc(3 << 20, 'x'))
    const ran = await run('curl', [
      '-sS',
      '--fail',
      '--data-binary',
      '@large',
      '-H',
      'Expect: 100-continue',
      'https://api.test/up',
    ])
    assert.deepEqual([ran.code, lab.seen.at(-1)?.bytes], [0, 3 << 20], ran.out)
  })

  test('openssl s_client verifies the leaf', async (t) => {
    if (!need(t, 'openssl')) return
    const { port } = proxy.address() as AddressInfo
    const args = (name: string) => [
      's_client',
      '-proxy',
      `127.0.0.1:${port}`,
      '-connect',
      `${name}:443`,
      '-servername',
      'api.test',
      '-CAfile',
      door.caFile,
      '-verify_return_error',
      '-verify_hostname',
      'api.test',
    ]
    const ran = await run('sh', ['-c', 'openssl "$@" </dev/null', 'sh', ...args('api.test')])
    assert.match(ran.out, /Verify return code: 0 \(ok\)/)
    assert.doesNotMatch(
      (await run('sh', ['-c', 'openssl "$@" </dev/null', 'sh', ...args('closed.test')])).out,
      /Verify return code: 0 \(ok\)[\s\S]*BEGIN CERT/,
    )
  })

  test('git clones over https', async (t) => {
    if (!need(t, 'git')) return
    const work = join(dir, 'work')
    mkdirSync(work)
    const git = (cwd: string, ...args: readonly string[]) =>
      execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', '-c', 'init.defaultBranch=main', ...args], {
        cwd,
        env,
        stdio: 'pipe',
      })
    git(work, 'init', '-q')
    writeFileSync(join(work, 'a.txt'), 'hello\n')
    git(work, 'add', '.')
    git(work, 'commit', '-qm', 'one')
    mkdirSync(join(dir, 'srv'))
    git(dir, 'clone', '-q', '--bare', work, join(dir, 'srv/a.git'))
    git(join(dir, 'srv/a.git'), 'update-server-info')
    const ran = await run('git', ['clone', '-q', 'https://api.test/a.git', 'cloned'])
    assert.equal(ran.code, 0, ran.out)
    assert.equal(readFileSync(join(dir, 'cloned/a.txt'), 'utf8'), 'hello\n')
    const had = lab.seen.length
    assert.notEqual((await run('git', ['clone', '-q', 'https://closed.test/a.git', 'no'])).code, 0)
    assert.equal(lab.seen.length, had)
  })
})
