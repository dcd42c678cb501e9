import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { parseShell } from '../shell/parse.ts'
import { mayFlood, NAMES } from './birth/names.ts'
import { ROWS } from './birth/tables/programs.ts'
import { birthOf, named, quoted, wrapped } from './birth.ts'

interface Row {
  readonly line: string
  readonly is: 'leave' | 'wrap' | 'follow'
  /** What the host is to run in its place, with `ctx` for the launcher. */
  readonly to?: string
}

const rows = JSON.parse(readFileSync('cases/gates/birth.json', 'utf8')) as readonly Row[]

const programs = rows.map(({ line }) => line).filter((line) => !/["'#\n]/.test(line))
const line = fc
  .array(fc.tuple(fc.constantFrom(...programs), fc.constantFrom(' && ', ' || ', '; ', ' | ', '\n')), {
    minLength: 1,
    maxLength: 4,
  })
  .map((parts) => parts.map(([text, op], at) => (at === parts.length - 1 ? text : text + op)).join(''))

describe('the gate before a run', () => {
  it('has a table worth the name', () => {
    const of = (is: Row['is']) => new Set(rows.filter((row) => row.is === is).map(({ line }) => line)).size
    assert.ok(of('leave') >= 40)
    assert.ok(of('wrap') >= 60)
    assert.equal(of('leave') + of('wrap') + of('follow'), rows.length)
  })
  for (const { line, is, to } of rows)
    it(`${is}: ${line}`, () => {
      const birth = birthOf(line, 'posix')
      assert.equal(birth.is, is, birth.why)
      if (birth.is !== 'leave') assert.equal(wrapped(birth, 'ctx'), to)
    })
  const reasons: readonly (readonly [string, string])[] = [
    ...[
      'source x; make',
      'alias m=make; make',
      'f() { make; }; f',
      'set -e; cd sub; make',
      'cd sub; echo $?; make',
    ].map((text) => [text, 'it hangs on the shell that reads it'] as const),
    ...['make "', "bash -c 'make \"'", 'if make; then'].map((text) => [text, 'it cannot be read whole'] as const),
    [`bash -c 'bash -c "bash -c \\"bash -c make\\""'`, 'it cannot be read whole'],
    ['vim x', 'it asks a person'],
    ['make &', 'it starts something in the background'],
    ['cat <<E\nx\nE', 'it holds a here-document'],
    ['git status --short', 'it prints little'],
    ['ctx run -- make', 'it is captured already'],
  ]
  for (const [text, why] of reasons)
    it(`says why it leaves: ${text}`, () => assert.deepEqual(birthOf(text, 'posix'), { is: 'leave', why }))

  it('leaves what other shells read, nothing, and what is too long', () => {
    assert.equal(birthOf('pytest', 'powershell').is, 'leave')
    assert.equal(birthOf('  \n', 'posix').is, 'leave')
    assert.equal(birthOf(`pytest ${'x'.repeat(70_000)}`, 'posix').is, 'leave')
  })

  it('ends for any text, and gives a line that a shell reads', () => {
    fc.assert(
      fc.property(fc.oneof(line, fc.string()), (text) => {
        const birth = birthOf(text, 'posix')
        if (birth.is !== 'leave') assert.equal(parseShell(wrapped(birth, '/opt/bin/ctx.js')).status, 'complete')
      }),
    )
  })

  it('what it gives holds the line as it was, and is left alone the next time', () => {
    fc.assert(
      fc.property(line, (text) => {
        const birth = birthOf(text, 'posix')
        if (birth.is === 'leave') return
        const given = wrapped(birth, 'ctx')
        assert.ok(given.startsWith(birth.front))
        assert.equal(birth.front + birth.line, text)
        assert.ok(given.endsWith(birth.argv ? birth.line.slice(birth.before.length) : quoted(birth.line)))
        assert.equal(birthOf(given, 'posix').is, 'leave')
      }),
    )
  })

  it('a text is one word of a shell, whatever it holds', () => {
    const text = fc.string().filter((one) => !one.includes('\0'))
    fc.assert(
      fc.property(text, (one) => {
        const { script } = parseShell(`x ${quoted(one)}`)
        const node = script.statements[0]?.node
        assert.ok(node?.is === 'simple' && node.words.length === 2)
        const parts = node.words[1]!.parts
        assert.ok(parts.every(({ is }) => is === 'literal'))
        assert.equal(parts.map((part) => (part.is === 'literal' ? part.text : '')).join(''), one)
      }),
    )
  })

  const NAMED = 'CTX_CONTEXT_GUARD: routed through ctx for bounded capture. Re-run it as: ctx run'
  for (const [text, sentence] of [
    ['pytest -q', `${NAMED} -- pytest -q`],
    [' pytest -q\n', `${NAMED} -- pytest -q`],
    ['cd a && pytest', `${NAMED} -- bash -c 'cd a && pytest'`],
    ['A=1 pytest', `${NAMED} -- bash -c 'A=1 pytest'`],
    ['tail -f x', `${NAMED} --bg -- tail -f x`],
  ] as const)
    it(`names the way for ${JSON.stringify(text)}`, () => {
      const birth = birthOf(text, 'posix')
      assert.ok(birth.is !== 'leave')
      assert.equal(named(birth, text), sentence)
      const command = sentence.slice(sentence.indexOf(' -- ') + 4)
      const second = `/opt/ctx.js run${birth.is === 'follow' ? ' --bg' : ''} -- ${command}`
      assert.equal(named(birth, text, '/opt/ctx.js'), `${sentence}\n${second}`)
    })
})

describe('the words of lines that may flood', () => {
  it('are those of the tables', () => {
    const special = 'head ghead tail gtail sed gsed awk gawk mawk find gfind gh xargs'.split(' ')
    const words = ROWS.filter(({ only }) => only !== '-R --recursive').flatMap(({ names, verbs }) =>
      names === 'git' ? verbs!.split(' ').map((verb) => verb.split('+').at(-1)!) : names.split(' '),
    )
    assert.deepEqual(NAMES.split(' '), [...new Set([...words, ...special])].sort())
  })

  for (const { line, is } of rows.filter((row) => row.is !== 'leave'))
    it(`${is}: ${line}`, () => assert.equal(mayFlood(line), true))

  for (const line of ['mkdir -p a/b', 'ls -la', 'cd x && echo y > z', 'git push origin main', 'cp -r a b', ''])
    it(`no word of: ${line}`, () => assert.equal(mayFlood(line), false))

  it('no line that is wrapped is missed', () => {
    fc.assert(
      fc.property(line, (text) => {
        if (birthOf(text, 'posix').is !== 'leave') assert.equal(mayFlood(text), true)
      }),
    )
  })
})
