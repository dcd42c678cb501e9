import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, realpathSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { answer } from '../core/driver.ts'
import type { World } from '../core/world.ts'
import { POSIX } from '../paths/lexical.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { diskWorld } from '../world/disk.ts'
import { replayWorld } from '../world/replay.ts'
import { canAdd, canonicalName, currentTicket, hitsOn, inScope, newAdlc, readArchive, readRepo } from './adlc.ts'
import type { RailHit } from './model.ts'
import { rootsAround } from './repo.ts'
import { adlcOf, ask, casesOf, type Files, HOME, MANIFEST, nameOf, ROOT, worldOf } from './world.testing.ts'

interface StoreRow {
  readonly name: string
  readonly files: Files
  readonly env?: Record<string, string>
  readonly want: 'none' | { rails?: string[]; tickets?: string[]; unreadable?: string; by?: string }
}

test('stores', () => {
  for (const { name, files, env, want } of casesOf<{ rows: StoreRow[] }>('stores').rows) {
    const repo = ask(readRepo(`${ROOT}/src/x`, adlcOf()), worldOf(files, env))
    if (repo === 'none' || want === 'none') {
      assert.equal(repo, want, name)
      continue
    }
    assert.equal(repo.by, want.by ?? 'directory', name)
    if (want.unreadable !== undefined) {
      assert.ok(repo.unreadable?.includes(want.unreadable), `${name}: ${repo.unreadable}`)
      assert.ok(repo.active, name)
      continue
    }
    assert.equal(repo.unreadable, undefined, name)
    assert.deepEqual(
      repo.rails.map(({ text }) => text),
      want.rails,
      name,
    )
    assert.equal(repo.active, want.rails!.length > 0, name)
    if (want.tickets)
      assert.deepEqual(
        repo.tickets.map(({ id }) => id),
        want.tickets,
        name,
      )
  }
})

interface Protects {
  readonly worlds: Record<string, Files>
  readonly rows: [string, string, 'none' | 'norepo' | [string, string, string | null], 'tree'?][]
}

test('what protects a path', () => {
  const { worlds, rows } = casesOf<Protects>('protects')
  for (const [world, path, want, tree] of rows) {
    const at = path === '' ? ROOT : path.startsWith('/') ? path : `${ROOT}/${nameOf(path)}`
    const { hits, repos } = ask(hitsOn(at, adlcOf(), { tree: tree === 'tree' }), worldOf(worlds[world]!))
    const what = `${world}: ${path} ${tree ?? ''} → ${JSON.stringify(hits[0])}`
    if (want === 'norepo') assert.equal(repos.length, 0, what)
    if (typeof want === 'string') {
      assert.deepEqual(hits, [], what)
      continue
    }
    assert.ok(hits[0], what)
    const { source, kind, rail, tickets } = hits[0] as RailHit
    assert.deepEqual([source, kind], want.slice(0, 2), what)
    if (want[2] !== null) assert.equal(rail, want[2], what)
    if (source === 'declared') assert.deepEqual(tickets, ['T1'], what)
  }
})

test('new shards', () => {
  const { worlds, rows } = casesOf<{
    worlds: Record<string, Files>
    rows: { name: string; world: string; file: string; text: string; want: string | { wide: string } }[]
  }>('additions')
  for (const { name, world, file, text, want } of rows) {
    const repo = ask(readRepo(ROOT, adlcOf()), worldOf(worlds[world]!))
    assert.ok(repo !== 'none')
    const added = canAdd(repo.store, nameOf(`/${file}`).slice(1), text.replace('@fill', 'x'.repeat(1 << 20)))
    if (want === 'ok') assert.deepEqual([added.ok, added.ok && added.wide], [true, undefined], name)
    else if (typeof want === 'string') assert.ok(!added.ok && added.why.includes(want) && added.why.endsWith('.'), name)
    else assert.ok(added.ok && added.wide?.includes(want.wide), `${name}: ${JSON.stringify(added)}`)
  }
})

test('scope and the present ticket', () => {
  const cases = casesOf<{
    scope: [string[] | null, string, boolean][]
    current: [Record<string, string>, string | null | undefined, string][]
  }>('scope')
  for (const [scope, path, expected] of cases.scope) {
    const at = path.startsWith('/') ? path : `${ROOT}/${path}`
    assert.equal(inScope(at, { scope: scope ?? undefined }, ROOT, POSIX), expected, `${scope} ${path}`)
  }
  for (const [i, [env, pointer, expected]] of cases.current.entries()) {
    // An absent pointer is written as null by JSON; only the row that expects none has none.
    const files = expected === 'none' ? {} : { '.adlc/current-ticket.json': pointer }
    const current = ask(currentTicket(`${ROOT}/.adlc`, POSIX), worldOf(files, env))
    assert.equal(current.is === 'ticket' ? current.id : current.is, expected, `row ${i}`)
  }
})

test('roots', () => {
  for (const [dirs, path, expected] of casesOf<[string[], string, string[]][]>('roots')) {
    const files = Object.fromEntries(dirs.map((dir) => [dir.startsWith('/') ? dir : `${HOME}/${dir}`, { dir: true }]))
    const facts = { homes: new Set([HOME]), sense: POSIX, paths: newPathBudget(), ways: new Map() }
    const found = ask(rootsAround(path, facts), worldOf(files))
    assert.deepEqual(
      found.map(({ root }) => root),
      expected,
      `${dirs} ${path}`,
    )
  }
})

const shard = (id: string, rails: string[]) => ({ [`.adlc/tickets/@${id}`]: { id, title: id, rails } })
const store = { '.git': { dir: true }, '.adlc/tickets/.store.json': MANIFEST }

test('what was read before is not read again, and every change is seen', () => {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-store-')))
  after(() => rmSync(base, { recursive: true, force: true }))
  const root = join(base, 'proj')
  const dir = join(root, '.adlc/tickets')
  mkdirSync(dir, { recursive: true })
  mkdirSync(join(root, '.git'))
  const put = (id: string, rails: string[]) => {
    const path = join(dir, canonicalName(id))
    writeFileSync(path, JSON.stringify({ id, title: id, rails }))
    utimesSync(path, 1_000, 1_000)
  }
  writeFileSync(join(dir, '.store.json'), JSON.stringify(MANIFEST))
  put('T1', ['a'])
  put('T2', ['b'])
  const env = { HOME: base }
  const read = () => {
    const adlc = newAdlc({ home: base, sense: POSIX, paths: newPathBudget(), anchors: [root] })
    const repo = ask(readRepo(root, adlc), diskWorld({ env, cwd: root }))
    assert.ok(repo !== 'none')
    return repo
  }
  const texts = () => read().rails.map(({ text }) => text)
  // What was changed a moment ago is read again in any case.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 2_100)
  assert.deepEqual(texts().sort(), ['a', 'b'])
  assert.equal(read().rails, read().rails, 'kept')
  const judged = (world: World) => {
    const adlc = newAdlc({ home: base, sense: POSIX, paths: newPathBudget(), anchors: [root] })
    const { value, facts } = answer(hitsOn(join(root, 'a'), adlc), world, { ms: 60_000, start: 0, questions: 10_000 })
    return { hits: value.hits, facts }
  }
  const first = judged(diskWorld({ env, cwd: root }))
  assert.equal(first.hits[0]?.rail, 'a')
  assert.deepEqual(judged(diskWorld({ env, cwd: root })), first, 'what is kept is recorded like what is read')
  assert.deepEqual(judged(replayWorld(first.facts)), first, 'and replays')
  put('T2', ['c'])
  assert.deepEqual(texts().sort(), ['a', 'c'], 'as long as before, with the time set back')
  put('T3', ['d'])
  assert.deepEqual(texts().sort(), ['a', 'c', 'd'], 'one more')
  rmSync(join(dir, canonicalName('T1')))
  assert.deepEqual(texts().sort(), ['c', 'd'], 'one less')
  renameSync(join(dir, canonicalName('T3')), join(base, 'away'))
  put('T3', ['e'])
  assert.deepEqual(texts().sort(), ['c', 'e'], 'another file of that name')
})

test('a store that stays is made into rails once in a process', () => {
  const world = worldOf({ ...store, ...shard('T1', ['a']) })
  const rails = () => {
    const repo = ask(readRepo(ROOT, adlcOf()), world)
    assert.ok(repo !== 'none')
    return repo.rails
  }
  assert.equal(rails(), rails())
})

test('one verdict reads a store once', () => {
  const world = worldOf({ ...store, ...shard('T1', ['a']) })
  let lists = 0
  const counting = {
    ...world,
    answer: (...of: Parameters<typeof world.answer>) => {
      if (of[0].ask === 'texts') lists++
      return world.answer(...of)
    },
  }
  const adlc = adlcOf()
  function* twice() {
    const one = yield* readRepo(`${ROOT}/a`, adlc)
    const two = yield* readRepo(`${ROOT}/b/c`, adlc)
    return one === two
  }
  assert.ok(ask(twice(), counting))
  assert.equal(lists, 1)
})

test('the archive is read, and never active', () => {
  const files = {
    '.adlc/ticket-archive/.store.json': { format: 'adlc-ticket-archive', version: 1 },
    '.adlc/ticket-archive/@T1': { id: 'T1', title: 'x', rails: ['a'], edges: [{ to: 'gone' }], _adlcArchive: {} },
  }
  const archive = ask(readArchive(`${ROOT}/.adlc`, { flavour: 'posix' }), worldOf(files))
  assert.ok(archive.is === 'tickets')
  assert.deepEqual(
    archive.tickets.map(({ id, active }) => [id, active]),
    [['T1', false]],
  )
})
