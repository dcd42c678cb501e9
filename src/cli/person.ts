/**
 * Asking a person, and nobody else: at the controlling terminal of the process, which redirections do not touch, and
 * only where no agent host is among the processes that started us. What an agent could answer is no answer.
 */
import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { callerOf } from './ctx/run-caller.ts'

/** The names that agent hosts run under. */
const AGENTS: ReadonlySet<string> = new Set(
  (
    'claude claude-code codex codex-cli agy antigravity gemini gemini-cli cursor cursor-agent copilot opencode qwen ' +
    'windsurf devin kiro kiro-cli cline amp goose droid grok kimi aider'
  ).split(' '),
)

/** A process: who started it, and the first words of its command line. */
export interface Process {
  readonly parent: number
  readonly words: readonly string[]
}

/** More levels than any terminal has. */
const MOST_LEVELS = 128

/**
 * The agent host among the processes above `pid`, `unknown` where that cannot be told, undefined where there is none.
 * An interpreter counts by the script that it runs.
 */
export function agentAbove(pid: number, look: (pid: number) => Process | undefined): string | undefined {
  let at = pid
  for (let level = 0; level < MOST_LEVELS; level++) {
    const found = look(at)
    if (found === undefined) return 'unknown'
    const agent = found.words
      .slice(0, 3)
      .map(nameOf)
      .find((name) => AGENTS.has(name))
    if (agent !== undefined) return agent
    // Nobody started the first process, nor what a container starts with.
    if (found.parent <= 1) return undefined
    at = found.parent
  }
  return 'unknown'
}

const nameOf = (word: string): string => {
  const name = basename(word)
    .toLowerCase()
    .replace(/\.(?:exe|js|mjs|cjs|sh)$/, '')
  // `…/claude-code/cli.js` is named by its package.
  return /^(?:cli|index|main)$/.test(name) ? basename(word.replace(/[\\/](?:dist|bin|build)?[\\/]?[^\\/]*$/, '')) : name
}

/** A process of this system. */
function lookUp(pid: number): Process | undefined {
  try {
    if (process.platform === 'linux') {
      const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').slice(0, 3)
      return Number.isInteger(parent) ? { parent, words } : undefined
    }
    const told = spawnSync('ps', ['-o', 'ppid=,command=', '-p', String(pid)], { encoding: 'utf8', timeout: 2_000 })
    const match = /^\s*(\d+)\s+(.*)$/m.exec(told.stdout ?? '')
    return match === null ? undefined : { parent: Number(match[1]), words: match[2]!.split(/\s+/).slice(0, 3) }
  } catch {
    return undefined
  }
}

/** Asks a question that a yes or a no answers; undefined where no person can be asked. */
export function askPerson(question: string, env: Readonly<Record<string, string | undefined>>): boolean | undefined {
  if (callerOf(env).host !== 'none' || agentAbove(process.ppid, lookUp) !== undefined) return undefined
  let handle: number
  try {
    handle = openSync('/dev/tty', 'r+')
  } catch {
    return undefined
  }
  try {
    writeSync(handle, `${question} [y/N] `)
    const answer = Buffer.alloc(64)
    return /^y(?:es)?\s*$/i.test(answer.toString('utf8', 0, readSync(handle, answer)))
  } finally {
    closeSync(handle)
  }
}
