/** The published facts about how a line is seen, read off our tree. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { parseShell } from '../../shell/parse.ts'
import { viewOf } from './view.ts'

interface Row {
  readonly line: string
  /** Words of each segment. */
  readonly words: readonly (readonly string[])[]
  /** Numbers of the dynamic segments. */
  readonly dynamic?: readonly number[]
  /** What is written by redirections. */
  readonly writes?: readonly string[]
  readonly incomplete?: true
}

const ROWS: readonly Row[] = [
  {
    line: `git commit -m "a; b" && echo 'x > y' > out.txt 2>&1 | cat`,
    words: [['git', 'commit', '-m', 'a; b'], ['echo', 'x > y'], ['cat']],
    writes: ['out.txt'],
  },
  { line: `echo '$HOME'`, words: [['echo', '$HOME']] },
  { line: 'echo $(id)', words: [['echo', '$(id)']], dynamic: [0] },
  { line: 'echo `id`', words: [['echo', '`id`']], dynamic: [0] },
  { line: 'cat <(ls)', words: [['cat', '<(ls)']], dynamic: [0] },
  { line: 'ls # x\nrm y', words: [['ls'], ['rm', 'y']] },
  { line: 'ls *.c', words: [['ls', '*.c']], dynamic: [0] },
  { line: 'cat <<E\nrm -rf .\nE', words: [['cat']], dynamic: [0] },
  { line: 'cat a < b', words: [['cat', 'a']] },
  { line: 'cat a <> b', words: [['cat', 'a']], writes: ['b'] },
  { line: 'echo x >&1/../y', words: [['echo', 'x']], writes: ['1/../y'] },
  { line: 'echo x 2>&1', words: [['echo', 'x']] },
  { line: 'cat a 2>/dev/null', words: [['cat', 'a']] },
  { line: 'A=1 ls', words: [['ls']] },
  { line: 'rm {a,b}', words: [['rm', 'a', 'b']], dynamic: [0] },
  { line: '(rm a)', words: [['rm', 'a'], []], dynamic: [0, 1] },
  { line: 'f() { rm a; }', words: [['rm', 'a'], []], dynamic: [0, 1] },
  { line: '> a', words: [[]], writes: ['a'] },
  { line: "rm $'a\\tb'", words: [['rm', 'a\tb']] },
  { line: 'cat ~/x', words: [['cat', '~/x']] },
  { line: 'cat $HOME/x', words: [['cat', '$HOME/x']], dynamic: [0] },
  { line: 'echo "x', words: [], incomplete: true },
]

for (const row of ROWS) {
  test(row.line, () => {
    const { segments, complete } = viewOf(parseShell(row.line))
    assert.equal(complete, row.incomplete !== true)
    if (row.incomplete) return
    assert.deepEqual(
      segments.map(({ argv }) => argv.map(({ text }) => text)),
      row.words,
    )
    assert.deepEqual(
      segments.flatMap(({ dynamic }, i) => (dynamic ? [i] : [])),
      row.dynamic ?? [],
    )
    assert.deepEqual(
      segments.flatMap(({ redirects }) => redirects.filter(({ writes }) => writes).map(({ target }) => target.text)),
      row.writes ?? [],
    )
  })
}

test('any text has a view, and a literal line keeps its words', () => {
  fc.assert(fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (text) => void viewOf(parseShell(text))))
  const word = fc.stringMatching(/^[a-z][a-z0-9./-]{0,8}$/)
  fc.assert(
    fc.property(fc.array(fc.array(word, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }), (lines) => {
      const plain = lines.filter(
        ([name]) =>
          !/^(?:if|then|else|elif|fi|do|done|for|case|esac|while|until|in|select|time|function|coproc)$/.test(name!),
      )
      const { segments } = viewOf(parseShell(plain.map((words) => words.join(' ')).join(' ; ')))
      assert.deepEqual(
        segments.map(({ argv }) => argv.map(({ text }) => text)),
        plain,
      )
      assert.ok(segments.every(({ dynamic }) => !dynamic))
    }),
  )
})
