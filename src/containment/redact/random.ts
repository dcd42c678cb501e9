/** Long tokens without a name and without a form: found by how random they look, and by what they are not. */
import { changesOf, isPath, UUID } from '../../record/redact-random.ts'
import type { Secret } from './redact.ts'

/** Characters of the shortest token that is taken for a key with nothing around it that says so. */
const LONG = 32
/** More than this is data, not a key: an image, an archive, a map of a script. */
const MOST = 1024
/** Lower case, upper case and digits take turns in a random text at about 0.6 of its characters, in names at 0.2. */
const CHANGES = 0.4
/** Bits per character: repetitions have less. */
const ENTROPY = 3.8
/** Share of characters in runs of four and more small letters: words have most of theirs there. */
const WORDY = 0.4
/** Lines of encoded data are so long at least. */
const DATA_LINE = 60

/** Looked for at the beginning of a run alone: shorter ones would be tried from each of their characters. */
const RUN = /(?<![A-Za-z0-9+/_=-])[A-Za-z0-9+/_=-]{32,}/g
/** What says that a hash, a public key or data follows. */
const PUBLIC =
  /(?:\bsha-?\d{1,3}|\bmd5|\bh1|\bblake\w{0,8}|integrity|etag|nonce|checksum|digest|hash(?:es)?|base64,|fingerprint|build.?id|\bssh-(?:rsa|dss|ed25519)|\becdsa-sha2-\S{1,24}|\bcert(?:ificate)?|signature|pub(?:lic)?[-_ ]?key\w{0,8}|\bid)["']?(?:[-:=,\s"'/(]|%3[AD]){0,6}$/i
/** First characters of images, archives, fonts, documents, programs, public keys, certificates and script maps in base64. */
const DATA =
  /^(?:iVBORw0KGgo|\/9j\/|R0lGOD|UklGR|JVBERi|PHN2Zy|PD94|UEsDB|H4sI|Qlpo|d09GM?R|d09GMg|T1RUTw|AAEAAAA|AGFzbQ|eyJ2ZXJz|AAAAB3|AAAAC3|AAAAE2|f0VMR|LS0tLS1CRUdJTiBD|LS0tLS1CRUdJTiBQVUJM)/

/** Whether `run` looks like a random key: three kinds of characters that take turns, and no words. */
export function isRandom(run: string, least = LONG): boolean {
  if (run.length < least || run.length > MOST || UUID.test(run)) return false
  if (!/[a-z]/.test(run) || !/[A-Z]/.test(run) || !/[0-9]/.test(run) || /^(?:0x)?[0-9a-fA-F]+$/.test(run)) return false
  const { changes, counted } = changesOf(run)
  if (counted < least * 0.8 || changes / counted < CHANGES) return false
  let inWords = 0
  for (const word of run.match(/[a-z]{4,}/g) ?? []) inWords += word.length
  return inWords / counted < WORDY && entropyOf(run) >= Math.min(ENTROPY, Math.log2(run.length) * 0.8)
}

/** Shannon entropy in bits per character. */
export function entropyOf(text: string): number {
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  let bits = 0
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length)
  return bits
}

/** Random tokens of `text` that nothing around them explains. */
export function randomTokens(text: string): Secret[] {
  const out: Secret[] = []
  RUN.lastIndex = 0
  for (let match = RUN.exec(text); match !== null; match = RUN.exec(text)) {
    const from = match.index
    const run = match[0]
    if (run.length > MOST * 8 || explained(text, from, run)) continue
    for (const piece of piecesOf(run))
      if (!explained(text, from + piece.from, run.slice(piece.from, piece.to)))
        out.push({ from: from + piece.from, to: from + piece.to, name: 'random-token' })
  }
  return out
}

/** The random stretches of a run: the whole of it, or the parts between the slashes of a path and behind a `name=`. */
function piecesOf(run: string): { from: number; to: number }[] {
  const lead = /^[A-Za-z_-]{0,40}[A-Za-z]=(?=[^=])/.exec(run)?.[0].length ?? 0
  const whole = run.slice(lead)
  if (!whole.includes('/') || (!isPath(whole) && isRandom(whole.replaceAll('/', ''))))
    return isRandom(whole.replace(/=+$/, '')) ? [{ from: lead, to: run.length }] : []
  const out: { from: number; to: number }[] = []
  for (let from = lead; from < run.length; ) {
    const end = run.indexOf('/', from)
    const to = end === -1 ? run.length : end
    if (isRandom(run.slice(from, to))) out.push({ from, to })
    from = to + 1
  }
  return out
}

function explained(text: string, from: number, run: string): boolean {
  const to = from + run.length
  const before = text.slice(Math.max(0, from - 48), from)
  return (
    DATA.test(run) ||
    PUBLIC.test(before) ||
    // A file's name with a hash in it, a symbol of a compiler, a key that is published, a part of an address.
    /^\.[a-z][a-z0-9]{0,7}\b/.test(text.slice(to, to + 9)) ||
    /^(?:_?_Z|_R|_?\?|\$s|pk_(?:live|test)_)/.test(run) ||
    /(?:[\w.]\/#?|%[0-9A-F]{2})$/.test(before) ||
    isDataLine(text, from, to) ||
    /base64[,%][A-Za-z0-9+/=%]*$/.test(text.slice(Math.max(0, from - MOST * 8), from))
  )
}

/** Whether the run is a whole line among lines of encoded data. */
function isDataLine(text: string, from: number, to: number): boolean {
  const start = text.lastIndexOf('\n', from - 1) + 1
  const close = text.indexOf('\n', to)
  const end = close === -1 ? text.length : close
  if (text.slice(start, from).trim() !== '' || text.slice(to, end).trim() !== '') return false
  const before = start === 0 ? '' : text.slice(text.lastIndexOf('\n', start - 2) + 1, start - 1)
  const behind = end === text.length ? '' : text.slice(end + 1, lineEnd(text, end + 1))
  const length = to - from
  return (
    (length >= DATA_LINE && (isData(behind, 1) || isData(before, length))) ||
    // The last line of a block is shorter than the one before it.
    (length < DATA_LINE && isData(before, DATA_LINE))
  )
}

const isData = (line: string, least: number): boolean =>
  line.trim().length >= least && /^\s*[A-Za-z0-9+/_=-]+\s*$/.test(line)

function lineEnd(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}
