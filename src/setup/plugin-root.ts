/** Where this plugin lies, and the places of Antigravity that it may touch. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'

declare const __AGB_BUNDLED__: boolean | undefined

/** Whether this is the bundled build, in which no environment variable moves what is run. */
export const bundled = (): boolean => typeof __AGB_BUNDLED__ !== 'undefined' && __AGB_BUNDLED__

/** The name that this plugin is installed under. */
export const OWN_NAME = 'antigravity-booster-sallyport'
/** The published guard's name. */
export const BOOSTER_NAME = 'antigravity-booster'

/** Directories above a module are few. */
const MOST_LEVELS = 32

/**
 * The root of the plugin that `from`, a module's file, belongs to: the nearest directory above whose `plugin.json` bears
 * our name. `env.PLUGIN_ROOT` counts only where it is the same directory. Throws where there is none.
 */
export function ownRoot(from: string, env: Readonly<Record<string, string | undefined>>): string {
  let dir = dirname(realpathSync(from))
  for (let level = 0; level < MOST_LEVELS; level++) {
    const name = readName(join(dir, 'plugin.json'))
    if (name === BOOSTER_NAME || name?.startsWith(`${BOOSTER_NAME}-`)) {
      const given = env['PLUGIN_ROOT']
      if (given !== undefined && given !== '' && real(given) !== dir)
        throw new Error(`PLUGIN_ROOT is ${JSON.stringify(given)}, but this plugin lies in ${dir}`)
      return dir
    }
    if (dirname(dir) === dir) break
    dir = dirname(dir)
  }
  throw new Error(`${from} belongs to no ${BOOSTER_NAME} plugin`)
}

function readName(file: string): string | undefined {
  try {
    const { name } = JSON.parse(readFileSync(file, 'utf8')) as { name?: unknown }
    return typeof name === 'string' ? name : undefined
  } catch {
    return undefined
  }
}

function real(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

export interface Places {
  readonly home: string
  /** Where plugins are staged, each under its name. */
  readonly plugins: string
  readonly imports: string
  /** The user's own hooks. */
  readonly hooks: string
  /** The published guard's data. */
  readonly data: string
  readonly shim: string
}

/** Antigravity's places below a home directory. */
export const placesOf = (home: string): Places => ({
  home,
  plugins: join(home, '.gemini', 'config', 'plugins'),
  imports: join(home, '.gemini', 'config', 'import_manifest.json'),
  hooks: join(home, '.gemini', 'config', 'hooks.json'),
  data: join(home, '.gemini', 'antigravity-cli', 'plugin_data', BOOSTER_NAME),
  shim: join(home, '.local', 'bin', 'agb'),
})

/** The name of a plugin of the guard that is staged there; undefined where there is none. */
export const stagedPlugin = (home: string): string | undefined =>
  [OWN_NAME, BOOSTER_NAME].find((name) => existsSync(join(placesOf(home).plugins, name)))
