/**
 * Loss against a table: `cases/loss.json` holds worlds and rows `{name, world, line?, path?, finds}`. `line` is a list of
 * git commands as words: the last is judged, the earlier ones have run before it on the same line. `path` is a target of
 * `judgeLossOfPath`. `finds` are `decision rule` of every finding, in order.
 */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Doing, Invocation } from '../commands/doing.ts'
import { readGit } from '../commands/git/main.ts'
import type { Effect } from '../core/effect.ts'
import type { GitOp } from '../core/git-op.ts'
import type { Answer, Asking } from '../core/question.ts'
import { exact, unknown } from '../core/value.ts'
import type { Finding } from '../core/verdict.ts'
import { compileGlob } from '../paths/glob.ts'
import { newLayout } from '../paths/layout.ts'
import { isInside, POSIX } from '../paths/lexical.ts'
import { zonesOf } from '../paths/zones.ts'
import { type FrozenWorldFile, frozenWorld } from '../world/frozen.ts'
import { judgeGit, judgeLossOfPath, type LossTools, type PhysicalTarget } from './loss.ts'

interface World {
  readonly git: FrozenWorldFile['git']
  readonly files?: FrozenWorldFile['files']
  readonly created?: readonly string[]
  readonly disposable?: readonly string[]
  readonly cwd?: string
}

interface Row {
  readonly name: string
  readonly world: string
  readonly line?: readonly (readonly string[])[]
  readonly path?: PhysicalTarget
  /** Renamed on the line before: new path → old path. */
  readonly renamed?: Readonly<Record<string, string>>
  readonly saved?: readonly string[]
  readonly finds: readonly string[]
}

const TABLE = JSON.parse(readFileSync(new URL('../../cases/loss.json', import.meta.url), 'utf8')) as {
  readonly worlds: Readonly<Record<string, World>>
  readonly rows: readonly Row[]
}
const HOME = '/home/dev'
const ROOT = '/home/dev/proj'
const SPAN = { from: 0, to: 0 }

function frozen(world: World): FrozenWorldFile {
  return {
    platform: 'linux',
    user: 'dev',
    home: HOME,
    cwd: world.cwd ?? ROOT,
    workspaces: [ROOT],
    env: {},
    session: { id: 's', interactive: true },
    files: { [`${ROOT}/.git`]: { type: 'dir' }, ...world.files },
    git: world.git,
  }
}

function toolsFor(world: World, row: Partial<Row>, earlier: readonly GitOp[]): LossTools {
  const layout = newLayout({
    home: HOME,
    user: 'dev',
    platform: 'linux',
    workspaces: [ROOT],
    created: world.created ?? [],
    temp: ['/tmp'],
    foldsCase: false,
  })
  return {
    sense: POSIX,
    home: HOME,
    workspaces: [ROOT],
    zones: (path) => zonesOf(path, layout),
    disposable: (world.disposable ?? []).map((glob) => compileGlob(glob, ROOT, { ...POSIX, closed: 'none' })),
    earlier: () => earlier,
    origin: (path) => row.renamed?.[path] ?? path,
    saved: (path) => row.saved?.some((one) => isInside(path, one)) ?? false,
    show: (path) => path.replace(`${ROOT}/`, ''),
  }
}

function callOf(words: readonly string[], cwd: string): Invocation {
  const args = words.map((text) => ({ value: exact(text), span: SPAN }))
  return {
    name: words[0]!,
    base: 'git',
    command: args[0]!,
    args: args.slice(1),
    stdin: { text: unknown('input'), taints: [], none: true },
    env: new Map(),
    platform: 'linux',
    cwd,
    home: HOME,
  }
}

const effectOf = (op: GitOp, cwd: string): Effect => ({
  act: 'git',
  target: { is: 'git', repo: ROOT, op },
  when: 'always',
  via: [],
  provenance: 'literal',
  by: 'git',
  note: cwd,
})

/** The outcome in a frozen world; the question numbered `missing` is answered `unknown`. */
function run<T>(asking: Asking<T>, world: World, missing = -1): T {
  const facts = frozenWorld(frozen(world))
  let step = asking.next()
  for (let n = 0; !step.done; n++) step = asking.next(n === missing ? 'unknown' : facts.answer(step.value, 1e6))
  return step.value
}

const opsOf = (doings: readonly Doing[]): readonly GitOp[] =>
  doings.flatMap((doing) => (doing.do === 'git' ? [doing.op] : []))

function findings(row: Row, missing = -1): readonly Finding[] {
  const world = TABLE.worlds[row.world]
  assert.ok(world, `no world ${row.world}`)
  if (row.path) return run(judgeLossOfPath(row.path, toolsFor(world, row, [])), world, missing)
  const cwd = world.cwd ?? ROOT
  const steps = row.line!.map((words) => opsOf(run(readGit(callOf(words, cwd)), world)))
  const earlier = steps.slice(0, -1).flat()
  const found: Finding[] = []
  for (const op of steps.at(-1)!) {
    found.push(...run(judgeGit(effectOf(op, cwd), toolsFor(world, row, earlier)), world, missing))
    earlier.push(op)
  }
  return found
}

const shown = (finding: Finding): string => `${finding.decision} ${finding.rule}`

describe('loss', () => {
  it('has rows with names of their own', () => {
    const names = TABLE.rows.map((row) => row.name)
    assert.deepEqual(
      names.filter((name, i) => names.indexOf(name) !== i),
      [],
    )
    assert.ok(names.length >= 60)
  })
  for (const row of TABLE.rows) {
    it(row.name, () => {
      const found = findings(row)
      assert.deepEqual(found.map(shown), row.finds)
      for (const finding of found) {
        assert.doesNotMatch(finding.reason, /\.$|undefined|\[object/)
        assert.ok((finding.safer ?? 'x').length > 0)
      }
    })
  }

  it('never passes what it denies because one answer is missing', () => {
    const denied = TABLE.rows.filter((row) => row.finds.some((one) => one.startsWith('deny')))
    fc.assert(
      fc.property(fc.constantFrom(...denied), fc.nat(12), (row, missing) => {
        assert.notDeepEqual(findings(row, missing), [])
      }),
      { numRuns: 1_000 },
    )
  })

  it('ends for any operation and any answer', () => {
    const words = fc.constantFrom(
      ...[
        'reset',
        'checkout',
        'clean',
        'restore',
        'rm',
        'stash',
        'branch',
        'push',
        'rebase',
        'commit',
        'worktree',
        'drop',
      ],
      ...[
        '--hard',
        '-f',
        '-fdx',
        '-D',
        '--',
        '.',
        'a',
        '*.ts',
        ':/',
        'HEAD~1',
        'origin',
        '+main',
        '--force',
        '--amend',
        'remove',
      ],
    )
    const answers = fc.constantFrom<Answer>(
      'unknown',
      'absent',
      { branch: 'main' },
      { modified: ['a'], staged: [], untracked: ['b/'] },
      [],
    )
    fc.assert(
      fc.property(
        fc.array(words, { minLength: 1, maxLength: 5 }),
        fc.array(answers, { minLength: 1, maxLength: 6 }),
        (args, replies) => {
          let asked = 0
          const drive = <T>(asking: Asking<T>): T => {
            let step = asking.next()
            while (!step.done) {
              assert.ok(asked < 50_000)
              const reply = replies[asked++ % replies.length]!
              const fits =
                step.value.ask === 'git'
                  ? typeof reply === 'object' && !Array.isArray(reply)
                  : step.value.ask === 'gitConfig'
                    ? Array.isArray(reply)
                    : reply === 'absent'
              step = asking.next(fits ? reply : 'unknown')
            }
            return step.value
          }
          for (const op of opsOf(drive(readGit(callOf(['git', ...args], ROOT))))) {
            const found = drive(judgeGit(effectOf(op, ROOT), toolsFor({ git: {} }, {}, [])))
            assert.ok(Array.isArray(found))
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})
