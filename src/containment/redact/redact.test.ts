import assert from 'node:assert/strict'
import { globSync, readFileSync, statSync } from 'node:fs'
import { test } from 'node:test'
import { KINDS } from './kinds.ts'
import { mask, secretsIn } from './redact.ts'

interface Row {
  /** What it is about. */
  readonly why: string
  /** Lines of an output; a bar cuts a secret in two, so that scanners of repositories do not take it for one. */
  readonly lines: readonly string[]
  /** Parts that must be gone, in the same way. */
  readonly gone?: readonly string[]
  readonly kept?: readonly string[]
  readonly names?: readonly string[]
  readonly masked?: number
}

const KEY = 'a key for tests'
const rows: readonly Row[] = JSON.parse(
  readFileSync(new URL('../../../cases/redact/outputs.json', import.meta.url), 'utf8'),
)
const whole = (text: string): string => text.replaceAll('|', '')

for (const { name, examples, harmless, find } of KINDS) {
  test(`kind ${name}`, () => {
    assert.ok(find.global, 'all of a text is searched')
    for (const example of examples) {
      const [secret, ...others] = secretsIn(whole(example))
      assert.equal(secret?.name, name, example)
      assert.deepEqual(others, [], example)
      const out = mask(whole(example), KEY)
      assert.match(out.text, new RegExp(`\\[ctx:redacted:${name}:[0-9a-f]{8}\\]`))
      assert.deepEqual([out.masked, out.names], [1, [name]])
    }
    for (const line of harmless) assert.equal(mask(line, KEY).text, line)
  })
}

for (const row of rows) {
  test(`redact: ${row.why}`, () => {
    const text = row.lines.map((line) => line.replaceAll('¦', '')).join('\n')
    const out = mask(text, KEY)
    for (const gone of row.gone ?? []) {
      assert.ok(text.includes(gone.replaceAll('¦', '')), `the case holds ${gone}`)
      assert.ok(!out.text.includes(gone.replaceAll('¦', '')), out.text)
    }
    for (const kept of row.kept ?? []) assert.ok(out.text.includes(kept), out.text)
    if (row.gone === undefined) assert.equal(out.text, text)
    if (row.names !== undefined) assert.deepEqual(out.names, row.names)
    if (row.masked !== undefined) assert.equal(out.masked, row.masked, out.text)
  })
}

test('real outputs of tools raise no alarm', () => {
  const files = globSync('cases/digest/**/*').filter((file) => statSync(file).isFile())
  assert.ok(files.length > 100)
  const alarms = files.flatMap((file) => {
    const text = readFileSync(file, 'latin1')
    return secretsIn(text).map(({ from, to, name }) => `${file}: ${name} ${text.slice(Math.max(0, from - 30), to)}`)
  })
  assert.deepEqual(alarms, [])
})
