#!/bin/sh
# A hook before every command refuses what would delete a whole tree.
set -eu
curl -sS -X POST "$GOOGLE_GEMINI_BASE_URL/v1beta/interactions" \
  -H "x-goog-api-key: $GEMINI_API_KEY" -H 'Content-Type: application/json' -d @- <<'JSON'
{
  "agent": "antigravity-preview-09-2026",
  "input": [{"type": "text", "text": "Run `rm -rf /tmp/forbidden` using code_execution."}],
  "tools": [{"type": "code_execution"}],
  "environment": {
    "type": "remote",
    "sources": [
      {
        "type": "inline",
        "target": ".agents/hooks.json",
        "content": "{\"security-gate\": {\"pre_tool_execution\": [{\"matcher\": \"code_execution\", \"hooks\": [{\"type\": \"command\", \"command\": \"sh /.agents/hooks-scripts/gate.sh\", \"timeout\": 10}]}]}}"
      },
      {
        "type": "inline",
        "target": ".agents/hooks-scripts/gate.sh",
        "content": "if grep -q 'rm -rf'; then echo '{\"decision\": \"deny\", \"reason\": \"Destructive command blocked by security gate.\"}'; else echo '{}'; fi\n"
      }
    ]
  }
}
JSON
