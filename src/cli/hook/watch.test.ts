import assert from 'node:assert/strict'
import {
  appendFileSync,
  chmodSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, test } from 'node:test'
import { canonicalName } from '../../adlc/adlc.ts'
import { parseLine, splitLine } from '../../session/fold.ts'
import type { SessionLine } from '../../session/session.ts'
import { changeClause, compareWatched, foldWatch, nearTo, toldLines, withChanges } from './watch.ts'
import { watchDisk } from './watch-disk.ts'

const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'sallyport-watch-')))
after(() => rmSync(scratch, { recursive: true, force: true }))

const disk = watchDisk({}, join(scratch, 'home'))
let made = 0

/** A project with rails, and a session in it. */
class Project {
  readonly root = join(scratch, `p${made++}`)
  lines: SessionLine[] = []
  private now = 0

  constructor(rails: readonly string[] | undefined) {
    mkdirSync(join(this.root, '.git', 'hooks'), { recursive: true })
    if (rails !== undefined) {
      this.put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}')
      this.put(`.adlc/tickets/${canonicalName('T1')}`, JSON.stringify({ id: 'T1', title: 't', rails }))
    }
    this.put('lib/lock.mjs', 'one\n')
    this.put('golden/deep/a.golden', 'gold\n')
    this.put('tools/run.sh', '#!/bin/sh\n')
    this.put('src/app.ts', 'app\n')
    this.put('.git/hooks/pre-commit.sample', '#!/bin/sh\n')
  }

  at = (path: string): string => join(this.root, path)

  put(path: string, text: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), text)
  }

  /** One event: what differs, as clauses. */
  event(): readonly string[] {
    this.now += 1000
    const { lines, changes } = compareWatched(this.root, this.lines, this.now, disk)
    // As the session's file holds them.
    this.lines.push(...lines.flatMap(splitLine).map((line) => parseLine(JSON.stringify(line))!))
    return changes.map((change) => changeClause(change, this.root))
  }
}

const RAILS = ['lib/lock.mjs', '**/*.golden', 'tools/']

describe('what a call did to frozen files without saying so', () => {
  const cases: readonly [what: string, act: (project: Project) => void, expected: readonly string[]][] = [
    ['nothing', () => {}, []],
    ['other files', (p) => p.put('src/app.ts', 'new\n'), []],
    ['a rail is written', (p) => p.put('lib/lock.mjs', 'two\n'), ['lib/lock.mjs was changed']],
    [
      'a rail is written with the same length and its time set back',
      (p) => {
        const { atime, mtime } = statSync(p.at('lib/lock.mjs'))
        p.put('lib/lock.mjs', 'two\n')
        utimesSync(p.at('lib/lock.mjs'), atime, mtime)
      },
      ['lib/lock.mjs was changed'],
    ],
    [
      'a rail is written and put back',
      (p) => {
        const { atime, mtime } = statSync(p.at('lib/lock.mjs'))
        p.put('lib/lock.mjs', 'two\n')
        p.put('lib/lock.mjs', 'one\n')
        utimesSync(p.at('lib/lock.mjs'), atime, mtime)
      },
      ['lib/lock.mjs was written or touched, and holds what it held'],
    ],
    [
      'a rail is swapped with a copy',
      (p) => {
        p.put('x', 'one\n')
        renameSync(p.at('x'), p.at('lib/lock.mjs'))
      },
      ['lib/lock.mjs was written or touched, and holds what it held'],
    ],
    [
      'a rail is swapped with a link to a copy',
      (p) => {
        renameSync(p.at('lib/lock.mjs'), p.at('lib/real.mjs'))
        symlinkSync('real.mjs', p.at('lib/lock.mjs'))
      },
      ['lib/lock.mjs was changed'],
    ],
    ['a rail gets another mode', (p) => chmodSync(p.at('lib/lock.mjs'), 0o755), ['lib/lock.mjs was changed']],
    [
      'a rail gets another name, by which it could be written',
      (p) => linkSync(p.at('lib/lock.mjs'), p.at('src/other')),
      ['lib/lock.mjs was written or touched, and holds what it held'],
    ],
    ['a rail is removed', (p) => rmSync(p.at('lib/lock.mjs')), ['lib/lock.mjs is gone']],
    [
      'what a pattern names',
      (p) => appendFileSync(p.at('golden/deep/a.golden'), 'x'),
      ['golden/deep/a.golden was changed'],
    ],
    ['a file below a rail', (p) => p.put('tools/run.sh', 'x'), ['tools/run.sh was changed']],
    ['a new file below a rail', (p) => p.put('tools/new.sh', 'x'), ['tools/new.sh came into being']],
    [
      'settings of agents come into being',
      (p) => p.put('.claude/settings.json', '{}'),
      ['.claude/settings.json came into being'],
    ],
    [
      'a policy comes into being',
      (p) => p.put('.sallyport/policy.jsonc', '{}'),
      ['.sallyport/policy.jsonc came into being'],
    ],
    [
      'a hook of git comes into being',
      (p) => p.put('.git/hooks/pre-commit', '#!/bin/sh\n'),
      ['.git/hooks/pre-commit came into being'],
    ],
    [
      'a ticket is changed, so that its rails are free',
      (p) => p.put(`.adlc/tickets/${canonicalName('T1')}`, '{"id":"T1","title":"t"}'),
      [`.adlc/tickets/${canonicalName('T1')} was changed`],
    ],
    ['a new ticket', (p) => p.put(`.adlc/tickets/${canonicalName('T2')}`, '{"id":"T2","title":"t"}'), []],
  ]
  for (const [what, act, expected] of cases)
    test(what, () => {
      const project = new Project(RAILS)
      assert.deepEqual(project.event(), [])
      const noted = project.lines.length
      assert.deepEqual(project.event(), [])
      assert.equal(project.lines.length, noted, 'nothing is noted where nothing differs')
      act(project)
      assert.deepEqual(project.event(), expected)
      assert.deepEqual(project.event(), [], 'a difference is named once')
    })
})

test('a ticket that comes later is watched from then on', () => {
  const project = new Project([])
  project.event()
  project.put('lib/lock.mjs', 'two\n')
  assert.deepEqual(project.event(), [])
  project.put(`.adlc/tickets/${canonicalName('T2')}`, '{"id":"T2","title":"t","rails":["lib/lock.mjs"]}')
  assert.deepEqual(project.event(), [])
  project.put('lib/lock.mjs', 'three\n')
  assert.deepEqual(project.event(), ['lib/lock.mjs was changed'])
})

test('a project without tickets: its settings are watched, and tickets that come', () => {
  const project = new Project(undefined)
  assert.deepEqual(project.event(), [])
  project.put('.codex/hooks.json', '{}')
  assert.deepEqual(project.event(), ['.codex/hooks.json came into being'])
  project.put('.adlc/tickets/.store.json', '{"format":"adlc-ticket-directory","version":1}')
  project.put(`.adlc/tickets/${canonicalName('T1')}`, '{"id":"T1","title":"t","rails":["lib/lock.mjs"]}')
  assert.deepEqual(project.event(), [])
  project.put('lib/lock.mjs', 'two\n')
  assert.deepEqual(project.event(), ['lib/lock.mjs was changed'])
})

test('what a call wrote openly is no news, what another one does afterwards is', () => {
  const project = new Project(RAILS)
  project.event()
  const path = project.at('lib/lock.mjs')
  project.lines.push({ t: 1500, kind: 'seen', fingerprint: 'x', acts: ['write'], paths: [path] })
  project.put('lib/lock.mjs', 'two\n')
  assert.deepEqual(project.event(), [])
  project.put('lib/lock.mjs', 'three\n')
  assert.deepEqual(project.event(), ['lib/lock.mjs was changed'])
})

test('many files: the list is bounded, and lines fit', () => {
  const project = new Project(['data/'])
  for (let i = 0; i < 500; i++) project.put(`data/${'long-name-'.repeat(10)}${i}`, String(i))
  project.event()
  const { files, bases } = foldWatch(project.lines)
  assert.ok(files.size > 60 && files.size <= 128)
  assert.deepEqual([...bases], [project.root])
  for (const line of project.lines) assert.ok(Buffer.byteLength(JSON.stringify(line)) <= 4000)
  // What is forgotten goes with the mark of its list, so that it is noted anew.
  project.lines = project.lines.slice(1)
  assert.deepEqual([...foldWatch(project.lines).bases], [])
  assert.deepEqual(project.event(), [])
  assert.ok(foldWatch(project.lines).files.size >= files.size)
})

test('a reason names what changed around its own call', () => {
  const change = (path: string) => ({ path, what: 'changed', t: 1 }) as const
  const untold = [change('/p/a'), change('/q/b'), change('/home/.claude/settings.json')]
  const watch = { ...foldWatch([]), bases: new Set(['/p', '/q']), untold }
  const named = (root: string | undefined) => nearTo(watch, root).map(({ path }) => path)
  assert.deepEqual(named('/p'), ['/p/a', '/home/.claude/settings.json'])
  assert.deepEqual(named('/p/deep'), ['/p/a', '/home/.claude/settings.json'])
  assert.deepEqual(named('/q'), ['/q/b', '/home/.claude/settings.json'])
  assert.deepEqual(named('/pq'), ['/home/.claude/settings.json'])
  assert.deepEqual(named('/'), ['/p/a', '/q/b', '/home/.claude/settings.json'])
  assert.equal(named(undefined).length, 3)
})

test('a reason names what it has room for, and once', () => {
  const change = (path: string) => ({ path: `/p/${path}`, what: 'changed', t: 1 }) as const
  const all = [change('a'), change('b'), change('c')]
  assert.equal(withChanges('No.', [], '/p', 600), undefined)
  assert.equal(
    withChanges('No.', all.slice(0, 2), '/p', 600),
    'No. Seen since: a was changed; b was changed; these are frozen.',
  )
  const many = Array.from({ length: 30 }, (_, i) => change(`file-${i}`))
  assert.match(withChanges('No.', many, '/p', 600)!, /file-0 was changed; .*, and \d+ more; these are frozen/)
  assert.match(withChanges('x'.repeat(540), many, '/p', 600)!, /^x{540} Seen since: 30 frozen files differ; these/)
  assert.equal(withChanges('x'.repeat(580), many, '/p', 600), undefined)
  assert.equal(withChanges('No.', all, '/p', 0), undefined)
  const lines: SessionLine[] = [
    { t: 1, kind: 'hash', fingerprint: 'x', acts: ['changed', 'changed'], paths: ['/p/a', '/p/b'] },
    ...toldLines(2, all.slice(0, 1)),
  ]
  assert.deepEqual(
    foldWatch(lines).untold.map(({ path }) => path),
    ['/p/b'],
  )
  assert.equal(foldWatch(lines).changes.length, 2)
})

test('files that cannot be read, and places that are no project, break nothing', () => {
  for (const base of ['/', '/nonexistent/deep', join(scratch, 'nothing')]) {
    const { changes } = compareWatched(base, [], 1, disk)
    assert.deepEqual(changes, [])
  }
  assert.deepEqual(compareWatched(undefined, [], 1, disk), { lines: [], changes: [] })
  assert.ok(readFileSync(new URL(import.meta.url), 'utf8').length > 0)
})
