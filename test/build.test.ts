/** The build replaces what runs: a hook that is asked meanwhile finds all its files, and its answer stays the same. */
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { putInPlace } from '../scripts/put-in-place.ts'

const ROOT = join(import.meta.dirname, '..')
const scratch = mkdtempSync(join(tmpdir(), 'build-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

let count = 0
/** Two directories: what was made, and what lies there. */
function lay(made: Readonly<Record<string, string>>, there: Readonly<Record<string, string>>): [string, string] {
  const at = join(scratch, String(count++))
  for (const [dir, files] of Object.entries({ made, there }))
    for (const [path, text] of Object.entries({ '.keep': '', ...files })) {
      mkdirSync(dirname(join(at, dir, path)), { recursive: true })
      writeFileSync(join(at, dir, path), text)
    }
  return [join(at, 'made'), join(at, 'there')]
}

const LONG_AGO = 1_700_000_000
const names = (dir: string): string[] =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== '.keep')
    .map((entry) => join(entry.parentPath, entry.name).slice(dir.length + 1))
    .sort()

interface Row {
  readonly what: string
  /** Files of the build before, and others, all of long ago. */
  readonly listed?: readonly string[]
  readonly old: Readonly<Record<string, string>>
  readonly stay?: number
  readonly left: readonly string[]
}

const MADE = { 'x.js': 'new', 'h-2/a.js': 'new' }
const ROWS: readonly Row[] = [
  { what: 'the first build', old: {}, left: ['files.txt', 'h-2/a.js', 'x.js'] },
  {
    what: 'files of the build before stay',
    listed: ['x.js', 'h-1/a.js'],
    old: { 'x.js': 'old', 'h-1/a.js': 'old' },
    left: ['files.txt', 'h-1/a.js', 'h-2/a.js', 'x.js'],
  },
  {
    what: 'files of a build before that one go, with their directory',
    listed: ['x.js', 'h-1/a.js'],
    old: { 'x.js': 'old', 'h-1/a.js': 'old', 'h-0/a.js': 'older' },
    left: ['files.txt', 'h-1/a.js', 'h-2/a.js', 'x.js'],
  },
  {
    what: 'files of a build that kept no list stay',
    old: { 'x.js': 'old', 'a.js': 'old' },
    left: ['a.js', 'files.txt', 'h-2/a.js', 'x.js'],
  },
  {
    what: 'nothing of before stays in a package',
    listed: ['x.js', 'h-1/a.js'],
    old: { 'x.js': 'old', 'h-1/a.js': 'old' },
    stay: 0,
    left: ['h-2/a.js', 'x.js'],
  },
]

describe('files put in place', () => {
  for (const { what, listed, old, stay, left } of ROWS)
    test(what, () => {
      const [made, there] = lay(MADE, { ...old, ...(listed === undefined ? {} : { 'files.txt': listed.join('\n') }) })
      for (const dir of [made, there]) rmSync(join(dir, '.keep'))
      for (const path of Object.keys(old)) utimesSync(join(there, path), LONG_AGO, LONG_AGO)
      putInPlace(made, there, ['x.js'], stay)
      assert.deepEqual(names(there), left)
      assert.equal(readFileSync(join(there, 'x.js'), 'utf8'), 'new')
      assert.ok(!existsSync(join(there, 'h-0')))
    })

  test('the next build takes away what the last one left, once an hour is over', () => {
    const [made, there] = lay({ 'x.js': 'new' }, { 'old.js': '', 'older.js': '', 'files.txt': 'x.js\n' })
    utimesSync(join(there, 'older.js'), LONG_AGO, LONG_AGO)
    for (const dir of [made, there]) rmSync(join(dir, '.keep'))
    putInPlace(made, there, [])
    assert.deepEqual(names(there), ['files.txt', 'old.js', 'x.js'])
  })
})

/** One answer of the hook to a call that every build refuses. */
const answer = (dist: string): Promise<string> =>
  new Promise((done) => {
    const payload = { session_id: 's', cwd: scratch, hook_event_name: 'PreToolUse', tool_name: 'Bash' }
    const child = execFile(
      process.execPath,
      [join(dist, 'hook.cjs'), 'claude', 'PreToolUse'],
      { env: { HOME: scratch, PATH: process.env['PATH'] } },
      (_error, out, err) => done(out + err),
    )
    child.stdin!.end(JSON.stringify({ ...payload, tool_input: { command: 'rm -rf ~; python3 -c "print(1)"' } }))
  })

test('a hook that is asked during a build answers as before', async () => {
  const copy = join(scratch, 'checkout')
  mkdirSync(copy)
  for (const name of ['package.json', 'src', 'scripts', 'plugin', 'bin'])
    cpSync(join(ROOT, name), join(copy, name), { recursive: true, filter: (from) => !/[\\/]dist$/.test(from) })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const build = (): Promise<number | null> =>
    new Promise((done) => {
      spawn(process.execPath, ['scripts/build.ts'], { cwd: copy, stdio: 'inherit' }).on('exit', done)
    })
  assert.equal(await build(), 0)
  const dist = join(copy, 'dist')
  const wanted = await answer(dist)
  assert.match(wanted, /"permissionDecision":"deny"/)
  const before = names(dist)
  // Another text of the hook, so that its parts get another name.
  const source = join(copy, 'src/guard/loss-path.ts')
  writeFileSync(source, readFileSync(source, 'utf8').replace('the home directory lies in it', 'home lies in it'))
  let going = true
  const second = build().finally(() => {
    going = false
  })
  const odd = new Set<string>()
  const plugin = join(copy, 'plugin/antigravity/dist/hooks')
  const parts = names(plugin)
  let asked = 0
  while (going) {
    for (const name of before) if (!existsSync(join(dist, name))) odd.add(`${name} is missing`)
    for (const name of parts) if (!existsSync(join(plugin, name))) odd.add(`plugin: ${name} is missing`)
    const got = await answer(dist)
    asked++
    if (!/"permissionDecision":"deny"/.test(got)) odd.add(got)
  }
  assert.equal(await second, 0)
  assert.deepEqual([...odd], [])
  assert.ok(asked > 0)
  const hooks = readdirSync(dist).filter((name) => /^hook-/.test(name))
  assert.equal(hooks.length, 2, 'the parts of both builds are there')
})
