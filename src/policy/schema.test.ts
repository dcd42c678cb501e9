import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { readJsonc } from '../core/jsonc.ts'
import { ACTS, FAMILIES, HOST_IDS, KEYS, LEVELS, MATCH_KEYS, PROFILES, RULE_KEYS, SETTINGS, ZONES } from './keys.ts'
import { loadPolicy } from './load.ts'

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: false
  readonly items?: Schema
  readonly oneOf?: readonly Schema[]
  readonly enum?: readonly string[]
  readonly const?: unknown
}

const schema: Schema = JSON.parse(read('schema/policy.schema.json'))
const keysOf = (part: Schema | undefined) => Object.keys(part?.properties ?? {}).sort()
const same = (found: readonly string[] | undefined, known: readonly string[], what: string) =>
  assert.deepEqual([...(found ?? [])].sort(), [...known].sort(), what)

test('the schema knows exactly the words that the loader knows', () => {
  const { properties } = schema
  same(keysOf(schema), KEYS, 'keys')
  same(properties?.['profile']?.enum, PROFILES, 'profiles')
  same(keysOf(properties?.['families']), FAMILIES, 'families')
  for (const family of FAMILIES) same(properties?.['families']?.properties?.[family]?.enum, LEVELS, family)
  for (const [name, kinds] of Object.entries(SETTINGS)) same(keysOf(properties?.[name]), Object.keys(kinds), name)
  same(keysOf(properties?.['hosts']), HOST_IDS, 'hosts')
  const rule = properties?.['rules']?.items
  same(keysOf(rule), RULE_KEYS, 'rule')
  same(keysOf(rule?.properties?.['match']), MATCH_KEYS, 'match')
  same(rule?.properties?.['match']?.properties?.['effect']?.enum, ACTS, 'acts')
  same(rule?.properties?.['match']?.properties?.['zone']?.enum, ZONES, 'zones')
  const allow = properties?.['allow']?.items?.oneOf ?? []
  assert.deepEqual(allow.map(keysOf), [[], ['command'], ['effect', 'target']])
  assert.equal(properties?.['v']?.const, 1)
})

test('no object of the schema takes keys that it does not know', () => {
  const open: string[] = []
  const walk = (part: Schema, at: string) => {
    if (part.properties && part.additionalProperties !== false) open.push(at)
    for (const [key, below] of Object.entries(part.properties ?? {})) walk(below, `${at}.${key}`)
    if (part.items) walk(part.items, `${at}[]`)
    for (const [i, below] of (part.oneOf ?? []).entries()) walk(below, `${at}|${i}`)
  }
  walk(schema, '')
  // An example's call may carry what the host sends.
  assert.deepEqual(open, ['.rules[].must[]|1', '.rules[].must_not[]|1'])
})

function load(text: string, layer: 'user' | 'project') {
  const asking = loadPolicy({ home: '/h', repo: '/r', env: {} })
  const file = layer === 'user' ? '/h/.config/sallyport/policy.jsonc' : '/r/.sallyport/policy.jsonc'
  let step = asking.next()
  while (!step.done) {
    const question = step.value
    step = asking.next(question.ask === 'text' && question.path === file ? { text, cut: false } : 'absent')
  }
  return step.value
}

const doc = read('docs/policy.md')
const examples = [...doc.matchAll(/^```jsonc( project)?\n([\s\S]*?)^```$/gm)]

test('every example of the documentation loads without an error and is used', () => {
  assert.ok(examples.length >= 6)
  const used = new Set<string>()
  for (const [, project, text] of examples) {
    const policy = load(text!, project ? 'project' : 'user')
    assert.deepEqual(policy.errors, [], text)
    const value = readJsonc(text!)
    assert.ok(value.ok)
    for (const key of Object.keys(value.value as object)) used.add(key)
  }
  // What the documentation tells of it also shows; `scope` comes from tickets.
  same(
    [...used],
    KEYS.filter((key) => key !== '$schema' && key !== 'scope'),
    'keys shown',
  )
})

test('the documentation names every key, family and profile', () => {
  for (const word of [...KEYS, ...FAMILIES, ...PROFILES]) assert.ok(doc.includes(`\`${word}\``), word)
})
