/** A digest that cannot be made does not hide how the command ended. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Address } from '../address.ts'
import { bytesOf } from '../bytes.ts'
import { FRAME } from '../frame.ts'
import type { Lines, Sealed } from '../store/types.ts'
import { answersOf, digestOf } from './captured.ts'
import { scratch } from './run.testing.ts'

test('addresses are answered as the store answers them', (t) => {
  const place = scratch(t)
  const { store } = place
  const spool = store.create({ argv: ['x'], cwd: '/' })
  spool.append('stdout', Buffer.from('one\ntwo\n'))
  spool.append('stderr', Buffer.from('three'))
  const { id = '' } = spool.seal({ exit: 0 })
  const answers = answersOf(store)
  let yes = 0
  for (const handle of [id.slice(0, 12), 'abcdefabcdef'])
    for (const stream of [undefined, 'stdout', 'stderr'] as const)
      for (const selector of [
        undefined,
        ...[1, 2, 3, 4].map((to) => ({ by: 'lines', from: 1, to }) as const),
        ...[0, 4, 7, 12, 13].map((to) => ({ by: 'bytes', from: 0, to }) as const),
      ]) {
        const address: Address = {
          handle: { is: 'run', id: handle, ...(stream === undefined ? {} : { stream }) },
          ...(selector === undefined ? {} : { selector }),
        }
        assert.equal(answers(address), store.answers(address), JSON.stringify(address))
        if (answers(address)) yes++
      }
  assert.equal(yes, 3 + (3 + 2 + 1) + (4 + 3 + 2))
})

test('a digest that fails is told in one line, with the end of the run and the address', async () => {
  const text = 'x\n'.repeat(3000)
  const lines: Lines = { ...bytesOf(Buffer.from(text)), lines: 3000, lineStart: (n) => 2 * n - 2, lineAt: () => 1 }
  const facts = { bytes: text.length, lines: 3000, sha256: '' }
  const sealed: Sealed = {
    streams: { stdout: facts, stderr: { bytes: 0, lines: 0, sha256: '' }, merged: facts },
    stream: () => lines,
    handle: 'run:0123456789ab',
  }
  const broken = { digest: () => Promise.reject(new Error('no\nway')) }
  const { text: shown } = await digestOf(broken, {
    sealed,
    verdict: { exit: 139, signal: 'SIGSEGV' },
    earlier: undefined,
    command: { argv: ['x'] },
    budget: 600,
    focus: undefined,
    cwd: '/',
    answers: () => true,
  })
  assert.equal(
    shown,
    '[ctx exit 139 | killed by SIGSEGV | 3000 lines, 6000 bytes | its digest failed: no way | ctx get run:0123456789ab]\n',
  )
  assert.ok(FRAME.test(shown))
})
