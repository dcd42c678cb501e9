import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { answer } from '../core/driver.ts'
import { checkFrozenWorld, frozenWorld } from '../world/frozen.ts'
import { findBelow } from './below.ts'
import { compileGlob } from './glob.ts'
import { fitsName, type Layout, type LayoutFacts, newLayout } from './layout.ts'
import { POSIX, parentsOf } from './lexical.ts'
import { PERSISTENCE } from './tables/persistence.ts'
import { REGENERABLE } from './tables/regenerable.ts'
import { SECRET_NAMES, SECRET_PLACES } from './tables/secrets.ts'
import { DEVICES, STREAMS, SYSTEM, TEMP } from './tables/system.ts'
import { TRUST_ROOT } from './tables/trust-root.ts'
import { containsZone, isSecretName, NO_RULES, whyZone, type Zone, type ZoneRules, zonesOf } from './zones.ts'

const cases = JSON.parse(readFileSync(new URL('../../cases/paths/zones.json', import.meta.url), 'utf8')) as {
  layouts: Record<string, LayoutFacts>
  rules: { frozen: string[]; scope: string[]; disposable: string[]; denyRead: string[] }
  exact: [string, string, Zone[]][]
  has: [string, string, Zone, boolean][]
  contains: [string, string, Zone, boolean][]
}

const layouts: Record<string, { layout: Layout; rules: ZoneRules }> = {}
for (const [name, facts] of Object.entries(cases.layouts)) {
  const layout = newLayout(facts)
  const compiled = (globs: string[]) => globs.map((glob) => compileGlob(glob, facts.workspaces[0]!, layout))
  const { frozen, scope, disposable, denyRead } = cases.rules
  const scoped = name === 'linux' || name === 'windows'
  layouts[name] = {
    layout,
    rules: scoped
      ? {
          frozen: { all: () => compiled(frozen), near: () => compiled(frozen) },
          scope: compiled(scope),
          disposable: compiled(disposable),
          denyRead: compiled(denyRead),
        }
      : NO_RULES,
  }
}

test('all zones of a path', () => {
  for (const [name, path, expected] of cases.exact) {
    const { layout, rules } = layouts[name]!
    assert.deepEqual([...zonesOf(path, layout, rules)].sort(), [...expected].sort(), `${path} (${name})`)
  }
})

test('one zone of a path', () => {
  for (const [name, path, zone, expected] of cases.has) {
    const { layout, rules } = layouts[name]!
    assert.equal(zonesOf(path, layout, rules).has(zone), expected, `${path} ${zone} (${name})`)
  }
})

test('what a directory holds', () => {
  for (const [name, dir, zone, expected] of cases.contains) {
    const { layout, rules } = layouts[name]!
    assert.equal(containsZone(dir, zone, layout, rules), expected, `${dir} ${zone} (${name})`)
  }
})

test('every directory above a fixed place contains its zone', () => {
  const { layout } = layouts['linux']!
  for (const zone of ['trust-root', 'persistence', 'secret'] as const) {
    for (const [at, places] of layout.places) {
      if (!places.some((place) => place.zone === zone)) continue
      for (const dir of parentsOf(`/${at}`)) assert.ok(containsZone(dir, zone, layout), `${dir} above ${at}`)
    }
  }
})

test('a zone of a path does not hang on how the path is written', () => {
  const rows = cases.exact.filter(([name]) => name === 'linux')
  fc.assert(
    fc.property(fc.constantFrom(...rows), fc.constantFrom('/./', '//', '/x/../'), (row, odd) => {
      const { layout, rules } = layouts[row[0]]!
      const path = row[1].replace(/\/(?=[^/]*$)/, odd)
      assert.deepEqual(zonesOf(path, layout, rules), zonesOf(row[1], layout, rules))
    }),
  )
})

test('every row of the tables has a reason and no row stands twice', () => {
  const places = [TRUST_ROOT, PERSISTENCE, SECRET_PLACES, SYSTEM, STREAMS, DEVICES, TEMP]
  for (const table of places) {
    const seen = new Set<string>()
    for (const { at, why } of table) {
      assert.ok(why.length > 3)
      for (const place of at) {
        assert.match(place, /^(?:~\/|\.\/|\.\.\.\/|\$(?:config|state|data|cache)\/|\/|[A-Z]:\/)/)
        assert.ok(!seen.has(place), place)
        seen.add(place)
      }
    }
  }
  for (const table of [SECRET_NAMES, REGENERABLE]) {
    for (const { names, why } of table) {
      assert.ok(why.length > 3)
      assert.equal(new Set(names).size, names.length, why)
    }
  }
})

test('reasons for people', () => {
  const { layout } = layouts['linux']!
  assert.equal(whyZone('/home/dev/.codex/hooks.json', 'trust-root', layout), 'hooks, trust and approval rules of Codex')
  assert.equal(
    whyZone('/home/dev/proj/.env', 'secret', layout),
    'variables of an application, most often with its keys',
  )
  assert.equal(whyZone('/home/dev/proj/a.ts', 'secret', layout), undefined)
})

test('looking below a directory', () => {
  const files = Object.fromEntries(
    ['src/a.ts', 'src/deep/er/.env', 'test/x.golden', 'dist/a.js'].map((name) => [`/p/${name}`, { type: 'file' }]),
  )
  const rest = { platform: 'linux', user: 'dev', home: '/home/dev', cwd: '/p', workspaces: [], env: {}, git: {} }
  const world = frozenWorld(checkFrozenWorld({ ...rest, files }, 'cases'))
  const look = (dir: string, found: (path: string) => boolean, entries = 1000, mayContain = (_: string) => true) =>
    answer(findBelow(dir, { flavour: 'posix', found, mayContain, budget: { entries } }), world, {
      ms: 1000,
      start: 0,
      questions: 1000,
    })
  const golden = compileGlob('**/*.golden', '/p', POSIX)
  const env = (path: string) => isSecretName(path.split('/').at(-1)!)
  assert.deepEqual(look('/p', (path) => golden.matches(path)).value, { path: '/p/test/x.golden' })
  assert.equal(look('/p/dist', (path) => golden.matches(path)).value, 'none')
  assert.deepEqual(look('/p/src', env).value, { path: '/p/src/deep/er/.env' })
  assert.equal(look('/p/src', env, 2).value, 'unknown')
  assert.equal(look('/p/none', env).value, 'none')
  const spec = compileGlob('spec/**', '/p', POSIX)
  const asked = look(
    '/p',
    (path) => spec.matches(path),
    1000,
    (dir) => spec.mayContain(dir),
  ).facts
  assert.deepEqual(
    asked.map(({ question }) => (question.ask === 'list' ? question.dir : '')),
    ['/p'],
  )
})

test('a name fits a pattern with stars as it would an expression', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '.'), maxLength: 6 })
  fc.assert(
    fc.property(fc.array(text, { minLength: 1, maxLength: 4 }), text, text, (pieces, before, after) => {
      const pattern = pieces.join('*')
      const expression = new RegExp(`^${pieces.map((one) => one.replaceAll('.', '\\.')).join('.*')}$`, 's')
      for (const name of [before, before + after, pieces.join(''), pieces.join(before), before + pieces.join(after)])
        assert.equal(fitsName(pattern, name), expression.test(name), `${pattern} ${name}`)
    }),
    { numRuns: 2000 },
  )
})
