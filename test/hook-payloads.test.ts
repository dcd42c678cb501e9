import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import type { ToolCall } from '../src/core/call.ts'
import { HOSTS, hostOf } from '../src/hosts/registry.ts'
import { depsOf, launchOf, type Row, readAnswer, respondTo, rowsOf, saying } from './hook-support.ts'

/** Rows whose verdict comes from the table, not from the guard. */
const isFixed = (row: Row): boolean => row.decision === undefined

/** Hosts of which only the contract is known. */
const CONTRACT_ONLY: ReadonlySet<string> = new Set(
  'cursor vscode goose droid grok kimi windsurf devin kiro amp'.split(' '),
)

for (const host of HOSTS) {
  const rows = rowsOf(host.id)
  describe(`payloads of ${host.title}`, () => {
    it('has a table worth the name, and every name once', () => {
      assert.ok(rows.length >= (CONTRACT_ONLY.has(host.id) ? 25 : 52), `${rows.length} rows`)
      assert.equal(new Set(rows.map((row) => row.name)).size, rows.length)
    })

    for (const row of rows.filter(isFixed)) {
      it(row.name, () => {
        let judged: ToolCall | undefined
        const fixed = saying(row.verdict ?? { decision: 'pass', reason: '' })
        const deps = depsOf((call, context) => {
          judged = call
          return fixed(call, context)
        })
        const outcome = respondTo(host.id, row, deps)
        if (row.verdict?.input !== undefined) {
          // A new input comes from the gate of containment; here only its words are looked at.
          const event = outcome.call?.event ?? row.event
          assert.equal(host.encodePre(row.verdict, launchOf(row.launch), event), row.expect)
        } else if (row.expect !== undefined) assert.equal(outcome.stdout, row.expect)
        if (row.outcome !== undefined) assert.equal(outcome.result?.outcome, row.outcome)
        const call = judged ?? outcome.call
        if (row.actions !== undefined) assert.deepEqual(call?.actions, row.actions)
        if (row.mode !== undefined) assert.deepEqual(call?.mode, row.mode)
        for (const [key, value] of Object.entries(row.call ?? {}))
          assert.deepEqual(call?.[key as keyof ToolCall], value, key)
        if (row.is !== undefined) assert.equal(host.decode(row.payload, row.event, launchOf(row.launch)).is, row.is)
        if (row.is !== undefined || row.raw !== undefined) assert.equal(judged, undefined, 'nothing is judged')
        assert.doesNotThrow(() => readAnswer(host.id, outcome.stdout))
      })
    }
  })
}

describe('the registry of hosts', () => {
  it('finds hosts by id and alias, in any case', () => {
    for (const host of HOSTS)
      for (const name of [host.id, ...host.aliases, host.id.toUpperCase()]) assert.equal(hostOf(name), host)
    assert.equal(hostOf('claude-code')?.id, 'claude')
    assert.equal(hostOf('agy')?.id, 'antigravity')
    for (const none of ['', 'nobody', 'constructor', '__proto__']) assert.equal(hostOf(none), undefined)
  })

  it('gives no name to two hosts', () => {
    const names = HOSTS.flatMap((host) => [host.id, ...host.aliases])
    assert.equal(new Set(names).size, names.length)
  })

  it('knows all 34 events of Claude Code', () => {
    const { pre, post, other = [] } = hostOf('claude')!.events
    assert.equal(new Set([...pre, ...post, ...other]).size, 34)
  })
})

describe('what every host keeps to', () => {
  for (const host of HOSTS) {
    it(`${host.title}: every capability has a source`, () => {
      for (const [key, { source }] of Object.entries(host.capabilities)) {
        const receipt = /^receipt:(\S+)$/.exec(source)?.[1]
        const [, page, section] = /^(docs\/\S+\.md), (.+)$/.exec(source) ?? []
        if (receipt !== undefined)
          assert.ok(existsSync(new URL(`../receipts/${receipt}`, import.meta.url)), `${key}: ${source}`)
        else
          assert.ok(
            page && readFileSync(new URL(`../${page}`, import.meta.url), 'utf8').includes(`\n## ${section}\n`),
            `${key}: ${source}`,
          )
      }
    })

    it(`${host.title}: every answer has only the keys of the contract, and none allows`, () => {
      const reasons = ['because', 'a "quoted"\nreason', 'ü'.repeat(600)]
      for (const event of host.events.pre) {
        for (const version of [undefined, '0.9.0', '1.0.16', '2.3.4', 'x']) {
          const launch = launchOf(version === undefined ? {} : { version })
          const pass = host.encodePre({ decision: 'pass', reason: '' }, launch, event)
          assert.deepEqual(readAnswer(host.id, pass), { decision: 'pass', reason: '' })
          for (const reason of reasons) {
            const deny = readAnswer(host.id, host.encodePre({ decision: 'deny', reason }, launch, event))
            assert.deepEqual(deny, { decision: 'deny', reason })
            const ask = host.encodePre({ decision: 'ask', reason }, launch, event)
            assert.doesNotThrow(() => readAnswer(host.id, ask))
            assert.doesNotMatch(`${pass}${ask}`, /allow/)
          }
        }
      }
      for (const line of [host.encodePost(launchOf())]) assert.ok(line === '' || line === '{}\n')
    })

    it(`${host.title}: events have one kind each`, () => {
      const { pre, post, other = [] } = host.events
      const all = [...pre, ...post, ...other].map((name) => name.toLowerCase())
      assert.equal(new Set(all).size, all.length)
      assert.ok(host.timeout > 1_000)
    })
  }
})
