import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ticketCommand, ticketFinding } from './lifecycle.ts'

const ROWS: readonly (readonly [line: string, verb: string | undefined, authorized?: true])[] = [
  ['adlc ticket complete T1', 'complete'],
  ['adlc --root . ticket complete T1 --authorize', 'complete', true],
  ['npx -y -p @adlc/cli adlc ticket archive T1', 'archive'],
  ['npx @adlc/cli@1.11.1 ticket store recover', 'store'],
  ['node node_modules/@adlc/cli/bin/adlc.mjs ticket sync', 'sync'],
  ['adlc ticket-prune --write', 'prune'],
  ['adlc-tickets complete T1', 'complete'],
  ['adlc ticket create --input t.json', 'create'],
  ['adlc ticket list', undefined],
  ['adlc rails-guard --ticket T1', undefined],
  ['git commit -m ticket', undefined],
  ['my-adlc ticket complete', undefined],
]

for (const [line, verb, authorized] of ROWS) {
  test(line, () => {
    const found = ticketCommand(line.split(' '))
    assert.equal(found?.verb, verb)
    assert.equal(found?.authorized ?? false, authorized ?? false)
  })
}

test('who may do what', () => {
  const complete = { verb: 'complete', authorized: false }
  assert.equal(ticketFinding(complete, 'int')?.decision, 'deny')
  assert.equal(ticketFinding({ ...complete, authorized: true }, 'int')?.decision, 'ask')
  assert.equal(ticketFinding({ ...complete, authorized: true }, 'W')?.decision, 'deny')
  assert.equal(ticketFinding({ verb: 'create', authorized: false }, 'W'), undefined)
  assert.equal(ticketFinding({ verb: 'create', authorized: false }, 'R')?.decision, 'deny')
})
