/**
 * Whether a host treats a rewritten command as it would have treated the command itself.
 *
 * Claude Code judges the new text by its permission rules: a rule that denies `curl` is blind behind our program's name,
 * and one that allows `npm test` no longer matches. So a line is rewritten only where no rule can touch it either way.
 * Codex takes a rewrite only with an allow, so only where it would have asked nobody.
 */
import type { ToolCall } from '../core/call.ts'
import { type Asking, ask } from '../core/question.ts'
import { type Fields, field, fieldsOf, parsed, textOf, textsOf } from './guards.ts'
import type { Launch } from './host.ts'

export interface Rewrite {
  readonly call: ToolCall
  /** The line as it was written. */
  readonly line: string
  /** What is put in front, as shell text. */
  readonly launcher: string
  /** Everything that floods runs something; the host asks of such lines unless a rule allows them. */
  readonly runs: boolean
  /** It changes files by their names: the host looks at such places whatever its rules allow. */
  readonly changes: boolean
  readonly home: string
  readonly launch: Launch
  /** The words that the host was started with; undefined where they cannot be told. */
  readonly started: () => readonly string[] | undefined
}

/** Whether the rewritten line would be asked about, denied and run exactly as the line itself. */
export function* treatsAlike(rewrite: Rewrite): Asking<boolean> {
  switch (rewrite.call.host) {
    case 'claude':
      return yield* claudeTreatsAlike(rewrite)
    case 'codex':
      return rewrite.call.permission === 'bypassPermissions' && !(yield* codexHasRules(rewrite))
    case 'pi':
      // It has no rules and asks nobody.
      return true
    default:
      return false
  }
}

/** Bytes of a settings file. */
const MOST_BYTES = 256 * 1024
const MOST_FILES = 64

interface Rules {
  readonly allow: string[]
  /** Rules that deny or ask. */
  readonly stop: string[]
}

/** Modes in which the host asks by its rules. Others judge the text itself, or are not known. */
const ASKING = new Set(['default', 'acceptEdits', 'plan', 'dontAsk'])

function* claudeTreatsAlike({ call, line, launcher, runs, changes, home, launch, started }: Rewrite): Asking<boolean> {
  const mode = call.permission
  if (mode === undefined || (mode !== 'bypassPermissions' && !ASKING.has(mode))) return false
  const rules = fromWords(started())
  if (rules === undefined) return false
  const config = textOf(launch.env.CLAUDE_CONFIG_DIR) ?? `${home}/.claude`
  const files = [
    '/etc/claude-code/managed-settings.json',
    '/Library/Application Support/ClaudeCode/managed-settings.json',
    ...(yield* filesOf('/etc/claude-code/managed-settings.d')),
    `${config}/remote-settings.json`,
    `${config}/settings.json`,
    ...call.workspaces.flatMap((root) => [`${root}/.claude/settings.json`, `${root}/.claude/settings.local.json`]),
  ]
  for (const file of files) if (!(yield* addRules(file, rules))) return false
  if (rules.stop.some((rule) => touches(rule, line) || touches(rule, launcher))) return false
  if (mode === 'bypassPermissions' || rules.allow.some(isWhole)) return !changes
  // A line that only shows something may be allowed without any rule.
  return runs && !rules.allow.some((rule) => touches(rule, line) || touches(rule, launcher))
}

/** Adds the rules of a settings file. False where the file is there and cannot be read, or says what is not judged here. */
function* addRules(file: string, rules: Rules): Asking<boolean> {
  const text = yield* ask('text', { path: file, limit: MOST_BYTES })
  if (text === 'absent') return true
  if (typeof text !== 'object' || text.cut) return false
  const settings = fieldsOf(parsed(text.text))
  if (settings === undefined) return false
  const sandbox = fieldsOf(field(settings, 'sandbox'))
  // In its sandbox the host asks by other rules, and our store cannot be written.
  if (sandbox !== undefined && field(sandbox, 'enabled') === true) return false
  const permissions = fieldsOf(field(settings, 'permissions'))
  if (permissions !== undefined) addFrom(permissions, rules)
  return true
}

function addFrom(permissions: Fields, rules: Rules): void {
  rules.allow.push(...textsOf(field(permissions, 'allow')))
  rules.stop.push(...textsOf(field(permissions, 'deny')), ...textsOf(field(permissions, 'ask')))
}

function* filesOf(dir: string): Asking<readonly string[]> {
  const list = yield* ask('list', { dir, limit: MOST_FILES })
  return typeof list === 'object' ? list.entries.map(({ name }) => `${dir}/${name}`) : []
}

/** Flags that give rules, and flags after which others than a person answer or settings are not known. */
const ALLOWING = /^--allowed-?tools(?:=|$)/i
const DENYING = /^--disallowed-?tools(?:=|$)/i
const ELSEWHERE = /^--(?:settings|permission-prompt-tool|setting-sources|managed-settings)(?:=|$)/

/** The rules that the host was started with; undefined where they cannot be told. */
function fromWords(words: readonly string[] | undefined): Rules | undefined {
  if (words === undefined) return undefined
  const rules: Rules = { allow: [], stop: [] }
  let into: string[] | undefined
  for (const word of words) {
    if (ELSEWHERE.test(word)) return undefined
    if (word.startsWith('-')) {
      into = ALLOWING.test(word) ? rules.allow : DENYING.test(word) ? rules.stop : undefined
      const given = word.indexOf('=')
      if (into !== undefined && given > 0) into.push(...split(word.slice(given + 1)))
    } else into?.push(...split(word))
  }
  return rules
}

/** Rules are separated by commas or blanks outside of parentheses. */
const split = (text: string): readonly string[] => text.match(/(?:\([^)]*\)|[^\s,(])+/g) ?? []

/** A rule for every shell command: what it says, it says of the rewritten one as well. */
const isWhole = (rule: string): boolean => /^Bash(?:\((?::?\*)?\))?$/.test(rule.trim())

/** Whether a rule may speak of a line: its first word stands in it. Rules for other tools do not, and a whole one does not tell. */
function touches(rule: string, line: string): boolean {
  const inner = /^Bash\((.*)\)$/s.exec(rule.trim())?.[1]
  if (inner === undefined || isWhole(rule)) return false
  const first = /^[^\s:*]*/.exec(inner)![0].replace(/^.*\//, '')
  if (first === '') return true
  return line.split(/[^\w.+@-]+/).includes(first)
}

/** Whether rules of Codex may forbid or ask; they match a command by its first words. */
function* codexHasRules({ call, home, launch }: Rewrite): Asking<boolean> {
  const config = textOf(launch.env.CODEX_HOME) ?? `${home}/.codex`
  const dirs = ['/etc/codex/rules', `${config}/rules`, ...call.workspaces.map((root) => `${root}/.codex/rules`)]
  for (const dir of dirs) {
    for (const file of yield* filesOf(dir)) {
      const text = yield* ask('text', { path: file, limit: MOST_BYTES })
      if (text === 'absent') continue
      if (typeof text !== 'object' || text.cut || /forbidden|prompt/.test(text.text)) return true
    }
  }
  return false
}
