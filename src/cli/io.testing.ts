/** An `Io` that gathers what a verb says. */
import type { Io } from './io.ts'

export interface GatheredIo extends Io {
  text: string
  errors: string
}

export function gatheredIo(cwd: string, env: Io['env']): GatheredIo {
  const made = {
    text: '',
    errors: '',
    out(part: string) {
      made.text += part
    },
    err(part: string) {
      made.errors += part
    },
    cwd,
    env,
    colour: false,
  }
  return made
}
