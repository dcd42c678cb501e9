/**
 * Masks secrets in what is recorded. It rather masks too much: a record is read by people who know what they ran, and
 * may be read by people who should not know what it ran with. Every repetition below is bounded or cannot be split in
 * two ways, so that no text takes long. Variables (`$TOKEN`) stay.
 */
import { maskNamed } from './redact-named.ts'
import { maskRandom } from './redact-random.ts'

export const MASK = '[masked]'

/** Text beyond this is neither looked at nor recorded: no recorded text is longer. UTF-16 units. */
export const MOST_TEXT = 16 * 1024

interface Rule {
  readonly find: RegExp
  readonly by: (...groups: string[]) => string
}

/** `scheme://user:password@` and `scheme://token@`: the scheme, the user, the password. A password may hold an `@`. */
export const URL_SECRET = /\b([a-z][a-z0-9+.-]{0,20}:\/\/)([^\s/?#'"`\\@:]{0,256})(?::([^\s/?#'"`]{0,512}))?@/gi
/** Users of an URL without a password that are no tokens. */
export const PLAIN_USER = /^(?:git|hg|\$\{?\w+\}?)$/

const RULES: readonly Rule[] = [
  // Key blocks, closed or not.
  {
    find: /-----BEGIN [A-Z0-9 ]{0,40}-----[\s\S]*?(?:-----END [A-Z0-9 ]{0,40}-----|$)/g,
    by: (all) => (/PRIVATE KEY|MESSAGE/.test(all!.slice(0, 60)) ? MASK : all!),
  },
  {
    find: URL_SECRET,
    by: (all, scheme, user, password) => {
      if (password !== undefined) return isVariable(password) ? all! : `${scheme}${user}:${MASK}@`
      return /^(?:|git|hg|\$\{?\w+\}?)$/.test(user!) ? all! : `${scheme}${MASK}@`
    },
  },
  {
    find: /\b((?:proxy-)?authorization["']?[ \t]{0,8}[:=][ \t]{0,8}["']?(?:(?:basic|bearer|token|digest|negotiate|apikey)[ \t]{1,8})?)([^"'\r\n]+)/gi,
    by: (all, name, value) => (isVariable(value!) ? all! : name + MASK),
  },
  { find: /\b((?:bearer|basic)[ \t]{1,8})[A-Za-z0-9._~+/=-]{8,}/gi, by: (_all, name) => name + MASK },
  { find: /\b((?:set-)?cookie["']?[ \t]{0,8}:[ \t]{0,8})[^"'\r\n]+/gi, by: (_all, name) => name + MASK },
  // Tokens that say what they are.
  { find: /\b(?:AKIA|ASIA|ABIA|ACCA|AGPA|AIDA|AROA|ANPA)[A-Z0-9]{12,}/g, by: () => MASK },
  {
    find: /\b(?:gh[pousr]_|github_pat_|glpat-|gl[a-z]{2,5}-|sk-|[srp]k_(?:live|test)_|whsec_|xox[a-z]-|xapp-|npm_|pypi-|hf_|dop_v1_|AIza|ya29\.|dckr_pat_|shpat_|SG\.|lin_api_|figd_|ATATT|AGE-SECRET-KEY-|hvs\.|vault:v1:|sq0[a-z]{3}-|eyJ)[A-Za-z0-9_.=/+-]{10,}/g,
    by: () => MASK,
  },
]

/**
 * What every secret that we mask has in or about it, in small letters. Text without any of it is as it was: most calls are
 * short, and fifteen patterns that run for the first time cost a cold start more than the verdict does.
 */
const SIGNS =
  '----- akia asia abia acca agpa aida aroa anpa pass pwd secret token cred key auth cookie connection bearer basic -user'.split(
    ' ',
  )
/** Beginnings of tokens, each with the pattern's own look at what follows. */
const TOKENS =
  'ghp_ gho_ ghu_ ghs_ ghr_ gl sk- k_live k_test whsec_ xox xapp npm_ pypi- hf_ op_v1 ckr_pat aiza ya29 shpat_ sg. lin_api figd_ atatt hvs. sq0 eyj vault:v1: github_pat'.split(
    ' ',
  )
const TOKEN =
  /(?:gh[pousr]_|github_pat_|vault:v1:|gl[a-z]{2,5}-|sk-|[srp]k_(?:live|test)_|whsec_|x(?:ox[a-z]|app)-|npm_|pypi-|hf_|d(?:op_v1|ckr_pat)_|AIza|ya29\.|shpat_|SG\.|lin_api_|figd_|ATATT|hvs\.|sq0[a-z]{3}-|eyJ)[A-Za-z0-9_.=/+-]{10}/i
/** Short names: of an option, or before a sign that gives a value. */
const NAMES = 'dsn pat otp pin session database'.split(' ')
const NAMED =
  /-[A-Za-z0-9_-]*(?:dsn|pat|otp|pin|session|database)|(?:dsn|pat|otp|pin|session|database)[^=:\s]{0,40}[ \t]{0,8}[=:]/i
/** Options by which programs take passwords: a blank, a dash, one of these letters. */
const FLAGS = 'uapw'

function hasFlag(low: string): boolean {
  for (let at = low.indexOf('-', 1); at > 0; at = low.indexOf('-', at + 1))
    if (FLAGS.includes(low[at + 1] ?? ' ') && low[at - 1]!.trim() === '') return true
  return false
}

/** What looks random holds a digit and is this long. */
const RUN = /[A-Za-z0-9+/_=-]{24}/
const SHORTEST_RUN = 24
/** What hosts name their sessions by. */
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const UUID_LENGTH = 36

/** `text` with its secrets masked, cut at 16 Ki characters. */
export function redact(text: string): string {
  if (text.length > MOST_TEXT || !isPlain(text)) return redactAll(text)
  // Only a long run may still be a secret: of the patterns just those for runs are needed.
  const hasRun = text.length >= SHORTEST_RUN && /\d/.test(text) && RUN.test(text)
  return hasRun && !(text.length === UUID_LENGTH && UUID.test(text)) ? maskRandom(text, MASK) : text
}

/** Whether no pattern but those for long runs can find anything. */
function isPlain(text: string): boolean {
  const low = text.toLowerCase()
  const holds = (sign: string) => low.includes(sign)
  if (SIGNS.some(holds) || (holds('://') && holds('@'))) return false
  if (hasFlag(low)) return false
  return !((TOKENS.some(holds) && TOKEN.test(text)) || (NAMES.some(holds) && NAMED.test(text)))
}

/** `redact` without the quick look. */
export function redactAll(text: string): string {
  // A cut may leave half a secret, which no pattern knows any more: the last word goes, too.
  let out = text.length > MOST_TEXT ? text.slice(0, MOST_TEXT).replace(/(?<=^|\s)\S+$/, '') : text
  for (const { find, by } of RULES) out = out.replace(find, by as (all: string) => string)
  return maskRandom(maskNamed(out, MASK, isVariable), MASK)
}

/** A value that names where the secret is, and is none: `$TOKEN`, `"$(pass show db)"`. */
export const isVariable = (value: string): boolean =>
  /^["']?\$[A-Za-z_{(]/.test(value) && !/^["']?\$\(\s*(?:echo|printf)\b/.test(value)
