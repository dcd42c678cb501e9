/** An option that npm took for its own must not turn a trial into the act. */
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'

const TAKEN = { npm_config_dry_run: 'true', npm_lifecycle_event: 'sallyport' }

for (const verb of ['setup', 'uninstall'])
  test(`${verb} stops where npm took --dry-run`, async (t) => {
    const home = realpathSync(mkdtempSync(join(tmpdir(), 'taken-')))
    t.after(() => rmSync(home, { recursive: true, force: true }))
    const io = gatheredIo(home, { HOME: home, ...TAKEN })
    assert.equal(await runProgram('sallyport', [verb, '--yes', '--host', 'claude'], io), 2)
    assert.equal(
      io.errors,
      `sallyport ${verb}: npm kept --dry-run for itself; put -- behind the name: npm run -s sallyport -- ${verb} --dry-run\n`,
    )
    for (const made of ['.claude', '.local/share']) assert.equal(existsSync(join(home, made)), false, made)
    const tried = gatheredIo(home, { HOME: home, ...TAKEN })
    await runProgram('sallyport', [verb, '--dry-run', '--host', 'claude'], tried)
    assert.doesNotMatch(tried.errors, /npm kept/)
  })
