/** Verbs whose words on stderr hold no secret, though they quote what they were called with. */

import { homedir } from 'node:os'
import type { Command } from '@stricli/core'
import type { Context } from '../flags.ts'
import type { Io } from '../io.ts'

/** The verb with stderr masked. The masker is loaded where there is something to say: most runs say nothing. */
export function quoting(command: Command<Context>): Command<Context> {
  return {
    ...command,
    async loader() {
      const loaded = await command.loader()
      const verb = typeof loaded === 'function' ? loaded : loaded.default
      return async function (this: Context, ...given) {
        const said = maskedErrors(this.io)
        const own: Context = { ...this, io: said.io }
        try {
          return await verb.apply(own, given)
        } finally {
          await said.done()
          this.exit = own.exit
        }
      }
    },
  }
}

/** An `io` whose errors are masked. Sentences go out in order, as soon as the masker is there; `done` waits for the last. */
export function maskedErrors(io: Io): { readonly io: Io; done(): Promise<void> } {
  let last: Promise<void> = Promise.resolve()
  const say = async (text: string): Promise<void> => {
    const [{ redactionKey }, { mask }] = await Promise.all([
      import('../../containment/redact/key.ts'),
      import('../../containment/redact/redact.ts'),
    ])
    io.err(mask(text, redactionKey(io.env, io.env['HOME'] || homedir())).text)
  }
  const err = (text: string): void => {
    last = last.then(() => say(text))
  }
  return { io: { ...io, err }, done: () => last }
}
