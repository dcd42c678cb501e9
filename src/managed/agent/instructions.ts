/** What a model is told before a conversation: the rules of the place, the environment's own, and the caller's. */
import type { EnvironmentFiles } from '../contract.ts'

/** Bytes of one AGENTS.md. */
const MOST = 64 * 1024

/** Files of an environment that speak to agents, in the order in which they are told. */
const AGENTS = ['/AGENTS.md', '/.agents/AGENTS.md', '/workspace/AGENTS.md', '/workspace/.agents/AGENTS.md'] as const

const BASE = `You are an agent that works in an isolated environment. Files of the work lie in /workspace.
Use the tools to do what the user asks, then answer in plain words. A tool call that a hook denies has an error result with the reason: choose another way that respects the reason, or explain it. Never try to get round it.`

/** The instructions of one interaction. `roots`: further directories whose AGENTS.md counts. */
export async function instructionsOf(
  files: EnvironmentFiles | undefined,
  roots: readonly string[],
  own: string | undefined,
): Promise<string> {
  const parts = files === undefined ? [] : [BASE]
  if (files !== undefined) {
    const seen = new Set<string>()
    for (const path of [...AGENTS, ...roots.flatMap((root) => places(root))]) {
      const real = await files.real(path)
      if (real === undefined || seen.has(real)) continue
      seen.add(real)
      const bytes = await files.read(path, MOST)
      if (bytes !== undefined) parts.push(`From ${path} of the environment:\n${new TextDecoder().decode(bytes).trim()}`)
    }
  }
  if (own !== undefined && own !== '') parts.push(own)
  return parts.join('\n\n')
}

const places = (root: string): readonly string[] => {
  const base = root === '/' ? '' : root.replace(/\/$/, '')
  return [`${base}/AGENTS.md`, `${base}/.agents/AGENTS.md`]
}
