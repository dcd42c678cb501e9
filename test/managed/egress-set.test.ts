/** The published cases of the way out against a running server: what is set on the way, streams and clients. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { arrived } from '../../src/managed/egress/lab.testing.ts'
import { credential, get, granted, inside, list, make, paths, ready, server, tokens, tryIn } from './egress-support.ts'

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
    tokens.life = 1
    await credential({ ...oauth, id: 'good', refresh_token: 'good-refresh-0' })
    const before = granted.length
    tokens.life = 3600
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
