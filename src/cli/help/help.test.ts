/** `--help` of every verb of every program, and what a wrong command line is told. */
import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { buildApplication, buildRouteMap, type Command, type RouteMap, run } from '@stricli/core'
import type { Context } from '../flags.ts'
import type { Io } from '../io.ts'
import { ROUTES, runProgram } from '../program.ts'
import { EXAMPLES } from './examples.ts'
import { GROUPS } from './verbs.ts'

async function said(
  name: string,
  argv: readonly string[],
  columns = 100,
): Promise<{ code: number; out: string; err: string }> {
  let out = ''
  let err = ''
  const io: Io = {
    out: (text) => {
      out += text
    },
    err: (text) => {
      err += text
    },
    cwd: '/nowhere',
    env: {},
    colour: false,
    columns,
  }
  const code = await runProgram(name, argv, io)
  return { code, out, err }
}

type Target = Command<Context> | RouteMap<Context>
type Leaf = readonly [path: string, command: Command<Context>]

function leaves(routes: object, path: readonly string[] = []): readonly Leaf[] {
  return Object.entries(routes as Record<string, Target>).flatMap(([verb, target]): readonly Leaf[] =>
    'getAllEntries' in target
      ? leaves(
          Object.fromEntries(
            target.getAllEntries().map((entry) => [entry.name['convert-camel-to-kebab'], entry.target]),
          ),
          [...path, verb],
        )
      : [[[...path, verb].join(' '), target]],
  )
}

/** The words of an example: quotes are single or double, nothing is expanded, and redirections and pipes end it. */
function wordsOf(example: string): readonly string[] {
  const own = example.slice(example.indexOf('$ ') + 2)
  const words = [...own.matchAll(/(?:'([^']*)'|"([^"]*)"|[^\s'"<|]+)+|[<|]/g)].map(([word]) => word)
  const end = words.findIndex((word) => word === '<' || word === '|')
  return (end < 0 ? words : words.slice(0, end)).map((word) => word.replace(/['"]/g, ''))
}

describe('help', () => {
  for (const [name, routes] of Object.entries(ROUTES)) {
    test(`${name}: every verb stands in one group, and every one that stands there is a verb`, () => {
      const grouped = GROUPS[name]!.flatMap(([, verbs]) => Object.keys(verbs))
      assert.deepEqual([...grouped].sort(), Object.keys(routes).sort())
    })

    test(`${name}: is short, and the same for no words, --help and help`, async () => {
      const { code, out, err } = await said(name, ['--help'], 80)
      assert.equal(code, 0)
      assert.equal(err, '')
      for (const line of out.split('\n')) assert.ok(line.length <= 80, line)
      assert.ok(out.split('\n').length <= 65)
      for (const argv of [[], ['help'], ['-h']]) assert.equal((await said(name, argv, 80)).out, out)
    })

    for (const [path, command] of leaves(routes))
      test(`${name} ${path}`, async () => {
        const { code, out } = await said(name, [...path.split(' '), '--help'])
        assert.equal(code, 0)
        assert.ok(out.startsWith(command.brief.slice(0, 60)), out)
        const headings = [...out.matchAll(/^(Usage|Options|Examples|Exit codes)$/gm)].map(([word]) => word)
        assert.deepEqual(headings, ['Usage', 'Options', 'Examples', 'Exit codes'])
        assert.ok(!/Exit code:/.test(out))
        for (const line of out.split('\n')) assert.ok(line.length <= 100 || !line.includes(' ', 4), line)
        const narrow = (await said(name, [...path.split(' '), '--help'], 40)).out
        const shown = narrow.slice(0, narrow.indexOf('\nUsage'))
        for (const line of shown.split('\n')) assert.ok(line.length <= 40, line)
      })
  }

  test('every example is one of a verb, and its command line can be read', async () => {
    const all = new Map(Object.values(ROUTES).flatMap((routes) => leaves(routes)))
    assert.deepEqual(Object.keys(EXAMPLES).sort(), [...all.keys()].sort())
    for (const [path, examples] of Object.entries(EXAMPLES))
      for (const example of examples) {
        const words = wordsOf(example)
        const depth = path.split(' ').length
        assert.equal(words.slice(0, depth).join(' '), path)
        assert.equal(await read(all.get(path)!, words.slice(depth)), '', example)
      }
  })

  for (const file of ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', ...globSync('docs/*.md')])
    test(`${file} names verbs that are there, and its command lines can be read`, async () => {
      const text = readFileSync(file, 'utf8')
      for (const [, name, verb] of text.matchAll(/`(sallyport|ctx|agb) ([a-z]+)\b/g))
        assert.ok(Object.hasOwn(ROUTES[name as keyof typeof ROUTES], verb!), `${name} ${verb}`)
      for (const [, block] of text.matchAll(/```sh\n(.*?)```/gs))
        for (const line of block!.split('\n')) {
          const [, name, rest] = /^(?:npm run -s )?(sallyport|ctx|agb) (?:-- )?([^#]*)/.exec(line) ?? []
          if (rest === undefined || rest.startsWith('--')) continue
          const words = wordsOf(`$ ${rest}`)
          const known = new Map(leaves(ROUTES[name as keyof typeof ROUTES]))
          const path = known.has(words[0]!) ? words[0]! : words.slice(0, 2).join(' ')
          assert.ok(known.has(path), line)
          assert.equal(await read(known.get(path)!, words.slice(path.split(' ').length)), '', line)
        }
    })
})

/** What is wrong with the words of a verb; empty where it would run with them. It does not. */
async function read(command: Command<Context>, words: readonly string[]): Promise<string> {
  let ran = false
  const loader = async () => () => {
    ran = true
  }
  const stub = { ...command, loader } as unknown as Command<Context>
  const app = buildApplication(buildRouteMap({ routes: { verb: stub }, docs: { brief: 'x' } }), {
    name: 'x',
    scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
  })
  let err = ''
  const write = (text: string): void => {
    err += text
  }
  await run(app, ['verb', ...words], { process: { stdout: { write() {} }, stderr: { write } } } as never)
  return ran ? err : `${err} not run`
}

/** A command line of `sallyport`, and the sentence that it gets. */
const WRONG: readonly (readonly [line: string, wanted: string])[] = [
  ['chekc -- ls', 'sallyport: there is no verb "chekc"; did you mean `check`?'],
  ['frobnicate', 'sallyport: there is no verb "frobnicate"; sallyport --help lists them'],
  ['help frobnicate', 'sallyport: there is no verb "frobnicate"; sallyport --help lists them'],
  ['undo lsit', 'sallyport undo: there is no verb "lsit"; did you mean `list`?'],
  ['log --jsno', 'sallyport log: there is no option --jsno; did you mean --json?'],
  ['uninstall --dryrun', 'sallyport uninstall: there is no option --dryrun; did you mean --dry-run?'],
  ['allow --list', 'sallyport allow: there is no option --list'],
  ['probe --host claude', 'sallyport probe: there is no option --host'],
  [
    'check -- -',
    "sallyport check: nothing is read from stdin; put the command itself behind --, as in: sallyport check -- 'rm -rf build'",
  ],
  ['check --host claude -- ls', 'sallyport check: --host goes with --reports'],
  ['check --kind x -- ls', 'sallyport check: --kind goes with --reports'],
  ['log -x', 'sallyport log: there is no option -x'],
  ['log --json --json', 'sallyport log: --json is there twice'],
  ['check --mode x -- ls', 'sallyport check: --mode takes interactive, headless, worker, readonly, not "x"'],
  ['check --cwd', 'sallyport check: --cwd needs a value'],
  ['check --cwd --json -- ls', 'sallyport check: --cwd needs a value, and --json stands in its place'],
  ['check rm -rf x', 'sallyport check: there is no option -r; a command goes behind --'],
  ['get', 'sallyport get: <address> is missing'],
  ['get nope', 'sallyport get: "nope" is no address; one begins with run:, blob:, job: or repo:'],
  ['pause 1 2', 'sallyport pause: "2" is one word too many'],
  ['try x', 'sallyport try: "x" is one word too many: it takes options alone'],
]

describe('a wrong command line gets one sentence and 2', () => {
  for (const [line, wanted] of WRONG)
    test(line, async () => {
      assert.deepEqual(await said('sallyport', line.split(' ')), { code: 2, out: '', err: `${wanted}\n` })
    })

  test('of a run 125, of the check of rails 1', async () => {
    assert.equal((await said('ctx', ['run', '--nope'])).code, 125)
    assert.equal((await said('sallyport', ['rails', 'check', '--nope'])).code, 1)
  })
})
