import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { type Arg, exact, unknown, type Value } from '../core/value.ts'
import type { Content, Invocation } from './doing.ts'
import { applyRow, changed, inputOf, type Row, roles } from './row.ts'
import { showDoing } from './show.ts'

const arg = (value: Value | string): Arg => ({
  value: typeof value === 'string' ? exact(value) : value,
  span: { from: 0, to: 0 },
})

const NONE: Content = { text: unknown('input'), taints: [], none: true }

const callOf = (words: readonly (Value | string)[], stdin: Content = NONE): Invocation => ({
  name: 'x',
  base: 'x',
  command: arg('x'),
  args: words.map(arg),
  stdin,
  env: new Map(),
  platform: 'linux',
  cwd: '/repo',
  home: '/home/dev',
})

interface Case {
  readonly name: string
  readonly row: Omit<Row, 'names' | 'why'>
  readonly words: readonly (Value | string)[]
  readonly stdin?: Content
  readonly does: readonly string[]
}

const CASES: readonly Case[] = [
  { name: 'operands without a role are no paths', row: {}, words: ['a', '-x'], does: [] },
  { name: 'roles go by place', row: { operands: 'read write' }, words: ['a', 'b', 'c'], does: ['read a', 'write b'] },
  {
    name: 'the last role goes on',
    row: { operands: 'skip read…' },
    words: ['p', 'a', 'b'],
    does: ['read a', 'read b'],
  },
  {
    name: 'the last operand',
    row: { operands: 'read… last:write' },
    words: ['a', 'b', 'c'],
    does: ['read a', 'read b', 'write c'],
  },
  { name: 'the last operand alone', row: { operands: 'read… last:write' }, words: ['c'], does: ['write c'] },
  { name: 'a tree by role', row: { operands: 'read/…' }, words: ['a', 'b'], does: ['read/ a', 'read/ b'] },
  {
    name: 'a tree by flag',
    row: { options: '-r', operands: 'delete…', tree: '-r' },
    words: ['-r', 'a'],
    does: ['delete/ a'],
  },
  {
    name: 'no tree without the flag',
    row: { options: '-r', operands: 'delete…', tree: '-r' },
    words: ['a'],
    does: ['delete a'],
  },
  {
    name: 'a slash at the end of what goes',
    row: { operands: 'delete…' },
    words: ['a/', 'b'],
    does: ['delete a/ [follow]', 'delete b'],
  },
  { name: 'a slash at the end of what is read', row: { operands: 'read…' }, words: ['a/'], does: ['read a/'] },
  {
    name: 'a flag that changes roles',
    row: { options: '-d -e', operands: 'read…', when: [{ flags: '-d -e', operands: 'delete…' }] },
    words: ['-e', 'a'],
    does: ['delete a'],
  },
  {
    name: 'the first change that is given',
    row: {
      operands: 'read…',
      when: [
        { flags: '-a', operands: 'edit…' },
        { flags: '-b', operands: 'delete…' },
      ],
    },
    words: ['-b', '-a', 'x'],
    does: ['edit x'],
  },
  {
    name: 'a role of an option',
    row: { options: '-o|--out:write', operands: 'read…' },
    words: ['--out=b', 'a'],
    does: ['write b', 'read a'],
  },
  { name: 'a dash is stdin', row: { operands: 'read…' }, words: ['-', 'a'], does: ['read a'] },
  { name: 'help', row: { operands: 'delete…' }, words: ['a', '--help'], does: [] },
  {
    name: 'help behind the end of options is a name',
    row: { operands: 'delete…' },
    words: ['--', '--help'],
    does: ['delete --help'],
  },
  { name: 'questions of its own', row: { operands: 'delete…', info: '-V' }, words: ['-V', 'a'], does: [] },
  {
    name: 'options end at the first operand',
    row: { options: '-o:write', operands: 'read…', stop: true },
    words: ['a', '-o', 'b'],
    does: ['read a', 'read -o', 'read b'],
  },
  { name: 'one dash', row: { options: '-out:write', single: true }, words: ['-out', 'a'], does: ['write a'] },
  { name: 'nothing comes out', row: { out: 'nothing' }, words: [], does: ['out ""'] },
  {
    name: 'what is read comes out',
    row: { operands: 'read…', out: 'input' },
    words: ['a'],
    does: ['read a', 'out files(a)'],
  },
  {
    name: 'stdin comes out',
    row: { operands: 'read…', out: 'input' },
    words: ['-'],
    stdin: { text: exact('x'), taints: ['remote'] },
    does: ['out "x" !remote'],
  },
  {
    name: 'files and stdin come out as something made of both',
    row: { operands: 'read…', out: 'input' },
    words: ['a', '-'],
    stdin: { text: exact('x'), taints: ['remote'] },
    does: ['read a', 'out of files(a) !remote'],
  },
  {
    name: 'lines of listed paths are paths',
    row: { out: 'lines' },
    words: [],
    stdin: { text: exact('x'), taints: [], paths: [{ at: arg('p'), tree: false }] },
    does: ['out paths(p)'],
  },
  {
    name: 'a changed stdin lists nothing',
    row: { out: 'changed' },
    words: [],
    stdin: { text: exact('x'), taints: ['secret'], paths: [{ at: arg('p'), tree: false }] },
    does: ['out ? !secret'],
  },
  { name: 'an unknown operand', row: { operands: 'delete…' }, words: [unknown('variable')], does: ['delete ?'] },
]

describe('a row', () => {
  for (const { name, row, words, stdin, does } of CASES)
    it(`reads: ${name}`, () => {
      assert.deepEqual(applyRow({ names: 'x', why: 'test', ...row }, callOf(words, stdin)).map(showDoing), does)
    })

  it('gives each operand at most one role, in order', () => {
    const pattern = fc.constantFrom(
      '',
      'read',
      'read…',
      'skip delete/…',
      'read… last:write',
      'read write skip',
      'last:edit',
    )
    fc.assert(
      fc.property(pattern, fc.array(fc.string(), { maxLength: 6 }), (roleWords, names) => {
        const operands = names.map(arg)
        const given = roles(roleWords, operands).map((entry) => operands.indexOf(entry.arg))
        assert.deepEqual(
          given,
          [...new Set(given)].sort((a, b) => a - b),
        )
        assert.ok(given.every((at) => at >= 0))
      }),
    )
  })

  it('never forgets where stdin came from', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '-', 'b'), { maxLength: 4 }), fc.boolean(), (words, lines) => {
        const call = callOf(words, { text: exact('x'), taints: ['remote'] })
        const content = changed(inputOf(call, call.args), lines)
        const readsStdin = words.length === 0 || words.includes('-')
        assert.equal(content.taints.includes('remote'), readsStdin)
        assert.equal(content.text.is, 'unknown')
      }),
    )
  })
})
