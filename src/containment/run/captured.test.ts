/** A digest that cannot be made does not hide how the command ended. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOf } from '../bytes.ts'
import { FRAME } from '../frame.ts'
import type { Lines, Sealed } from '../store/types.ts'
import { digestOf } from './captured.ts'

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
