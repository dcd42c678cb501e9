import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, describe, test } from 'node:test'
import { gatheredIo } from '../io.testing.ts'
import { EXIT } from '../io.ts'
import { doctorVerb } from './doctor.ts'

const scratch = mkdtempSync(join(tmpdir(), 'doctor-'))
after(() => rmSync(scratch, { recursive: true, force: true }))

/** A home whose Claude Code is wired, or nothing. */
function place(wired: boolean) {
  const home = mkdtempSync(join(scratch, 'h'))
  mkdirSync(join(home, '.claude'))
  // Nothing is started of a command that a shell would expand.
  const command = '"$HOME"/dist/hook.cjs claude PreToolUse'
  const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
  writeFileSync(join(home, '.claude/settings.json'), JSON.stringify(wired ? { hooks } : {}))
  return gatheredIo(home, { HOME: home, PATH: '' })
}

/** Whether Claude Code is wired, the hosts that are asked about, the lines that tell what is not, and of the summary. */
const rows: readonly (readonly [wired: boolean, host: string | undefined, lines: readonly string[], names: string])[] =
  [
    [false, undefined, ['no host is wired; run sallyport setup'], '1 problem: no host is wired'],
    [true, undefined, [], 'no problems'],
    [true, 'claude', [], 'no problems'],
    [true, 'codex', ['Codex CLI is not wired; run sallyport setup --host codex'], '1 problem: Codex CLI is not wired'],
    [
      true,
      'claude,codex,kiro',
      [
        'Codex CLI is not wired; run sallyport setup --host codex',
        'Kiro is not wired; run sallyport setup --host kiro',
      ],
      '2 problems: Codex CLI is not wired, Kiro is not wired',
    ],
    [
      false,
      'vscode',
      ['VS Code is not wired; run sallyport setup --scope project --host vscode'],
      '1 problem: VS Code is not wired',
    ],
  ]

test('a hook that was wired by hand by its name alone is found on the PATH of the shell, with a warning', async () => {
  const io = place(true)
  const home = io.cwd
  const settings = join(home, '.claude/settings.json')
  const command = 'sallyport hook claude PreToolUse'
  const hooks = { PreToolUse: [{ matcher: '*', hooks: [{ type: 'command', command }] }] }
  writeFileSync(settings, JSON.stringify({ hooks }))
  mkdirSync(join(home, 'bin'))
  const program = `exec '${process.execPath}' '${resolve('bin/sallyport.js')}' "$@"`
  writeFileSync(join(home, 'bin/sallyport'), `#!/bin/sh\n${program}\n`, { mode: 0o755 })
  const rich = gatheredIo(home, { ...io.env, PATH: `${home}/bin:/usr/bin:/bin` })
  const code = await doctorVerb({ static: true }, rich, 'sallyport')
  assert.match(
    rich.text,
    /warn canary: the hook for PreToolUse answers .* with the PATH of this shell, and not without/,
  )
  assert.equal(code, EXIT.ok)
  const poor = gatheredIo(home, { ...io.env, PATH: '/usr/bin:/bin' })
  assert.equal(await doctorVerb({ static: true }, poor, 'sallyport'), EXIT.problem)
  assert.match(poor.text, /FAIL canary: the hook for PreToolUse gives no answer: it ended with 127/)
})

describe('doctor names the hosts that are not wired', () => {
  for (const [wired, host, lines, names] of rows)
    test(`${wired ? 'Claude Code is wired' : 'nothing is wired'}, asked about ${host ?? 'all'}`, async () => {
      const asked = host === undefined ? {} : { host }
      const io = place(wired)
      const code = await doctorVerb({ static: true, ...asked }, io, 'sallyport')
      assert.deepEqual(io.text.match(/^.*; run sallyport setup.*$/gm) ?? [], lines, io.text)
      assert.ok(io.text.trimEnd().split('\n').at(-1)!.startsWith(`${names}; `), io.text)
      assert.equal(code, lines.length > 0 ? EXIT.problem : EXIT.ok)
      const json = place(wired)
      await doctorVerb({ static: true, json: true, ...asked }, json, 'sallyport')
      const told = JSON.parse(json.text) as { ok: boolean; unwired?: readonly string[] }
      const ids = host?.split(',').filter((id) => lines.some((line) => line.endsWith(`--host ${id}`))) ?? []
      assert.deepEqual([told.ok, told.unwired ?? []], [lines.length === 0, ids])
    })
})
