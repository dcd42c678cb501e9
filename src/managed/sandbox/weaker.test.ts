import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { need } from '../../../test/need.ts'
import { lab } from './sandbox.testing.ts'

const RUNTIME = fileURLToPath(new URL('./runtime.testing.ts', import.meta.url))

/** Runs the runtime as root of a user namespace that allows no further ones; all users are the same in it as outside. */
async function without(t: TestContext, ...words: string[]): Promise<{ out: string; err: string }> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-weaker-'))
  const holder = spawn('unshare', ['--user', 'sh', '-c', 'echo made; exec cat'])
  t.after(() => {
    holder.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  await once(holder.stdout, 'data')
  for (const kind of ['gid', 'uid']) writeFileSync(`/proc/${holder.pid}/${kind}_map`, '0 0 4294967295\n')
  const shell = 'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"'
  const enter = ['--preserve-credentials', `--user=/proc/${holder.pid}/ns/user`, 'sh', '-c', shell, 'sh']
  const child = spawn('nsenter', [...enter, process.execPath, RUNTIME, directory, ...words])
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk: Buffer) => {
    out += chunk.toString()
  })
  child.stderr.on('data', (chunk: Buffer) => {
    err += chunk.toString()
  })
  await once(child, 'close')
  return { out, err }
}

const CODE = `id -u; echo x > /workspace/f && cat /workspace/f; cat /etc/shadow 2>&1; ls /root 2>&1
  grep CapEff /proc/self/status; curl -s http://example.com/; mount -t tmpfs x /mnt 2>&1; ls /proc | grep -c '^[0-9]'`

test('without user namespaces a sandbox is refused, and the weaker one says what it lacks', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('not run: it takes root to take user namespaces away')
  if (!need(t, 'unshare') || (await lab(t)) === undefined) return
  const refused = await without(t, CODE)
  assert.match(refused.err, /no sandbox can be made: .*user namespaces must be allowed, or the weaker mode chosen/)
  assert.equal(refused.out, '')
  const { out, err } = await without(t, CODE, 'weaker')
  assert.match(out, /^programs run without a user namespace of their own: /, err)
  const lines = out.split('\n').slice(out.startsWith('programs') ? 1 : 0)
  const [id, written] = lines.filter((line) => !line.startsWith('memory is limited'))
  assert.deepEqual([id, written], ['1879050000', 'x'])
  assert.match(out, /\/etc\/shadow: No such file.*\n.*\/root.*: No such file/)
  assert.match(out, /CapEff:\t0+\ndoor\n.*(?:superuser|not permitted|denied)/)
  assert.match(out, /\n\d\n/)
})

/** Takes a program away for what runs behind it: a layer over the directory of programs, in a namespace of mounts. */
const TAKEN_AWAY = `
mount -t tmpfs tmpfs "$1" && mkdir "$1/upper" "$1/work" || exit 80
mount -t overlay overlay -o "lowerdir=$2,upperdir=$1/upper,workdir=$1/work" "$2" || exit 80
rm "$2/$3" && exec "\${@:4}"
`

for (const [program, sentence] of [
  ['bwrap', 'no sandbox can be made: bwrap is not installed (package bubblewrap)'],
  ['setsid', 'no sandbox can be made: setsid is not installed (package util-linux)'],
] as const)
  test(`a machine without ${program} is refused in one sentence`, async (t) => {
    if (process.getuid?.() !== 0) return t.skip('not run: it takes root to take a program away')
    if (!need(t, 'unshare') || (await lab(t)) === undefined) return
    const directory = mkdtempSync(join(tmpdir(), 'sallyport-without-'))
    t.after(() => rmSync(directory, { recursive: true, force: true }))
    for (const name of ['layer', 'state']) mkdirSync(join(directory, name))
    const words = ['--mount', 'bash', '-c', TAKEN_AWAY, 'bash', join(directory, 'layer'), '/usr/bin', program]
    const child = spawn('unshare', [...words, process.execPath, RUNTIME, join(directory, 'state')])
    let err = ''
    child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()))
    const [code] = (await once(child, 'close')) as [number]
    if (code === 80) return t.skip('not run: this kernel lays no layer over a directory')
    assert.match(err, /^Error: (.*)$/m)
    assert.equal(/^Error: (.*)$/m.exec(err)![1], sentence)
  })
