/** `[[ … ]]` as words in order, and its outcome where it compares constants. */
import type { Span } from '../core/value.ts'
import { type Convert, deeper, spanOf } from './convert-command.ts'
import { convertWord } from './convert-word.ts'
import type { Ast } from './parse.ts'
import type { Redirect, Test, Word } from './tree.ts'

export function convertTest(convert: Convert, node: Ast.TestCommand, redirects: readonly Redirect[], span: Span): Test {
  const words: Word[] = []
  const constant = walkTest(convert, node.expression, words)
  return { is: 'test', words, redirects, constant, span }
}

type Outcome = boolean | undefined

const textAt = (convert: Convert, pos: number, text: string): boolean => convert.text.startsWith(text, pos)

function operator(convert: Convert, text: string, pos: number): Word {
  const span = { from: pos + convert.shift, to: pos + text.length + convert.shift }
  return { parts: [{ is: 'literal', text, quoted: false, span }], text, span }
}

/** The place of `text` in a gap between two operands, where nothing but blanks and continuations can be before it. */
function placeOf(convert: Convert, text: string, from: number, to: number): number {
  const found = convert.text.indexOf(text, from)
  return found === -1 || found > to ? from : found
}

function walkTest(convert: Convert, node: Ast.TestExpression, words: Word[]): Outcome {
  return deeper(convert, spanOf(convert, node), () => walkInner(convert, node, words))
}

function walkInner(convert: Convert, node: Ast.TestExpression, words: Word[]): Outcome {
  switch (node.type) {
    case 'TestUnary': {
      const word = convertWord(convert, node.operand, 'text')
      // `[[ word ]]` is `[[ -n word ]]` without the operator written.
      if (node.pos !== node.operand.pos && textAt(convert, node.pos, node.operator))
        words.push(operator(convert, node.operator, node.pos))
      words.push(word)
      const text = constantText(word)
      if (text === undefined) return undefined
      return node.operator === '-n' ? text !== '' : node.operator === '-z' ? text === '' : undefined
    }
    case 'TestBinary': {
      const left = convertWord(convert, node.left, 'text')
      const right = convertWord(convert, node.right, 'text')
      const at = placeOf(convert, node.operator, node.left.end, node.right.pos)
      words.push(left, operator(convert, node.operator, at), right)
      return compare(node.operator, constantText(left), constantText(right))
    }
    case 'TestLogical': {
      const outcomes: Outcome[] = []
      let end = node.pos
      for (const [i, operand] of node.operands.entries()) {
        if (i > 0) words.push(operator(convert, node.operator, placeOf(convert, node.operator, end, operand.pos)))
        outcomes.push(walkTest(convert, operand, words))
        end = operand.end
      }
      const decisive = node.operator === '||'
      if (outcomes.includes(decisive)) return decisive
      return outcomes.includes(undefined) ? undefined : !decisive
    }
    case 'TestNot': {
      for (const negation of node.negations) words.push(operator(convert, '!', negation.pos))
      const outcome = walkTest(convert, node.operand, words)
      return outcome === undefined || node.negations.length % 2 === 0 ? outcome : !outcome
    }
    case 'TestGroup': {
      words.push(operator(convert, '(', node.pos))
      const outcome = walkTest(convert, node.expression, words)
      if (textAt(convert, node.end - 1, ')')) words.push(operator(convert, ')', node.end - 1))
      return outcome
    }
  }
}

/** The text of a word of literals alone. */
function constantText(word: Word): string | undefined {
  let text = ''
  for (const part of word.parts) {
    if (part.is !== 'literal') return undefined
    text += part.text
  }
  return text
}

function compare(operator: string, left: string | undefined, right: string | undefined): Outcome {
  if (left === undefined || right === undefined) return undefined
  switch (operator) {
    case '=':
    case '==':
      return left === right
    case '!=':
      return left !== right
  }
  const a = wholeNumber(left)
  const b = wholeNumber(right)
  if (a === undefined || b === undefined) return undefined
  switch (operator) {
    case '-eq':
      return a === b
    case '-ne':
      return a !== b
    case '-lt':
      return a < b
    case '-le':
      return a <= b
    case '-gt':
      return a > b
    case '-ge':
      return a >= b
    default:
      return undefined
  }
}

const wholeNumber = (text: string): number | undefined =>
  /^-?(?:0|[1-9]\d{0,14})$/.test(text) ? Number(text) : undefined
