/** The network rules of an environment, checked and made ready: which entry decides about a name, and what it sets. */
import { type AllowEntry, ManagedError, type Network } from '../contract.ts'
import { closedName } from './addresses.ts'
import { readHost } from './names.ts'
import { nearest } from './nearest.ts'

/** `exact`: this name. `below`: every name below it, not itself. `all`: every name. */
export type Pattern =
  | { readonly is: 'exact'; readonly name: string }
  | { readonly is: 'below'; readonly name: string }
  | { readonly is: 'all' }

export interface Rule {
  readonly pattern: Pattern
  readonly credential: string | undefined
  /** Header names in lower case, each with the name as it was written and its value. */
  readonly headers: ReadonlyMap<string, { readonly name: string; readonly value: string }>
}

export type Rules =
  | { readonly mode: 'open' }
  | { readonly mode: 'disabled' }
  | { readonly mode: 'allowlist'; readonly rules: readonly Rule[]; readonly warnings: readonly string[] }

/** Headers that frame a message or belong to one connection: set by the proxy, never by a rule. */
const RESERVED = /^(?:host|content-length|transfer-encoding|connection|upgrade|te|trailer|expect|keep-alive|proxy-.*)$/
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/
const MOST_ENTRIES = 1000
const ENTRY_KEYS = ['domain', 'credential', 'transform'] as const

const invalid = (sentence: string): ManagedError => new ManagedError(400, 'invalid_request', sentence)

/** Whether a rule sets anything. */
export const injects = (rule: Rule): boolean => rule.credential !== undefined || rule.headers.size > 0

/** Checks the rules of an environment. Throws ManagedError 400 that names the entry. */
export function readRules(network: Network): Rules {
  if (network === undefined) return { mode: 'open' }
  if (network === 'disabled') return { mode: 'disabled' }
  if (typeof network !== 'object' || network === null || Array.isArray(network))
    throw invalid('network must be "disabled" or an object with an allowlist.')
  const stray = Object.keys(network).find((key) => key !== 'allowlist')
  if (stray !== undefined) throw invalid(`Unknown field network.${stray}.${nearest(stray, ['allowlist'])}`)
  const { allowlist } = network
  if (allowlist === 'disabled') return { mode: 'disabled' }
  if (!Array.isArray(allowlist)) throw invalid('network.allowlist must be a list of entries, or "disabled".')
  if (allowlist.length > MOST_ENTRIES) throw invalid(`network.allowlist has more than ${MOST_ENTRIES} entries.`)
  const rules = allowlist.map((entry: unknown, i) => readEntry(entry, `network.allowlist[${i}]`))
  return { mode: 'allowlist', rules, warnings: [...doubles(rules), ...useless(rules)] }
}

function readEntry(entry: unknown, at: string): Rule {
  if (typeof entry !== 'object' || entry === null || Array.isArray(entry))
    throw invalid(`${at} must be an object with a domain.`)
  const stray = Object.keys(entry).find((key) => !(ENTRY_KEYS as readonly string[]).includes(key))
  if (stray !== undefined) throw invalid(`Unknown field ${at}.${stray}.${nearest(stray, ENTRY_KEYS)}`)
  const { domain, credential, transform } = entry as AllowEntry
  if (typeof domain !== 'string') throw invalid(`${at}.domain must be a string.`)
  if (credential !== undefined && (typeof credential !== 'string' || credential === ''))
    throw invalid(`${at}.credential must be the id of a credential.`)
  const read = readPattern(domain)
  if ('wrong' in read) throw invalid(`${at}.domain ${JSON.stringify(domain)} ${read.wrong}.`)
  return { pattern: read.pattern, credential, headers: readTransform(transform, `${at}.transform`) }
}

/** Reads a domain of a list: a name, `*.` and a name, or `*`. */
export function readPattern(domain: string): { readonly pattern: Pattern } | { readonly wrong: string } {
  if (domain === '*') return { pattern: { is: 'all' } }
  if (domain.trim() === '') return { wrong: 'is empty' }
  if (domain.includes('://')) return { wrong: 'must be a domain without a scheme' }
  if (domain.includes('/')) return { wrong: 'must be a domain without a path' }
  if (domain.includes('@')) return { wrong: 'must be a domain without user information' }
  if (/:\d*$/.test(domain) && !domain.endsWith(']')) return { wrong: 'must be a domain without a port' }
  const below = domain.startsWith('*.')
  const rest = below ? domain.slice(2) : domain
  if (rest.includes('*')) return { wrong: 'has a wildcard in a place other than a leading "*."' }
  if (rest.startsWith('.')) return { wrong: 'begins with a dot' }
  const read = readHost(rest)
  if ('wrong' in read) return read
  if (read.host.is === 'address') return { wrong: 'is an address: entries name domains' }
  return { pattern: { is: below ? 'below' : 'exact', name: read.host.name } }
}

function readTransform(transform: unknown, at: string): Rule['headers'] {
  const headers = new Map<string, { name: string; value: string }>()
  if (transform === undefined) return headers
  const list = Array.isArray(transform) ? transform : [transform]
  for (const [i, one] of list.entries()) {
    const where = Array.isArray(transform) ? `${at}[${i}]` : at
    if (typeof one !== 'object' || one === null || Array.isArray(one))
      throw invalid(`${where} must be an object of header names and values.`)
    for (const [name, value] of Object.entries(one as Record<string, unknown>)) {
      const wrong = wrongHeader(name, value)
      if (wrong !== undefined) throw invalid(`${where}: ${wrong}`)
      headers.set(name.toLowerCase(), { name, value: value as string })
    }
  }
  return headers
}

/** Why a header cannot be set: a sentence that never quotes the value. Undefined where it can. */
export function wrongHeader(name: string, value: unknown): string | undefined {
  if (!TOKEN.test(name)) return `${JSON.stringify(name)} is no header name.`
  if (RESERVED.test(name.toLowerCase())) return `the header ${name} is set by the proxy and cannot be given.`
  if (typeof value !== 'string') return `the value of ${name} must be a string.`
  if (/[\r\n\0]/.test(value)) return `the value of ${name} holds a line break or NUL.`
  if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) return `the value of ${name} holds a character that headers cannot carry.`
  return undefined
}

const keyOf = (pattern: Pattern): string => (pattern.is === 'all' ? '*' : `${pattern.is} ${pattern.name}`)

/** An entry as a person wrote it, in its normal form. */
export const patternText = (pattern: Pattern): string =>
  pattern.is === 'all' ? '*' : pattern.is === 'below' ? `*.${pattern.name}` : pattern.name

function doubles(rules: readonly Rule[]): readonly string[] {
  const seen = new Set<string>()
  return rules.flatMap(({ pattern }, i) => {
    const key = keyOf(pattern)
    if (!seen.has(key)) {
      seen.add(key)
      return []
    }
    return [`network.allowlist[${i}] repeats the domain ${patternText(pattern)}; the first entry holds.`]
  })
}

/** Entries that can let nothing through, since no rule opens what always stays closed. */
const useless = (rules: readonly Rule[]): readonly string[] =>
  rules.flatMap(({ pattern }, i) => {
    const closed = pattern.is === 'all' ? undefined : closedName(pattern.name)
    return closed === undefined
      ? []
      : [
          `network.allowlist[${i}] lets nothing through: ${patternText(pattern)} is ${closed}, which always stays closed.`,
        ]
  })

export const matches = (pattern: Pattern, name: string): boolean =>
  pattern.is === 'all' || (pattern.is === 'exact' ? name === pattern.name : name.endsWith(`.${pattern.name}`))

/** Exact before wildcard, a longer wildcard before a shorter one, `*` last. */
const weight = (pattern: Pattern): number =>
  pattern.is === 'all' ? 0 : pattern.is === 'below' ? 1 + pattern.name.length : Number.POSITIVE_INFINITY

/** The one entry that decides about a name, or undefined where none names it. */
export function ruleFor(rules: readonly Rule[], name: string): Rule | undefined {
  let best: Rule | undefined
  for (const rule of rules)
    if (matches(rule.pattern, name) && (best === undefined || weight(rule.pattern) > weight(best.pattern))) best = rule
  return best
}
