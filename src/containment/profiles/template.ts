/** The profile that `profile new` writes: complete, passing its own test, and explained line by line. */

/** `id`: a name as profiles take it; `command`: what the tool is called by. */
export const templateOf = (
  id: string,
  command: string,
): string => `// How to digest the output of ${command}. Try it: ctx profile test ${id}
// Expressions have no look-around and no back-references; time grows with the text alone.
{
  "v": 1,
  "id": ${JSON.stringify(id)},
  // The profile is asked where one of these begins the command, or one of these is in a line near either end.
  "detect": { "command": [${JSON.stringify(command)}], "line": [] },
  // Lines that matter. "as": verdict, cause, failure, detail, total, rare or example.
  // "until" and "lines" make a block of what follows; "name" is what a failure is called from run to run.
  "keep": [
    { "line": "^error: (\\\\S+)", "as": "failure", "name": "$1", "until": "^$", "lines": 20 },
    { "line": "^done: ", "as": "verdict" }
  ],
  // Noise: counted, and one of each is shown with its number.
  "fold": [{ "line": "^step [0-9]+", "as": "steps" }],
  // Sentences of the digest. "sum": add up the number of a group in place of counting lines.
  "count": [{ "line": "^error: ", "as": "errors" }],
  // What the output says of itself; the exit code always wins.
  "status": { "failed": ["^error: "], "passed": ["^done: 0 errors"] },
  // Tokens of the digest, and lines of the output's ends beside what is kept.
  "budget": { "tokens": 400, "head": 0, "tail": 3 },
  "tests": [
    {
      "name": "an error among many steps",
      "command": ${JSON.stringify(command)},
      "exit": 1,
      "output": [
        { "line": "step {n}", "times": 400 },
        "error: parser.c expected a brace",
        "  at line 12",
        "",
        { "line": "step {n}", "times": 400 },
        "done: 1 error"
      ],
      "shows": ["error: parser.c", "at line 12", "done: 1 error", "1 errors"],
      "hides": ["step 77"],
      "most": 400
    }
  ]
}
`
