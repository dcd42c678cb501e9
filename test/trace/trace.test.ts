/** The kernel is the judge: what programs really change was foreseen. `npm run trace` runs all of it. */
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { canRun, openSandbox, type Sandbox } from '../execution/sandbox.ts'
import { need } from '../need.ts'
import { random, written } from './corpus.ts'
import { changesOf } from './strace.ts'
import { runCorpus, totalsOf } from './suite.ts'

/** Seeds of random programs in the normal run. */
const SEEDS = process.env['SALLYPORT_SOAK'] === '1' ? 2_000 : 20

let sandbox: Sandbox | undefined
before(async () => {
  if (canRun() === undefined) sandbox = await openSandbox()
})
after(() => sandbox?.close())

describe('what strace writes is read', () => {
  const rows: readonly [string, string, readonly string[]][] = [
    ['a write', '1 openat(AT_FDCWD</w>, "a", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 3</w/a>', ['write /w/a']],
    ['a read', '1 openat(AT_FDCWD</w>, "a", O_RDONLY) = 3</w/a>', []],
    ['a write that failed', '1 openat(AT_FDCWD</w>, "a", O_WRONLY) = -1 EACCES (Permission denied)', []],
    ['a removal', '1 unlinkat(AT_FDCWD</w>, "d/../a", 0) = 0', ['delete /w/a']],
    [
      'a renaming',
      '1 renameat2(AT_FDCWD</w>, "a", AT_FDCWD</w>, "d/b", RENAME_NOREPLACE) = 0',
      ['rename /w/a', 'write /w/d/b'],
    ],
    [
      'a call that was interrupted',
      '1 unlink("a" <unfinished ...>\n2 chdir("/x") = 0\n1 <... unlink resumed>) = 0',
      ['delete /w/a'],
    ],
    [
      'the directory of a child',
      '1 chdir("d") = 0\n1 clone(child_stack=NULL, flags=0) = 2\n2 unlink("a") = 0',
      ['delete /w/d/a'],
    ],
    ['a link', '1 symlink("../x", "l") = 0', ['write /w/l']],
    [
      'a link among the directories',
      '1 symlink("../x", "l") = 0\n1 unlink("l/a") = 0\n1 unlink("l") = 0\n1 unlink("l/b") = 0',
      ['write /w/l', 'delete /x/a', 'delete /w/l', 'delete /w/l/b'],
    ],
    ['octal escapes', '1 unlink("a\\303\\244") = 0', ['delete /w/a\u00c3\u00a4']],
    [
      'a connection',
      '1 connect(3<TCP:[1]>, {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}, 16) = -1 EINPROGRESS',
      ['connect {sa_family=AF_INET, sin_port=htons(80), sin_addr=inet_addr("10.0.0.1")}, 16'],
    ],
  ]
  for (const [name, trace, expected] of rows)
    test(name, () =>
      assert.deepEqual(
        changesOf(trace, '/w').map(({ kind, path }) => `${kind} ${path}`),
        expected,
      ),
    )
})

for (const [name, lines] of [
  ['written lines', written],
  ['random programs', () => random(Array.from({ length: SEEDS }, (_, i) => i + 1))],
] as const) {
  test(`${name}: what changed was foreseen, and nothing was harmed after a pass`, async (t) => {
    if (!need(t, 'bwrap') || !need(t, 'strace') || sandbox === undefined) return
    const all = await runCorpus(lines(), sandbox)
    const { changes, foreseen, unknownOnly, honest, harmed } = totalsOf(all)
    const missed = all.flatMap((one) => one.missed.map(({ kind, path }) => `${kind} ${path}: ${one.command}`))
    assert.ok(changes > lines().length / 4, 'too little happened')
    assert.ok((foreseen + unknownOnly) / changes >= 0.995, missed.join('\n'))
    assert.ok(unknownOnly / changes <= 0.05)
    assert.ok(honest / all.length >= 0.95, all.flatMap(({ neverHappened }) => neverHappened).join('\n'))
    assert.equal(harmed, 0, all.flatMap((one) => one.harmed.map((path) => `${path}: ${one.command}`)).join('\n'))
  })
}
