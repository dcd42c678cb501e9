/** The package as people install it: packed, installed in a scratch prefix, started on the Nodes of this machine. */
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { need } from './need.ts'
import { sampleRows } from './sample.testing.ts'

const ROOT = join(import.meta.dirname, '..')
const { version, files } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string
  files: string[]
}

let scratch: string
/** Where the installed package lies. */
let installed: string
let bin: string
let packed: readonly string[] = []

before(() => {
  scratch = mkdtempSync(join(tmpdir(), 'sallyport-package-'))
  if (spawnSync('npm', ['--version']).error !== undefined) return
  // A copy is packed: the build of the checkout stays as it is, whatever else uses it meanwhile.
  const copy = join(scratch, 'checkout')
  mkdirSync(copy)
  for (const name of ['package.json', 'README.md', 'LICENSE', 'src', 'scripts', ...files])
    if (name !== 'dist') cpSync(join(ROOT, name), join(copy, name), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  const [packing] = JSON.parse(npm(copy, 'pack', '--json')) as { filename: string; files: { path: string }[] }[]
  packed = packing!.files.map((file) => file.path)
  const prefix = join(scratch, 'prefix')
  mkdirSync(prefix)
  // Offline: the package must need no other.
  npm(
    scratch,
    'install',
    '--global',
    '--prefix',
    prefix,
    '--offline',
    '--no-audit',
    '--no-fund',
    join(copy, packing!.filename),
  )
  installed = join(prefix, 'lib', 'node_modules', 'sallyport')
  bin = join(prefix, 'bin')
})

after(() => rmSync(scratch, { recursive: true, force: true }))

function npm(cwd: string, ...args: string[]): string {
  // The npm that runs the tests tells its children about itself and the checkout; this one starts afresh.
  const plain = Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name))
  const env = { ...Object.fromEntries(plain), npm_config_cache: join(scratch, 'npm-cache') }
  const done = spawnSync('npm', args, { cwd, env, encoding: 'utf8' })
  assert.equal(done.status, 0, `npm ${args[0]}: ${done.stderr}`)
  // What a life-cycle script prints comes before the JSON.
  return done.stdout.slice(Math.max(0, done.stdout.search(/^\[$/m)))
}

interface Ran {
  readonly code: number | null
  readonly out: string
  readonly err: string
}

function start(program: string, args: readonly string[], env: NodeJS.ProcessEnv = {}, input = ''): Ran {
  const home = join(scratch, 'home')
  mkdirSync(home, { recursive: true })
  const path = [dirname(process.execPath), process.env['PATH']].join(delimiter)
  const done = spawnSync(program, args, { input, encoding: 'utf8', cwd: home, env: { PATH: path, HOME: home, ...env } })
  return { code: done.status, out: done.stdout, err: done.stderr }
}

const REMOVE_HOME = JSON.stringify({
  ...{ session_id: 's', cwd: '/', permission_mode: 'default', hook_event_name: 'PreToolUse' },
  ...{ tool_name: 'Bash', tool_input: { command: 'rm -rf ~' }, tool_use_id: 'u' },
})

/** Nodes on PATH with their versions, the one of this run left out. */
function otherNodes(): readonly { readonly path: string; readonly version: readonly [number, number] }[] {
  const paths = (process.env['PATH'] ?? '').split(delimiter).map((dir) => join(dir, 'node'))
  return [...new Set(paths.filter((path) => existsSync(path)).map((path) => realpathSync(path)))].flatMap((path) => {
    const [, major, minor] = /^v(\d+)\.(\d+)/.exec(start(path, ['--version']).out) ?? []
    const version = [Number(major), Number(minor)] as const
    return major === undefined || `v${version.join('.')}` === process.version.replace(/\.\d+$/, '')
      ? []
      : [{ path, version }]
  })
}

describe('the package', () => {
  test('holds what is run and read, and nothing of the workshop', (t) => {
    if (!need(t, 'npm')) return
    const wanted = [
      'README.md',
      'LICENSE',
      'CHANGELOG.md',
      'SECURITY.md',
      'bin/sallyport.js',
      'bin/ctx.js',
      'bin/agb.js',
    ]
    wanted.push('bin/launch.js', 'bin/exit-code.sh', 'dist/hook.cjs', 'dist/cli.js', 'schema/policy.schema.json')
    wanted.push('docs/wiring.md', 'docs/risks.md', 'docs/policy.md')
    assert.deepEqual(
      wanted.filter((path) => !packed.includes(path)),
      [],
    )
    assert.equal(packed.filter((path) => /^dist\/hook-[0-9a-f]{16}\/hook-core\.cjs$/.test(path)).length, 1)
    assert.deepEqual(
      packed.filter((path) => /^(?:src|test|cases|scripts|bench|\.ci|node_modules)\/|\.test\.ts$|\.map$/.test(path)),
      [],
    )
  })

  test('needs no other package, and installs none', (t) => {
    if (!need(t, 'npm')) return
    assert.equal(existsSync(join(installed, 'node_modules')), false)
    assert.deepEqual(readdirSync(dirname(installed)), ['sallyport'])
  })

  test('holds no path of the machine that built it', (t) => {
    if (!need(t, 'npm')) return
    for (const name of globSync('**/*.*js', { cwd: join(installed, 'dist') })) {
      const text = readFileSync(join(installed, 'dist', name), 'utf8')
      assert.ok(!text.includes(ROOT) && !text.includes(scratch), name)
    }
  })

  // Names of classes are short in what is shipped.
  test('what is mistyped gets its sentence in the shipped program, too', (t) => {
    if (!need(t, 'npm')) return
    const said = (...argv: string[]) => start(join(bin, 'sallyport'), argv).err
    assert.equal(said('log', '--jsno'), 'sallyport log: there is no option --jsno; did you mean --json?\n')
    assert.equal(said('get'), 'sallyport get: <address> is missing\n')
    assert.equal(said('chekc'), 'sallyport: there is no verb "chekc"; did you mean `check`?\n')
  })

  for (const name of ['sallyport', 'ctx', 'agb'])
    test(`${name} --version answers`, (t) => {
      if (!need(t, 'npm')) return
      assert.deepEqual(start(join(bin, name), ['--version']), { code: 0, out: `${name} ${version}\n`, err: '' })
    })

  test('judges a command', (t) => {
    if (!need(t, 'npm')) return
    const { code, out } = start(join(bin, 'sallyport'), ['check', '--', 'rm -rf ~'])
    assert.equal(code, 11)
    assert.match(out, /^deny {2}loss\./)
  })

  test('ends in silence, with its own exit code, when its reader is gone', (t) => {
    if (!need(t, 'npm')) return
    const line = `{ '${join(bin, 'sallyport')}' check -- 'rm -rf ~'; echo $? >&2; } | :`
    assert.deepEqual(start('sh', ['-c', line]), { code: 0, out: '', err: '11\n' })
  })

  test('answers a host, by the hook and by the program', (t) => {
    if (!need(t, 'npm')) return
    const ways = [
      start(process.execPath, [join(installed, 'dist/hook.cjs'), 'claude', 'PreToolUse'], {}, REMOVE_HOME),
      start(
        join(bin, 'sallyport'),
        ['hook', 'claude', 'PreToolUse'],
        { XDG_STATE_HOME: join(scratch, 'second') },
        REMOVE_HOME,
      ),
    ]
    for (const { code, out, err } of ways) {
      assert.deepEqual([code, err], [0, ''])
      assert.equal(JSON.parse(out).hookSpecificOutput.permissionDecision, 'deny')
    }
  })

  test('does not use a state directory that others may write to', (t) => {
    if (!need(t, 'npm')) return
    const open = join(scratch, 'open')
    mkdirSync(join(open, 'sallyport'), { recursive: true })
    chmodSync(join(open, 'sallyport'), 0o777)
    const hook = [join(installed, 'dist/hook.cjs'), 'claude', 'PreToolUse']
    const { code, out } = start(process.execPath, hook, { XDG_STATE_HOME: open }, REMOVE_HOME)
    assert.equal(code, 0)
    assert.equal(JSON.parse(out).hookSpecificOutput.permissionDecision, 'deny')
    assert.deepEqual(readdirSync(join(open, 'sallyport', 'compile-cache')), [])
  })

  test('plays the calls that the README shows, with these verdicts', (t) => {
    if (!need(t, 'npm')) return
    const { code, out } = start(join(bin, 'sallyport'), ['try', '--json'])
    assert.equal(code, 0)
    const rows = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { host: string; call: string; verdict: string })
    for (const host of ['claude', 'codex', 'antigravity'])
      for (const verdict of host === 'codex' ? ['deny', 'pass'] : ['deny', 'ask', 'pass'])
        assert.ok(
          rows.some((row) => row.host === host && row.verdict === verdict),
          `${host} ${verdict}`,
        )
    const shown = sampleRows(readFileSync(join(ROOT, 'README.md'), 'utf8'))
    assert.ok(shown.length >= 6)
    for (const row of shown)
      assert.equal(
        rows.find(({ host, call }) => host === row.host && call === row.call)?.verdict,
        row.verdict,
        row.call,
      )
  })

  const places: readonly [name: string, env: () => NodeJS.ProcessEnv, at: () => string][] = [
    ['in XDG_STATE_HOME', () => ({ XDG_STATE_HOME: join(scratch, 'state') }), () => join(scratch, 'state')],
    ['below the home directory', () => ({}), () => join(scratch, 'home', '.local', 'state')],
    [
      'not where a relative XDG_STATE_HOME says',
      () => ({ XDG_STATE_HOME: 'here' }),
      () => join(scratch, 'home', '.local', 'state'),
    ],
  ]
  for (const [name, env, at] of places)
    test(`keeps the compile cache ${name}, for the user alone`, (t) => {
      if (!need(t, 'npm')) return
      start(process.execPath, [join(installed, 'dist/hook.cjs'), 'claude', 'PreToolUse'], env(), REMOVE_HOME)
      const cache = join(at(), 'sallyport', 'compile-cache')
      assert.ok(readdirSync(cache).length > 0)
      assert.equal(statSync(cache).mode & 0o777, 0o700)
      assert.equal(statSync(dirname(cache)).mode & 0o777, 0o700)
      assert.equal(existsSync(join(scratch, 'home', 'here')), false)
    })

  for (const { path, version: other } of otherNodes()) {
    const old = other[0] < 22 || (other[0] === 22 && other[1] < 19)
    test(`on Node ${other.join('.')} it ${old ? 'says one sentence with the way out and ends with 2' : 'answers'}`, (t) => {
      if (!need(t, 'npm')) return
      const program = start(path, [join(installed, 'bin/sallyport.js'), '--version'])
      const hook = start(path, [join(installed, 'dist/hook.cjs'), 'claude', 'PreToolUse'], {}, REMOVE_HOME)
      if (!old) {
        assert.equal(program.out, `sallyport ${version}\n`)
        return
      }
      for (const ran of [program, hook]) {
        assert.equal(ran.code, 2)
        assert.equal(ran.out, '')
        assert.match(ran.err, /^sallyport[^\n]*too old[^\n]*22\.19[^\n]*\n$/)
      }
      symlinkSync(process.execPath, join(installed, 'node'))
      t.after(() => rmSync(join(installed, 'node'), { force: true }))
      const own = start(path, [join(installed, 'bin/sallyport.js'), '--version'])
      assert.equal(own.out, `sallyport ${version}\n`, 'a Node beside the copy runs it')
      rmSync(join(installed, 'node'))
      // There 2 would say that rails are violated.
      assert.equal(start(path, [join(installed, 'bin/sallyport.js'), 'rails', 'check', '--base', 'x']).code, 1)
    })
  }
})
