/** What holds for any configuration. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ARGUMENT_NAMES, PATH_NAMES } from '../argument-names.ts'
import { SANDBOX_TOOLS } from '../contract.ts'
import { type Argument, optionalText } from '../sandbox/tool-args.ts'
import { readAnswer } from './answer.ts'
import { makeHooks } from './engine.ts'
import { isFault, type Ordered, parseOrdered } from './json.ts'
import { compileMatcher } from './matcher.ts'
import { MatcherFindings } from './matcher-findings.ts'
import { payloadOf } from './payload.ts'
import { readHookBytes, readHookText } from './schema.ts'
import { fakeWorld } from './world.testing.ts'

const FILE = '/.agents/hooks.json'
const PLACE = { path: FILE, cwd: '/' }

const RUNS = { numRuns: 400 }

/** Words that a configuration has, so that random ones come near to real ones. */
const word = fc.oneof(
  fc.constantFrom(
    ...['pre_tool_execution', 'post_tool_execution', 'enabled', 'matcher', 'hooks', 'type', 'command', 'http', 'url'],
    ...['headers', 'timeout', 'PreToolUse', '*', '.*', '*_file', '[', 'https://a.example.test/', '10', '2', '$schema'],
    ...['__proto__', 'constructor', ''],
  ),
  fc.string({ maxLength: 12 }),
)
const { value: anyJson } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 7 },
    fc.constantFrom(null, true, false, 0, -1, 30, 1.5, 1e300),
    word,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie('value')), { maxLength: 5 }).map(Object.fromEntries),
  ),
}))

test('no configuration makes the reader or a call throw, and without handlers nothing is denied', async () => {
  const text = fc.oneof(
    anyJson.map((value) => JSON.stringify(value)),
    fc.string({ maxLength: 200 }),
    fc
      .array(fc.constantFrom('{', '}', '[', ']', '"a"', ':', ',', '1', 'true', '\\', '"', '/*', '\n'), {
        maxLength: 300,
      })
      .map((parts) => parts.join('')),
  )
  await fc.assert(
    fc.asyncProperty(text, fc.constantFrom(...SANDBOX_TOOLS), async (content, name) => {
      const world = fakeWorld({ files: { [FILE]: content } })
      const hooks = makeHooks()
      const { signal } = new AbortController()
      await hooks.provision(world)
      const verdict = await hooks.before(world, { name, args: {} }, signal)
      // Whatever is called is unknown to this world, and what fails allows.
      assert.equal(verdict.decision, 'allow')
      assert.equal((await hooks.after(world, { name, args: {} }, 'x', signal)).decision, 'allow')
    }),
    RUNS,
  )
})

test('no bytes make the reader throw', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      assert.ok(Array.isArray(readHookBytes(PLACE, bytes).groups))
    }),
    RUNS,
  )
  for (const [open, most] of [
    ['[', 1 << 20],
    ['{"a":', 200_000],
    ['"\\', 1 << 19],
  ] as const)
    assert.equal(readHookText(PLACE, open.repeat(most)).groups.length, 0)
})

/** A value as text, with blanks between its parts; objects are lists of pairs, so that keys may come twice. */
const pair = Symbol('pairs')
type Pairs = { readonly [pair]: readonly (readonly [string, unknown])[] }
const { tree: anyTree } = fc.letrec((tie) => ({
  tree: fc.oneof(
    { maxDepth: 5 },
    fc.constantFrom<unknown>(null, true, 1, -0.5, 'x', '"', '\u2028'),
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.array(fc.tuple(word, tie('tree')), { maxLength: 6 }).map((pairs): Pairs => ({ [pair]: pairs as never })),
  ),
}))
function written(value: unknown): string {
  if (Array.isArray(value)) return `[ ${value.map(written).join(' ,')}]`
  if (typeof value === 'object' && value !== null && pair in value)
    return `{${(value as Pairs)[pair].map(([key, part]) => `${JSON.stringify(key)} :\n${written(part)}`).join(', ')} }`
  return JSON.stringify(value)
}
function same(ordered: Ordered, value: unknown): void {
  if (ordered.is === 'array') {
    const list = value as readonly unknown[]
    assert.equal(ordered.items.length, list.length)
    ordered.items.forEach((item, i) => same(item, list[i]))
  } else if (ordered.is === 'object') {
    const pairs = (value as Pairs)[pair]
    assert.deepEqual(
      ordered.members.map(({ key }) => key),
      pairs.map(([key]) => key),
    )
    ordered.members.forEach((member, i) => same(member.value, pairs[i]![1]))
  } else assert.equal(ordered.value, value)
}

test('the order of keys is kept, and keys that are there twice', () => {
  fc.assert(
    fc.property(anyTree, (value) => {
      const read = parseOrdered(written(value))
      assert.ok(!isFault(read))
      same(read, value)
    }),
    RUNS,
  )
})

test('what the standard reader refuses is refused', () => {
  fc.assert(
    fc.property(
      anyTree.map(written),
      fc.nat(),
      fc.constantFrom('', ',', '}', '{', '"', '0', '/**/', '\t', '\u00a0', "'", '+', 'e', '\\'),
      (text, at, put) => {
        const changed = text.slice(0, at % (text.length + 1)) + put + text.slice((at % (text.length + 1)) + 1)
        let valid = true
        try {
          JSON.parse(changed)
        } catch {
          valid = false
        }
        assert.equal(isFault(parseOrdered(changed)), !valid, changed)
      },
    ),
    RUNS,
  )
})

/** Answers with what they decide. */
const answers = fc.constantFrom(
  ...(
    [
      ['{"decision":"deny"}', 'deny'],
      [' {"reason":"r","decision":"deny","more":[1]}\n', 'deny'],
      ['{"decision":"allow"}', 'allow'],
      ['{"decision":"deny"} x', 'allow'],
      ['"deny"', 'allow'],
      ['{"decision":"block"}', 'allow'],
      ['', 'allow'],
    ] as const
  ).map(([stdout, decision]) => ({ stdout, decision })),
)

test('all matching handlers run in order, any deny cancels, and the first of them gives the reason', async () => {
  const rule = fc.record({ matches: fc.boolean(), answers: fc.array(answers, { maxLength: 3 }) })
  const group = fc.record({ enabled: fc.boolean(), rules: fc.array(rule, { maxLength: 3 }) })
  await fc.assert(
    fc.asyncProperty(fc.array(group, { maxLength: 4 }), async (groups) => {
      const results: Record<string, { stdout: string }> = {}
      const expected: { readonly name: string; readonly denies: boolean; readonly group: string }[] = []
      // Names that an object would put into another order.
      const entries = groups.map(({ enabled, rules }, g) => {
        const name = String(groups.length - g)
        const list = rules.map(({ matches, answers: given }, r) => ({
          matcher: matches ? 'view_.*' : 'list_dir',
          hooks: given.map(({ stdout, decision }, h) => {
            const command = `run ${g} ${r} ${h}`
            results[command] = { stdout }
            if (enabled && matches) expected.push({ name: command, denies: decision === 'deny', group: name })
            return { type: 'command', command }
          }),
        }))
        return `${JSON.stringify(name)}:${JSON.stringify({ enabled, pre_tool_execution: list })}`
      })
      const world = fakeWorld({ files: { [FILE]: `{${entries.join(',')}}` }, results })
      const call = { name: 'view_file', args: {} }
      const verdict = await makeHooks().before(world, call, new AbortController().signal)
      const first = expected.find(({ denies }) => denies)
      assert.equal(verdict.decision, first === undefined ? 'allow' : 'deny')
      assert.deepEqual(
        world.called,
        expected.map(({ name }) => name),
      )
      const stopped = { ...world, called: world.called.splice(0) && world.called }
      const short = await makeHooks({ stopOnDeny: true }).before(stopped, call, new AbortController().signal)
      assert.equal(short.decision, verdict.decision)
      assert.equal(short.reason, verdict.reason)
      assert.equal(short.trace.length, verdict.trace.length)
      assert.deepEqual(
        world.called,
        expected.slice(0, first === undefined ? undefined : expected.indexOf(first) + 1).map(({ name }) => name),
      )
    }),
    { numRuns: 200 },
  )
})

test('groups whose failures deny, and stopOnDeny, never turn a deny into an allow', async () => {
  const results = fc.array(
    fc.oneof(
      answers.map(({ stdout }) => ({ stdout })),
      fc.constantFrom({ exit: 1 }, { timedOut: true }, { stdout: '{"decision":"deny"}', exit: 2 }, { cut: true }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  await fc.assert(
    fc.asyncProperty(results, fc.boolean(), async (given, stopOnDeny) => {
      const hooks = given.map((_, i) => ({ type: 'command', command: `h${i}` }))
      const files = { [FILE]: JSON.stringify({ g: { pre_tool_execution: [{ hooks }] } }) }
      const table = Object.fromEntries(given.map((one, i) => [`h${i}`, one]))
      const call = { name: 'view_file', args: {} }
      const of = (options: object) =>
        makeHooks(options).before(fakeWorld({ files, results: table }), call, new AbortController().signal)
      const open = await of({})
      const closed = await of({ failClosed: ['g'], stopOnDeny })
      if (open.decision === 'deny') assert.equal(closed.decision, 'deny')
      if (given.some((one) => !('stdout' in one) || 'exit' in one)) assert.equal(closed.decision, 'deny')
    }),
    RUNS,
  )
})

test('a hook sees under its name what a tool acts on, whichever spelling the model chose', () => {
  const names = Object.values(ARGUMENT_NAMES).flat()
  const given = fc.dictionary(fc.constantFrom<string>(...names), fc.constantFrom(null, '/private', '/public', 7), {
    noNullPrototype: true,
  })
  fc.assert(
    fc.property(
      given,
      fc.constantFrom(...SANDBOX_TOOLS),
      fc.constantFrom('seed', 'pascal', 'both'),
      (args, name, style) => {
        const shown = JSON.parse(payloadOf({ name, args }, 'env_1', style)).tool_call.args
        for (const argument of Object.keys(ARGUMENT_NAMES) as Argument[]) {
          const [seed, other] = ARGUMENT_NAMES[argument]
          let acted: string | undefined
          try {
            acted = optionalText(args, argument)
          } catch {
            // Two that differ, or no text: the tool refuses.
            continue
          }
          if (acted === undefined) continue
          const pascal = argument === 'path' ? PATH_NAMES[name] : other
          if (pascal === undefined) continue
          if (style !== 'pascal') assert.equal(shown[seed], acted)
          if (style !== 'seed') assert.equal(shown[pascal], acted)
        }
        // Nothing that the model gave is lost.
        const values = (of: object) => new Set(Object.values(of).filter((one) => one !== null))
        assert.deepEqual(values(shown), values(args))
      },
    ),
    { numRuns: 2_000 },
  )
})

test('only the exact object denies', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        anyJson.map((value) => JSON.stringify(value)),
        fc.string(),
      ),
      (text) => {
        let value: unknown
        try {
          value = JSON.parse(text)
        } catch {
          value = undefined
        }
        const object = typeof value === 'object' && value !== null && !Array.isArray(value)
        const denies = object && (value as { decision?: unknown }).decision === 'deny'
        assert.equal(readAnswer(text, {}).decision, denies ? 'deny' : 'allow')
      },
    ),
    RUNS,
  )
})

test('no pattern makes a matcher throw, and what cannot be compiled matches nothing', () => {
  const pattern = fc.oneof(
    fc.string(),
    fc
      .array(fc.constantFrom('a', '*', '+', '?', '(', ')', '[', ']', '|', '.', '\\', '{2}', '_file', '(?i)', '^'))
      .map((parts) => parts.join('')),
  )
  fc.assert(
    fc.property(pattern, (text) => {
      const matcher = compileMatcher(text)
      new MatcherFindings().of(matcher, {})
      if (matcher.broken !== undefined) assert.ok(!SANDBOX_TOOLS.some((tool) => matcher.matches(tool)))
    }),
    RUNS,
  )
  for (const text of [
    'a'.repeat(5_000),
    '[\\pL]{1000}',
    '(((.{10}){10}){10})',
    '.{1000}'.repeat(50),
    'a{99999999999999999999}',
  ])
    assert.ok(compileMatcher(text).broken, text)
  for (const text of ['a{2}b{1,20}', '\\w{9}', 'view_file|'.repeat(30)])
    assert.equal(compileMatcher(text).broken, undefined)
})

test('a file of costly matchers is soon read, and what was in reach still works', () => {
  const rule = (matcher: string) => ({ matcher, hooks: [{ type: 'command', command: 'x' }] })
  const costly = Array.from({ length: 5_000 }, (_, i) => rule(`(?i)[\\pL\\pN]{10}[\\pL\\pN]${'\\pL'.repeat(20)}${i}`))
  const rules = [...Array.from({ length: 200 }, () => rule('view_file|write_to_file')), ...costly]
  const { groups, findings } = readHookText(PLACE, JSON.stringify({ g: { pre_tool_execution: rules } }))
  const read = groups[0]!.rules.pre_tool_execution
  assert.ok(read.slice(0, 200).every(({ matcher }) => matcher.matches('view_file')))
  assert.match(read.at(-1)!.matcher.broken ?? '', /too many/)
  assert.equal(findings.length, 201)
  assert.deepEqual([findings.at(-1)!.id, findings.at(-1)!.weight], ['file.more', 'allows'])
})

test('what is large is soon read: texts of a megabyte', () => {
  for (const text of ['{'.repeat(1 << 20), `{"decision":"deny"} ${'{"a":'.repeat(200_000)}`, '{"a":1}'.repeat(100_000)])
    assert.equal(readAnswer(text, {}).decision, 'allow')
})
