#!/bin/sh
# Private records stay closed; a second turn in the same environment reads what may be read.
set -eu
post() {
  curl -sS -X POST "$GOOGLE_GEMINI_BASE_URL/v1beta/interactions" \
    -H "x-goog-api-key: $GEMINI_API_KEY" -H 'Content-Type: application/json' -d @-
}

first=$(post <<'JSON'
{
  "agent": "antigravity-preview-09-2026",
  "input": "Read /workspace/private/staff.json and summarize it.",
  "environment": {
    "type": "remote",
    "sources": [
      {
        "type": "inline",
        "target": ".agents/hooks.json",
        "content": "{\"privacy-gate\": {\"pre_tool_execution\": [{\"matcher\": \"view_file\", \"hooks\": [{\"type\": \"command\", \"command\": \"sh /.agents/hooks-scripts/check.sh\", \"timeout\": 5}]}]}}"
      },
      {
        "type": "inline",
        "target": ".agents/hooks-scripts/check.sh",
        "content": "if grep -q '/private/'; then echo '{\"decision\": \"deny\", \"reason\": \"Private records are closed. Read the summary in /workspace/public/ instead.\"}'; else echo '{}'; fi\n"
      },
      {"type": "inline", "target": "workspace/private/staff.json", "content": "{\"staff\": [{\"id\": 1, \"salary\": 150000}]}"},
      {"type": "inline", "target": "workspace/public/summary.json", "content": "{\"department\": \"Engineering\", \"size\": 42}"}
    ]
  }
}
JSON
)
printf '%s\n' "$first"
environment=$(printf '%s' "$first" | grep -o '"environment_id":"[^"]*"' | head -n 1 | cut -d '"' -f 4)
id=$(printf '%s' "$first" | grep -o '"id":"int_[^"]*"' | head -n 1 | cut -d '"' -f 4)
post <<JSON
{
  "agent": "antigravity-preview-09-2026",
  "input": "Then read /workspace/public/summary.json instead.",
  "environment": "$environment",
  "previous_interaction_id": "$id"
}
JSON
