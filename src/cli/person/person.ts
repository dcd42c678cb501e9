/**
 * Whether a person sits at the terminal: there is a controlling terminal, and no agent among the processes that led to
 * this one. Only such a person may approve, allow or pause (`docs/policy.md`).
 */

import { spawnSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, readSync, writeSync } from 'node:fs'
import { basename } from 'node:path'
import { isatty } from 'node:tty'
import { AGENT_PACKAGES, AGENT_PROGRAMS, AGENT_VARIABLES } from './agents.ts'

/** Generations that are looked at: far more than any terminal is deep. */
const MOST_ANCESTORS = 64
/** Words of a process that may name its program: a runtime, its options and the script. */
const FIRST_WORDS = 4

export interface Ancestor {
  readonly pid: number
  readonly words: readonly string[]
}

export interface Surroundings {
  readonly env: Readonly<Record<string, string | undefined>>
  /** From the parent upwards. */
  readonly ancestors: readonly Ancestor[]
  readonly terminal: boolean
}

const elsewhere = 'open a terminal of your own and run it there'

/** `what`: what it is that a person may do. Undefined where a person may answer here; else one clause that says why not, and what to do. */
export function whyNoPerson(around: Surroundings, what = 'answer'): string | undefined {
  return agentAround(around) ?? (around.terminal ? undefined : `only a person at a terminal may ${what}; ${elsewhere}`)
}

/** The agent that started this, as one clause that says what to do; undefined where there are no signs of one. */
export function agentAround({ env, ancestors }: Surroundings): string | undefined {
  for (const [name, agent] of Object.entries(AGENT_VARIABLES))
    if (env[name]) return `${name} is set, so ${agent} started this; ${elsewhere}`
  for (const { words } of ancestors) {
    const agent = agentOf(words)
    if (agent !== undefined) return `${agent} is among the programs that started this; ${elsewhere}`
  }
  return undefined
}

function agentOf(words: readonly string[]): string | undefined {
  for (const word of words.slice(0, FIRST_WORDS)) {
    if (AGENT_PACKAGES.test(word)) return AGENT_PACKAGES.exec(word)![0]
    const name = basename(word).replace(/\.(?:exe|js|mjs|cjs)$/, '')
    if (AGENT_PROGRAMS.has(name)) return name
    // A shell's own words may be about anything.
    if (/^-?(?:ba|da|z|fi|k)?sh$/.test(name)) return undefined
  }
  return undefined
}

/** What is around this process. */
export function surroundings(env: Surroundings['env']): Surroundings {
  return { env, ancestors: ancestors(process.ppid), terminal: hasTerminal() }
}

function hasTerminal(): boolean {
  try {
    const handle = openSync('/dev/tty', 'r+')
    const terminal = isatty(handle)
    closeSync(handle)
    return terminal
  } catch {
    return false
  }
}

function ancestors(from: number): readonly Ancestor[] {
  const out: Ancestor[] = []
  const of = process.platform === 'linux' ? fromProc : fromPs()
  for (let pid = from; pid > 1 && out.length < MOST_ANCESTORS; ) {
    const found = of(pid)
    if (found === undefined) break
    out.push({ pid, words: found.words })
    pid = found.parent
  }
  return out
}

interface Process {
  readonly parent: number
  readonly words: readonly string[]
}

function fromProc(pid: number): Process | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name stands in brackets and may hold some itself.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').filter(Boolean)
    return { parent, words: [name, ...words] }
  } catch {
    return undefined
  }
}

function fromPs(): (pid: number) => Process | undefined {
  const { stdout = '' } = spawnSync('ps', ['-axo', 'pid=,ppid=,command='], { encoding: 'utf8', timeout: 5_000 })
  const all = new Map(
    stdout.split('\n').flatMap((row) => {
      const [, pid, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(row) ?? []
      return pid === undefined ? [] : [[Number(pid), { parent: Number(parent), words: command!.split(' ') }] as const]
    }),
  )
  return (pid) => all.get(pid)
}

/** Puts a question to the terminal itself, whatever stdin is, and returns the line that was typed. */
export function askTerminal(question: string): string {
  const handle = openSync('/dev/tty', 'r+')
  try {
    writeSync(handle, question)
    const bytes = Buffer.alloc(256)
    return bytes.toString('utf8', 0, readSync(handle, bytes, 0, bytes.length, null)).trim()
  } finally {
    closeSync(handle)
  }
}
