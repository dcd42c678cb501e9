import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Arg, exact, unknown, type Value } from '../core/value.ts'
import { parseArgs, specify } from './options.ts'
import { GROUPS } from './registry.ts'
import { specOf } from './row.ts'
import { showWord } from './show.ts'

const arg = (value: Value | string): Arg => ({
  value: typeof value === 'string' ? exact(value) : value,
  span: { from: 0, to: 0 },
})
const partly = (prefix: string, suffix = ''): Value => ({ is: 'partly', prefix, suffix, why: 'variable' })

/** The outcome in one line: flags, values, operands, then marks. */
function read(
  spec: string,
  words: readonly (Value | string)[],
  how: { stop?: boolean; single?: boolean } = {},
): string {
  const parsed = parseArgs(specify(spec), words.map(arg), how)
  const show = (args: readonly Arg[]) => args.map((given) => showWord(given.value)).join(' ')
  return [
    [...parsed.flags].join(' '),
    [...parsed.values].map(([name, args]) => `${name}=${show(args)}`).join(' '),
    show(parsed.operands),
    [parsed.unsure && 'unsure', parsed.hidden && 'hidden'].filter(Boolean).join(' '),
  ].join(' ; ')
}

const GREP = '-r|--recursive -e|--regexp: -i?|--in-place? -o|--output:write --colour --color -n'

interface Case {
  readonly name: string
  readonly spec?: string
  readonly words: readonly (Value | string)[]
  readonly how?: { stop?: boolean; single?: boolean }
  readonly reads: string
}

const CASES: readonly Case[] = [
  { name: 'bundles', words: ['-rn', 'a'], reads: '-r -n ;  ; a ; ' },
  { name: 'an unlisted flag as written', words: ['-rx', '--odd', 'a'], reads: '-r -x --odd ;  ; a ; ' },
  { name: 'a value behind its option', words: ['-e', 'p', 'a'], reads: '-e ; -e=p ; a ; ' },
  { name: 'a value in a bundle', words: ['-rep', 'a'], reads: '-r -e ; -e=p ; a ; ' },
  { name: 'a value behind an equals sign', words: ['--regexp=p=q', 'a'], reads: '-e ; -e=p=q ; a ; ' },
  { name: 'a value that looks like an option', words: ['-e', '-r', 'a'], reads: '-e ; -e=-r ; a ; ' },
  { name: 'a value that is missing', words: ['-e'], reads: '-e ;  ;  ; ' },
  { name: 'an optional value, attached', words: ['-i.bak', 'a'], reads: '-i ; -i=.bak ; a ; ' },
  { name: 'an optional value, absent', words: ['-i', '.bak'], reads: '-i ;  ; .bak ; ' },
  { name: 'an abbreviation', words: ['--rec', 'a'], reads: '-r ;  ; a ; ' },
  { name: 'an ambiguous abbreviation as written', words: ['--colo'], reads: '--colo ;  ;  ; ' },
  {
    name: 'an exact name that another begins with',
    spec: '--color --colored',
    words: ['--color'],
    reads: '--color ;  ;  ; ',
  },
  { name: 'the end of options', words: ['--', '-r', '--x'], reads: ' ;  ; -r --x ; ' },
  { name: 'a dash as an operand', words: ['-', '-r'], reads: '-r ;  ; - ; ' },
  { name: 'options behind operands', words: ['a', '-r'], reads: '-r ;  ; a ; ' },
  { name: 'options up to the first operand', words: ['-r', 'a', '-n'], how: { stop: true }, reads: '-r ;  ; a -n ; ' },
  {
    name: 'long options with one dash',
    spec: '-name: -x',
    words: ['-name', 'a', '-x', '-name=b'],
    how: { single: true },
    reads: '-name -x ; -name=a b ;  ; ',
  },
  { name: 'an unknown word', words: [unknown('variable'), '-r'], reads: '-r ;  ; ? ; unsure' },
  { name: 'an unknown word behind the end of options', words: ['--', unknown('variable')], reads: ' ;  ; ? ; ' },
  {
    name: 'a choice that may be an option',
    words: [{ is: 'oneOf', texts: ['a', '-r'] }],
    reads: ' ;  ; a|-r ; unsure',
  },
  { name: 'a choice of operands', words: [{ is: 'oneOf', texts: ['a', 'b'] }], reads: ' ;  ; a|b ; ' },
  { name: 'a bundle known in part', words: [partly('-r'), 'a'], reads: '-r ;  ; a ; unsure hidden' },
  { name: 'a dash and more', words: [partly('-'), 'a'], reads: ' ;  ; a ; unsure hidden' },
  { name: 'two dashes and more', words: [partly('--'), 'a'], reads: ' ;  ; a ; unsure hidden' },
  { name: 'a long name known in part', words: [partly('--out'), 'a'], reads: ' ;  ; a ; unsure hidden' },
  { name: 'a value known in part', words: [partly('--output=/x/', '.ts')], reads: '-o ; -o=/x/….ts ;  ; ' },
  { name: 'an attached value known in part', words: [partly('-o/x/')], reads: '-o ; -o=/x/… ;  ; ' },
  { name: 'an attached value that is unknown', words: [partly('-o')], reads: '-o ; -o=? ;  ; ' },
  {
    name: 'a pattern',
    words: [{ is: 'glob', parts: [{ is: 'star' }, { is: 'text', text: '.ts' }] }],
    reads: ' ;  ; *.ts ; ',
  },
  {
    name: 'a value with a pattern',
    words: [{ is: 'glob', parts: [{ is: 'text', text: '--output=a' }, { is: 'star' }] }],
    reads: '-o ; -o=a* ;  ; ',
  },
]

describe('options', () => {
  for (const { name, spec, words, how, reads } of CASES)
    it(`are read with ${name}`, () => {
      assert.equal(read(spec ?? GREP, words, how), reads)
    })

  it('keep the role of their value', () => {
    assert.equal(specify('-o|--output:write').byName.get('--output')?.role, 'write')
    assert.equal(specify('-o|--output:write').byName.get('-o')?.value, 'needed')
    assert.equal(specify('-i?|--in-place?').byName.get('--in-place')?.value, 'attached')
  })

  it('refuse a specification that is none', () => {
    assert.throws(() => specify(':x').byName)
  })

  it('compile, those of every row', () => {
    for (const { rows } of GROUPS) for (const row of rows) assert.doesNotThrow(() => specOf(row).byName, row.names)
  })

  const words = fc.array(
    fc.oneof(
      fc.constantFrom('-r', '-rn', '--', '-', '-e', '-ex', '--rec', '--regexp=a', '-i.b', 'a', '--x=y'),
      fc.string({ maxLength: 5 }),
    ),
    { maxLength: 8 },
  )

  it('lose no word behind the end of options', () => {
    fc.assert(
      fc.property(words, words, (before, after) => {
        const first = before.filter((word) => !word.startsWith('-'))
        const parsed = parseArgs(specify(GREP), [...first, '--', ...after].map(arg))
        assert.deepEqual(
          parsed.operands.map((given) => (given.value.is === 'exact' ? given.value.text : '')),
          [...first, ...after],
        )
      }),
    )
  })

  it('say the same in order as in flags, values and operands', () => {
    fc.assert(
      fc.property(words, fc.boolean(), (given, stop) => {
        const parsed = parseArgs(specify(GREP), given.map(arg), { stop })
        assert.deepEqual(
          parsed.order.filter(({ option }) => option === '').map((entry) => entry.arg),
          parsed.operands,
        )
        assert.deepEqual(new Set(parsed.order.map(({ option }) => option).filter(Boolean)), new Set(parsed.flags))
        for (const [name, args] of parsed.values)
          assert.deepEqual(
            parsed.order.flatMap((entry) => (entry.option === name && entry.arg ? [entry.arg] : [])),
            args,
          )
      }),
    )
  })
})
