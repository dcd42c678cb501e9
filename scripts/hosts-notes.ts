/** What the table of hosts cannot say: a few words a host, for `docs/hosts.md`. */

export interface Notes {
  /** How our gate comes into the host. */
  readonly way: string
  readonly notes: readonly string[]
  /** What no hook sees, where no row of `src/setup/wire/rows.ts` says it. */
  readonly uncovered?: readonly string[]
  /** The oldest version that is worth guarding, where no such row says it. */
  readonly least?: string
}

export const NOTES: Readonly<Record<string, Notes>> = {
  claude: {
    way: 'Hooks in `settings.json`.',
    notes: [
      '*print*: in print mode (`-p`) the host refuses the call and shows the reason. Where permissions are bypassed our ask is a denial.',
      '*crash, hang*: the call runs, unless the hook is registered with `onFailure: "block"`, which closes both. *garbage*: the call runs with it, too. So the hook writes one exact answer or none.',
      "*replaced output*: only a value in the tool's own form; a bare text for a shell command is dropped.",
    ],
  },
  codex: {
    way: 'Hooks in `hooks.json`, which a person has to trust in `/hooks`.',
    notes: [
      '*ask*: there is none. A hook that asks is dropped, and the call runs; so what would be an ask is a denial that says so.',
      'A denial counts only as one exact object with a reason; any other key in it, and the call runs.',
      '*print*: hooks that were not trusted are skipped in `codex exec` without a word.',
    ],
  },
  copilot: {
    way: 'Hooks in `~/.copilot/hooks/*.json`, under `preToolUse` and `postToolUse`.',
    notes: [
      'The spelling of the event chooses the form of payload and answer: `PreToolUse` takes Claude’s object, `preToolUse` a flat one, and each ignores the other. The adapter answers in the form of the payload.',
      '*print*: the host refuses what is asked, and the model reads our reason.',
      '*crash*: the host denies the call. *hang, garbage*: the call runs.',
      '*replaced output*: results over some 20 KiB the host itself cuts and keeps in a file; what it then shows is not ours.',
    ],
    uncovered: ['hooks of a repository load only in folders that are trusted', 'a hook that hangs lets the call run'],
    least: '1.0.70',
  },
  opencode: {
    way: 'A plugin, `plugin/opencode/sallyport.js`, in `~/.config/opencode/plugins/`. It starts our hook for each call.',
    notes: [
      '*ask*: a plugin cannot ask; what would be an ask is a denial that says so.',
      '*crash, hang, garbage*: the plugin refuses the call. A plugin that OpenCode does not load refuses nothing.',
      '*replaced input*: the plugin runs before the permission check, so the check is on what we put there. Lines are not rewritten for that reason; long results are replaced after the run.',
    ],
    uncovered: [
      'opencode --pure and OPENCODE_PURE=1 load no plugins',
      'a plugin whose name comes later in the alphabet may change a call that was judged',
      'OpenCode 2 (opencode2) does not load these plugins',
    ],
    least: '1.18.33',
  },
  qwen: {
    way: 'Hooks in `~/.qwen/settings.json`.',
    notes: [
      '*replaced input*: documented, and dropped when it was driven; so floods that a table knows are refused, and the bounded form is named.',
      '*crash, hang, garbage*: the call runs.',
    ],
    uncovered: ['qwen --safe-mode and --bare load no hooks', 'when the hook fails in any way, the call runs'],
    least: '0.24.4',
  },
  gemini: {
    way: 'Hooks in `~/.gemini/settings.json`, under `BeforeTool` and `AfterTool`.',
    notes: [
      '*print*: an ask in print mode waits for an answer that nobody can give, and the run never ends. Where the flags of the host say print mode, an ask of ours is a denial; register the hook with `--unattended` where they cannot be seen.',
      '*replaced output*: by a denial after the run, so the model reads our text, marked as an error.',
      '*crash*: exit 1 lets the call run; any other code with a plain text stops it.',
    ],
    uncovered: [
      'hooks of a project load only in trusted folders',
      'a call that the host finds faulty (a path outside of the workspace) is refused before any hook',
    ],
    least: '0.61.0',
  },
  pi: {
    way: 'An extension, `plugin/pi/sallyport.js`, in `~/.pi/agent/extensions/`. It starts our hook for each call.',
    notes: [
      '*ask*: the extension asks the person at the screen; without one (print and JSON mode) an ask is a denial.',
      '*replaced input*: pi asks nobody by itself, so a flood runs under our capture at once.',
      '*crash, hang, garbage*: the extension refuses the call.',
      'Calls inside a script (`codemode`) come to the hook one by one; their structured results are not replaced.',
    ],
    uncovered: [
      'pi --no-extensions loads no extension',
      'an extension that is loaded later may change a call that was judged',
      'commands that a person types behind ! are not judged',
    ],
    least: '1.6.0',
  },
  cline: {
    way: 'A file hook: an executable `PreToolUse` in `~/.cline/hooks/`.',
    notes: [
      '*deny*: it ends the run; the model reads nothing of it, the person reads the reason.',
      '*ask*: there is none; what would be an ask is a denial that says so.',
      '*replaced output*: not by file hooks, and lines are not rewritten, so only results of MCP servers behind our proxy are contained.',
      '*crash, hang, garbage*: the call runs.',
    ],
    uncovered: ['when the hook fails in any way, the call runs'],
    least: '3.0.65',
  },
  antigravity: {
    way: 'Hooks in `hooks.json`, or the plugin.',
    notes: [
      '*ask*: the answer `force_ask` is the question to a person; in print mode nobody answers.',
      'There is no silence: an empty object is read as a denial by several versions, so every answer is explicit. What pass is depends on the version that setup noted; without one it is the host’s own question.',
      '*crash, hang*: reports disagree. A hook that was stopped by the timeout was a denial where it was seen.',
      'Assumptions and how to check them: [the record of that contract](adr/antigravity-hook-contract.md).',
    ],
  },
  cursor: {
    way: 'Hooks in `~/.cursor/hooks.json`, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)): `preToolUse` for every tool, and the events for commands, MCP calls and reads beside it.',
    notes: [
      '*deny*: the object of the answer on stdout and exit 2 beside it.',
      '*ask*: only the events for commands and MCP calls can ask; elsewhere an ask is a denial.',
      '*crash, hang*: the call runs, unless the hook is registered with `failClosed`. *garbage*: the call is blocked.',
      '*replaced input*: with `preToolUse` only. *replaced output*: of MCP tools only, and not used until it is driven.',
      'Cursor also runs the hooks of Claude Code. Where setup registered our hook in Cursor itself, that one stands down.',
    ],
  },
  vscode: {
    way: 'Hooks in `.github/hooks/*.json`, for the local harness. The Copilot harness keeps to the contract of GitHub Copilot CLI: register that one there.',
    notes: [
      'What is documented: the answers of Claude Code with deny, a reason and a new input. Ask, failures and matchers are not settled.',
      '*replaced input*: dropped where it does not fit the tool, as far as is known, so lines are not rewritten: floods that a table knows are refused and named.',
    ],
  },
  goose: {
    way: 'A plugin with `hooks/hooks.json` in `~/.agents/plugins/sallyport/`.',
    notes: [
      '*ask*: there is none; what would be an ask is a denial that says so.',
      '*crash, hang, garbage*: the call runs, unless the hook is registered with `on_failure: "block"` (from 1.48 on).',
      'Inputs and outputs cannot be changed, so floods that a table knows are refused and named.',
    ],
  },
  droid: {
    way: 'Hooks in `~/.factory/hooks.json`, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)).',
    notes: [
      '*deny*: exit 2 with the reason on stderr, which the launcher makes of our answer. Exit 3 would end the run; nothing of ours gives it.',
      '*crash, hang, garbage*: the launcher refuses the call. Where the launcher itself does not start, the call runs.',
      '*replaced input*: from 0.211 on. The documents show it with a permission beside it, which would take the host’s own question away, so lines are not rewritten: floods that a table knows are refused and named.',
    ],
  },
  grok: {
    way: 'Hooks in `~/.grok/hooks/sallyport.json`, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)).',
    notes: [
      '*deny*: the object of the answer on stdout and exit 2. *ask*: none that is sure; what would be an ask is a denial that says so.',
      '*crash, hang, garbage*: the launcher refuses the call. Where the launcher itself does not start, the call runs. The host waits 5 s where nothing is registered, so register 10.',
      '*replaced input, replaced output, note*: reports of newer builds name ways for them, older ones deny them; none is used until it is driven.',
      'Grok also runs the hooks of Claude Code and of Cursor. Where setup registered our hook in Grok itself, those stand down.',
    ],
  },
  kimi: {
    way: 'Hooks in `~/.kimi-code/config.toml`, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)).',
    notes: [
      '*deny*: exit 2 with the reason on stderr, which the launcher makes of our answer. *ask*: whether a hook can ask is not known; what would be an ask is a denial that says so.',
      '*crash, hang, garbage*: the launcher refuses the call. Where the launcher itself does not start, the call runs.',
      'A pass is silence, to the byte: on a prompt even `{}` would be handed to the model. Register the events before and after a tool alone.',
      'One entry with an unknown key, a wrong event or a broken timeout drops every hook of the file. Hooks of a project do not exist.',
    ],
  },
  windsurf: {
    way: 'Hooks in `~/.codeium/windsurf/hooks.json`, one for each kind of action, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)).',
    notes: [
      '*deny*: exit 2 with the reason on stderr, which the launcher makes of our answer. *ask*: there is none; what would be an ask is a denial that says so.',
      '*crash, garbage*: the launcher refuses the call. *hang*: the launcher refuses after 7 s; how long the host waits is told nowhere.',
      'The payload of a read or a write names no directory: the one that the hook is started in counts.',
      'Inputs and outputs cannot be changed, so floods that a table knows are refused and named.',
    ],
  },
  devin: {
    way: 'Hooks in `~/.config/devin/config.json`, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)).',
    notes: [
      '*deny*: Claude’s object on stdout and exit 2. The documents say that any code but 0 stops a call; a report saw only 2 do it. *ask*: not known; what would be an ask is a denial that says so.',
      '*crash, garbage*: the launcher refuses the call. *hang*: the launcher refuses after 7 s; how long the host waits is told nowhere.',
      '*replaced input, replaced output*: not documented, so floods that a table knows are refused and named.',
      'Devin also runs the hooks of Claude Code. Where setup registered our hook in Devin itself, that one stands down.',
    ],
  },
  kiro: {
    way: 'Hooks in `~/.kiro/hooks/*.json` for the third engine (and the IDE from 1.0 on), and inside agents, `~/.kiro/agents/<name>.json`, for the other two, behind the launcher `bin/exit-code.sh` ([wiring](wiring.md#by-exit-code)). The spelling of the event in the payload tells the engine: `PreToolUse` is the third, `preToolUse` one of the others.',
    notes: [
      '*deny*: exit 2 with the reason on stderr, which the launcher makes of our answer. In part, since the agent that is built in has no place for hooks with the first two engines, of which the second is the usual one.',
      '*ask*: the third engine alone; without anybody to ask it denies. With the others what would be an ask is a denial that says so.',
      '*crash, hang, garbage*: the launcher refuses the call. Where the launcher itself does not start, the call runs.',
      'Inputs and outputs cannot be changed, so floods that a table knows are refused and named.',
    ],
  },
  amp: {
    way: 'A plugin, `plugin/amp/sallyport.js`, in `~/.config/amp/plugins/`. It starts our hook for each call.',
    notes: [
      '*ask*: the plugin asks the person at the screen; where Amp has none, the call is refused.',
      '*crash, hang, garbage*: the plugin refuses the call. A plugin that Amp does not load refuses nothing.',
      '*pass*: Amp takes no silence, so the plugin answers `allow`. Amp asks nobody by itself; what other plugins say of the same call is not settled.',
      '*replaced output*: plain texts only; in what form a command’s output comes is not documented. Lines are not rewritten until it is driven.',
    ],
  },
}
