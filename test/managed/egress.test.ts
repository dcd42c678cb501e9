/**
 * The published cases of the way out, 66 to 101, against a running server: programs inside a sandbox try, and the log of
 * the upstreams is the judge.
 */
import assert from 'node:assert/strict'
import { after, before, describe, type TestContext, test } from 'node:test'
import { WebSocketServer } from 'ws'
import { arrived, type Lab, type Seen, startLab } from '../../src/managed/egress/lab.testing.ts'
import { need } from '../need.ts'
import { canIsolate, command, type Running, resultsOf, startRuntime } from './support.ts'

const HOSTS = [
  'example.test:443',
  'example.test:80',
  'a.example.test:443',
  'a.b.example.test:443',
  'evilexample.test:443',
  'example.test.evil.tld:443',
  'api.example.test:443',
  'api.example.test:80',
  'api.example.test:8443',
  'api.example.test:22',
  'other.test:443',
  'auth.test:443',
  'bad-ca.test:443',
  'bad-name.test:443',
  'ws.test:443',
]

let lab: Lab
let server: Running | undefined
/** Names that were looked up, and what they are answered with. */
const asked: string[] = []
const names: Readonly<Record<string, readonly string[]>> = {
  'to-loopback.test': ['127.0.0.1'],
  'to-mapped.test': ['::ffff:10.0.0.1'],
  'to-nat64.test': ['64:ff9b::7f00:1'],
  'to-6to4.test': ['2002:7f00:1::'],
  'to-private.test': ['10.0.0.1'],
  'to-both.test': ['203.0.113.9', '127.0.0.1'],
}
/** Tokens that the token endpoint has given, and how long each lives. */
const granted: string[] = []
let life = 3600

before(async () => {
  const sockets = new WebSocketServer({ noServer: true })
  lab = await startLab({
    hosts: HOSTS,
    badCa: ['bad-ca.test:443'],
    certificateFor: (host) => (host === 'bad-name.test' ? 'somebody-else.test' : host),
    answer(request, response) {
      const { url = '', headers } = request
      const body: Buffer[] = []
      request.on('data', (part: Buffer) => body.push(part))
      request.on('end', () => {
        if (headers.host === 'auth.test') {
          const text = Buffer.concat(body).toString()
          if (!text.includes('good-refresh')) return void response.writeHead(400).end('{"error":"invalid_grant"}')
          granted.push(`access-${granted.length + 1}`)
          response.writeHead(200, { 'content-type': 'application/json' })
          response.end(
            JSON.stringify({
              access_token: granted.at(-1),
              expires_in: life,
              refresh_token: `good-refresh-${granted.length}`,
            }),
          )
        } else if (url.startsWith('/to-loopback')) response.writeHead(302, { location: 'http://127.0.0.1/' }).end()
        else if (url.startsWith('/to-other')) response.writeHead(302, { location: 'https://other.test/landed' }).end()
        else if (url.startsWith('/large')) response.end(Buffer.alloc(100 * 1024 * 1024, 'x'))
        else if (url.startsWith('/events')) {
          response.writeHead(200, { 'content-type': 'text/event-stream' })
          response.write('data: first\n\n')
          setTimeout(() => response.end('data: last\n\n'), 500)
        } else response.end(`hello from ${headers.host}\n`)
      })
    },
    upgrade: (request, socket, head) =>
      sockets.handleUpgrade(request, socket as never, head, (ws) =>
        ws.on('message', (data) => ws.send(`echo ${String(data)}`)),
      ),
  })
})
after(async () => {
  await server?.close()
  await lab.close()
})

async function ready(t: TestContext): Promise<boolean> {
  if (!canIsolate(t) || !need(t, 'curl') || !need(t, 'python3')) return false
  server ??= await startRuntime({
    operator: {
      upstreams: lab.upstreams,
      async resolve(name) {
        asked.push(name)
        const found = names[name]
        if (found === undefined) throw Object.assign(new Error('no such name'), { code: 'ENOTFOUND' })
        return found
      },
    },
  })
  return true
}

type Rules = unknown

const list = (...entries: readonly (string | object)[]) => ({
  allowlist: entries.map((one) => (typeof one === 'string' ? { domain: one } : one)),
})

interface Tried {
  readonly out: string
  readonly seen: readonly Seen[]
  readonly environment: string
}

async function make(network: Rules, env: object = {}): Promise<string> {
  const told = await server!.ask('POST', '/v1/environments', { ...(network === undefined ? {} : { network }), env })
  assert.equal(told.status, 200, told.text)
  return told.body.id
}

/** Runs a program in an environment: what it printed, and what reached the upstreams meanwhile. */
async function inside(environment: string, code: string, language = 'bash'): Promise<Tried> {
  lab.seen.length = 0
  const body = await server!.run(command(code, language), { environment })
  return { out: resultsOf(body)[0]!.text, seen: [...lab.seen], environment }
}

const tryIn = async (network: Rules, code: string, language?: string): Promise<Tried> =>
  inside(await make(network), code, language)

/** A request by curl: prints the body, then the status, 000 where none came. */
const get = (url: string, ...more: readonly string[]): string =>
  `curl -sS -m 20 -w '[%{http_code}]' ${more.join(' ')} '${url}' 2>&1; echo`

const paths = (seen: readonly Seen[]) => seen.map(({ host }) => host)

async function credential(body: { readonly id: string; readonly [key: string]: unknown }): Promise<void> {
  const told = await server!.ask('POST', '/v1/credentials', body)
  assert.equal(told.status, 200, told.text)
}

describe('what is let through', () => {
  const api = 'https://api.example.test/'
  const rows: readonly (readonly [n: string, rules: Rules, urls: readonly string[], through: readonly string[]])[] = [
    [
      '66: no rules',
      undefined,
      ['https://example.test/', 'http://127.0.0.1/', 'https://localhost/', 'http://169.254.169.254/latest'],
      ['example.test:443'],
    ],
    ['67: an empty list', list(), ['https://example.test/', api], []],
    ['67: disabled', 'disabled', ['https://example.test/', api], []],
    ['67: a disabled list', { allowlist: 'disabled' }, ['https://example.test/', api], []],
    [
      '68: what is below a name',
      list('*.example.test'),
      [
        'https://a.example.test/',
        'https://a.b.example.test/',
        'https://example.test/',
        'https://evilexample.test/',
        'https://example.test.evil.tld/',
      ],
      ['a.example.test:443', 'a.b.example.test:443'],
    ],
    [
      '69: capitals and a dot at the end',
      list('API.Example.TEST.'),
      [api, 'https://API.EXAMPLE.test./'],
      ['api.example.test:443', 'api.example.test:443'],
    ],
    [
      '79: names that lead inside',
      list('*'),
      Object.keys(names)
        .slice(0, 5)
        .map((name) => `https://${name}/`),
      [],
    ],
    [
      '81: odd spellings of loopback',
      undefined,
      ['http://2130706433/', 'http://0x7f.1/', 'http://127.1/', 'http://0.0.0.0/'],
      [],
    ],
    [
      '84: an address where names are listed',
      list('api.example.test'),
      ['https://203.0.113.9/', api],
      ['api.example.test:443'],
    ],
    [
      '86: what stands before @',
      list('api.example.test'),
      ['https://api.example.test@other.test/', api],
      ['api.example.test:443'],
    ],
    [
      '89: other ports',
      list('api.example.test'),
      ['https://api.example.test:8443/', 'https://api.example.test:22/', api],
      ['api.example.test:443'],
    ],
    [
      '95: certificates that do not hold',
      list('*'),
      ['https://bad-ca.test/', 'https://bad-name.test/', api],
      ['api.example.test:443'],
    ],
  ]
  for (const [n, rules, urls, through] of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      const { seen } = await tryIn(rules, urls.map((url) => get(url)).join('\n'))
      assert.deepEqual(paths(seen), through)
    })

  test('case 80: one look-up, and what was checked is dialled', async (t) => {
    if (!(await ready(t))) return
    asked.length = 0
    await tryIn(list('*'), get('https://to-both.test/', '--retry 0'))
    assert.deepEqual(asked, ['to-both.test'])
    assert.equal(lab.seen.length, 0)
  })

  test('case 89: a port that the operator opens', async (t) => {
    if (!(await ready(t))) return
    const own = await startRuntime({ operator: { upstreams: lab.upstreams, ports: [8443] } })
    try {
      lab.seen.length = 0
      await own.run(command(get('https://api.example.test:8443/')), {
        environment: { type: 'remote', network: list('api.example.test') },
      })
      assert.deepEqual(paths(lab.seen), ['api.example.test:8443'])
    } finally {
      await own.close()
    }
  })

  test('case 98: new rules hold at once, and files stay', async (t) => {
    if (!(await ready(t))) return
    const one = await tryIn(list('api.example.test'), `${get(api)}; echo kept > /workspace/kept`)
    assert.deepEqual(paths(one.seen), ['api.example.test:443'])
    lab.seen.length = 0
    const environment = { type: 'remote', environment_id: one.environment, network: list('other.test') }
    const body = await server!.run(command(`${get(api)}; ${get('https://other.test/')}; cat /workspace/kept`), {
      environment,
    })
    assert.deepEqual(paths(lab.seen), ['other.test:443'])
    assert.match(resultsOf(body)[0]!.text, /kept/)
  })

  test('case 101: a refusal says what and by which rule, in one sentence', async (t) => {
    if (!(await ready(t))) return
    const { out } = await tryIn(list('api.example.test'), get('http://other.test/'))
    assert.match(out, /^[^\n]*other\.test[^\n]*allowlist[^\n]*\.\s*\[403\]/)
  })
})

describe('what is set on the way', () => {
  const url = 'https://api.example.test/x'
  const bearer = (token: string, more: object = {}) => ({
    domain: 'api.example.test',
    transform: { Authorization: `Bearer ${token}` },
    ...more,
  })

  test('case 70, 71: by the most specific rule, over whatever the sandbox sends', async (t) => {
    if (!(await ready(t))) return
    const { seen } = await tryIn(
      list('*', bearer('ours')),
      get(url, "-H 'authorization: mine'", "-H 'Authorization: again'"),
    )
    assert.deepEqual(arrived(seen[0]!, 'authorization'), ['Bearer ours'])
  })

  test('case 72, 73: a credential, then transform; lists are merged; no line ends', async (t) => {
    if (!(await ready(t))) return
    await credential({ id: 'both', type: 'bearer_token', token: 'of-the-store' })
    const entry = {
      domain: 'api.example.test',
      credential: 'both',
      transform: [{ authorization: 'first', 'X-A': '1' }, { Authorization: 'last' }],
    }
    const { seen } = await tryIn(list(entry), get(url))
    assert.deepEqual([arrived(seen[0]!, 'authorization'), arrived(seen[0]!, 'x-a')], [['last'], ['1']])
    const told = await server!.ask('POST', '/v1/environments', {
      network: list({ domain: 'a.test', transform: { A: 'b\r\nC: d' } }),
    })
    assert.deepEqual([told.status, told.body.error.code], [400, 'invalid_request'])
  })

  test('case 74, 75, 76: a header of its own, a change, an end', async (t) => {
    if (!(await ready(t))) return
    await credential({ id: 'own', type: 'bearer_token', token: 'one', header_name: 'X-Api-Key', prefix: '' })
    const environment = await make(list({ domain: 'api.example.test', credential: 'own' }))
    assert.deepEqual(arrived((await inside(environment, get(url))).seen[0]!, 'x-api-key'), ['one'])
    await server!.ask('PATCH', '/v1/credentials/own', { type: 'bearer_token', token: 'two' })
    assert.deepEqual(arrived((await inside(environment, get(url))).seen[0]!, 'x-api-key'), ['two'])
    await server!.ask('DELETE', '/v1/credentials/own')
    const gone = await inside(environment, get(url))
    assert.deepEqual(gone.seen, [])
    assert.match(gone.out, /\[(?:403|502)\]/)
  })

  test('case 77: oauth2 is proved when it is stored, and renewed once for all', async (t) => {
    if (!(await ready(t))) return
    const oauth = { type: 'oauth2', client_id: 'c', client_secret: 's', token_url: 'https://auth.test/token' }
    const bad = await server!.ask('POST', '/v1/credentials', { ...oauth, id: 'bad', refresh_token: 'wrong' })
    assert.deepEqual([bad.status, bad.body.error.code], [400, 'invalid_request'])
    life = 1
    await credential({ ...oauth, id: 'good', refresh_token: 'good-refresh-0' })
    const before = granted.length
    life = 3600
    const environment = await make(list({ domain: 'api.example.test', credential: 'good' }))
    await new Promise((resolve) => setTimeout(resolve, 1_100))
    const { seen } = await inside(environment, `for i in $(seq 20); do ${get(url)} & done; wait`)
    assert.equal(seen.filter(({ host }) => host === 'api.example.test:443').length, 20)
    assert.equal(granted.length, before + 1)
    for (const one of seen.filter(({ host }) => host.startsWith('api')))
      assert.deepEqual(arrived(one, 'authorization'), [`Bearer ${granted.at(-1)}`])
  })

  test('case 78, 121: a variable holds a placeholder, and the wire the value', async (t) => {
    if (!(await ready(t))) return
    await credential({
      id: 'var',
      type: 'environment_variable',
      value: 'real-value',
      injection_location: 'header',
      trusted_domains: ['api.example.test'],
    })
    const environment = await make(list('api.example.test', 'other.test'), {
      TOKEN: { credential: 'var' },
      PLAIN: 'as it is',
    })
    const shown = await inside(environment, 'printenv TOKEN PLAIN')
    assert.match(shown.out, /^__GEMINI_CRED_var__\nas it is\n/)
    const good = await inside(
      environment,
      get(url, '-H "X-T: $TOKEN"', '-u "user:$TOKEN"').replaceAll("'https", '"https').replaceAll("x'", 'x"'),
    )
    assert.deepEqual(arrived(good.seen[0]!, 'x-t'), ['real-value'])
    assert.equal(
      Buffer.from(arrived(good.seen[0]!, 'authorization')[0]!.slice(6), 'base64').toString(),
      'user:real-value',
    )
    const away = await inside(environment, get('https://other.test/', '-H "X-T: $TOKEN"'))
    assert.deepEqual([away.seen, /\[403\]/.test(away.out)], [[], true])
    const query = await inside(environment, 'curl -sS -m 20 -w "[%{http_code}]" "https://api.example.test/?t=$TOKEN"')
    assert.deepEqual([query.seen, /\[403\]/.test(query.out)], [[], true])
  })

  test('case 87, 88: redirects are the client’s, and bring nothing along', async (t) => {
    if (!(await ready(t))) return
    const environment = await make(list(bearer('ours'), 'other.test'))
    const asIs = await inside(environment, get('https://api.example.test/to-loopback', '-i'))
    assert.match(asIs.out, /302[\s\S]*location: http:\/\/127\.0\.0\.1\//i)
    const followed = await inside(environment, get('https://api.example.test/to-loopback', '-L'))
    assert.match(followed.out, /\[403\]/)
    const { seen } = await inside(environment, get('https://api.example.test/to-other', '-L'))
    assert.deepEqual(
      seen.map((one) => [one.host, arrived(one, 'authorization')]),
      [
        ['api.example.test:443', ['Bearer ours']],
        ['other.test:443', []],
      ],
    )
  })

  test('case 90: WebSocket, with the header on its upgrade', async (t) => {
    if (!(await ready(t))) return
    const code =
      "const ws = new WebSocket('wss://ws.test/chat'); ws.onopen = () => ws.send('hi'); ws.onmessage = ({ data }) => { console.log(data); ws.close() }; ws.onerror = (e) => console.log('error', e.message)"
    const { out, seen } = await tryIn(
      list({ domain: 'ws.test', transform: { Authorization: 'Bearer ws' } }),
      code,
      'node',
    )
    assert.match(out, /^echo hi/)
    assert.deepEqual(arrived(seen[0]!, 'authorization'), ['Bearer ws'])
  })

  test('case 92: nothing is set in clear text', async (t) => {
    if (!(await ready(t))) return
    const { out, seen } = await tryIn(
      list(bearer('ours'), 'example.test'),
      `${get('http://api.example.test/')}\n${get('http://example.test/')}`,
    )
    assert.deepEqual(paths(seen), ['example.test:80'])
    assert.match(out, /\[403\]/)
  })

  test('case 100: a secret is nowhere but on the wire', async (t) => {
    if (!(await ready(t))) return
    await credential({ id: 'hidden', type: 'bearer_token', token: 'S3CRET-OF-THE-STORE' })
    const environment = await make(
      list({ domain: 'api.example.test', credential: 'hidden', transform: { 'X-T': 'S3CRET-OF-THE-RULE' } }),
    )
    const { out, seen } = await inside(
      environment,
      `${get(url)}; env; cat /proc/*/environ /proc/*/cmdline 2>/dev/null | tr '\\0' ' '; grep -rs S3CR''ET /workspace /home /etc /runtime /tmp /var /run`,
    )
    assert.equal(JSON.stringify(seen[0]!.headers).match(/S3CRET/g)?.length, 2)
    const wrong = await inside(environment, get('https://other.test/'))
    const told = [out, wrong.out, JSON.stringify(server!.events)]
    for (const path of [`environments/${environment}`, 'environments', 'credentials/hidden', 'credentials'])
      told.push((await server!.ask('GET', `/v1/${path}`)).text)
    for (const text of told) assert.doesNotMatch(text, /S3CRET/)
  })
})

describe('ways round', () => {
  const rules = list('a.example.test', 'api.example.test')
  const good = get('https://api.example.test/good')

  const rows: readonly (readonly [n: string, code: string, language?: string, out?: RegExp])[] = [
    [
      '82: another name in the handshake',
      get(
        'https://other.test/',
        '--connect-to other.test:443:a.example.test:443',
        '--proxytunnel',
        '--proxy "$HTTPS_PROXY"',
      ),
    ],
    ['83: another name in Host', get('https://a.example.test/', "-H 'Host: other.test'"), 'bash', /\[421\]/],
    [
      '85: no name in the handshake',
      "import socket, ssl\nc = ssl.create_default_context(); c.check_hostname = False; c.verify_mode = ssl.CERT_NONE\ntry:\n  s = c.wrap_socket(socket.create_connection(('a.example.test', 443), 10)); s.sendall(b'GET / HTTP/1.1\\r\\nHost: a.example.test\\r\\n\\r\\n'); print('read', s.recv(100))\nexcept Exception as e: print('failed', e)",
      'python',
      /failed|read b''/,
    ],
    [
      '85: bytes that are no handshake',
      "import socket\ns = socket.create_connection(('a.example.test', 443), 10); s.sendall(b'GET / HTTP/1.1\\r\\nHost: a.example.test\\r\\n\\r\\n')\ntry: print('read', s.recv(100))\nexcept Exception as e: print('failed', e)",
      'python',
      /failed|read b''/,
    ],
    [
      '93: fetch, which knows no proxy',
      "for (const host of ['other.test', '203.0.113.9']) await fetch(`https://${host}/`).then((r) => console.log(r.status), (e) => console.log('failed', e.message))",
      'node',
    ],
    [
      '93: a raw socket to an address',
      "import socket\nfor port in (80, 443, 22):\n  try:\n    s = socket.create_connection(('203.0.113.9', port), 5); s.sendall(b'GET / HTTP/1.1\\r\\nHost: other.test\\r\\n\\r\\n'); print(s.recv(100))\n  except Exception as e: print('failed', e)",
      'python',
    ],
    ['93: no variables at all', `env -i PATH="$PATH" ${get('https://other.test/')}`],
    [
      '91: HTTP/2 alone',
      "import('node:http2').then(({ connect }) => connect('https://api.example.test').on('error', (e) => console.log('failed', e.code)).on('connect', (s) => console.log('failed', s.socket.alpnProtocol)))",
      'node',
      /failed/,
    ],
  ]
  for (const [n, code, language, expected] of rows)
    test(`case ${n}`, async (t) => {
      if (!(await ready(t))) return
      const { out, seen, environment } = await tryIn(rules, code, language)
      assert.deepEqual(paths(seen), [], out)
      if (expected !== undefined) assert.match(out, expected)
      // The same environment can reach what is listed.
      assert.deepEqual(paths((await inside(environment, good)).seen), ['api.example.test:443'])
    })

  test('case 93: fetch reaches what is listed', async (t) => {
    if (!(await ready(t))) return
    const { out } = await tryIn(rules, "console.log(await (await fetch('https://api.example.test/')).text())", 'node')
    assert.match(out, /^hello from api/)
  })

  test('case 94: a name is looked up nowhere', async (t) => {
    if (!(await ready(t))) return
    asked.length = 0
    const { out } = await tryIn(rules, "import socket\nprint(socket.gethostbyname('data.evil.tld'))", 'python')
    assert.match(out, /^\d+\.\d+\.\d+\.\d+\n/)
    assert.deepEqual(asked, [])
  })

  test('case 96: requests that two servers would read differently', async (t) => {
    if (!(await ready(t))) return
    const send = (head: string) =>
      `import os, socket, urllib.parse\np = urllib.parse.urlparse(os.environ['HTTP_PROXY'])\ns = socket.create_connection((p.hostname, p.port), 10)\ns.sendall(b'''POST http://example.test/ HTTP/1.1\\r\\n${head}\\r\\n0\\r\\n\\r\\n''')\nprint(s.recv(1000).decode())`
    const twice = 'Host: example.test\\r\\nContent-Length: 5\\r\\nTransfer-Encoding: chunked\\r\\n'
    for (const head of [twice, 'Host: example.test\\r\\nHost: other.test\\r\\nContent-Length: 5\\r\\n']) {
      const { out, seen } = await tryIn(undefined, send(head), 'python')
      assert.match(out, /^HTTP\/1\.1 400/)
      assert.deepEqual(seen, [])
    }
  })
})

describe('streams and clients', () => {
  test('case 91: curl asks for HTTP/2 and gets 1.1', async (t) => {
    if (!(await ready(t))) return
    const { out } = await tryIn(undefined, get('https://api.example.test/', '--http2', "-w '%{http_version}'"))
    assert.match(out, /^hello from api[\s\S]*1\.1/)
  })

  test('case 97: events come as they are sent, and a hundred megabytes pass both ways', async (t) => {
    if (!(await ready(t))) return
    const environment = await make(list('api.example.test'))
    const code =
      "let last = performance.now(); const r = await fetch('https://api.example.test/events'); for await (const c of r.body) { const now = performance.now(); console.log(Buffer.from(c).toString().trim(), now - last > 250 ? 'later' : 'soon'); last = now }"
    assert.match((await inside(environment, code, 'node')).out, /data: last later/)
    const down = await inside(environment, 'curl -sS https://api.example.test/large | wc -c')
    assert.match(down.out, /^104857600/)
    const up = await inside(environment, 'head -c 104857600 /dev/zero | curl -sS -T - https://api.example.test/up')
    assert.match(up.out, /^hello/)
    assert.equal(up.seen[0]?.bytes, 104857600)
  })

  test('case 99: clients trust the authority without being told', async (t) => {
    if (!(await ready(t))) return
    const environment = await make(list('api.example.test'))
    const tries: readonly (readonly [string, string])[] = [
      ['curl -sS https://api.example.test/', 'bash'],
      ["import urllib.request; print(urllib.request.urlopen('https://api.example.test/').read().decode())", 'python'],
      ["console.log(await (await fetch('https://api.example.test/')).text())", 'node'],
    ]
    for (const [code, language] of tries)
      assert.match((await inside(environment, code, language)).out, /^hello from api/, code)
  })
})
