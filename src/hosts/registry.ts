/** Every host that we answer. A new host adds its file and one line here. */
import { amp } from './amp.ts'
import { antigravity } from './antigravity.ts'
import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { cursor } from './cursor.ts'
import { devin } from './devin.ts'
import { droid } from './droid.ts'
import { gemini } from './gemini.ts'
import { goose } from './goose.ts'
import { grok } from './grok.ts'
import type { Host } from './host.ts'
import { kimi } from './kimi.ts'
import { kiro } from './kiro.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'
import { vscode } from './vscode.ts'
import { windsurf } from './windsurf.ts'

export const HOSTS: readonly Host[] = [
  claude,
  codex,
  copilot,
  opencode,
  qwen,
  gemini,
  pi,
  cline,
  antigravity,
  cursor,
  vscode,
  goose,
  droid,
  grok,
  kimi,
  windsurf,
  devin,
  kiro,
  amp,
]

/** The host of that id or alias; case is ignored. Undefined where we have none. */
export function hostOf(idOrAlias: string): Host | undefined {
  const wanted = idOrAlias.toLowerCase()
  return HOSTS.find((host) => host.id === wanted || host.aliases.includes(wanted))
}
