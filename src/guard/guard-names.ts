/** The guard's own names: programs that the host's settings run as hooks, and ours. */
import { readerOf } from '../commands/registry.ts'
import { type Asking, ask } from '../core/question.ts'
import { foldCase } from '../paths/lexical.ts'
import type { Moved } from '../paths/moved.ts'
import { parseShell } from '../shell/parse.ts'

/** Settings files that register hooks, below the home directory and below each workspace. A slash at the end: all files there. */
const EITHER: readonly string[] = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/config.toml',
  '.codex/hooks.json',
  '.gemini/config/hooks.json',
  '.gemini/settings.json',
  '.agents/hooks.json',
  '.cursor/hooks.json',
  '.qwen/settings.json',
  '.factory/hooks.json',
  // Older ones lie in the settings.
  '.factory/settings.json',
  '.grok/hooks/',
  '.kiro/hooks/',
  '.kiro/agents/',
]
const OF_HOME: readonly string[] = [
  ...EITHER,
  '.codeium/windsurf/hooks.json',
  '.config/devin/config.json',
  '.kimi-code/config.toml',
  '.copilot/hooks/',
]
const OF_WORKSPACE: readonly string[] = [
  ...EITHER,
  '.windsurf/hooks.json',
  '.devin/hooks.v1.json',
  '.devin/config.json',
  '.devin/config.local.json',
  '.github/hooks/',
]

const OURS = ['sallyport', 'ctx', 'agb', 'adlc'] as const

/** A settings file larger than this is not read for names. */
const MOST_SETTINGS = 256 * 1024
/** Entries that are looked at in a directory of hooks, and the text of all of them. */
const MOST_FILES = 64
const MOST_TEXT = 1024 * 1024

/** Programs that run others: a hook `node guard.js` is named by its script, not by node. */
const RUNNERS = /^(?:node|python3?|sh|bash|env|npx|bun|deno|uvx?)$/

/** Asks for the names; every answer may be missing, then only ours are known. `moved`: where variables put settings of the home. */
export function* guardNames(
  home: string,
  workspaces: readonly string[],
  moved: readonly Moved[] = [],
): Asking<ReadonlySet<string>> {
  const names = new Set<string>(OURS)
  names.delete('adlc')
  const places = [
    ...(yield* thoseIn(home, OF_HOME)),
    ...moved.flatMap(({ to, usual }) =>
      OF_HOME.filter((file) => file.startsWith(`${usual}/`)).map((file) => to + file.slice(usual.length)),
    ),
  ]
  for (const root of workspaces) places.push(...(yield* thoseIn(root, OF_WORKSPACE)))
  for (const place of places)
    for (const text of yield* textsAt(place))
      for (const command of (place.endsWith('.toml') ? commandsInToml(text) : commandsIn(text)).slice(0, MOST_COMMANDS))
        addNames(command, names)
  return names
}

/** Names of a home or a workspace that are looked through, before each file is asked for by itself. */
const MOST_NAMES = 256

/** Those of the files that may be there: most agents are not in use, and one look at the names above tells. */
function* thoseIn(root: string, files: readonly string[]): Asking<readonly string[]> {
  const listed = yield* ask('list', { dir: root, limit: MOST_NAMES })
  const all = files.map((file) => `${root}/${file}`)
  if (listed === 'unknown' || (typeof listed === 'object' && listed.cut)) return all
  // Names may be written another way where a file system takes either.
  const names = new Set(listed === 'absent' ? [] : listed.entries.map(({ name }) => foldCase(name)))
  return all.filter((_, i) => names.has(files[i]!.slice(0, files[i]!.indexOf('/'))))
}

function* textsAt(place: string): Asking<readonly string[]> {
  if (!place.endsWith('/')) {
    const text = yield* ask('text', { path: place, limit: MOST_SETTINGS })
    return typeof text === 'object' ? [text.text] : []
  }
  const about = { dir: place.slice(0, -1), limit: MOST_FILES, each: MOST_SETTINGS, total: MOST_TEXT }
  const all = yield* ask('texts', about)
  if (typeof all !== 'object') return []
  return all.entries.flatMap(({ name, text }) =>
    name.endsWith('.json') && typeof text === 'object' ? [text.text] : [],
  )
}

/** Commands that are looked at in one file. */
const MOST_COMMANDS = 64

const TABLE = /^\s*\[\[?\s*([^\]#]+?)\s*\]/
const COMMAND = /^\s*command\s*=\s*(?:"((?:[^"\\]|\\.)+)"|'([^']+)')/

/** Commands of tables of hooks, where each stands on a line of its own: a reader of the whole language is not needed for names. */
function commandsInToml(text: string): string[] {
  const out: string[] = []
  let inHooks = false
  for (const line of text.split('\n')) {
    const table = TABLE.exec(line)
    if (table) inHooks = table[1]!.split('.').includes('hooks')
    const [, quoted, literal] = (inHooks && COMMAND.exec(line)) || []
    const command = quoted?.replaceAll(/\\(["\\])/g, '$1') ?? literal
    if (command !== undefined) out.push(command)
  }
  return out
}

/** Keys of a handler that hold a command, in the words of any host. */
const COMMAND_KEYS: ReadonlySet<string> = new Set(['command', 'bash', 'powershell'])

function commandsIn(text: string): string[] {
  const out: string[] = []
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return out
  }
  const walk = (value: unknown, inHooks: boolean, depth: number): void => {
    if (depth > 16 || typeof value !== 'object' || value === null) return
    for (const [key, item] of Object.entries(value)) {
      if (typeof item === 'string' && inHooks && COMMAND_KEYS.has(key)) out.push(item)
      else
        walk(
          item,
          inHooks || key === 'hooks' || /^(?:Pre|Post|Before|After|before|after|pre|post)/.test(key),
          depth + 1,
        )
    }
  }
  walk(json, false, 0)
  return out
}

function addNames(command: string, names: Set<string>): void {
  for (const { node } of parseShell(command.slice(0, 4096)).script.statements) {
    if (node.is !== 'simple') continue
    for (const word of node.words) {
      const base = word.text.replaceAll(/["']/g, '').split('/').at(-1) ?? ''
      if (base === '' || base.startsWith('-') || RUNNERS.test(base) || !/^[A-Za-z][\w.-]*$/.test(base)) continue
      // What the tables know is a program of everybody: a hook may run it, and it is no guard.
      if (readerOf(base) === undefined) names.add(base.replace(/\.(?:[cm]?js|sh|py|ts|exe)$/, ''))
      break
    }
  }
}
