/** The parts of a run that need no child: words, options, what is shown of a small output. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, posix } from 'node:path'
import { test } from 'node:test'
import fc from 'fast-check'
import { FRAME } from '../frame.ts'
import { commandOfArgv, commandsOfLine, endsInPipeline } from './commands.ts'
import { lineOf } from './line.ts'
import { runOptions } from './options.ts'
import { endLine, hiddenFailure, notesOf, type Part, smallOutput, withNotes } from './output.ts'
import { findProgram } from './program.ts'
import { sizeOf } from './progress.ts'
import { ptyArgv } from './pty.ts'
import { readStages, shellOf, withStages } from './shell.ts'

const word = fc.string({ unit: 'binary' }).filter((text) => !text.includes('\0') && !/[\ud800-\udfff]/.test(text))

test('an argv as a line is read as the same argv', () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(word, fc.constantFrom('if', 'A=1', 'time', '{', '!', '~', '#', 'a+=b')), {
        minLength: 1,
        maxLength: 6,
      }),
      (argv) => {
        const [command, ...more] = commandsOfLine(lineOf(argv))
        assert.deepEqual(more, [])
        assert.deepEqual(command?.args, argv.slice(1))
        assert.equal(command?.program, posix.basename(argv[0] ?? ''))
      },
    ),
  )
})

test('commands of a line', () => {
  for (const [line, commands] of [
    [
      'cd x && ./node_modules/.bin/jest --ci 2>&1 | tail -n 5',
      [
        ['cd', 'x'],
        ['jest', '--ci'],
        ['tail', '-n', '5'],
      ],
    ],
    ['pytest "$FILE" -q', [['pytest']]],
    ['$PROGRAM x', []],
    ['', []],
    ['if make; then echo "a b"; fi', [['make'], ['echo', 'a b']]],
  ] as const)
    assert.deepEqual(
      commandsOfLine(line).map(({ program, args }) => [program, ...args]),
      commands,
    )
  assert.equal(commandOfArgv(['/bin/bash', '-c', 'ls | wc']).line, 'ls | wc')
  assert.equal(commandOfArgv(['bash', '-c', 'ls', 'x']).line, undefined)
  assert.equal(commandOfArgv(['python3', '-c', 'ls']).line, undefined)
})

test('lines that end in a pipeline', () => {
  for (const line of ['a | b', 'x; a | b', 'x && a | b', '{ x; }; a |& b', 'a | b\n'])
    assert.ok(endsInPipeline(line), line)
  for (const line of ['a', 'a || b', 'a | b; c', '! a | b', 'a | b &', '(a | b)', "echo 'a | b'", 'a | (', ''])
    assert.ok(!endsInPipeline(line), line)
})

test('stages are written and read', () => {
  const bash = { path: 'bash', name: 'bash' }
  assert.match(withStages(bash, 'a | b', "/tmp/it's") ?? '', /^a \| b\n.*PIPESTATUS.*'\/tmp\/it'\\''s'/s)
  assert.equal(withStages({ path: '/bin/sh', name: 'sh' }, 'a | b', 'f'), undefined)
  assert.deepEqual(readStages('0\n2\n0\n'), [2, 0])
  for (const text of ['', '0\n', '0\n0\n', 'x\ny\nz\n']) assert.equal(readStages(text), undefined)
  assert.deepEqual(hiddenFailure([2, 0]), [2, 0])
  for (const stages of [undefined, [], [0, 0], [141, 0], [0, 1]]) assert.equal(hiddenFailure(stages), undefined)
})

test('the shell of a line', () => {
  const here = (env: Record<string, string>) => shellOf({ PATH: '/usr/bin:/bin', ...env }).name
  assert.equal(here({ SHELL: '/bin/sh' }), 'sh')
  assert.equal(here({ SHELL: '/bin/no-such/bash' }), here({}))
  assert.equal(here({ SHELL: 'bash' }), here({}))
  const own = mkdtempSync(join(tmpdir(), 'ctx-shell-'))
  writeFileSync(join(own, 'dash'), '#!/bin/sh\n', { mode: 0o755 })
  assert.equal(
    shellOf({ PATH: '/usr/bin:/bin', SHELL: join(own, 'dash') }).path,
    shellOf({ PATH: '/usr/bin:/bin' }).path,
  )
  rmSync(own, { recursive: true })
  assert.deepEqual(shellOf({ PATH: '/nowhere' }), { path: '/bin/sh', name: 'sh' })
})

test('a program is found as the system finds it', (t) => {
  const dir = mkdtempSync(join(tmpdir(), 'ctx-program-'))
  t.after(() => rmSync(dir, { recursive: true, force: true }))
  for (const name of ['first', 'second', 'second/dir']) mkdirSync(join(dir, name))
  const file = (name: string, mode: number, text = '') => {
    writeFileSync(join(dir, name), text)
    chmodSync(join(dir, name), mode)
  }
  file('first/plain', 0o644)
  file('second/plain', 0o755)
  file('first/barred', 0o644)
  file('second/script', 0o755, '#!/no/such/program -x\n')
  file('second/relative', 0o755, '#! second/plain\n')
  symlinkSync('nowhere', join(dir, 'second', 'dangling'))
  const find = (name: string, path: string | undefined = `${dir}/first:${dir}/second`) => {
    const found = findProgram(name, dir, path)
    return 'path' in found ? found.path.slice(dir.length + 1) : found.code
  }
  assert.equal(find('plain'), 'second/plain')
  assert.equal(find('plain', 'first:second'), 'second/plain')
  assert.equal(find('./second/plain'), 'second/plain')
  assert.equal(find(`${dir}/second/plain`), 'second/plain')
  assert.equal(find('barred'), 126)
  assert.equal(find('dir'), 126)
  assert.equal(find('script'), 127)
  assert.equal(find('relative'), 'second/relative')
  assert.equal(find('dangling'), 127)
  assert.equal(find('absent'), 127)
  assert.equal(find(''), 127)
  assert.ok('path' in findProgram('sh', dir, undefined))
})

test('options', () => {
  const options = (flags: object, argv = ['x']) => runOptions(flags, argv, '/', undefined)
  const good = options({ timeout: '1.5', bgAfter: '.25', budget: '300' })
  assert.ok(!('refused' in good))
  assert.deepEqual([good.timeoutMs, good.bgAfterMs, good.budget], [1500, 250, 300])
  const bg = options({ bg: true })
  assert.ok(!('refused' in bg) && bg.bgAfterMs === 0 && bg.budget === 600 && bg.timeoutMs === undefined)
  for (const flags of [
    { timeout: '1e3' },
    { timeout: '-1' },
    { timeout: '' },
    { timeout: '99999999999' },
    { bgAfter: '0' },
    { budget: '1.5' },
    { budget: '0' },
    { cwd: '/no/such/place' },
    { raw: true, bgAfter: '3' },
  ])
    assert.ok('refused' in options(flags), JSON.stringify(flags))
  assert.ok('refused' in options({}, []))
})

const bytes = fc.uint8Array({ maxLength: 300 })
const parts = fc.array(fc.record({ to: fc.constantFrom('stdout', 'stderr'), bytes }), { maxLength: 5 })
const joined = (some: readonly Part[], to: 'stdout' | 'stderr') =>
  Buffer.concat(some.filter((part) => part.to === to).map((part) => part.bytes)).toString('latin1')

test('a small output is its bytes, and one line of ours where it failed', () => {
  const nothing = (text: string) => ({ text, masked: 0 })
  fc.assert(
    fc.property(parts, fc.constantFrom(0, 1, 124, 139), (pieces, exit) => {
      const { parts: shown } = smallOutput(pieces, { exit, signal: undefined }, nothing)
      assert.equal(joined(shown, 'stderr'), joined(pieces, 'stderr'))
      const [out, whole] = [joined(pieces, 'stdout'), joined(shown, 'stdout')]
      assert.ok(whole.startsWith(out))
      const rest = whole.slice(out.length)
      assert.equal(rest, exit === 0 ? '' : `${out === '' || out.endsWith('\n') ? '' : '\n'}[ctx exit ${exit}]\n`)
    }),
  )
})

test('a secret that is cut into pieces is masked', () => {
  const mask = (text: string) => ({
    text: text.replaceAll('secret', '***'),
    masked: text.split('secret').length - 1,
  })
  const pieces = (['se', 'cret\n', 'x'] as const).map((text, at): Part => {
    return { to: at === 2 ? 'stderr' : 'stdout', bytes: Buffer.from(text) }
  })
  const { parts: shown, masked } = smallOutput(pieces, { exit: 0, signal: undefined }, mask)
  assert.deepEqual([masked, joined(shown, 'stdout'), joined(shown, 'stderr')], [1, '***\n', 'x'])
})

test('lines of ours fit the frame', () => {
  const verdicts = [
    { exit: 7, signal: undefined },
    { exit: 139, signal: 'SIGSEGV' },
    { exit: 124, signal: 'SIGTERM', timedOutAfter: 1.5 },
    { exit: undefined, signal: undefined },
    { exit: 0, signal: undefined, stages: [3, 0] },
  ]
  for (const verdict of verdicts) {
    const lines = [...notesOf(verdict), ...(endLine(verdict) === undefined ? [] : [endLine(verdict) ?? ''])]
    assert.ok(lines.length > 0)
    for (const line of lines) assert.equal(FRAME.exec(line)?.groups?.['whole'], line)
  }
  assert.equal(endLine({ exit: 0, signal: undefined }), undefined)
  assert.equal(withNotes('[ctx a]\nb\n', ['[ctx n]']), '[ctx a]\n[ctx n]\nb\n')
  assert.equal(withNotes('[ctx a]', ['[ctx n]']), '[ctx a]\n[ctx n]\n')
  assert.equal(withNotes('[ctx a]\nb\n', []), '[ctx a]\nb\n')
})

test('a terminal is asked of what there is', () => {
  const argv = ptyArgv(['sh', "it's"], '/', { PATH: '/usr/bin:/bin', SHELL: '/bin/x y' }, 'linux')
  assert.ok('refused' in argv || argv.at(-1) === '/dev/null' || argv.includes('sh'))
  assert.ok('refused' in ptyArgv(['/bin/sh'], '/', { PATH: '/nowhere' }, 'linux'))
})

test('sizes for people', () => {
  assert.deepEqual([0, 999, 1000, 34_560, 123_456_789, 5e12].map(sizeOf), [
    '0 B',
    '999 B',
    '1.0 kB',
    '34.6 kB',
    '123 MB',
    '5.0 TB',
  ])
})
