import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { outputGate } from './output-gate.ts'

const state = mkdtempSync(join(tmpdir(), 'gate-'))
after(() => rmSync(state, { recursive: true, force: true }))

const asked: unknown[] = []
const gate = outputGate(
  state,
  {},
  state,
  async (args, env) => {
    asked.push([args['ref'], env['CTX_STATE_HOME']])
    return { text: 'found', failed: false }
  },
  () => {},
)
const flood = Array.from({ length: 4_000 }, (_, n) =>
  n === 1_234 ? 'ERROR the disk is full' : `line ${n} is fine`,
).join('\n')

describe('the output gate', () => {
  it('leaves what is short', () => assert.equal(gate.shown('env_a', 'code_execution', 'ls', 'short'), 'short'))

  it('puts a digest with an address in the place of what is long', () => {
    const shown = gate.shown('env_a', 'code_execution', 'make all', flood)
    assert.ok(shown.length < flood.length / 4)
    assert.match(shown, /(?:run|blob):[0-9a-f]{6,}/)
    assert.match(shown, /ERROR the disk is full/)
  })

  it('keeps each environment apart, and forgets them one by one', async () => {
    gate.shown('env_b', 'view_file', 'view_file', flood)
    await gate.lookUp('env_a', { op: 'get', ref: 'run:abcdef' })
    await gate.lookUp('env_b', { op: 'get', ref: 'run:abcdef' })
    assert.deepEqual(asked, [
      ['run:abcdef', join(state, 'captures', 'env_a')],
      ['run:abcdef', join(state, 'captures', 'env_b')],
    ])
    gate.forget('env_a')
    assert.deepEqual(
      [existsSync(join(state, 'captures', 'env_a')), existsSync(join(state, 'captures', 'env_b'))],
      [false, true],
    )
  })

  const bad: readonly object[] = [
    { op: 'get', ref: 'repo:/etc/passwd' },
    { op: 'get', ref: 'repo:.env' },
    { op: 'get', ref: 'job:abcdef' },
    { op: 'get', ref: 'run:../../x' },
    { op: 'get' },
    { op: 'run', ref: 'run:abcdef' },
    { op: 'diff', ref: 'run:abcdef', other: 'repo:/etc/passwd' },
    {},
  ]
  for (const args of bad)
    it(`looks up nothing for ${JSON.stringify(args)}`, async () => {
      const before = asked.length
      assert.equal((await gate.lookUp('env_a', args as Record<string, unknown>)).failed, true)
      assert.equal(asked.length, before)
    })

  it('takes no path for the name of an environment', () => {
    gate.shown('../../up', 'view_file', 'view_file', flood)
    assert.equal(existsSync(join(state, 'captures', '______up')), true)
  })
})
