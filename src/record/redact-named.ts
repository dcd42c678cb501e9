/** Masks values whose name says that they are secret: `NAME=value`, `"name": "value"`, `--name value`, `-pvalue`. */

/** Names that are secret wherever they stand in a longer one (`PGPASSWORD`, `client_secret`). */
const ANYWHERE =
  'passw(?:or)?d|passphrase|secret|token|credential|api[_.-]?key|(?:access|private|signing|encryption|account|session|auth|master|storage)[_.-]?key|connection[_.-]?string|mysql_pwd'
/** Short names, which would be found in the middle of harmless words (`compass`, `author`). */
const ALONE = 'pass|pwd|auth|creds?|cookie|dsn|pat|database_url|session_?id|otp|pin'
const NAME = new RegExp(
  `${ANYWHERE}|(?<![A-Za-z])(?:${ALONE})(?![a-z])|(?<=[a-z])(?:Pass|Pwd|Auth|Creds?)(?![a-z])`,
  'gi',
)

/** From the end of the name to the value, for assignments and for options. */
const ASSIGNS = /[A-Za-z0-9_-]{0,24}\\?["']?[ \t]{0,8}(?:=>|:=|==?|:)[ \t]{0,8}/y
const FOLLOWS = /[A-Za-z0-9_-]{0,24}[ \t]{1,8}(?!-)/y
/** A value: quoted (also with escaped quotes, as JSON in a string is), or up to a blank or a mark that ends a word. */
const VALUE =
  /\\"(?:[^"\\]|\\[^"])*(?:\\"|$)|"(?:[^"\\]|\\[\s\S])*(?:"|$)|'[^']*(?:'|$)|(?:[^\s"'\\;|&<>,)}\]]|\\[\s\S])+/y
/** How far back an option may begin. */
const MOST_OPTION = 64

/** Programs with an option that takes a password, and the option. */
const SHORT_OPTIONS: readonly RegExp[] = [
  /\b(?:curl|wget|xh|https?)\b[^\n;|&]{0,200}?\s(?:-u|--user|--proxy-user|-U|-a|--auth)[ =]?(?=\S)/g,
  /\b(?:mysql|mysqldump|mysqladmin|mariadb|sshpass|7z|unzip|zip)\b[^\n;|&]{0,200}?\s-[pP] ?(?=\S)/g,
  /\b(?:docker|podman|helm|npm|redis-cli|ldapsearch|smbclient)\b[^\n;|&]{0,200}?\s-[paw][ \t]{1,8}(?=\S)/g,
]

/** `text` with the values of secret names as `mask`, except where `keeps` says that a value is none. */
export function maskNamed(text: string, mask: string, keeps: (value: string) => boolean): string {
  let out = replaceAfter(text, NAME, startOfValue, mask, keeps)
  for (const option of SHORT_OPTIONS) out = replaceAfter(out, option, (_text, match) => end(match), mask, keeps)
  return out
}

const end = (match: RegExpExecArray): number => match.index + match[0].length

/** Where the value of the name found begins, or undefined where the name has none. */
function startOfValue(text: string, match: RegExpExecArray): number | undefined {
  const from = end(match)
  ASSIGNS.lastIndex = from
  if (ASSIGNS.test(text)) return ASSIGNS.lastIndex
  FOLLOWS.lastIndex = from
  if (!FOLLOWS.test(text)) return undefined
  const before = text.slice(Math.max(0, match.index - MOST_OPTION), match.index)
  return /(?:^|\s)--?[A-Za-z0-9_-]*$/.test(before) ? FOLLOWS.lastIndex : undefined
}

function replaceAfter(
  text: string,
  find: RegExp,
  start: (text: string, match: RegExpExecArray) => number | undefined,
  mask: string,
  keeps: (value: string) => boolean,
): string {
  let out = ''
  let done = 0
  find.lastIndex = 0
  for (let match = find.exec(text); match !== null; match = find.exec(text)) {
    const at = start(text, match)
    if (at === undefined) continue
    // A token in front may be masked already; what hangs on to it goes, too.
    const skip = text.startsWith(mask, at) ? mask.length : 0
    VALUE.lastIndex = at + skip
    const value = VALUE.exec(text)?.[0]
    if (value === undefined || (skip === 0 && keeps(value))) continue
    out += text.slice(done, at) + mask
    done = at + skip + value.length
    find.lastIndex = done
  }
  return out + text.slice(done)
}
