/** Setup and the way back where entries of ours were in the settings before, put there by hand. */
import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { hashOf } from './edit/disk.ts'
import { applyHost, isDoable, KNOWN, type Known, planHost } from './hosts.ts'
import { ownText, snippetOf } from './plan.ts'
import { dropCopies, readCopy, readRecord, type Wired } from './record.ts'
import { applyRemoval, backToFound, planRemoval, type Removal, strayWiring } from './remove.ts'
import { pathOf } from './wire/row.ts'

const scratch = mkdtempSync(join(tmpdir(), 'sallyport-found-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const SETUP = { dir: '/opt/guard', node: '/opt/guard/node', hook: '/opt/guard/dist/hook.cjs' }
const HAND = { node: '/usr/bin/node', hook: '/home/me/sallyport/dist/hook.cjs' }

/** A home in which files of a host stand, and what setup and the way back do there. */
class Place {
  readonly known: Known
  readonly scope: 'user' | 'project'
  readonly state: string
  readonly at: { readonly home: string; readonly env: object; readonly project: string }
  readonly paths: readonly string[]

  constructor(known: Known) {
    const home = mkdtempSync(join(scratch, 'home-'))
    this.known = known
    this.scope = known.row.files.some(({ settings }) => settings.user !== undefined) ? 'user' : 'project'
    this.state = join(home, 'state')
    this.at = { home, env: {}, project: join(home, 'project') }
    this.paths = known.row.files.map(({ settings }) => pathOf(settings[this.scope]!, this.around))
  }

  get around() {
    return { ...this.at, env: {} }
  }

  lay(texts: readonly string[]): void {
    for (const [i, path] of this.paths.entries()) {
      mkdirSync(dirname(path), { recursive: true })
      const file = this.known.row.files[i]!
      writeFileSync(path, texts[i]!, { mode: file.is === 'own' ? file.mode : 0o644 })
    }
  }

  now(): readonly (string | undefined)[] {
    return this.paths.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : undefined))
  }

  setUp(): readonly string[] {
    const plan = planHost(this.known, this.scope, this.around, SETUP, this.state, '.')
    assert.ok(isDoable(plan), JSON.stringify(plan.plans))
    applyHost(plan, this.around, SETUP, this.state, { now: new Date(0), sallyport: '0.0.0' })
    return plan.plans.map(({ does }) => does)
  }

  wired(): Wired {
    return readRecord(this.state, this.known.host.id)!.wired[0]!
  }

  takeOut(wired: Wired): readonly Removal[] {
    const removals = planRemoval(this.known.row, wired, this.state).map((removal) => {
      assert.ok(!('refused' in removal), JSON.stringify(removal))
      applyRemoval(removal, this.state)
      return removal
    })
    dropCopies(
      this.state,
      removals.map(({ record }) => record),
    )
    return removals
  }

  /** That each file as it was lies among the copies. */
  assertKept(removals: readonly Removal[], texts: readonly string[]): void {
    for (const [i, { record }] of removals.entries()) {
      assert.equal(record.found?.sha256, hashOf(Buffer.from(texts[i]!)))
      assert.equal(Buffer.from(readCopy(this.state, record.found!.sha256)!).toString(), texts[i])
    }
  }
}

/** Each file as a person would have made it with that program. */
const textsOf = ({ row }: Known, program: typeof HAND): readonly string[] =>
  row.files.map((file) =>
    file.is === 'own' ? ownText(row, file, program, '.') : snippetOf(row, file, program, undefined),
  )

const isLeft = (text: string | undefined): boolean => text !== undefined && !/^\s*(?:\{\s*\})?\s*$/.test(text)

/** What the file must hold besides stays, since a person put it there. */
const needs = ({ row }: Known): boolean => row.files.some((file) => file.is === 'entries' && file.form.needed)

for (const known of KNOWN)
  for (const [what, program] of [
    ['another program', HAND],
    ['the very program of setup', SETUP],
  ] as const)
    test(`${known.host.id}, wired by hand with ${what}: all of ours goes, no list stays empty, and a copy of it is kept`, () => {
      const at = new Place(known)
      const texts = textsOf(known, program)
      at.lay(texts)
      const does = at.setUp()
      if (program === SETUP) {
        assert.deepEqual([...new Set(does)], ['keep'])
        assert.deepEqual(at.now(), texts)
      }
      const wired = at.now()
      assert.deepEqual([...new Set(at.setUp())], ['keep'])
      assert.deepEqual(at.now(), wired)
      const removals = at.takeOut(at.wired())
      assert.deepEqual([...new Set(removals.map(({ is }) => is))], ['found'])
      if (needs(known)) for (const text of at.now()) assert.doesNotMatch(text!, /hook\.cjs|\[\s*\]/)
      else assert.deepEqual(at.now().filter(isLeft), [])
      at.assertKept(removals, texts)
    })

const CLAUDE = KNOWN.find(({ host }) => host.id === 'claude')!
const settings = (text: string) =>
  text.replaceAll(/HAND (\w+)/g, (_, event) => `${HAND.node} ${HAND.hook} claude ${event}`)
const OURS = '{ "matcher": "*", "hooks": [{ "type": "command", "command": "HAND PreToolUse" }] }'
const AFTER = '{ "matcher": "*", "hooks": [{ "type": "command", "command": "HAND PostToolUse" }] }'
const THEIRS = '{ "matcher": "Bash", "hooks": [{ "type": "command", "command": "./mine.sh" }] }'

const rows: readonly (readonly [what: string, before: string, after: string])[] = [
  ['lists of ours alone', `{"hooks":{"PreToolUse":[${OURS}],"PostToolUse":[${AFTER}]}}`, '{}'],
  [
    'a list that was empty before',
    `{"hooks":{"Stop":[],"PreToolUse":[${OURS}],"PostToolUseFailure":[]}}`,
    '{"hooks":{"Stop":[],"PostToolUseFailure":[]}}',
  ],
  [
    'a hook of others in the same list',
    `{"model": "opus","hooks":{"PreToolUse":[${THEIRS},${OURS}],"PostToolUse":[${AFTER}]}}`,
    `{"model": "opus","hooks":{"PreToolUse":[${THEIRS}]}}`,
  ],
  [
    'an event that setup does not register',
    `{"hooks":{"PreToolUse":[${OURS}],"Stop":[${AFTER}]}, "model": "opus"}`,
    '{ "model": "opus"}',
  ],
]

describe('Claude Code, wired by hand', () => {
  for (const [what, before, left] of rows) {
    const text = settings(before)
    test(`${what}: the way back`, () => {
      const at = new Place(CLAUDE)
      at.lay([text])
      at.setUp()
      const removals = at.takeOut(at.wired())
      assert.deepEqual([removals[0]!.is, at.now()], ['found', [settings(left)]])
      at.assertKept(removals, [text])
    })

    test(`${what}: the way back where others changed the file since`, () => {
      const at = new Place(CLAUDE)
      at.lay([text])
      at.setUp()
      writeFileSync(at.paths[0]!, at.now()[0]!.replace('{', '{"theme":"dark",'))
      const [removal] = at.takeOut(at.wired())
      assert.equal(removal!.is, 'foreign')
      assert.deepEqual(removal!.changed, ['theme'])
      assert.deepEqual(JSON.parse(at.now()[0]!), { theme: 'dark', ...JSON.parse(settings(left)) })
    })

    test(`${what}: the way back without a setup`, () => {
      const at = new Place(CLAUDE)
      at.lay([text])
      const removals = at.takeOut(strayWiring(CLAUDE.row, 'user', at.around)!)
      const now = left === '{}' ? undefined : settings(left)
      assert.deepEqual([removals[0]!.is, at.now()], ['found', [now]])
      at.assertKept(removals, [text])
    })

    test(`${what}: the way back behind one session`, () => {
      const at = new Place(CLAUDE)
      at.lay([text])
      at.setUp()
      const [removal] = at.takeOut(backToFound(at.wired()))
      assert.deepEqual([removal!.is, at.now()], ['same', [text]])
    })
  }
})

test('a file that others removed after setup, and that a second setup made, goes again', () => {
  const at = new Place(CLAUDE)
  at.lay(['{ "model": "opus" }'])
  at.setUp()
  rmSync(at.paths[0]!)
  assert.deepEqual(at.setUp(), ['make'])
  const [removal] = at.takeOut(at.wired())
  assert.deepEqual([removal!.is, at.now()], ['same', [undefined]])
})

test('files of hosts that are all ours and were there by hand come back behind one session', () => {
  for (const known of KNOWN.filter(({ row }) => row.files.every(({ is }) => is === 'own'))) {
    const at = new Place(known)
    const texts = textsOf(known, HAND)
    at.lay(texts)
    at.setUp()
    at.takeOut(backToFound(at.wired()))
    assert.deepEqual(at.now(), texts, known.host.id)
  }
})
