import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer } from '../core/driver.ts'
import type { Answer, Question } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { replayWorld } from '../world/replay.ts'
import { currentTicket, hitsOn, readRepo } from './adlc.ts'
import { adlcOf, ask, casesOf, type Files, MANIFEST, nameOf, ROOT, worldOf } from './world.testing.ts'

const budget = { ms: 60_000, start: 0, questions: 1_000_000 }
const { worlds, rows } = casesOf<{ worlds: Record<string, Files>; rows: [string, string, unknown, 'tree'?][] }>(
  'protects',
)
const judge = ([, path, , tree]: (typeof rows)[number]) => {
  const at = path === '' ? ROOT : path.startsWith('/') ? path : `${ROOT}/${nameOf(path)}`
  return hitsOn(at, adlcOf(), { tree: tree === 'tree' })
}

test('recorded answers give the same again', () => {
  for (const row of rows) {
    const { value, facts } = answer(judge(row), worldOf(worlds[row[0]]!), budget)
    const again = ask(judge(row), replayWorld(facts))
    assert.deepEqual(again.hits, value.hits, JSON.stringify(row))
  }
})

test('an answer that cannot be had never frees what was protected', () => {
  const without = (world: World, lost: string): World => ({
    ...world,
    answer: (question, left) => (JSON.stringify(question) === lost ? 'unknown' : world.answer(question, left)),
  })
  for (const row of rows) {
    const world = worldOf(worlds[row[0]]!)
    const { value, facts } = answer(judge(row), world, budget)
    if (value.hits.length === 0) continue
    for (const { question } of facts) {
      const lost = JSON.stringify(question)
      const poorer = ask(judge(row), without(world, lost))
      assert.ok(poorer.hits.length > 0 || poorer.unresolved, `${JSON.stringify(row)} without ${lost}`)
    }
  }
})

test('reading ends for any answers', () => {
  const reply = (question: Question, pick: number): Answer => {
    if (pick % 7 === 0) return 'unknown'
    switch (question.ask) {
      case 'stat': {
        const kind = (['file', 'dir', 'link', 'device'] as const)[pick % 4]!
        if (pick % 5 === 0) return 'absent'
        return {
          kind,
          size: 1,
          mtime: 1,
          inode: `0:${pick}`,
          links: 1,
          mode: 0o644,
          ...(kind === 'link' && { target: '../a' }),
        }
      }
      case 'time':
        return 'left'
      case 'list':
        return {
          entries: [
            { name: '.store.json', kind: 'file' },
            { name: nameOf('/@T1').slice(1), kind: 'file' },
          ],
          cut: pick % 3 === 0,
        }
      case 'text':
        return {
          text: question.path.endsWith('.store.json')
            ? JSON.stringify(MANIFEST)
            : '{"id":"T1","title":"x","rails":["a/b","c/**"]}',
          cut: false,
        }
      case 'env':
        return pick % 2 ? 'unset' : { value: pick % 3 ? 'store' : '/srv/t.json' }
      case 'texts':
        return {
          entries: [
            { name: '.store.json', kind: 'file', text: { text: JSON.stringify(MANIFEST), cut: false } },
            {
              name: nameOf('/@T1').slice(1),
              kind: 'file',
              text: { text: '{"id":"T1","title":"x","rails":["a/b","c/**"]}', cut: false },
            },
          ],
          cut: pick % 3 === 0,
        }
      case 'gitBrings':
        return []
      case 'links':
        return question.paths.map((path) => ({ path, target: '../a' }))
      case 'which':
        return 'absent'
      case 'gitConfig':
        return []
      case 'git':
        return {}
    }
  }
  fc.assert(
    fc.property(fc.infiniteStream(fc.nat(200)), fc.boolean(), (picks, tree) => {
      let asked = 0
      const world: World = {
        now: () => 0,
        answer: (question) => {
          assert.ok(++asked < 5000)
          return reply(question, picks.next().value!)
        },
      }
      ask(hitsOn(`${ROOT}/a/b/c`, adlcOf(), { tree }), world)
      ask(currentTicket(`${ROOT}/.adlc`, adlcOf().sense), world)
    }),
    { numRuns: 300 },
  )
})

const store = { '.git': { dir: true }, '.adlc/tickets/.store.json': MANIFEST }

/** A world in which some questions have another answer. */
const but = (world: World, other: (question: Question) => Answer | undefined): World => ({
  ...world,
  answer: (question, left) => other(question) ?? world.answer(question, left),
})

test('bad input freezes the repository and says why', () => {
  const T1 = { id: 'T1', title: 'x', rails: ['a'] }
  const whyOf = (world: World) => {
    const { hits } = ask(hitsOn(`${ROOT}/src/free`, adlcOf()), world)
    assert.equal(hits[0]?.source, 'store')
    return hits[0]?.why ?? ''
  }
  const good = { ...store, '.adlc/tickets/@T1': T1 }
  assert.match(
    whyOf(worldOf({ ...store, '.adlc/tickets/@T1': { ...T1, body: 'x'.repeat(1 << 20) } })),
    /larger than 1 MiB/,
  )
  assert.match(whyOf(but(worldOf(good), ({ ask }) => (ask === 'texts' ? 'unknown' : undefined))), /cannot be listed/)
  const many = Array.from({ length: 6000 }, (_, i) => ({
    name: `t${i}--${'0'.repeat(64)}.json`,
    kind: 'file' as const,
  }))
  const crowded = but(worldOf(good), (question) =>
    question.ask === 'texts'
      ? { entries: many.slice(0, question.limit), cut: many.length > question.limit }
      : undefined,
  )
  assert.match(whyOf(crowded), /more than 5000/)
  const folded = [...many.slice(0, 1), { name: `T0--${'0'.repeat(64)}.json`, kind: 'file' as const }]
  assert.match(
    whyOf(but(worldOf(good), ({ ask }) => (ask === 'texts' ? { entries: folded, cut: false } : undefined))),
    /case only/,
  )
  const deep = '['.repeat(400_000)
  assert.match(whyOf(worldOf({ ...store, '.adlc/tickets/@T1': deep })), /no valid JSON/)
})

test('a chain of thousands of tickets is no circle', () => {
  const tickets = Array.from({ length: 5000 }, (_, i) => ({
    ...{ id: `T${i}`, title: 'x', rails: i === 4999 ? ['a'] : [] },
    edges: i === 4999 ? [] : [{ to: `T${i + 1}` }],
  }))
  const files = { '.git': { dir: true }, '.adlc/tickets.json': { tickets } }
  const repo = ask(readRepo(ROOT, adlcOf()), worldOf(files))
  assert.ok(repo !== 'none' && repo.unreadable === undefined && repo.rails.length === 1)
  tickets[4999]!.edges.push({ to: 'T0' })
  const circle = ask(readRepo(ROOT, adlcOf()), worldOf(files))
  assert.match(circle === 'none' ? '' : (circle.unreadable ?? ''), /circle/)
})

test('a path of 100,001 components and a loop of links are unresolved, not free', () => {
  const files = { ...store, '.adlc/tickets/@T1': { id: 'T1', title: 'x', rails: ['a'] }, loop: { '->': 'loop' } }
  const world = worldOf(files)
  assert.ok(ask(hitsOn(`${ROOT}/${'x/'.repeat(100_001)}`, adlcOf()), world).unresolved)
  assert.ok(ask(hitsOn(`${ROOT}/loop/x`, adlcOf()), world).unresolved)
  assert.equal(ask(hitsOn(`${ROOT}/loop`, adlcOf(), { follow: false }), world).unresolved, false)
})
