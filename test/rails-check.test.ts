/** `sallyport rails check` on prepared histories: each is built with git in a scratch directory, then checked. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { canonicalName } from '../src/adlc/adlc.ts'
import { runProgram } from '../src/cli/program.ts'
import { type RailsCheckFlags, railsCheck } from '../src/cli/rails/check.ts'
import { need } from './need.ts'

interface Step {
  readonly write?: Readonly<Record<string, unknown>>
  readonly remove?: readonly string[]
  /** Submodules to take out of the index. */
  readonly unlink?: readonly string[]
  readonly move?: Readonly<Record<string, string>>
  readonly mode?: Readonly<Record<string, string>>
  readonly link?: Readonly<Record<string, string>>
  /** A digit, repeated to the name of a commit. */
  readonly submodule?: Readonly<Record<string, string>>
  /** Do not commit: only stage it, or not even that. */
  readonly stage?: boolean
  readonly branch?: string
  readonly orphan?: string
  readonly checkout?: string
  readonly merge?: string
  readonly ours?: boolean
  readonly replace?: readonly [string, string]
  readonly clone?: 'bare' | 'shallow' | 'none'
  readonly depth?: number
  readonly fetch?: string
}

interface Row {
  readonly id: string
  readonly start?: Step
  readonly steps: readonly Step[]
  readonly base?: string
  readonly args?: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  readonly exit: 0 | 1 | 2
  readonly violations?: readonly (readonly (string | null)[])[]
  readonly warnings?: readonly (readonly (string | null)[])[]
  readonly stderr?: string
}

const FILE = JSON.parse(readFileSync(new URL('../cases/rails/histories.json', import.meta.url), 'utf8')) as {
  readonly start: Step
  readonly rows: readonly Row[]
}

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-rails-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

const ENV = {
  PATH: process.env['PATH'] ?? '',
  HOME: scratch,
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_AUTHOR_NAME: 'A',
  GIT_AUTHOR_EMAIL: 'a@example.org',
  GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z',
  GIT_COMMITTER_NAME: 'A',
  GIT_COMMITTER_EMAIL: 'a@example.org',
  GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z',
}

const gitIn = (cwd: string, ...args: readonly string[]): string =>
  execFileSync('git', ['-c', 'core.hooksPath=/dev/null', '-c', 'protocol.file.allow=always', ...args], {
    ...{ cwd, env: ENV, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] },
  })

const named = (path: string): string => path.replace(/@(T\d+)$/, (_, id: string) => canonicalName(id))

const STARTS = new Map<Step, string>()

/** One repository as its steps make it. */
class History {
  private root: string
  private made = 0

  /** Begins with `start`, committed and tagged: made once for all that begin so, and copied. */
  constructor(name: string, start: Step) {
    const known = STARTS.get(start)
    this.root = join(scratch, known === undefined ? `start${STARTS.size}` : name)
    if (known !== undefined) {
      cpSync(known, this.root, { recursive: true, verbatimSymlinks: true })
      return
    }
    mkdirSync(this.root)
    gitIn(this.root, 'init', '-q', '-b', 'main')
    this.step(start)
    gitIn(this.root, 'tag', 'base')
    STARTS.set(start, this.root)
    this.root = join(scratch, name)
    cpSync(STARTS.get(start)!, this.root, { recursive: true, verbatimSymlinks: true })
  }

  get place(): string {
    return this.root
  }

  step(step: Step): void {
    if (step.branch) gitIn(this.root, 'checkout', '-q', '-b', step.branch)
    if (step.checkout) gitIn(this.root, 'checkout', '-q', step.checkout)
    if (step.orphan) gitIn(this.root, 'checkout', '-q', '--orphan', step.orphan)
    if (step.merge)
      gitIn(this.root, 'merge', '-q', '--no-commit', '--no-ff', ...(step.ours ? ['-s', 'ours'] : []), step.merge)
    if (step.replace) gitIn(this.root, 'replace', ...step.replace)
    if (step.clone) this.clone(step)
    if (this.files(step) || step.merge) this.commit(step)
  }

  private files(step: Step): boolean {
    const at = (path: string) => join(this.root, named(path))
    const ready = (path: string) => {
      mkdirSync(dirname(at(path)), { recursive: true })
      return at(path)
    }
    for (const path of step.unlink ?? []) {
      gitIn(this.root, 'update-index', '--force-remove', path)
      rmSync(at(path), { recursive: true, force: true })
    }
    for (const path of step.remove ?? []) rmSync(at(path), { recursive: true })
    for (const [from, to] of Object.entries(step.move ?? {})) renameSync(at(from), ready(to))
    for (const [path, value] of Object.entries(step.write ?? {}))
      writeFileSync(ready(path), typeof value === 'string' ? value : `${JSON.stringify(value)}\n`)
    for (const [path, target] of Object.entries(step.link ?? {})) {
      rmSync(ready(path), { force: true })
      symlinkSync(target, at(path))
    }
    for (const [path, mode] of Object.entries(step.mode ?? {})) chmodSync(at(path), Number.parseInt(mode, 8))
    for (const path of Object.keys(step.submodule ?? {})) mkdirSync(at(path), { recursive: true })
    return ['write', 'remove', 'unlink', 'move', 'mode', 'link', 'submodule'].some((key) => key in step)
  }

  private commit(step: Step): void {
    if (step.stage === false) return
    gitIn(this.root, 'add', '-A')
    for (const [path, digit] of Object.entries(step.submodule ?? {}))
      gitIn(this.root, 'update-index', '--add', '--cacheinfo', `160000,${digit.repeat(40)},${path}`)
    if (step.stage === true) return
    gitIn(this.root, 'commit', '-q', '--no-verify', '--allow-empty', '-m', `step ${this.made++}`)
  }

  private clone({ clone, depth, fetch }: Step): void {
    const from = this.root
    this.root = `${from}-${clone}`
    if (clone === 'none') mkdirSync(this.root)
    else if (clone === 'bare') gitIn(scratch, 'clone', '-q', '--bare', from, this.root)
    else gitIn(scratch, 'clone', '-q', '--no-tags', '--depth', String(depth), `file://${from}`, this.root)
    if (clone === 'shallow' && fetch === undefined && depth! > 1) gitIn(this.root, 'tag', 'base', 'HEAD~2')
    if (fetch !== undefined)
      gitIn(this.root, 'fetch', '-q', '--depth', '1', 'origin', `refs/tags/${fetch}:refs/tags/${fetch}`)
  }
}

function flagsOf(args: readonly string[]): RailsCheckFlags {
  const out: Record<string, string | boolean> = {}
  for (let i = 0; i < args.length; i++) {
    if (args[i] === '--ticket') out['ticket'] = args[++i]!
    else if (args[i] === '--staged') out['staged'] = true
    else if (args[i] === '--every-commit') out['everyCommit'] = true
    else throw new Error(`the test does not know ${args[i]}`)
  }
  return out
}

function check(cwd: string, row: Row, json: boolean) {
  let out = ''
  let err = ''
  const code = railsCheck(
    { base: row.base ?? 'base', ...flagsOf(row.args ?? []), json },
    {
      out(text) {
        out += text
      },
      err(text) {
        err += text
      },
      cwd,
      env: { ...ENV, ...row.env },
    },
  )
  return { code, out, err }
}

interface Reported {
  readonly v: number
  readonly base: string
  readonly head: string
  readonly violations: readonly Readonly<Record<string, string>>[]
  readonly warnings: readonly Readonly<Record<string, string>>[]
}

/** What a row names of each entry, in one order. */
const listed = (
  entries: readonly Readonly<Record<string, string>>[],
  wanted: readonly (readonly (string | null)[])[],
  keys: readonly string[],
) => {
  const length = Math.max(2, ...wanted.map((one) => one.length))
  const rows = entries.map((entry) => keys.slice(0, length).map((key) => entry[key] ?? null))
  const full = wanted.map((one) =>
    keys.slice(0, length).map((_, i) => (i === 1 && one[1] ? named(one[1]) : (one[i] ?? null))),
  )
  const sorted = (all: (string | null)[][]) => all.map((one) => JSON.stringify(one)).sort()
  // A row that leaves rail and ticket out does not say what they are.
  for (const [i, one] of rows.entries()) {
    const short = wanted.find((want) => want[0] === one[0] && (want[1] ? named(want[1]) : null) === one[1])
    if (short) rows[i] = one.map((value, k) => (short[k] === undefined || short[k] === null ? null : value))
  }
  return { got: sorted(rows), want: sorted(full) }
}

describe('prepared histories', { concurrency: 2 }, () => {
  for (const [i, row] of FILE.rows.entries())
    test(row.id, (t) => {
      if (!need(t, 'git')) return
      const history = new History(`h${i}`, row.start ?? FILE.start)
      for (const step of row.steps) history.step(step)
      const { code, out, err } = check(history.place, row, true)
      assert.equal(code, row.exit, `${out}${err}`)
      if (row.exit === 1) {
        assert.equal(out, '')
        assert.match(err, /^sallyport rails check: [^\n]+\n$/)
        assert.ok(err.includes(row.stderr!), err)
        return
      }
      assert.equal(err, '')
      const report = JSON.parse(out) as Reported
      assert.equal(report.v, 1)
      const violations = listed(report.violations, row.violations ?? [], ['kind', 'path', 'rail', 'ticket'])
      assert.deepEqual(violations.got, violations.want, out)
      const warnings = listed(report.warnings, row.warnings ?? [], ['kind', 'path'])
      assert.deepEqual(warnings.got, warnings.want, out)
      const text = check(history.place, row, false)
      assert.equal(text.code, code)
      const lines = text.out.trimEnd().split('\n')
      const summary = report.violations.length === 0 ? 1 : 0
      assert.equal(lines.length, report.violations.length + report.warnings.length + summary)
      for (const [k, { path, why }] of report.violations.entries()) {
        const name = /[\u0000-\u001f]/.test(path!) ? JSON.stringify(path) : path
        assert.ok(lines[k]!.startsWith(`${name}: ${why}`))
      }
    })
})

test('the rows are enough, and each kind of violation is among them', () => {
  assert.ok(FILE.rows.length >= 30)
  assert.equal(new Set(FILE.rows.map(({ id }) => id)).size, FILE.rows.length)
  const kinds = new Set(FILE.rows.flatMap(({ violations = [] }) => violations.map(([kind]) => kind)))
  assert.deepEqual([...kinds].sort(), ['rail-edit', 'scope', 'store', 'suppression', 'trust-root'])
})

test('the verb as people call it: usage is 1, since 2 says violations', async () => {
  const history = new History('usage', FILE.start)
  history.step({ write: { 'lib/lock.mjs': 'x\n' } })
  for (const [argv, code] of [
    [['rails', 'check', '--base', 'base'], 2],
    [['rails', 'check', '--base', 'base', '--head', 'base'], 0],
    [['rails', 'check'], 1],
    [['rails', 'check', '--base', 'base', '--nonsense'], 1],
    [['rails', 'check', '--base', 'base', '--staged', '--head', 'HEAD'], 1],
  ] as const) {
    for (const name of ['sallyport', 'agb']) {
      const io = { out: () => {}, err: () => {}, cwd: history.place, env: ENV, colour: false }
      assert.equal(await runProgram(name, argv, io), code, argv.join(' '))
    }
  }
})

test('rails of the base that mean no name are warnings with their tickets, and change no exit code', () => {
  const row = FILE.rows.find(({ id }) => id.startsWith('rails that mean no name'))!
  const history = new History('duds', row.start!)
  for (const step of row.steps) history.step(step)
  let out = ''
  const io = {
    out(text: string) {
      out += text
    },
    err: () => {},
    cwd: history.place,
    env: ENV,
  }
  assert.equal(railsCheck({ base: 'base' }, io), 0)
  const why = 'it is taken for a name, and nothing has it'
  assert.deepEqual(out.split('\n').slice(0, -2), [
    `warning: a rail of the base ends in the place of a line; ${why} (rail src/a.ts:12, ticket T1)`,
    `warning: a rail of the base names what is \`src/a.ts\` here, and case counts; ${why} (rail src/A.ts, ticket T1)`,
    `warning: a rail of the base holds a character that nobody sees; ${why} (rail "src/\\u{200b}a.ts", ticket T1)`,
    'warning: src/a.ts: is a protected path where file names ignore case (rail src/A.ts, ticket T1)',
  ])
  assert.match(out, /\nNothing frozen was changed: 1 path between /)
})
