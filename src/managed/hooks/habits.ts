/**
 * Habits of handlers' scripts that silently allow: what works in another product, or worked in an older one. Texts are
 * searched, never run; what a script builds up piece by piece is not seen.
 */
import { ARGUMENT_NAMES } from '../argument-names.ts'
import { type About, type Finding, finding, quoted, type Weight } from './findings.ts'
import type { Event } from './model.ts'
import type { ArgsStyle } from './payload.ts'

export interface Script {
  readonly text: string
  /** Its path, or what else it is called in a sentence. */
  readonly name: string
  /** The interpreter where a command names one. */
  readonly by?: string
}

type Language = 'python' | 'javascript' | 'shell' | 'other'

export function languageOf({ text, name, by = '' }: Script): Language {
  const first = text.startsWith('#!') ? text.split('\n', 1)[0]! : ''
  const said = `${by} ${/\.\w+$/.exec(name)?.[0] ?? ''} ${first}`
  if (/python|pypy|\.py\b/.test(said)) return 'python'
  if (/\b(?:node|nodejs|bun|deno|tsx|ts-node)\b|\.[cm]?[jt]s\b/.test(said)) return 'javascript'
  return /\b(?:ba|da|z|k|a)?sh\b|source|^\. /.test(said) ? 'shell' : 'other'
}

const RIGHT = '{"decision":"deny","reason":"…"}'

/** Exit status 2, by which other products deny. */
const EXIT_2 = /\b(?:exit|_exit|SystemExit)\(\s*2\s*\)|\bexitCode\s*=\s*2\b|(?:^|[;&|{(]|\bthen|\belse)\s*exit\s+2\b/m
/** An end that voids a deny, and in how many lines behind it that is looked for. */
const FAIL = /\bexit\(\s*[13-9]|\bexit\s+[13-9]|\bexitCode\s*=\s*[13-9]/
const NEAR = 3
const DECISION = /\bdecision\\?["']?\s*[:=,]\s*\\?["']([A-Za-z_-]+)\\?["']/g
const FOREIGN_ANSWER =
  /\b(?:hookSpecificOutput|permissionDecision|permissionDecisionReason)\b|["']continue\\?["']\s*:\s*[Ff]alse/
/** A key that is read: `["x"]`, `.get("x")`, `.x`, `{ x } =`. A variable may have any name. */
const reading = (names: string): RegExp =>
  new RegExp(`(?:\\[\\s*["']|\\.get\\(\\s*["']|\\.)(${names})\\b|\\{[^{}\\n]*\\b(${names})\\b[^{}\\n]*\\}\\s*=`)
const FOREIGN_PAYLOAD = reading('tool_input|toolInput|tool_name|toolName|hook_event_name|toolCall|toolArgs|tool_args')
const RESULT = reading('tool_response|tool_output|tool_result|toolResult')

/** Names of arguments elsewhere, and what they are here. */
const OTHER_ARGS: Readonly<Record<string, string>> = {
  command: 'code',
  cmd: 'code',
  CommandLine: 'code',
  file_path: 'path',
  filePath: 'path',
  absolute_path: 'path',
  dir_path: 'path',
  directory: 'path',
  target_file: 'path',
  new_string: 'replacement_content',
  old_string: 'target_content',
}
const SEED_NAMES: readonly string[] = Object.values(ARGUMENT_NAMES).map(([seed]) => seed)
const PASCAL_OF: ReadonlyMap<string, string> = new Map(
  Object.values(ARGUMENT_NAMES).flatMap(([seed, ...others]) => others.map((name) => [name, seed] as const)),
)

/** Lines that print something other than the JSON, by language. */
const PRINTS: Readonly<Record<Language, RegExp | undefined>> = {
  python: /^\s*print\(\s*(?:[frbu]{1,2})?(["'])(?!\s*\{)(?!.*\bfile\s*=)/,
  javascript: /\bconsole\.(?:log|info)\(\s*["'`](?!\s*\{)|\bprocess\.stdout\.write\(\s*["'`](?!\s*\{)/,
  shell: /^\s*(?:echo|printf)\b(?!.*>)(?!.*\|)\s+(?:-\w+\s+)*["']?(?![\s"']*[{$\\%])/,
  other: undefined,
}

type Say = (weight: Weight, id: string, words: string) => void

/** What a script does that allows where its author meant to stop. */
export function habitsOf(script: Script, event: Event, style: ArgsStyle, about: About): readonly Finding[] {
  const { text, name, by } = script
  const out: Finding[] = []
  const say: Say = (weight, id, words) => void out.push(finding(weight, id, `${name}: ${words}`, about))
  const language = languageOf(script)
  const executed = by === undefined && text.startsWith('#!')
  if (/\r\n/.test(text.slice(0, 4_096)) && (executed || language === 'shell'))
    say('allows', 'script.crlf', 'its lines end with CR LF, so the names of its programs end with CR')
  const key = keyOf(FOREIGN_PAYLOAD, text)
  const here = 'here there are tool_call.name and tool_call.args'
  if (key !== undefined) say('allows', 'script.payload', `reads ${key} of another product; ${here}`)
  for (const words of readsOf(text, style)) say('allows', 'script.args', words)
  if (event === 'pre_tool_execution') answers(text, language, say)
  else {
    const result = keyOf(RESULT, text)
    if (result !== undefined) say('note', 'script.result', `reads ${result}, but no event has the result of a tool`)
    if (/["']deny\b/.test(text)) say('note', 'script.post-deny', 'gives a deny, which is ignored after the tool ran')
  }
  return out
}

/** How a gate answers. */
function answers(text: string, language: Language, say: Say): void {
  if (EXIT_2.test(text)) say('allows', 'script.exit', `exit 2 is no deny here: print ${RIGHT} and exit 0`)
  if (failsAfterDeny(text))
    say('allows', 'script.deny-exit', 'gives a deny and ends with another exit status than 0, which voids it')
  for (const word of new Set([...text.matchAll(DECISION)].map((match) => match[1]!)))
    if (word !== 'deny' && word !== 'allow')
      say('allows', 'script.decision', `the decision ${quoted(word)} means nothing here: the right form is ${RIGHT}`)
  const foreign = FOREIGN_ANSWER.exec(text)?.[0]
  const form = `the key is "decision", as in ${RIGHT}`
  if (foreign !== undefined)
    say('allows', 'script.foreign', `answers in the form of another product (${foreign}): ${form}`)
  const decides = /decision|deny/.test(text)
  const pattern = PRINTS[language]
  const line = pattern === undefined || !decides ? -1 : text.split('\n').findIndex((one) => pattern.test(one))
  const way = 'which voids a deny: write it to standard error'
  if (line >= 0) say('allows', 'script.prints', `line ${line + 1} prints text beside the JSON, ${way}`)
  if (language !== 'other' && !decides)
    say('note', 'script.no-decision', 'never gives a decision, so it allows every call')
}

function failsAfterDeny(text: string): boolean {
  const lines = text.split('\n')
  return lines.some((line, i) => {
    const at = line.search(/["']deny\b/)
    return at >= 0 && (FAIL.test(line.slice(at)) || lines.slice(i + 1, i + 1 + NEAR).some((next) => FAIL.test(next)))
  })
}

function keyOf(pattern: RegExp, text: string): string | undefined {
  const match = pattern.exec(text)
  return match?.[1] ?? match?.[2]
}

/** Arguments that are read under a name which the event does not have. */
function readsOf(text: string, style: ArgsStyle): readonly string[] {
  const lines = text.split('\n').filter((line) => /args/i.test(line))
  const reads = (key: string): boolean => {
    const pattern = new RegExp(`\\[\\s*["']${key}["']\\s*\\]|\\.get\\(\\s*["']${key}["']|\\bargs\\??\\.${key}\\b`)
    return lines.some((line) => pattern.test(line))
  }
  const here = (seed: string) => (style === 'pascal' ? `${seed} in PascalCase` : seed)
  const out: string[] = []
  for (const [key, seed] of Object.entries(OTHER_ARGS))
    if (reads(key)) out.push(`reads the argument ${key}, which no tool has: here it is ${here(seed)}`)
  if (style === 'seed')
    for (const [key, seed] of PASCAL_OF)
      if (reads(key) && !reads(seed))
        out.push(`reads the argument ${key}, which may be missing: here it is ${seed} (or run with --args-style both)`)
  if (style === 'pascal')
    for (const seed of SEED_NAMES.filter((one) => one !== 'code' && one !== 'language'))
      if (reads(seed)) out.push(`reads the argument ${seed}, which --args-style pascal renames`)
  return out
}
