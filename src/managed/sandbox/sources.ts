/** Puts the sources of a new environment into its files. */
import type { Egress, EnvironmentFiles, Network, ProgramEnd, ProgramRun, Source } from '../contract.ts'
import { MIB } from './limits.ts'
import { fetchObjects } from './source-gcs.ts'
import { cloneRepository } from './source-git.ts'
import { inlineBytes, sourceError, targetOf } from './targets.ts'
import type { Tree } from './tree.ts'

export interface SourceLimits {
  /** Bytes of a repository's history, and of its files. */
  readonly repository: number
  /** Bytes of all objects of one source. */
  readonly objects: number
}

/** The published limits. */
export const SOURCE_LIMITS: SourceLimits = { repository: 500 * MIB, objects: 2048 * MIB }

export interface SourceWorld {
  readonly id: string
  readonly network: Network
  readonly tree: Tree
  readonly files: EnvironmentFiles
  /** A directory of the host, beside the root and on its file system, that may be made for what is fetched. */
  readonly scratch: string
  readonly egress: Egress
  readonly limits: SourceLimits
  /** Where the object store answers; `https://storage.googleapis.com` by default. */
  readonly objects?: string
  /** Runs a program in a sandbox whose root is a directory of the host, through the environment's own way out. */
  run(run: ProgramRun, root: string): Promise<ProgramEnd>
}

/** In order: a later source overwrites an earlier one. Throws ManagedError 400 naming the source that failed. */
export async function applySources(sources: readonly Source[], world: SourceWorld): Promise<void> {
  const closed = world.network === 'disabled' || (world.network !== undefined && world.network.allowlist === 'disabled')
  for (const [index, source] of sources.entries()) {
    const target = targetOf(source.target, index)
    if (source.type === 'inline') {
      await world.files.write(target, inlineBytes(source, index), true)
      continue
    }
    if (closed) throw sourceError(index, `type ${source.type} needs the network, which is disabled`)
    if (source.type === 'repository') await cloneRepository(source.source, target, index, world)
    else await fetchObjects(source.source, target, index, world)
  }
}
