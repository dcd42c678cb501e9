/**
 * Paths as text: nothing here knows whether anything exists. `link/..` is not the parent of `link`, so joining keeps
 * `..`; only `normalise` removes it, and only `resolve.ts` says where a path really leads.
 */

/** How a platform writes paths. */
export type Flavour = 'posix' | 'win32'

export const flavourOf = (platform: 'linux' | 'darwin' | 'win32'): Flavour => (platform === 'win32' ? 'win32' : 'posix')

export const separatorOf = (flavour: Flavour): '/' | '\\' => (flavour === 'win32' ? '\\' : '/')

/**
 * The name under which a file system that folds case finds a text. Upper case first, so that letters with several
 * small forms (long s, final sigma) meet; composed, since such systems ignore the form as well.
 */
export const foldCase = (text: string): string => text.normalize('NFC').toUpperCase().toLowerCase()

const DRIVE = /^[a-z]:/i
/** Git Bash and MSYS write `C:\x` as `/c/x`. */
const MSYS_DRIVE = /^\/([a-z])(?=\/|$)/i
const VERBATIM = /^\\\\[?.]\\(?=[a-z]:(?:\\|$))/i
const VERBATIM_UNC = /^\\\\[?.]\\unc\\/i

/** A Windows path with backslashes and without the prefixes that only switch rewriting off. */
function backslashed(path: string): string {
  const msys = path.replace(MSYS_DRIVE, (_, letter: string) => `${letter}:/`)
  return msys.replaceAll('/', '\\').replace(VERBATIM, '').replace(VERBATIM_UNC, '\\\\')
}

/**
 * Splits a path into its root and the rest. Root is `/`, `C:\`, `\\server\share\`, `\` (root of the present drive),
 * `C:` (relative to a drive) or empty for a relative path. Drive letters become upper case.
 */
export function splitRoot(path: string, flavour: Flavour): { root: string; rest: string } {
  if (flavour === 'posix') {
    let at = 0
    while (path.charCodeAt(at) === 47) at++
    return at === 0 ? { root: '', rest: path } : { root: '/', rest: path.slice(at) }
  }
  const text = backslashed(path)
  if (DRIVE.test(text)) {
    const drive = text.slice(0, 2).toUpperCase()
    return text[2] === '\\' ? { root: `${drive}\\`, rest: text.slice(3) } : { root: drive, rest: text.slice(2) }
  }
  const unc = /^\\\\([^\\]+)\\+([^\\]+)(?:\\+|$)/.exec(text)
  if (unc) return { root: `\\\\${unc[1]}\\${unc[2]}\\`, rest: text.slice(unc[0].length) }
  return text.startsWith('\\') ? { root: '\\', rest: text.slice(1) } : { root: '', rest: text }
}

/** True where nothing but the path itself says what it names. */
export function isAbsolute(path: string, flavour: Flavour): boolean {
  const { root } = splitRoot(path, flavour)
  return flavour === 'posix' ? root !== '' : root.length > 2
}

/** Whether an absolute path of POSIX holds nothing that is written another way: no `.`, `..`, doubled or last slash. */
function isTidy(path: string): boolean {
  if (path.charCodeAt(0) !== 47) return false
  const { length } = path
  for (let at = 0; at >= 0; at = path.indexOf('/', at + 1)) {
    const next = at + 1
    if (next === length || path.charCodeAt(next) === 47) return false
    if (path.charCodeAt(next) !== 46) continue
    const after = path.charCodeAt(next + 1) === 46 ? next + 2 : next + 1
    if (after >= length || path.charCodeAt(after) === 47) return false
  }
  return true
}

/** Components of what follows the root: empty ones and `.` are gone, `..` stays. */
export function components(path: string, flavour: Flavour): string[] {
  if (flavour === 'posix' && isTidy(path)) return path.slice(1).split('/')
  const out: string[] = []
  for (const part of splitRoot(path, flavour).rest.split(separatorOf(flavour))) {
    if (part !== '' && part !== '.') out.push(flavour === 'win32' ? cleanName(part) : part)
  }
  return out
}

/** Windows drops trailing blanks and dots, and what follows a colon names a stream of the same file. */
function cleanName(name: string): string {
  if (name === '..') return name
  const colon = name.indexOf(':')
  const base = (colon > 0 ? name.slice(0, colon) : name).replace(/[ .]+$/, '')
  return base === '' ? name : base
}

/** Joins `path` to the directory `base` without removing `..`; an absolute `path` stands alone. */
export function join(base: string, path: string, flavour: Flavour = 'posix'): string {
  if (path === '') return base
  if (isAbsolute(path, flavour)) return path
  if (flavour === 'win32') {
    const { root, rest } = splitRoot(path, flavour)
    const own = splitRoot(base, flavour)
    if (root === '\\') return own.root + rest
    // `D:x` means the directory last used on D:, which nobody knows; its root is the nearest thing to say.
    if (root !== '') return own.root.startsWith(root) ? join(base, rest, flavour) : `${root}\\${rest}`
  }
  const separator = separatorOf(flavour)
  return base.endsWith(separator) || base === '' || (flavour === 'win32' && base.endsWith('/'))
    ? base + path
    : base + separator + path
}

/** The path without `.`, `..`, doubled and trailing separators, as if nothing were a link. */
export function normalise(path: string, flavour: Flavour = 'posix'): string {
  if (flavour === 'posix' && isTidy(path)) return path
  const { root } = splitRoot(path, flavour)
  const out: string[] = []
  for (const part of components(path, flavour)) {
    if (part !== '..') out.push(part)
    else if (out.length > 0 && out.at(-1) !== '..') out.pop()
    else if (root === '') out.push('..')
  }
  const text = root + out.join(separatorOf(flavour))
  return text === '' ? '.' : text
}

/** Absolute and normalised: `path` seen from the absolute directory `base`. */
export const absolute = (base: string, path: string, flavour: Flavour = 'posix'): string =>
  normalise(join(base, path, flavour), flavour)

/** The directory that holds a path; a root holds itself. */
export function dirname(path: string, flavour: Flavour = 'posix'): string {
  const { root } = splitRoot(path, flavour)
  const parts = components(path, flavour)
  parts.pop()
  return root + parts.join(separatorOf(flavour)) || '.'
}

/** The last component, empty for a root. */
export const basename = (path: string, flavour: Flavour = 'posix'): string => components(path, flavour).at(-1) ?? ''

/** How two paths are compared. */
export interface PathSense {
  readonly flavour: Flavour
  readonly foldsCase: boolean
}

export const POSIX: PathSense = { flavour: 'posix', foldsCase: false }

/** A normalised path in the form in which equal places are equal texts. */
export function keyOfPath(path: string, sense: PathSense): string {
  const text = normalise(path, sense.flavour)
  return sense.foldsCase ? foldCase(text) : text
}

/** True where `path` is `dir` or lies below it. Both are read as text. */
export function isInside(path: string, dir: string, sense: PathSense = POSIX): boolean {
  return keyInside(keyOfPath(path, sense), keyOfPath(dir, sense), sense.flavour)
}

/** `isInside` for two texts that `keyOfPath` has made. */
export function keyInside(path: string, dir: string, flavour: Flavour): boolean {
  if (!path.startsWith(dir)) return false
  const separator = separatorOf(flavour)
  return path.length === dir.length || dir.endsWith(separator) || path[dir.length] === separator
}

/** `path` as seen from `dir` (empty where they are equal), or undefined where it does not lie inside. */
export function relativeTo(dir: string, path: string, sense: PathSense = POSIX): string | undefined {
  if (sense.flavour === 'posix' && !sense.foldsCase && isTidy(dir) && isTidy(path)) {
    if (!path.startsWith(dir)) return undefined
    return path.length === dir.length ? '' : path.charCodeAt(dir.length) === 47 ? path.slice(dir.length + 1) : undefined
  }
  if (!isInside(path, dir, sense)) return undefined
  const skip = components(normalise(dir, sense.flavour), sense.flavour).length
  return components(normalise(path, sense.flavour), sense.flavour).slice(skip).join(separatorOf(sense.flavour))
}

/** Every directory above a path, the nearest first, the root last. */
export function parentsOf(path: string, flavour: Flavour = 'posix'): string[] {
  const { root } = splitRoot(path, flavour)
  const parts = components(normalise(path, flavour), flavour)
  const out: string[] = []
  for (let n = parts.length - 1; n >= 0; n--) out.push(root + parts.slice(0, n).join(separatorOf(flavour)) || '.')
  return out
}

/** `parentsOf`, one after the other: most callers want the nearest alone. */
export function* dirsAbove(path: string, flavour: Flavour = 'posix'): Generator<string> {
  if (flavour !== 'posix' || !isTidy(path)) return yield* parentsOf(path, flavour)
  for (let at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) yield path.slice(0, at)
  yield '/'
}

const HOME_PREFIX = /^(?:~([A-Za-z0-9._-]*)|\$HOME|\$\{HOME\})(?=[/\\]|$)/

/**
 * A path argument of a tool that is no shell (`~/x`, `~name/x`, `$HOME/x`, `${HOME}/x`) with the home directory put
 * in; `~name` is a sibling of `home`. Undefined where the text begins with none of these.
 */
export function expandHome(text: string, home: string, user: string, flavour: Flavour = 'posix'): string | undefined {
  const match = HOME_PREFIX.exec(text)
  if (!match) return undefined
  const name = match[1] ?? ''
  const place = name === '' || name === user ? home : join(dirname(home, flavour), name, flavour)
  return place + text.slice(match[0].length)
}

/**
 * The path that a `file:` URL names, or undefined where the text is no such URL. `unverifiable`: another host, user
 * information, no absolute path, or bad percent signs. Percent signs are decoded once and nothing is normalised, since
 * `..` may follow a link.
 */
export function fileUrlPath(
  text: string,
  flavour: Flavour = 'posix',
): { readonly path: string } | 'unverifiable' | undefined {
  if (!/^file:/i.test(text)) return undefined
  let rest = text.slice(5).replace(/[?#].*$/s, '')
  if (rest.startsWith('//')) {
    const end = rest.indexOf('/', 2)
    const authority = end < 0 ? rest.slice(2) : rest.slice(2, end)
    if (authority !== '' && authority.toLowerCase() !== 'localhost') return 'unverifiable'
    rest = end < 0 ? '' : rest.slice(end)
  }
  let path: string
  try {
    path = decodeURIComponent(rest)
  } catch {
    return 'unverifiable'
  }
  if (flavour === 'win32') path = path.replace(/^[/\\]+(?=[a-z]:)/i, '')
  return path.includes('\0') || !isAbsolute(path, flavour) ? 'unverifiable' : { path }
}

/**
 * A path as tables and patterns compare it, the same on every platform: `home/dev/x`, `C:/Users/x`,
 * `//server/share/x`, empty for `/`; `..` removed; folded where names are.
 */
export function plainPath(path: string, sense: PathSense): string {
  if (sense.flavour === 'posix' && isTidy(path)) return sense.foldsCase ? foldCase(path.slice(1)) : path.slice(1)
  const { root } = splitRoot(path, sense.flavour)
  const out: string[] = []
  for (const part of components(path, sense.flavour)) {
    if (part === '..') out.pop()
    else out.push(part)
  }
  const slashed = root.replaceAll('\\', '/')
  const parts = [slashed.endsWith('/') ? slashed.slice(0, -1) : slashed, ...out].filter((part) => part !== '')
  const text = parts.join('/')
  return sense.foldsCase ? foldCase(text) : text
}

/** `isInside` for two plain paths. */
export const plainInside = (path: string, dir: string): boolean =>
  // No text is put together: thousands of pairs are compared.
  dir === '' ||
  (path.charCodeAt(dir.length - 1) === dir.charCodeAt(dir.length - 1) &&
    path.startsWith(dir) &&
    (path.length === dir.length || path.charCodeAt(dir.length) === SLASH))

const SLASH = 47
