/** Verbs of `ctx` quote what they were called with, and a word of it may be a secret. */
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'

/**
 * An `io` whose errors are masked. The masker is loaded where there is something to say, since most runs say nothing;
 * sentences go out in order, and `done` waits for the last.
 */
export function maskedErrors(io: Io): { readonly io: Io; done(): Promise<void> } {
  let last: Promise<void> = Promise.resolve()
  const say = async (text: string): Promise<void> => {
    const [{ redactionKey }, { mask }] = await Promise.all([
      import('../../containment/redact/key.ts'),
      import('../../containment/redact/redact.ts'),
    ])
    io.err(mask(text, redactionKey(io.env, homeOf(io.env))).text)
  }
  const err = (text: string): void => {
    last = last.then(() => say(text))
  }
  return { io: { ...io, err }, done: () => last }
}
