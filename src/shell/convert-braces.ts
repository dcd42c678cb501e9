/** Words with braces: taken apart into characters, expanded, and put together again. */
import { expandBraces, type Unit } from './braces.ts'
import { type Convert, spanOf } from './convert-command.ts'
import { convertParts } from './convert-word.ts'
import { bareLiteral, findTildes } from './literal.ts'
import type { Ast } from './parse.ts'
import type { Part } from './tree.ts'

export const hasBraces = (parts: readonly Ast.WordPart[]): boolean =>
  parts.some((part) => part.type === 'BraceExpansion')

export function bracedParts(convert: Convert, word: Ast.Word, raw: readonly Ast.WordPart[]): Part[] {
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
export function unitsOf(convert: Convert, parts: readonly Ast.WordPart[], from: number, to: number): Unit[] {
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
export function partsOfUnits(units: readonly Unit[]): Part[] {
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
