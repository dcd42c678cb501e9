import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Answer, Asking, Question } from '../core/question.ts'
import { effectivePolicy, policyDigest } from './effective.ts'
import { loadPolicy } from './load.ts'
import type { Policy, PolicyGlob } from './policy.ts'

type FileCase =
  | string
  | readonly string[]
  | { readonly unreadable?: true; readonly unknown?: true; readonly cut?: string }

interface Row {
  readonly id: string
  readonly managed?: FileCase
  readonly user?: FileCase
  readonly project?: FileCase
  readonly files?: Readonly<Record<string, FileCase>>
  readonly given?: unknown
  readonly env?: Readonly<Record<string, string>>
  readonly repo?: null
  readonly cwd?: string
  readonly workspaces?: readonly string[]
  readonly bases?: true
  readonly expect: Readonly<Record<string, unknown>>
  readonly errors: readonly string[]
}

const rows: readonly Row[] = JSON.parse(readFileSync(new URL('../../cases/policy/load.json', import.meta.url), 'utf8'))

const PLACES = {
  managed: '/etc/sallyport/policy.jsonc',
  user: '/home/dev/.config/sallyport/policy.jsonc',
  project: '/home/dev/proj/.sallyport/policy.jsonc',
}

function run<T>(asking: Asking<T>, reply: (question: Question) => Answer): T {
  let step = asking.next()
  while (!step.done) step = asking.next(reply(step.value))
  return step.value
}

function load(row: Partial<Row>): Policy {
  const files = new Map<string, FileCase>(Object.entries(row.files ?? {}))
  for (const layer of ['managed', 'user', 'project'] as const) {
    const file = row[layer]
    if (file !== undefined) files.set(PLACES[layer], file)
  }
  const where = {
    home: '/home/dev',
    repo: row.repo === null ? undefined : '/home/dev/proj',
    cwd: row.cwd,
    user: row.given,
    ...(row.workspaces && { workspaces: row.workspaces }),
  }
  return run(loadPolicy(where), (question) => {
    if (question.ask === 'env') {
      const value = row.env?.[question.name]
      return value === undefined ? 'unset' : { value }
    }
    assert.ok(question.ask === 'text', `only texts and the environment are asked, not ${question.ask}`)
    const file = files.get(question.path)
    if (file === undefined) return 'absent'
    if (typeof file === 'string') return { text: file, cut: false }
    if ('join' in file) return { text: file.join('\n'), cut: false }
    if (file.unreadable) return 'unreadable'
    return file.unknown ? 'unknown' : { text: file.cut!, cut: true }
  })
}

/** What the rows compare: values with the layer they come from. */
function view(policy: Policy, bases: boolean): Record<string, unknown> {
  const globs = (list: readonly PolicyGlob[]) =>
    list.map(({ glob, base, origin }) => `${origin.layer}:${glob}${bases ? ` in ${base}` : ''}`)
  return {
    profile: policy.profile,
    frozen: globs(policy.frozen),
    scope: policy.scope ? globs(policy.scope) : null,
    disposable: globs(policy.disposable),
    denyRead: globs(policy.denyRead),
    allow: policy.allow.map((entry) => (entry.is === 'command' ? entry.command : `${entry.act} ${entry.target}`)),
    transparent: policy.transparent,
    rules: policy.rules.map(({ id, verdict }) => `${id}:${verdict}`),
    families: policy.families,
    settings: policy.settings,
  }
}

for (const row of rows) {
  test(`policy: ${row.id}`, () => {
    const policy = load(row)
    const seen = view(policy, row.bases === true)
    for (const [key, value] of Object.entries(row.expect)) assert.deepEqual(seen[key], value, key)
    const names = new Map<string, string>([
      ...Object.entries(PLACES).map(([k, v]) => [v, k] as const),
      ['policy', 'given'],
    ])
    const told = policy.errors.map(
      (e) => `${names.get(e.file)}${e.line === undefined ? '' : `:${e.line}`}: ${e.message}`,
    )
    assert.equal(told.length, row.errors.length, told.join('\n'))
    for (const [i, expected] of row.errors.entries()) {
      const [, place, message] = /^(\w+(?::\d+)?): (.*)$/.exec(expected)!
      assert.ok(told[i]!.startsWith(`${place}: `), `${told[i]} is at ${place}`)
      assert.match(told[i]!.slice(place!.length + 2), new RegExp(message!))
    }
  })
}

test('the table is not a handful, and no id is there twice', () => {
  assert.ok(rows.length >= 60)
  assert.equal(new Set(rows.map(({ id }) => id)).size, rows.length)
})

test('values know the file and line they come from', () => {
  const policy = load({
    managed: '{\n"families": {"loss": "deny"}}',
    user: ['{', '"profile": "strict",', '"frozen": [', '"a",', '"b"],', '"transparent": ["rtk"]', '}'],
  })
  assert.deepEqual(policy.frozen[1]?.origin, { layer: 'user', file: PLACES.user, line: 5 })
  assert.deepEqual(policy.origins?.['families.loss'], { layer: 'managed', file: PLACES.managed, line: 2 })
  const printed = effectivePolicy(policy).map(
    ({ key, value, origin }) => `${key} ${value} ${origin.layer}:${origin.line}`,
  )
  assert.deepEqual(printed, [
    'profile strict user:2',
    'frozen a user:4',
    'frozen b user:5',
    'transparent rtk user:6',
    'families.loss deny managed:2',
  ])
})

test('an empty scope is printed with its place', () => {
  const values = effectivePolicy(load({ user: '{\n"scope": []}' }))
  assert.deepEqual(values[1], {
    key: 'scope',
    value: '(nothing)',
    origin: { layer: 'user', file: PLACES.user, line: 2 },
  })
})

test("a rule's own examples are kept for those who check them", () => {
  const [rule] = load({
    user: '{"rules":[{"id":"a","match":{"path":"docs/**"},"verdict":"ask","reason":"r","must":["touch docs/a"],"must_not":[{"tool":"Read","input":{"p":1}}]}]}',
  }).rules
  assert.deepEqual(rule?.must, ['touch docs/a'])
  assert.deepEqual(rule?.mustNot, [{ tool: 'Read', input: { p: 1 } }])
  assert.equal(rule?.base, '/home/dev/proj')
})

test('with a given policy the environment is not asked', () => {
  const asked: string[] = []
  run(loadPolicy({ home: '/h', repo: '/r', user: {} }), (question) => {
    asked.push(question.ask === 'text' ? question.path : question.ask)
    return 'absent'
  })
  assert.deepEqual(asked, ['/etc/sallyport/policy.jsonc', '/r/.sallyport/policy.jsonc'])
})

test('Windows paths: no place for administrators, the files below the home directory', () => {
  const asked: string[] = []
  run(loadPolicy({ home: 'C:\\Users\\dev', repo: 'C:\\proj', env: {} }), (question) => {
    asked.push(question.ask === 'text' ? question.path : question.ask)
    return 'absent'
  })
  assert.deepEqual(asked, ['C:\\Users\\dev\\.config\\sallyport\\policy.jsonc', 'C:\\proj\\.sallyport\\policy.jsonc'])
})

const small = fc.constantFrom('off', 'ask', 'deny')
const families = fc.dictionary(fc.constantFrom('loss', 'secrets', 'publish', 'test-weakened'), small)

test('a project file never loosens anything', () => {
  const rank: Record<string, number> = { off: 0, ask: 1, deny: 2 }
  fc.assert(
    fc.property(families, families, families, (managed, user, project) => {
      const text = (value: unknown) =>
        JSON.stringify({ families: value, allow: ['x'], disposable: ['**'], profile: 'observe' })
      const before = load({ managed: text(managed), user: text(user) })
      const after = load({ managed: text(managed), user: text(user), project: text(project) })
      for (const [family, level] of Object.entries(before.families)) {
        assert.ok(rank[after.families[family as 'loss']!]! >= rank[level]!, family)
      }
      // What no other file sets may only be raised above the family's own default.
      for (const family of Object.keys(after.families)) {
        if (family in before.families) continue
        assert.notEqual(after.families[family as 'loss'], 'off')
        if (family !== 'test-weakened') assert.equal(after.families[family as 'loss'], 'deny')
      }
      assert.deepEqual(after.allow, before.allow)
      assert.deepEqual(after.disposable, before.disposable)
      assert.equal(after.profile, before.profile)
    }),
  )
})

test('loading ends without a throw for any value and any answers', () => {
  const key = fc.constantFrom('v', 'profile', 'frozen', 'scope', 'allow', 'rules', 'families', 'store', 'hosts', 'zzz')
  fc.assert(
    fc.property(fc.dictionary(key, fc.jsonValue()), fc.string(), (value, text) => {
      const policy = load({ managed: text, user: JSON.stringify(value), project: JSON.stringify(value) })
      assert.equal(policyDigest(policy).length, 32)
    }),
  )
  const spent = run(loadPolicy({ home: '/h', repo: '/r' }), () => 'unknown')
  assert.equal(spent.errors.length, 3)
})

test('the digest tells policies apart by what they say, not by where they say it', () => {
  const one = policyDigest(load({ user: '{"frozen":["a"],"profile":"strict"}' }))
  assert.equal(policyDigest(load({ user: '// moved\n\n{"profile":"strict",\n"frozen":["a"]}' })), one)
  assert.notEqual(policyDigest(load({ user: '{"frozen":["b"],"profile":"strict"}' })), one)
  assert.notEqual(policyDigest(load({ user: '{"frozen":["a"],"profile":"strict","scope":[]}' })), one)
})
