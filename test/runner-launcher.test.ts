/** The launcher of the Antigravity plugin: which Node it starts, which scripts it refuses. Rows of `cases/runner.json`. */
import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { need } from './need.ts'
import { CASES, type LauncherRow, PLUGIN, type Ran, runIn, scratchOutsideTmp, shells } from './runner-support.ts'

/** Where the system keeps its own Node: taken out of the copy under test, so that this machine's does not count. */
const SYSTEM = '/opt/homebrew/bin /usr/local/bin /usr/bin /bin'

let base: string
let plugin: string
let outside: string

before(() => {
  base = realpathSync(scratchOutsideTmp())
  plugin = join(base, 'plug in')
  outside = join(base, 'outside.mjs')
  mkdirSync(join(plugin, 'bin'), { recursive: true })
  mkdirSync(join(plugin, 'dist'))
  const text = readFileSync(join(PLUGIN, 'bin', 'node-launcher.sh'), 'utf8')
  assert.equal(text.split(SYSTEM).length, 2)
  assert.equal(text.split('/usr/local/n/versions').length, 2)
  const own = text.replace(SYSTEM, '/nowhere').replace('/usr/local/n/versions', '/nowhere')
  writeFileSync(join(plugin, 'bin', 'node-launcher.sh'), own)
  for (const file of [outside, join(plugin, 'dist', 'x.mjs')]) writeFileSync(file, '')
  symlinkSync(outside, join(plugin, 'dist', 'escape.mjs'))
  symlinkSync(base, join(plugin, 'dist', 'way'))
  symlinkSync('x.mjs', join(plugin, 'dist', 'link.mjs'))
})

after(() => rmSync(base, { recursive: true, force: true }))

/** A program that says a version, or else what it is and what it got, in parts that no argument holds. */
function layNode(path: string, version: string): void {
  mkdirSync(dirname(path), { recursive: true })
  const says = `printf '%s\\0' ran "$0" "\${NODE_OPTIONS-}\${NODE_PATH-}\${LD_PRELOAD-}\${BASH_ENV-}\${ENV-}" "$PATH" "$@"`
  writeFileSync(path, `#!/bin/sh\nif [ "$1" = --version ]; then echo '${version}'; exit 0; fi\n${says}\n`)
  chmodSync(path, 0o755)
}

interface Place {
  readonly home: string
  readonly fill: (text: string) => string
}

function lay(row: LauncherRow, name: string): Place {
  const home = join(base, name)
  mkdirSync(home, { recursive: true })
  const places: Readonly<Record<string, string>> = { HOME: home, ROOT: plugin, OUTSIDE: outside }
  const fill = (text: string) => text.replace(/\$\{([A-Z]+)\}/g, (whole, name: string) => places[name] ?? whole)
  const nodes = { ...row.nodes, ...(row.node ? { '.nvm/versions/node/v24.1.0/bin/node': 'v24.1.0' } : {}) }
  for (const [path, version] of Object.entries(nodes)) layNode(join(home, path), version)
  for (const [path, target] of Object.entries(row.links ?? {})) {
    mkdirSync(dirname(join(home, path)), { recursive: true })
    symlinkSync(fill(target), join(home, path))
  }
  return { home, fill }
}

function launch(shell: string, row: LauncherRow, { home, fill }: Place): Promise<Ran> {
  const own = Object.entries(row.env ?? {}).map(([key, value]) => [key, fill(value)])
  const env = { PATH: '/nowhere', HOME: home, ...Object.fromEntries(own) }
  const args = (row.args ?? ['dist/x.mjs']).map(fill)
  return runIn(shellPath(shell), [join(plugin, 'bin', 'node-launcher.sh'), ...args], {
    ...{ cwd: row.cwd === undefined ? plugin : fill(row.cwd), env, input: '' },
  })
}

/** The tests give the launcher a path of their own, which the shell itself must not be looked up in. */
const shellPath = (shell: string): string => (shell.includes('/') ? shell : `/bin/${shell}`)

function check(row: LauncherRow, { home, fill }: Place, ran: Ran): void {
  if (row.exit !== undefined) {
    assert.deepEqual([ran.code, ran.out], [row.exit, ''], row.id)
    assert.match(ran.err, /^node-launcher: [^\n]+\n$/)
    return
  }
  assert.deepEqual([ran.code, ran.err], [0, ''], row.id)
  const [word, node, loaded, path, script, ...args] = ran.out.split('\0').slice(0, -1)
  assert.deepEqual(
    [word, loaded, path],
    ['ran', '', row.env?.['PATH'] === undefined ? '/nowhere' : fill(row.env['PATH'])],
  )
  if (row.node) assert.equal(script, join(plugin, row.runs!))
  else assert.equal(node, join(home, row.runs!))
  assert.deepEqual(args, (row.args ?? []).slice(1))
}

for (const shell of shells())
  describe(`the launcher under ${shell}`, { concurrency: 4 }, () => {
    for (const row of CASES.launcher)
      test(row.id, async (t) => {
        if (!need(t, shell)) return
        const place = lay(row, `${shell}-${row.id}`)
        check(row, place, await launch(shell, row, place))
      })

    test('a home directory may have any name, and may be a link', async (t) => {
      if (!need(t, shell)) return
      const runs = '.nvm/versions/node/v24.1.0/bin/node'
      const row: LauncherRow = { id: 'home', row: 'own', source: 'own', nodes: { [runs]: 'v24.1.0' }, runs }
      const place = lay(row, `${shell} [a]* 'é' $x`)
      check(row, place, await launch(shell, row, place))
      const link = join(base, `${shell}-link`)
      symlinkSync(place.home, link)
      check(row, place, await launch(shell, row, { ...place, home: link }))
    })

    test('without a home directory there is no Node', async (t) => {
      if (!need(t, shell)) return
      const row: LauncherRow = { id: 'homeless', row: 'own', source: 'own', exit: 86 }
      const place = lay(row, `${shell}-homeless`)
      for (const home of ['', 'relative', '/']) check(row, place, await launch(shell, row, { ...place, home }))
    })
  })
