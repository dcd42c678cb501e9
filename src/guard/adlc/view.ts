/**
 * The published guard's view of a line: plain segments with their words and redirections, and whether anything in them
 * cannot be known without running it. Computed from the one tree; nothing here splits text.
 */
import type { Span } from '../../core/value.ts'
import type { Node, Part, Reading, Redirect, Script, Simple, Word } from '../../shell/tree.ts'

/** A word as it stands. `text` is literal but for the parts that are `dynamic`, which stay as written. */
export interface Token {
  readonly text: string
  /** An expansion, a substitution or a pattern is in it. */
  readonly dynamic: boolean
  /** Nothing but `~`, `~user`, `$HOME` or `${HOME}` in front is open: `text` can be resolved from home on. */
  readonly fromHome: boolean
}

export interface ViewRedirect {
  /** Any operator that holds `>` writes. */
  readonly writes: boolean
  readonly target: Token
}

export interface Segment {
  readonly argv: readonly Token[]
  readonly redirects: readonly ViewRedirect[]
  /** Names of variables set in front of the command. */
  readonly assigns: readonly string[]
  /** It stands in a compound command, or a part of it cannot be known. */
  readonly dynamic: boolean
  readonly span: Span
}

export interface View {
  readonly segments: readonly Segment[]
  /** The text could be read to its end. */
  readonly complete: boolean
}

/** Segments of one line; what a person writes has a few, and each costs questions. */
const MOST_SEGMENTS = 2_000

/** The segments of a text in the order written. Substitutions are no segments: they make their word dynamic. */
export function viewOf(reading: Reading): View {
  const segments: Segment[] = []
  ofScript(reading.script, false, segments)
  return { segments, complete: reading.status === 'complete' && segments.length <= MOST_SEGMENTS }
}

function ofScript(script: Script, inside: boolean, out: Segment[]): void {
  for (const statement of script.statements) ofNode(statement.node, inside, out)
}

function ofNode(node: Node, inside: boolean, out: Segment[]): void {
  if (out.length > MOST_SEGMENTS) return
  switch (node.is) {
    case 'simple':
      out.push(segmentOf(node, inside))
      return
    case 'pipeline':
      for (const command of node.commands) ofNode(command, inside, out)
      return
    case 'and-or':
      ofNode(node.first, inside, out)
      for (const { node: next } of node.rest) ofNode(next, inside, out)
      return
    case 'group':
    case 'subshell':
      ofScript(node.body, true, out)
      break
    case 'if':
      for (const clause of node.clauses) {
        ofScript(clause.test, true, out)
        ofScript(clause.then, true, out)
      }
      if (node.otherwise) ofScript(node.otherwise, true, out)
      break
    case 'while':
    case 'until':
      ofScript(node.test, true, out)
      ofScript(node.body, true, out)
      break
    case 'for':
    case 'select':
    case 'arithmetic-for':
      ofScript(node.body, true, out)
      break
    case 'case':
      for (const item of node.items) ofScript(item.body, true, out)
      break
    case 'function':
    case 'coproc':
      ofNode(node.body, true, out)
      return
    case 'test':
    case 'arithmetic':
      break
  }
  // What the compound command itself redirects.
  out.push({ argv: [], redirects: redirectsOf(node.redirects), assigns: [], dynamic: true, span: node.span })
}

function segmentOf(simple: Simple, inside: boolean): Segment {
  const argv = simple.words.flatMap(tokensOf)
  const redirects = redirectsOf(simple.redirects)
  const open =
    argv.some((token) => token.dynamic) ||
    redirects.some(({ target }) => target.dynamic) ||
    simple.redirects.some((redirect) => redirect.heredoc !== undefined || redirect.op === '<<<') ||
    simple.assigns.some(
      (assign) => assign.array !== undefined || (assign.value !== undefined && tokenOf(assign.value).dynamic),
    )
  return {
    argv,
    redirects,
    assigns: simple.assigns.map((assign) => assign.name),
    dynamic: inside || open,
    span: simple.span,
  }
}

const redirectsOf = (redirects: readonly Redirect[]): readonly ViewRedirect[] =>
  redirects.flatMap((redirect): readonly ViewRedirect[] => {
    const { target, op } = redirect
    if (target === undefined || op === '<<<') return []
    // `2>&1` and `>&-` copy a descriptor, they name no file.
    if ((op === '>&' || op === '<&') && /^(?:\d+-?|-)$/.test(target.text)) return []
    // What is thrown away is written nowhere.
    return [{ writes: op.includes('>') && target.text !== '/dev/null', target: tokenOf(target) }]
  })

/** A word with braces is as many tokens as it has alternatives; each is dynamic, as the published reading has it. */
function tokensOf(word: Word): readonly Token[] {
  const first = word.parts[0]
  if (first?.is !== 'brace' || first.alternatives === undefined) return [tokenOf(word)]
  return first.alternatives.map((parts) => ({ ...tokenFrom(parts, word.text), dynamic: true, fromHome: false }))
}

const tokenOf = (word: Word): Token => tokenFrom(word.parts, word.text)

function tokenFrom(parts: readonly Part[], written: string): Token {
  let text = ''
  let dynamic = false
  let home = false
  for (const [i, part] of parts.entries()) {
    if (part.is === 'literal') text += part.text
    else if (part.is === 'tilde') {
      text += `~${part.user}`
      if (i === 0) home = !/^[+-]/.test(part.user)
      else dynamic = true
    } else if (i === 0 && isHome(part) && startsPath(parts[1])) {
      text += '$HOME'
      home = true
    } else {
      dynamic = true
      if (part.is === 'glob') text += part.text
      else text = written
    }
  }
  // A variable is an expansion to the published reading, whatever it holds.
  const variable = home && parts[0]!.is === 'parameter'
  return { text, dynamic: dynamic || variable, fromHome: home && !dynamic }
}

const isHome = (part: Part): boolean =>
  part.is === 'parameter' && part.name === 'HOME' && part.prefix === undefined && part.operation === undefined

const startsPath = (part: Part | undefined): boolean =>
  part === undefined || (part.is === 'literal' && part.text.startsWith('/'))
