/** What older versions of a host enforce, and how versions are told apart. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { CapabilityKey, Support } from './host.ts'
import { HOSTS, hostOf } from './registry.ts'
import { capabilitiesOf, isAfter } from './versions.ts'

const ROWS: readonly (readonly [string, string | undefined, CapabilityKey, Support])[] = [
  ['droid', undefined, 'pre.rewrite', 'partial'],
  ['droid', '0.223.0', 'pre.rewrite', 'partial'],
  ['droid', '0.211.0', 'pre.rewrite', 'partial'],
  ['droid', '0.210.9', 'pre.rewrite', 'no'],
  ['droid', '0.210.9', 'pre.deny', 'yes'],
  ['droid', '0.201.0', 'pre.deny', 'unknown'],
  ['droid', '0.201.0', 'pre.rewrite', 'no'],
  ['grok', '1.0.40', 'pre.deny', 'yes'],
  ['grok', 'grok 0.2.112 (3cd0d0cbce)', 'pre.deny', 'partial'],
  ['kimi', '2.0.2', 'pre.deny', 'yes'],
  ['claude', '2.1.332', 'fail.crash', 'partial'],
  ['claude', '2.1.300', 'fail.crash', 'unknown'],
  ['claude', '2.1.240', 'fail.timeout', 'no'],
  ['claude', '2.1.120', 'post.replace', 'no'],
  ['claude', '2.0.10', 'pre.rewrite', 'yes'],
  ['claude', '2.0.9', 'pre.rewrite', 'no'],
  ['codex', '0.171.0', 'mcp', 'yes'],
  ['codex', '0.123.0', 'mcp', 'no'],
  ['codex', '0.123.0', 'pre.deny', 'partial'],
  ['codex', '0.116.0', 'pre.deny', 'no'],
  ['copilot', '1.0.48', 'subagents', 'no'],
  ['copilot', '1.0.23', 'pre.rewrite', 'no'],
  ['copilot', '1.0.3', 'pre.ask', 'no'],
  ['goose', '1.51.0', 'fail.crash', 'partial'],
  ['goose', '1.47.2', 'fail.crash', 'no'],
  ['goose', '1.45.0', 'subagents', 'unknown'],
  ['cursor', '2026.01.09', 'pre.deny', 'partial'],
  ['antigravity', '1.0.5', 'pre.deny', 'unknown'],
  ['kimi', '0.32.9', 'pre.deny', 'unknown'],
]

describe('capabilities by version', () => {
  for (const [host, version, key, support] of ROWS)
    test(`${host} ${version ?? 'of an unknown version'}: ${key} ${support}`, () => {
      assert.equal(capabilitiesOf(hostOf(host)!, version)[key].support, support)
    })

  for (const host of HOSTS) {
    test(`${host.title}: an unknown version and a far one are the table itself`, () => {
      for (const version of [undefined, '99999.0.0']) assert.deepEqual(capabilitiesOf(host, version), host.capabilities)
    })

    test(`${host.title}: what is said of older versions differs from the newer, each once`, () => {
      const older = [...(host.older ?? [])]
      assert.equal(new Set(older.map(({ below }) => below)).size, older.length)
      for (const { below, capabilities } of older) {
        assert.match(below, /^\d+(?:\.\d+)+$/)
        const newer = capabilitiesOf(host, below)
        for (const [key, { support }] of Object.entries(capabilities))
          assert.notEqual(newer[key as CapabilityKey].support, support, `${below}: ${key}`)
      }
    })
  }
})

describe('versions', () => {
  const rows: readonly (readonly [string, string, boolean])[] = [
    ['1.2.3', '1.2.2', true],
    ['1.2.3', '1.2.3', false],
    ['1.10.0', '1.9.9', true],
    ['2', '1.9.9', true],
    ['1.2', '1.2.0', false],
    ['v1.2.4-beta', '1.2.3', true],
    ['2026.09.18', '2026.05.20', true],
    ['nothing', '0.0.1', false],
  ]
  for (const [a, b, after] of rows)
    test(`${a} ${after ? 'comes' : 'does not come'} after ${b}`, () => assert.equal(isAfter(a, b), after))
})
