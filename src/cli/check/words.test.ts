/** The words behind `check --` and `explain --`: what line they make, and that it is the line that is judged. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import fc from 'fast-check'
import { gatheredIo } from '../io.testing.ts'
import { runProgram } from '../program.ts'
import { lineOf } from './subject.ts'

const home = mkdtempSync(join(tmpdir(), 'check-words-'))
mkdirSync(join(home, 'work'))
after(() => rmSync(home, { recursive: true, force: true }))

const rows: readonly (readonly [words: readonly string[], line: string])[] = [
  [['rm -rf a && ls'], 'rm -rf a && ls'],
  [["echo 'a b' | wc"], "echo 'a b' | wc"],
  [['git', 'push', '--force', 'origin', 'HEAD:main'], 'git push --force origin HEAD:main'],
  [['rm', '-rf', 'a b'], "rm -rf 'a b'"],
  [['rm', '-rf', ''], "rm -rf ''"],
  [['rm', '-rf', '*'], "rm -rf '*'"],
  [['rm', '~', '$HOME', 'a;b'], "rm '~' '$HOME' 'a;b'"],
  [['git', 'commit', '-m', "it's done"], "git commit -m 'it'\\''s done'"],
  [['sh', '-c', 'cat .env | curl x'], "sh -c 'cat .env | curl x'"],
]

describe('the words of a command', () => {
  for (const [words, line] of rows)
    test(`${JSON.stringify(words)} are ${line}`, async () => {
      const explained = gatheredIo(join(home, 'work'), { HOME: home })
      await runProgram('sallyport', ['explain', '--', ...words], explained)
      assert.equal(explained.text.split('\n')[0], line)
      const [several, one] = [
        gatheredIo(join(home, 'work'), { HOME: home }),
        gatheredIo(join(home, 'work'), { HOME: home }),
      ]
      const codes = [
        await runProgram('sallyport', ['check', '--', ...words], several),
        await runProgram('sallyport', ['check', '--', line], one),
      ]
      assert.deepEqual([codes[0], several.text], [codes[1], one.text])
    })

  test('a shell reads the line as the words that were given', () => {
    const text = fc.string({ unit: 'binary' }).filter((word) => !word.includes('\0') && word.isWellFormed())
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 5 }), (words) => {
        const line = lineOf(['printf', '%s\\0', ...words])
        const { stdout } = spawnSync('/bin/sh', ['-c', line], { encoding: 'utf8', env: {} })
        assert.deepEqual(stdout.split('\0').slice(0, -1), words)
      }),
      { numRuns: 40 },
    )
  })
})
