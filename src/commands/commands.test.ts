/**
 * Every command table against its corpus: `cases/commands/<group>.json` is a list of rows
 * `{name, argv, stdin?, platform?, env?, cwd?, facts?, does}`, or `{rows, unnamed}` where `unnamed` lists commands that
 * no row names.
 * A word of `argv` is a text, `{unknown: true}`, `{glob: "*.ts"}`, `{partly: [prefix, suffix]}` or `{oneOf: [...]}`.
 * `stdin` is a text or `{text?, paths?, files?, taints?}`; `facts` are `{question, answer}`; what is not listed is
 * absent. `does` are lines of `show.ts`.
 */
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import type { Taint } from '../core/effect.ts'
import type { Answer, Asking, Question } from '../core/question.ts'
import { type Arg, exact, type GlobPart, unknown, type Value } from '../core/value.ts'
import type { Content, Doing, Invocation } from './doing.ts'
import { GROUPS, type Group, readerOf } from './registry.ts'
import { specOf } from './row.ts'
import { showDoing } from './show.ts'

type WordJson =
  | string
  | { readonly unknown: true }
  | { readonly glob: string }
  | { readonly partly: readonly [string, string] }
  | { readonly oneOf: readonly string[] }

interface StdinJson {
  readonly text?: string
  readonly paths?: readonly string[]
  readonly files?: readonly string[]
  readonly taints?: readonly Taint[]
}

interface Case {
  readonly name: string
  readonly argv: readonly WordJson[]
  readonly stdin?: string | StdinJson
  readonly platform?: Invocation['platform']
  readonly env?: Readonly<Record<string, string>>
  readonly cwd?: string | null
  readonly facts?: readonly { readonly question: Question; readonly answer: Answer }[]
  readonly does: readonly string[]
}

interface Corpus {
  readonly rows: readonly Case[]
  /** Commands that no row names, one name of each. */
  readonly unnamed: readonly string[]
}

/** How many questions one reader may ask before we call it endless. */
const MOST_QUESTIONS = 5_000
const LEAST_ROWS = 15
const SPAN = { from: 0, to: 0 }

function corpusOf(group: string): Corpus | undefined {
  const file = new URL(`../../cases/commands/${group}.json`, import.meta.url)
  if (!existsSync(file)) return undefined
  const json = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[] | Partial<Corpus>
  return Array.isArray(json)
    ? { rows: json, unnamed: [] }
    : { rows: (json as Corpus).rows, unnamed: (json as Partial<Corpus>).unnamed ?? [] }
}

function globOf(pattern: string): Value {
  const parts: GlobPart[] = []
  for (const piece of pattern.split(/(\*\*|\*|\?|\[[^\]]+\]|…)/).filter(Boolean)) {
    if (piece === '**') parts.push({ is: 'deep' })
    else if (piece === '*') parts.push({ is: 'star' })
    else if (piece === '?') parts.push({ is: 'question' })
    else if (piece === '…') parts.push({ is: 'any' })
    else if (/^\[.+\]$/.test(piece)) parts.push({ is: 'class', text: piece })
    else parts.push({ is: 'text', text: piece })
  }
  return { is: 'glob', parts }
}

function wordOf(word: WordJson): Arg {
  if (typeof word === 'string') return { value: exact(word), span: SPAN }
  if ('unknown' in word) return { value: unknown('variable'), span: SPAN }
  if ('glob' in word) return { value: globOf(word.glob), span: SPAN }
  if ('oneOf' in word) return { value: { is: 'oneOf', texts: word.oneOf }, span: SPAN }
  return { value: { is: 'partly', prefix: word.partly[0], suffix: word.partly[1], why: 'variable' }, span: SPAN }
}

function stdinOf(stdin: Case['stdin']): Content {
  if (stdin === undefined) return { text: unknown('input'), taints: [], none: true }
  if (typeof stdin === 'string') return { text: exact(stdin), taints: [] }
  return {
    text: stdin.text === undefined ? unknown('input') : exact(stdin.text),
    taints: stdin.taints ?? [],
    ...(stdin.paths ? { paths: stdin.paths.map((path) => ({ at: wordOf(path), tree: false })) } : {}),
    ...(stdin.files ? { files: stdin.files.map(wordOf) } : {}),
  }
}

const baseOf = (name: string): string => name.replace(/^.*[/\\]/, '').replace(/\.exe$/i, '')

function callOf(row: Case): Invocation {
  const words = row.argv.map(wordOf)
  const name = typeof row.argv[0] === 'string' ? row.argv[0] : ''
  return {
    name,
    base: baseOf(name),
    command: words[0]!,
    args: words.slice(1),
    stdin: stdinOf(row.stdin),
    env: new Map(Object.entries(row.env ?? {}).map(([key, value]) => [key, exact(value)])),
    platform: row.platform ?? 'linux',
    cwd: row.cwd === null ? undefined : (row.cwd ?? '/repo'),
    home: '/home/dev',
  }
}

function nothing(question: Question): Answer {
  if (question.ask === 'env') return 'unset'
  if (question.ask === 'gitConfig') return []
  if (question.ask === 'git') return {}
  return 'absent'
}

const keyOf = (value: object): string => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))

/** Drives a reader with `reply` and fails where it does not end. */
function drive(asking: Asking<readonly Doing[]>, reply: (question: Question) => Answer): readonly Doing[] {
  let step = asking.next()
  for (let asked = 0; !step.done; asked++) {
    assert.ok(asked < MOST_QUESTIONS, 'the reader does not end')
    step = asking.next(reply(step.value))
  }
  return step.value
}

function does(row: Case): readonly string[] {
  const call = callOf(row)
  const reader = readerOf(call.base)
  assert.ok(reader, `no reader for ${call.base}`)
  const facts = new Map((row.facts ?? []).map(({ question, answer }) => [keyOf(question), answer]))
  return drive(reader(call), (question) => facts.get(keyOf(question)) ?? nothing(question)).map(showDoing)
}

/** Names of each row and reader of a group, one list a command. */
const commandsOf = (group: Group): readonly (readonly string[])[] =>
  [...group.rows.map((row) => row.names), ...Object.keys(group.readers)].map((names) => names.split(' '))

for (const group of GROUPS) {
  const commands = commandsOf(group)
  const corpus = corpusOf(group.id)
  if (commands.length === 0) continue
  describe(`commands of group ${group.id}`, () => {
    it('have a corpus that names each of them', () => {
      assert.ok(corpus, `cases/commands/${group.id}.json is missing`)
      assert.ok(corpus.rows.length >= LEAST_ROWS, `only ${corpus.rows.length} rows`)
      const named = new Set([
        ...corpus.rows.map((row) => (typeof row.argv[0] === 'string' ? baseOf(row.argv[0]) : '')),
        ...corpus.unnamed,
      ])
      const missing = commands.filter((names) => !names.some((name) => named.has(name)))
      assert.deepEqual(
        missing.map((names) => names.join(' ')),
        [],
      )
      const known = new Set(commands.flat())
      assert.deepEqual(
        corpus.unnamed.filter((name) => !known.has(name)),
        [],
      )
    })
    it('have cases with names of their own', () => {
      const names = (corpus?.rows ?? []).map((row) => row.name)
      assert.deepEqual(
        names.filter((name, i) => names.indexOf(name) !== i),
        [],
      )
    })
    it('have rows whose options compile and whose reason is given', () => {
      for (const row of group.rows) {
        assert.doesNotThrow(() => specOf(row), row.names)
        assert.ok(row.why.length > 0, row.names)
        for (const word of `${row.operands ?? ''} ${(row.when ?? []).map((change) => change.operands).join(' ')}`
          .split(/\s+/)
          .filter(Boolean))
          assert.match(
            word,
            /^(last:)?(read|names|create|write|append|edit|delete|mode|run|into|skip)\/?…?\/?$/,
            `${row.names}: ${word}`,
          )
        for (const option of specOf(row).byName.values())
          assert.match(
            option.role ?? 'skip',
            /^(read|names|create|write|append|edit|delete|mode|run|into|skip)\/?$/,
            `${row.names}: ${option.name}`,
          )
      }
    })
    for (const row of corpus?.rows ?? [])
      it(row.name, () => {
        assert.deepEqual(does(row), row.does)
      })
  })
}

describe('all commands', () => {
  it('belong to one group each', () => {
    const owner = new Map<string, string>()
    const twice: string[] = []
    for (const group of GROUPS)
      for (const name of commandsOf(group).flat()) {
        if (owner.has(name)) twice.push(`${name}: ${owner.get(name)}, ${group.id}`)
        owner.set(name, group.id)
      }
    assert.deepEqual(twice, [])
  })

  const names = [...new Set(GROUPS.flatMap((group) => commandsOf(group).flat()))]
  const WORDS = [
    ...['', '-', '--', '-a', '-c', '-d', '-e', '-f', '-i', '-n', '-o', '-p', '-r', '-s', '-t', '-x', '-C', '-I', '-rf'],
    ...['--help', '--force', '--delete', '--exec', '-exec', '-delete', '-name', '-o', '!', '(', ')', '{}', ';', '+'],
    ...['a.txt', 'dir/', '*.ts', '/', '..', 'ls', 'rm', 'sh', 'run', 'push', 'reset', 'install', 'build', 'host:/x'],
    ...['s/a/b/', 'w out', 'A=1', '-c', ':::', '@f', 'of=x', '--x=', '-1', '\u0000', '\\', '%s', 'if=', '🙂'],
  ]
  const word = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom<WordJson>(...WORDS) },
    { weight: 1, arbitrary: fc.string({ maxLength: 6 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom<WordJson>(
        { unknown: true },
        { glob: '*.x' },
        { partly: ['-', ''] },
        { oneOf: ['a', '-r'] },
      ),
    },
  )
  const answer = (question: Question, pick: number): Answer => {
    if (pick % 3 === 0) return 'unknown'
    if (pick % 3 === 1) return nothing(question)
    switch (question.ask) {
      case 'stat':
        return { kind: pick % 2 ? 'dir' : 'file', size: 1, mtime: 1, inode: '1:1', links: 1, mode: 0o644 }
      case 'list':
        return { entries: [{ name: 'a', kind: 'file' }], cut: false }
      case 'text':
        return pick % 2 ? 'unreadable' : { text: '{"scripts":{"build":"npm run build"}}\nall:\n\trm x\n', cut: false }
      case 'time':
        return 'left'
      case 'env':
        return { value: 'x' }
      case 'which':
        return { path: '/usr/bin/x' }
      case 'texts':
        return 'absent'
      case 'gitBrings':
        return []
      case 'links':
        return [{ path: 'a', target: '../b' }]
      case 'gitConfig':
        return ['!git x', 'x -r']
      case 'git':
        return { branch: 'main', modified: ['a'] }
    }
  }
  it('end without throwing for any words and any answers', { skip: names.length === 0 }, () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...(names.length > 0 ? names : [''])),
        fc.array(word, { maxLength: 7 }),
        fc.option(fc.oneof(fc.constantFrom('rm -rf x\n', "a 'b c' d\0e"), fc.string()), { nil: undefined }),
        fc.array(fc.nat(11), { minLength: 1, maxLength: 8 }),
        fc.constantFrom<Invocation['platform']>('linux', 'darwin', 'win32'),
        (name, args, stdin, picks, platform) => {
          const row: Case = {
            name,
            argv: [name, ...args],
            platform,
            does: [],
            ...(stdin === undefined ? {} : { stdin }),
          }
          let asked = 0
          const doings = drive(readerOf(name)!(callOf(row)), (question) =>
            answer(question, picks[asked++ % picks.length]!),
          )
          for (const doing of doings) assert.equal(typeof showDoing(doing), 'string')
        },
      ),
      { numRuns: 2_000 },
    )
  })
})
