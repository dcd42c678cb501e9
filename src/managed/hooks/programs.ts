/** Which files a handler's command line runs. */
import { posix } from 'node:path'
import { parseShell } from '../../shell/parse.ts'
import type { Word } from '../../shell/tree.ts'
import { simpleCommands } from '../../shell/walk.ts'

export interface Program {
  /** As written: absolute, or relative to where the command runs. */
  readonly path: string
  /** The interpreter that reads it; absent where the file itself is executed. */
  readonly by?: string
}

/** Programs that run what follows them. */
const PREFIXES = new Set(['env', 'exec', 'nice', 'nohup', 'time', 'command', 'stdbuf', 'timeout', 'setsid'])
/** Programs whose first operand is a program text. */
const INTERPRETERS =
  /^(?:python[\d.]*|pypy[\d.]*|node|nodejs|bun|deno|tsx|ts-node|ruby|perl|php|lua|bash|sh|dash|ash|zsh|ksh|source|\.)$/
const SHELL = /^(?:bash|sh|dash|ash|zsh|ksh)$/
/** Options of interpreters that take the next word, and those with which the program is no file. */
const TAKES = /^(?:-[WXrI]|--(?:require|import|loader|rcfile|init-file))$/
const INLINE = /^(?:-[a-z]*[ce]|-m|-pe|-p|--(?:eval|print))$/
/** Lines within lines that are followed. */
const DEEPEST = 4

/** The files, in order. Words that are known only when the line runs are left out. */
export function programsOf(command: string, depth = 0): readonly Program[] {
  const { script, text } = parseShell(command)
  return simpleCommands(script, text).flatMap(({ simple }) => {
    const words = simple.words.map(constantOf)
    const unknown = words.indexOf(undefined)
    const found = programOf((unknown < 0 ? words : words.slice(0, unknown)) as string[])
    if (found === undefined) return []
    if (typeof found === 'string') return depth < DEEPEST ? programsOf(found, depth + 1) : []
    return found.path.includes('\0') ? [] : [found]
  })
}

/** The file that a command runs, or the line that it gives to a shell. */
function programOf(words: readonly string[]): Program | string | undefined {
  let at = 0
  while (PREFIXES.has(posix.basename(words[at] ?? ''))) {
    at++
    // Options, durations and assignments of the prefix.
    while (/^(?:-|[\d.]+[smhd]?$|\w+=)/.test(words[at] ?? '')) at++
  }
  const name = words[at]
  if (name === undefined || name === '') return undefined
  const by = posix.basename(name)
  if (!INTERPRETERS.test(by)) return name.includes('/') ? { path: name } : undefined
  for (at++; at < words.length; at++) {
    const word = words[at]!
    if (SHELL.test(by)) {
      // `-e` of a shell is no program.
      if (/^-[a-z]*c$/.test(word)) return words[at + 1]
    } else if (INLINE.test(word)) return undefined
    if (TAKES.test(word)) at++
    else if (by === 'deno' && word === 'run') continue
    else if (word !== '-' && !word.startsWith('-') && !word.startsWith('+')) return { path: word, by }
  }
  return undefined
}

function constantOf(word: Word): string | undefined {
  let text = ''
  for (const part of word.parts) {
    if (part.is !== 'literal') return undefined
    text += part.text
  }
  return text
}
