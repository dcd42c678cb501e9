/** What respellings know of a line: its simple commands and plain words, with their places in the text. */
import type { Span } from '../../src/core/value.ts'
import { parseShell } from '../../src/shell/parse.ts'
import type { Simple, Word } from '../../src/shell/tree.ts'
import { walkScript } from '../../src/shell/walk.ts'

export interface Text {
  readonly text: string
  /** Every simple command with a plain name that stands in the text itself, in order. */
  readonly commands: readonly Command[]
  /** The one simple command that the whole text is, without assignments and redirections; undefined where it is more. */
  readonly only: Command | undefined
  /** Names that the text defines as functions or aliases. */
  readonly defined: ReadonlySet<string>
  /** Whether the text goes elsewhere before it ends. */
  readonly moves: boolean
  readonly hereDoc: boolean
}

export interface Command {
  readonly name: string
  readonly nameSpan: Span
  /** Arguments that mean themselves, unquoted and without anything that a shell would expand. */
  readonly plain: readonly { readonly text: string; readonly span: Span }[]
  readonly words: readonly Word[]
  readonly builtin: boolean
  /** Runs in a pipe, a substitution or below a compound command, where a change of the line is felt elsewhere. */
  readonly node: Simple
}

/** Commands that live in the shell: no program of that name does the same. */
const BUILTINS = new Set(
  '. : [ alias bg bind break builtin caller case cd command compgen complete compopt continue declare dirs disown echo enable eval exec exit export false fc fg getopts hash help history jobs kill let local logout mapfile popd printf pushd pwd read readarray readonly return set shift shopt source suspend test times trap true type typeset ulimit umask unalias unset wait'.split(
    ' ',
  ),
)

const PLAIN_NAME = /^[a-z][a-z0-9_.-]*$/
const PLAIN_WORD = /^[A-Za-z0-9_./@%+,-][A-Za-z0-9_./@%+,:-]*$/

/** Reads a line; undefined where it cannot be read whole. */
export function textOf(text: string): Text | undefined {
  const reading = parseShell(text)
  if (reading.status !== 'complete' || reading.script.statements.length === 0) return undefined
  const commands: Command[] = []
  const defined = new Set<string>()
  let moves = false
  let hereDoc = false
  walkScript(reading.script, text, {
    node(node, source) {
      if (node.is === 'function') defined.add(node.name)
      if ('redirects' in node && node.redirects.some((one) => one.heredoc !== undefined)) hereDoc = true
      if (node.is !== 'simple') return
      const name = plain(node.words[0])
      if (name === undefined) return
      if (/^(?:cd|pushd|popd)$/.test(name.text)) moves = true
      if (name.text === 'alias') for (const word of node.words.slice(1)) defined.add(word.text.split('=')[0]!)
      if (source !== text || text.slice(name.span.from, name.span.to) !== name.text) return
      if (!PLAIN_NAME.test(name.text)) return
      commands.push({
        name: name.text,
        nameSpan: name.span,
        plain: node.words.slice(1).flatMap((word) => {
          const found = plain(word)
          return found !== undefined && PLAIN_WORD.test(found.text) ? [found] : []
        }),
        words: node.words,
        builtin: BUILTINS.has(name.text),
        node,
      })
    },
  })
  return { text, commands, only: onlyOf(text, reading.script.statements, commands), defined, moves, hereDoc }
}

function onlyOf(
  text: string,
  statements: readonly { readonly node: { readonly is: string }; readonly background: boolean }[],
  commands: readonly Command[],
): Command | undefined {
  const [statement] = statements
  const command = commands[0]
  if (statements.length !== 1 || statement!.background || command === undefined) return undefined
  if (statement!.node !== command.node || /[\n#]/.test(text)) return undefined
  return command.node.assigns.length === 0 && command.node.redirects.length === 0 ? command : undefined
}

function plain(word: Word | undefined): { text: string; span: Span } | undefined {
  const [part, more] = word?.parts ?? []
  if (part === undefined || more !== undefined || part.is !== 'literal' || part.quoted) return undefined
  return part.text === word!.text ? { text: part.text, span: word!.span } : undefined
}

/** The text with pieces replaced; later places first, so that spans stay right. */
export function replaced(text: string, pieces: readonly { readonly span: Span; readonly by: string }[]): string {
  let out = text
  for (const { span, by } of [...pieces].sort((a, b) => b.span.from - a.span.from))
    out = out.slice(0, span.from) + by + out.slice(span.to)
  return out
}

/** As one word in single quotes. */
export const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
