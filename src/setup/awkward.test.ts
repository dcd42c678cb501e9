/** Setup and the way back on settings files that are hard to edit (`cases/setup/awkward.json`). */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { getNodeValue, parseTree, visit } from 'jsonc-parser'
import { parse, stringify } from 'smol-toml'
import { need } from '../../test/need.ts'
import type { HostId } from '../core/call.ts'
import { insertJson, withoutSpans } from './edit/insert.ts'
import { applyHost, type HostPlan, isDoable, KNOWN, type Known, knownOf, planHost } from './hosts.ts'
import { type FilePlan, ownText } from './plan.ts'
import { readRecord } from './record.ts'
import { applyRemoval, planRemoval, type Removal } from './remove.ts'
import { entriesOf } from './wire/entries.ts'
import { type Edits, pathOf, type Scope, type Surroundings } from './wire/row.ts'

interface Row {
  readonly id: string
  readonly host: HostId
  readonly text: string | null
  readonly make?: string
  /** How the host reads it, where another way than its own is tried. */
  readonly reads?: 'jsonc'
  readonly does: 'make' | 'add' | 'renew' | 'refuse'
  readonly why?: string
  /** The way back leads to the text without what a person had wired. */
  readonly back?: 'without'
}

const rows = JSON.parse(readFileSync('cases/setup/awkward.json', 'utf8')) as readonly Row[]
const scratch = mkdtempSync(join(tmpdir(), 'sallyport-awkward-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

const RUNTIME = { dir: '/opt/guard', node: '/opt/guard/node', hook: '/opt/guard/dist/hook.cjs' }
const ABOUT = { now: new Date(0), sallyport: '0.0.0' }

/** The file of a host to which entries are added. */
const editsOf = (host: HostId): Edits => knownOf(host)!.row.files.find((file): file is Edits => file.is === 'entries')!

/** Of the user, where the host has such settings. */
const scopeOf = (host: HostId): Scope => (editsOf(host).settings.user === undefined ? 'project' : 'user')

interface Place {
  readonly at: Surroundings
  readonly state: string
  readonly path: string
  readonly real: string
}

function place(host: HostId): Place {
  const home = mkdtempSync(join(scratch, 'home-'))
  const at = { home, env: {}, project: join(home, 'project') }
  const state = join(home, 'state')
  mkdirSync(state)
  const path = pathOf(editsOf(host).settings[scopeOf(host)]!, at)
  return { at, state, path, real: path }
}

const CLAUDE: Subject = { host: 'claude' }

const LINE = '    "Bash(echo a rule that is here for its length alone:*)",\n'

/** Makes what the row says; undefined where this machine cannot. */
function lay(row: Row, where: Place): Place | undefined {
  const { path } = where
  if (row.text === null && row.make === undefined) return where
  mkdirSync(dirname(path), { recursive: true })
  const other = join(where.at.home, 'dotfiles.json')
  const text = row.text ?? ''
  switch (row.make) {
    case 'latin1':
      writeFileSync(path, Buffer.from('{ "name": "Zo\xeb" }\n', 'latin1'))
      return where
    case 'utf16':
      writeFileSync(path, Buffer.from('\ufeff{ "a": 1 }\n', 'utf16le'))
      return where
    case 'link':
      writeFileSync(other, text)
      symlinkSync(other, path)
      return { ...where, real: other }
    case 'links':
      writeFileSync(other, text)
      symlinkSync('dotfiles.json', `${other}.link`)
      symlinkSync(`${other}.link`, path)
      return { ...where, real: other }
    case 'dangling':
      symlinkSync(other, path)
      return where
    case 'loop':
      symlinkSync(path, path)
      return where
    case 'directory':
      mkdirSync(path)
      return where
    case 'pipe':
      return spawnSync('mkfifo', [path]).status === 0 ? where : undefined
    case 'hard-link':
      writeFileSync(path, text)
      linkSync(path, other)
      return where
    case 'large':
    case 'huge': {
      const bytes = (row.make === 'large' ? 5 : 17) * 1024 * 1024
      const rules = LINE.repeat(Math.ceil(bytes / LINE.length))
      writeFileSync(path, `{\n  "permissions": {\n  "allow": [\n${rules}    "Read"\n  ] }\n}\n`)
      return where
    }
    default:
      writeFileSync(path, text)
      if (row.make === 'read-only') chmodSync(path, 0o444)
      if (row.make === 'mode-664') chmodSync(path, 0o664)
      return where
  }
}

type Subject = Pick<Row, 'host' | 'reads'>

function knownAs({ host, reads }: Subject): Known {
  const known = knownOf(host)!
  if (reads === undefined) return known
  const files = known.row.files.map((file) => (file.is === 'entries' ? { ...file, reads } : file))
  return { ...known, row: { ...known.row, files } }
}

const planOf = (subject: Subject, { at, state }: Place, runtime = RUNTIME): HostPlan =>
  planHost(knownAs(subject), scopeOf(subject.host), at, runtime, state, '.')

function setUp(subject: Subject, where: Place, runtime = RUNTIME): FilePlan {
  const plan = planOf(subject, where, runtime)
  assert.ok(isDoable(plan), JSON.stringify(plan.plans))
  applyHost(plan, where.at, runtime, where.state, ABOUT)
  return plan.plans.find(({ path }) => path === where.path)!
}

function takeOut({ host }: Subject, { state, path }: Place): Removal {
  const removals = planRemoval(knownOf(host)!.row, readRecord(state, host)!.wired[0]!, state)
  for (const removal of removals) {
    assert.ok(!('refused' in removal), JSON.stringify(removal))
    applyRemoval(removal, state)
  }
  return removals.find((removal): removal is Removal => removal.path === path)!
}

const isToml = (host: HostId): boolean => editsOf(host).reads === 'toml'

/** By way of text, so that `-0` and prototypes do not matter. */
const value = (text: string, host: HostId = 'claude'): unknown => {
  if (isToml(host)) return JSON.parse(JSON.stringify(parse(text)))
  const tree = parseTree(text.replace('\ufeff', ''), [], { allowTrailingComma: true })
  return JSON.parse(JSON.stringify(tree === undefined ? {} : getNodeValue(tree)))
}

/** The value with our entries put in, as a reader that knows nothing of spans would do it. */
function withEntries(before: unknown, host: HostId): unknown {
  const { row } = knownOf(host)!
  const out = structuredClone(before) as Record<string, unknown>
  for (const [key, needed] of Object.entries(neededBy(host))) out[key] ??= needed
  for (const { at, value: entry } of entriesOf(row, editsOf(host), RUNTIME, undefined)) {
    let holder = out
    // One list for all of them, or one an event.
    for (const key of at.slice(0, -1)) {
      holder[key] ??= {}
      holder = holder[key] as Record<string, unknown>
    }
    holder[at.at(-1)!] ??= []
    ;(holder[at.at(-1)!] as unknown[]).push(entry)
  }
  return out
}

/** What the host wants in the file besides. It stays where others changed the file: what they put there may need it. */
const neededBy = (host: HostId): Readonly<Record<string, unknown>> =>
  Object.fromEntries((editsOf(host).form.needed ?? []).map(({ at, value: needed }) => [at[0]!, needed]))

/** Comments of a text, in their order. */
function comments(text: string, host: HostId = 'claude'): readonly string[] {
  if (isToml(host)) return text.match(/#.*$/gm) ?? []
  const found: string[] = []
  visit(text, { onComment: (at, length) => found.push(text.slice(at, at + length)) })
  return found
}

describe('awkward settings files', () => {
  assert.ok(rows.length >= 40)
  for (const row of rows)
    test(`${row.id}: ${row.does}`, (t) => {
      if (row.make === 'pipe' && !need(t, 'mkfifo')) return
      const where = lay(row, place(row.host))!
      const before = bytesOf(where.real)
      const mode = modeOf(where.real)
      if (row.does === 'refuse') {
        const plan = planOf(row, where).plans.find(({ path }) => path === where.path)
        assert.ok(plan !== undefined && 'refused' in plan)
        assert.ok(plan.refused.includes(row.why!), plan.refused)
        assert.doesNotThrow(() => (isToml(row.host) ? parse(plan.snippet) : JSON.parse(plan.snippet)))
        assert.deepEqual(bytesOf(where.real), before)
        return
      }
      assert.equal(setUp(row, where).does, row.does)
      const now = readFileSync(where.real, 'utf8')
      const old = before?.toString() ?? ''
      if (row.back === undefined) assert.deepEqual(value(now, row.host), withEntries(value(old, row.host), row.host))
      assert.deepEqual(comments(now, row.host), comments(old, row.host))
      if (mode !== undefined) assert.equal(modeOf(where.real), mode)
      assert.equal(lstatSync(where.path).isSymbolicLink(), where.real !== where.path)
      // A second time nothing happens.
      const again = setUp(row, where)
      assert.equal(again.does, 'keep')
      assert.equal(readFileSync(where.real, 'utf8'), now)
      const removal = takeOut(row, where)
      assert.equal(removal.is, row.back === 'without' ? 'found' : 'same')
      if (row.back === 'without')
        assert.deepEqual(
          value(readFileSync(where.real, 'utf8'), row.host),
          isToml(row.host) ? { a: 1, b: { c: 1 } } : {},
        )
      else assert.deepEqual(bytesOf(where.real), before)
      if (mode !== undefined) assert.equal(modeOf(where.real), mode)
      // Nothing is left beside it.
      const beside = existsSync(dirname(where.real)) ? readdirSync(dirname(where.real)) : []
      assert.deepEqual(
        beside.filter((name) => name.endsWith('.sallyport')),
        [],
      )
    })
})

describe('files that others change after setup', () => {
  const changed = rows.filter(
    ({ does, make, text }) =>
      does === 'add' && make === undefined && (text?.includes('"') === true || text?.includes('=') === true),
  )
  for (const row of changed)
    test(`${row.id}: their change stays, ours goes`, () => {
      const where = lay(row, place(row.host))!
      setUp(row, where)
      // In front of the first key, as an editor would put it.
      const theirs = (text: string) =>
        isToml(row.host) ? `added = [true]\n${text}` : text.replace('{', '{"added": [true],')
      writeFileSync(where.path, theirs(readFileSync(where.path, 'utf8')))
      const removal = takeOut(row, where)
      assert.equal(removal.is, 'foreign')
      const before = value(row.text!, row.host) as object
      const needed = Object.fromEntries(
        Object.entries(neededBy(row.host)).filter(([key]) => !Object.hasOwn(before, key)),
      )
      assert.deepEqual(removal.changed, ['added', ...Object.keys(needed)])
      const left = readFileSync(where.path, 'utf8')
      assert.deepEqual(value(left, row.host), { ...(value(theirs(row.text!), row.host) as object), ...needed })
      assert.deepEqual(comments(left, row.host), comments(row.text!, row.host))
    })

  for (const row of changed)
    test(`${row.id}: the same where the file was written anew by a program`, () => {
      const where = lay(row, place(row.host))!
      setUp(row, where)
      const program = value(readFileSync(where.path, 'utf8'), row.host) as Record<string, unknown>
      const anew = { ...program, theme: 'dark' }
      writeFileSync(where.path, isToml(row.host) ? stringify(anew) : JSON.stringify(anew, undefined, 4))
      takeOut(row, where)
      const left = value(readFileSync(where.path, 'utf8'), row.host)
      assert.deepEqual(left, { ...neededBy(row.host), ...(value(row.text!, row.host) as object), theme: 'dark' })
    })
})

describe('files that are all ours', () => {
  const known = KNOWN.flatMap((one) =>
    one.row.files.flatMap((file) => (file.is === 'own' && file.settings.user !== undefined ? [{ ...one, file }] : [])),
  )
  for (const { host, row, file } of known)
    test(`${host.id}: another file in the place of ${file.settings.user!.file} is left, one of an older setup is renewed`, () => {
      const home = mkdtempSync(join(scratch, 'home-'))
      const at = { home, env: {}, project: join(home, 'project') }
      const path = pathOf(file.settings.user!, at)
      const plan = () => planHost({ host, row }, 'user', at, RUNTIME, join(home, 'state'), '.')
      mkdirSync(dirname(path), { recursive: true })
      for (const foreign of [
        '',
        '{}',
        '{"name":"other"}',
        'export default () => {}\n',
        '#!/bin/sh\nexec ./mine.sh\n',
      ]) {
        writeFileSync(path, foreign)
        const [found] = plan().plans.filter((one) => one.path === path)
        assert.ok(found !== undefined && 'refused' in found, foreign)
        assert.equal(readFileSync(path, 'utf8'), foreign)
      }
      // Of another runtime, and no record of it is left.
      writeFileSync(path, ownText(row, file, { node: '/opt/old/node', hook: '/opt/old/dist/hook.cjs' }, '.'))
      const [found] = plan().plans.filter((one) => one.path === path)
      assert.ok(found !== undefined && !('refused' in found) && found.does !== 'make', JSON.stringify(found))
    })
})

test('setup again after others changed the file leaves it, and its way back leaves their change', () => {
  const where = place('claude')
  mkdirSync(dirname(where.path))
  writeFileSync(where.path, '{\n  "model": "opus"\n}\n')
  setUp(CLAUDE, where)
  writeFileSync(where.path, readFileSync(where.path, 'utf8').replace('"opus"', '"haiku"'))
  assert.equal(setUp(CLAUDE, where).does, 'keep')
  assert.equal(takeOut(CLAUDE, where).is, 'foreign')
  assert.equal(readFileSync(where.path, 'utf8'), '{\n  "model": "haiku"\n}\n')
})

test('a new runtime renews the entries, and the way back leads to the first file', () => {
  const where = place('claude')
  mkdirSync(dirname(where.path))
  writeFileSync(where.path, '{\n  "model": "opus" \n}')
  setUp(CLAUDE, where)
  const next = { dir: '/opt/next', node: '/opt/next/node', hook: '/opt/next/dist/hook.cjs' }
  assert.equal(setUp(CLAUDE, where, next).does, 'renew')
  const text = readFileSync(where.path, 'utf8')
  assert.ok(text.includes('/opt/next/') && !text.includes('/opt/guard/'))
  takeOut(CLAUDE, where)
  assert.equal(readFileSync(where.path, 'utf8'), '{\n  "model": "opus" \n}')
})

test('a new runtime after others changed the file: the way back leaves their change, and says so', () => {
  for (const [text, changed] of [
    ['{\n  "model": "opus"\n}\n', 'model'],
    [undefined, 'model'],
  ] as const) {
    const where = place('claude')
    mkdirSync(dirname(where.path))
    if (text !== undefined) writeFileSync(where.path, text)
    setUp(CLAUDE, where)
    const theirs = (now: string) =>
      text === undefined ? now.replace('{', '{\n  "model": "haiku",') : now.replace('opus', 'haiku')
    writeFileSync(where.path, theirs(readFileSync(where.path, 'utf8')))
    for (const name of ['next', 'last']) {
      const dir = `/opt/${name}`
      setUp(CLAUDE, where, { dir, node: `${dir}/node`, hook: `${dir}/dist/hook.cjs` })
    }
    const removal = takeOut(CLAUDE, where)
    assert.deepEqual([removal.is, removal.changed], ['foreign', [changed]])
    assert.deepEqual(value(readFileSync(where.path, 'utf8')), { model: 'haiku' })
  }
})

test('what was inserted, taken out again, gives any text that was', () => {
  const layout = fc.constantFrom(' ', '\n  ', '\r\n\t', ' // c\n', '/* d */', '')
  const json = fc
    .jsonValue({ maxDepth: 3 })
    .filter((one) => typeof one === 'object' && one !== null && !Array.isArray(one))
  fc.assert(
    fc.property(json, fc.array(layout, { minLength: 40, maxLength: 40 }), fc.boolean(), (settings, blanks, list) => {
      const whole = { ...(settings as object), ...(list ? { hooks: { PreToolUse: [settings] } } : {}) }
      let i = 0
      // Blanks and comments between any two signs.
      const text = JSON.stringify(whole).replace(
        /"(?:\\.|[^"\\])*"|[{}[\],:]/g,
        (sign) => sign + blanks[i++ % blanks.length]!,
      )
      const edited = insertJson(
        text,
        entriesOf(knownOf('claude')!.row, editsOf('claude'), RUNTIME, undefined),
        [],
        'jsonc',
      )
      if ('refused' in edited) return assert.match(edited.refused, /holds|twice/)
      assert.equal(withoutSpans(edited.text, edited.spans), text)
      assert.deepEqual(value(edited.text), withEntries(value(text), 'claude'))
      assert.deepEqual(comments(edited.text), comments(text))
    }),
  )
})

function bytesOf(path: string): Buffer | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? readFileSync(path) : undefined
}

const modeOf = (path: string): number | undefined => {
  const found = lstatSync(path, { throwIfNoEntry: false })
  return found?.isFile() ? found.mode & 0o7777 : undefined
}
