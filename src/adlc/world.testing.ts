/** Small frozen worlds for the tests of this folder. */
import { readFileSync } from 'node:fs'
import { answer } from '../core/driver.ts'
import type { Asking } from '../core/question.ts'
import type { World } from '../core/world.ts'
import { POSIX } from '../paths/lexical.ts'
import { newPathBudget } from '../paths/resolve.ts'
import { type FrozenWorldFile, frozenWorld } from '../world/frozen.ts'
import { type Adlc, canonicalName, newAdlc } from './adlc.ts'

export const HOME = '/home/dev'
export const ROOT = `${HOME}/proj`

/**
 * Files below the root by path (absolute ones as they are): a text, an object that is written as JSON, `null` for what
 * cannot be read, `{"->": target}` for a link, `{"dir": true}` for a directory. `@ID` in a name is the shard of that id.
 */
export type Files = Readonly<Record<string, unknown>>

export const nameOf = (path: string): string => path.replace(/@([^/]+)$/, (_, id: string) => canonicalName(id))

export function worldOf(files: Files, env: Readonly<Record<string, string>> = {}): World {
  const out: Record<string, FrozenWorldFile['files'][string]> = { [ROOT]: { type: 'dir' } }
  for (const [path, value] of Object.entries(files)) {
    const at = path.startsWith('/') ? nameOf(path) : `${ROOT}/${nameOf(path)}`
    const known = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>
    if (value === null) out[at] = { type: 'file' }
    else if (typeof known['->'] === 'string') out[at] = { type: 'symlink', target: known['->'] }
    else if (known['dir'] === true) out[at] = { type: 'dir' }
    else out[at] = { type: 'file', content: typeof value === 'string' ? value : JSON.stringify(value) }
  }
  return frozenWorld({
    ...{ platform: 'linux', user: 'dev', home: HOME, cwd: ROOT, workspaces: [ROOT], git: {}, files: out, env },
    env_unset: ['ADLC_TICKET_STORE', 'ADLC_TICKETS', 'AGB_WORKER_TICKET', 'ADLC_TICKET'].filter(
      (name) => !(name in env),
    ),
  })
}

/** Runs a question against a world, without a limit. */
export const ask = <T>(asking: Asking<T>, world: World): T =>
  answer(asking, world, { ms: 60_000, start: 0, questions: 1_000_000 }).value

export const adlcOf = (anchors: readonly string[] = [ROOT]): Adlc =>
  newAdlc({ home: HOME, sense: POSIX, paths: newPathBudget(), anchors })

export const casesOf = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../cases/adlc/${name}.json`, import.meta.url), 'utf8')) as T

export const MANIFEST = { format: 'adlc-ticket-directory', version: 1 }
