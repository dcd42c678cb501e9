/** A pause as the verbs tell it that say whether the guard stands: what passes the gates then is not stopped. */
import { PAUSED_REASON } from '../../guard/paused.ts'
import { pausedUntil } from '../../session/pause.ts'
import type { Check } from '../../setup/plugin-doctor.ts'
import { shownTime } from '../time.ts'

/** `until`: when it ends, in milliseconds since the epoch. One sentence without a full stop. */
export const pausedWords = (until: number): string =>
  `${PAUSED_REASON} until ${shownTime(until)}: it only watches, and only frozen paths and its own settings stay refused; end it with: sallyport pause off`

/** The failing check of a machine whose guard is paused, by its state directory; none where it is on. */
export function pauseChecks(state: string): readonly Check[] {
  const until = pausedUntil(state, Date.now())
  return until === undefined ? [] : [{ name: 'pause', level: 'fail', detail: pausedWords(until) }]
}
