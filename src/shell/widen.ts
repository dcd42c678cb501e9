/** Spans of trees that the parser recovered: a broken construct may lack its end, but still encloses what it holds. */
import type { Span } from '../core/value.ts'
import type { Node } from './tree.ts'
import { wordsOfAssign } from './walk.ts'

/** The smallest span around `span` and `inner`. */
export function around(span: Span, inner: readonly { readonly span: Span }[]): Span {
  let { from, to } = span
  for (const each of inner) {
    if (each.span.from < from) from = each.span.from
    if (each.span.to > to) to = each.span.to
  }
  return from === span.from && to === span.to ? span : { from, to }
}

/** The node with a span that encloses its children. */
export function widen(node: Node): Node {
  const span = around(node.span, [...childrenOf(node), ...('redirects' in node ? node.redirects : [])])
  return span === node.span ? node : { ...node, span }
}

function childrenOf(node: Node): readonly { readonly span: Span }[] {
  switch (node.is) {
    case 'simple':
      return [...node.assigns, ...node.assigns.flatMap(wordsOfAssign), ...node.words]
    case 'pipeline':
      return node.commands
    case 'and-or':
      return [node.first, ...node.rest.map((next) => next.node)]
    case 'if':
      return [
        ...node.clauses.flatMap((clause) => [clause.test, clause.then]),
        ...(node.otherwise ? [node.otherwise] : []),
      ]
    case 'while':
    case 'until':
      return [node.test, node.body]
    case 'for':
    case 'select':
      return [...(node.words ?? []), node.body]
    case 'arithmetic-for':
      return [node.header, node.body]
    case 'case':
      return [node.word, ...node.items.flatMap((item) => [...item.patterns, item.body])]
    case 'test':
      return node.words
    case 'group':
    case 'subshell':
    case 'function':
    case 'coproc':
    case 'arithmetic':
      return [node.body]
  }
}
