#!/bin/sh
# A hook after every write formats JSON files before the agent goes on.
set -eu
curl -sS -X POST "$GOOGLE_GEMINI_BASE_URL/v1beta/interactions" \
  -H "x-goog-api-key: $GEMINI_API_KEY" -H 'Content-Type: application/json' -d @- <<'JSON'
{
  "agent": "antigravity-preview-09-2026",
  "input": "Create `/workspace/config.json` containing `{\"b\":[1,2],\"a\":true}`, then read it back.",
  "environment": {
    "type": "remote",
    "sources": [
      {
        "type": "inline",
        "target": ".agents/hooks.json",
        "content": "{\"auto-format\": {\"post_tool_execution\": [{\"matcher\": \"write_to_file\", \"hooks\": [{\"type\": \"command\", \"command\": \"python3 /.agents/hooks-scripts/format.py\", \"timeout\": 15}]}]}}"
      },
      {
        "type": "inline",
        "target": ".agents/hooks-scripts/format.py",
        "content": "import json, sys\npath = json.load(sys.stdin)['tool_call']['args'].get('path', '')\nif path.endswith('.json'):\n    value = json.load(open(path))\n    json.dump(value, open(path, 'w'), indent=2, sort_keys=True)\nprint('{}')\n"
      }
    ]
  }
}
JSON
