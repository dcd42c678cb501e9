/** A flood, as an agent would meet it: what the hook makes of it, one look at what was left out, and what it is booked as. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Place } from './scenes.ts'

export interface FloodShown {
  readonly command: string
  readonly raw: { readonly lines: number; readonly bytes: number; readonly tokens: number }
  /** What the model reads in its place. */
  readonly digest: string
  /** The command that looks at a part, and its answer. */
  readonly look: { readonly command: string; readonly answer: string }
  /** The row of the ledger. */
  readonly ledger: string
}

const LINES = 6000
/** The line that matters, somewhere in the midst. */
const ODD = 4711

/** A log of so many requests; the same each time. */
const CODE = `for (let i = 1; i <= ${LINES}; i++) console.log(i === ${ODD}
  ? "ERROR payment " + i + " declined: the card has expired"
  : "INFO request " + i + " GET /api/users/" + (i % 97) + " 200 in " + (i % 41) + " ms")`

const LIMIT_MS = 30_000

/** Plays it. Undefined where something does not come out as it should. */
export function playFlood(
  place: Place,
  hook: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): FloodShown | undefined {
  const start = (argv: readonly string[], input = '') => {
    const [program, ...args] = argv
    return spawnSync(program!, args, {
      cwd: place.repo,
      env,
      input,
      encoding: 'utf8',
      timeout: LIMIT_MS,
      maxBuffer: 1 << 26,
    })
  }
  const command = 'node server.js --replay'
  const flood = start([process.execPath, '-e', CODE]).stdout
  const payload = {
    ...{ session_id: 'try-flood', cwd: place.repo, permission_mode: 'default', hook_event_name: 'PostToolUse' },
    ...{ tool_name: 'Bash', tool_input: { command }, tool_use_id: 'toolu_flood' },
    tool_response: { stdout: flood, stderr: '', interrupted: false, isImage: false },
  }
  const answer = start([...hook, 'claude', 'PostToolUse'], JSON.stringify(payload)).stdout
  try {
    const digest: string = JSON.parse(answer).hookSpecificOutput.updatedToolOutput.stdout
    const handle = /\| (run:[0-9a-f]+) \|/.exec(digest)![1]!
    const look = `ctx get ${handle} --lines ${ODD - 1}:${ODD + 1}`
    const shown = start([process.execPath, program(), ...look.split(' ').slice(1)]).stdout
    const rows = readFileSync(join(env['XDG_STATE_HOME']!, 'sallyport', 'ledger.jsonl'), 'utf8')
      .trimEnd()
      .split('\n')
    return {
      command,
      raw: { lines: LINES, bytes: flood.length, tokens: Number(/≈(\d+) tokens/.exec(digest)![1]) },
      digest,
      look: { command: look, answer: shown },
      ledger: rows.find((row) => JSON.parse(row).method === 'replace')!,
    }
  } catch {
    return undefined
  }
}

/** `bin/ctx.js` of this installation. */
function program(): string {
  const here = dirname(fileURLToPath(import.meta.url))
  return [join(here, '../bin/ctx.js'), join(here, '../../../bin/ctx.js')].find((file) => existsSync(file)) ?? ''
}

const indented = (text: string): string =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => `    ${line}\n`)
    .join('')

/** For people. */
export function floodText({ command, raw, digest, look, ledger }: FloodShown): string {
  const { host, raw: bytes, host_cap: cap, delivered, tokens } = JSON.parse(ledger)
  return [
    `\nA flood: \`${command}\` printed ${raw.lines} lines, ${raw.bytes} bytes, ≈${raw.tokens} tokens. The model reads ≈${tokens.delivered} in their place:\n\n`,
    indented(digest),
    `\n  ${look.command}   brings back what was left out:\n\n`,
    indented(look.answer),
    `\n  and the ledger says (ctx gain): ${host}, ${bytes} bytes raw, ${delivered} delivered; the host by itself would have cut it to ${Math.min(bytes, cap.bytes)} bytes, ≈${tokens.shown} tokens, and shows ≈${tokens.delivered}.\n`,
  ].join('')
}
