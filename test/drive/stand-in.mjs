/**
 * A hook small enough to be seen through, for trying the drivers without the guard: refuses what names `precious` or a
 * host's own settings, asks before `git checkout --` (a deny where the host cannot ask), and is silent otherwise.
 */
import { readFileSync, writeSync } from 'node:fs'

const host = process.argv[2]
const payload = JSON.parse(readFileSync(0, 'utf8'))
const text = JSON.stringify(payload.tool_input ?? {})
const unattended =
  host === 'codex' || payload.permission_mode === 'bypassPermissions' || payload.permission_mode === 'dontAsk'

/** @param {'deny' | 'ask'} decision @param {string} reason */
function say(decision, reason) {
  const out = { hookEventName: 'PreToolUse', permissionDecision: decision, permissionDecisionReason: reason }
  writeSync(1, `${JSON.stringify({ hookSpecificOutput: out })}\n`)
}

if (payload.tool_name !== 'Read' && /precious|\.claude\/settings|\.codex\/config/.test(text))
  say('deny', 'Stand-in: this touches something that must stay.')
else if (text.includes('git checkout --'))
  say(unattended ? 'deny' : 'ask', 'Stand-in: this drops changes; a person has to agree.')
