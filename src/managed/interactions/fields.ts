/** Parts of bodies that several requests share: environments, networks, tools. */
import { z } from 'zod'
import type { EnvironmentSpec, EnvValue, Network, Source } from '../contract.ts'
import { bad, read, strict } from './shape.ts'

const text = z.string()
const headers = z.record(text, text)

const entry = strict({
  domain: text,
  credential: text.optional(),
  transform: z
    .union([headers, z.array(headers)], { error: 'it takes an object of headers, or a list of these.' })
    .optional(),
})

const allowlist = strict({
  allowlist: z.union([z.literal('disabled'), z.array(z.unknown())], {
    error: "it takes a list of entries, or 'disabled'.",
  }),
})

const INLINE = strict({
  type: z.literal('inline'),
  target: text,
  content: text,
  encoding: z.literal('base64', { error: "only 'base64' is known." }).optional(),
})
const REPOSITORY = strict({ type: z.literal('repository'), source: text, target: text })
const GCS = strict({ type: z.literal('gcs'), source: text, target: text })
const SOURCES = { inline: INLINE, repository: REPOSITORY, gcs: GCS } as const

/** Reads `network`. Absent and null: open. */
export function networkOf(value: unknown, at = 'network'): Network {
  if (value === undefined || value === null) return undefined
  if (value === 'disabled') return 'disabled'
  if (typeof value !== 'object') throw bad(`Field '${at}': it takes 'disabled' or an object with an allowlist.`)
  const given = read(allowlist, value, at)
  if (given.allowlist === 'disabled') return { allowlist: 'disabled' }
  return {
    allowlist: given.allowlist.map((one, index) => {
      const { domain, credential, transform } = read(entry, one, `${at}.allowlist.${index}`)
      return {
        domain,
        ...(credential === undefined ? {} : { credential }),
        ...(transform === undefined ? {} : { transform }),
      }
    }),
  }
}

/** Reads `sources`. */
export function sourcesOf(value: unknown, at = 'sources'): readonly Source[] {
  if (value === undefined || value === null) return []
  if (!Array.isArray(value)) throw bad(`Field '${at}': it takes a list.`)
  return value.map((one: unknown, index) => {
    const place = `${at}.${index}`
    const type = typeof one === 'object' && one !== null ? (one as { type?: unknown }).type : undefined
    if (typeof type !== 'string' || !Object.hasOwn(SOURCES, type))
      throw bad(
        `Field '${place}.type': ${JSON.stringify(type ?? null)} is no source of this runtime; it takes inline, repository or gcs.`,
      )
    const source = read(SOURCES[type as keyof typeof SOURCES] as z.ZodType<Source>, one, place)
    if (source.type === 'inline' && source.encoding === 'base64' && !isBase64(source.content))
      throw bad(`Field '${place}.content': it is no base64.`)
    return source
  })
}

const isBase64 = (content: string): boolean =>
  /^[A-Za-z0-9+/_-]*={0,2}$/.test(content.replace(/\s+/g, '')) && content.replace(/[\s=]+/g, '').length % 4 !== 1

const credential = strict({ credential: text })
const literal = strict({ value: text })

/** Reads `env`: names to texts, or to `{credential}`. */
export function envOf(value: unknown, at = 'env'): Readonly<Record<string, EnvValue>> {
  if (value === undefined || value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value)) throw bad(`Field '${at}': it takes an object.`)
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => {
      if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) throw bad(`Field '${at}': '${name}' is no name of a variable.`)
      if (typeof one === 'string') return [name, one]
      if (typeof one !== 'object' || one === null) throw bad(`Field '${at}.${name}': it takes a text or {credential}.`)
      return 'value' in one
        ? [name, read(literal, one, `${at}.${name}`).value]
        : [name, read(credential, one, `${at}.${name}`)]
    }),
  )
}

/** Ids of credentials that an environment names. */
export function credentialsIn(spec: Pick<EnvironmentSpec, 'network' | 'env'>): readonly string[] {
  const list = typeof spec.network === 'object' && spec.network.allowlist !== 'disabled' ? spec.network.allowlist : []
  return [
    ...list.flatMap((one) => one.credential ?? []),
    ...Object.values(spec.env ?? {}).flatMap((one) => (typeof one === 'string' ? [] : [one.credential])),
  ]
}

const environment = strict({
  type: z.literal('remote', { error: "only 'remote' is known." }),
  environment_id: text.optional(),
  sources: z.unknown().optional(),
  network: z.unknown().optional(),
  env: z.unknown().optional(),
})

export type Wanted =
  | { readonly is: 'new'; readonly spec: EnvironmentSpec }
  | { readonly is: 'same'; readonly id: string; readonly network?: { readonly rules: Network } }

/** An id, with or without its collection in front. */
export const idOf = (id: string, collection = 'environments'): string =>
  id.startsWith(`${collection}/`) ? id.slice(collection.length + 1) : id

/** Reads `environment` of an interaction, or `base_environment` of an agent. */
export function environmentOf(value: unknown, at = 'environment'): Wanted | undefined {
  if (value === undefined || value === null) return undefined
  if (value === 'remote') return { is: 'new', spec: {} }
  if (typeof value === 'string') return { is: 'same', id: idOf(value) }
  const given = read(environment, value, at)
  const sources = sourcesOf(given.sources, `${at}.sources`)
  const env = envOf(given.env, `${at}.env`)
  const network = networkOf(given.network, `${at}.network`)
  if (given.environment_id === undefined)
    return { is: 'new', spec: { sources, env, ...(network === undefined ? {} : { network }) } }
  if (sources.length > 0 || Object.keys(env).length > 0)
    throw bad(`Field '${at}': an existing environment takes new network rules, and no sources or env.`)
  return {
    ...{ is: 'same', id: idOf(given.environment_id) },
    ...('network' in given && given.network !== undefined ? { network: { rules: network } } : {}),
  }
}

const HIDDEN = '[hidden]'

/** Network rules as they may be shown: domains, ids of credentials and names of headers. */
export function shownNetwork(network: Network): unknown {
  if (network === undefined || network === 'disabled' || network.allowlist === 'disabled') return network
  return {
    allowlist: network.allowlist.map(({ transform, ...rest }) => {
      if (transform === undefined) return rest
      const names = (Array.isArray(transform) ? transform : [transform]).flatMap((one) => Object.keys(one))
      return { ...rest, transform: Object.fromEntries(names.map((name) => [name, HIDDEN])) }
    }),
  }
}

/** Sources as they may be shown: without the content of inline ones. */
export const shownSources = (sources: readonly Source[]): readonly unknown[] =>
  sources.map((one) => (one.type === 'inline' ? { type: one.type, target: one.target } : one))

/** The names of an environment's variables; values of its own are not shown. */
export const shownEnv = (env: Readonly<Record<string, EnvValue>>): unknown =>
  Object.fromEntries(
    Object.entries(env).map(([name, one]) => [name, typeof one === 'string' ? { value: HIDDEN } : one]),
  )
