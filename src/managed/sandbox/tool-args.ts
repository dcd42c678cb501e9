/** Reading the arguments of the six tools. Both published spellings are taken; two that disagree are refused. */

import { ARGUMENT_NAMES } from '../argument-names.ts'

/** What is wrong with the arguments, as the model is told. */
export class ArgumentError extends Error {}

type Args = Readonly<Record<string, unknown>>

export type Argument = keyof typeof ARGUMENT_NAMES

function value(args: Args, argument: Argument): unknown {
  let found: unknown
  for (const name of ARGUMENT_NAMES[argument]) {
    const given = Object.hasOwn(args, name) ? args[name] : undefined
    if (given === undefined || given === null) continue
    // A hook may have looked at one spelling only: the tool must not act on the other.
    if (found !== undefined && given !== found)
      throw new ArgumentError(`${ARGUMENT_NAMES[argument][0]} is given twice with different values (${name})`)
    found = given
  }
  return found
}

const spelled = (argument: Argument): string => ARGUMENT_NAMES[argument].join(' or ')

export function text(args: Args, argument: Argument): string {
  const given = optionalText(args, argument)
  if (given === undefined) throw new ArgumentError(`${spelled(argument)} is missing`)
  return given
}

export function optionalText(args: Args, argument: Argument): string | undefined {
  const given = value(args, argument)
  if (given === undefined) return undefined
  if (typeof given !== 'string') throw new ArgumentError(`${spelled(argument)} must be a text`)
  return given
}

/** A path; not empty, and without NUL. */
export function path(args: Args): string {
  const given = text(args, 'path')
  if (given === '' || given.includes('\0')) throw new ArgumentError('path must name a file or a directory')
  return given
}

/** A line number from 1. Models also write numbers as texts. */
export function line(args: Args, argument: 'start' | 'end'): number | undefined {
  const given = value(args, argument)
  if (given === undefined) return undefined
  const number = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : given
  if (typeof number !== 'number' || !Number.isInteger(number) || number < 1)
    throw new ArgumentError(`${spelled(argument)} must be a line number from 1`)
  return number
}

export function flag(args: Args, argument: 'overwrite' | 'multiple', otherwise: boolean): boolean {
  const given = value(args, argument)
  if (given === undefined) return otherwise
  if (given === true || given === 'true') return true
  if (given === false || given === 'false') return false
  throw new ArgumentError(`${spelled(argument)} must be true or false`)
}
