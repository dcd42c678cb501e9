import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { need } from '../../../test/need.ts'
import { DEFAULT_LIMITS } from './limits.ts'
import { lab } from './sandbox.testing.ts'

const ASK = 'curl -s -o /dev/null -w %{http_code} http://127.0.0.1:8124/'
const START = 'python3 -m http.server 8124 >/dev/null 2>&1 & echo $! > pid; sleep 0.7'

test('a later call sees, asks and ends what an earlier one left running', async (t) => {
  for (const program of ['python3', 'curl']) if (!need(t, program)) return
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash } = one
  const { id } = await environments.create({})
  await bash(id, START)
  assert.equal((await bash(id, ASK)).output, '200')
  assert.equal((await bash(id, 'kill -0 $(cat pid) && echo there')).output, 'there\n')
  assert.match((await bash(id, `kill $(cat pid); sleep 0.3; ${ASK}`)).output, /^000/)
  await bash(id, START)
  assert.equal((await bash(id, ASK)).output, '200', 'the port is free again')
  // A run of the runtime itself sees nothing of it.
  const argv = ['/bin/sh', '-c', 'ls /proc | grep -c "^[0-9]"; kill -9 -1; kill -9 $(cat pid)']
  const end = await environments.run(id, { argv, cwd: '/workspace', timeout: 10_000, outputLimit: 100 })
  assert.match(Buffer.from(end.stdout).toString(), /^[2-6]\n/)
  assert.equal((await bash(id, ASK)).output, '200')
})

test('a call that is cut short ends everything that calls left running, and the next one works', async (t) => {
  const one = await lab(t, { codeTimeout: 3000 })
  if (one === undefined) return
  const { environments, bash } = one
  const { id } = await environments.create({})
  await bash(id, '(setsid sleep 7772 &) ; sleep 7772 & echo on')
  const late = await bash(id, 'echo before; trap "" TERM; sleep 60')
  assert.equal(late.output, 'before\n[timed out after 3 s; it and everything it started was killed]')
  assert.equal((await bash(id, 'ps ax | grep -c "[s]leep 7772"')).output, '0\n[exit status 1]')
  const stop = new AbortController()
  setTimeout(() => stop.abort(), 1000)
  const args = { code: 'sleep 60', language: 'bash' }
  assert.equal((await environments.tool(id, 'code_execution', args, stop.signal)).output, '[cancelled]')
  assert.equal((await bash(id, 'echo next')).output, 'next\n')
  const suicide = await bash(id, 'echo a; kill -9 -1; echo b')
  // It ends the place of the calls too; whether it comes to say b is a race.
  assert.match(suicide.output, /^a\n(?:b\n)?\[killed by SIGKILL\]$/)
  assert.equal((await bash(id, 'echo next')).output, 'next\n')
})

test('a place that is full of processes gives way to a new one', async (t) => {
  const one = await lab(t, { limits: { ...DEFAULT_LIMITS, processes: 60 } })
  if (one === undefined) return
  const { id } = await one.environments.create({})
  await one.bash(id, 'for i in $(seq 100); do sleep 300 & done')
  assert.equal((await one.bash(id, 'echo works')).output, 'works\n')
})

test('calls at once have places of their own, and no call leaves a pipe open', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, state } = one
  const { id } = await environments.create({})
  const calls = [1, 2, 3, 4].map((n) => bash(id, `sleep 0.5; echo ${n}; echo e${n} >&2`))
  for (const [index, { output }] of (await Promise.all(calls)).entries())
    assert.equal(output, `${index + 1}\n[stderr]\ne${index + 1}\n`)
  const open = () => readdirSync('/proc/self/fd').length
  const before = open()
  for (let n = 0; n < 10; n++) assert.equal((await bash(id, `echo ${n}; (sleep 0.2 &)`)).output, `${n}\n`)
  await pause(1000)
  assert.ok(open() <= before, `${open()} descriptors in place of ${before}`)
  const left = readdirSync(join(state, 'environments', id, 'calls'), { recursive: true })
  assert.deepEqual(
    left.filter((name) => String(name).includes('/')),
    [],
  )
})

test('output comes whole: much of it, bytes of any kind, and what a program says of itself', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, tool } = one
  const { id } = await environments.create({})
  const lines = (await bash(id, 'seq 100000')).output
  assert.equal(lines.length, 588_895)
  assert.match((await bash(id, 'seq 1000000')).output, /\n\[output above 1048576 bytes was cut\]$/)
  const long = `x='${'a'.repeat(200_000)}'\necho \${#x}; pwd; ls /nowhere`
  const outcome = await bash(id, long)
  assert.match(outcome.output, /^200000\n\/workspace\n\[stderr\]\n.*nowhere.*\n\[exit status 2\]$/s)
  const quoted = `print('''${'b'.repeat(150_000)}'''[:3], "it's")`
  assert.equal((await tool(id, 'code_execution', { code: quoted, language: 'python' })).output, "bbb it's\n")
  assert.equal(
    (await tool(id, 'code_execution', { code: `/*${'c'.repeat(150_000)}*/console.log(1)`, language: 'js' })).output,
    '1\n',
  )
  assert.equal((await bash(id, 'cat /dev/stdin; echo "$0"; echo x > /dev/stderr')).output, '/bin/bash\n[stderr]\nx\n')
})

/** Writes into everything that processes inside have open. `$1`: what is written. */
const INTO_ALL = 'for f in /proc/[0-9]*/fd/*; do (timeout 2 sh -c "$1" > "$f") 2>/dev/null & done; sleep 0.5'

test('no program can write into what the runtime listens to: it neither ends a call nor hangs one', async (t) => {
  const one = await lab(t, { codeTimeout: 20_000 })
  if (one === undefined) return
  const { id } = await one.environments.create({})
  // What they write into the call's own pipes is output like any other.
  const attack = (write: string) => `set -- '${write}'; (${INTO_ALL}) >/dev/null 2>&1; sleep 2.5; echo late >> ends`
  const lies = 'for n in 1 2 3 4; do echo; echo "end $n 0"; echo "open $n"; done'
  for (const write of [lies, 'head -c 3000000 /dev/zero'])
    assert.doesNotMatch((await one.bash(id, attack(write))).output.slice(-200), /timed out|killed/)
  assert.equal((await one.bash(id, 'cat ends')).output, 'late\nlate\n')
  // One that an earlier call left running goes on trying.
  await one.bash(
    id,
    `set -- 'echo end 4 0; head -c 100000 /dev/zero'; (while :; do ${INTO_ALL}; done) >/dev/null 2>&1 &`,
  )
  assert.doesNotMatch((await one.bash(id, 'sleep 2; echo whole > whole')).output.slice(-200), /timed out|killed/)
  assert.equal((await one.tool(id, 'view_file', { path: 'whole' })).output, 'whole\n')
})

/** How a program ends, and what is said of it: the kernel's word, not what a shell makes of it. */
const ENDS: readonly (readonly [code: string, said: string])[] = [
  ['exit 130', '[exit status 130]'],
  ['exit 137', '[exit status 137]'],
  ['exit 255', '[exit status 255]'],
  ['kill -INT $$', '[killed by SIGINT]'],
  ['kill -SEGV $$', '[killed by SIGSEGV]'],
  ['kill -KILL $$', '[killed by SIGKILL]'],
  ['kill -TERM $$', '[killed by SIGTERM]'],
  ['kill -RTMIN $$', '[killed by signal 34]'],
  ['cd /nowhere 2>/dev/null || exit 3', '[exit status 3]'],
  ['true', ''],
]

test('an exit is told apart from a signal', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { id } = await one.environments.create({})
  for (const [code, said] of ENDS) assert.equal((await one.bash(id, code)).output, said, code)
  const python = { code: 'import os, sys; sys.exit(143)', language: 'python' }
  assert.equal((await one.tool(id, 'code_execution', python)).output, '[exit status 143]')
})

test('what an agent puts into its search path or names in a variable is loaded by its own programs alone', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash } = one
  const loads = { LD_PRELOAD: '/workspace/own.so', LD_LIBRARY_PATH: '/workspace', LOCPATH: '/workspace', X: 'y' }
  const { id } = await environments.create({ env: loads })
  // The loader says for each program that it finds no such object: for the program itself, and for nothing before it.
  const end = await environments.run(id, { argv: ['/bin/true'], cwd: '/', timeout: 10_000, outputLimit: 10_000 })
  assert.equal(
    Buffer.from(end.stderr)
      .toString()
      .match(/own\.so/g)?.length,
    1,
  )
  const told = await environments.run(id, {
    ...{ argv: ['/bin/sh', '-c', 'echo $LD_PRELOAD $LD_LIBRARY_PATH $LOCPATH $X'], cwd: '/' },
    ...{ timeout: 10_000, outputLimit: 10_000 },
  })
  assert.equal(Buffer.from(told.stdout).toString(), '/workspace/own.so /workspace /workspace y\n')
  const { id: other } = await environments.create({})
  const trap = '#!/bin/sh\nls -l /proc/self/fd > /workspace/caught\nexec /usr/bin/"$(basename "$0")" "$@"\n'
  await bash(
    other,
    `mkdir -p ~/.local/bin; cd ~/.local/bin
    for n in setsid env setpriv sh; do printf '${trap}' > $n; chmod 755 $n; done`,
  )
  assert.equal(
    (await bash(other, 'echo on; ls /workspace; ls -l /proc/self/fd | grep -c socket')).output.trim(),
    'on\n0\n[exit status 1]',
  )
})
