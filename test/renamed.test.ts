/** The verdicts of the cases stand on what names mean, not on the names: with other names they are the same. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { test } from 'node:test'
import { judgeCase, subjectOfWorld } from '../src/cli/check/case.ts'
import { type CaseRow, readCases } from '../src/cli/check/cases.ts'
import { frozenWorld, parseFrozenWorld } from '../src/world/frozen.ts'

interface Renaming {
  readonly what: string
  readonly names: readonly (readonly [RegExp, string])[]
  /** Rows in which the name stands where a replacement of text cannot reach it, each with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

const RENAMINGS: readonly Renaming[] = [
  { what: 'the project', names: [[/\bproj\b/g, 'app-7']] },
  {
    what: 'the frozen directory',
    names: [
      [/(?<![\w-])spec\b/g, 'golden'],
      [/(?<![\w-])SPEC\b/g, 'GOLDEN'],
    ],
  },
  {
    what: 'the home directory',
    names: [[/\/home\/dev\b/g, '/srv/u1']],
    except: { 'interpreter-07': 'the path stands encoded in the text' },
  },
  { what: 'the user', names: [[/(?<!\/)\bdev\b(?!\/)/g, 'u1']] },
  { what: 'branches', names: [[/\bfeature\b/g, 'topic']] },
  { what: 'the source directory', names: [[/(?<![\w-])src\b/g, 'code']] },
  {
    what: 'files',
    names: [
      [/\bdrafts\b/g, 'essays'],
      [/\ba\.ts\b/g, 'kernel.ts'],
      [/\bapp\.ts\b/g, 'entry.ts'],
      [/\bnotes\b/g, 'diary'],
    ],
  },
]

const rows = readCases('cases/guard.jsonl')
const worlds = globSync('cases/worlds/*.json').map((file) => ({
  name: basename(file, '.json'),
  text: readFileSync(file, 'utf8'),
}))

for (const { what, names, except = {} } of RENAMINGS) {
  test(`other names for ${what}: the same verdicts`, () => {
    const renamed = (text: string) => names.reduce((all, [from, to]) => all.replace(from, to), text)
    const files = new Map(worlds.map(({ name, text }) => [name, parseFrozenWorld(renamed(text), name)]))
    let touched = 0
    const wrong: string[] = []
    for (const row of rows) {
      if (Object.hasOwn(except, row.id)) continue
      const other = JSON.parse(renamed(JSON.stringify(row))) as CaseRow
      // Ids and names of worlds are ours.
      const file = files.get(row.world)!
      const { verdict } = judgeCase(subjectOfWorld(file, other), frozenWorld(file))
      if (other.command !== row.command) touched++
      if (verdict.decision !== row.verdict)
        wrong.push(`${row.id}: ${verdict.decision}, not ${row.verdict}: ${other.command}`)
    }
    assert.deepEqual(wrong, [])
    assert.ok(touched > 0 || what === 'the user', 'no command holds the name')
  })
}

test('the exceptions are rows that there are', () => {
  const ids = new Set(rows.map(({ id }) => id))
  for (const { except = {} } of RENAMINGS) for (const id of Object.keys(except)) assert.ok(ids.has(id), id)
})
