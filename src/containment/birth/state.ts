/** What a line does to the shell that reads it, beside printing: whether another shell may read a part of it. */
import { lists } from '../../commands/list.ts'
import type { Node, Redirect, Simple, Word } from '../../shell/tree.ts'
import { ACTIVATES, NOT_INHERITED, STATE } from './tables/state.ts'
import { baseOf, constantOf, has, listOf, operandsOf } from './words.ts'

/** `text`: what stands behind in the same text depends on it. `line`: more depends on it. */
export type Keeps = 'text' | 'line'

/** Expansions that set a variable: `${A:=x}`, `$((A=1))`. Told by the text, so that a quoted one counts, too. */
const SETS = /\$\{[^}]*(?:=|\+\+|--)|\$\(\([\s\S]*(?:=|\+\+|--)|\$\[/
/** Run in the shell itself: `${ cd sub; }`. */
const RUNS = /\$\{[\s|]/

/** What a node itself does, without what is inside it. `inner`: it is in a shell of its own. */
export function keptBy(node: Node, inner: boolean): Keeps | undefined {
  if (node.is === 'simple') {
    const kept = bySimple(node, inner)
    if (kept === 'line') return kept
    return inner ? undefined : (byWords(node) ?? kept)
  }
  if (inner) return undefined
  const words = byWords(node)
  if (words !== undefined) return words
  switch (node.is) {
    case 'for':
    case 'select':
    case 'arithmetic-for':
    case 'arithmetic':
      return 'text'
    case 'test':
      return node.words.some(({ text }) => text === '=~') ? 'text' : undefined
    default:
      return undefined
  }
}

function byWords(node: Node): Keeps | undefined {
  const texts = textsOf(node)
  if (texts.some((text) => text.includes('$') && RUNS.test(text))) return 'line'
  const opens = redirectsOf(node).some(({ descriptor }) => descriptor === undefined)
  return opens || texts.some((text) => text.includes('$') && SETS.test(text)) ? 'text' : undefined
}

function bySimple({ assigns, words }: Simple, inner: boolean): Keeps | undefined {
  if (words.length === 0) return assigns.length > 0 ? 'text' : undefined
  const { name, args, hidden } = command(words)
  // A name that is put in by the shell may be that of a builtin, unless it holds a directory.
  if (name === undefined) return inner || hasDirectory(words[0]!) ? undefined : 'line'
  const kept = byName(name, args, inner)
  if (kept !== undefined || inner) return kept
  if (name === 'cd') return hidden ? 'line' : undefined
  if (name === 'export') return assigns.length > 0 || !args.every(isInherited) ? 'text' : undefined
  // Shells keep what stands before some of their own commands.
  return assigns.length > 0 && name === ':' ? 'text' : undefined
}

function byName(name: string, args: readonly Word[], inner: boolean): Keeps | undefined {
  const constants = args.map(constantOf)
  const row = STATE.find(({ names, only, bare }) => {
    if (name.includes(' ') || !lists(names, name)) return false
    if (bare) return args.length === 0
    return only === undefined || has(constants, only) || listOf(only).includes(operandsOf(constants)[0] ?? '')
  })
  if (row === undefined || (inner && !row.host)) return undefined
  const [file] = args
  const activates = (name === 'source' || name === '.') && args.length === 1 && ACTIVATES.test(literalOf(file!))
  return activates ? 'text' : row.keeps
}

/** The command behind `command` and `builtin`, which take functions out of the way. */
function command(words: readonly Word[]): { name: string | undefined; args: readonly Word[]; hidden: boolean } {
  let at = 0
  for (; at < words.length; at++) {
    const name = constantOf(words[at]!)
    if (name !== 'command' && name !== 'builtin') break
    // `command -v x` only tells what a name stands for.
    while (/^-(?:p|-)$/.test(words[at + 1]?.text ?? '')) at++
    if (/^-/.test(words[at + 1]?.text ?? '')) return { name: 'command', args: [], hidden: true }
  }
  const first = words[at]
  if (first === undefined) return { name: 'command', args: [], hidden: true }
  return { name: constantOf(first), args: words.slice(at + 1), hidden: at > 0 }
}

/** `A=1` and `A` behind `export`: the next shell has it. */
function isInherited({ text }: Word): boolean {
  const name = /^([A-Za-z_]\w*)(?:\+?=(?!\()|$)/.exec(text)?.[1]
  return name !== undefined && !NOT_INHERITED.test(name)
}

const literalOf = (word: Word): string => word.parts.map((part) => (part.is === 'literal' ? part.text : '')).join('')

const hasDirectory = (word: Word): boolean => baseOf(literalOf(word)) !== literalOf(word)

/** The process of the shell, and what it counts: another shell is another process. */
const PROCESS = /\$(?:\$|\{\$|\{?(?:PPID|BASHPID|SECONDS)\b)|\bOLDPWD\b|(?:^|\s)~-/
/** What the command before left. */
const BEFORE = /\$(?:[?_](?!\w)|\{[?_]\W|\{PIPESTATUS\b|PIPESTATUS\b)/

/** Whether a node needs the shell in which the part before it ran. `first`: nothing ran in between. */
export function needsFront(node: Node, first: boolean): boolean {
  const texts = textsOf(node)
  if (texts.some((text) => PROCESS.test(text) || (first && BEFORE.test(text)))) return true
  return node.is === 'simple' && node.words[0]?.text === 'cd' && node.words.some(({ text }) => text === '-')
}

const redirectsOf = (node: Node): readonly Redirect[] => ('redirects' in node ? node.redirects : [])

/** The words of a node itself, as written. */
function textsOf(node: Node): readonly string[] {
  const words: (Word | undefined)[] = redirectsOf(node).map(({ target }) => target)
  switch (node.is) {
    case 'simple':
      words.push(...node.words)
      for (const { index, value, array } of node.assigns) words.push(index, value, ...(array ?? []))
      break
    case 'test':
      words.push(...node.words)
      break
    case 'for':
    case 'select':
      words.push(...(node.words ?? []))
      break
    case 'case':
      words.push(node.word, ...node.items.flatMap(({ patterns }) => patterns))
      break
    case 'arithmetic-for':
      words.push(node.header)
      break
    case 'arithmetic':
      words.push(node.body)
      break
  }
  return words.flatMap((word) => (word === undefined ? [] : [word.text]))
}
