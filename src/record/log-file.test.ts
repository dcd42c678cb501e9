import assert from 'node:assert/strict'
import {
  appendFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { appendLog, LOG_FILES, logFiles, MOST_LOG } from './log-file.ts'
import { lineHash } from './log-line.ts'

const root = mkdtempSync(join(tmpdir(), 'log-'))
after(() => rmSync(root, { recursive: true }))

const fresh = () => mkdtempSync(join(root, 's-'))
const put = (state: string, n: number) => appendLog(state, (prev) => `${JSON.stringify({ n, prev })}\n`)
const rows = (file: string) => readFileSync(file, 'utf8').trimEnd().split('\n')

test('each line names the one before, also over a rotation', () => {
  const state = fresh()
  const [log, older] = logFiles(state) as [string, string]
  for (let n = 0; n < 3; n++) assert.equal(put(state, n), undefined)
  assert.equal(statSync(log).mode & 0o777, 0o600)
  const lines = rows(log)
  assert.equal(JSON.parse(lines[0]!).prev, '')
  assert.equal(JSON.parse(lines[1]!).prev, lineHash(lines[0]!))
  assert.equal(JSON.parse(lines[2]!).prev, lineHash(lines[1]!))

  // A file at its limit: the next line makes it full, the one after starts a new one.
  const filler = `${JSON.stringify({ filler: 'x'.repeat(1000) })}\n`
  appendFileSync(log, filler.repeat(Math.ceil(MOST_LOG / filler.length)))
  put(state, 3)
  assert.ok(!existsSync(log))
  const last = rows(older).at(-1)!
  assert.equal(JSON.parse(last).n, 3)
  put(state, 4)
  assert.deepEqual(JSON.parse(rows(log)[0]!), { n: 4, prev: lineHash(last) })
})

test('there are five files at most', () => {
  const state = fresh()
  for (let n = 0; n < 8; n++) {
    writeFileSync(logFiles(state)[0]!, '')
    truncateSync(logFiles(state)[0]!, MOST_LOG)
    put(state, n)
  }
  assert.equal(logFiles(state).length, LOG_FILES)
  assert.deepEqual(
    logFiles(state).map((file) => existsSync(file)),
    [false, true, true, true, true],
  )
  assert.ok(!existsSync(join(state, `log.${LOG_FILES}.jsonl`)))
  assert.ok(!existsSync(join(state, 'log.lock')))
})

test("a torn line does not swallow the next, and is nobody's parent", () => {
  const state = fresh()
  const [log] = logFiles(state) as [string]
  put(state, 0)
  const first = rows(log)[0]!
  appendFileSync(log, '{"n":')
  put(state, 1)
  assert.deepEqual(JSON.parse(rows(log).at(-1)!), { n: 1, prev: lineHash(first) })
})

test('a log that cannot be written is one clause, never a throw; a link is not followed', () => {
  const state = fresh()
  const target = join(state, 'victim')
  writeFileSync(target, '')
  symlinkSync(target, logFiles(state)[0]!)
  assert.match(put(state, 0) ?? '', /cannot be written/)
  assert.equal(readFileSync(target, 'utf8'), '')
  assert.match(put(join(state, 'absent'), 0) ?? '', /ENOENT/)
})
