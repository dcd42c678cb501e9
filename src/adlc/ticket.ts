/** One ticket of an ADLC store: its schema, its file name, and whether it is active. Pure. */
import { sha256Hex } from '../core/hash.ts'

/** What the guard needs of a ticket. */
export interface Ticket {
  readonly id: string
  readonly title: string
  /** The `status` text, where it is one. */
  readonly status: string | undefined
  /** Its rails hold: neither completed nor closed nor archived. */
  readonly active: boolean
  /** Globs as written. */
  readonly rails: readonly string[]
  /** Globs that the ticket may touch; undefined where it names none. */
  readonly scope: readonly string[] | undefined
  /** Ids of the tickets that it depends on. */
  readonly edges: readonly string[]
}

const ENDED = new Set(['completed', 'closed', 'archived'])

/** Characters of a slug. */
const MOST_SLUG = 48

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isText = (value: unknown): value is string => typeof value === 'string' && value !== ''

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === 'string')

/**
 * Reads one parsed ticket. Keys that the schema does not name are allowed. `archived`: it lies in the archive, where
 * `_adlcArchive` may stand. A clause says what is wrong (`has no title`).
 */
export function readTicket(value: unknown, archived = false): Ticket | { readonly problem: string } {
  if (!isObject(value)) return { problem: 'is no object' }
  const problem = problemOf(value, archived)
  if (problem !== undefined) return { problem }
  const { id, title, status, completed, rails, scope, edges } = value
  return {
    id: id as string,
    title: title as string,
    status: typeof status === 'string' ? status : undefined,
    // Anything but the plain words of an end leaves the rails in force.
    active: !archived && completed !== true && !(typeof status === 'string' && ENDED.has(status)),
    rails: (rails as readonly string[] | undefined) ?? [],
    scope: scope as readonly string[] | undefined,
    edges: ((edges as readonly { readonly to: string }[] | undefined) ?? []).map(({ to }) => to),
  }
}

function problemOf(ticket: Readonly<Record<string, unknown>>, archived: boolean): string | undefined {
  if (!isText(ticket['id'])) return 'has no id'
  if (!isText(ticket['title'])) return 'has no title'
  for (const key of ['rails', 'scope'] as const) {
    if (ticket[key] !== undefined && !isTexts(ticket[key])) return `has \`${key}\` that is no list of texts`
  }
  const { duration, edges } = ticket
  if (duration !== undefined && !(typeof duration === 'number' && duration > 0)) {
    return 'has a `duration` that is no number above 0'
  }
  if (edges !== undefined && !(Array.isArray(edges) && edges.every((edge) => isObject(edge) && isText(edge['to'])))) {
    return 'has `edges` that are no list of objects with `to`'
  }
  if (!archived && '_adlcArchive' in ticket) return 'carries `_adlcArchive` outside the archive'
  return undefined
}

const isAscii = (text: string): boolean => /^[\0-\x7f]*$/.test(text)

/** The readable part of a shard's name: letters and digits of the id, at most 48, `ticket` where none is left. */
function slugOf(id: string): string {
  const letters = isAscii(id) ? id : id.normalize('NFKD').replace(/\p{M}/gu, '')
  const plain = letters
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
  return plain.slice(0, MOST_SLUG) || 'ticket'
}

/** The file name of the shard of a ticket: slug and SHA-256 of the id. */
export const canonicalName = (id: string): string => `${slugOf(id)}--${sha256Hex(id)}.json`

/** Whether a shard of this name may hold the ticket `id`. A dash that the cut of a long slug leaves may be missing. */
export function isNameOf(name: string, id: string): boolean {
  const exact = canonicalName(id)
  return name === exact || name === exact.replace(/-+(--[0-9a-f]{64}\.json)$/, '$1')
}

/** Whether a name has the form of a shard's, whatever its id. */
export const hasShardForm = (name: string): boolean => /^[a-z0-9-]{1,48}--[0-9a-f]{64}\.json$/.test(name)

/** Parsed JSON, or undefined where the text is none. A leading byte order mark is an error, as in JSON. */
export function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    return undefined
  }
}

/** A clause about a text that is no JSON: with the place, where the runtime names one. */
export function jsonProblem(text: string): string {
  let place: string | undefined
  try {
    JSON.parse(text)
  } catch (error) {
    place = /\((line \d+ column \d+)\)/.exec(String(error))?.[1]
  }
  return `is no valid JSON${place === undefined ? '' : ` (${place})`}`
}

/** `value` as an object, or undefined. */
export const asObject = (value: unknown): Readonly<Record<string, unknown>> | undefined =>
  isObject(value) ? value : undefined
