/** `ctx digest` through the program: what it prints, keeps and refuses. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { parseAddress } from '../../containment/address.ts'
import { scratch } from '../../containment/store/store.testing.ts'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'

const CTX = join(import.meta.dirname, '../../../bin/ctx.js')
const KEY = `npm_${'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'.slice(0, 36)}`

function place(t: TestContext) {
  const dir = scratch(t)
  const cwd = join(dir, 'work')
  mkdirSync(cwd)
  const env = { HOME: dir, CTX_STATE_HOME: join(dir, 'state'), XDG_STATE_HOME: join(dir, 'xdg') }
  return {
    file(name: string, content: string | Uint8Array) {
      writeFileSync(join(cwd, name), content)
      return name
    },
    /** In this process, or with input in one of its own. */
    async ctx(argv: readonly string[], input?: string | Uint8Array, more: Readonly<Record<string, string>> = {}) {
      if (input !== undefined) {
        const child = spawnSync(process.execPath, [CTX, ...argv], {
          cwd,
          env: { ...env, ...more },
          input,
        })
        return { code: child.status, out: child.stdout.toString(), err: child.stderr.toString() }
      }
      const io = gatheredIo(cwd, env)
      const code = await runProgram('ctx', argv, io)
      return { code, out: io.text, err: io.errors }
    },
  }
}

const flood = `${Array.from({ length: 3000 }, (_, i) => `served request ${i}`).join('\n')}\nrequest of tenant blue refused\n`

test('a flood: JSON with the keys of the contract, and addresses that answer from another process', async (t) => {
  const { file, ctx } = place(t)
  const { code, out, err } = await ctx([
    'digest',
    '--json',
    '--command',
    'node serve.js',
    '--exit',
    '3',
    file('log', flood),
  ])
  assert.deepEqual({ code, err }, { code: 0, err: '' })
  const answer = JSON.parse(out) as { text: string; tokens: number; addresses: string[] }
  assert.deepEqual(Object.keys(answer), [
    'v',
    'status',
    'exit_code',
    'tokens',
    'raw_tokens',
    'masked',
    'addresses',
    'text',
  ])
  assert.match(answer.text, /^\[ctx exit 3 \| 3001 lines, .* \| node serve\.js\]\n/)
  assert.match(answer.text, /^L3001: request of tenant blue refused$|\nrequest of tenant blue refused\n/m)
  assert.ok(answer.tokens <= 600 && answer.addresses.length >= 2)
  for (const printed of answer.addresses) {
    const address = parseAddress(printed)
    assert.ok(!('refused' in address), printed)
    const got = await ctx(['get', ...printed.split(' ')], '')
    assert.equal(got.code, 0, got.err)
    assert.match(got.out, /served request/)
  }
})

test('the same from a pipe, with the same text', async (t) => {
  const { file, ctx } = place(t)
  const fromFile = await ctx(['digest', '--exit', '0', file('log', flood)])
  const fromPipe = await ctx(['digest', '--exit', '0', '-'], flood)
  assert.equal(fromPipe.code, 0, fromPipe.err)
  assert.equal(fromPipe.out, fromFile.out)
})

test('locale and zone change nothing', async (t) => {
  const { ctx } = place(t)
  const texts = new Set<string>()
  for (const [LC_ALL, TZ] of [
    ['C', 'UTC'],
    ['tr_TR.UTF-8', 'Asia/Tokyo'],
    ['de_DE.UTF-8', 'America/Lima'],
  ] as const)
    texts.add((await ctx(['digest', '--exit', '1', '-'], flood, { LC_ALL, TZ })).out)
  assert.equal(texts.size, 1)
})

test('a small output is the bytes alone, secrets masked; a failed one ends with its code', async (t) => {
  const { file, ctx } = place(t)
  assert.equal((await ctx(['digest', '--exit', '0', file('a', 'one\ntwo\n')])).out, 'one\ntwo\n')
  assert.equal((await ctx(['digest', file('b', 'one')])).out, 'one')
  assert.equal((await ctx(['digest', '--exit', '2', file('c', 'one')])).out, 'one\n[ctx exit 2]\n')
  assert.equal((await ctx(['digest', '--exit', '1', file('d', '')])).out, '[ctx exit 1]\n')
  const { out } = await ctx(['digest', '--json', '--exit', '0', file('e', `token is ${KEY}\n`)])
  const { text, masked } = JSON.parse(out) as { text: string; masked: number }
  assert.equal(masked, 1)
  assert.ok(!text.includes(KEY) && text.startsWith('token is [ctx:redacted:'), text)
})

test('secrets in a flood and in the command are masked', async (t) => {
  const { file, ctx } = place(t)
  const log = `${flood}error: token ${KEY} was refused\n`
  const { out } = await ctx(['digest', '--command', `deploy --token ${KEY}`, '--exit', '1', file('log', log)])
  assert.ok(!out.includes(KEY), out)
  assert.match(out, /error: token \[ctx:redacted:[a-z-]+:[0-9a-f]{8}\] was refused/)
})

test('lines of a private key behind prefixes are never shown, wherever they are cut', async (t) => {
  const { file, ctx } = place(t)
  const body = Array.from(
    { length: 24 },
    (_, i) => `${'MIIEowIBAAKCAQEAqz'}${String.fromCharCode(65 + i)}${'h7Kd0sPqLw3Zt9Xc'.repeat(2)}`,
  )
  const key = ['-----BEGIN RSA PRIVATE KEY-----', ...body, '-----END RSA PRIVATE KEY-----']
  const log = [
    ...Array<string>(200).fill('web-1 | ok'),
    ...key.map((line) => `web-1 | ${line}`),
    'web-1 | error: the key was refused',
    '',
  ]
  const { out } = await ctx(['digest', '--exit', '1', file('log', log.join('\n'))])
  assert.match(out, /error: the key was refused/)
  assert.ok(!out.includes('MIIEow'), out)
  const line = `{"state":"ok"},${'{"state":"ok"},'.repeat(300)}{"key":"${key.join('\\n')}"},{"error":"refused"}`
  const long = await ctx(['digest', '--exit', '1', file('line', line)])
  assert.match(long.out, /"error":"refused"/)
  assert.ok(!long.out.includes('MIIEow'), long.out)
})

const REFUSED: readonly (readonly [readonly string[], RegExp])[] = [
  [['digest', 'nowhere'], /^ctx digest: nowhere cannot be read: there is no such file\n$/],
  [['digest', '.'], /^ctx digest: \. cannot be read: it is a directory\n$/],
  [['digest', '--exit', '-1', 'log'], /^ctx digest: --exit -1 is no exit code/],
  [['digest', '--exit', '256', 'log'], /^ctx digest: --exit 256 is no exit code/],
  [['digest', '--budget', '10', 'log'], /^ctx digest: --budget 10 is no budget/],
  [['digest', '--budget', 'x', 'log'], /^ctx digest: --budget x is no budget/],
  [['digest'], /^ctx digest: /],
]

for (const [argv, sentence] of REFUSED)
  test(`refused: ctx ${argv.join(' ')}`, async (t) => {
    const { file, ctx } = place(t)
    file('log', flood)
    const { code, out, err } = await ctx(argv)
    assert.deepEqual({ code, out }, { code: 2, out: '' })
    assert.match(err, sentence)
  })
