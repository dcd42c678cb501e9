/**
 * Hand-written readers of unknown JSON. A schema library would cost more than the judging at every start of the hook.
 * Own properties only: a payload may hold keys such as `__proto__` or `constructor`.
 */
import type { Json } from '../core/call.ts'

export type Fields = { readonly [key: string]: Json }

/** The value as an object, or undefined where it is an array, null or a scalar. */
export const fieldsOf = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Fields) : undefined

/** An own property; undefined where it is absent or null, which serialisers write for the same thing. */
export const field = (fields: Fields, key: string): Json | undefined =>
  Object.hasOwn(fields, key) ? (fields[key] ?? undefined) : undefined

/** A string that holds more than blanks, or undefined. */
export const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' && value.trim() !== '' ? value : undefined

/** The strings of a list; other entries are dropped. Empty for anything that is no list. */
export const textsOf = (value: unknown): readonly string[] =>
  Array.isArray(value) ? value.filter((entry): entry is string => typeof entry === 'string') : []

/** Whether a path is absolute on any platform: the payload says what machine it comes from. */
export const isAbsolute = (path: string): boolean =>
  path.startsWith('/') || path.startsWith('\\\\') || (path[1] === ':' && /^[A-Za-z]:[\\/]/.test(path))

/** The path where it is absolute, else undefined. */
export const absoluteOf = (value: unknown): string | undefined =>
  typeof value === 'string' && isAbsolute(value) ? value : undefined

/** Parses JSON; undefined where the text is none. */
export function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
