import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Answer, Question } from '../core/question.ts'
import { POSIX } from '../paths/lexical.ts'
import { meantOtherwise } from './meant.ts'

/** What is said of a text in a world that answers so. */
function said(text: string, answer: (question: Question) => Answer): string | undefined {
  const asking = meantOtherwise(text, [text], { root: '/r', sense: POSIX })
  let step = asking.next()
  while (!step.done) step = asking.next(answer(step.value))
  return step.value
}

const names = (list: readonly string[], cut = false): Answer => ({
  entries: list.map((name) => ({ name, kind: 'file' as const })),
  cut,
})

test('what cannot be found out may be there', () => {
  const rows: readonly (readonly [text: string, list: Answer, stat: Answer, isNothing: boolean])[] = [
    ['src/*:12', names(['x']), 'absent', true],
    ['src/*:12', names(['x', 'y:12']), 'absent', false],
    ['src/*:12', names(['x'], true), 'absent', false],
    ['src/*:12', 'unknown', 'absent', false],
    ['src/*:12', 'absent', 'absent', true],
    ['src/a:12', 'absent', 'unknown', false],
    ['src/a:12', 'absent', 'absent', true],
    ['Src', names(['src']), 'absent', true],
    ['Src', names(['src'], true), 'absent', false],
    ['Src', 'unknown', 'absent', false],
    ['Src', names(['src']), 'unknown', false],
    ['new', names(['src']), 'absent', false],
  ]
  for (const [text, list, stat, isNothing] of rows) {
    const why = said(text, ({ ask }) => (ask === 'list' ? list : stat))
    assert.equal(why !== undefined, isNothing, `${text} ${JSON.stringify([list, stat])}: ${why}`)
  }
})
