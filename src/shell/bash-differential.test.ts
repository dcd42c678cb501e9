import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { need } from '../../test/need.ts'
import { edits, seeds } from './edits.testing.ts'
import { parseShell } from './parse.ts'

const COUNT = 3_000
const SEED = 20_261

/** What `bash -n` says of each text: it parses and runs nothing. One shell goes through all files of a directory. */
function bashAccepts(dir: string, from: number, to: number): Promise<boolean[]> {
  // Errors within `[[ … ]]` are printed and leave the exit status 0; an unfinished here-document is only a warning.
  const script = `for ((i = $1; i < $2; i++)); do
    if said=$(bash --norc -n "$i" 2>&1) && { [[ -z $said ]] || ! grep -qv warning <<<"$said"; }; then echo 0; else echo 1; fi
  done`
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['--norc', '-c', script, 'bash', String(from), String(to)], {
      cwd: dir,
      env: { PATH: process.env['PATH'], LC_ALL: 'C.UTF-8' },
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
    child.on('error', reject)
    child.on('close', () =>
      resolve(
        out
          .trim()
          .split('\n')
          .map((line) => line === '0'),
      ),
    )
  })
}

test('3,000 random edits are accepted and rejected as bash does', { timeout: 300_000 }, async (t) => {
  if (!need(t, 'bash')) return
  const texts = [...seeds, ...edits(COUNT, SEED)]
  const dir = mkdtempSync(join(tmpdir(), 'shell-differential-'))
  try {
    for (const [i, text] of texts.entries()) writeFileSync(join(dir, String(i)), text)
    const half = texts.length >> 1
    const accepted = (await Promise.all([bashAccepts(dir, 0, half), bashAccepts(dir, half, texts.length)])).flat()
    assert.equal(accepted.length, texts.length)
    const wrong = { accepts: [] as string[], rejects: [] as string[] }
    for (const [i, text] of texts.entries()) {
      const { status } = parseShell(text)
      if (accepted[i] && status === 'invalid') wrong.accepts.push(text)
      if (!accepted[i] && status !== 'invalid' && status !== 'partial') wrong.rejects.push(text)
    }
    const valid = accepted.filter(Boolean).length
    const invalid = texts.length - valid
    t.diagnostic(`bash accepts ${valid}, rejects ${invalid}`)
    for (const text of wrong.accepts) t.diagnostic(`bash accepts, we do not: ${JSON.stringify(text)}`)
    for (const text of wrong.rejects) t.diagnostic(`bash rejects, we do not: ${JSON.stringify(text)}`)
    // Both sides must be there, or the rates mean nothing.
    assert.ok(valid > COUNT / 5 && invalid > COUNT / 5, 'edits should give many valid and many invalid texts')
    assert.ok(
      wrong.accepts.length <= valid * 0.001,
      `${wrong.accepts.length} of ${valid} valid texts are invalid to us`,
    )
    assert.ok(
      wrong.rejects.length <= invalid * 0.02,
      `${wrong.rejects.length} of ${invalid} invalid texts are read as valid`,
    )
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('every seed that bash accepts is read completely', { timeout: 60_000 }, async (t) => {
  if (!need(t, 'bash')) return
  const dir = mkdtempSync(join(tmpdir(), 'shell-seeds-'))
  try {
    for (const [i, text] of seeds.entries()) writeFileSync(join(dir, String(i)), text)
    const accepted = await bashAccepts(dir, 0, seeds.length)
    const wrong = seeds.filter((text, i) => accepted[i] !== (parseShell(text).status === 'complete'))
    assert.deepEqual(wrong, [])
  } finally {
    rmSync(dir, { recursive: true })
  }
})
