import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Span } from '../core/value.ts'
import { edits, seeds } from './edits.testing.ts'
import { hiddenText, looksLikeAscii } from './hidden.ts'
import { MOST_BYTES, MOST_HEREDOCS, MOST_LEVELS, MOST_OPENERS } from './limits.ts'
import { parseShell } from './parse.ts'
import type { Node, Part, Reading, Redirect, Script, Word } from './tree.ts'
import { nestedScripts, simpleCommands, wordsOfAssign, wordsOfOperation } from './walk.ts'

const cases = JSON.parse(readFileSync(new URL('../../cases/shell/reading.json', import.meta.url), 'utf8')) as {
  readonly status: readonly { readonly text: string; readonly status: Reading['status'] }[]
  readonly commands: readonly { readonly text: string; readonly commands: readonly string[] }[]
  readonly comments: readonly { readonly text: string; readonly comments: readonly string[] }[]
  readonly hidden: readonly { readonly text: string; readonly count: number }[]
  readonly imitates: readonly { readonly word: string; readonly ascii: string | null }[]
}

const commands = (text: string): string[] => {
  const { script } = parseShell(text)
  return simpleCommands(script, text).map(({ simple, source }) => source.slice(simple.span.from, simple.span.to))
}

/** A node of any kind with its children in source order. `later`: here-documents, which stand behind their line. */
interface Nested {
  readonly span: Span
  readonly children: readonly Nested[]
  readonly later: readonly Nested[]
}

const leaf = (span: Span): Nested => ({ span, children: [], later: [] })
const branch = (span: Span, children: readonly Nested[]): Nested => ({
  span,
  children: [...children].sort((a, b) => a.span.from - b.span.from || a.span.to - b.span.to),
  later: [],
})

const ofScript = (script: Script): Nested =>
  script.source === undefined
    ? branch(
        script.span,
        script.statements.map((each) => branch(each.span, [ofNode(each.node)])),
      )
    : leaf(script.span)

const ofWord = (word: Word): Nested => branch(word.span, word.parts.map(ofPart))

function ofPart(part: Part): Nested {
  switch (part.is) {
    case 'command':
    case 'process':
      // A decoded script has a text of its own; its place here is that of the part.
      return branch(part.span, part.script.source === undefined ? [ofScript(part.script)] : [])
    case 'arithmetic':
      return branch(part.span, [ofWord(part.body)])
    case 'parameter': {
      const words = [...(part.index ? [part.index] : []), ...(part.operation ? wordsOfOperation(part.operation) : [])]
      return branch(part.span, words.map(ofWord))
    }
    case 'glob':
      return branch(part.span, (part.inside ?? []).map(ofPart))
    case 'brace':
      // Alternatives share what stands outside the braces, so only each of them is in order.
      for (const parts of part.alternatives ?? []) check(branch(part.span, parts.map(ofPart)), false)
      return branch(part.span, (part.inside ?? []).map(ofPart))
    default:
      return leaf(part.span)
  }
}

function ofRedirect(redirect: Redirect): Nested {
  const node = branch(redirect.span, redirect.target ? [ofWord(redirect.target)] : [])
  const heredoc = redirect.heredoc
  return heredoc ? { ...node, later: [branch(heredoc.span, [ofWord(heredoc.body)])] } : node
}

function ofNode(node: Node): Nested {
  const redirects = 'redirects' in node ? node.redirects.map(ofRedirect) : []
  const inner = (): readonly Nested[] => {
    switch (node.is) {
      case 'simple':
        return [
          ...node.assigns.map((assign) => branch(assign.span, wordsOfAssign(assign).map(ofWord))),
          ...node.words.map(ofWord),
        ]
      case 'pipeline':
        return node.commands.map(ofNode)
      case 'and-or':
        return [ofNode(node.first), ...node.rest.map((next) => ofNode(next.node))]
      case 'group':
      case 'subshell':
        return [ofScript(node.body)]
      case 'if':
        return [
          ...node.clauses.flatMap((clause) => [ofScript(clause.test), ofScript(clause.then)]),
          ...(node.otherwise ? [ofScript(node.otherwise)] : []),
        ]
      case 'while':
      case 'until':
        return [ofScript(node.test), ofScript(node.body)]
      case 'for':
      case 'select':
        return [...(node.words ?? []).map(ofWord), ofScript(node.body)]
      case 'arithmetic-for':
        return [ofWord(node.header), ofScript(node.body)]
      case 'case':
        return [ofWord(node.word), ...node.items.flatMap((item) => [...item.patterns.map(ofWord), ofScript(item.body)])]
      case 'function':
      case 'coproc':
        return [ofNode(node.body)]
      case 'test':
        return node.words.map(ofWord)
      case 'arithmetic':
        return [ofWord(node.body)]
    }
  }
  return branch(node.span, [...inner(), ...redirects])
}

const show = (span: Span): string => `${span.from}-${span.to}`

/** Children lie inside, in order, apart. Gives the leaves and gaps that tile the span, and the here-documents. */
function check(node: Nested, apart = true): { tiles: Span[]; later: Nested[] } {
  assert.ok(node.span.from <= node.span.to, `span ${show(node.span)} runs backwards`)
  const tiles: Span[] = []
  const later = [...node.later]
  let at = node.span.from
  for (const child of node.children) {
    if (apart) assert.ok(child.span.from >= at, `${show(child.span)} overlaps what ends at ${at}`)
    assert.ok(
      child.span.from >= node.span.from && child.span.to <= node.span.to,
      `${show(child.span)} leaves ${show(node.span)}`,
    )
    const inner = check(child)
    later.push(...inner.later)
    if (child.span.from > at) tiles.push({ from: at, to: child.span.from })
    tiles.push(...inner.tiles)
    at = Math.max(at, child.span.to)
  }
  if (at < node.span.to || node.children.length === 0) tiles.push({ from: at, to: node.span.to })
  return { tiles, later }
}

/** The law of spans, for any reading. */
function checkSpans(reading: Reading): void {
  for (const { script, source } of nestedScripts(reading.script, reading.text)) {
    // A script within the whole text is checked with it; a decoded one has a text of its own.
    if (script !== reading.script && script.source === undefined) continue
    const { tiles, later } = check({ ...branch(script.span, childrenOf(script)) })
    assert.equal(tiles.map((span) => source.slice(span.from, span.to)).join(''), source)
    for (const heredoc of later) {
      check(heredoc)
      assert.ok(heredoc.span.to <= source.length)
    }
  }
  for (const comment of reading.comments) assert.equal(reading.text[comment.from], '#')
  for (const problem of reading.problems) assert.ok(problem.span.from >= 0 && problem.span.to <= reading.text.length)
}

const childrenOf = (script: Script): readonly Nested[] =>
  script.statements.map((each) => branch(each.span, [ofNode(each.node)]))

test('spans nest, keep their order and give back every character: seeds and their edits', () => {
  for (const text of [...seeds, ...edits(2_000, 7)]) {
    try {
      checkSpans(parseShell(text))
    } catch (error) {
      throw new Error(`${JSON.stringify(text)}: ${error instanceof Error ? error.message : error}`)
    }
  }
})

test('reading ends without an exception and with sound spans for any text', () => {
  const shellish = fc
    .array(
      fc.constantFrom(
        ...'ab =$`"\'\\{}()[]<>|&;#*?~!\n\t0:/-',
        '$(',
        '${x',
        '$((',
        '<<E\n',
        'é',
        '🎉',
        '[[',
        'case x in',
      ),
    )
    .map((pieces) => pieces.join(''))
  fc.assert(
    fc.property(fc.oneof(fc.string({ unit: 'binary' }), shellish), (text) => checkSpans(parseShell(text))),
    {
      numRuns: 2_000,
      seed: 1,
    },
  )
})

test('hostile texts end, limited or complete', () => {
  const rows: readonly (readonly [string, string, readonly Reading['status'][]])[] = [
    ['100,000 parentheses', '('.repeat(100_000), ['limited']],
    ['20,000 substitutions', '$('.repeat(20_000), ['limited']],
    ['20,000 closed substitutions', '$('.repeat(20_000) + ')'.repeat(20_000), ['limited']],
    ['20,000 arithmetics', '$(('.repeat(20_000), ['limited']],
    ['50,000 backquote pairs', '``'.repeat(50_000), ['limited']],
    ['process substitutions', '<('.repeat(MOST_OPENERS + 1), ['limited']],
    ['openers split by line continuations', '$\\\n(a)'.repeat(MOST_OPENERS + 1), ['limited']],
    ['200,000 here-documents on a line', '<<a '.repeat(200_000), ['limited']],
    ['100,000 nested parameters', '${x:-'.repeat(100_000), ['limited']],
    ['nested parameters below the count', '${x:-'.repeat(5_000), ['limited']],
    ['a word of 1 MiB', 'a'.repeat(MOST_BYTES), ['complete']],
    ['a word above 1 MiB', 'a'.repeat(MOST_BYTES + 1), ['limited']],
    ['1 MiB in fewer characters', 'é'.repeat(MOST_BYTES / 2 + 1), ['limited']],
    ['a quarter of a MiB of braces', '{a,'.repeat(80_000), ['complete']],
    ['braces that multiply', `echo ${'{a,b}'.repeat(60)}`, ['complete']],
    ['100,000 commands', 'a;'.repeat(100_000), ['complete']],
    ['100,000 pipes', `${'a|'.repeat(100_000)}a`, ['complete']],
    ['100,000 brackets', '['.repeat(100_000), ['complete']],
    ['as many levels as are read', `${'$('.repeat(MOST_LEVELS - 1)}a${')'.repeat(MOST_LEVELS - 1)}`, ['complete']],
    ['one level more', `${'$('.repeat(MOST_LEVELS)}a${')'.repeat(MOST_LEVELS)}`, ['limited']],
    ['as many here-documents as are read', `cat ${'<<a '.repeat(MOST_HEREDOCS)}`, ['complete']],
    ['braces in nested substitutions', '{a..z}$('.repeat(40) + ')'.repeat(40), ['complete']],
  ]
  for (const [name, text, expected] of rows) {
    const { status } = parseShell(text)
    assert.ok(expected.includes(status), `${name}: ${status}`)
  }
})

test('the status says how much of a text can be trusted', () => {
  const rows = cases.status
  for (const { text, status } of rows) {
    const reading = parseShell(text)
    assert.equal(reading.status, status, text)
    assert.equal(reading.problems.length === 0, status === 'complete', text)
  }
})

test('every simple command is found at every depth', () => {
  const rows = cases.commands
  for (const { text, commands: expected } of rows) assert.deepEqual(commands(text), expected, text)
})

test('comments are found where the shell sees them', () => {
  const rows = cases.comments
  for (const { text, comments: expected } of rows) {
    const found = parseShell(text).comments.map((span) => text.slice(span.from, span.to))
    assert.deepEqual(found, expected, text)
  }
})

test('characters that hide text are named, ordinary ones of any language are not', () => {
  const rows = cases.hidden
  for (const { text, count } of rows) assert.equal(hiddenText(text).length, count, JSON.stringify(text))
  assert.deepEqual(hiddenText('ab\u200bc')[0]?.span, { from: 2, to: 3 })
})

test('a command word that imitates an ASCII one gives that word', () => {
  const rows = cases.imitates
  for (const { word, ascii } of rows) assert.equal(looksLikeAscii(word) ?? null, ascii, word)
})
