import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import type { Check } from './plugin-doctor.ts'
import { type Probed, type ProbedFinding, probeCheck, readProbed, versionCheck, writeProbed } from './probed.ts'

const state = mkdtempSync(join(tmpdir(), 'sallyport-probed-'))
after(() => rmSync(state, { recursive: true, force: true }))

const finding = (id: string, holds?: boolean, ran?: boolean): ProbedFinding => ({
  ...{ id, claim: 'pre.deny yes: it did not run' },
  ...(holds === undefined ? {} : { holds }),
  ...(ran === undefined ? {} : { ran }),
})
const probe = (version: string, ...findings: ProbedFinding[]): Probed => ({
  ...{ v: 1, host: 'claude', version, at: '2026-11-30T10:00:00.000Z', findings },
})

const RECEIPT = { version: '2.1.332', date: '2026-11-30' }
const ROW = { host: 'claude', least: '2.1.121' } as const
const DATED = { host: 'cursor', least: '2026.05.20', leastOf: /^\d{4}\./ } as const

describe('a version against what is known', () => {
  const rows: readonly [what: string, check: Check, level: Check['level'], says: RegExp][] = [
    ['driven', versionCheck('C', ROW, '2.1.332', RECEIPT, undefined), 'ok', /driven: 2\.1\.332$/],
    [
      'newer',
      versionCheck('C', ROW, '2.2.0', RECEIPT, undefined),
      'warn',
      /newer than the one version that receipts cover/,
    ],
    [
      'older',
      versionCheck('C', ROW, '2.1.300', RECEIPT, undefined),
      'warn',
      /older than the one version.*sallyport probe/,
    ],
    ['too old', versionCheck('C', ROW, '2.1.120', RECEIPT, undefined), 'fail', /older than 2\.1\.121/],
    ['newer, probed', versionCheck('C', ROW, '2.2.0', RECEIPT, probe('2.2.0')), 'ok', /probed here on 2026-11-30$/],
    ['newer than its probe', versionCheck('C', ROW, '2.3.0', RECEIPT, probe('2.2.0')), 'warn', /newer/],
    ['too old, probed', versionCheck('C', ROW, '2.0.0', RECEIPT, probe('2.0.0')), 'fail', /older than/],
    ['contract only', versionCheck('C', DATED, '2026.09.18', undefined, undefined), 'ok', /contract only/],
    ['contract only, too old', versionCheck('C', DATED, '2026.01.01', undefined, undefined), 'fail', /older than/],
    [
      'a program that counts otherwise',
      versionCheck('C', DATED, '3.15.6', undefined, undefined),
      'ok',
      /contract only/,
    ],
  ]
  for (const [what, { level, detail }, wanted, says] of rows)
    test(what, () => {
      assert.equal(level, wanted, detail)
      assert.match(detail, says)
    })
})

describe('a probe against the table', () => {
  const rows: readonly [what: string, now: string, probed: Probed, level: Check['level'], says: RegExp][] = [
    ['as the table says', '1.2.3', probe('1.2.3', finding('shell-deny', true, false)), 'ok', /1 of 1 scenarios/],
    ['not all tried', '1.2.3', probe('1.2.3', finding('a-deny', true), finding('rewrite')), 'ok', /1 of 1 scenarios/],
    [
      'a denied call ran',
      '1.2.3',
      probe('1.2.3', finding('mcp-deny', false, true)),
      'fail',
      /differs .* in 1 of 1 .*mcp-deny/,
    ],
    [
      'an ask was taken for a pass',
      '1.2.3',
      probe('1.2.3', finding('shell-ask-bypass', false, true)),
      'fail',
      /shell-ask/,
    ],
    ['two hooks', '1.2.3', probe('1.2.3', finding('two-hooks', false, true)), 'fail', /two-hooks/],
    ['denied without a reason', '1.2.3', probe('1.2.3', finding('shell-deny', false, false)), 'warn', /shell-deny/],
    ['no rewrite', '1.2.3', probe('1.2.3', finding('rewrite', false, true), finding('x', true)), 'warn', /1 of 2/],
    [
      'of another version',
      '1.3.0',
      probe('1.2.3', finding('shell-deny', false, true)),
      'warn',
      /was of C 1\.2\.3; .* tries 1\.3\.0/,
    ],
  ]
  for (const [what, now, probed, wanted, says] of rows)
    test(what, () => {
      const { level, detail } = probeCheck('C', 'claude', now, probed)!
      assert.equal(level, wanted, detail)
      assert.match(detail, says)
    })

  test('none', () => assert.equal(probeCheck('C', 'claude', '1.2.3', undefined), undefined))
})

test('a probe is read as it was kept, and what is no probe is none', () => {
  assert.equal(readProbed(state, 'claude'), undefined)
  const kept = probe('1.2.3', finding('shell-deny', true, false), finding('rewrite'))
  writeProbed(state, kept)
  assert.deepEqual(readProbed(state, 'claude'), kept)
  const file = join(state, 'probes', 'claude.json')
  for (const text of [
    '',
    '{}',
    'null',
    '[]',
    '{"v":1,"host":"codex","version":"1","at":"x","findings":[]}',
    '{"v":1,"host":"claude","version":"1","at":"x","findings":[null]}',
  ]) {
    writeFileSync(file, text)
    assert.equal(readProbed(state, 'claude'), undefined, text)
  }
})
