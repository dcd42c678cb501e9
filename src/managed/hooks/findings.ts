/** What is said of a `hooks.json`, of its handlers' scripts and of their answers. */
import { secretsIn } from '../../containment/redact/redact.ts'
import type { HookWarning } from '../contract.ts'

/**
 * `allows`: because of this a call runs that somebody meant to stop, or a hook stays silent, and nothing else would say
 * so. `note`: worth knowing.
 */
export type Weight = 'allows' | 'note'

export interface Finding extends HookWarning {
  readonly weight: Weight
  /** Of the file, from 1. */
  readonly line?: number
}

/** What a finding is about. */
export interface About {
  readonly file?: string
  readonly group?: string
  readonly line?: number
}

export const finding = (weight: Weight, id: string, text: string, about: About = {}): Finding => {
  const { file, group, line } = about
  return {
    ...{ id, weight, text },
    ...(file === undefined ? {} : { file }),
    ...(group === undefined ? {} : { group }),
    ...(line === undefined ? {} : { line }),
  }
}

/** A text in which secrets are masked. */
export function withoutSecrets(text: string): string {
  let [out, at] = ['', 0]
  for (const { from, to, name } of secretsIn(text)) {
    out += `${text.slice(at, from)}[${name}]`
    at = to
  }
  return out + text.slice(at)
}

/** What somebody wrote: without secrets, no longer than a line. */
export function shortened(text: string, most = 80): string {
  // A line of a megabyte is not searched.
  const shown = withoutSecrets(text.slice(0, 4_096))
  return shown.length > most ? `${shown.slice(0, most - 1)}…` : shown
}

/** The same in quotation marks. */
export const quoted = (text: string): string => JSON.stringify(shortened(text))
