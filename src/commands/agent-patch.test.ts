import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Action } from '../core/call.ts'
import { MOST_FILES, patchActions } from './agent-patch.ts'

const patch = (...lines: readonly string[]): string => ['*** Begin Patch', ...lines, '*** End Patch'].join('\n')
const isMalformed = (actions: readonly Action[]): boolean => actions.length === 1 && actions[0]?.is === 'malformed'

const path = fc.stringMatching(/^[a-z./]{1,12}$/)
const content = fc.array(fc.stringMatching(/^[ -~]{0,12}$/), { maxLength: 4 })
const change = fc.array(
  fc.tuple(fc.constantFrom(' ', '+', '-', '@@ '), fc.stringMatching(/^[ -~]{0,12}$/)).map((pair) => pair.join('')),
  { minLength: 1, maxLength: 4 },
)

const changesOf = (lines: readonly string[]): Partial<Action & { is: 'edit' }> => {
  const of = (mark: string) => lines.filter((line) => line.startsWith(mark)).map((line) => line.slice(1))
  const [removed, added] = [of('-'), of('+')]
  if (removed.length + added.length === 0) return {}
  return { changes: [{ removed: removed.join('\n'), added: added.join('\n') }] }
}

/** A section of a patch with what it does. */
const section: fc.Arbitrary<{ lines: string[]; does: Action[] }> = fc.oneof(
  fc.tuple(path, content).map(([at, text]) => ({
    lines: [`*** Add File: ${at}`, ...text.map((line) => `+${line}`)],
    does: [{ is: 'write', path: at, content: text.map((line) => `${line}\n`).join('') } as const],
  })),
  path.map((at) => ({ lines: [`*** Delete File: ${at}`], does: [{ is: 'delete', path: at, tree: false } as const] })),
  fc.tuple(path, change).map(([at, lines]) => ({
    lines: [`*** Update File: ${at}`, ...lines],
    does: [{ is: 'edit', path: at, ...changesOf(lines) } as const],
  })),
  fc.tuple(path, path, change).map(([at, to, lines]) => ({
    lines: [`*** Update File: ${at}`, `*** Move to: ${to}`, ...lines],
    does: [{ is: 'edit', path: at, ...changesOf(lines) } as const, { is: 'move', from: at, to } as const],
  })),
)

describe('patches', () => {
  it('say what they do, section by section', () => {
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 6 }), (sections) => {
        const actions = patchActions(patch(...sections.flatMap(({ lines }) => lines)))
        assert.deepEqual(
          actions,
          sections.flatMap(({ does }) => does),
        )
      }),
    )
  })

  it('are read whole or not at all: a patch cut off anywhere is malformed', () => {
    fc.assert(
      fc.property(fc.array(section, { minLength: 1, maxLength: 4 }), fc.nat(), (sections, at) => {
        const text = patch(...sections.flatMap(({ lines }) => lines))
        assert.ok(isMalformed(patchActions(text.slice(0, at % text.length))))
      }),
    )
  })

  it('end for any text, with something to judge', () => {
    fc.assert(fc.property(fc.string(), (text) => patchActions(text).length > 0 && patchActions(patch(text)).length > 0))
  })

  it('are bounded', () => {
    const lines = (count: number) => Array.from({ length: count }, (_, n) => `*** Delete File: f${n}`)
    assert.equal(patchActions(patch(...lines(MOST_FILES))).length, MOST_FILES)
    assert.ok(isMalformed(patchActions(patch(...lines(MOST_FILES + 1)))))
  })

  const odd: readonly [name: string, text: string][] = [
    ['nothing', ''],
    ['only marks', patch()],
    ['a mark twice', patch('*** Begin Patch', '*** Delete File: a')],
    ['a header of no kind', patch('*** Rename File: a')],
    ['a move of an added file', patch('*** Add File: a', '*** Move to: b')],
    ['a move after a change', patch('*** Update File: a', '-x', '*** Move to: b')],
    ['a change without a file', patch('@@', '-x')],
    ['text before the first mark', `sure:\n${patch('*** Delete File: a')}`],
    ['text behind a header of a delete', patch('*** Delete File: a', 'x')],
  ]
  for (const [name, text] of odd) it(`${name} is malformed`, () => assert.ok(isMalformed(patchActions(text))))
})
