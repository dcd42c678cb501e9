/**
 * Masks secrets in what is shown. An output is read to learn something, so what is no secret must stay: hashes, names,
 * versions, encoded data. A mask names the kind of what it hides, and the same secret always has the same mask for one
 * user, so that two places can be compared; the key keeps a short secret from being guessed by its mask.
 */
import { sha256HexOfBytes } from '../../core/hash.ts'
import { encodeUtf8 } from '../../core/utf8.ts'
import { keyBlocks } from './blocks.ts'
import { KINDS } from './kinds.ts'
import { namedSecrets } from './named.ts'
import { randomTokens } from './random.ts'

/** A secret in a text, in UTF-16 offsets; `name` is the kind of `kinds.ts`, `url-password` or `random-token`. */
export interface Secret {
  readonly from: number
  readonly to: number
  readonly name: string
}

export interface Masked {
  readonly text: string
  /** Values that were masked. */
  readonly masked: number
  /** Their kinds, each once, sorted. */
  readonly names: readonly string[]
}

/** A mask as it is written. */
export const MARKER = /\[ctx:redacted:[a-z-]{1,32}:[0-9a-f]{8}\]/g

/**
 * What any secret has in or about it. Lines without any of it are most of what there is, and looked at once.
 */
const SUSPICIOUS =
  /A(?:KIA|SIA|BIA|CCA|Iza|TATT3|GE-SEC)|[sr]k[_-]|SK[0-9a-f]{8}|gh[pousr]_|github_pat|gl[a-z]{2,5}-|xox[a-z]-|xapp-|hooks\.slack|whsec_|SG\.|npm_|_auth|pypi-Ag|hf_|api_org_|eyJ|ya29\.|GOCSPX|do[opr]_v1|dckr_|shp[a-z]{2}_|lin_|figd_|hv[sbr]\.|sq0|dapi|rubygems_|glsa_|pul-|PMAK|tskey|PRIVATE KEY|LS0tLS1CRUdJTi|:\/\/[^\s/]{1,512}@|passw|passp|_pwd|_pass|\bpass|secret|token|credential|key|authorization|bearer|cookie|session_?id|connection|\bauth|\bpin|otp|dsn|database_url|twilio|x-amz|[?&]sig|(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{32}/i

/** The secrets of `text`, in order, none of which touches another. */
export function secretsIn(text: string): Secret[] {
  if (!SUSPICIOUS.test(text)) return []
  const found: Secret[] = text.includes(KEY_MARK) ? keyBlocks(text) : []
  for (const { name, find, accepts } of KINDS) {
    find.lastIndex = 0
    for (let match = find.exec(text); match !== null; match = find.exec(text)) {
      const from = match.index + (match[1]?.length ?? 0)
      const to = match.index + match[0].length
      if (accepts?.(text.slice(from, to)) ?? true) found.push({ from, to, name })
    }
  }
  found.push(...namedSecrets(text), ...randomTokens(text))
  return merged(found, masksIn(text))
}

/** Places of masks that are there already: masking twice is masking once. */
function masksIn(text: string): { from: number; to: number }[] {
  if (!text.includes('[ctx:redacted:')) return []
  return [...text.matchAll(MARKER)].map((match) => ({ from: match.index, to: match.index + match[0].length }))
}

/**
 * Pieces that overlap become one, under the name of the first that was found: the kinds are in order of what they tell.
 * `masks`: in order; what touches one of them is none.
 */
function merged(found: readonly Secret[], masks: readonly { from: number; to: number }[]): Secret[] {
  const rank = new Map(found.map((secret, i) => [secret, i]))
  const sorted = [...found].sort((a, b) => a.from - b.from || rank.get(a)! - rank.get(b)!)
  const out: { from: number; to: number; name: string; rank: number }[] = []
  let next = 0
  for (const secret of sorted) {
    while (next < masks.length && masks[next]!.to <= secret.from) next++
    if (secret.to <= secret.from || (next < masks.length && masks[next]!.from < secret.to)) continue
    const last = out.at(-1)
    const own = rank.get(secret)!
    if (last === undefined || secret.from >= last.to) {
      out.push({ ...secret, rank: own })
      continue
    }
    last.to = Math.max(last.to, secret.to)
    if (own < last.rank) Object.assign(last, { name: secret.name, rank: own })
  }
  return out.map(({ from, to, name }) => ({ from, to, name }))
}

/**
 * `text` with every secret as `[ctx:redacted:<name>:<8 hex>]`; nothing else changes. Pure: the same text and key give the
 * same result. `key`: the user's own (`key.ts`), so that nobody else can try values against a mask.
 */
export function mask(text: string, key: Uint8Array | string): Masked {
  return maskSlice('', text, '', key)
}

/**
 * `mask` of a slice with what stands before and behind it in the capture, which decides but is not returned: a slice that
 * begins within a private key or within a token shows none of it. Lines around it are enough; more of them cost time only.
 */
export function maskSlice(before: string, text: string, behind: string, key: Uint8Array | string): Masked {
  const from = reachBefore(before, text, behind)
  const to = reachBehind(before, text, behind)
  return maskPart(before.slice(from), text, behind.slice(0, to), key)
}

function maskPart(before: string, text: string, behind: string, key: Uint8Array | string): Masked {
  const whole = before + text + behind
  const end = before.length + text.length
  const names = new Set<string>()
  let out = ''
  let at = before.length
  let masked = 0
  for (const { from, to, name } of secretsIn(whole)) {
    if (to <= before.length || from >= end) continue
    if (from > at) out += whole.slice(at, from)
    out += marker(name, whole.slice(from, to), key)
    at = Math.min(to, end)
    masked++
    names.add(name)
  }
  return { text: masked === 0 ? text : out + whole.slice(at, end), masked, names: [...names].sort() }
}

/** Private keys alone go over lines. */
const KEY_MARK = 'PRIVATE KEY'
/** Characters before a line that may say what a value in it is, and line ends between a login and its password. */
const SAID_BEFORE = 64
const NETRC_LINES = 12

/**
 * From where on `before` can say what in `text` is a secret: all of it where a private key is near, else from the
 * beginning of a line on that is far enough back.
 */
function reachBefore(before: string, text: string, behind: string): number {
  const own = before.lastIndexOf('\n') + 1
  if (own === 0 || before.includes(KEY_MARK) || text.includes(KEY_MARK) || behind.includes(KEY_MARK)) return 0
  let at = own
  if (/password/i.test(before.slice(own)) || /password/i.test(text))
    for (let lines = 0; at > 0 && lines < NETRC_LINES; lines++) at = before.lastIndexOf('\n', at - 2) + 1
  else {
    at = before.lastIndexOf('\n', own - 2) + 1
    if (own - at < SAID_BEFORE) at = before.lastIndexOf('\n', own - SAID_BEFORE) + 1
  }
  // With the line end before it: an option begins behind one.
  return Math.max(0, at - 1)
}

/** Up to where `behind` can: the rest of the line and the next one, unless a private key is near. */
function reachBehind(before: string, text: string, behind: string): number {
  const own = behind.indexOf('\n')
  if (own < 0 || before.includes(KEY_MARK) || text.includes(KEY_MARK) || behind.includes(KEY_MARK)) return behind.length
  const next = behind.indexOf('\n', own + 1)
  return next < 0 ? behind.length : next + 1
}

/** The mask of one secret. Line ends and prefixes of lines are part of it: only the same text has the same mask. */
export const marker = (name: string, secret: string, key: Uint8Array | string): string =>
  `[ctx:redacted:${name}:${hmac(key, secret).slice(0, 8)}]`

const BLOCK = 64

/** HMAC with SHA-256 (RFC 2104), as hexadecimal digits. */
export function hmac(key: Uint8Array | string, text: string): string {
  let bytes = typeof key === 'string' ? encodeUtf8(key) : key
  if (bytes.length > BLOCK) bytes = hexBytes(sha256HexOfBytes(bytes))
  const inner = new Uint8Array(BLOCK).fill(0x36)
  const outer = new Uint8Array(BLOCK).fill(0x5c)
  for (let i = 0; i < bytes.length; i++) {
    inner[i]! ^= bytes[i]!
    outer[i]! ^= bytes[i]!
  }
  return sha256HexOfBytes(joined(outer, hexBytes(sha256HexOfBytes(joined(inner, encodeUtf8(text))))))
}

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const out = new Uint8Array(a.length + b.length)
  out.set(a)
  out.set(b, a.length)
  return out
}

const hexBytes = (hex: string): Uint8Array =>
  Uint8Array.from({ length: hex.length / 2 }, (_, i) => Number.parseInt(hex.slice(2 * i, 2 * i + 2), 16))
