/**
 * Addresses of captured bytes: one grammar for everything that prints or reads one.
 *
 * `(run|blob|job):<6–64 hex>[#stdout|#stderr|#merged]` or `repo:<path>`, with at most one selector. Without a stream a run
 * is read as `#merged`: both streams in the order in which they came.
 */

export type Stream = 'stdout' | 'stderr' | 'merged'

export type Handle =
  /** `id`: 6 to 64 hexadecimal digits, lower-case; a prefix of the whole id. */
  | { readonly is: 'run' | 'blob' | 'job'; readonly id: string; readonly stream?: Stream }
  /** `path`: below the workspace, without `..`. Empty: the workspace itself. */
  | { readonly is: 'repo'; readonly path: string }

export type Selector =
  /** From 1, both ends included. `anchor`: a short hash of the lines, for files that may change. */
  | { readonly by: 'lines'; readonly from: number; readonly to: number; readonly anchor?: string }
  /** From 0, both ends included. */
  | { readonly by: 'bytes'; readonly from: number; readonly to: number }
  /** Lines of JSON that are not blank, from 1, both ends included. */
  | { readonly by: 'records'; readonly from: number; readonly to: number }
  /** RFC 6901. */
  | { readonly by: 'pointer'; readonly pointer: string }
  /** Occurrences of a shape of the digest, from 1, both ends included; all where no range is given. */
  | { readonly by: 'shape'; readonly shape: number; readonly from?: number; readonly to?: number }

export interface Address {
  readonly handle: Handle
  readonly selector?: Selector
}

/** Not an address. `refused`: a clause without a full stop that says what is wrong and what would be right. */
export interface NoAddress {
  readonly refused: string
}

/** Digits of an id that are shown. */
export const SHOWN_DIGITS = 12
/** Digits that an id needs at least: fewer would often name several things. */
export const LEAST_DIGITS = 6

const STREAMS: readonly string[] = ['stdout', 'stderr', 'merged'] satisfies readonly Stream[]

/** The flags of the selectors, as `get` knows them. */
export const SELECTOR_FLAGS = ['--lines', '--bytes', '--records', '--json-pointer', '--shape'] as const
type SelectorFlag = (typeof SELECTOR_FLAGS)[number]

const FORMS: Readonly<Record<SelectorFlag, string>> = {
  '--lines': 'A:B or A:B@anchor, lines counted from 1',
  '--bytes': 'A:B, bytes counted from 0',
  '--records': 'A:B, records counted from 1',
  '--json-pointer': 'empty or a path such as /items/0',
  '--shape': 'N or N:A:B, counted from 1',
}

/** Reads a handle: what stands before the selector. */
export function parseHandle(text: string): Handle | NoAddress {
  const colon = text.indexOf(':')
  const is = text.slice(0, Math.max(0, colon))
  const rest = text.slice(colon + 1)
  if (is === 'repo') return repoHandle(rest)
  if (is !== 'run' && is !== 'blob' && is !== 'job')
    return { refused: `${JSON.stringify(text)} is no address; one begins with run:, blob:, job: or repo:` }
  const [, digits = '', hash, stream = ''] = /^([^#]*)(#(.*))?$/s.exec(rest) ?? []
  const id = digits.toLowerCase()
  if (!/^[0-9a-f]*$/.test(id))
    return { refused: `${JSON.stringify(digits)} is no id; an id is made of hexadecimal digits` }
  if (id.length < LEAST_DIGITS || id.length > 64)
    return { refused: `${is}:${id} has ${id.length} digits; an id needs ${LEAST_DIGITS} to 64` }
  if (hash === undefined) return { is, id }
  if (!STREAMS.includes(stream)) return { refused: `#${stream} is no stream; the streams are #${STREAMS.join(', #')}` }
  return { is, id, stream: stream as Stream }
}

function repoHandle(given: string): Handle | NoAddress {
  if (given.includes('\0')) return { refused: 'a path holds no zero byte' }
  if (/^[\\/]/.test(given) || /^[A-Za-z]:[\\/]/.test(given))
    return { refused: `repo:${given} is absolute; a path of repo: begins at the workspace` }
  const parts = given.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.some((part) => part === '..')) return { refused: `repo:${given} leads out of the workspace` }
  return { is: 'repo', path: parts.join('/') }
}

/** Reads one selector: a flag of `SELECTOR_FLAGS` and its value. */
export function parseSelector(flag: string, value: string): Selector | NoAddress {
  switch (flag) {
    case '--lines': {
      const [range = '', anchor] = splitOnce(value, '@')
      const pair = rangeOf(range, 1)
      if (pair === undefined || (anchor !== undefined && !/^[0-9a-f]{4,64}$/i.test(anchor)))
        return malformed(flag, value)
      return { by: 'lines', ...pair, ...(anchor === undefined ? {} : { anchor: anchor.toLowerCase() }) }
    }
    case '--bytes': {
      const pair = rangeOf(value, 0)
      return pair === undefined ? malformed(flag, value) : { by: 'bytes', ...pair }
    }
    case '--records': {
      const pair = rangeOf(value, 1)
      return pair === undefined ? malformed(flag, value) : { by: 'records', ...pair }
    }
    case '--json-pointer':
      return /^(?:\/(?:[^~]|~[01])*)?$/s.test(value) ? { by: 'pointer', pointer: value } : malformed(flag, value)
    case '--shape': {
      const [number = '', range] = splitOnce(value, ':')
      const shape = wholeFrom(number, 1)
      const pair = range === undefined ? {} : rangeOf(range, 1)
      return shape === undefined || pair === undefined ? malformed(flag, value) : { by: 'shape', shape, ...pair }
    }
    default:
      return { refused: `${flag} is no selector; the selectors are ${SELECTOR_FLAGS.join(', ')}` }
  }
}

const malformed = (flag: SelectorFlag, value: string): NoAddress => ({
  refused: `${flag} ${JSON.stringify(value)} is malformed; it takes ${FORMS[flag]}`,
})

function splitOnce(text: string, at: string): [string, string?] {
  const place = text.indexOf(at)
  return place < 0 ? [text] : [text.slice(0, place), text.slice(place + 1)]
}

function wholeFrom(text: string, least: number): number | undefined {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) && value >= least ? value : undefined
}

function rangeOf(text: string, least: number): { from: number; to: number } | undefined {
  const [first = '', second] = splitOnce(text, ':')
  const from = wholeFrom(first, least)
  const to = wholeFrom(second ?? '', least)
  return from === undefined || to === undefined || to < from ? undefined : { from, to }
}

/**
 * Reads an address in one text: a handle, and behind a space at most one selector as in `run:0123ab#stdout --lines 3:9`.
 * A pointer is the whole rest of the text, without quotes.
 */
export function parseAddress(text: string): Address | NoAddress {
  const found = /^(.*?) (--(?:lines|bytes|records|json-pointer|shape))(?: (.*))?$/s.exec(text)
  const handle = parseHandle(found?.[1] ?? text)
  if ('refused' in handle || found === null) return 'refused' in handle ? handle : { handle }
  const selector = parseSelector(found[2] ?? '', found[3] ?? '')
  return 'refused' in selector ? selector : { handle, selector }
}

/** The words of an address as arguments of `ctx get`: the handle, and where there is a selector its flag and value. */
export function addressWords({ handle, selector }: Address): readonly string[] {
  const first = handleText(handle)
  switch (selector?.by) {
    case undefined:
      return [first]
    case 'lines':
      return [
        first,
        '--lines',
        `${selector.from}:${selector.to}${selector.anchor === undefined ? '' : `@${selector.anchor}`}`,
      ]
    case 'bytes':
      return [first, '--bytes', `${selector.from}:${selector.to}`]
    case 'records':
      return [first, '--records', `${selector.from}:${selector.to}`]
    case 'pointer':
      return [first, '--json-pointer', selector.pointer]
    case 'shape': {
      const range = selector.from === undefined ? '' : `:${selector.from}:${selector.to ?? selector.from}`
      return [first, '--shape', `${selector.shape}${range}`]
    }
  }
}

/** An address in one text, as `parseAddress` reads it. */
export const formatAddress = (address: Address): string => addressWords(address).join(' ')

/** An address as words of a shell line: quoted where a shell would read more into them. */
export const shellAddress = (address: Address): string => addressWords(address).map(quoted).join(' ')

/** A word as a shell reads it back: quoted where it would read more into it. */
export const quoted = (word: string): string =>
  /^[\w@%+=:,./#-]+$/.test(word) && !word.startsWith('#') ? word : `'${word.replaceAll("'", `'\\''`)}'`

/** A handle with its id as long as it is given. */
export function handleText(handle: Handle): string {
  if (handle.is === 'repo') return `repo:${handle.path}`
  return `${handle.is}:${handle.id}${handle.stream === undefined ? '' : `#${handle.stream}`}`
}

/** The handle that is shown for a whole id. */
export const shown = (is: 'run' | 'blob' | 'job', id: string): string => `${is}:${id.slice(0, SHOWN_DIGITS)}`
