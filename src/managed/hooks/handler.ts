/** Reads one handler of a `hooks.json`. */
import { type About, type Finding, finding, quoted, type Weight } from './findings.ts'
import type { Ordered } from './json.ts'
import type { Handler } from './model.ts'

/** Seconds, as published; and the most that a handler may hold a tool up. */
const TIMEOUT = { default: 30, most: 600 }

const KEYS = {
  command: ['type', 'command', 'timeout'],
  http: ['type', 'url', 'headers', 'timeout'],
} as const

/** Headers that the connection sets itself. */
const OWN_HEADERS =
  /^(?:host|content-length|transfer-encoding|connection|keep-alive|proxy-.*|te|trailer|upgrade|expect|http2-settings)$/i
const NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const VALUE = /^[\t\x20-\x7e\x80-\xff]*$/
/** Headers, or parts of their names, whose values are secrets. */
const SECRET = /^(?:authorization|cookie|x-api-key|api-key|x-goog-api-key)$|token|secret|password|credential/i

/** A value as a handler; one that cannot be one comes out as broken, and the findings say why. */
export function readHandler(
  value: Ordered,
  about: About,
): { readonly handler: Handler; readonly findings: readonly Finding[] } {
  const findings: Finding[] = []
  const say = (weight: Weight, id: string, text: string, line = about.line) =>
    void findings.push(finding(weight, id, text, { ...about, ...(line === undefined ? {} : { line }) }))
  const group = quoted(about.group ?? '')
  const broken = (id: string, why: string) => {
    say('allows', id, `a handler of the group ${group} is skipped: ${why}`)
    return { handler: { is: 'broken', why, line: value.line } as const, findings }
  }
  if (value.is !== 'object') return broken('handler.shape', 'it must be an object with type, command or url')
  const keys = new Map(value.members.map(({ key, value: part, line }) => [key, { part, line }]))
  const text = (key: string): string | undefined => {
    const part = keys.get(key)?.part
    return part?.is === 'scalar' && typeof part.value === 'string' ? part.value : undefined
  }
  const type = text('type')
  if (type !== 'command' && type !== 'http') {
    const written = keys.get('type')?.part
    const shown = written === undefined ? 'it has no type' : `its type is ${shownOf(written)}`
    return broken('handler.type', `${shown}; the types are "command" and "http"`)
  }
  for (const [key, { line }] of keys)
    if (!(KEYS[type] as readonly string[]).includes(key)) {
      const known = KEYS[type].join(', ')
      say(
        'note',
        'key.unknown',
        `${quoted(key)} in a ${type} handler of the group ${group} means nothing: there are ${known}`,
        line,
      )
    }
  const timeout = timeoutOf(keys.get('timeout'), group, say)
  if (type === 'command') {
    const command = text('command')
    if (command === undefined || command.trim() === '')
      return broken('command.shape', '"command" must be a command line')
    if (command.includes('\0')) return broken('command.shape', 'its command has a NUL byte')
    return { handler: { is: 'command', command, timeout, line: value.line }, findings }
  }
  const url = text('url')
  const fault = faultOfUrl(url)
  if (fault !== undefined) return broken('http.url', fault)
  const headers = headersOf(keys.get('headers')?.part, group, say)
  if (typeof headers === 'string') return broken('http.headers', headers)
  return { handler: { is: 'http', url: url!, headers, timeout, line: value.line }, findings }
}

const shownOf = (value: Ordered): string =>
  value.is === 'scalar'
    ? typeof value.value === 'string'
      ? quoted(value.value)
      : String(value.value)
    : `an ${value.is}`

type Say = (weight: Weight, id: string, text: string, line?: number) => void

function timeoutOf(
  given: { readonly part: Ordered; readonly line: number } | undefined,
  group: string,
  say: Say,
): number {
  if (given === undefined) return TIMEOUT.default
  const { part, line } = given
  const value = part.is === 'scalar' ? part.value : undefined
  if (typeof value === 'number' && Number.isInteger(value) && value > 0) {
    if (value <= TIMEOUT.most) return value
    say('note', 'handler.timeout', `the timeout ${value} in the group ${group} is cut to ${TIMEOUT.most} seconds`, line)
    return TIMEOUT.most
  }
  const way = `it must be a whole number of seconds, and ${TIMEOUT.default} is used`
  say('note', 'handler.timeout', `the timeout ${shownOf(part)} in the group ${group} is none: ${way}`, line)
  return TIMEOUT.default
}

function faultOfUrl(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return '"url" must be an https URL'
  if (!URL.canParse(text)) return 'its url is no URL'
  const url = new URL(text)
  // The url is not shown where it may hold a secret.
  if (url.username !== '' || url.password !== '') return 'its url has a user name or password: use network.allowlist'
  if (url.protocol !== 'https:') return `its url begins with ${url.protocol}//, only https is called`
  return undefined
}

/** The headers that are sent, or why there can be no such request. */
function headersOf(value: Ordered | undefined, group: string, say: Say): Readonly<Record<string, string>> | string {
  const out = new Map<string, readonly [string, string]>()
  if (value === undefined) return {}
  if (value.is !== 'object') {
    say('note', 'http.headers', `"headers" in the group ${group} are ignored: they must be an object`, value.line)
    return {}
  }
  for (const { key, value: part, line } of value.members) {
    const text = part.is === 'scalar' ? part.value : undefined
    if (/[\r\n\0]/.test(key) || (typeof text === 'string' && /[\r\n\0]/.test(text)))
      return 'a header has a line end or a NUL byte in it'
    const dropped = (why: string) =>
      say('note', 'http.headers', `the header ${quoted(key)} in the group ${group} is not sent: ${why}`, line)
    if (!NAME.test(key)) dropped('that is no name of a header')
    else if (OWN_HEADERS.test(key)) dropped('the connection sets it itself')
    else if (typeof text !== 'string') dropped('its value is no string')
    else if (!VALUE.test(text)) dropped('its value has characters that no header can carry')
    else {
      if (SECRET.test(key)) {
        const way = 'the agent can read it; let network.allowlist set it (credential, or transform)'
        say('note', 'http.secret', `the header ${quoted(key)} in the group ${group} looks like a secret: ${way}`, line)
      }
      out.set(key.toLowerCase(), [key, text])
    }
  }
  return Object.fromEntries(out.values())
}
