/** `ctx run` as its callers see it: what is printed where, exit codes, signals, and what is kept. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { need } from '../../../test/need.ts'
import { packed } from '../../../test/packed.testing.ts'
import { lineOf } from './line.ts'
import { alive, type Ran, scratch, until } from './run.testing.ts'

interface Row {
  readonly name: string
  /** Number of a public report on other tools that the row answers. */
  readonly lesson?: number
  readonly args: readonly string[]
  readonly stdin?: string
  readonly env?: Readonly<Record<string, string>>
  readonly merged?: true
  readonly code: number
  readonly out?: string
  readonly err?: string
  readonly outHas?: readonly string[]
  readonly outLacks?: readonly string[]
  readonly errHas?: readonly string[]
}

const rows = JSON.parse(readFileSync('cases/transparency/shown.json', 'utf8')) as Row[]

const shippedTo = mkdtempSync(join(tmpdir(), 'ctx-shipped-'))
const shipped = packed(shippedTo)
after(() => rmSync(shippedTo, { recursive: true, force: true }))

test('what a run shows', async (t) => {
  assert.ok(rows.length > 40)
  const halves = [0, 1].map((half) => rows.filter((_, at) => at % 2 === half))
  const ran = new Map<Row, Ran>()
  await Promise.all(
    halves.map(async (half) => {
      const place = scratch(t, await shipped)
      for (const row of half) {
        const { stdin, env, merged } = row
        const more = {
          ...(stdin === undefined ? {} : { stdin }),
          ...(env ? { env } : {}),
          ...(merged ? { merged } : {}),
        }
        ran.set(row, await place.run(['run', ...row.args], more))
      }
    }),
  )
  for (const row of rows)
    await t.test(row.name, () => {
      const { code = null, out = '', err = '' } = ran.get(row) ?? {}
      assert.equal(code, row.code, `${out}${err}`)
      if (row.out !== undefined) assert.equal(out, row.out)
      if (row.err !== undefined) assert.equal(err, row.err)
      for (const words of row.outHas ?? []) assert.ok(out.includes(words), out)
      for (const words of row.outLacks ?? []) assert.ok(!out.includes(words), out)
      for (const words of row.errHas ?? []) assert.ok(err.includes(words), err)
    })
})

test('every byte of a run can be fetched, streams apart and merged', async (t) => {
  const place = scratch(t, await shipped)
  await place.run(['run', '--', 'sh', '-c', 'seq 5000; echo bad >&2; printf "\\0end"'])
  const store = place.store
  const [run] = store.recent(1)
  assert.ok(run)
  const text = (stream: 'stdout' | 'stderr' | 'merged') => {
    const bytes = store.bytesOf({ is: 'run', id: run.id, stream })
    assert.ok('read' in bytes)
    return Buffer.from(bytes.read(0, bytes.size)).toString('latin1')
  }
  const numbers = Array.from({ length: 5000 }, (_, index) => `${index + 1}\n`).join('')
  assert.equal(text('stdout'), `${numbers}\0end`)
  assert.equal(text('stderr'), 'bad\n')
  assert.equal(text('merged').length, numbers.length + 8)
  assert.deepEqual(run.argv, ['sh', '-c', 'seq 5000; echo bad >&2; printf "\\0end"'])
  assert.equal(run.exit, 0)
})

test('raw is captured, too', async (t) => {
  const place = scratch(t, await shipped)
  const { out } = await place.run(['run', '--raw', '--', 'sh', '-c', 'seq 5000; kill -TERM $$'])
  const [run] = place.store.recent(1)
  assert.equal(run?.streams.merged.bytes, out.length)
  assert.equal(run?.signal, 'SIGTERM')
})

for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
  test(`${signal} to us reaches the whole group of the child, and what came is sealed`, async (t) => {
    const place = scratch(t, await shipped)
    const inner = `sh -c 'echo $$ >> pids; exec sleep 60'; :`
    const run = place.start(['run', '--', 'sh', '-c', `echo begun >&2; echo $$ > pids; ${inner}`])
    assert.ok(await until(() => existsSync(join(place.dir, 'pids')) && pids(place.dir).length === 2))
    process.kill(run.pid, signal)
    const { code, out, err } = await run.ended
    assert.equal(code, 128 + { SIGTERM: 15, SIGINT: 2, SIGHUP: 1 }[signal])
    assert.equal(err, 'begun\n')
    assert.match(out, new RegExp(`killed by ${signal}`))
    assert.ok(await until(() => !pids(place.dir).some(alive)))
    const [kept] = place.store.recent(1)
    assert.equal(kept?.signal, signal)
    assert.equal(kept?.streams.stderr.bytes, 6)
  })

test('a child that handles the signal decides itself', async (t) => {
  const place = scratch(t, await shipped)
  const run = place.start(['run', '--', 'sh', '-c', 'trap "echo handled; exit 5" TERM; : > ready; while :; do :; done'])
  assert.ok(await until(() => existsSync(join(place.dir, 'ready'))))
  process.kill(run.pid, 'SIGTERM')
  const { code, out } = await run.ended
  assert.equal(code, 5)
  assert.equal(out, 'handled\n[ctx exit 5]\n')
})

test('with a terminal what descends from the child dies with us', async (t) => {
  if (!need(t, 'script')) return
  const place = scratch(t, await shipped)
  const inner = `sh -c 'echo $$ >> pids; exec sleep 60'; :`
  const ctx = await shipped
  const line = lineOf([process.execPath, ctx, 'run', '--', 'sh', '-c', `echo $$ > pids; ${inner}`])
  const outer = spawn('script', ['-q', '-e', '-c', `echo $$ > ours; exec ${line}`, '/dev/null'], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'], CTX_STATE_HOME: place.state, HOME: place.dir, SHELL: '/bin/sh' },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  const ended = new Promise((resolve) => outer.once('exit', resolve))
  assert.ok(await until(() => existsSync(join(place.dir, 'pids')) && pids(place.dir).length === 2))
  process.kill(Number(readFileSync(join(place.dir, 'ours'), 'utf8')), 'SIGKILL')
  assert.ok(await until(() => !pids(place.dir).some(alive)))
  await ended
})

test('all of the child dies with us when we are killed', async (t) => {
  const place = scratch(t, await shipped)
  const run = place.start(['run', '--', 'sh', '-c', 'sleep 60 & echo $! > pids; echo $$ >> pids; wait'])
  assert.ok(await until(() => existsSync(join(place.dir, 'pids')) && pids(place.dir).length === 2))
  process.kill(run.pid, 'SIGKILL')
  await run.ended
  assert.ok(await until(() => !pids(place.dir).some(alive)))
})

test('a process in the background does not hold us up, lives on, and is told of', async (t) => {
  const place = scratch(t, await shipped)
  const line = '(sleep 6; echo late; echo lived > proof) & echo early'
  const began = performance.now()
  const { code, out, err } = await place.run(['run', '--', 'sh', '-c', line])
  assert.ok(performance.now() - began < 5500)
  assert.deepEqual([code, out], [0, 'early\n'])
  assert.match(err, /a process in the background still holds the output/)
  assert.ok(await until(() => existsSync(join(place.dir, 'proof')), 15_000), 'it was killed by its closed pipe')
})

test('what a background process writes at once is still captured', async (t) => {
  const place = scratch(t, await shipped)
  const { out, err } = await place.run(['run', '--', 'sh', '-c', '(sleep 0.1; echo late) & echo early'])
  assert.deepEqual([out, err], ['early\nlate\n', ''])
})

test('a store that cannot be written costs one sentence, and the output arrives', async (t) => {
  const place = scratch(t, await shipped)
  const blocked = join(place.dir, 'blocked')
  writeFileSync(blocked, 'a file where a directory should be')
  const env = { CTX_STATE_HOME: join(blocked, 'state'), XDG_RUNTIME_DIR: join(blocked, 'run'), TMPDIR: place.dir }
  const small = await place.run(['run', '--', 'echo', 'hello'], { env })
  assert.equal(small.code, 0)
  assert.equal(small.out, 'hello\n')
  assert.equal(small.err.trimEnd().split('\n').length, 1)
  const flood = await place.run(['run', '--', 'seq', '5000'], { env })
  assert.equal(flood.code, 0)
  assert.ok(flood.out.length > 20_000 || /ctx get run:/.test(flood.out), flood.out)
})

test('a working directory that is gone is no fault of the command', async (t) => {
  const place = scratch(t, await shipped)
  const line = `mkdir gone; cd gone; rmdir ../gone; exec ${lineOf([process.execPath, await shipped, 'run', '--', 'echo', 'x'])}`
  const { status, stdout } = spawnSync('sh', ['-c', line], {
    cwd: place.dir,
    env: { PATH: process.env['PATH'], CTX_STATE_HOME: place.state, HOME: place.dir },
    encoding: 'utf8',
  })
  assert.deepEqual([status, stdout], [0, 'x\n'])
})

test('a second run is told of the first, in the same directory only', async (t) => {
  const place = scratch(t, await shipped)
  mkdirSync(join(place.dir, 'elsewhere'))
  const line = 'seq 1 900; cat more 2>&1; true'
  const first = await place.run(['run', '--shell', '--', line])
  const id = /run:[0-9a-f]{12}/.exec(first.out)?.[0]
  assert.ok(id)
  assert.doesNotMatch(first.out, /\[ctx (?:since|the same output)/)
  assert.ok((await place.run(['run', '--shell', '--', line])).out.includes(`[ctx the same output as ${id}`))
  assert.ok(
    (await place.run(['run', '--bg-after', '30', '--shell', '--', line])).out.includes(`the same output as ${id}`),
  )
  assert.doesNotMatch((await place.run(['run', '--cwd', 'elsewhere', '--shell', '--', line])).out, /the same output/)
  writeFileSync(join(place.dir, 'more'), 'something else\n')
  assert.doesNotMatch((await place.run(['run', '--shell', '--', line])).out, /the same output/)
})

/** Lines for bash; `@` is nothing, or `ctx run --raw --`. */
const AROUND: Readonly<Record<string, string>> = {
  'words that are no UTF-8': `@ printf '%s|' $'caf\\xe9' "it's" '$x' '' | od -An -c`,
  'variables that are no UTF-8': `V=$'caf\\xe9' @ sh -c 'printf %s "$V"' | od -An -c`,
  'descriptors below 10': `@ sh -c 'echo three >&3; cat <&7' 3> three 7< given; cat three`,
  'process substitution': '@ cat <(echo one) <(echo two); echo x | @ tee >(cat >&2) 2>&1 | sort',
  'a soft limit of open files': `ulimit -Sn 77; @ sh -c 'ulimit -Sn; ulimit -Hn'; true`,
  'a parallel make': `printf 'all: a b\\na b:\\n\\t@echo made $@\\n' > Makefile; @ make -j2 2>&1 | sort`,
  'the pipes of a parallel make': `printf 'all: a b\\na b:\\n\\t+@ $(MAKE) -s -f Inner\\n' > Makefile; printf 'x:\\n\\t@echo in\\n' > Inner; make -s -j2 2>&1`,
  'the exit code in a list': '@ false || echo other; @ true && echo next',
  'a loop over its output': 'for x in $(@ seq 3); do echo "<$x>"; done',
  'a reader that ends first': 'set -o pipefail; @ yes | head -n 2; echo "${PIPESTATUS[*]}"',
  'several at once': '(@ sh -c "sleep 0.2; echo a"; @ echo b) & wait; @ echo c',
  'a file that is appended to': 'echo first > log; @ sh -c "echo out; echo err >&2" >> log 2>&1; cat log',
  'a file that is read and written': '@ tr a-z A-Z < given > shouted; cat shouted',
}

test('what the caller set up around a command holds for it', async (t) => {
  const place = scratch(t, await shipped)
  writeFileSync(join(place.dir, 'given'), 'from a file\n')
  const ctx = `${process.execPath} ${await shipped} run --raw --`
  const ran = (line: string) =>
    spawnSync('bash', ['-c', line], {
      cwd: place.dir,
      env: { PATH: process.env['PATH'], CTX_STATE_HOME: place.state, HOME: place.dir, LANG: 'C.UTF-8' },
      encoding: 'latin1',
    })
  for (const [name, line] of Object.entries(AROUND))
    await t.test(name, (t) => {
      if (line.includes('make') && !need(t, 'make')) return
      const [bare, wrapped] = [
        ran(line.replaceAll(/@ (?!echo made|echo in)/g, '')),
        ran(line.replaceAll(/@ (?!echo made|echo in)/g, `${ctx} `)),
      ]
      assert.notEqual(bare.stdout, '')
      assert.deepEqual([wrapped.status, wrapped.stdout, wrapped.stderr], [bare.status, bare.stdout, bare.stderr])
    })
})

test('a terminal for the child', async (t) => {
  if (!need(t, 'script')) return
  const place = scratch(t, await shipped)
  const asks = 'for i in 0 1 2; do test -t $i; printf "%d " $?; done; exit 3'
  const { code, out } = await place.run(['run', '--pty', '--', 'sh', '-c', asks], { env: { SHELL: '/bin/nothing' } })
  assert.equal(code, 3)
  assert.match(out, /^0 0 0 /)
  const words = await place.run(['run', '--pty', '--raw', '--', 'printf', '[%s]', 'a b', "it's", '$x', ''])
  assert.equal(words.out, "[a b][it's][$x][]")
  const late = await place.run(['run', '--pty', '--timeout', '1', '--', 'sh', '-c', 'echo begun; sleep 60'])
  assert.equal(late.code, 124)
  assert.equal(late.out, 'begun\r\n[ctx exit 124 | timed out after 1 s]\n')
  assert.equal((await place.run(['run', '--pty', '--', 'no-such-command'])).code, 127)
  const run = place.start(['run', '--pty', '--', 'sh', '-c', 'echo $$ > pids; sleep 60; true'])
  assert.ok(await until(() => existsSync(join(place.dir, 'pids')) && pids(place.dir).length === 1))
  process.kill(run.pid, 'SIGKILL')
  assert.ok(await until(() => !pids(place.dir).some(alive)))
  const none = await place.run(['run', '--pty', '--', '/bin/true'], { env: { PATH: place.dir } })
  assert.equal(none.code, 125)
  assert.match(none.err, /--pty needs the program script/)
})

const pids = (dir: string): number[] => readFileSync(join(dir, 'pids'), 'utf8').split('\n').filter(Boolean).map(Number)
