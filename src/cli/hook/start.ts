/** What a session is told at its start: the tools of its MCP servers, where they take much. It is booked against us. */
import { realpathSync } from 'node:fs'
import { book, ledgerFile, rowOf } from '../../containment/ledger/ledger.ts'
import { servedIn, surfaceAdvice } from '../../containment/surface.ts'
import { tokensOf } from '../../containment/tokens.ts'
import type { Host, Starting } from '../../hosts/host.ts'

/** The sentence, or undefined where there is none to say. Never throws. */
export function atStart(
  { cwd, session }: Starting,
  host: Host,
  env: Readonly<Record<string, string | undefined>>,
  home: string,
  now: Date,
): string | undefined {
  try {
    const text = surfaceAdvice(servedIn(env, home, host.id, realpathSync(cwd), now.getTime()))
    if (text === undefined) return undefined
    const nothing = { bytes: 0, tokens: 0 }
    const overhead = { bytes: Buffer.byteLength(text), tokens: tokensOf(text) }
    const event = { ts: now.toISOString(), host: host.id, session, family: 'surface', raw: nothing, overhead } as const
    book(rowOf({ ...event, cap: { bytes: 0, kind: 'assumed' }, method: 'overhead' }), ledgerFile(env, home))
    return text
  } catch {
    return undefined
  }
}
