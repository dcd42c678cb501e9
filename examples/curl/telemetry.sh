#!/bin/sh
# An http hook reports what was done to files. The token is added on the way out; the sandbox never holds it.
set -eu
curl -sS -X POST "$GOOGLE_GEMINI_BASE_URL/v1beta/interactions" \
  -H "x-goog-api-key: $GEMINI_API_KEY" -H 'Content-Type: application/json' -d @- <<JSON
{
  "agent": "antigravity-preview-09-2026",
  "input": "Create /workspace/audit.log containing event 1, then read it back.",
  "environment": {
    "type": "remote",
    "sources": [
      {
        "type": "inline",
        "target": ".agents/hooks.json",
        "content": "{\"audit-log\": {\"post_tool_execution\": [{\"matcher\": \"view_file|write_to_file|replace_file_content\", \"hooks\": [{\"type\": \"http\", \"url\": \"https://telemetry.example.com/api/v1/agent-events\", \"timeout\": 10}]}]}}"
      }
    ],
    "network": {
      "allowlist": [
        {"domain": "telemetry.example.com", "transform": {"Authorization": "Bearer ${TELEMETRY_TOKEN:-no-token}"}}
      ]
    }
  }
}
JSON
