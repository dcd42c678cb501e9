import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { parseAddress } from './address.ts'
import { contain, type Output } from './contain.ts'
import { ledgerFile, readLedger } from './ledger/ledger.ts'
import type { LedgerRow } from './ledger/row.ts'
import { openStore } from './store/store.ts'
import { tokensOf } from './tokens.ts'

const home = mkdtempSync(join(tmpdir(), 'contain-'))
after(() => rmSync(home, { recursive: true, force: true }))
const env = { HOME: home }
const at = { env, home, host: 'claude', session: 's' }

const KEY = 'ghp_0123456789abcdefghijABCDEFGHIJ456789'
const bytes = Buffer.from(`${KEY}\n${'one line of many\n'.repeat(4000)}`)
const output: Output = {
  bytes,
  commands: [],
  label: 'x',
  facts: {},
  family: 'x',
  replaceable: true,
  method: 'replace',
}

/** The same output, whose `key` breaks whoever looks at it. */
const broken = (...keys: (keyof Output)[]): Output =>
  Object.defineProperties(
    { ...output },
    Object.fromEntries(
      keys.map((key) => [
        key,
        {
          get: () => {
            throw new Error(`no ${key}`)
          },
        },
      ]),
    ),
  )

function keptBy(text: string): string {
  const address = parseAddress(/(?:ctx get |\| )((?:run|blob):[0-9a-f]{12})/.exec(text)?.[1] ?? '')
  assert.ok(!('refused' in address), text)
  const kept = openStore({ env, home }).bytesOf(address.handle)
  assert.ok('size' in kept)
  return Buffer.from(kept.read(0, kept.size)).toString()
}

describe('a result that is contained', () => {
  it('is a digest whose address leads to all of it', () => {
    const { text, problem } = contain(output, at)
    assert.equal(problem, undefined)
    assert.equal(keptBy(text!), bytes.toString())
  })

  it('is booked as it is shown, the last line of ours and the price that the digest names included', () => {
    const { text } = contain({ ...output, facts: { argv: ['w'] }, closing: () => 'and so on' }, at)
    assert.ok(text!.endsWith('\n[ctx and so on]\n'))
    const rows: LedgerRow[] = []
    readLedger(ledgerFile(env, home), (row) => rows.push(row))
    const { delivered, tokens, host_cap: cap } = rows.at(-1)!
    assert.equal(delivered, Buffer.byteLength(text!))
    assert.equal(tokens.delivered, tokensOf(text!))
    const raw = Number(/≈(\d+) tokens/.exec(text!)![1])
    assert.equal(tokens.shown, Math.round((raw * cap.bytes) / bytes.length))
  })

  it('is its beginning, masked, where no digest can be made, with an address that works', () => {
    const { text, problem } = contain(broken('label'), at)
    assert.match(problem!, /^no digest could be made \(no label\)$/)
    assert.ok(text!.length < 2600)
    assert.match(text!, /^\[ctx 68041 bytes, of which no digest could be made/)
    assert.doesNotMatch(text!, /ghp_/)
    assert.equal(keptBy(text!), bytes.toString())
  })

  it('is a digest without addresses where nothing can be kept', () => {
    const { text, problem } = contain(broken('facts'), at)
    // What is not known of the run breaks the digest, too: its beginning is left.
    assert.match(problem!, /the result could not be kept/)
    assert.ok(text!.length < 2600)
    assert.match(text!, /nothing of this is kept/)
    assert.doesNotMatch(text!, /ctx get/)
  })

  it('is nothing at all where the host takes nothing, and kept all the same', () => {
    const { text } = contain({ ...output, replaceable: false, facts: { argv: ['y'] } }, at)
    assert.equal(text, undefined)
    assert.equal(openStore({ env, home }).recent(1)[0]?.argv[0], 'y')
  })

  it('is masked before it is written where the policy says so', () => {
    const { text } = contain({ ...output, facts: { argv: ['z'] } }, { ...at, store: { seal: true } })
    assert.doesNotMatch(keptBy(text!), /ghp_/)
  })
})
