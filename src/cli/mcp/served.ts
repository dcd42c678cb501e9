/** Writes down what a host is offered by one MCP server, for the advice at the start of its sessions. */
import { realpathSync } from 'node:fs'
import { noteServed, tokensOfTools } from '../../containment/surface.ts'
import { HOSTS } from '../../hosts/registry.ts'
import type { Offered } from '../../mcp/surface.ts'
import { callerOf } from '../ctx/run-caller.ts'
import { homeOf } from '../hook/person.ts'
import type { Io } from '../io.ts'

/** `server`: what tells it from others, its command or address; `name`: for people, where it does not name itself. */
export function noteOffered({ client, server: own, tools }: Offered, server: string, name: string, io: Io): void {
  const wanted = client.toLowerCase()
  const host = HOSTS.find(({ id, aliases }) =>
    [id, ...aliases].some((one) => wanted === one || wanted.startsWith(`${one}-`)),
  )
  let cwd = io.cwd
  try {
    cwd = realpathSync(io.cwd)
  } catch {}
  const measured = { tools: tools.length, tokens: tokensOfTools(tools), cwd, at: Date.now() }
  noteServed(io.env, homeOf(io.env), host?.id ?? callerOf(io.env).host, server, { name: own || name, ...measured })
}
