/** Whose session this is, and on what: as far as the environment says, else as the system does. */
import { realpathSync } from 'node:fs'
import { isRooted } from '../../core/native-path.ts'
import { textOf } from '../../hosts/guards.ts'
import { type Moved, movedBy } from '../../paths/moved.ts'

/** The home directory. A `HOME` that is empty or relative must not move what we protect or write. */
export function homeOf(env: Readonly<Record<string, string | undefined>>): string {
  const home = env['HOME'] ?? env['USERPROFILE']
  if (home !== undefined && isRooted(home)) return home
  try {
    return process.getBuiltinModule('node:os').userInfo().homedir
  } catch {
    return '/'
  }
}

/** What a variable says where something lies: as it is written, and without links. None where it is no absolute path. */
function placesOf(value: string): readonly string[] {
  if (!isRooted(value)) return []
  try {
    return [...new Set([value, realpathSync.native(value)])]
  } catch {
    return [value]
  }
}

/** The home directory, and what variables moved away from below it. */
export function whoseOf(env: NodeJS.ProcessEnv): { readonly home: string; readonly moved: readonly Moved[] } {
  const home = homeOf(env)
  return { home, moved: movedBy(env, home, placesOf) }
}

/** The user's name; `unknown` where nobody says it. */
export function userOf(env: NodeJS.ProcessEnv): string {
  const named = textOf(env['USER']) ?? textOf(env['LOGNAME']) ?? textOf(env['USERNAME'])
  if (named !== undefined) return named
  try {
    return process.getBuiltinModule('node:os').userInfo().username
  } catch {
    return 'unknown'
  }
}

/** The platform, as paths and shells differ by it; anything else is taken for Linux. */
export const platformOf = (): 'linux' | 'darwin' | 'win32' =>
  process.platform === 'darwin' || process.platform === 'win32' ? process.platform : 'linux'
