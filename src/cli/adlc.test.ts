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

/** By the clause: what people write who mean something else. */
const OTHERWISE: readonly (readonly [clause: string, texts: readonly string[]])[] = [
  ['begins with ~, which stands for no home directory here', ['~/proj/src']],
  ['begins with a variable', ['$PWD/src', '%CD%\\src', '${root}/src']],
  ['begins with a scheme or a drive', ['file:src/a.ts', 'C:/proj/src']],
  [
    'holds several paths',
    [
      ...['src/a.ts,lib', 'src/a.ts; lib', 'src/a.ts|lib', 'src/**|lib/**', 'src/a.ts\nlib', 'src/a.ts\tlib'],
      ...['src/a.ts lib', 'src/** lib/**', 'no/such.ts lib/b.ts'],
    ],
  ],
  ['is a list that is written as one text', ['["src/a.ts"]', "['src/a.ts', 'lib']"]],
  [
    'has quotation marks around it',
    ['"src/a.ts"', "'src/**'", '`src/a.ts`', '\u201csrc/a.ts\u201d', '\u00absrc\u00bb', '"src/a.ts'],
  ],
  [
    'ends in the place of a line',
    ['src/a.ts:12', 'src/a.ts:12:3', 'src/a.ts:3-9', 'src/a.ts#L3', 'src/a.ts#top', 'Makefile:12'],
  ],
  [
    'ends in a remark',
    [
      'src/a.ts (frozen)',
      'src (frozen)',
      'src/a.ts -- contract',
      'src/a.ts \u2014 contract',
      'src - contract',
      'no/b.ts # x',
    ],
  ],
  ['begins with the mark of a list', ['- src/a.ts', '* src/a.ts', '\u2022 src', '1. src/a.ts']],
  ['is a regular expression', ['^src/.*$', 'src/.*\\.ts$', '(src|lib)/**', '(?:src)/a.ts', 'src/[^/]+', 'src/.+/a.ts']],
  ['has a bracket without its other half', ['{src,lib', 'src/[a', 'src/a}.ts', 'src/a.ts)', '(src/a.ts']],
  ['holds a placeholder', ['{{root}}/src', '<root>/src', 'src/\u2026', '...', 'src/.../a.ts', 'src/${name}/a.ts']],
  ['begins with @/', ['@/src/a.ts']],
  [
    'holds a character that nobody sees',
    ['src/\u200ba.ts', 'src\u00ad/a.ts', 'src/a\u00a0b.ts', '\u202esrc/a.ts', 'a\u0007'],
  ],
  ...(process.platform === 'linux'
    ? ([
        ['names what is `src/a.ts` here, and case counts', ['src/A.ts']],
        ['names what is `src` here, and case counts', ['SRC/**', 'Src']],
      ] as const)
    : []),
]

/** What is a name or a pattern, whether or not it exists yet. */
const HARMLESS: readonly string[] = [
  ...[
    'src/{a,b}.ts',
    'src/{a,b/{c,d}}.ts',
    'src/{{a,b},c}.ts',
    'a,b/x.ts',
    'not/there.ts',
    'my file.txt',
    'docs/a b/c.md',
    'src/$page.ts',
  ],
  ...['x~', '~keep/x', 'src/a b/**', 'app/(shop)/page.tsx', 'app/[[...slug]]/page.tsx', 'app/[...slug]/x', '@scope/x'],
  ...[
    'src/@(a|b).ts',
    'src/!(a|b)/**',
    'src/.*',
    'lib.*',
    'src/\\[a',
    'docs/C#/x.md',
    'docs/v1.2 notes.md',
    'copy (1).txt',
  ],
  ...[
    '+page.ts',
    '-x/y',
    '*.ts',
    '* copy.ts',
    "it's.md",
    'src/[{]x',
    'a:12',
    'say "x',
    'src/NEW.ts',
    'src/**/A.ts',
    'a|b',
  ],
  'docs/\u00e9.md',
]

const THERE: Readonly<Record<string, string>> = {
  ...{
    'a,b/x.ts': '',
    '~keep/x': '',
    'src/a.ts': '',
    'lib/b.ts': '',
    'a:12': '',
    'say "x': '',
    'a|b': '',
    'my copy.ts': '',
  },
}

test('lint: rails that mean something else and freeze nothing', () => {
  const rails = OTHERWISE.flatMap(([, texts]) => texts)
  const root = repoOf([{ id: 'T1', title: 'x', rails: [...rails, ...HARMLESS] }], THERE)
  const { code, out } = run(['lint', '--json'], root)
  assert.equal(code, 1)
  const { rows } = JSON.parse(out) as { rows: { what: string; text: string; message: string }[] }
  const nothing = rows.filter(({ what }) => what === 'nothing')
  assert.deepEqual(
    nothing.map(({ text }) => text),
    rails,
  )
  for (const [clause, texts] of OTHERWISE) {
    for (const text of texts) {
      const { message } = nothing.find((row) => row.text === text)!
      assert.ok(message.startsWith(`The rail ${clause}`), `${text}: ${message}`)
      assert.match(message, /; it is taken for a name, and nothing has it\.$/)
    }
  }
})

test('lint: scope entries of the same kinds', () => {
  const texts = OTHERWISE.flatMap(([, some]) => some)
  const root = repoOf([{ id: 'T1', title: 'x', scope: [...texts, ...HARMLESS] }], THERE)
  const { code, out } = run(['lint', '--json'], root)
  assert.equal(code, 1)
  const { rows } = JSON.parse(out) as { rows: { what: string; text: string; message: string }[] }
  assert.deepEqual(
    rows.map(({ what, text }) => [what, text]),
    texts.map((text) => ['scope', text]),
  )
  assert.match(rows[0]!.message, /^The scope entry begins with ~, .*; it is taken for a name, and nothing has it\.$/)
})

test('lint: what is no name is not said to freeze all that its ticket may touch', () => {
  const both = ['src/a.ts,lib']
  const { rows } = JSON.parse(run(['lint', '--json'], repoOf([{ id: 'T1', title: 'x', rails: both, scope: both }])).out)
  assert.deepEqual(
    rows.map(({ what }: { what: string }) => what),
    ['nothing', 'scope'],
  )
})

test('lint: a rail from the root of the disk that leads nowhere', () => {
  const root = repoOf([{ id: 'T1', title: 'x', rails: ['/etc/passwd', '/src/a.ts', '/'] }], THERE)
  const { rows } = JSON.parse(run(['lint', '--json'], root).out)
  assert.deepEqual(
    rows.filter(({ what }: { what: string }) => what === 'taken').map(({ message }: { message: string }) => message),
    [
      'The rail begins with a slash; it is taken for `etc/passwd`, and nothing has that name.',
      'The rail begins with a slash; it is taken for `src/a.ts`.',
      'The rail begins with a slash and names the repository itself; it is taken for `**`.',
    ],
  )
})

test('lint: misspelled keys of active tickets, in both kinds of store', () => {
  const wrong = { rail: ['x'], Rails: ['x'], scopes: ['y'], Scope: ['y'] }
  const right = { rails: ['x'], scope: ['y'], notes: 'rail', trails: ['z'] }
  const ended = { id: 'T3', title: 'x', status: 'closed', rail: ['x'] }
  const tickets = [{ id: 'T1', title: 'x', ...wrong }, { id: 'T2', title: 'x', ...right }, ended]
  const legacy = repoOf([], { '.adlc/tickets.json': JSON.stringify({ tickets }) })
  rmSync(join(legacy, '.adlc/tickets'), { recursive: true })
  for (const root of [repoOf(tickets), legacy]) {
    const { code, out } = run(['lint', '--json'], root)
    assert.equal(code, 1)
    const { rows } = JSON.parse(out) as { rows: { what: string; text: string; message: string; tickets: string[] }[] }
    assert.deepEqual(
      rows.map(({ what, text, tickets: ids }) => [what, text, ...ids]),
      Object.keys(wrong).map((key) => ['key', key, 'T1']),
    )
    assert.equal(rows[0]!.message, 'The key `rail` means nothing; `rails` is the one that counts.')
  }
})

test('lint: a wide rail is named and is no error', () => {
  const root = repoOf([{ id: 'T1', title: 'x', rails: ['**'] }])
  const { code, out } = run(['lint'], root)
  assert.equal(code, 0)
  assert.match(out, /freezes the whole repository/)
  assert.doesNotMatch(run(['status'], root).out, /malformed/)
  const both = repoOf([{ id: 'T1', title: 'x', rails: ['**', 'a,b', "'x'"] }])
  assert.match(run(['status'], both).out, /^2 malformed entries: see sallyport adlc lint$/m)
})

test('lint and status: a store that cannot be read', () => {
  const root = repoOf([T1], { '.adlc/tickets/notes.md': 'x' })
  const lint = run(['lint'], root)
  assert.equal(lint.code, 1)
  assert.match(lint.out, /cannot be read: .*notes\.md is no ticket/)
  const status = run(['status'], root)
  assert.equal(status.code, 1)
  assert.match(status.out, /Everything is frozen/)
  assert.match(status.out, /^frozen {6}everything, since the tickets cannot be read$/m)
  assert.doesNotMatch(status.out, /0 rails/)
  assert.match(status.out, /^1 malformed entry: see sallyport adlc lint$/m)
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

test('status: the scope of a person by ticket and policy', () => {
  const tickets = [T1, { id: 'T2', title: 'Open' }]
  const rows: readonly (readonly [policy: string, ticket: string, said: RegExp, scope: readonly string[]])[] = [
    ['{}', '', /^may write {3}No worker runs here: all but what is frozen may be written\.$/m, ['**']],
    ['{}', 'T1', /may be written in the scope of T1; outside it a person is asked first\.\n {2}lib/, T1.scope],
    ['{}', 'T2', /may be written; the ticket T2 has no scope, so none is checked\.$/m, ['**']],
    ['{}', 'T9', /may be written; the ticket T9 .* is not in the store .*, so no scope is checked\.$/m, ['**']],
    ['{"scope":["x/**"]}', 'T1', /the scope of T1 and of the policy; outside/, [...T1.scope, 'x/**']],
    ['{"scope":["x/**"]}', '', /the scope of the policy; outside it a person is asked/, ['x/**']],
    ['{"families":{"scope":"deny"}}', 'T1', /outside it writing is refused/, T1.scope],
    ['{"families":{"scope":"off"}}', 'T1', /may be written; the policy switches off/, ['**']],
    ['{"profile":"adlc"}', 'T1', /may be written; the profile adlc does not look at the scope of T1\.$/m, ['**']],
    ['{"profile":"observe"}', 'T1', /outside it is recorded, and nothing is refused/, T1.scope],
  ]
  for (const [policy, ticket, said, scope] of rows) {
    const root = repoOf(tickets)
    const home = join(scratch, `home-${made}`)
    mkdirSync(join(home, '.config/sallyport'), { recursive: true })
    writeFileSync(join(home, '.config/sallyport/policy.jsonc'), policy)
    const env = { HOME: home, ...(ticket !== '' && { ADLC_TICKET: ticket }) }
    assert.match(run(['status'], root, env).out, said, `${policy} ${ticket}`)
    assert.deepEqual(JSON.parse(run(['status', '--json'], root, env).out).mayWrite.scope, scope, `${policy} ${ticket}`)
  }
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
