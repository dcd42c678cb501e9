/** What verbs share when they are declared. */
import type { CommandContext } from '@stricli/core'
import type { Io } from './io.ts'

export interface Context extends CommandContext {
  readonly io: Io
  /** The name that the program was called by, and the words behind it. */
  readonly program: string
  readonly argv: readonly string[]
  exit: number
}

export const text = (brief: string, placeholder: string) =>
  ({ kind: 'parsed', parse: String, brief, optional: true, placeholder }) as const
export const json = { kind: 'boolean', brief: 'print JSON', optional: true } as const
export const words = {
  kind: 'array',
  parameter: { brief: 'the command, behind --', parse: String, placeholder: 'command' },
} as const
