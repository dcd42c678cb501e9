/** Puts the sources of a new environment into its files. */
import type { Egress, EnvironmentFiles, Network, ProgramEnd, ProgramRun, Source } from '../contract.ts'
import { inlineBytes, sourceError, targetOf } from './targets.ts'
import type { Tree } from './tree.ts'

export interface SourceWorld {
  readonly id: string
  readonly network: Network
  readonly tree: Tree
  readonly files: EnvironmentFiles
  /** A directory of the host that may be made for what is fetched. */
  readonly scratch: string
  readonly egress: Egress
  readonly objects?: string
  /** Runs a program in a sandbox whose root is a directory of the host, through the environment's own way out. */
  run(run: ProgramRun, root: string): Promise<ProgramEnd>
}

/** In order: a later source overwrites an earlier one. Throws ManagedError 400 naming the source that failed. */
export async function applySources(sources: readonly Source[], world: SourceWorld): Promise<void> {
  for (const [index, source] of sources.entries()) {
    const target = targetOf(source.target, index)
    if (source.type === 'inline') await world.files.write(target, inlineBytes(source, index), true)
    else throw sourceError(index, `type ${source.type} is not served yet`)
  }
}
