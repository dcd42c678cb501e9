/** Every host that we answer. A new host adds its file and one line here. */
import { antigravity } from './antigravity.ts'
import { claude } from './claude.ts'
import { codex } from './codex.ts'
import type { Host } from './host.ts'

export const HOSTS: readonly Host[] = [claude, codex, antigravity]

/** The host of that id or alias; case is ignored. Undefined where we have none. */
export function hostOf(idOrAlias: string): Host | undefined {
  const wanted = idOrAlias.toLowerCase()
  return HOSTS.find((host) => host.id === wanted || host.aliases.includes(wanted))
}
