/** What a line changed, consulted before the world: look-ups, listings, joins. */
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { answer } from '../core/driver.ts'
import { type Asking, ask, type Stat } from '../core/question.ts'
import { frozenWorld } from '../world/frozen.ts'
import {
  type Change,
  changesOf,
  freshPaths,
  gitSteps,
  isSaved,
  joinOverlays,
  lookUp,
  type Overlay,
  through,
  withChange,
} from './overlay.ts'

const made = (path: string, text?: string, fresh = true): Change => ({ is: 'made', path, kind: 'file', text, fresh })
const copy = (path: string, copyOf: string): Change => ({ ...made(path), copyOf }) as Change
const folder = (path: string, fresh = true): Change => ({ is: 'made', path, kind: 'dir', text: undefined, fresh })
const gone = (path: string): Change => ({ is: 'gone', path })
const moved = (from: string, path: string): Change => ({ is: 'moved', path, from })
const line = (...changes: readonly Change[]): Overlay | undefined =>
  changes.reduce<Overlay | undefined>(withChange, undefined)

const world = frozenWorld({
  platform: 'linux',
  user: 'u',
  home: '/h',
  cwd: '/p',
  workspaces: ['/p'],
  env: {},
  git: {},
  files: {
    '/p/a': { type: 'file', content: 'a' },
    '/p/b': { type: 'file', content: 'b' },
    '/p/d/x': { type: 'file', content: 'x' },
  },
})
const after = <T>(asking: Asking<T>, overlay: Overlay | undefined): T =>
  answer(through(asking, overlay), world, { ms: 1, start: 0, questions: 100 }).value
const kindAt = (path: string, overlay: Overlay | undefined): string => {
  const found = after(ask('stat', { path }), overlay)
  return typeof found === 'string' ? found : found.kind
}
const textAt = (path: string, overlay: Overlay | undefined): string => {
  const found = after(ask('text', { path, limit: 100 }), overlay)
  return typeof found === 'string' ? found : found.text
}
const namesIn = (dir: string, overlay: Overlay | undefined): readonly string[] => {
  const found = after(ask('list', { dir, limit: 100 }), overlay)
  return typeof found === 'string' ? [] : found.entries.map(({ name }) => name).sort()
}

describe('a look-up', () => {
  const ROWS: readonly (readonly [
    name: string,
    overlay: Overlay | undefined,
    path: string,
    kind: string,
    text: string,
  ])[] = [
    ['sees the world where nothing changed', undefined, '/p/a', 'file', 'a'],
    ['sees what was written', line(made('/p/a', 'new', false)), '/p/a', 'file', 'new'],
    ['sees what was made', line(made('/p/n', 'n')), '/p/n', 'file', 'n'],
    ['reads a copy where its source was before the line', line(copy('/p/n', '/p/a')), '/p/n', 'file', 'a'],
    ['keeps it when the source goes', line(copy('/p/n', '/p/a'), gone('/p/a')), '/p/n', 'file', 'a'],
    ['keeps it when the source changes', line(copy('/p/n', '/p/a'), made('/p/a', 'z', false)), '/p/n', 'file', 'a'],
    ['moves it on', line(copy('/p/n', '/p/a'), moved('/p/n', '/p/m'), gone('/p/n')), '/p/m', 'file', 'a'],
    ['forgets it under a new text', line(copy('/p/n', '/p/a'), made('/p/n', 'new')), '/p/n', 'file', 'new'],
    ['does not see what was removed', line(gone('/p/a')), '/p/a', 'absent', 'absent'],
    ['does not see below what was removed', line(gone('/p/d')), '/p/d/x', 'absent', 'absent'],
    ['sees what was made anew', line(gone('/p/a'), made('/p/a', 'again')), '/p/a', 'file', 'again'],
    ['follows a move', line(moved('/p/a', '/p/m'), gone('/p/a')), '/p/m', 'file', 'a'],
    ['has nothing at the old name', line(moved('/p/a', '/p/m'), gone('/p/a')), '/p/a', 'absent', 'absent'],
    ['follows a move of a directory', line(moved('/p/d', '/p/e'), gone('/p/d')), '/p/e/x', 'file', 'x'],
    [
      'follows two moves',
      line(moved('/p/a', '/p/m'), gone('/p/a'), moved('/p/m', '/p/n'), gone('/p/m')),
      '/p/n',
      'file',
      'a',
    ],
    [
      'follows a swap',
      line(
        moved('/p/a', '/p/t'),
        gone('/p/a'),
        moved('/p/b', '/p/a'),
        gone('/p/b'),
        moved('/p/t', '/p/b'),
        gone('/p/t'),
      ),
      '/p/b',
      'file',
      'a',
    ],
    ['finds nothing in a directory that is new', line(gone('/p/d'), folder('/p/d')), '/p/d/x', 'absent', 'absent'],
    ['finds what was put there', line(folder('/p/n'), made('/p/n/x', 'x')), '/p/n/x', 'file', 'x'],
    ['takes a name that begins alike for another', line(gone('/p/a')), '/p/ab', 'absent', 'absent'],
    ['takes a longer name for another', line(gone('/p/d')), '/p/b', 'file', 'b'],
  ]
  for (const [name, overlay, path, kind, text] of ROWS) {
    test(name, () => {
      assert.equal(kindAt(path, overlay), kind)
      assert.equal(textAt(path, overlay), text)
    })
  }

  test('sees a link and where it leads', () => {
    const overlay = line({ is: 'link', path: '/p/l', target: 'd', hard: false })
    const found = after(ask('stat', { path: '/p/l' }), overlay) as Stat
    assert.deepEqual([found.kind, found.target], ['link', 'd'])
  })

  test('text that nobody knows cannot be read', () => {
    assert.equal(textAt('/p/a', line(made('/p/a', undefined, false))), 'unreadable')
  })
})

describe('a listing', () => {
  test('holds what was made, and not what was removed or moved away', () => {
    assert.deepEqual(namesIn('/p', undefined), ['a', 'b', 'd'])
    assert.deepEqual(namesIn('/p', line(made('/p/n', ''), gone('/p/a'))), ['b', 'd', 'n'])
    assert.deepEqual(namesIn('/p', line(moved('/p/a', '/p/m'), gone('/p/a'))), ['b', 'd', 'm'])
    assert.deepEqual(namesIn('/p', line(made('/p/d/y', ''))), ['a', 'b', 'd'])
  })

  test('of a directory that was moved is the one of its old place', () => {
    assert.deepEqual(namesIn('/p/e', line(moved('/p/d', '/p/e'), gone('/p/d'))), ['x'])
    assert.deepEqual(namesIn('/p/d', line(moved('/p/d', '/p/e'), gone('/p/d'))), [])
  })

  test('of a new directory is what was put there', () => {
    assert.deepEqual(namesIn('/p/n', line(folder('/p/n'), made('/p/n/y', ''))), ['y'])
  })
})

describe('a join', () => {
  test('of a line with itself is that line', () => {
    const overlay = line(gone('/p/a'))
    assert.equal(joinOverlays(overlay, overlay), overlay)
  })

  test('keeps what both ways did', () => {
    const start = line(made('/p/n', 'n'))
    const joined = joinOverlays(withChange(start, gone('/p/a')), withChange(start, gone('/p/a')))
    assert.equal(kindAt('/p/a', joined), 'absent')
    assert.equal(textAt('/p/n', joined), 'n')
  })

  test('does not take for removed what one way removed', () => {
    assert.equal(kindAt('/p/a', joinOverlays(line(gone('/p/a')), undefined)), 'file')
    assert.equal(kindAt('/p/a', joinOverlays(undefined, line(gone('/p/a')))), 'file')
  })

  test('takes what one way made where nothing was for the line’s own, unless the other way was there', () => {
    assert.deepEqual([...freshPaths(joinOverlays(line(made('/p/n', 'n')), undefined))], ['/p/n'])
    assert.deepEqual([...freshPaths(joinOverlays(line(made('/p/n', 'n')), line(moved('/p/a', '/p/n'))))], [])
    assert.deepEqual([...freshPaths(joinOverlays(line(folder('/p/n')), line(moved('/p/d', '/p/n/d'))))], [])
  })

  test('follows links and git steps of either way', () => {
    const link: Change = { is: 'link', path: '/p/l', target: '/h', hard: false }
    assert.equal(kindAt('/p/l', joinOverlays(undefined, line(link))), 'link')
    const step: Change = { is: 'git', path: '/p', op: { is: 'stash-drop', all: true } }
    assert.equal(gitSteps(joinOverlays(line(step), undefined), '/p').length, 1)
  })

  test('makes nothing of two lines absent that is there after both', () => {
    const change = fc.oneof(
      fc.constantFrom('/p/a', '/p/b', '/p/d', '/p/d/x', '/p/n').map((path) => gone(path)),
      fc.constantFrom('/p/a', '/p/b', '/p/n', '/p/d/y').map((path) => made(path, 't', false)),
      fc.constantFrom('/p/e', '/p/n').map((path) => folder(path, false)),
    )
    const changes = fc.array(change, { maxLength: 5 })
    fc.assert(
      fc.property(changes, changes, changes, (before, left, right) => {
        const start = line(...before)
        const a = left.reduce(withChange, start)
        const b = right.reduce(withChange, start)
        const joined = joinOverlays(a, b)
        for (const path of ['/p/a', '/p/b', '/p/d', '/p/n', '/p/e']) {
          if (kindAt(path, a) !== 'absent' && kindAt(path, b) !== 'absent')
            assert.notEqual(kindAt(path, joined), 'absent', path)
        }
      }),
      { numRuns: 500 },
    )
  })
})

describe('what is kept of a line', () => {
  test('the same file written again is one change', () => {
    const overlay = line(made('/p/n', '1'), made('/p/n', '2'))
    assert.equal([...changesOf(overlay)].length, 1)
    assert.equal(textAt('/p/n', overlay), '2')
  })

  test('copies save what was there before the line, as long as they are there', () => {
    const saved: Change = { is: 'saved', path: '/p/copy', from: '/p/a' }
    assert.equal(isSaved(line(saved), '/p/a'), true)
    assert.equal(isSaved(line(saved), '/p/b'), false)
    assert.equal(isSaved(line(saved, made('/p/a', 'new', false)), '/p/a'), true)
    assert.equal(isSaved(line(saved, gone('/p/copy')), '/p/a'), false)
    assert.equal(isSaved(line(saved), '/p/a', ['/p']), false)
    assert.equal(isSaved(line(saved, moved('/p/b', '/p/a')), '/p/a'), false)
  })

  test('git steps of one repository, oldest first', () => {
    const step = (path: string, all: boolean): Change => ({ is: 'git', path, op: { is: 'stash-drop', all } })
    const steps = gitSteps(line(step('/p', true), step('/q', true), step('/p', false)), '/p')
    assert.deepEqual(
      steps.map((op) => op.is === 'stash-drop' && op.all),
      [true, false],
    )
  })

  test('an end: changes beyond the limit are the world’s', () => {
    let overlay: Overlay | undefined
    for (let n = 0; n < 5_000; n++) overlay = withChange(overlay, gone(`/p/${n}`))
    assert.equal(overlay!.size, 4_096)
    assert.equal(lookUp(overlay, '/p/4095').is, 'gone')
    assert.equal(lookUp(overlay, '/p/4096').is, 'world')
  })
})

describe('a look-up among many changes', () => {
  /** The same one by one, the newest first. */
  const oneByOne = (overlay: Overlay | undefined, path: string): ReturnType<typeof lookUp> => {
    let wanted = path
    const isBelow = (inner: string, outer: string) => inner.startsWith(`${outer}/`)
    for (const change of changesOf(overlay)) {
      if (change.is === 'git' || change.is === 'saved' || change.is === 'brought') continue
      if (change.path === wanted) {
        if (change.is === 'gone') return { is: 'gone' }
        if (change.is !== 'moved') return { is: 'change', change }
        wanted = change.from
      } else if (isBelow(wanted, change.path)) {
        if (change.is === 'gone') return { is: 'gone' }
        if (change.is === 'moved') wanted = change.from + wanted.slice(change.path.length)
        else if (change.is === 'made' && change.kind === 'dir' && change.fresh) return { is: 'gone' }
      }
    }
    return { is: 'world', path: wanted }
  }
  const name = fc.constantFrom('a', 'b', 'c')
  const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`)
  const change: fc.Arbitrary<Change> = fc.oneof(
    path.map((at) => made(at, at)),
    path.map((at) => made(at, at, false)),
    path.map((at) => folder(at)),
    path.map((at) => folder(at, false)),
    path.map(gone),
    fc.tuple(path, path).map(([from, to]) => moved(from, to)),
    path.map((at): Change => ({ is: 'link', path: at, target: 'x', hard: false })),
    path.map((at): Change => ({ is: 'saved', path: at, from: '/z' })),
    path.map((at): Change => ({ is: 'brought', path: at })),
  )

  test('says what looking through them one by one says', () => {
    fc.assert(
      fc.property(
        fc.array(change, { minLength: 20, maxLength: 150 }),
        fc.array(path, { minLength: 5 }),
        (all, asked) => {
          const overlay = line(...all)
          for (const one of asked) assert.deepEqual(lookUp(overlay, one), oneByOne(overlay, one))
        },
      ),
      { numRuns: 500 },
    )
  })
})
