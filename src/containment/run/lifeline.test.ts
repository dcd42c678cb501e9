/** What was started dies with whoever started it, also where it could not tell any more what that was. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { alive, scratch, until } from './run.testing.ts'

/** Starts a child with the pipes of a lifeline, and is killed as soon as it has told nothing, its group, or that all is well. */
const PROGRAM = `
import { spawn } from 'node:child_process'
import { startLifeline } from ${JSON.stringify(new URL('lifeline.ts', import.meta.url).href)}
const line = await startLifeline(2, process.env)
const [out, err] = line.pipes
const child = spawn('sh', ['-c', 'echo $$ > pid; exec sleep 60'], { stdio: ['ignore', out.write, err.write], detached: true })
if (process.argv[1] !== 'nothing') line.guard(process.argv[1] === 'tree' ? 'tree' : 'group', child.pid)
if (process.argv[1] === 'released') line.release()
console.log('told')
setInterval(() => {}, 1000)
`

for (const [told, dies] of [
  ['nothing', true],
  ['group', true],
  ['tree', true],
  ['released', false],
] as const)
  test(`a child of one that told ${told} ${dies ? 'dies' : 'lives on'}`, async (t) => {
    if (told === 'nothing' && !existsSync('/proc/self/fd')) return t.skip('there is no /proc')
    const place = scratch(t)
    const starter = spawn(process.execPath, ['--input-type=module-typescript', '-e', PROGRAM, told], {
      cwd: place.dir,
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    await new Promise((resolve) => starter.stdout.once('data', resolve))
    const file = join(place.dir, 'pid')
    assert.ok(await until(() => existsSync(file) && readFileSync(file, 'utf8').endsWith('\n')))
    const pid = Number(readFileSync(file, 'utf8'))
    starter.kill('SIGKILL')
    if (dies) assert.ok(await until(() => !alive(pid), 20_000))
    else {
      await new Promise((resolve) => setTimeout(resolve, 700))
      assert.ok(alive(pid))
      process.kill(pid, 'SIGKILL')
    }
  })
