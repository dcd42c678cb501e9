/** The parser's commands to ours. Eager, so that every nested error list is seen. */
import type { Span } from '../core/value.ts'
import { convertTest } from './convert-test.ts'
import { assignmentArgument, convertBody, convertWord, scriptsOf } from './convert-word.ts'
import { quotesClosed, strayAfter, strayBetween } from './leftover.ts'
import { MOST_LEVELS } from './limits.ts'
import type { Ast, Parse } from './parse.ts'
import type { Assign, HereDoc, Node, Problem, Redirect, Script, Statement, Word } from './tree.ts'
import { around, widen } from './widen.ts'

/** Where the conversion stands. */
export interface Convert {
  /** The text that the parser's positions index. */
  readonly text: string
  /** Added to a position to get an offset into the source that our spans index. */
  readonly shift: number
  /** Inside a decoded source: the place in the whole text that problems are shown at. */
  readonly anchor: Span | undefined
  readonly state: ConvertState
}

export interface ConvertState {
  readonly problems: Problem[]
  limited: boolean
  level: number
  readonly parse: Parse
}

/** The span of one of the parser's nodes, which may run past the text after a trailing backslash. */
export function spanOf(convert: Convert, node: { readonly pos: number; readonly end: number }): Span {
  const to = Math.min(Math.max(node.pos, node.end), convert.text.length)
  return { from: Math.min(node.pos, to) + convert.shift, to: to + convert.shift }
}

/** Names a problem at a position of the parser's text. */
export function report(convert: Convert, pos: number, what: string): void {
  const at = pos + convert.shift
  convert.state.problems.push({ span: convert.anchor ?? { from: at, to: at }, what })
}

/** Runs `inner` one level deeper, or gives undefined and marks the text as limited. */
export function deeper<T>(convert: Convert, span: Span, inner: () => T): T | undefined {
  const state = convert.state
  if (state.level >= MOST_LEVELS) {
    if (!state.limited) state.problems.push({ span: convert.anchor ?? span, what: `more than ${MOST_LEVELS} levels` })
    state.limited = true
    return undefined
  }
  state.level++
  const result = inner()
  state.level--
  return result
}

/** A parsed script or list. `span`: the whole region that belongs to it, blanks and comments too. */
export function convertScript(convert: Convert, script: Ast.ParsedScript, span: Span): Script {
  for (const error of script.errors ?? []) {
    report(convert, error.pos, error.message)
    // The parser gave up on what lies deeper than its own limit.
    if (error.message.startsWith('maximum ')) convert.state.limited = true
  }
  return { statements: convertStatements(convert, script.commands, span), span }
}

function convertStatements(convert: Convert, commands: readonly Ast.Statement[], span: Span): Statement[] {
  return (
    deeper(convert, span, () =>
      commands.map((statement) => {
        const node = convertNode(convert, statement.command)
        const span = around(spanOf(convert, statement), [node])
        return { node, background: statement.background === true, span }
      }),
    ) ?? []
  )
}

function convertList(convert: Convert, list: Ast.CompoundList): Script {
  const span = spanOf(convert, list)
  const statements = convertStatements(convert, list.commands, span)
  return { statements, span: around(span, statements) }
}

type Compound = Ast.CompoundCommand | Ast.CompoundList

function convertNode(convert: Convert, node: Ast.PipelineNode | Ast.AndOr | Ast.CompoundList): Node {
  const converted = convertInner(convert, node)
  return convert.state.problems.length > 0 ? widen(converted) : converted
}

function convertInner(convert: Convert, node: Ast.PipelineNode | Ast.AndOr | Ast.CompoundList): Node {
  const span = spanOf(convert, node)
  switch (node.type) {
    case 'Command':
      return convertSimple(convert, node)
    case 'Pipeline':
      return {
        is: 'pipeline',
        negated: node.prefixes.filter((prefix) => prefix.type === 'Negation').length % 2 === 1,
        timed: node.prefixes.some((prefix) => prefix.type === 'Time'),
        commands: node.commands.map((command) => convertNode(convert, command)),
        span,
      }
    case 'AndOr': {
      const [first, ...rest] = node.commands.map((command) => convertNode(convert, command))
      return {
        is: 'and-or',
        first: first!,
        rest: rest.map((next, i) => ({ op: node.operators[i] ?? '&&', node: next })),
        span,
      }
    }
    case 'Function':
      return { is: 'function', name: node.name.value, body: convertNode(convert, node.body), span }
    case 'Coproc':
      return { is: 'coproc', body: convertNode(convert, node.body), span }
    case 'Redirected':
      return convertCompound(
        convert,
        node.command,
        node.redirects.map((redirect) => convertRedirect(convert, redirect)),
        span,
      )
    default:
      return convertCompound(convert, node, [], span)
  }
}

function convertCompound(convert: Convert, node: Compound, redirects: readonly Redirect[], span: Span): Node {
  const list = (body: Ast.CompoundList): Script => convertList(convert, body)
  switch (node.type) {
    case 'CompoundList':
      return { is: 'group', body: list(node), redirects, span }
    case 'Subshell':
    case 'BraceGroup':
      return { is: node.type === 'Subshell' ? 'subshell' : 'group', body: list(node.body), redirects, span }
    case 'If':
      return {
        is: 'if',
        // biome-ignore lint/suspicious/noThenProperty: `then` is the shell's word, and trees are never awaited
        clauses: [node, ...node.elif].map((clause) => ({ test: list(clause.clause), then: list(clause.then) })),
        otherwise: node.else && list(node.else),
        redirects,
        span,
      }
    case 'While':
      return { is: node.kind, test: list(node.clause), body: list(node.body), redirects, span }
    case 'For':
    case 'Select':
      return {
        is: node.type === 'For' ? 'for' : 'select',
        variable: node.name.value,
        words: node.wordlist?.map((word) => convertWord(convert, word, 'argument')),
        body: list(node.body),
        redirects,
        span,
      }
    case 'ArithmeticFor': {
      // The parser keeps the three expressions only where it understands them, so the text between the parentheses counts.
      const head = convert.text.slice(node.pos, Math.max(node.pos, node.body.pos))
      const from = head.indexOf('((') + 2
      const to = Math.max(from, head.lastIndexOf('))'))
      const header = convertBody(convert, node.pos + from, node.pos + to)
      const literals = header.parts.map((part) => (part.is === 'literal' ? part.text : '')).join('')
      if (literals.split(';').length !== 3) report(convert, node.pos + from, 'expected three expressions')
      return { is: 'arithmetic-for', header, scripts: scriptsOf(header), body: list(node.body), redirects, span }
    }
    case 'Case':
      return {
        is: 'case',
        word: convertWord(convert, node.word, 'text'),
        items: node.items.map((item) => ({
          patterns: item.pattern.map((pattern) => convertWord(convert, pattern, 'text')),
          body: list(item.body),
          end: item.terminator ?? ';;',
        })),
        redirects,
        span,
      }
    case 'TestCommand':
      return convertTest(convert, node, redirects, span)
    case 'ArithmeticCommand': {
      const body = convertBody(convert, node.pos + 2, Math.max(node.pos + 2, node.pos + 2 + node.body.length))
      return { is: 'arithmetic', text: body.text, body, scripts: scriptsOf(body), redirects, span }
    }
  }
}

function convertSimple(convert: Convert, command: Ast.Command): Node {
  const assigns: Assign[] = []
  const words: Word[] = []
  const redirects: Redirect[] = []
  if (command.name) words.push(convertWord(convert, command.name, 'argument'))
  for (const part of command.prefix) {
    if (part.type === 'Assignment') assigns.push(convertAssign(convert, part))
    else redirects.push(convertRedirect(convert, part))
  }
  for (const part of command.suffix) {
    if (part.type === 'Word') words.push(convertWord(convert, part, 'argument'))
    else if (part.type === 'Assignment') words.push(assignmentArgument(convert, part))
    else redirects.push(convertRedirect(convert, part))
  }
  const children = [...command.prefix, ...(command.name ? [command.name] : []), ...command.suffix]
  const stray = strayBetween(convert.text, children, command.pos)
  if (stray !== undefined) report(convert, stray, 'unexpected text between words')
  else if (strayAfter(convert.text, command)) report(convert, command.end, "unexpected token '('")
  return { is: 'simple', assigns, words, redirects, span: spanOf(convert, command) }
}

function convertAssign(convert: Convert, assignment: Ast.Assignment): Assign {
  const value = assignment.value
  if (value.type === 'ArrayValue') checkArray(convert, value)
  return {
    name: assignment.name,
    append: assignment.append === true,
    index: assignment.index && convertWord(convert, assignment.index, 'quoted'),
    value: value.type === 'Word' ? convertWord(convert, value, 'assigned') : undefined,
    array:
      value.type === 'ArrayValue'
        ? value.elements.map((element) => convertWord(convert, element, 'argument'))
        : undefined,
    span: spanOf(convert, assignment),
  }
}

/** An array in parentheses that is never closed. */
export function checkArray(convert: Convert, array: Ast.ArrayValue): void {
  if (convert.text[array.end - 1] !== ')') report(convert, array.pos, 'unterminated array')
}

function convertRedirect(convert: Convert, node: Ast.Redirection): Redirect {
  const descriptor =
    node.descriptor === undefined
      ? node.operator.startsWith('<')
        ? 0
        : 1
      : node.descriptor.type === 'FileDescriptor'
        ? node.descriptor.value
        : undefined
  const target =
    node.type === 'HereDoc' || !node.target
      ? undefined
      : convertWord(convert, node.target, node.type === 'HereString' ? 'text' : 'argument')
  return {
    op: node.operator,
    descriptor,
    target,
    heredoc: node.type === 'HereDoc' ? convertHereDoc(convert, node) : undefined,
    span: spanOf(convert, node),
  }
}

function convertHereDoc(convert: Convert, node: Ast.HereDoc): HereDoc {
  const quoted = node.delimiter?.quoted === true
  const span = spanOf(convert, node.body)
  if (node.delimiter && !quotesClosed(node.delimiter.text))
    report(convert, node.delimiter.pos, 'unterminated quote in the delimiter of a here-document')
  const body = convertBody(convert, node.body.pos, Math.max(node.body.pos, node.body.end), {
    parts: node.body.parts,
    quoted,
    tabs: node.operator === '<<-',
  })
  return {
    delimiter: node.delimiter?.value ?? '',
    quoted,
    body,
    span: { from: span.from, to: node.closing ? node.closing.end + convert.shift : span.to },
  }
}
