/** Reasons that name a command, its service and the machine say each word once. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gatheredIo } from '../../cli/io.testing.ts'
import { runProgram } from '../../cli/program.ts'

const ROWS: readonly { readonly command: string; readonly reason: string }[] = JSON.parse(
  readFileSync('cases/guard/sentences.json', 'utf8'),
)

for (const { command, reason } of ROWS)
  test(command, async () => {
    const io = gatheredIo(process.cwd(), { HOME: '/home/dev' })
    await runProgram('sallyport', ['explain', '--world', 'cases/worlds/repo.json', '--', command], io)
    const said = io.text
      .split('\n')
      .flatMap((line) => /^ {2}(?:deny|ask) +[a-z-]+\.[a-z-]+: (.*)$/.exec(line)?.[1] ?? [])
    assert.ok(said.includes(reason), `${io.errors}${said.join('\n')}`)
  })
