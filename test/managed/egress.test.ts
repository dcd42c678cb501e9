/** The published cases of the way out against a running server: what is let through, and ways round. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { asked, get, inside, lab, list, names, paths, type Rules, ready, server, tryIn } from './egress-support.ts'
import { command, resultsOf, startRuntime } from './support.ts'

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
