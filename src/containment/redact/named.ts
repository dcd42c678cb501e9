/** Secrets that have no form of their own and a name before them: assignments, headers, options, addresses. */
import { isVariable, PLAIN_USER, URL_SECRET } from '../../record/redact.ts'
import { entropyOf, isRandom } from './random.ts'
import type { Secret } from './redact.ts'

/**
 * What ends the name of a password; of a token or key; of something that is a key where it looks random. A test runner
 * says `PASS: name`.
 */
const PASSWORD = 'passw(?:or)?d|passphrase|_pwd|_pass|\\bpass(?=["\']|[ \\t]{0,4}=)'
const TOKEN =
  'secret|token|credentials?|api[_.-]?key|(?:access|private|secret|signing|encryption|account|session|auth|master|storage|subscription)[_.-]?key|connection[_.-]?string|(?:^|[_/:])auth|(?<=["\'])auth(?=["\'])|secret[_.-]?(?:string|value|binary)|x-amz-(?:signature|security-token)|(?<=[?&])sig|cookie'
const KEY = 'key'
/** From the end of the name to the value. `==` compares, `:=` and `=>` assign. */
const ASSIGN = '\\\\?["\'`]?\\]?[ \\t]{0,4}(?:=>|:=|=(?![=~>])|:(?![:=]))[ \\t]{0,4}'
const NAMED = new RegExp(`(?:(${PASSWORD})|(${TOKEN})|(?<=[_.A-Za-z-]|\\b)(${KEY}))(?:${ASSIGN})`, 'gim')
const OPTION = new RegExp(`(?<=\\s)--?[A-Za-z0-9-]{0,24}(?:(${PASSWORD})|(${TOKEN}))(?:[ \\t]{1,4})(?!-)`, 'gi')
/** The end of a name and the second column of a table of two. */
const COLUMNS = new RegExp(`(?:(${PASSWORD})|(${TOKEN}))[ \\t]{2,40}([^\\s]{6,512})(?=[ \\t]{0,40}\\r?$)`, 'gim')
/** Quoted, also with the quotes escaped as JSON in a string has them, or up to what ends a word. */
const VALUE =
  /\\"([^"\\\n]{0,512})\\"|"([^"\\\n]{0,512})"|'([^'\n]{0,512})'|`([^`\n]{0,512})`|((?:[^\s"'`\\;|&<>,(){}[\]]){1,2048})/y
const HEADER =
  /\b((?:proxy-)?authorization["']?[ \t]{0,4}[:=][ \t]{0,4}["']?(?:(?:basic|bearer|token|digest|negotiate|apikey|splunk|sso-key)[ \t]{1,4})?)([^\s"',;]{4,4096})/gi
/** Lines of `.netrc`, whole or over lines. */
const NETRC = /\b(login[ \t]{1,8}\S{1,128}\s{1,8}password[ \t]{1,8})(\S{3,512})/gi
const BEARER = /\b(bearer[ \t]{1,4})([A-Za-z0-9._~+/=-]{16,4096})/gi
const COOKIE = /\b((?:set-)?cookie["']?[ \t]{0,4}:[ \t]{0,4}["']?)([^\s=;"']{1,64})=([^\s;"']{8,4096})/gi

/** Words that stand where a value would, in documents, forms and types. */
const PLACEHOLDER =
  /^(?:[*•x.…#?_-]{3,}|<.*>|\{.*\}|\[.*\]|%.*%|(?:insert|enter)[-_ ].*|your.*|change[-_ ]?me.*|(?:.*[-_. :*])?(?:here|goes|redacted|masked|hidden|placeholder|omitted|required|invalid|missing|incorrect|expired)(?:[-_. :*].*)?|null|none|nil|undefined|true|false|yes|no|on|off|string|str|text|number|int|integer|bool|boolean|bytes|object|array|any|unknown|never|void|optional|default|empty|unset|env|file|stdin|prompt|password|passwd|pass|secret|token|key|credentials?|value|n\/a)$/i
/** References and code: where the secret comes from, not what it is. */
const CODE =
  /^(?:[$@%]|process\.|os\.|env\.|import\.|self\.|this\.|config\.|secrets\.|options?\.|args?\.|vault:|arn:|\/|\.{1,2}\/|~\/|https?:)|[(){}[\]]|^[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$|^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/

type Strength = 'password' | 'token' | 'key'

/** What each of the names has in it. */
const NAMES = /pass|_pwd|secret|token|credential|key|connection|auth|x-amz|[?&]sig|cookie|bearer/i

/** Values of `text` that a name, a header or an address shows to be secret. */
export function namedSecrets(text: string): Secret[] {
  const out: Secret[] = []
  if (NAMES.test(text)) values(text, out)
  if (text.includes('@')) addresses(text, out)
  return out
}

function values(text: string, out: Secret[]): void {
  NAMED.lastIndex = 0
  for (let match = NAMED.exec(text); match !== null; match = NAMED.exec(text)) {
    const at = match.index + match[0].length
    const found = valueAt(text, at)
    if (found === undefined) continue
    const strength: Strength = match[1] !== undefined ? 'password' : match[2] !== undefined ? 'token' : 'key'
    // A key that is published is none to hide.
    if (strength === 'key' && /pub(?:lic)?[-_ ]?$/i.test(text.slice(Math.max(0, match.index - 8), match.index)))
      continue
    const environment = isEnvironment(text, match, at)
    if (isSecret(found.value, strength, environment, found.quoted))
      out.push({ ...found.span, name: 'generic-api-token' })
    NAMED.lastIndex = Math.max(at, found.span.to)
  }
  each(OPTION, text, (match) => {
    const found = valueAt(text, match.index + match[0].length)
    const strength = match[1] !== undefined ? 'password' : 'token'
    if (found && isSecret(found.value, strength, false, found.quoted))
      out.push({ ...found.span, name: 'generic-api-token' })
  })
  each(COLUMNS, text, (match) => {
    const value = match[3]!
    const before = text.slice(Math.max(0, match.index - 64), match.index)
    if (!/(?:^|\n)[ \t]*[\w.-]*$/.test(before)) return
    if (isSecret(value, match[1] !== undefined ? 'password' : 'token', false, false))
      push(out, match.index + match[0].length - value.length, value, 'generic-api-token')
  })
  each(HEADER, text, (match) => {
    const value = match[2]!
    if (
      isVariable(value) ||
      PLACEHOLDER.test(value) ||
      /^(?:basic|bearer|token|digest|header|aws4-[a-z0-9-]+)$/i.test(value)
    )
      return
    if (!/[0-9=]/.test(value) && value.length < 16) return
    push(out, match.index + match[1]!.length, value, 'generic-api-token')
  })
  each(NETRC, text, (match) => {
    if (!isVariable(match[2]!)) push(out, match.index + match[1]!.length, match[2]!, 'generic-api-token')
  })
  each(BEARER, text, (match) => {
    if (/[0-9]/.test(match[2]!) && !PLACEHOLDER.test(match[2]!))
      push(out, match.index + match[1]!.length, match[2]!, 'generic-api-token')
  })
  each(COOKIE, text, (match) => {
    const value = match[3]!
    if (isVariable(value) || !/[0-9]/.test(value) || entropyOf(value) < 3) return
    push(out, match.index + match[0].length - value.length, value, 'generic-api-token')
  })
}

/** Passwords and tokens in addresses. */
function addresses(text: string, out: Secret[]): void {
  each(URL_SECRET, text, (match) => {
    const [all, scheme, user, password] = match as unknown as [string, string, string, string | undefined]
    const at = match.index + scheme.length
    if (password !== undefined) {
      const example = password === 'password' && /^(?:user(?:name)?|scheme)$/i.test(user)
      if (password !== '' && !example && !isVariable(password) && !/^(?:[*x.…]+|<.*>|\{.*\}|%.*%)$/i.test(password))
        push(out, match.index + all.length - 1 - password.length, password, 'url-password')
    } else if (!PLAIN_USER.test(user) && user.length >= 16 && /[0-9]/.test(user)) push(out, at, user, 'url-password')
  })
}

const push = (out: Secret[], from: number, value: string, name: Secret['name']): void =>
  void out.push({ from, to: from + value.length, name })

function each(find: RegExp, text: string, act: (match: RegExpExecArray) => void): void {
  find.lastIndex = 0
  for (let match = find.exec(text); match !== null; match = find.exec(text)) act(match)
}

interface Value {
  readonly value: string
  readonly span: { readonly from: number; readonly to: number }
  readonly quoted: boolean
}

function valueAt(text: string, at: number): Value | undefined {
  VALUE.lastIndex = at
  const match = VALUE.exec(text)
  if (match === null) return undefined
  const group = [1, 2, 3, 4, 5].find((i) => match[i] !== undefined)!
  const value = match[group]!
  const from = at + (group === 1 ? 2 : group === 5 ? 0 : 1)
  return { value, span: { from, to: from + value.length }, quoted: group !== 5 }
}

/** `NAME=value` as the environment is listed and set: the name in capitals, nothing between it, the mark and the value. */
function isEnvironment(text: string, match: RegExpExecArray, at: number): boolean {
  if (text[at - 1] !== '=') return false
  const name = /[A-Za-z0-9_]*$/.exec(text.slice(Math.max(0, at - 65), at - 1))![0]
  return name.length >= match[0].length - 1 && /^[A-Z][A-Z0-9_]*$/.test(name)
}

function isSecret(value: string, strength: Strength, environment: boolean, quoted: boolean): boolean {
  if (value.startsWith('[ctx:redacted:') || isVariable(value) || PLACEHOLDER.test(value) || CODE.test(value))
    return false
  if (/\s/.test(value) || /^[-+]?(?:0x[0-9a-f]+|[0-9.,:]+)$/i.test(value)) return false
  if (strength === 'key') return isRandom(value, 16)
  if (environment) return value.length >= (strength === 'password' ? 3 : 6)
  const mixed = /[0-9]/.test(value) && /[A-Za-z]/.test(value)
  if (strength === 'password')
    return quoted ? value.length >= 6 : value.length >= 6 && (mixed || /[!#$%^*?]/.test(value))
  // An identifier of words is a name of a token; one with digits in it is a token where it is long and mixed.
  return value.length >= 8 && mixed && (quoted || value.length >= 12) && entropyOf(value) >= 2.5
}
