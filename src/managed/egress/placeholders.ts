/** Placeholders of credentials in requests: replaced where the credential allows it, refused everywhere else. */
import { type Host, hostText } from './names.ts'
import { Refused } from './policy.ts'
import { matches } from './rules.ts'
import type { Place, Secrets } from './secrets.ts'

/** What ids of credentials look like; no two underscores in a row, so that a placeholder has one end. */
export const CREDENTIAL_ID = /^[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*$/
export const LONGEST_ID = 63

export const placeholderOf = (id: string): string => `__GEMINI_CRED_${id}__`

/** A placeholder in text, also where underscores are escaped as in URLs. */
const MENTION =
  /(?:_|%5[fF]){2}GEMINI(?:_|%5[fF])CRED(?:_|%5[fF])((?:[A-Za-z0-9-]|(?:_|%5[fF])(?!_|%5[fF]))+?)(?:_|%5[fF]){2}/g
/** Longest mention in a body, with every underscore escaped: what is held back between two chunks. */
export const LONGEST_MENTION = 3 * (LONGEST_ID + 20)

const idOf = (written: string): string => written.replace(/%5[fF]/g, '_')

/** Whether text mentions any placeholder. */
export const mentions = (text: string): boolean => text.search(MENTION) >= 0

export interface Swap {
  /** False where no placeholder has a value here, so that bodies need not be read. */
  readonly active: boolean
  /** Names that a placeholder may be sent to: what is said to them is read also where the network is open. */
  trusts(host: Host): boolean
  /** Replaces placeholders in one place of a request, each value as `written` escapes it. Throws Refused. */
  replace(text: string, place: Place | 'path', host: Host, secure: boolean, written: (value: string) => string): string
}

/** The swap of one environment: `ids` are the credentials that its variables name. */
export function swapOf(ids: readonly string[], secrets: Secrets): Swap {
  const own = new Set(ids)
  const valueFor = (id: string, place: Place | 'path', host: Host, secure: boolean): string => {
    const where = hostText(host)
    const refuse = (why: string): Refused =>
      new Refused(
        'placeholder',
        `Blocked: the request to ${where} carries the placeholder of the credential ${id}, ${why}.`,
      )
    const variable = own.has(id) ? secrets.variable(id) : undefined
    if (variable === undefined) throw refuse('which is no credential of this environment')
    if (host.is !== 'name' || !variable.trusted.some((pattern) => matches(pattern, host.name)))
      throw refuse('and the credential does not trust this domain')
    if (!secure) throw refuse('which is never sent over plain http; use https')
    if (place === 'path' || !variable.places.has(place))
      throw refuse(`and the credential is not allowed in the ${place}, only in: ${[...variable.places].join(', ')}`)
    return variable.value
  }
  return {
    get active() {
      return own.size > 0
    },
    trusts: (host) =>
      host.is === 'name' &&
      ids.some((id) => secrets.variable(id)?.trusted.some((pattern) => matches(pattern, host.name)) === true),
    replace: (text, place, host, secure, escaped) =>
      text.replace(MENTION, (mention, name: string) => {
        const id = idOf(name)
        // A document may speak of placeholders; only those of this environment are more than words.
        return place === 'body' && !own.has(id) ? mention : escaped(valueFor(id, place, host, secure))
      }),
  }
}

const asIs = (value: string): string => value

/** Path and query of a request with placeholders replaced. Throws Refused. */
export function swapPath(swap: Swap, path: string, host: Host, secure: boolean): string {
  if (!mentions(path)) return path
  const cut = path.indexOf('?')
  const before = cut < 0 ? path : path.slice(0, cut)
  swap.replace(before, 'path', host, secure, asIs)
  return cut < 0 ? path : before + swap.replace(path.slice(cut), 'query', host, secure, encodeURIComponent)
}

/** Header names and values with placeholders replaced, also inside the base64 of basic authentication. Throws Refused. */
export function swapHeaders(swap: Swap, list: readonly string[], host: Host, secure: boolean): string[] {
  return list.map((text, i) => {
    if (i % 2 === 0) {
      if (mentions(text))
        throw new Refused('placeholder', 'Blocked: a header is named after the placeholder of a credential.')
      return text
    }
    const replaced = mentions(text) ? swap.replace(text, 'header', host, secure, headerValue) : text
    const basic = /^basic +([A-Za-z0-9+/]+=*) *$/i.exec(text)
    if (basic === null) return replaced
    const inside = Buffer.from(basic[1]!, 'base64').toString('latin1')
    if (!mentions(inside)) return replaced
    return `Basic ${Buffer.from(swap.replace(inside, 'header', host, secure, utf8Bytes), 'latin1').toString('base64')}`
  })
}

const utf8Bytes = (value: string): string => Buffer.from(value, 'utf8').toString('latin1')

/** A value that would break out of its header is never sent. */
function headerValue(value: string): string {
  const bytes = utf8Bytes(value)
  if (/[^\t\x20-\x7e\x80-\xff]/.test(bytes))
    throw new Refused('placeholder', 'Blocked: the value of a credential holds a character that headers cannot carry.')
  return bytes
}
