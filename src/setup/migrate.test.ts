import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { describe, test } from 'node:test'
import { everything, HOMES, HOOKS, lay, OTHER_HOOK, write } from './migrate.testing.ts'
import { finishRollback, lockHolder, type MigrateOptions, migrate, type Outcome, rollback } from './migrate.ts'
import { planMigration, planRollback } from './migrate-plan.ts'
import { BOOSTER_NAME, OWN_NAME, type Places } from './plugin-root.ts'

const stateOf = ({ data }: Places): string => JSON.parse(readFileSync(join(data, 'migration-state.json'), 'utf8')).state

/** Runs with a stop at the n-th step; the names of the steps that were begun. */
function stopped(
  run: (options: MigrateOptions) => { code: number },
  options: MigrateOptions,
  at: number,
): readonly string[] {
  const begun: string[] = []
  const step = (name: string) => {
    begun.push(name)
    if (begun.length === at + 1) throw new Error('cut off')
  }
  const { code } = run({ ...options, step })
  assert.equal(code, begun.length > at ? 1 : 0)
  return begun
}

for (const kind of Object.keys(HOMES))
  describe(`migrating a home with ${kind}`, () => {
    test('forth and back, byte for byte', () => {
      const options = lay(kind)
      const before = everything(options.home)
      assert.equal(migrate(options).code, 0)
      const own = join(options.places.plugins, OWN_NAME)
      assert.equal(JSON.parse(readFileSync(join(own, 'plugin.json'), 'utf8')).version, '9.9.9')
      assert.equal(existsSync(join(own, 'old.txt')) || existsSync(join(own, 'node_modules')), false)
      assert.equal(statSync(join(own, 'bin/hook-runner.sh')).mode & 0o777, 0o755)
      assert.equal(existsSync(join(options.places.plugins, BOOSTER_NAME)), false)
      assert.equal(statSync(options.places.shim).mode & 0o777, 0o755)
      const names = JSON.parse(readFileSync(options.places.imports, 'utf8')).imports.map(
        (one: { name: string }) => one.name,
      )
      assert.deepEqual(names, kind === 'the published booster' ? ['other', OWN_NAME] : [OWN_NAME])
      assert.equal(stateOf(options.places), 'MIGRATED')
      assert.deepEqual(rollback(options).lines, ['everything is as it was before the migration'])
      assert.deepEqual(everything(options.home), before)
      assert.equal(stateOf(options.places), 'ROLLED_BACK')
      assert.deepEqual(rollback(options).lines, ['there is nothing to roll back'])
    })

    test('the plan names every place that changes, and changes none', () => {
      const options = lay(kind)
      const changed = (from: readonly string[], to: readonly string[]) =>
        [...from, ...to].filter((line) => from.includes(line) !== to.includes(line)).map((line) => line.split(' ')[0]!)
      const named = (lines: readonly string[], path: string) => {
        const at = join(options.home, path)
        return lines.some((line) =>
          line.split(/[ :]/).some((word) => word === at || (isAbsolute(word) && at.startsWith(`${word}/`))),
        )
      }
      const steps = (plan: (options: MigrateOptions) => Outcome, run: (options: MigrateOptions) => Outcome) => {
        const before = everything(options.home)
        const { code, lines } = plan(options)
        assert.equal(code, 0)
        assert.deepEqual(everything(options.home), before)
        assert.equal(run(options).code, 0)
        const paths = changed(before, everything(options.home))
        assert.deepEqual(
          paths.filter((path) => !named(lines, path)),
          [],
        )
        return paths.length
      }
      assert.ok(steps(planMigration, migrate) > 5)
      assert.equal(planMigration(options).code, 1)
      assert.ok(steps(planRollback, rollback) > 5)
      assert.deepEqual(planRollback(options).lines, ['there is nothing to roll back'])
    })

    test('cut off at any step it is taken up again, and undone', () => {
      for (let at = 0; ; at++) {
        const options = lay(kind)
        const before = everything(options.home)
        const begun = stopped(migrate, options, at)
        if (begun.length <= at) break
        const other = lay(kind)
        const otherBefore = everything(other.home)
        stopped(migrate, other, at)
        assert.equal(rollback(other).code, 0, begun.at(-1))
        assert.deepEqual(everything(other.home), otherBefore, `undone at ${begun.at(-1)}`)
        assert.equal(migrate(options).code, 0, begun.at(-1))
        assert.equal(stateOf(options.places), 'MIGRATED')
        assert.equal(rollback(options).code, 0)
        assert.deepEqual(everything(options.home), before, `taken up at ${begun.at(-1)}`)
      }
    })

    test('a rollback that is cut off at any step is finished by the next one', () => {
      for (let at = 0; ; at++) {
        const options = lay(kind)
        const before = everything(options.home)
        migrate(options)
        const begun = stopped(rollback, options, at)
        if (begun.length <= at) break
        const pending = stateOf(options.places) === 'ROLLED_BACK_PENDING_UNINSTALL'
        if (!pending) assert.match(migrate(options).lines[0]!, /rollback was cut off/)
        assert.equal(rollback(options).code, 0)
        assert.deepEqual(everything(options.home), before, begun.at(-1))
      }
    })
  })

describe('a rollback that another process finishes', () => {
  test('hands its lock over and leaves the plugin to it', () => {
    const options = lay('the published booster')
    const before = everything(options.home)
    migrate(options)
    const waited: number[] = []
    const finisher = (token: string) => {
      assert.equal(stateOf(options.places), 'ROLLED_BACK_PENDING_UNINSTALL')
      assert.ok(existsSync(join(options.places.plugins, OWN_NAME)))
      assert.equal(finishRollback(options, 'another token', () => {}).code, 1)
      const { code } = finishRollback(options, token, ({ pid }) => waited.push(pid))
      return code === 0
    }
    assert.equal(rollback({ ...options, finisher }).code, 0)
    assert.deepEqual(waited, [process.pid])
    assert.equal(stateOf(options.places), 'ROLLED_BACK')
    assert.deepEqual(everything(options.home), before)
    assert.equal(lockHolder(options.places), undefined)
  })

  test('that does not come is said, and the next run finishes it', () => {
    const options = lay('the published booster')
    const before = everything(options.home)
    migrate(options)
    const { code, lines } = rollback({ ...options, finisher: () => false })
    assert.equal(code, 1)
    assert.match(lines.join(), /--finish-uninstall/)
    assert.equal(stateOf(options.places), 'ROLLED_BACK_PENDING_UNINSTALL')
    assert.equal(lockHolder(options.places), undefined)
    assert.equal(finishRollback(options, 'any', () => {}).code, 1)
    assert.equal(rollback(options).code, 0)
    assert.deepEqual(everything(options.home), before)
  })
})

describe('migrating', () => {
  test('links into the booster and ADLC go, those of others stay', () => {
    const options = lay('the published booster')
    migrate(options)
    const left = readdirSync(join(options.home, '.gemini/skills')).sort()
    assert.deepEqual(left, ['c', 'e'])
    assert.deepEqual(readdirSync(join(options.home, '.gemini/antigravity/skills')), ['d'])
  })

  test('hooks of others stay', () => {
    const options = lay('hooks wired by hand')
    migrate(options)
    assert.deepEqual(JSON.parse(readFileSync(options.places.hooks, 'utf8')), OTHER_HOOK)
  })

  test('twice needs force, and keeps the first record of what was', () => {
    const options = lay('the published booster')
    const before = everything(options.home)
    migrate(options)
    assert.match(migrate(options).lines[0]!, /--force/)
    write(join(options.places.plugins, OWN_NAME, 'plugin.json'), '{}')
    assert.equal(migrate({ ...options, force: true }).code, 0)
    assert.equal(readdirSync(join(options.places.data, 'snapshots')).length, 1)
    assert.equal(rollback(options).code, 0)
    assert.deepEqual(everything(options.home), before)
  })

  test('after a rollback it starts anew', () => {
    const options = lay('the published booster')
    migrate(options)
    rollback(options)
    const before = everything(options.home)
    assert.equal(migrate(options).code, 0)
    assert.equal(readdirSync(join(options.places.data, 'snapshots')).length, 2)
    rollback(options)
    assert.deepEqual(everything(options.home), before)
  })

  test('from its own place it replaces nothing of itself', () => {
    const options = lay('empty')
    const own = join(options.places.plugins, OWN_NAME)
    mkdirSync(dirname(own), { recursive: true })
    spawnSync('cp', ['-r', options.source, own])
    assert.equal(migrate({ ...options, source: own }).code, 0)
    assert.ok(existsSync(join(own, 'bin/hook-runner.sh')))
    assert.equal(rollback({ ...options, source: own }).code, 0)
    assert.ok(existsSync(join(own, 'bin/hook-runner.sh')))
  })

  test('a plugin that was changed since is rolled back by force alone', () => {
    const options = lay('empty')
    migrate(options)
    write(join(options.places.plugins, OWN_NAME, 'mine.txt'), 'x')
    assert.match(rollback(options).lines[0]!, /--force-rollback/)
    assert.equal(rollback({ ...options, force: true }).code, 0)
    assert.equal(existsSync(join(options.places.plugins, OWN_NAME)), false)
  })

  test('what others wrote since the migration survives the way back', () => {
    const options = lay('the published booster')
    const { places } = options
    write(places.hooks, JSON.stringify(HOOKS))
    migrate(options)
    const list = JSON.parse(readFileSync(places.imports, 'utf8'))
    write(places.imports, JSON.stringify({ ...list, imports: [...list.imports, { name: 'later' }] }))
    write(places.hooks, JSON.stringify(OTHER_HOOK))
    rollback(options)
    const names = JSON.parse(readFileSync(places.imports, 'utf8')).imports.map((one: { name: string }) => one.name)
    assert.deepEqual(names.sort(), [BOOSTER_NAME, 'later', 'other'])
    assert.deepEqual(JSON.parse(readFileSync(places.hooks, 'utf8')), { ...HOOKS, ...OTHER_HOOK })
  })

  test('a place of a link that something else has taken is left and named', () => {
    const options = lay('the published booster')
    migrate(options)
    write(join(options.home, '.gemini/skills/a'), 'mine')
    assert.match(rollback(options).lines.join('\n'), /skills\/a has been taken/)
    assert.equal(readFileSync(join(options.home, '.gemini/skills/a'), 'utf8'), 'mine')
  })

  const refused: readonly [string, (options: MigrateOptions) => void, RegExp][] = [
    ['a state that cannot be read', ({ places }) => write(join(places.data, 'migration-state.json'), '{'), /state/],
    [
      'a state of another kind',
      ({ places }) => write(join(places.data, 'migration-state.json'), '{"state":"X","stamp":"a"}'),
      /state/,
    ],
    [
      'a state that leads elsewhere',
      ({ places }) => write(join(places.data, 'migration-state.json'), '{"state":"MIGRATED","stamp":"../.."}'),
      /state/,
    ],
    ['a list of imports that is no JSON', ({ places }) => write(places.imports, '{'), /mend it/],
    ['hooks that are no JSON', ({ places }) => write(places.hooks, '// {}'), /mend it/],
    ['a source that is another plugin', ({ source }) => write(join(source, 'plugin.json'), '{"name":"x"}'), /is no /],
    ['a source that is not whole', ({ source }) => rmSync(join(source, 'bin/hook-runner.sh')), /missing/],
  ]
  for (const [name, spoil, why] of refused)
    test(`refuses ${name}, and changes nothing`, () => {
      const laid = lay('the published booster')
      const source = join(laid.home, 'source')
      spawnSync('cp', ['-r', laid.source, source])
      const options = { ...laid, source }
      spoil(options)
      const before = everything(options.home)
      const { code, lines } = migrate(options)
      assert.equal(code, 1)
      assert.match(lines.join('\n'), why)
      assert.deepEqual(everything(options.home), before)
    })

  test('a plugin of more than 100 MB is not copied', () => {
    const options = lay('the published booster')
    const big = join(options.places.plugins, BOOSTER_NAME, 'big')
    spawnSync('truncate', ['-s', '101M', big])
    assert.match(migrate(options).lines[0]!, /100 MB/)
    assert.ok(existsSync(big))
  })
})
