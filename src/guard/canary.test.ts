import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Action, ToolCall } from '../core/call.ts'
import { canaryLine, canaryOf, canaryReason } from './canary.ts'

const call = (...actions: readonly Action[]): ToolCall => ({
  host: 'claude',
  event: 'PreToolUse',
  tool: 'Bash',
  actions,
  cwd: '/',
  workspaces: ['/'],
  session: 's',
  mode: { is: 'interactive' },
})
const shell = (text: string): Action => ({ is: 'shell', text, dialect: 'posix' })

describe('the canary', () => {
  test('is answered by its word', () => {
    const verdict = canaryOf(call(shell(canaryLine('abc123'))))
    assert.equal(verdict?.decision, 'deny')
    assert.equal(verdict.reason, canaryReason('abc123'))
  })

  const others: readonly [why: string, call: ToolCall][] = [
    ['more than the line', call(shell(`${canaryLine('abc')}; rm -rf x`))],
    ['a second line', call(shell(`${canaryLine('abc')}\nls`))],
    ['a blank before it', call(shell(` ${canaryLine('abc')}`))],
    ['no word', call(shell(': sallyport-canary '))],
    ['a word of other signs', call(shell(': sallyport-canary $(id)'))],
    ['a word that is too long', call(shell(canaryLine('a'.repeat(33))))],
    ['two actions', call(shell(canaryLine('abc')), { is: 'harmless' })],
    ['no shell', call({ is: 'read', path: canaryLine('abc'), what: 'content' })],
  ]
  for (const [why, other] of others) test(`is nothing else: ${why}`, () => assert.equal(canaryOf(other), undefined))
})
