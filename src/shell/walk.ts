/** Visits every nested script, simple command, word and part of a tree. Pure; depth is bounded by the parser's limit. */
import type { Assign, Node, Operation, Part, Redirect, Script, Simple, Word } from './tree.ts'

/** What a walk may be told of. Each is called before its children, with the text that the spans index. */
export interface Visitor {
  script?(script: Script, source: string): void
  node?(node: Node, source: string): void
  word?(word: Word, source: string): void
  part?(part: Part, source: string): void
}

/** Walks a tree in source order, alternatives of braces included. */
export function walkScript(script: Script, source: string, visitor: Visitor): void {
  const text = script.source ?? source
  visitor.script?.(script, text)
  for (const statement of script.statements) walkNode(statement.node, text, visitor)
}

export function walkNode(node: Node, source: string, visitor: Visitor): void {
  visitor.node?.(node, source)
  const script = (inner: Script): void => walkScript(inner, source, visitor)
  const word = (inner: Word): void => walkWord(inner, source, visitor)
  switch (node.is) {
    case 'simple':
      for (const assign of node.assigns) for (const each of wordsOfAssign(assign)) word(each)
      node.words.forEach(word)
      break
    case 'pipeline':
      for (const command of node.commands) walkNode(command, source, visitor)
      break
    case 'and-or':
      walkNode(node.first, source, visitor)
      for (const next of node.rest) walkNode(next.node, source, visitor)
      break
    case 'group':
    case 'subshell':
      script(node.body)
      break
    case 'if':
      for (const clause of node.clauses) {
        script(clause.test)
        script(clause.then)
      }
      if (node.otherwise) script(node.otherwise)
      break
    case 'while':
    case 'until':
      script(node.test)
      script(node.body)
      break
    case 'for':
    case 'select':
      node.words?.forEach(word)
      script(node.body)
      break
    case 'arithmetic-for':
      word(node.header)
      script(node.body)
      break
    case 'case':
      word(node.word)
      for (const item of node.items) {
        item.patterns.forEach(word)
        script(item.body)
      }
      break
    case 'function':
    case 'coproc':
      walkNode(node.body, source, visitor)
      break
    case 'test':
      node.words.forEach(word)
      break
    case 'arithmetic':
      word(node.body)
      break
  }
  if ('redirects' in node)
    for (const redirect of node.redirects) for (const each of wordsOfRedirect(redirect)) word(each)
}

/** The words of an assignment: index, value, elements. */
export const wordsOfAssign = (assign: Assign): readonly Word[] => [
  ...(assign.index ? [assign.index] : []),
  ...(assign.value ? [assign.value] : []),
  ...(assign.array ?? []),
]

/** The words of a redirection: target, body of a here-document. */
export const wordsOfRedirect = (redirect: Redirect): readonly Word[] => [
  ...(redirect.target ? [redirect.target] : []),
  ...(redirect.heredoc ? [redirect.heredoc.body] : []),
]

/** The words of a parameter's operation. */
export function wordsOfOperation(operation: Operation): readonly Word[] {
  switch (operation.is) {
    case 'default':
    case 'remove':
      return [operation.word]
    case 'replace':
      return [operation.pattern, operation.by]
    case 'slice':
      return operation.length ? [operation.offset, operation.length] : [operation.offset]
    case 'case':
      return operation.word ? [operation.word] : []
    case 'other':
      return operation.words
  }
}

export function walkWord(word: Word, source: string, visitor: Visitor): void {
  visitor.word?.(word, source)
  for (const part of word.parts) walkPart(part, source, visitor)
}

function walkPart(part: Part, source: string, visitor: Visitor): void {
  visitor.part?.(part, source)
  switch (part.is) {
    case 'literal':
    case 'tilde':
      return
    case 'command':
    case 'process':
      walkScript(part.script, source, visitor)
      return
    case 'arithmetic':
      walkWord(part.body, source, visitor)
      return
    case 'glob':
      for (const inner of part.inside ?? []) walkPart(inner, source, visitor)
      return
    case 'brace':
      for (const inner of partsOfBrace(part)) walkPart(inner, source, visitor)
      return
    case 'parameter':
      if (part.index) walkWord(part.index, source, visitor)
      for (const word of part.operation ? wordsOfOperation(part.operation) : []) walkWord(word, source, visitor)
  }
}

/**
 * The parts of all alternatives, each once: alternatives share what stands outside the braces, and visiting that for
 * each would take exponential time where braces nest in substitutions.
 */
const partsOfBrace = (part: Part & { is: 'brace' }): ReadonlySet<Part> =>
  new Set([...(part.inside ?? []), ...(part.alternatives ?? []).flat()])

/** Every script below `script` (itself first), each once, with the text that its spans index. */
export function nestedScripts(
  script: Script,
  source: string,
): readonly { readonly script: Script; readonly source: string }[] {
  const found = new Map<Script, string>()
  walkScript(script, source, { script: (each, text) => found.set(each, text) })
  return [...found].map(([each, text]) => ({ script: each, source: text }))
}

/** Every simple command at every depth, each once, in source order of its outermost script. */
export function simpleCommands(
  script: Script,
  source: string,
): readonly { readonly simple: Simple; readonly source: string }[] {
  const found = new Map<Simple, string>()
  walkScript(script, source, {
    node: (node, text) => {
      if (node.is === 'simple') found.set(node, text)
    },
  })
  return [...found].map(([simple, text]) => ({ simple, source: text }))
}

/** The outermost scripts within parts, each once. */
export function scriptsInParts(parts: readonly Part[]): readonly Script[] {
  const found = new Set<Script>()
  for (const part of parts) collect(part, found)
  return [...found]
}

function collect(part: Part, found: Set<Script>): void {
  if (part.is === 'command' || part.is === 'process') found.add(part.script)
  else if (part.is === 'arithmetic') for (const script of part.scripts) found.add(script)
  else if (part.is === 'glob') for (const inner of part.inside ?? []) collect(inner, found)
  else if (part.is === 'brace') {
    for (const inner of partsOfBrace(part)) collect(inner, found)
  } else if (part.is === 'parameter') {
    const words = [...(part.index ? [part.index] : []), ...(part.operation ? wordsOfOperation(part.operation) : [])]
    for (const word of words) for (const inner of word.parts) collect(inner, found)
  }
}

/** Whether anything in the tree would run: a command, an assignment, a redirection, or what compares and counts. */
export function scriptHasCommand(script: Script): boolean {
  let found = false
  walkScript(script, '', {
    node: (node) => {
      if (node.is === 'test' || node.is === 'arithmetic' || node.is === 'case' || node.is === 'for') found = true
      if (node.is === 'simple' && node.words.length + node.assigns.length + node.redirects.length > 0) found = true
    },
  })
  return found
}
