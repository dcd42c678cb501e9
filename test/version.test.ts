/** The version says the same wherever it stands, and the log of changes names it last. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'

const read = (path: string): string => readFileSync(join(import.meta.dirname, '..', path), 'utf8')
const { version } = JSON.parse(read('package.json')) as { version: string }

test('the newest released heading of the changelog is the version of the package', () => {
  const headings = [...read('CHANGELOG.md').matchAll(/^## (.+)$/gm)].map(([, heading]) => heading!)
  const released = headings.filter((heading) => heading !== 'Next')
  assert.equal(released[0], version)
  assert.ok(headings.indexOf('Next') <= 0, 'what is not released stands first')
  for (const heading of released) assert.match(heading, /^\d+\.\d+\.\d+$/)
})

test('the lock file and the plugin have the same version', () => {
  const lock = JSON.parse(read('package-lock.json'))
  assert.deepEqual([lock.version, lock.packages[''].version], [version, version])
  assert.equal(JSON.parse(read('plugin/antigravity/plugin.json')).version, version)
})
