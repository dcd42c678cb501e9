/** Every driver. A new one adds its file and one line here. */
import { claude } from './claude.ts'
import { cline } from './cline.ts'
import { codex } from './codex.ts'
import { copilot } from './copilot.ts'
import { gemini } from './gemini.ts'
import { opencode } from './opencode.ts'
import { pi } from './pi.ts'
import { qwen } from './qwen.ts'
import type { Driver } from './scenario.ts'

export const DRIVERS: readonly Driver[] = [claude, codex, copilot, opencode, qwen, gemini, pi, cline]
