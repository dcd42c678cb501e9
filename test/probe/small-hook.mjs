/**
 * A hook small enough to be seen through, in place of the guard: what is proven here is what the probe sees of a host.
 * It refuses what names `precious` or settings, asks before `git checkout --` (a denial where nobody is asked), and is
 * silent otherwise.
 */
import { readFileSync, writeSync } from 'node:fs'

const payload = JSON.parse(readFileSync(0, 'utf8'))
const text = JSON.stringify(payload.tool_input ?? {})

/** @param {'deny' | 'ask'} decision @param {string} reason */
function say(decision, reason) {
  const out = { hookEventName: 'PreToolUse', permissionDecision: decision, permissionDecisionReason: reason }
  writeSync(1, `${JSON.stringify({ hookSpecificOutput: out })}\n`)
}

if (payload.hook_event_name !== 'PreToolUse') process.exit(0)
if (payload.tool_name !== 'Read' && /precious|\.claude\/settings/.test(text))
  say('deny', 'Small hook: this touches something that must stay.')
else if (text.includes('git checkout --'))
  say(payload.permission_mode === 'bypassPermissions' ? 'deny' : 'ask', 'Small hook: this drops changes.')
