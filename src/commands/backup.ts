/** Editing in place with a suffix: what was there is kept beside it. */
import { type Arg, exact, textOf, unknown } from '../core/value.ts'
import type { Doing } from './doing.ts'

/** Note of a change before which what was there was kept under another name (`cp -b`). */
export const SAVED_FIRST = 'saved-first'

/** The copy that `sed -i.bak` and `perl -i.bak` keep; `*` in a suffix stands for the name. */
export const backedUp = (at: Arg, suffix: string): Doing => ({
  do: 'copy',
  from: [at],
  to: backup(at, suffix),
  tree: false,
  into: 'no',
})

const backup = (at: Arg, suffix: string): Arg => {
  const text = textOf(at.value)
  if (text === undefined) return { ...at, value: unknown('input') }
  if (!suffix.includes('*')) return { ...at, value: exact(text + suffix) }
  const cut = text.lastIndexOf('/') + 1
  const name = suffix.replaceAll('*', () => text.slice(cut))
  return { ...at, value: exact(name.includes('/') ? name : text.slice(0, cut) + name) }
}
