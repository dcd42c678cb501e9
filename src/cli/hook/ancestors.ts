/** The words that the processes above the hook were started with: flags of a host say what no file says. */
import { readFileSync } from 'node:fs'

export interface Process {
  readonly parent: number
  readonly words: readonly string[]
}

/** Levels of processes above a hook; there are a few. */
const MOST_LEVELS = 64
const MOST_WORDS = 256 * 1024
/** Milliseconds for the list of all processes. */
const LIST_MS = 1000

/** Names of the hosts' own programs: what stands above has started the host, and says nothing of it. */
const HOSTS_OWN = /(?:^|\/)(?:claude(?:\.exe|-code)?|cli\.js|codex(?:\.js)?|gemini(?:\.js)?)$/

/**
 * The words of the processes above `id`, that one included, up to the host, or all of them where none is known by its name.
 * Undefined where one is not shown.
 */
export function wordsFrom(id: number, look: (id: number) => Process | undefined): readonly string[] | undefined {
  const words: string[] = []
  let at = id
  for (let level = 0; level < MOST_LEVELS; level++) {
    if (at <= 0) return words
    const found = look(at)
    if (found === undefined) return undefined
    words.push(...found.words)
    if (found.words.slice(0, 2).some((word) => HOSTS_OWN.test(word))) return words
    at = found.parent
  }
  return undefined
}

/** The words above this process; undefined where the system does not show them. */
export function startedBy(): readonly string[] | undefined {
  try {
    return wordsFrom(process.ppid, process.platform === 'linux' ? inProc : listed())
  } catch {
    return undefined
  }
}

function inProc(id: number): Process {
  const words = readFileSync(`/proc/${id}/cmdline`, 'latin1').slice(0, MOST_WORDS).split('\0').slice(0, -1)
  const parent = /^PPid:\s*(\d+)$/m.exec(readFileSync(`/proc/${id}/status`, 'latin1'))?.[1]
  return { words, parent: Number(parent ?? 0) }
}

/** Other systems list their processes; nothing is started on Windows. */
function listed(): (id: number) => Process | undefined {
  if (process.platform === 'win32') return () => undefined
  const { spawnSync } = process.getBuiltinModule('node:child_process')
  const { stdout } = spawnSync('/bin/ps', ['-axww', '-o', 'pid=,ppid=,command='], {
    encoding: 'utf8',
    timeout: LIST_MS,
    maxBuffer: 64 * 1024 * 1024,
  })
  const all = processesIn(stdout ?? '')
  return (id) => all.get(id)
}

/**
 * The processes in a list of `pid ppid command` lines. Words of a command are told apart by blanks outside of parentheses:
 * a rule such as `Bash(npm test)` stays one, a text in quotes falls apart, which only makes the caller more careful.
 */
export function processesIn(list: string): ReadonlyMap<number, Process> {
  const all = new Map<number, Process>()
  for (const line of list.split('\n')) {
    const [, id, parent, command] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? []
    if (id === undefined || command === undefined) continue
    all.set(Number(id), {
      parent: Number(parent),
      words: command.slice(0, MOST_WORDS).match(/(?:\([^)]*\)|[^\s(])+/g) ?? [],
    })
  }
  return all
}
