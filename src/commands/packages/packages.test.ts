/** What package managers and task runners read from files: any text ends, without throwing, in few doings. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Answer, Question } from '../../core/question.ts'
import { type Arg, exact, unknown } from '../../core/value.ts'
import type { Doing, Invocation } from '../doing.ts'
import { readerOf } from '../registry.ts'
import { readSpec } from './vetted.ts'
import { readYaml } from './yaml.ts'

const SPAN = { from: 0, to: 0 }
const word = (text: string): Arg => ({ value: exact(text), span: SPAN })
const MOST_QUESTIONS = 2_000
const MOST_DOINGS = 3_000

/** Drives a reader in a tree of files and gives what it would do. */
function does(words: readonly string[], files: Readonly<Record<string, string>>): readonly Doing[] {
  const call: Invocation = {
    name: words[0]!,
    base: words[0]!,
    command: word(words[0]!),
    args: words.slice(1).map(word),
    stdin: { text: unknown('input'), taints: [], none: true },
    env: new Map(),
    platform: 'linux',
    cwd: '/repo',
    home: '/home/dev',
  }
  const reply = (question: Question): Answer => {
    if (question.ask === 'env') return 'unset'
    if (question.ask === 'text')
      return Object.hasOwn(files, question.path) ? { text: files[question.path]!, cut: false } : 'absent'
    if (question.ask === 'list') {
      const names = Object.keys(files).filter((path) => path.startsWith(`${question.dir}/`))
      return {
        entries: names.map((path) => ({ name: path.slice(question.dir.length + 1).split('/')[0]!, kind: 'file' })),
        cut: false,
      }
    }
    return 'absent'
  }
  const asking = readerOf(words[0]!)!(call)
  let step = asking.next()
  for (let asked = 0; !step.done; asked++) {
    assert.ok(asked < MOST_QUESTIONS, 'the reader does not end')
    step = asking.next(reply(step.value))
  }
  return step.value
}

const piece = (...words: readonly string[]) =>
  fc
    .array(fc.oneof(fc.constantFrom(...words), fc.string({ maxLength: 3 })), { maxLength: 40 })
    .map((all) => all.join(''))

const RUNNERS: readonly {
  readonly words: readonly string[]
  readonly file: string
  readonly text: fc.Arbitrary<string>
}[] = [
  {
    words: ['make', 'a'],
    file: 'Makefile',
    text: piece(
      '\n',
      '\t',
      'a',
      'b',
      ':',
      '::',
      ' = ',
      ' := ',
      ' += ',
      '$(a)',
      '$' + '{b}',
      '$@',
      '$$',
      '$(shell ',
      ')',
      '(',
      'include Makefile',
      'define a',
      'endef',
      'ifeq (',
      ',',
      'else',
      'endif',
      '%',
      '\\\n',
      '#',
      '$(call a,',
      '.ONESHELL:',
    ),
  },
  {
    words: ['just', 'a'],
    file: 'justfile',
    text: piece(
      '\n',
      '    ',
      'a',
      'b',
      ':',
      ' := ',
      '{{',
      '}}',
      "'",
      '"',
      '`',
      '+',
      '/',
      '(',
      ')',
      '&&',
      '#!',
      '@',
      'alias ',
      'import "justfile"',
      'set ',
    ),
  },
  {
    words: ['task', 'a'],
    file: 'Taskfile.yml',
    text: piece(
      '\n',
      '  ',
      'tasks:',
      'a:',
      'cmds:',
      'deps:',
      '- ',
      'task: a',
      '[',
      ']',
      '{',
      '}',
      '{{.A}}',
      '|',
      '"',
      "'",
      ': ',
      '#',
      'vars:',
      'sh: x',
    ).map((text) => `tasks:\n  a:\n${text}`),
  },
  {
    words: ['npm', 'run', 'a'],
    file: 'package.json',
    text: fc.json(),
  },
  { words: ['composer', 'a'], file: 'composer.json', text: fc.json() },
]

describe('files of task runners', () => {
  for (const { words, file, text } of RUNNERS)
    it(`${file}: any text ends in few doings`, () => {
      fc.assert(
        fc.property(text, (content) => {
          assert.ok(does(words, { [`/repo/${file}`]: content }).length < MOST_DOINGS)
        }),
        { numRuns: 400 },
      )
    })

  it('a recipe without make syntax reaches the shell as it is written', () => {
    const line = fc.stringMatching(/^[a-z][a-z ./_-]{0,30}[a-z]$/)
    fc.assert(
      fc.property(line, (recipe) => {
        const [doing] = does(['make', 'goal'], { '/repo/Makefile': `goal:\n\t${recipe}\n` })
        assert.equal(doing?.do === 'code' && doing.text.is === 'exact' ? doing.text.text : undefined, recipe)
      }),
      { numRuns: 200 },
    )
  })

  it('words behind `--` of npm run are one word each for the shell', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 8 }), { maxLength: 4 }), (args) => {
        const [doing] = does(['npm', 'run', 'x', '--', ...args], { '/repo/package.json': '{"scripts":{"x":"rm"}}' })
        const text = doing?.do === 'code' && doing.text.is === 'exact' ? doing.text.text : ''
        // Taken apart by the two forms that are written: plain words, and quotes with `'\''` inside.
        const words = [...text.matchAll(/ ((?:'[^']*'|\\'|[^\s'\\])+)/g)].map((match) =>
          match[1]!.replace(/'([^']*)'|\\'/g, (whole, inner: string | undefined) =>
            whole === "\\'" ? "'" : (inner ?? ''),
          ),
        )
        assert.deepEqual(words, args)
      }),
      { numRuns: 300 },
    )
  })
})

describe('YAML of task files', () => {
  const CASES: readonly (readonly [string, unknown])[] = [
    ['a: 1', { a: '1' }],
    ['a:\n  - b\n  - c: d\n    e: f\n', { a: ['b', { c: 'd', e: 'f' }] }],
    ['a:\n- b\n- c\n', { a: ['b', 'c'] }],
    ['a: [b, "c, d"]', { a: ['b', 'c, d'] }],
    ['a: { b: c }', { a: { b: 'c' } }],
    ['a: |\n  x: y\n  z\nb: c', { a: 'x: y\nz', b: 'c' }],
    ["a: 'it''s' # note", { a: "it's" }],
    ['a: "x # y"', { a: 'x # y' }],
    ['a:b: c', { 'a:b': 'c' }],
    ['a:\nb: c', { a: '', b: 'c' }],
    ['- a\n- - b\n', ['a', '- b']],
    ['', undefined],
  ]
  for (const [text, value] of CASES)
    it(JSON.stringify(text), () => {
      assert.deepEqual(readYaml(text), value)
    })
})

describe('packages as they are asked for', () => {
  const CASES: readonly (readonly [string, string, string])[] = [
    ['left-pad', 'left-pad', 'name'],
    ['left-pad@^1.0', 'left-pad', 'name'],
    ['@acme/x@latest', '@acme/x', 'name'],
    ['a@npm:b@2', 'b', 'name'],
    ['u/r', 'u/r', 'address'],
    ['u/r#main', 'u/r#main', 'address'],
    ['github:u/r', 'github:u/r', 'address'],
    ['git+ssh://git@x.example/a.git', 'git+ssh://git@x.example/a.git', 'address'],
    ['a@https://x.example/a.tgz', 'a@https://x.example/a.tgz', 'address'],
    ['./a', './a', 'local'],
    ['../a.tgz', '../a.tgz', 'local'],
    ['a.tgz', 'a.tgz', 'local'],
    ['file:../a', 'file:../a', 'local'],
    ['a@file:../a', 'a', 'local'],
    ['C:\\a', 'C:\\a', 'local'],
  ]
  for (const [text, name, is] of CASES)
    it(text, () => {
      assert.deepEqual(readSpec(text), { name, is })
    })
})
