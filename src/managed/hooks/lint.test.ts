/** Every habit of `cases/managed/hooks-lint.json`: what lint says, and whether it silently allows. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import fc from 'fast-check'
import { refusedBy } from '../../cli/managed/reach.ts'
import type { Network } from '../contract.ts'
import { habitsOf } from './habits.ts'
import { type LintContext, lintHooks, type ScriptFile } from './lint.ts'
import { EVENTS } from './model.ts'
import type { ArgsStyle } from './payload.ts'

interface Case {
  readonly name: string
  readonly hooks_json: unknown
  readonly files: Readonly<Record<string, string | ScriptFile>>
  readonly context?: {
    readonly pinned?: boolean
    readonly argsStyle?: ArgsStyle
    readonly network?: { readonly is: Network | null }
  }
  /** Ids, sorted. */
  readonly finds: readonly string[]
  readonly says?: readonly string[]
  readonly exit: 0 | 1
}

const cases: readonly Case[] = JSON.parse(readFileSync('cases/managed/hooks-lint.json', 'utf8'))

const contextOf = ({ files, context = {} }: Pick<Case, 'files' | 'context'>): LintContext => ({
  pinned: context.pinned ?? false,
  argsStyle: context.argsStyle ?? 'seed',
  networkKnown: context.network !== undefined,
  refuses: (url) => refusedBy(context.network?.is ?? undefined, url),
  script(path) {
    const found = files[path]
    return found === undefined ? 'absent' : typeof found === 'string' ? { text: found, executable: true } : found
  },
})

for (const one of cases) {
  test(one.name, () => {
    const text = typeof one.hooks_json === 'string' ? one.hooks_json : JSON.stringify(one.hooks_json, undefined, 1)
    const { findings } = lintHooks({ path: '/.agents/hooks.json', bytes: Buffer.from(text) }, contextOf(one))
    const said = findings.map((found) => found.text).join('\n')
    assert.deepEqual(findings.map(({ id }) => id).sort(), one.finds, said)
    for (const word of one.says ?? []) assert.ok(said.includes(word), `${said} lacks ${word}`)
    assert.equal(Number(findings.some(({ weight }) => weight === 'allows')), one.exit)
    for (const found of findings) {
      assert.equal(found.file, '/.agents/hooks.json')
      assert.match(found.text, /^\S[^\n]*[^.\s]$/)
    }
  })
}

test('each answer to an open question that a file can show has its habit', () => {
  const named = new Set(cases.flatMap(({ name }) => /^(A\d+)/.exec(name)?.slice(1) ?? []))
  for (const n of [1, 3, 4, 5, 7, 15, 16, 17, 22, 26, 27, 30, 31, 32, 33, 34, 35, 36, 44, 45, 46])
    assert.ok(named.has(`A${n}`), `A${n}`)
})

test('a finding names the line', () => {
  const text = `{
  "gate": {
    "pre_tool_execution": [
      {
        "matcher": "*_file",
        "hooks": [
          { "type": "command", "command": "true", "timeout": 0 },
          { "type": "http",
            "url": "http://a.example.test/" }
        ]
      }
    ],
    "Stop": []
  }
}`
  const { findings } = lintHooks(
    { path: '/.agents/hooks.json', bytes: Buffer.from(text) },
    contextOf({ files: {}, context: { pinned: true } }),
  )
  const lines = Object.fromEntries(findings.map(({ id, line }) => [id, line]))
  assert.deepEqual(lines, { 'matcher.invalid': 4, 'handler.timeout': 7, 'http.url': 8, 'event.unknown': 13 })
})

test('no script makes lint throw, and long lines are soon read', () => {
  const piece = fc.constantFrom(
    ...['"deny"', 'exit', '(2)', '{', '}', '\n', 'args', '.get("', 'tool_input', '"decision"', ':', '"block"', '\r\n'],
    ...['print("x")', 'console.log(', "'", '#!/bin/sh', ' '],
  )
  fc.assert(
    fc.property(
      fc.array(piece).map((parts) => parts.join('')),
      fc.constantFrom(...EVENTS),
      (text, event) => {
        for (const style of ['seed', 'pascal', 'both'] as const)
          assert.ok(Array.isArray(habitsOf({ text, name: 'x.py' }, event, style, {})))
      },
    ),
  )
  for (const part of ['"deny" ', '{ tool_inpu ', '"deny"\n', 'echo ', '.get("', 'args["', 'decision: '])
    habitsOf({ text: part.repeat(100_000), name: 'x.sh' }, 'pre_tool_execution', 'seed', {})
})
