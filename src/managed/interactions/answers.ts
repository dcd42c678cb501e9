/** How requests are read and answers written, for all routes. */
import type { Context } from 'hono'
import type { ContentfulStatusCode } from 'hono/utils/http-status'
import { ManagedError } from '../contract.ts'
import { bad } from './shape.ts'

/** Bytes of a JSON body: inline sources are 2 MB at most, base64 and escapes make them longer. */
const MOST_BODY = 16 * 1024 * 1024

export function failed(c: Context, error: ManagedError): Response {
  return c.json({ error: { code: error.code, message: error.message } }, error.status as ContentfulStatusCode)
}

/** The JSON body. Throws `ManagedError` 400 where there is none. */
export async function jsonOf(c: Context): Promise<unknown> {
  const stream = c.req.raw.body
  if (stream === null) throw bad('The request has no body.')
  const pieces: Uint8Array[] = []
  let size = 0
  for await (const piece of stream as unknown as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > MOST_BODY) throw new ManagedError(413, 'invalid_request', `The body is longer than ${MOST_BODY} bytes.`)
    pieces.push(piece)
  }
  let value: unknown
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(pieces)))
  } catch {
    throw bad('The body is no JSON.')
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw bad('The body is no JSON object.')
  if (isDeeper(value, DEEPEST)) throw bad(`The body nests deeper than ${DEEPEST} levels.`)
  return value
}

/** Levels of a body: far more than any field has; what walks a value calls itself at each. */
const DEEPEST = 200

function isDeeper(value: object, most: number): boolean {
  let level: readonly object[] = [value]
  for (let depth = 1; level.length > 0; depth++) {
    if (depth > most) return true
    level = level.flatMap((one) => Object.values(one).filter((below) => typeof below === 'object' && below !== null))
  }
  return false
}

/** A flag of the query. */
export function flagOf(c: Context, name: string): boolean {
  const value = c.req.query(name)
  if (value === undefined || value === '' || value === 'false') return false
  if (value === 'true') return true
  throw bad(`Parameter '${name}': it takes true or false.`)
}

const STANDARD_PAGE = 50
const MOST_PAGE = 1_000

/** One page of a list. The token is the offset, and only we read it. */
export function pageOf<T>(
  c: Context,
  all: readonly T[],
): { readonly items: readonly T[]; readonly next: { readonly next_page_token?: string } } {
  const size = numberOf(c, 'page_size') ?? STANDARD_PAGE
  const token = c.req.query('page_token')
  const from = token === undefined || token === '' ? 0 : /^p\d{1,9}$/.test(token) ? Number(token.slice(1)) : Number.NaN
  if (Number.isNaN(from)) throw bad("Parameter 'page_token': it is no token of this list.")
  const to = from + Math.min(size === 0 ? STANDARD_PAGE : size, MOST_PAGE)
  return { items: all.slice(from, to), next: to < all.length ? { next_page_token: `p${to}` } : {} }
}

function numberOf(c: Context, name: string): number | undefined {
  const value = c.req.query(name)
  if (value === undefined || value === '') return undefined
  if (!/^\d{1,9}$/.test(value)) throw bad(`Parameter '${name}': it takes a whole number.`)
  return Number(value)
}

export const isoOf = (ms: number): string => new Date(ms).toISOString()
