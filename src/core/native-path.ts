/**
 * Paths of the machine that we run on, for entry points on the hook's way: a call needs three of them, and the platform's
 * own module costs as much at its first call as the reading of a session. Every system takes `/` between two names.
 */

/** Whether a path starts at a root: `/x`, `C:\x`, `\\server\x`. */
export const isRooted = (path: string): boolean =>
  path.startsWith('/') || path.startsWith('\\\\') || /^[A-Za-z]:[\\/]/.test(path)

/** A name below a directory. `dir` is absolute and not empty; `name` is relative and plain. */
export const under = (dir: string, name: string): string => (dir.endsWith('/') ? dir + name : `${dir}/${name}`)

/** The directory that holds a path; a root holds itself. */
export function parentOf(path: string): string {
  const end = path.length > 1 && path.endsWith('/') ? path.length - 1 : path.length
  const at = Math.max(path.lastIndexOf('/', end - 1), path.lastIndexOf('\\', end - 1))
  if (at < 0) return path
  if (at === 0) return path.slice(0, 1)
  return at === 2 && /^[A-Za-z]:/.test(path) ? path.slice(0, at + 1) : path.slice(0, at)
}

/** Whether a path is absolute as POSIX has it and has neither doubled slashes nor `.`, `..` or a slash at its end. */
export const isSettled = (path: string): boolean =>
  path.startsWith('/') &&
  !path.includes('//') &&
  !path.includes('/./') &&
  !path.includes('/../') &&
  !path.endsWith('/.') &&
  !path.endsWith('/..') &&
  (path.length === 1 || !path.endsWith('/'))
