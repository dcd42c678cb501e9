/** The parser's words to ours: parts with provenance, tildes and braces recognised where the shell would expand them. */
import { expandBraces, type Unit } from './braces.ts'
import { type Convert, convertScript, deeper, spanOf } from './convert-command.ts'
import { bareLiteral, findTildes, unescapeQuoted } from './literal.ts'
import type { Ast } from './parse.ts'
import type { Operation, Parameter, Part, Script, Word } from './tree.ts'
import { scriptsInParts } from './walk.ts'

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
  return { parts: how === 'quoted' ? parts : findTildes(parts, how), text, span }
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
export function convertBody(convert: Convert, from: number, to: number, shape?: HereDocShape): Word {
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
  const parts: Part[] = []
  for (const part of convertParts(inner, raw, true)) {
    const to = Math.min(part.span.to, span.to)
    const at = { from: Math.min(part.span.from, to), to }
    // The line end before the delimiter is ours.
    if (part.is === 'literal' && part.span.to > span.to)
      parts.push({ ...part, text: part.text.replace(/\n$/, ''), span: at })
    else parts.push({ ...part, span: at })
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
  for (const part of parts) convertPart(convert, part, quoted, out)
  return out
}

function convertPart(convert: Convert, part: Ast.WordPart, quoted: boolean, out: Part[]): void {
  const span = spanOf(convert, part)
  switch (part.type) {
    case 'Literal':
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
    case 'CommandExpansion':
      out.push({ is: 'command', script: convertInner(convert, part), quoted, span })
      return
    case 'ProcessSubstitution':
      out.push({ is: 'process', direction: part.operator, script: convertInner(convert, part), span })
      return
    case 'ArithmeticExpansion': {
      const old = part.text.startsWith('$[')
      const open = old ? part.text.indexOf('[') + 1 : part.text.indexOf('((') + 2
      const closed = part.text.endsWith(old ? ']' : '))')
      const from = part.pos + open
      const body = convertBody(convert, from, Math.max(from, closed ? part.end - (old ? 1 : 2) : part.end))
      out.push({ is: 'arithmetic', text: body.text, body, scripts: scriptsOf(body), quoted, span })
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

/** The script inside a substitution. */
function convertInner(convert: Convert, part: Ast.CommandExpansionPart | Ast.ProcessSubstitutionPart): Script {
  const span = spanOf(convert, part)
  const text = part.text
  const backquoted = text.startsWith('`')
  const open = backquoted ? 1 : text.startsWith('${') ? 2 : text.indexOf('(') + 1
  const closed = text.length > open && /[`)}]$/.test(text) ? 1 : 0
  const region = { from: span.from + open, to: Math.max(span.from + open, span.to - closed) }
  const script = part.script
  if (!script) {
    convert.state.limited = true
    convert.state.problems.push({ span: convert.anchor ?? span, what: 'a substitution could not be read' })
    return { statements: [], span: region }
  }
  const source = script.source
  if (source === undefined) return convertScript(convert, script, region)
  const inner: Convert = { text: source, shift: 0, anchor: convert.anchor ?? span, state: convert.state }
  return { ...convertScript(inner, script, { from: 0, to: source.length }), source }
}

function convertParameter(convert: Convert, part: Ast.ParameterExpansionPart, quoted: boolean): Parameter {
  const span = spanOf(convert, part)
  const known = part.parameter !== '' || part.operation !== undefined
  return {
    is: 'parameter',
    name: part.parameter,
    prefix: part.prefix,
    index: part.index && convertWord(convert, part.index, 'quoted'),
    operation: known
      ? part.operation && (deeper(convert, span, () => convertOperation(convert, part.operation!, quoted)) ?? OTHER)
      : OTHER,
    quoted,
    span,
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

const hasBraces = (parts: readonly Ast.WordPart[]): boolean => parts.some((part) => part.type === 'BraceExpansion')

function bracedParts(convert: Convert, word: Ast.Word, raw: readonly Ast.WordPart[]): Part[] {
  const span = spanOf(convert, word)
  const units = unitsOf(convert, raw, word.pos, word.end)
  const alternatives = expandBraces(units)
  if (alternatives === undefined) {
    const inside = units.flatMap((unit) => unit.parts ?? []).filter((part) => part.is !== 'literal')
    return [{ is: 'brace', alternatives: undefined, ...(inside.length > 0 && { inside }), span }]
  }
  const words = alternatives.map((units) => partsOfUnits(units))
  if (words.length === 1) return words[0]!
  return [{ is: 'brace', alternatives: words.map((parts) => findTildes(parts, 'argument')), span }]
}

/** A word as single unquoted characters and opaque runs, since braces are found before anything else is. */
function unitsOf(convert: Convert, parts: readonly Ast.WordPart[], from: number, to: number): Unit[] {
  const out: Unit[] = []
  let at = from
  const plain = (until: number): void => {
    for (const part of bareLiteral(convert.text.slice(at, until), at + convert.shift)) {
      if (part.is === 'literal' && !part.quoted) {
        for (let i = 0; i < part.text.length; i++) {
          const start = part.span.from + i
          out.push({ char: part.text[i]!, span: { from: start, to: start + 1 } })
        }
      } else out.push({ char: '', parts: [part], span: part.span })
    }
    at = until
  }
  for (const part of parts) {
    if (part.pos < at) continue
    const nested = part.type === 'BraceExpansion' || (part.type === 'Glob' && part.kind === 'bracket')
    if (part.type === 'Literal' || (part.type === 'Glob' && part.kind !== 'bracket')) continue
    plain(part.pos)
    if (nested) for (const unit of unitsOf(convert, part.parts ?? [], part.pos, part.end)) out.push(unit)
    else out.push({ char: '', parts: convertParts(convert, [part], false), span: spanOf(convert, part) })
    at = part.end
  }
  plain(to)
  return out
}

/** Runs of characters become literals again, and pattern characters become patterns. */
function partsOfUnits(units: readonly Unit[]): Part[] {
  const out: Part[] = []
  for (let i = 0; i < units.length; ) {
    const unit = units[i]!
    if (unit.parts) {
      out.push(...unit.parts)
      i++
      continue
    }
    const end = unit.char === '[' ? classEnd(units, i) : undefined
    if (unit.char === '*' || unit.char === '?' || end !== undefined) {
      const kind = unit.char === '*' ? 'star' : unit.char === '?' ? 'question' : 'class'
      const stop = end ?? i + 1
      const text = units
        .slice(i, stop)
        .map((each) => each.char)
        .join('')
      out.push({ is: 'glob', kind, text, span: { from: unit.span.from, to: units[stop - 1]!.span.to } })
      i = stop
      continue
    }
    let text = ''
    const from = unit.span.from
    let to = unit.span.to
    while (i < units.length) {
      const next = units[i]!
      if (next.parts || next.char === '*' || next.char === '?') break
      if (next.char === '[' && text !== '' && classEnd(units, i) !== undefined) break
      text += next.char
      to = Math.max(to, next.span.to)
      i++
    }
    out.push({ is: 'literal', text, quoted: false, span: { from, to } })
  }
  return out
}

/** Longest class looked for; a longer one is text, so that many brackets cost no more than their number. */
const LONGEST_CLASS = 256

function classEnd(units: readonly Unit[], open: number): number | undefined {
  let i = open + 1
  if (units[i]?.char === '!' || units[i]?.char === '^') i++
  const first = i
  for (; i < units.length && i - open < LONGEST_CLASS; i++) {
    const unit = units[i]!
    if (unit.parts || unit.char === '/') return undefined
    if (unit.char === ']' && i > first) return i + 1
  }
  return undefined
}
