/** A disk that is full and a system that cannot be written, in a sandbox: the output arrives, with one sentence. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { need } from '../../../test/need.ts'
import { packed } from '../../../test/packed.testing.ts'

interface Ran {
  readonly code: number
  readonly out: string
  readonly err: string
}

/** Runs `ctx` with these words; `places`: how the sandbox's file system is made. */
function boxed(dir: string, places: readonly string[], words: readonly string[]): Promise<Ran> {
  const box = [
    '--unshare-all',
    '--die-with-parent',
    '--clearenv',
    '--ro-bind',
    '/',
    '/',
    '--dev',
    '/dev',
    '--proc',
    '/proc',
  ]
  const env = ['--setenv', 'PATH', '/usr/bin:/bin', '--setenv', 'HOME', '/nowhere', '--chdir', '/']
  const command = [process.execPath, join(dir, 'bin', 'ctx.js'), ...words]
  return new Promise((resolve) =>
    execFile(
      'bwrap',
      [...box, ...places, ...env, '--', ...command],
      { encoding: 'latin1', maxBuffer: 1 << 26, timeout: 60_000 },
      (error, out, err) => resolve({ code: error === null ? 0 : Number(error.code ?? -1), out, err }),
    ),
  )
}

const numbers = (last: number): string => Array.from({ length: last }, (_, index) => `${index + 1}\n`).join('')

test('without room for a capture the output arrives', { timeout: 180_000 }, async (t) => {
  if (!need(t, 'bwrap')) return
  const dir = mkdtempSync(join(tmpdir(), 'ctx-shipped-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  await packed(dir)
  const small = [
    '--size',
    '3000000',
    '--tmpfs',
    '/mnt',
    '--tmpfs',
    '/dev/shm',
    '--setenv',
    'CTX_STATE_HOME',
    '/mnt/state',
  ]
  const pipes = ['--setenv', 'TMPDIR', '/dev/shm']
  const nowhere = ['--setenv', 'CTX_STATE_HOME', '/usr/x', '--setenv', 'XDG_RUNTIME_DIR', '/usr']
  const oneSentence = (err: string) => assert.match(err, /^ctx run: [^\n]+\n$/)

  await t.test('a disk that is full in the middle', async () => {
    const { code, out, err } = await boxed(dir, [...small, ...pipes], ['run', '--', 'seq', '900000'])
    assert.equal(code, 0)
    assert.ok(out === numbers(900_000))
    oneSentence(err)
    assert.match(err, new RegExp(`the disk is full; the command went on, ${out.length} bytes in all`))
  })
  await t.test('secrets are masked all the same', async () => {
    const line = 'seq 700000; echo "token=ghp_0123456789abcdefghijABCDEFGHIJ012345"; exit 6'
    const { code, out } = await boxed(dir, [...small, ...pipes], ['run', '--', 'sh', '-c', line])
    assert.equal(code, 6)
    assert.ok(out.startsWith(numbers(700_000)))
    assert.match(out, /token=\[ctx:redacted:[a-z-]+:[0-9a-f]{8}\]\n\[ctx exit 6\]\n$/)
  })
  await t.test('nothing can be written but for the pipes', async () => {
    const flood = await boxed(dir, ['--tmpfs', '/dev/shm', ...nowhere, ...pipes], ['run', '--', 'seq', '5000'])
    assert.deepEqual([flood.code, flood.out === numbers(5000)], [0, true])
    oneSentence(flood.err)
    const few = await boxed(
      dir,
      ['--tmpfs', '/dev/shm', ...nowhere, ...pipes],
      ['run', '--', 'sh', '-c', 'echo x; exit 3'],
    )
    assert.deepEqual([few.code, few.out], [3, 'x\n[ctx exit 3]\n'])
    oneSentence(few.err)
    const raw = await boxed(dir, ['--tmpfs', '/dev/shm', ...nowhere, ...pipes], ['run', '--raw', '--', 'seq', '5000'])
    assert.deepEqual([raw.code, raw.out === numbers(5000), raw.err], [0, true, ''])
    const job = await boxed(dir, ['--tmpfs', '/dev/shm', ...nowhere, ...pipes], ['run', '--bg', '--', 'true'])
    assert.deepEqual([job.code, job.out], [125, ''])
    oneSentence(job.err)
  })
  await t.test('not even pipes can be made', async () => {
    const places = ['--ro-bind', '/usr/share', '/dev/shm', ...nowhere, '--setenv', 'TMPDIR', '/usr']
    const { code, out, err } = await boxed(dir, places, ['run', '--', 'sh', '-c', 'seq 5000; exit 4'])
    assert.equal(code, 4)
    assert.ok(out === `${numbers(5000)}[ctx exit 4]\n`)
    assert.match(err, /could not be captured/)
  })
})
