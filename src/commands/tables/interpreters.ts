/** Interpreters of languages. */
import type { Asking } from '../../core/question.ts'
import type { Doing, Reader } from '../doing.ts'
import { type Interpreter, interpret } from '../interpreters/common.ts'
import { KNOWN } from '../interpreters/known.ts'
import { OTHER_LANGUAGES } from '../interpreters/others.ts'
import { ROWS } from '../interpreters/rows.ts'
import { SHELLS } from '../interpreters/shells.ts'
import { WINDOWS } from '../interpreters/windows.ts'
import type { Group } from '../registry.ts'

const reader = (row: Interpreter): Reader =>
  function* (call): Asking<readonly Doing[]> {
    return interpret(row, call)
  }

export const interpreters: Group = {
  id: 'interpreters',
  rows: [],
  readers: {
    ...SHELLS,
    ...KNOWN,
    ...Object.fromEntries(ROWS.map((row) => [row.names, reader(row)])),
    ...WINDOWS,
    ...OTHER_LANGUAGES,
  },
}
