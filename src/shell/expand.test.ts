import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import type { GlobPart } from '../core/value.ts'
import { exact, oneOf, showValue, textOf, unknown, type Value } from '../core/value.ts'
import { edits, seeds } from './edits.testing.ts'
import { expandArithmetic, expandFields, expandPattern, expandText, matchPattern, type ShellEnv } from './expand.ts'
import { parseShell } from './parse.ts'
import { scanGlob } from './pattern.ts'
import { type Given, run, TestShell } from './shell.testing.ts'
import type { Simple, Word } from './tree.ts'
import { simpleCommands, walkScript } from './walk.ts'

const cases = JSON.parse(readFileSync(new URL('../../cases/shell/expansion.json', import.meta.url), 'utf8')) as {
  readonly patterns: readonly {
    readonly pattern: string
    readonly matches: readonly string[]
    readonly not: readonly string[]
  }[]
  readonly provenance: readonly (Given & { readonly line: string; readonly provenance: readonly string[] })[]
  readonly texts: readonly (Given & { readonly line: string; readonly text: string })[]
}

const firstCommand = (text: string): Simple => simpleCommands(parseShell(text).script, text)[0]!.simple
const wordOf = (text: string): Word => firstCommand(`x ${text}`).words[1]!
const fieldsOf = (text: string, shell: ShellEnv) => run(expandFields(firstCommand(text).words, shell, text))

test('patterns match as in `case`', () => {
  for (const { pattern, matches, not } of cases.patterns) {
    const parts = scanGlob(pattern)
    for (const text of matches) assert.equal(matchPattern(parts, text), true, `${pattern} should match ${text}`)
    for (const text of not) assert.equal(matchPattern(parts, text), false, `${pattern} should not match ${text}`)
  }
})

test('matching agrees with a regular expression', () => {
  const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]', '[!a]')
  const regex: Readonly<Record<string, string>> = {
    a: 'a',
    b: 'b',
    '*': '.*',
    '?': '.',
    '[ab]': '[ab]',
    '[!a]': '[^a]',
  }
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 8 }),
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 12 }),
      (pieces, text) => {
        const expected = new RegExp(`^${pieces.map((each) => regex[each]).join('')}$`).test(text)
        assert.equal(matchPattern(scanGlob(pieces.join('')), text), expected)
      },
    ),
    { seed: 1, numRuns: 3_000 },
  )
})

test('a choice stands for each of its texts', () => {
  const parts: readonly GlobPart[] = [{ is: 'text', text: 'x' }, { is: 'one', of: ['a', 'bc'] }, { is: 'star' }]
  for (const text of ['xa', 'xab', 'xbc', 'xbcd']) assert.equal(matchPattern(parts, text), true, text)
  for (const text of ['x', 'xb', 'xc', 'a']) assert.equal(matchPattern(parts, text), false, text)
  const many = Array.from({ length: 20 }, () => ({ is: 'one', of: ['a', 'b'] }) as const)
  // Too many ways: the answer is "perhaps".
  assert.equal(matchPattern(many, 'c'), true)
})

test('a pattern made to be slow ends', () => {
  const stars = scanGlob('*a'.repeat(100))
  assert.equal(matchPattern(stars, `${'a'.repeat(99)}b`.repeat(50)), false)
  // Beyond the budget the answer is "perhaps".
  assert.equal(matchPattern(scanGlob(`*${'a'.repeat(5_000)}`), 'b'.repeat(5_000)), true)
})

test('each argument says whether it stands in the text', () => {
  for (const row of cases.provenance) {
    const fields = fieldsOf(row.line, new TestShell(row))
    assert.deepEqual(
      fields.map((field) => field.provenance),
      row.provenance,
      row.line,
    )
  }
})

test('assignments, here-documents and case words are neither split nor matched', () => {
  for (const row of cases.texts) {
    const simple = firstCommand(row.line)
    const word = simple.redirects[0]?.heredoc?.body ?? simple.redirects[0]?.target ?? simple.assigns[0]?.value
    assert.equal(showValue(run(expandText(word!, new TestShell(row), row.line))), row.text, row.line)
  }
})

test('a case pattern keeps what is quoted as text', () => {
  const pattern = (text: string, vars: Given['vars'] = {}): Value =>
    run(expandPattern(wordOf(text), new TestShell({ vars }), `x ${text}`))
  assert.deepEqual(pattern('a"*"'), exact('a*'))
  assert.deepEqual(pattern('a*'), { is: 'glob', parts: [{ is: 'text', text: 'a' }, { is: 'star' }] })
  assert.deepEqual(pattern('$x', { x: '?' }), { is: 'glob', parts: [{ is: 'question' }] })
  assert.deepEqual(pattern('"$x"', { x: '?' }), exact('?'))
  assert.deepEqual(pattern('**'), { is: 'glob', parts: [{ is: 'star' }] })
})

test('arithmetic tells its number and keeps its assignments', () => {
  const compute = (text: string, vars: Given['vars'] = {}): [string, string | undefined] => {
    const node = parseShell(`((${text}))`).script.statements[0]!.node
    assert.ok(node.is === 'arithmetic')
    const shell = new TestShell({ vars })
    const value = run(expandArithmetic(node.body, shell, `((${text}))`))
    const x = shell.variables.get('x')
    return [showValue(value), x && showValue(x)]
  }
  assert.deepEqual(compute('x = 1 + 2'), ['3', '3'])
  assert.deepEqual(compute('x += y', { x: '1', y: '2' }), ['3', '3'])
  assert.deepEqual(compute('x = y', { y: null }), ['unknown (arithmetic)', 'unknown (arithmetic)'])
  assert.deepEqual(compute('y ? (x = 1) : 0', { x: '5', y: null }), ['unknown (arithmetic)', 'unknown (arithmetic)'])
  assert.deepEqual(compute('x = $y', { x: '5', y: null }), ['unknown (arithmetic)', 'unknown (arithmetic)'])
  assert.deepEqual(compute('x = @', { x: '5' }), ['unknown (arithmetic)', 'unknown (arithmetic)'])
  assert.deepEqual(compute('1 || (x = 2)', { x: '5' }), ['1', '5'])
  assert.deepEqual(compute('y', { x: 'y', y: 'x' }), ['unknown (arithmetic)', 'y'])
  assert.deepEqual(compute('$y + 1', { y: ['1', '2'] }), ['2 or 3', undefined])
  assert.deepEqual(compute('('.repeat(500) + '1' + ')'.repeat(500)), ['unknown (arithmetic)', undefined])
})

test('arithmetic runs the substitutions in a subscript that a variable holds', () => {
  const shell = new TestShell({ vars: { x: 'a[$(echo 1)]', y: '$(echo 1)' } })
  assert.deepEqual(fieldsOf('z $((x)) $((y))', shell)[1]!.value, unknown('arithmetic'))
  assert.equal(shell.ran, 1)
})

test('arithmetic agrees with the numbers of the language', () => {
  const number = fc.bigInt({ min: -1_000n, max: 1_000n })
  const operator = fc.constantFrom('+', '-', '*', '/', '%', '&', '|', '^')
  const compute = (operator: string, a: bigint, b: bigint): bigint | undefined => {
    switch (operator) {
      case '+':
        return a + b
      case '-':
        return a - b
      case '*':
        return a * b
      case '/':
        return b === 0n ? undefined : a / b
      case '%':
        return b === 0n ? undefined : a % b
      case '&':
        return a & b
      case '|':
        return a | b
      default:
        return a ^ b
    }
  }
  fc.assert(
    fc.property(number, operator, number, operator, number, (a, first, b, second, c) => {
      const inner = compute(first, a, b)
      const expected = inner === undefined ? undefined : compute(second, inner, c)
      const line = `x $(( (${a} ${first} ${b}) ${second} ${c} ))`
      const value = fieldsOf(line, new TestShell({}))[1]!.value
      assert.deepEqual(value, expected === undefined ? unknown('arithmetic') : exact(String(expected)), line)
    }),
    { seed: 1, numRuns: 500 },
  )
})

test('the shell is told of assignments and of a variable that must be there', () => {
  const shell = new TestShell({ vars: { y: null, z: 'set' } })
  fieldsOf('x ${a:=1} ${y:=2} ${z:=3} ${z:?}', shell)
  assert.deepEqual(shell.variables.get('a'), exact('1'))
  assert.equal(shell.variables.get('y')?.is, 'unknown')
  assert.deepEqual(shell.variables.get('z'), exact('set'))
  assert.equal(shell.stopped, false)
  fieldsOf('x ${b:?not there}', shell)
  assert.equal(shell.stopped, true)
})

test('an argument that may be absent says so', () => {
  const fields = fieldsOf('rm $f x', new TestShell({ vars: { f: ['', '-f'] } }))
  assert.deepEqual(
    fields.map((field) => [textOf(field.value), field.maybe]),
    [
      ['rm', undefined],
      ['-f', true],
      ['x', undefined],
    ],
  )
})

test('what alternatives of braces share is run once', () => {
  const shell = new TestShell({})
  const fields = fieldsOf('x {a..z}$(echo 1){1..9}', shell)
  assert.equal(fields.length, 1 + 26 * 9)
  assert.equal(shell.ran, 1)
})

test('budgets make a value unknown', () => {
  const long = 'a'.repeat(600_000)
  assert.deepEqual(fieldsOf('x "$a$a"', new TestShell({ vars: { a: long } }))[1]!.value, unknown('budget'))
  const many = fieldsOf('x $a y', new TestShell({ vars: { a: 'b '.repeat(50_000) } }))
  assert.ok(many.length < 11_000)
  assert.deepEqual(many.at(-1)!.value, unknown('budget'))
  const eight = ['1 2', '3 4', '5 6']
  assert.deepEqual(fieldsOf('x $a$a', new TestShell({ vars: { a: eight } }))[1]!.value, unknown('budget'))
})

/** Answers every question in a way that depends on the question alone. */
class AnyShell extends TestShell {
  readonly pick: (name: string) => Value | 'unset'

  constructor(pick: (name: string) => Value | 'unset') {
    super({})
    this.pick = pick
  }

  override *variable(name: string) {
    return this.variables.get(name) ?? this.pick(name)
  }
}

test('expansion ends and never throws, whatever the variables are', () => {
  const values: readonly (Value | 'unset')[] = [
    'unset',
    exact(''),
    exact('a b'),
    exact('*[x'),
    exact('3'),
    exact('x'),
    unknown('variable'),
    oneOf(['', 'a b', '*']),
    { is: 'partly', prefix: '/a', suffix: '.c', why: 'input' },
    { is: 'glob', parts: [{ is: 'star' }, { is: 'text', text: '.c' }] },
  ]
  for (const [i, text] of [...seeds, ...edits(1_500, 11)].entries()) {
    const reading = parseShell(text)
    const shell = new AnyShell((name) => values[(name.charCodeAt(0) + i) % values.length]!)
    walkScript(reading.script, text, {
      word: (word, source) => {
        for (const field of run(expandFields([word], shell, source))) {
          assert.ok(field.provenance !== undefined)
          assert.equal(field.value.is === 'unknown' && field.provenance !== 'unknown', false, text)
        }
        run(expandText(word, shell, source))
        run(expandPattern(word, shell, source))
      },
    })
  }
})
