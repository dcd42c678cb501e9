// An http hook reports what was done to files. The token is added on the way out; the sandbox never holds it.
import { GoogleGenAI } from '@google/genai'

const hooks = {
  'audit-log': {
    post_tool_execution: [
      {
        matcher: 'view_file|write_to_file|replace_file_content',
        hooks: [{ type: 'http', url: 'https://telemetry.example.com/api/v1/agent-events', timeout: 10 }],
      },
    ],
  },
}

const client = new GoogleGenAI({})
const interaction = await client.interactions.create({
  agent: 'antigravity-preview-09-2026',
  input: "Create `/workspace/audit.log` containing 'event 1', then read it back.",
  environment: {
    type: 'remote',
    sources: [{ type: 'inline', target: '.agents/hooks.json', content: JSON.stringify(hooks) }],
    network: {
      allowlist: [
        {
          domain: 'telemetry.example.com',
          transform: { Authorization: `Bearer ${process.env['TELEMETRY_TOKEN'] ?? 'no-token'}` },
        },
      ],
    },
  },
})
console.log(interaction.output_text)
