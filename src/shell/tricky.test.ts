import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { concat, exact, showGlob, showValue, unknown, type Value } from '../core/value.ts'
import { expandFields, expandText } from './expand.ts'
import { parseShell } from './parse.ts'
import { type Given, run, TestShell } from './shell.testing.ts'
import { simpleCommands } from './walk.ts'

/** An exact text is a string; anything else says what it is. */
type Short =
  | string
  | { readonly glob: string }
  | { readonly unknown: string }
  | { readonly partly: string }
  | { readonly oneOf: readonly string[] }

interface Row extends Given {
  readonly name: string
  readonly line: string
  /** The words of every simple command, outermost and leftmost first. */
  readonly commands: readonly (readonly Short[])[]
}

const rows = JSON.parse(
  readFileSync(new URL('../../cases/shell/tricky.json', import.meta.url), 'utf8'),
) as readonly Row[]

const short = (value: Value): Short => {
  switch (value.is) {
    case 'exact':
      return value.text
    case 'glob':
      return { glob: showGlob(value.parts) }
    case 'unknown':
      return { unknown: value.why }
    case 'partly':
      return { partly: showValue(value) }
    case 'oneOf':
      return { oneOf: value.texts }
  }
}

function commandsOf(row: Row): Short[][] {
  const reading = parseShell(row.line)
  assert.equal(reading.status, 'complete', `${row.name}: ${JSON.stringify(reading.problems)}`)
  const shell = new TestShell(row)
  return simpleCommands(reading.script, row.line).map(({ simple, source }) => {
    const fields = run(expandFields(simple.words, shell, source))
    if (simple.words.length === 0)
      for (const assign of simple.assigns) {
        const value = assign.value ? run(expandText(assign.value, shell, source)) : unknown('variable')
        const old = shell.variables.get(assign.name) ?? exact('')
        shell.assign(assign.name, assign.append ? concat(old, value) : value)
      }
    return fields.map((field) => short(field.value))
  })
}

test('tricky commands give the words that bash would run', async (t) => {
  assert.ok(rows.length >= 200)
  assert.equal(new Set(rows.map((row) => row.name)).size, rows.length)
  for (const row of rows) await t.test(row.name, () => assert.deepEqual(commandsOf(row), row.commands, row.line))
})
