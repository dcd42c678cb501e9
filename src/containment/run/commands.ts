/** What a digest is told of the command: the simple commands whose words are constant. */
import { posix } from 'node:path'
import { parseShell } from '../../shell/parse.ts'
import type { Node, Word } from '../../shell/tree.ts'
import { simpleCommands } from '../../shell/walk.ts'

export interface Command {
  readonly program: string
  readonly args: readonly string[]
}

/** An argv as a command. */
export const commandOf = ([name = '', ...args]: readonly string[]): Command => ({
  program: posix.basename(name),
  args,
})

/** The simple commands of a line, in order; where a name is not constant the command is left out, words from there on. */
export function commandsOfLine(line: string): readonly Command[] {
  const { script, text } = parseShell(line)
  return simpleCommands(script, text).flatMap(({ simple }) => {
    const words = simple.words.map(constant)
    const unknown = words.indexOf(undefined)
    const known = (unknown < 0 ? words : words.slice(0, unknown)) as string[]
    return known.length === 0 ? [] : [commandOf(known)]
  })
}

/** Shells whose `-c` takes a line. */
const SHELLS = new Set(['bash', 'zsh', 'ksh', 'mksh', 'dash', 'ash', 'sh'])

/** What was run by an argv: one that only gives a line to a shell is that line. */
export function commandOfArgv(argv: readonly string[]): { readonly argv: readonly string[]; readonly line?: string } {
  const [shell = '', flag, line, ...more] = argv
  const given = flag === '-c' && line !== undefined && more.length === 0 && SHELLS.has(posix.basename(shell))
  return given ? { argv, line } : { argv }
}

/** Whether the status of a line is that of a pipeline's last stage, so that it says nothing of the others. */
export function endsInPipeline(line: string): boolean {
  if (!line.includes('|')) return false
  const { script, status } = parseShell(line)
  const last = script.statements.at(-1)
  return status === 'complete' && last !== undefined && !last.background && isPipeline(last.node)
}

function isPipeline(node: Node): boolean {
  if (node.is === 'and-or') return isPipeline(node.rest.at(-1)?.node ?? node.first)
  return node.is === 'pipeline' && !node.negated && node.commands.length > 1
}

function constant(word: Word): string | undefined {
  let text = ''
  for (const part of word.parts) {
    if (part.is !== 'literal') return undefined
    text += part.text
  }
  return text
}
