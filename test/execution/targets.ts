/** What a writer aims at: a file that is there, a new name, or a directory. */
import type { Random } from './random.ts'
import { PLACES, type Role } from './tree.ts'

export type Aim = 'protected' | 'harmless'

/** A harmless aim is for names close to protected ones in this part of the cases. */
const NEAR = 0.45

const byRole = (...roles: readonly Role[]) => PLACES.filter(({ role, ignored }) => roles.includes(role) && !ignored)
const files = (...roles: readonly Role[]) =>
  byRole(...roles).filter(({ link, path }) => link === undefined && path !== '.gitignore')

const RAILS = files('rail').map(({ path }) => path)
const TRUST = files('trust').map(({ path }) => path)
const NEARBY = files('near').map(({ path }) => path)
/** Without what lies outside the repository: whose loss would be another matter. */
const FREE = files('free').flatMap(({ path }) => (path.startsWith('/') ? [] : [path]))

/** New names: of glob rails and of the trust root, and such that are none. */
const NEW: Readonly<Record<Aim, readonly string[]>> = {
  protected: [
    'migrations/003.sql',
    'migrations/new/x.sql',
    'test/golden/new.snap',
    'test/new.snap',
    'api/v2.json',
    'vendor/pinned/new.js',
    '.git/hooks/post-commit',
    '.claude/settings.local.json',
    '.claude/hooks/x.sh',
    'lib/.adlc/config.json',
  ],
  harmless: [
    'migrations-draft/002.sql',
    'test/golden/new.txt',
    'test/new.snap.txt',
    'api/v22.json',
    'api/w2.json',
    'config/test.yml',
    'src/core/rates2.ts',
    'vendor/new.js',
    'lib/new.ts',
    'data/new file.txt',
    'build/new.txt',
    'docs/v3.md',
    '.adlc/specs/two.md',
    '/tmp/new.txt',
  ],
}

const DIRS: Readonly<Record<Aim, readonly string[]>> = {
  protected: [
    'migrations',
    'vendor/pinned',
    'vendor',
    'test',
    'test/golden/deep',
    'src/core',
    'docs/v2',
    '.adlc/tickets',
    '.git/hooks',
    'api',
    '.claude',
  ],
  harmless: ['migrations-draft', 'docs/v1', 'lib', 'lib/inner', 'tools', 'vendor/other', 'build/old', 'build'],
}

/** A file that is there. */
export function someFile(aim: Aim, random: Random): string {
  if (aim === 'protected') return random.pick(random.chance(0.72) ? RAILS : TRUST)
  return random.pick(random.chance(NEAR) ? NEARBY : FREE)
}

/** Directories of new names that are not there yet. */
export const ABSENT_DIRS: ReadonlySet<string> = new Set(['migrations/new', '.claude/hooks', 'lib/.adlc'])

export const someNew = (aim: Aim, random: Random): string => random.pick(NEW[aim])

export const someDir = (aim: Aim, random: Random): string => random.pick(DIRS[aim])

/** A directory where a file of any name would be protected, or would not. */
export const someOpenDir = (aim: Aim, random: Random): string =>
  random.pick(
    aim === 'protected'
      ? ['migrations', 'migrations/meta', 'vendor/pinned', '.git/hooks', '.claude/hooks']
      : ['migrations-draft', 'lib', 'lib/inner', 'docs/v1', 'vendor/other', 'tools', 'build', 'src', '/tmp'],
  )

/** A file to read from, whoever it belongs to. */
export const someSource = (random: Random): string =>
  random.pick(
    random.chance(0.25)
      ? RAILS.filter((path) => path.startsWith('src') || path.startsWith('mig'))
      : [...NEARBY, ...FREE],
  )
