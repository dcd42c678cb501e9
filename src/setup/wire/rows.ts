/** The rows of wiring, one a host. A new host adds its file and one line here. */
import type { WireRow } from './row.ts'
import { amp } from './rows/amp.ts'
import { antigravity } from './rows/antigravity.ts'
import { claude } from './rows/claude.ts'
import { cline } from './rows/cline.ts'
import { codex } from './rows/codex.ts'
import { copilot } from './rows/copilot.ts'
import { cursor } from './rows/cursor.ts'
import { devin } from './rows/devin.ts'
import { droid } from './rows/droid.ts'
import { gemini } from './rows/gemini.ts'
import { goose } from './rows/goose.ts'
import { grok } from './rows/grok.ts'
import { kimi } from './rows/kimi.ts'
import { kiro } from './rows/kiro.ts'
import { opencode } from './rows/opencode.ts'
import { pi } from './rows/pi.ts'
import { qwen } from './rows/qwen.ts'
import { vscode } from './rows/vscode.ts'
import { windsurf } from './rows/windsurf.ts'

/** All rows; a host without an adapter is not wired. */
export const WIRE_ROWS: readonly WireRow[] = [
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
