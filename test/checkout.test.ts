/** A checkout whose packages are not installed says so, whatever is started first. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'

const bare = mkdtempSync(join(tmpdir(), 'checkout-'))
after(() => rmSync(bare, { recursive: true, force: true }))
for (const dir of ['bin', 'scripts']) cpSync(dir, join(bare, dir), { recursive: true })
cpSync('package.json', join(bare, 'package.json'))
mkdirSync(join(bare, 'src/cli'), { recursive: true })
writeFileSync(join(bare, 'src/cli/main.ts'), "import '@stricli/core'\n")

const ROWS: readonly (readonly [words: readonly string[], code: number])[] = [
  [['bin/sallyport.js', 'check', '--', 'ls'], 2],
  [['bin/sallyport.js', 'rails', 'check', '--base', 'main'], 1],
  [['bin/ctx.js', 'run', '--', 'true'], 125],
  [['bin/agb.js', 'status'], 2],
  [['scripts/installed.js'], 1],
]

for (const [words, code] of ROWS)
  test(words.join(' '), () => {
    const ran = spawnSync(process.execPath, words, { cwd: bare, encoding: 'utf8' })
    assert.equal(ran.status, code)
    assert.equal(ran.stdout, '')
    assert.match(ran.stderr, /^[^\n]*the packages of this checkout are not installed yet; run npm ci[^\n]*\n$/)
  })
