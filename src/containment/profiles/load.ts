/** Reads the profiles of a repository. */
import { familyOf, type UserFamily } from './compile.ts'
import { profileFiles, profileRoot, readText, trustedHashes } from './files.ts'
import { type Profile, readProfile } from './profile.ts'

type Env = Readonly<Record<string, string | undefined>>

export interface Found {
  readonly file: string
  /** What is wrong, one clause a fault with its line; empty where it can be used. */
  readonly faults: readonly string[]
  readonly sha256?: string
  readonly profile?: Profile
  readonly trusted: boolean
}

/** Reads one file. */
export function loadProfile(file: string, trusted: ReadonlySet<string>): Found {
  const read = readText(file)
  if (typeof read === 'string') return { file, faults: [read], trusted: false }
  const profile = readProfile(read.text)
  const known = { file, sha256: read.sha256, trusted: trusted.has(read.sha256) }
  if ('faults' in profile)
    return { ...known, faults: profile.faults.map(({ line, message }) => `${file}:${line}: ${message}`) }
  return { ...known, profile, faults: [] }
}

/** All profiles of the repository that `cwd` lies in, and its root. */
export function findProfiles(
  env: Env,
  home: string,
  cwd: string,
): { readonly root: string; readonly found: readonly Found[] } {
  const at = profileRoot(cwd)
  if (at === undefined || !at.has) return { root: at?.root ?? cwd, found: [] }
  const trusted = trustedHashes(env, home)
  return { root: at.root, found: profileFiles(at.root).map((file) => loadProfile(file, trusted)) }
}

/** The trusted families for a command that runs in `cwd`. */
export const trustedFamilies = (env: Env, home: string, cwd: string): readonly UserFamily[] =>
  findProfiles(env, home, cwd).found.flatMap(({ profile, trusted }) =>
    trusted && profile !== undefined ? [familyOf(profile)] : [],
  )
