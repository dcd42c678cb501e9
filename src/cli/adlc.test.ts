import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, test } from 'node:test'
import { canonicalName } from '../adlc/adlc.ts'
import { adlcVerb } from './adlc.ts'
import { runProgram } from './program.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-adlc-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

let made = 0

function repoOf(tickets: readonly Record<string, unknown>[], files: Record<string, string> = {}): string {
  const root = join(scratch, `repo-${made++}`)
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  mkdirSync(join(root, '.git'), { recursive: true })
  put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}')
  for (const ticket of tickets) put(`.adlc/tickets/${canonicalName(String(ticket['id']))}`, JSON.stringify(ticket))
  for (const [path, text] of Object.entries(files)) put(path, text)
  return root
}

function run(argv: readonly string[], cwd: string, env: Record<string, string> = {}) {
  let out = ''
  let err = ''
  const code = adlcVerb(argv, {
    out(text) {
      out += text
    },
    err(text) {
      err += text
    },
    cwd,
    env: { HOME: join(scratch, 'home'), ...env },
  })
  return { code, out, err }
}

const T1 = { id: 'T1', title: 'Lock', rails: ['lib/lock.mjs', 'lib/*.gold'], scope: ['lib/**', 'test/**'] }

test('lint: nothing to say', () => {
  const { code, out, err } = run(['lint'], repoOf([T1, { id: 'T2', title: 'x', status: 'closed', rails: ['#old'] }]))
  assert.deepEqual([code, err], [0, ''])
  assert.match(out, /^The rails of 1 active ticket are well formed\.\n$/)
})

test('lint: malformed rails with ticket, file and meaning', () => {
  const rails = ['lib/', ' spec/x ', '/docs/**', '#notes/**', '!keep', 'app/[slug]/**', 'ok/x']
  const root = repoOf([{ id: 'T1', title: 'x', rails, scope: ['/abs'] }], { 'app/[slug]/page.tsx': '' })
  const { code, out } = run(['lint', '--json'], root)
  assert.equal(code, 1)
  const { rows } = JSON.parse(out) as { rows: { what: string; text: string; file: string; globs?: string[] }[] }
  assert.deepEqual(
    rows.map(({ what, text }) => [what, text]),
    [
      ['taken', 'lib/'],
      ['taken', ' spec/x '],
      ['taken', '/docs/**'],
      ['closed', '#notes/**'],
      ['closed', '!keep'],
      ['taken', 'app/[slug]/**'],
      ['scope', '/abs'],
    ],
  )
  assert.deepEqual(rows[0]!.globs, ['lib/**'])
  assert.ok(rows.every(({ file }) => file.endsWith(canonicalName('T1'))))
  const text = run(['lint'], root).out
  assert.match(
    text,
    /T1 {2}\.adlc\/tickets\/t1--[0-9a-f]{64}\.json {2}"lib\/"\n {4}The rail ends in a slash; it is taken for `lib\/\*\*`\./,
  )
})

test('lint: rails that mean something else and freeze nothing', () => {
  const rails = ['~/proj/src', '$PWD/src', '%CD%\\src', 'file:src/a.ts', 'C:/proj/src', 'src/a.ts,lib', 'src/a.ts; lib']
  const good = [
    'src/{a,b}.ts',
    'a,b/x.ts',
    'not/there.ts',
    'my file.txt',
    'docs/a b/c.md',
    'src/$page.ts',
    'x~',
    '~keep/x',
  ]
  const root = repoOf([{ id: 'T1', title: 'x', rails: [...rails, 'src/a.ts lib/b.ts', ...good] }], {
    'a,b/x.ts': '',
    '~keep/x': '',
  })
  const { code, out } = run(['lint', '--json'], root)
  assert.equal(code, 1)
  const { rows } = JSON.parse(out) as { rows: { what: string; text: string; message: string }[] }
  const found = rows.filter(({ what }) => what === 'nothing').map(({ text }) => text)
  assert.deepEqual(found, [...rails, 'src/a.ts lib/b.ts'])
  assert.match(
    rows[0]!.message,
    /^The rail begins with ~, which stands for no home directory here; it is taken for a name/,
  )
})

test('lint: a wide rail is named and is no error', () => {
  const { code, out } = run(['lint'], repoOf([{ id: 'T1', title: 'x', rails: ['**'] }]))
  assert.equal(code, 0)
  assert.match(out, /freezes the whole repository/)
})

test('lint and status: a store that cannot be read', () => {
  const root = repoOf([T1], { '.adlc/tickets/notes.md': 'x' })
  const lint = run(['lint'], root)
  assert.equal(lint.code, 1)
  assert.match(lint.out, /cannot be read: .*notes\.md is no ticket/)
  const status = run(['status'], root)
  assert.equal(status.code, 1)
  assert.match(status.out, /Everything is frozen/)
})

test('status: who freezes what, and what a worker may write', () => {
  const root = repoOf([T1, { id: 'T2', title: 'Other', rails: ['lib/lock.mjs'] }])
  const { code, out } = run(['status'], root, { AGB_WORKER_TICKET: 'T1' })
  assert.equal(code, 0)
  assert.match(out, /lib\/lock\.mjs {2}by T1, T2/)
  assert.match(
    out,
    /may write {3}The worker of T1 may write in its scope\.\n {2}lib\/\*\*\n {2}test\/\*\*\n {2}but not lib\/lock\.mjs/,
  )
  const json = JSON.parse(run(['status', '--json'], root, { AGB_WORKER_TICKET: 'T1' }).out)
  assert.deepEqual(json.mayWrite.scope, T1.scope)
  assert.deepEqual(
    json.rails.map((rail: { rail: string; tickets: string[] }) => [rail.rail, rail.tickets]),
    [
      ['lib/lock.mjs', ['T1', 'T2']],
      ['lib/*.gold', ['T1']],
    ],
  )
  assert.match(run(['status'], root, { AGB_WORKER_MODE: 'readonly' }).out, /may write nothing/)
  assert.match(run(['status'], root, { AGB_WORKER_TICKET: 'NOPE' }).out, /NOPE is not in the store/)
  assert.match(run(['status'], root).out, /No worker runs here/)
})

test('status on a disk with links and an override', () => {
  const root = repoOf([])
  const store = repoOf([T1])
  symlinkSync(join(root, 'real'), join(root, 'lib'))
  mkdirSync(join(root, 'real'))
  const { out } = run(['status', '--json'], root, { ADLC_TICKET_STORE: join(store, '.adlc/tickets') })
  assert.deepEqual(JSON.parse(out).rails[0].rail, 'lib/lock.mjs')
})

test('usage errors are one sentence and 2', () => {
  const outside = join(scratch, 'plain')
  mkdirSync(outside)
  for (const [argv, cwd] of [
    [[], outside],
    [['nope'], outside],
    [['lint', '--all'], outside],
    [['lint'], outside],
    [['status'], outside],
  ] as const) {
    const { code, out, err } = run(argv, cwd)
    assert.deepEqual([code, out], [2, ''])
    assert.match(err, /^sallyport adlc.*\n$/)
  }
})

test('the program knows both verbs', async () => {
  const root = repoOf([T1])
  for (const verb of ['lint', 'status']) {
    let out = ''
    const io = {
      out(text: string) {
        out += text
      },
      err: () => {},
      cwd: root,
      env: { HOME: scratch },
      colour: false,
    }
    assert.equal(await runProgram('sallyport', ['adlc', verb, '--json'], io), 0)
    assert.equal(JSON.parse(out).root, root)
  }
})

test('control characters of tickets and variables do not reach the terminal', () => {
  const root = repoOf([
    { id: 'T1', title: 'a\u001b[31m\nfrozen      none', rails: ['\u001b[2Jlib', 'a\nb', 'lib/\u202e'] },
  ])
  for (const verb of ['status', 'lint']) {
    const { out } = run([verb], root, { AGB_WORKER_TICKET: 'T9\u001b[0m\n' })
    assert.doesNotMatch(out, /[^\P{Cc}\n]|\p{Cf}/u, verb)
    assert.ok(!out.split('\n').includes('frozen      none'), verb)
  }
})
