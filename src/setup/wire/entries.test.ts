import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOSTS } from '../../hosts/registry.ts'
import { commandOf, entriesOf } from './entries.ts'
import { WIRE_ROWS } from './rows.ts'

const PROGRAM = { node: '/n', hook: '/h' }
const LAID = { node: '/r/node', hook: '/r/dist/hook.cjs' }

/** Each entry of a host as `place: form`, the form as its keys, and those of the handlers of a group. */
function formsOf(host: string): readonly string[] {
  const row = WIRE_ROWS.find((row) => row.host === host)!
  return row.files.flatMap((file) =>
    file.is === 'own'
      ? []
      : entriesOf(row, file, PROGRAM, undefined).map(({ at, value }) => {
          const entry = value as { readonly hooks?: readonly object[] }
          const inner = entry.hooks === undefined ? '' : ` of ${Object.keys(entry.hooks[0]!).join(' ')}`
          return `${at.join('.')}: ${Object.keys(entry).join(' ')}${inner}`
        }),
  )
}

test('Antigravity gets groups for its tools, and a handler alone for what comes before each call of the model', () => {
  assert.deepEqual(formsOf('antigravity'), [
    'sallyport.PreToolUse: matcher hooks of type command timeout',
    'sallyport.PostToolUse: matcher hooks of type command timeout',
    'sallyport.PreInvocation: type command timeout',
  ])
})

test('every event that is registered is one that the host knows', () => {
  for (const { host, events } of WIRE_ROWS) {
    const { pre, post, other = [] } = HOSTS.find(({ id }) => id === host)!.events
    const known = new Set([...pre, ...post, ...other].map((name) => name.toLowerCase()))
    for (const { name } of events) assert.ok(known.has(name.toLowerCase()), `${host} ${name}`)
  }
})

test('the launcher stands before the hook of each host that takes a denial by exit code, and of no other', () => {
  for (const row of WIRE_ROWS) {
    const host = HOSTS.find(({ id }) => id === row.host)!
    assert.equal(row.byExit ?? false, host.exits !== undefined, row.host)
    for (const { name, is } of row.events) {
      const word = is === 'gate' ? 'before' : 'after'
      const launcher = row.byExit ? `/bin/sh /r/bin/exit-code.sh ${word} ` : ''
      assert.equal(commandOf(LAID, row, name), `${launcher}/r/node /r/dist/hook.cjs ${row.host} ${name}`)
    }
  }
})
