/** Checks bodies of requests. Every complaint is one sentence that names the field, and the likely one where it is misspelt. */
import { z } from 'zod'
import { ManagedError } from '../contract.ts'

/** An object that has these fields and no others. */
export function strict<T extends z.core.$ZodLooseShape>(shape: T): z.ZodObject<T, z.core.$strict> {
  const known = Object.keys(shape)
  return z.strictObject(shape, {
    error: (issue) =>
      issue.code === 'unrecognized_keys' ? unknownField(String(issue.keys[0]), known, placeOf(issue.path)) : undefined,
  })
}

/** Reads `value`; `at` is where it lies in the body. Throws `ManagedError` 400. */
export function read<T>(schema: z.ZodType<T>, value: unknown, at = ''): T {
  const { data, error } = schema.safeParse(value)
  if (error === undefined) return data as T
  const issue = error.issues.find(({ code }) => code === 'unrecognized_keys') ?? error.issues[0]!
  const path = issue.path.map(String)
  const place = [at, ...path].filter((part) => part !== '').join('.')
  throw bad(issue.code === 'unrecognized_keys' || place === '' ? issue.message : `Field '${place}': ${issue.message}`)
}

export const bad = (message: string): ManagedError => new ManagedError(400, 'invalid_request', message)

const placeOf = (path: readonly PropertyKey[] | undefined): string => (path ?? []).map(String).join('.')

/** The sentence about a field that is not known. */
export function unknownField(name: string, known: readonly string[], place = ''): string {
  const close = nearest(name, known)
  const where = place === '' ? '' : ` in '${place}'`
  return `Unknown field '${name}'${where}.${close === undefined ? '' : ` Did you mean '${close}'?`}`
}

/** The known word that is close enough to be meant; undefined where none is. */
function nearest(name: string, known: readonly string[]): string | undefined {
  const plain = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  const [best] = known
    .map((word) => ({ word, distance: distance(plain(name), plain(word)) }))
    .sort((a, b) => a.distance - b.distance)
  return best !== undefined && best.distance <= Math.ceil(best.word.length / 3) ? best.word : undefined
}

/** Edits from one word to the other. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, at) => at)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
    row = next
  }
  return row[b.length]!
}
