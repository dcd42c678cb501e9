/**
 * The runner of the Antigravity plugin: whatever the guard behind it does, the host gets one answer in time. The rows of
 * `cases/runner.json` under each shell of the contract; then what needs a clock.
 */
import assert from 'node:assert/strict'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { need } from './need.ts'
import {
  CASES,
  decisionOf,
  MODES,
  PLUGIN,
  printed,
  type Ran,
  type RunnerRow,
  RunnerScratch,
  runIn,
  shells,
} from './runner-support.ts'

let scratch: RunnerScratch

before(() => {
  scratch = new RunnerScratch()
})

after(() => scratch.remove())

function check(ran: Ran, expected: string, child: string, row: RunnerRow, about: string): void {
  if (expected === 'verbatim') assert.deepEqual([ran.code, ran.out], [0, printed(CASES.children[child]!)], about)
  else assert.equal(decisionOf(ran), expected, about)
  if (row.never !== undefined) assert.ok(!ran.out.includes(row.never), about)
  if (row.stderr === undefined) assert.equal(ran.err, '', about)
  else assert.ok(ran.err.includes(row.stderr), about)
}

for (const shell of shells()) {
  describe(`rows of the contract under ${shell}`, { concurrency: 4 }, () => {
    for (const row of CASES.rows)
      test(row.id, async (t) => {
        if (!need(t, shell)) return
        for (const child of row.children)
          for (const [tool, answers] of Object.entries(row.calls ?? { '': row.expect! }))
            for (const [i, expected] of answers.entries()) {
              const mode = MODES[i]!
              const about = `${row.id}: ${child}, ${tool || 'its payload'}, ${mode}`
              const args = [...(row.args ?? []), ...(row.noScript ? [] : [child])]
              const ran = await scratch.run(shell, args, scratch.payload(row, tool), scratch.env(mode, row.env))
              check(ran, expected, child, row, about)
            }
        if (row.log !== undefined) assert.ok(readFileSync(scratch.log, 'utf8').includes(row.log), row.id)
      })
  })
}

// Most of it is waiting: the shells wait side by side.
describe('in time', { concurrency: true }, () => {
  for (const shell of shells())
    describe(`under ${shell}`, { concurrency: 5 }, () => {
      const call = (world = 'A', tool = 'run_command') => scratch.payload({ at: world } as RunnerRow, tool)
      const play = (name: string, lines: string): string => {
        // Another shell may play at this moment.
        const own = `${name}-${shell}`
        writeFileSync(join(scratch.plugin, 'children', own), `${lines}\n`)
        return own
      }
      /** `from`, `to`: milliseconds after the start. */
      const within = (ran: Ran, from: number, to: number, decision: string) => {
        assert.equal(decisionOf(ran), decision)
        assert.ok(ran.ms >= from - 100 && ran.ms <= to, `${Math.round(ran.ms)} ms`)
      }

      test('a child that hangs is ended', async (t) => {
        if (!need(t, shell)) return
        const child = play('hangs', 'exec sleep 30')
        within(
          await scratch.run(shell, ['--timeout', '2', child], call(), scratch.env('interactive')),
          2000,
          5000,
          'ask',
        )
      })

      test('a child that does not mind being ended is killed', async (t) => {
        if (!need(t, shell)) return
        const child = play('stubborn', "trap '' TERM\nwhile :; do sleep 1; done")
        within(
          await scratch.run(shell, ['--timeout', '1', child], call(), scratch.env('interactive')),
          2000,
          5000,
          'ask',
        )
      })

      test('the usual time ends before the host loses patience', async (t) => {
        if (!need(t, shell)) return
        const child = play('stubborn-usual', "trap '' TERM\nwhile :; do sleep 1; done")
        within(
          await scratch.run(shell, ['--timeout', '9', child], call(), scratch.env('interactive')),
          10_000,
          12_000,
          'ask',
        )
      })

      test('a child that says it is done when it is ended has not answered', async (t) => {
        if (!need(t, shell)) return
        const child = play('polite', "trap 'exit 0' TERM\nsleep 30 & wait")
        within(
          await scratch.run(shell, ['--timeout', '1', child], call('A', 'write_to_file'), scratch.env('interactive')),
          1000,
          4000,
          'deny',
        )
      })

      test('a child that prints without end is ended', async (t) => {
        if (!need(t, shell)) return
        const child = play('endless', 'exec yes garbage')
        within(
          await scratch.run(shell, ['--timeout', '1', child], call(), scratch.env('interactive')),
          1000,
          4500,
          'ask',
        )
      })

      for (const [name, input, decision] of [
        ['nothing came', 'open', 'ask'],
        ['a whole call came', '', 'deny'],
      ] as const)
        test(`stdin that is never closed: ${name}`, async (t) => {
          if (!need(t, shell)) return
          const how = { cwd: scratch.plugin, env: scratch.env('interactive'), unclosed: true }
          const args = ['bin/hook-runner.sh', '--timeout', '1', 'deny']
          within(await runIn(shell, args, { ...how, input: input || call('A', 'write_to_file') }), 1000, 5000, decision)
        })

      test('the host stops the runner: still one answer', async (t) => {
        if (!need(t, shell)) return
        const child = play('waits', 'exec sleep 30')
        const ran = await runIn(shell, ['bin/hook-runner.sh', child], {
          ...{ cwd: scratch.plugin, env: scratch.env('interactive'), input: call('A', 'write_to_file') },
          started: (signal) => setTimeout(() => signal('SIGTERM'), 1000),
        })
        within(ran, 1000, 4000, 'deny')
      })

      test('a process that took the number of an ended child is left alone', async (t) => {
        if (!need(t, shell)) return
        if (!existsSync('/proc/self/fd')) return t.skip('not run: there is no /proc to find the file by')
        const mark = join(scratch.dir, `alive-${shell}`)
        // It takes its own file away, as if it had ended, and goes on.
        const gone = 'rm -f "$(dirname "$(readlink /proc/$$/fd/0)")/pid"'
        const child = play(
          'vanishes',
          `trap '${gone}' TERM\ni=0; while [ $i -lt 35 ]; do sleep 0.1; i=$((i+1)); done\n: > '${mark}'`,
        )
        const ran = await scratch.run(shell, ['--timeout', '1', child], call(), scratch.env('interactive'))
        within(ran, 2000, 5000, 'ask')
        await new Promise((resolve) => setTimeout(resolve, 3500))
        assert.ok(existsSync(mark))
      })

      test('a call of 300 KB comes through whole', async (t) => {
        if (!need(t, shell)) return
        const args = { TargetFile: 'x', CodeContent: '"é"\n\\'.repeat(60_000) }
        const text = JSON.stringify({
          toolCall: { name: 'write_to_file', args },
          workspacePaths: [scratch.worlds['A']],
        })
        assert.ok(text.length > 300_000)
        const ran = await scratch.run(shell, ['byte-count'], text, scratch.env('interactive'))
        assert.equal(JSON.parse(ran.out).reason, String(Buffer.byteLength(text)))
      })

      test('what would load foreign code does not reach the guard; its path does', async (t) => {
        if (!need(t, shell)) return
        const seen = join(scratch.dir, `environment-${shell}`)
        const names = ['NODE_OPTIONS', 'NODE_PATH', 'LD_PRELOAD', 'BASH_ENV', 'ENV']
        const hostile = {
          ...Object.fromEntries(names.map((name) => [name, ''])),
          NODE_OPTIONS: '--require /x',
          ENV: '/dev/null',
        }
        const env = {
          ...scratch.env('interactive'),
          ...hostile,
          BASH_ENV: '/dev/null',
          PATH: '/usr/bin:/bin:/x',
          SEEN: seen,
          KEPT: 'yes',
        }
        assert.equal(decisionOf(await scratch.run(shell, ['environment'], call(), env)), 'pass')
        const got = readFileSync(seen, 'utf8').split('\n')
        assert.deepEqual(
          got.filter((line) => names.some((name) => line.startsWith(`${name}=`))),
          [],
        )
        assert.ok(got.includes('KEPT=yes') && got.includes('PATH=/usr/bin:/bin:/x'))
      })

      test('a full disk is no reason to let a call go on', async (t) => {
        if (!need(t, shell) || !need(t, 'bwrap')) return
        const content = 'x'.repeat(200_000)
        const text = JSON.stringify({
          toolCall: { name: 'write_to_file', args: { TargetFile: 'x', CodeContent: content } },
          workspacePaths: [scratch.worlds['P']],
        })
        const small = [
          '--unshare-all',
          '--dev-bind',
          '/',
          '/',
          '--size',
          '32768',
          '--tmpfs',
          '/mnt',
          '--setenv',
          'TMPDIR',
          '/mnt',
        ]
        const how = { cwd: scratch.plugin, env: scratch.env('interactive') }
        const run = (input: string) => runIn('bwrap', [...small, shell, 'bin/hook-runner.sh', 'ask'], { ...how, input })
        const fits = await run(call('P', 'write_to_file'))
        if (fits.code !== 0) return t.skip('not run: bwrap cannot make a small file system here')
        assert.equal(decisionOf(fits), 'ask')
        assert.equal(decisionOf(await run(text)), 'deny')
      })
    })
})

describe('after all', () => {
  test('no temporary directory is left', async () => {
    // The watchdog's own end may come a little later.
    for (let i = 0; i < 100 && readdirSync(scratch.tmp).length > 0; i++)
      await new Promise((resolve) => setTimeout(resolve, 100))
    assert.deepEqual(readdirSync(scratch.tmp), [])
  })

  test('the log says what went on without the guard', () => {
    const log = readFileSync(scratch.log, 'utf8')
    assert.match(log, /^[^\n]+: \[warn\] [^\n]*\bview_file\b/m)
    assert.match(log, /: \[warn\] no Node of 22\.19 or later/)
    assert.match(log, /: \[warn\] the guard said allow/)
  })
})

test('the scripts are plain sh', async (t) => {
  if (!need(t, 'shellcheck')) return
  for (const name of readdirSync(join(PLUGIN, 'bin'))) {
    const ran = await runIn('shellcheck', ['-s', 'sh', name], { cwd: join(PLUGIN, 'bin'), env: process.env, input: '' })
    assert.deepEqual([ran.code, ran.out], [0, ''], name)
  }
})

test('the contract’s rows are all there', () => {
  const rows = new Set([...CASES.rows, ...CASES.launcher].map(({ row }) => row))
  for (const row of [
    '176-178',
    '179',
    '180',
    '181',
    '182',
    '184',
    '185',
    '186',
    '187',
    '188',
    '189',
    '190',
    '192',
    '195',
    '196',
  ])
    assert.ok(rows.has(row), row)
  for (const row of ['W-R1', 'W-R2', 'W-R3', 'W-R4', 'W-R5']) assert.ok(rows.has(row), row)
  const ids = [...CASES.rows, ...CASES.launcher].map(({ id }) => id)
  assert.equal(new Set(ids).size, ids.length)
})
