// Private records stay closed; a second turn in the same environment reads what may be read.
import { GoogleGenAI } from '@google/genai'

const check = `import json, sys
path = str(json.load(sys.stdin)["tool_call"]["args"].get("path", ""))
if "/private/" in path:
    print(json.dumps({"decision": "deny", "reason": "Private records are closed. Read the summary in /workspace/public/ instead."}))
else:
    print("{}")
`

const hooks = {
  'privacy-gate': {
    pre_tool_execution: [
      {
        matcher: 'view_file',
        hooks: [{ type: 'command', command: 'python3 /.agents/hooks-scripts/check.py', timeout: 5 }],
      },
    ],
  },
}

const client = new GoogleGenAI({})
const agent = 'antigravity-preview-09-2026'
const first = await client.interactions.create({
  agent,
  input: 'Read `/workspace/private/staff.json` and summarize it.',
  environment: {
    type: 'remote',
    sources: [
      { type: 'inline', target: '.agents/hooks.json', content: JSON.stringify(hooks) },
      { type: 'inline', target: '.agents/hooks-scripts/check.py', content: check },
      { type: 'inline', target: 'workspace/private/staff.json', content: '{"staff": [{"id": 1, "salary": 150000}]}' },
      { type: 'inline', target: 'workspace/public/summary.json', content: '{"department": "Engineering", "size": 42}' },
    ],
  },
})
console.log(first.output_text)

const second = await client.interactions.create({
  agent,
  input: 'Then read `/workspace/public/summary.json` instead.',
  environment: first.environment_id,
  previous_interaction_id: first.id,
})
console.log(second.output_text)
