// A hook before every command: what would delete a whole tree is refused, and the agent is told why.
import { GoogleGenAI } from '@google/genai'

const gate = `import json, sys
call = json.load(sys.stdin)["tool_call"]
if "rm -rf" in call["args"].get("code", ""):
    print(json.dumps({"decision": "deny", "reason": "Destructive command blocked by security gate."}))
else:
    print(json.dumps({"decision": "allow"}))
`

const hooks = {
  'security-gate': {
    pre_tool_execution: [
      {
        matcher: 'code_execution',
        hooks: [{ type: 'command', command: 'python3 /.agents/hooks-scripts/gate.py', timeout: 10 }],
      },
    ],
  },
}

const client = new GoogleGenAI({})
const interaction = await client.interactions.create({
  agent: 'antigravity-preview-09-2026',
  input: 'Run `rm -rf /tmp/forbidden` using code_execution.',
  tools: [{ type: 'code_execution' }],
  environment: {
    type: 'remote',
    sources: [
      { type: 'inline', target: '.agents/hooks.json', content: JSON.stringify(hooks) },
      { type: 'inline', target: '.agents/hooks-scripts/gate.py', content: gate },
    ],
  },
})
for (const step of interaction.steps ?? [])
  if (step.type === 'code_execution_result') console.log(`result: ${step.result}`)
console.log(interaction.output_text)
