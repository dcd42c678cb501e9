/** Laws of the check of a range, on trees in memory. What git does is tested with prepared histories. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { sha256Hex } from '../core/hash.ts'
import { canonicalName, readRepo } from './adlc.ts'
import { type Change, checkRange, type RailsReport } from './rails-check.ts'
import { placesOf } from './rails-check-places.ts'
import { adlcOf, ask, MANIFEST, ROOT, worldOf } from './world.testing.ts'

type Tree = Readonly<Record<string, string>>

const NAMES = ['lib/lock', 'lib/a.golden', 'lib/b', 'tools/x', 'docs/y.md', 'src/z.ts'] as const
const RAILS = ['lib/lock', '**/*.golden', 'tools/', 'lib', 'src/z.ts'] as const
const SHARDS = ['T1', 'T2'].map((id) => `.adlc/tickets/${canonicalName(id)}`)

const entry = (text: string | undefined) =>
  text === undefined ? undefined : { mode: '100644', oid: sha256Hex(text).slice(0, 40) }

function checked(base: Tree, head: Tree, order: (changes: Change[]) => Change[] = (all) => all): RailsReport {
  const world = worldOf(base)
  const paths = [...new Set([...Object.keys(base), ...Object.keys(head)])].filter((path) => base[path] !== head[path])
  const changes = order(
    paths.map((path) => {
      const [before, after] = [entry(base[path]), entry(head[path])]
      return { path, ...(before && { before }), ...(after && { after }) }
    }),
  )
  const has = (path: string) => Object.keys(base).some((one) => one === path || one.startsWith(`${path}/`))
  const places = ask(placesOf(paths, { root: ROOT, adlc: adlcOf(), has, homes: [''] }), world)
  assert.ok(!('problem' in places), JSON.stringify(places))
  const stores = new Map<
    string,
    Parameters<typeof checkRange>[0]['stores'] extends ReadonlyMap<string, infer S> ? S : never
  >()
  if (paths.some((path) => path.startsWith('.adlc/tickets/'))) {
    const at = (tree: Tree) => {
      const repo = ask(readRepo(ROOT, adlcOf()), worldOf(tree))
      return repo === 'none' ? ({ is: 'none' } as const) : repo.store
    }
    stores.set(ROOT, { top: ROOT, base: at(base), head: at(head), archive: { is: 'none' } })
  }
  return checkRange({
    ...{ root: ROOT, changes, touched: new Map(), places: places.places, folded: new Map(), stores },
    baseText: (path) => base[path],
    headText: (path) => head[path],
  })
}

const ticket = (id: string) =>
  fc
    .record({
      rails: fc.subarray([...RAILS]),
      status: fc.constantFrom('open', 'closed'),
      scope: fc.constant(['src/**']),
    })
    .map((more) => JSON.stringify({ id, title: 't', ...more }))
const files = fc
  .uniqueArray(fc.tuple(fc.constantFrom(...NAMES), fc.constantFrom('one\n', 'two\n')), { selector: ([name]) => name })
  .map((all) => Object.fromEntries(all))
const store = fc.tuple(ticket('T1'), ticket('T2')).map(([one, two]) => ({
  '.adlc/tickets/.store.json': JSON.stringify(MANIFEST),
  [SHARDS[0]!]: one,
  [SHARDS[1]!]: two,
}))

const edits = ({ violations }: RailsReport) => violations.filter(({ kind }) => kind === 'rail-edit')

test('what the head says of tickets changes nothing about rails', () => {
  fc.assert(
    fc.property(store, store, files, files, (before, after, base, head) => {
      const alone = checked({ ...before, ...base }, { ...before, ...head })
      const both = checked({ ...before, ...base }, { ...after, ...head })
      assert.deepEqual(edits(both), edits(alone))
    }),
    { numRuns: 60 },
  )
})

test('the order of changes does not count, and a range that changes nothing is clean', () => {
  fc.assert(
    fc.property(store, store, files, files, (before, after, base, head) => {
      const [one, other] = [
        { ...before, ...base },
        { ...after, ...head },
      ]
      assert.deepEqual(
        checked(one, other),
        checked(one, other, (all) => all.toReversed()),
      )
      assert.deepEqual(checked(one, one), { violations: [], warnings: [] })
    }),
    { numRuns: 40 },
  )
})

test('an active rail that is a plain path is never changed unseen', () => {
  fc.assert(
    fc.property(store, files, files, (before, base, head) => {
      const active = SHARDS.map((path) => JSON.parse(before[path]!) as { status: string; rails: string[] })
        .filter(({ status }) => status === 'open')
        .flatMap(({ rails }) => rails)
      const seen = new Set(edits(checked({ ...before, ...base }, { ...before, ...head })).map(({ path }) => path))
      for (const name of NAMES) {
        const differs = base[name] !== head[name]
        const frozen =
          active.includes(name) ||
          (active.includes('lib') && name.startsWith('lib/')) ||
          (active.includes('tools/') && name.startsWith('tools/')) ||
          (active.includes('**/*.golden') && name.endsWith('.golden'))
        assert.equal(seen.has(name), differs && frozen, name)
      }
    }),
    { numRuns: 60 },
  )
})
