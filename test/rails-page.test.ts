/** What the page about rails shows to be written works as it stands there. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { canonicalName, lintRepo, readRepo } from '../src/adlc/adlc.ts'
import { adlcOf, ask, type Files, ROOT, worldOf } from '../src/adlc/world.testing.ts'
import { POSIX } from '../src/paths/lexical.ts'

const page = readFileSync('docs/rails.md', 'utf8')
const example = JSON.parse(/```json\n(.*?)\n```/s.exec(page)![1]!) as { tickets: readonly { id: string }[] }
const [ticket] = example.tickets
const manifest = /`\.adlc\/tickets\/\.store\.json` holds `(\{.*?\})`/.exec(page)![1]!

const STORES: readonly (readonly [name: string, files: Files])[] = [
  ['the legacy store', { '.adlc/tickets.json': example }],
  ['a directory', { '.adlc/tickets/.store.json': manifest, [`.adlc/tickets/${canonicalName(ticket!.id)}`]: ticket }],
]

for (const [name, files] of STORES) {
  test(`the example as ${name} freezes what the page says`, () => {
    const world = worldOf({ '.git': { dir: true }, ...files })
    const adlc = adlcOf()
    const repo = ask(readRepo(ROOT, adlc), world)
    assert.ok(repo !== 'none' && repo.unreadable === undefined)
    assert.deepEqual(ask(lintRepo(repo, POSIX), world), [])
    const hit = (path: string) => ask(repo.protects(`${ROOT}/${path}`), world)
    const frozen = ['lib/lock.mjs', 'schema/a.sql', 'lib/other.mjs', 'src/a.ts'].map((path) => hit(path) !== 'none')
    assert.deepEqual(frozen, [true, true, false, false])
    assert.deepEqual(
      repo.tickets.map(({ scope }) => scope),
      [['lib/**', 'test/**']],
    )
  })
}

test('the name of its shard begins as the page says', () => {
  assert.match(canonicalName(ticket!.id), /^t-1--[0-9a-f]{64}\.json$/)
})
