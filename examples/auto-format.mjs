// A hook after every write: JSON files are formatted before the agent goes on.
import { GoogleGenAI } from '@google/genai'

const format = `import json, sys
path = str(json.load(sys.stdin)["tool_call"]["args"].get("path", ""))
if path.endswith(".json"):
    with open(path) as file:
        value = json.load(file)
    with open(path, "w") as file:
        json.dump(value, file, indent=2, sort_keys=True)
print("{}")
`

const hooks = {
  'auto-format': {
    post_tool_execution: [
      {
        matcher: 'write_to_file|replace_file_content',
        hooks: [{ type: 'command', command: 'python3 /.agents/hooks-scripts/format.py', timeout: 15 }],
      },
    ],
  },
}

const client = new GoogleGenAI({})
const interaction = await client.interactions.create({
  agent: 'antigravity-preview-09-2026',
  input: 'Create `/workspace/config.json` containing `{"b":[1,2],"a":true}`, then read it back.',
  environment: {
    type: 'remote',
    sources: [
      { type: 'inline', target: '.agents/hooks.json', content: JSON.stringify(hooks) },
      { type: 'inline', target: '.agents/hooks-scripts/format.py', content: format },
    ],
  },
})
console.log(interaction.output_text)
