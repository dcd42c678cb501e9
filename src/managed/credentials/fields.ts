/** Reads what the API takes for a credential. Every error names the field and never a value. */
import { type CredentialView, ManagedError } from '../contract.ts'
import { readTarget } from '../egress/names.ts'
import { nearest } from '../egress/nearest.ts'
import { CREDENTIAL_ID, LONGEST_ID } from '../egress/placeholders.ts'
import { readPattern, wrongHeader } from '../egress/rules.ts'
import type { Place } from '../egress/secrets.ts'

export type CredentialType = CredentialView['type']

export interface BearerFields {
  readonly token: string
  readonly header_name: string
  readonly prefix: string
}

export interface OAuthFields {
  readonly client_id: string
  readonly client_secret: string
  readonly refresh_token: string
  readonly token_url: string
  readonly scopes: readonly string[]
}

export interface VariableFields {
  readonly value: string
  readonly injection_location: readonly Place[]
  readonly trusted_domains: readonly string[]
}

export type Fields =
  | { readonly type: 'bearer_token'; readonly fields: BearerFields }
  | { readonly type: 'oauth2'; readonly fields: OAuthFields }
  | { readonly type: 'environment_variable'; readonly fields: VariableFields }

/** Reads a field: answers with its value in normal form, or throws. */
type Read = (value: unknown, name: string) => unknown

interface Form {
  readonly required: Readonly<Record<string, Read>>
  readonly optional: Readonly<Record<string, { readonly read: Read; readonly absent: unknown }>>
}

const LONGEST = 64 * 1024

export const invalid = (sentence: string): ManagedError => new ManagedError(400, 'invalid_request', sentence)

const text: Read = (value, name) => {
  if (typeof value !== 'string' || value === '') throw invalid(`Field '${name}' must be a string that is not empty.`)
  if (value.length > LONGEST) throw invalid(`Field '${name}' is longer than ${LONGEST} characters.`)
  if (!value.isWellFormed()) throw invalid(`Field '${name}' is no valid Unicode.`)
  return value
}

/** Text that a header can carry. */
const headerText: Read = (value, name) => {
  const wrong = wrongHeader('x', text(value, name))
  if (wrong !== undefined) throw invalid(`Field '${name}' holds a line break or a character that headers cannot carry.`)
  return value
}

const headerName: Read = (value, name) => {
  const wrong = wrongHeader(text(value, name) as string, '')
  if (wrong !== undefined) throw invalid(`Field '${name}': ${wrong}`)
  return value
}

const prefix: Read = (value, name) => (value === '' ? '' : headerText(value, name))

const url: Read = (value, name) => {
  const target = readTarget(text(value, name) as string)
  if ('wrong' in target) throw invalid(`Field '${name}' ${target.wrong}.`)
  if (!target.secure) throw invalid(`Field '${name}' must be an https address.`)
  return value
}

const listOf =
  (read: Read): Read =>
  (value, name) => {
    if (!Array.isArray(value)) throw invalid(`Field '${name}' must be a list.`)
    return value.map((one, i) => read(one, `${name}[${i}]`))
  }

const domain: Read = (value, name) => {
  const read = readPattern(text(value, name) as string)
  if ('wrong' in read) throw invalid(`Field '${name}' ${read.wrong}.`)
  return value
}

const PLACES: readonly Place[] = ['header', 'query', 'body']

const places: Read = (value, name) => {
  const list = Array.isArray(value) ? value : [value]
  if (list.length === 0) throw invalid(`Field '${name}' must name at least one of ${PLACES.join(', ')}.`)
  for (const one of list)
    if (!PLACES.includes(one as Place)) throw invalid(`Field '${name}' must be one or more of ${PLACES.join(', ')}.`)
  return [...new Set(list as Place[])]
}

const FORMS: Readonly<Record<CredentialType, Form>> = {
  bearer_token: {
    required: { token: headerText },
    optional: {
      header_name: { read: headerName, absent: 'Authorization' },
      prefix: { read: prefix, absent: 'Bearer' },
    },
  },
  oauth2: {
    required: { client_id: text, client_secret: text, refresh_token: text, token_url: url },
    optional: { scopes: { read: listOf(text), absent: [] } },
  },
  environment_variable: {
    required: { value: text, injection_location: places },
    optional: { trusted_domains: { read: listOf(domain), absent: [] } },
  },
}

const TYPES = Object.keys(FORMS) as readonly CredentialType[]

/** A body for a new credential. `id` is undefined where the server makes one. Throws ManagedError 400. */
export function readCreate(body: unknown): Fields & { readonly id: string | undefined } {
  const given = objectOf(body)
  const type = typeOf(given)
  const { required, optional } = FORMS[type]
  refuseStray(given, [...Object.keys(required), ...Object.keys(optional)])
  const fields: Record<string, unknown> = {}
  for (const [name, read] of Object.entries(required)) {
    if (given[name] === undefined) throw invalid(`Missing required field '${name}' of a credential of type '${type}'.`)
    fields[name] = read(given[name], name)
  }
  for (const [name, { read, absent }] of Object.entries(optional))
    fields[name] = given[name] === undefined ? absent : read(given[name], name)
  return { type, fields, id: readId(given['id']) } as unknown as Fields & { id: string | undefined }
}

/** What a change gives: fields of the type that the credential has. Throws ManagedError 400. */
export function readUpdate(body: unknown, id: string, has: CredentialType): Readonly<Record<string, unknown>> {
  const given = objectOf(body)
  const type = typeOf(given)
  if (type !== has) throw invalid(`The type of credential '${id}' is '${has}' and cannot be changed.`)
  if (given['id'] !== undefined && given['id'] !== id) throw invalid(`The id of a credential cannot be changed.`)
  const { required, optional } = FORMS[type]
  refuseStray(given, [...Object.keys(required), ...Object.keys(optional)])
  const fields: Record<string, unknown> = {}
  for (const [name, read] of Object.entries(required))
    if (given[name] !== undefined) fields[name] = read(given[name], name)
  for (const [name, { read }] of Object.entries(optional))
    if (given[name] !== undefined) fields[name] = read(given[name], name)
  return fields
}

function objectOf(body: unknown): Readonly<Record<string, unknown>> {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw invalid('The credential must be an object.')
  return body as Readonly<Record<string, unknown>>
}

function typeOf(given: Readonly<Record<string, unknown>>): CredentialType {
  const { type } = given
  if (type === undefined) throw invalid(`Missing required field 'type'; it is one of ${TYPES.join(', ')}.`)
  if (typeof type === 'string' && Object.hasOwn(FORMS, type)) return type as CredentialType
  throw invalid(
    `Field 'type' must be one of ${TYPES.join(', ')}.${typeof type === 'string' ? nearest(type, TYPES) : ''}`,
  )
}

function refuseStray(given: Readonly<Record<string, unknown>>, known: readonly string[]): void {
  const all = ['id', 'type', ...known]
  const stray = Object.keys(given).find((key) => !all.includes(key))
  if (stray !== undefined) throw invalid(`Unknown field '${stray.slice(0, 64)}'.${nearest(stray, all)}`)
}

function readId(id: unknown): string | undefined {
  if (id === undefined) return undefined
  if (typeof id !== 'string' || id.length > LONGEST_ID || !CREDENTIAL_ID.test(id))
    throw invalid(`Field 'id' must be 1 to ${LONGEST_ID} letters and digits, with single '-' or '_' between them.`)
  return id
}
