/** The parser's words to ours: parts with provenance, tildes and braces recognised where the shell would expand them. */
import type { Span } from '../core/value.ts'
import { bracedParts, hasBraces, partsOfUnits, unitsOf } from './convert-braces.ts'
import { type Convert, checkArray, convertScript, deeper, report, spanOf } from './convert-command.ts'
import { unclosedExpansion } from './leftover.ts'
import { bareLiteral, findTildes, unescapeQuoted } from './literal.ts'
import type { Ast } from './parse.ts'
import type { Operation, Parameter, Part, Script, Word } from './tree.ts'
import { scriptsInParts, wordsOfOperation } from './walk.ts'
import { around } from './widen.ts'

/**
 * How a word is treated. `argument`: braces, and a tilde at the start or in `NAME=~`; `assigned`: a tilde at the start
 * and after colons; `text`: a tilde at the start; `quoted`: as between double quotes.
 */
export type How = 'argument' | 'assigned' | 'text' | 'quoted'

export const scriptsOf = (word: Word): readonly Script[] => scriptsInParts(word.parts)

export function convertWord(convert: Convert, word: Ast.Word, how: How): Word {
  const span = spanOf(convert, word)
  const raw = word.parts
  const text = convert.text.slice(word.pos, word.end)
  if (raw === undefined) checkClosed(convert, text, word.pos)
  const parts =
    raw !== undefined
      ? how === 'argument' && hasBraces(raw)
        ? bracedParts(convert, word, raw)
        : convertParts(convert, raw, how === 'quoted')
      : text === ''
        ? []
        : how === 'quoted'
          ? [{ is: 'literal' as const, text: unescapeQuoted(text, true), quoted: true, span }]
          : bareLiteral(text, span.from)
  return { parts: how === 'quoted' ? parts : findTildes(parts, how), text, span: around(span, parts) }
}

function checkClosed(convert: Convert, text: string, pos: number): void {
  const at = unclosedExpansion(text)
  if (at !== undefined) report(convert, pos + at, 'unterminated expansion')
}

/** `declare x=(…)`, `declare x=1` behind an array: an argument that the parser took for an assignment. */
export function assignmentArgument(convert: Convert, assignment: Ast.Assignment): Word {
  const span = spanOf(convert, assignment)
  const value = assignment.value
  const head = { from: span.from, to: value.pos + convert.shift }
  const operator = assignment.append ? '+=' : '='
  const parts: Part[] = []
  if (assignment.index) {
    const index = convertWord(convert, assignment.index, 'quoted')
    const open = { from: span.from, to: index.span.from }
    parts.push({ is: 'literal', text: `${assignment.name}[`, quoted: true, span: open }, ...index.parts)
    parts.push({ is: 'literal', text: `]${operator}`, quoted: true, span: { from: index.span.to, to: head.to } })
  } else {
    parts.push({ is: 'literal', text: `${assignment.name}${operator}`, quoted: true, span: head })
  }
  if (value.type === 'Word') parts.push(...convertWord(convert, value, 'assigned').parts)
  else {
    checkArray(convert, value)
    // A whole array is no text; its elements still run what they hold.
    const words = value.elements.map((element) => convertWord(convert, element, 'argument'))
    const operation: Operation = { is: 'other', words }
    const at = spanOf(convert, value)
    parts.push({
      is: 'parameter',
      name: '',
      prefix: undefined,
      index: undefined,
      operation,
      quoted: true,
      span: at,
    })
  }
  return { parts, text: convert.text.slice(assignment.pos, assignment.end), span }
}

interface HereDocShape {
  readonly parts: readonly Ast.WordPart[] | undefined
  readonly quoted: boolean
  /** `<<-`: leading tabs go. */
  readonly tabs: boolean
}

/**
 * A stretch of text that is expanded as between double quotes, quotes themselves being plain characters: the body of
 * an arithmetic expression, or (with `shape`) of a here-document.
 */
export function convertBody(convert: Convert, from: number, until: number, shape?: HereDocShape): Word {
  const to = Math.max(from, Math.min(until, convert.text.length))
  const text = convert.text.slice(from, to)
  const span = { from: from + convert.shift, to: to + convert.shift }
  const literal = (value: string): Word => ({ parts: [{ is: 'literal', text: value, quoted: true, span }], text, span })
  if (shape?.quoted) return literal(shape.tabs ? stripTabs(text, true) : text)
  if (!/[$`\\]/.test(text)) return literal(shape?.tabs ? stripTabs(text, true) : text)
  if (shape) {
    if (!shape.parts) {
      const plain = shape.tabs ? stripTabs(text, true) : text
      return literal(unescapeQuoted(plain, false))
    }
    const parts = convertParts(convert, shape.parts, true)
    return { parts: shape.tabs ? parts.map((part) => stripPart(part, convert, span.from)) : parts, text, span }
  }
  // The parser takes arithmetic apart only where it understands it, while the shell runs every substitution in it.
  let delimiter = 'E'
  while (text.includes(delimiter)) delimiter += 'E'
  const head = `<<${delimiter}\n`
  const inner: Convert = {
    text: `${head}${text}\n${delimiter}\n`,
    shift: convert.shift + from - head.length,
    anchor: convert.anchor,
    state: convert.state,
  }
  return deeper(convert, span, () => inBody(inner, text, span)) ?? literal(text)
}

function inBody(inner: Convert, text: string, span: Word['span']): Word {
  const command = inner.state.parse(inner.text).commands[0]?.command
  const heredoc = command?.type === 'Command' ? command.redirects[0] : undefined
  const raw = heredoc?.type === 'HereDoc' ? heredoc.body.parts : undefined
  if (!raw) return { parts: [{ is: 'literal', text: unescapeQuoted(text, false), quoted: true, span }], text, span }
  const parts = convertParts(inner, raw, true)
  const last = parts.at(-1)
  if (last?.is === 'literal' && last.span.to === span.to + 1 && last.text.endsWith('\n')) {
    // The line end before the delimiter is ours.
    parts.pop()
    const at = { from: Math.min(last.span.from, span.to), to: span.to }
    if (last.text !== '\n') parts.push({ ...last, text: last.text.slice(0, -1), span: at })
  } else if (last && last.span.to > span.to) {
    report(inner, inner.text.indexOf('\n') + 1, 'unterminated expansion')
    return { parts: [{ is: 'literal', text, quoted: true, span }], text, span }
  }
  return { parts, text, span }
}

const stripTabs = (text: string, atStart: boolean): string =>
  (atStart ? text.replace(/^\t+/, '') : text).replace(/\n\t+/g, '\n')

function stripPart(part: Part, convert: Convert, start: number): Part {
  if (part.is !== 'literal') return part
  const before = part.span.from - convert.shift - 1
  const atStart = part.span.from === start || convert.text[before] === '\n'
  return { ...part, text: stripTabs(part.text, atStart) }
}

export function convertParts(convert: Convert, parts: readonly Ast.WordPart[], quoted: boolean): Part[] {
  const out: Part[] = []
  let end = 0
  for (const part of parts) {
    if (part.pos < end) {
      // `$!(x)`: the parser sees both `$!` and `!(x)`, bash sees neither.
      report(convert, part.pos, "unexpected token '('")
      const inner: Part[] = []
      convertPart(convert, part, quoted, inner)
      const from = end + convert.shift
      for (const each of inner) out.push({ ...each, span: { from, to: Math.max(from, each.span.to) } })
    } else convertPart(convert, part, quoted, out)
    end = Math.max(end, part.end)
  }
  return out
}

function convertPart(convert: Convert, part: Ast.WordPart, quoted: boolean, out: Part[]): void {
  const span = spanOf(convert, part)
  switch (part.type) {
    case 'Literal':
      checkClosed(convert, part.text, part.pos)
      if (quoted) out.push({ is: 'literal', text: part.value, quoted: true, span })
      else out.push(...bareLiteral(part.text, span.from))
      return
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      out.push({ is: 'literal', text: part.value, quoted: true, span })
      return
    case 'DoubleQuoted':
    case 'LocaleString':
      if (part.parts.length === 0) out.push({ is: 'literal', text: '', quoted: true, span })
      else out.push(...convertParts(convert, part.parts, true))
      return
    case 'SimpleExpansion': {
      const name = part.text.slice(1).replaceAll('\\\n', '')
      out.push({ is: 'parameter', name, prefix: undefined, index: undefined, operation: undefined, quoted, span })
      return
    }
    case 'ParameterExpansion':
      out.push(convertParameter(convert, part, quoted))
      return
    case 'CommandExpansion': {
      const script = convertInner(convert, part)
      out.push({ is: 'command', script, quoted, span: aroundScript(span, script) })
      return
    }
    case 'ProcessSubstitution': {
      const script = convertInner(convert, part)
      out.push({ is: 'process', direction: part.operator, script, span: aroundScript(span, script) })
      return
    }
    case 'ArithmeticExpansion': {
      const old = part.text.startsWith('$[')
      const open = old ? part.text.indexOf('[') + 1 : part.text.indexOf('((') + 2
      const closed = part.text.endsWith(old ? ']' : '))')
      const from = part.pos + open
      const body = convertBody(convert, from, Math.max(from, closed ? part.end - (old ? 1 : 2) : part.end))
      out.push({
        is: 'arithmetic',
        text: body.text,
        body,
        scripts: scriptsOf(body),
        quoted,
        span: around(span, [body]),
      })
      return
    }
    case 'Glob':
      if (quoted) out.push({ is: 'literal', text: part.text, quoted: true, span })
      else if (part.kind === 'bracket') out.push(convertClass(convert, part))
      else out.push({ is: 'glob', kind: part.kind, text: part.text, span })
      return
    case 'ExtendedGlob': {
      const inside = convertParts(convert, part.parts ?? [], false).filter((inner) => inner.is !== 'literal')
      out.push({ is: 'glob', kind: 'extended', text: part.text, ...(inside.length > 0 && { inside }), span })
      return
    }
    case 'BraceExpansion':
      // Where braces are not expanded they are characters like any other.
      out.push(...partsOfUnits(unitsOf(convert, [part], part.pos, part.end)))
      return
  }
}

/** `[…]`: quoted characters are escaped, so that the class can be matched without knowing quotes. */
function convertClass(convert: Convert, part: Ast.WordPart & { type: 'Glob'; kind: 'bracket' }): Part {
  const span = spanOf(convert, part)
  const inner = convertParts(convert, part.parts, false)
  const open = inner.filter((each) => each.is !== 'literal' && each.is !== 'glob')
  if (open.length > 0) return { is: 'glob', kind: 'class', text: part.text, inside: open, span }
  if (part.parts.every((each) => each.type === 'Literal' || each.type === 'Glob'))
    return { is: 'glob', kind: 'class', text: part.text, span }
  let text = '['
  for (const each of inner)
    if (each.is === 'literal') text += each.quoted ? each.text.replace(/./gsu, '\\$&') : each.text
  return { is: 'glob', kind: 'class', text: `${text}]`, span }
}

/** A part that was never closed may end before its script does. */
const aroundScript = (span: Span, script: Script): Span => (script.source === undefined ? around(span, [script]) : span)

/** The script inside a substitution. */
function convertInner(convert: Convert, part: Ast.CommandExpansionPart | Ast.ProcessSubstitutionPart): Script {
  const span = spanOf(convert, part)
  const text = part.text
  const backquoted = text.startsWith('`')
  const open = backquoted ? 1 : text.startsWith('${') ? 2 : text.indexOf('(') + 1
  const closed = text.length > open && /[`)}]$/.test(text) ? 1 : 0
  const region = { from: span.from + open, to: Math.max(span.from + open, span.to - closed) }
  // The other forms are named by the parser where they are not closed.
  if (text.startsWith('${') && closed === 0) report(convert, part.pos, 'unterminated command substitution')
  const script = part.script
  if (!script) {
    convert.state.limited = true
    convert.state.problems.push({ span: convert.anchor ?? span, what: 'a substitution could not be read' })
    return { statements: [], span: region }
  }
  const source = script.source
  if (source === undefined) {
    const inner = convertScript(convert, script, region)
    return { ...inner, span: around(region, inner.statements) }
  }
  const inner: Convert = { text: source, shift: 0, anchor: convert.anchor ?? span, state: convert.state }
  return { ...convertScript(inner, script, { from: 0, to: source.length }), source }
}

function convertParameter(convert: Convert, part: Ast.ParameterExpansionPart, quoted: boolean): Parameter {
  const span = spanOf(convert, part)
  const known = part.parameter !== '' || part.operation !== undefined
  const index = part.index && convertWord(convert, part.index, 'quoted')
  const operation = known
    ? part.operation && (deeper(convert, span, () => convertOperation(convert, part.operation!, quoted)) ?? OTHER)
    : OTHER
  return {
    is: 'parameter',
    name: part.parameter,
    prefix: part.prefix,
    index,
    operation,
    quoted,
    span: around(span, [...(index ? [index] : []), ...(operation ? wordsOfOperation(operation) : [])]),
  }
}

const OTHER: Operation = { is: 'other', words: [] }

function convertOperation(convert: Convert, operation: Ast.ParameterOperation, quoted: boolean): Operation {
  const word = (operand: Ast.Word, how: How): Word => convertWord(convert, operand, how)
  switch (operation.type) {
    case 'Default':
      return { is: 'default', operator: operation.operator, word: word(operation.operand, quoted ? 'quoted' : 'text') }
    case 'Remove':
      return { is: 'remove', operator: operation.operator, word: word(operation.operand, 'text') }
    case 'Replace':
      return {
        is: 'replace',
        operator: operation.operator,
        pattern: word(operation.pattern, 'text'),
        by: word(operation.replacement, 'text'),
      }
    case 'Slice':
      return {
        is: 'slice',
        offset: word(operation.offset, 'quoted'),
        length: operation.length && word(operation.length, 'quoted'),
      }
    case 'CaseModification':
      return {
        is: 'case',
        operator: operation.operator,
        word: operation.operand && word(operation.operand, 'text'),
      }
    case 'Transform':
      return { is: 'other', words: [word(operation.operand, 'quoted')] }
    case 'Names':
      return OTHER
    case 'Unknown':
      return { is: 'other', words: [convertBody(convert, operation.pos, operation.end)] }
  }
}
