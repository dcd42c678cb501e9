/** Comments: the parser drops them, so they are found in what no word of the tree covers. */
import type { Span } from '../core/value.ts'
import type { Part, Script, Word } from './tree.ts'
import { walkScript } from './walk.ts'

/** Spans of the comments of a text, `#` included and line end excluded. Scripts with a source of their own have none. */
export function findComments(text: string, script: Script): readonly Span[] {
  if (!text.includes('#')) return []
  const covered = coveredBy(text, script)
  const comments: Span[] = []
  for (let i = text.indexOf('#'); i !== -1; i = text.indexOf('#', i + 1)) {
    if (covered[i] === 1 || !(i === 0 || covered[i - 1] === 1 || ' \t\n;&|()`'.includes(text[i - 1]!))) continue
    if (covered[i - 1] === 1 && !' \t\n;&|()`'.includes(text[i - 1]!)) continue
    let end = i
    while (end < text.length && text[end] !== '\n' && covered[end] !== 2) end++
    comments.push({ from: i, to: end })
    i = end
  }
  return comments
}

/** Per character: 1 where a word, a here-document or a header stands; 2 where a substitution's script ends; else 0. */
function coveredBy(text: string, script: Script): Uint8Array {
  const covered = new Uint8Array(text.length)
  const own = { within: true }
  const cover = (span: Span): void => {
    if (own.within) covered.fill(1, span.from, span.to)
  }
  const uncover = (inner: Script): void => {
    if (!own.within || inner.source !== undefined) return
    covered.fill(0, inner.span.from, inner.span.to)
    if (inner.span.to < text.length) covered[inner.span.to] = 2
  }
  walkScript(script, text, {
    script: (_, source) => {
      own.within = source === text
    },
    node: (node, source) => {
      own.within = source === text
      if ('redirects' in node) for (const redirect of node.redirects) if (redirect.heredoc) cover(redirect.heredoc.span)
      if (node.is === 'simple')
        for (const assign of node.assigns)
          cover(assign.array ? { from: assign.span.from, to: text.indexOf('(', assign.span.from) } : assign.span)
      if (node.is === 'arithmetic') cover(node.span)
    },
    word: (word: Word, source) => {
      own.within = source === text
      cover(word.span)
    },
    part: (part: Part, source) => {
      own.within = source === text
      if (part.is === 'command' || part.is === 'process') uncover(part.script)
    },
  })
  return covered
}
