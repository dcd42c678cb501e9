/** Where a request about files points to. */
import type { Context } from 'hono'
import type { EnvironmentFiles, FileEntry } from '../contract.ts'
import { ManagedError } from '../contract.ts'
import { environmentThere } from './prepare.ts'
import type { Runtime } from './runtime.ts'
import { bad } from './shape.ts'

export interface Target {
  readonly environment: string
  /** Relative to the root, without a slash at either end; empty for the root. */
  readonly path: string
  readonly files: EnvironmentFiles
}

const PLACE = /\/environments\/([^/]+)\/files(?:\/(.*))?$/

/** Reads environment and path of `…/environments/{id}/files/{path}`. Throws `ManagedError`. */
export async function targetOf(c: Context, runtime: Runtime): Promise<Target> {
  const found = PLACE.exec(new URL(c.req.url).pathname.replace(/\/environments\/environments%2F/i, '/environments/'))
  if (found === null) throw new ManagedError(404, 'not_found', 'There is no such path.')
  const environment = decoded(found[1]!)
  const path = cleanPath(decoded(found[2] ?? ''))
  await environmentThere(runtime, environment)
  return { environment, path, files: await runtime.environments.files(environment) }
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw bad('The path is not encoded as it should be.')
  }
}

/** A path without doubled and outer slashes. Throws `ManagedError` 400 where it leads up or holds what no name may. */
export function cleanPath(path: string): string {
  const parts = path.split('/').filter((part) => part !== '' && part !== '.')
  if (parts.includes('..')) throw bad(`Path '${path}' leads upwards.`)
  if (path.includes('\0')) throw bad('A path holds no NUL.')
  return parts.join('/')
}

/** The entry, or 404 in the words of the contract. */
export async function entryOf({ environment, path, files }: Target): Promise<FileEntry> {
  const found = await files.stat(`/${path}`)
  if (found === undefined)
    throw new ManagedError(404, 'not_found', `Path '${path}' not found in environment '${environment}'.`)
  return found
}
