/** Frozen files that change while a call runs: seen after it, named in the next reason, in the log and by the status. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { canonicalName } from '../src/adlc/adlc.ts'
import { readAnswer } from './hook-support.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-hook-watch-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

const project = join(scratch, 'home', 'proj')
const at = (path: string) => join(project, path)
const env = {
  PATH: process.env['PATH'],
  HOME: join(scratch, 'home'),
  USER: 'ana',
  XDG_STATE_HOME: join(scratch, 'state'),
}
const program = join(import.meta.dirname, '..', 'bin', 'sallyport.js')

function put(path: string, text: string): void {
  mkdirSync(join(at(path), '..'), { recursive: true })
  writeFileSync(at(path), text)
}

put('.git/HEAD', 'ref: refs/heads/main\n')
put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}')
put(`.adlc/tickets/${canonicalName('T1')}`, '{"id":"T1","title":"t","rails":["lib/lock.mjs"]}')
put('lib/lock.mjs', 'one\n')
put('src/app.ts', 'app\n')

function sallyport(args: readonly string[], input = '', name = 'sallyport.js') {
  const done = spawnSync(process.execPath, [join(program, '..', name), ...args], { input, env, cwd: project })
  return { code: done.status, out: String(done.stdout), err: String(done.stderr) }
}

function event(name: 'PreToolUse' | 'PostToolUse', command: string, id: string) {
  const about = { session_id: 's', cwd: project, permission_mode: 'default', hook_event_name: name, tool_use_id: id }
  const more = name === 'PostToolUse' ? { tool_response: {} } : {}
  const input = JSON.stringify({ ...about, tool_name: 'Bash', tool_input: { command }, ...more })
  const ran = sallyport(['hook', 'claude', name], input)
  assert.deepEqual([ran.code, ran.err], [0, ''])
  const said = readAnswer('claude', ran.out)
  assert.ok(said !== 'nothing')
  return said
}

const log = (): Record<string, unknown>[] =>
  readFileSync(join(scratch, 'state', 'sallyport', 'log.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>)

test('a rail that a program wrote and put back is named once, logged, and shown', () => {
  event('PreToolUse', 'ls', '1')
  event('PostToolUse', 'ls', '1')
  assert.equal(
    log().some(({ rule }) => rule === 'frozen.changed'),
    false,
  )
  assert.doesNotMatch(sallyport(['adlc', 'status']).out, /a session did not find/)

  event('PreToolUse', 'npm test', '2')
  put('lib/lock.mjs', 'two\n')
  put('lib/lock.mjs', 'one\n')
  assert.equal(event('PostToolUse', 'npm test', '2').decision, 'pass')

  const seen = log().filter(({ rule }) => rule === 'frozen.changed')
  assert.equal(seen.length, 1)
  assert.equal(seen[0]!['reason'], 'lib/lock.mjs was written or touched, and holds what it held')
  assert.equal(seen[0]!['event'], 'PostToolUse')
  assert.equal(seen[0]!['call'], 'npm test')

  const first = event('PreToolUse', 'rm -rf ~', '3')
  assert.equal(first.decision, 'deny')
  assert.match(
    first.reason,
    /Seen since: lib\/lock\.mjs was written or touched, and holds what it held; these are frozen/,
  )
  assert.ok(first.reason.length <= 600)
  const second = event('PreToolUse', 'rm -rf ~', '4')
  assert.doesNotMatch(second.reason, /Seen since/)

  const status = sallyport(['adlc', 'status'])
  assert.equal(status.code, 0)
  assert.match(
    status.out,
    /seen {8}1 frozen file that a session did not find as it was\n {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ {2}lib\/lock\.mjs was written/,
  )
  const json = JSON.parse(sallyport(['adlc', 'status', '--json']).out) as { changed: { path: string; what: string }[] }
  assert.deepEqual(
    json.changed.map(({ path, what }) => [path, what]),
    [[at('lib/lock.mjs'), 'restored']],
  )
  assert.match(sallyport(['status'], '', 'agb.js').out, /lib\/lock\.mjs was written or touched/)
})

test('what happens between two calls is seen before the next one', () => {
  put('lib/lock.mjs', 'three\n')
  event('PreToolUse', 'ls', '5')
  assert.equal(log().at(-1)!['reason'], 'lib/lock.mjs was changed')
  assert.match(event('PreToolUse', 'rm -rf ~', '6').reason, /Seen since: lib\/lock\.mjs was changed/)
})
