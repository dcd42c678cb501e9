/** The guard's own names: programs that the host's settings run as hooks, and ours. */
import { type Asking, ask } from '../core/question.ts'
import { parseShell } from '../shell/parse.ts'

/** Settings files that register hooks, below the home and below each workspace. */
const SETTINGS = [
  '.claude/settings.json',
  '.claude/settings.local.json',
  '.codex/hooks.json',
  '.gemini/config/hooks.json',
  '.gemini/settings.json',
  '.agents/hooks.json',
  '.cursor/hooks.json',
  '.qwen/settings.json',
] as const

const OURS = ['sallyport', 'ctx', 'agb', 'adlc'] as const

/** A settings file larger than this is not read for names. */
const MOST_SETTINGS = 256 * 1024

/** Programs that run others: a hook `node guard.js` is named by its script, not by node. */
const RUNNERS = /^(?:node|python3?|sh|bash|env|npx|bun|deno|uvx?)$/

/** Asks for the names; every answer may be missing, then only ours are known. */
export function* guardNames(home: string, workspaces: readonly string[]): Asking<ReadonlySet<string>> {
  const names = new Set<string>(OURS)
  names.delete('adlc')
  for (const base of [home, ...workspaces]) {
    for (const file of SETTINGS) {
      const text = yield* ask('text', { path: `${base}/${file}`, limit: MOST_SETTINGS })
      if (typeof text !== 'object') continue
      for (const command of commandsIn(text.text)) addNames(command, names)
    }
  }
  return names
}

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
      if (typeof item === 'string' && inHooks && key === 'command') out.push(item)
      else
        walk(
          item,
          inHooks || key === 'hooks' || /^(?:Pre|Post|Before|After|before|after|pre|post)/.test(key),
          depth + 1,
        )
    }
  }
  walk(json, false, 0)
  return out.slice(0, 64)
}

function addNames(command: string, names: Set<string>): void {
  for (const { node } of parseShell(command.slice(0, 4096)).script.statements) {
    if (node.is !== 'simple') continue
    for (const word of node.words) {
      const base = word.text.replaceAll(/["']/g, '').split('/').at(-1) ?? ''
      if (base === '' || base.startsWith('-') || RUNNERS.test(base) || !/^[A-Za-z][\w.-]*$/.test(base)) continue
      names.add(base.replace(/\.(?:[cm]?js|sh|py|ts|exe)$/, ''))
      break
    }
  }
}
