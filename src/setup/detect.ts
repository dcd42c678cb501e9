/** Which hosts are on this machine, and in which version. A program that does not answer is no error. */
import { spawnSync } from 'node:child_process'
import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { dirOf, type Surroundings, type WireRow } from './wire/row.ts'

export interface Detected {
  /** Absolute; undefined where no program of the host is on the PATH. */
  readonly program: string | undefined
  readonly version: string | undefined
  /** There are signs that the host was used by this person. */
  readonly used: boolean
}

/** Milliseconds that a program may take to tell its version. */
const MOST_MS = 4_000

export function detect(row: WireRow, at: Surroundings): Detected {
  const program = row.programs.flatMap((name) => onPath(name, at.env['PATH'] ?? '') ?? []).at(0)
  return {
    program,
    version: program === undefined ? undefined : versionOf(program, at.env),
    used: row.used.some((dir) => existsSync(dirOf(dir, at))),
  }
}

/** A program on the PATH; relative directories in it are left out. */
export function onPath(name: string, path: string): string | undefined {
  for (const dir of path.split(delimiter)) {
    if (!isAbsolute(dir)) continue
    const file = join(dir, name)
    try {
      accessSync(file, constants.X_OK)
      if (statSync(file).isFile()) return file
    } catch {
      // Not in this directory.
    }
  }
  return undefined
}

/** What a program says of its version: numbers with dots, in its first lines. */
export function versionOf(program: string, env: Surroundings['env']): string | undefined {
  const { stdout } = spawnSync(program, ['--version'], {
    ...{ encoding: 'utf8', timeout: MOST_MS, killSignal: 'SIGKILL', stdio: ['ignore', 'pipe', 'ignore'] },
    ...{ env: env as NodeJS.ProcessEnv, maxBuffer: 1024 * 1024 },
  })
  return /\d+\.\d+(?:\.\d+)?[\w.-]*/.exec((stdout ?? '').slice(0, 2_000))?.[0]
}
