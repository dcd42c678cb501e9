/** Whether a session has had a kind of event: one look at the disk, at every event. Entry points only. */
import { existsSync } from 'node:fs'
import { under } from '../core/native-path.ts'

/** Below the state directory. */
export const MARKS = 'live'

const lettersOf = (text: string): string =>
  Array.from(text)
    .filter((char) => (char >= 'a' && char <= 'z') || (char >= 'A' && char <= 'Z'))
    .join('')

/** The file of a mark. `name`: of the session, as its own file has it; `what`: `pre`, `post`, `dead`, or an event. */
export const markFile = (state: string, name: string, what: string): string =>
  under(state, `${MARKS}/${name}.${lettersOf(what)}`)

export const isMarked = (state: string, name: string, what: string): boolean => existsSync(markFile(state, name, what))

/** What is said of a session whose results come without its calls. */
export const UNASKED =
  'the gate before a run was not asked in this session, though calls have run: nothing was guarded; run sallyport doctor'
