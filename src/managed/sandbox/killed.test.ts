/**
 * A runtime is killed at every stage of a start. The process of that stage is held still while the runtime dies, so that it
 * certainly outlives it, and then goes on: nothing may be left of the start.
 */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { lab } from './sandbox.testing.ts'

const RUNTIME = fileURLToPath(new URL('./runtime.testing.ts', import.meta.url))
/** Seconds that the programs sleep: what is left of them is known by it. */
const MARK = '9182736'

interface Seen {
  readonly pid: number
  readonly above: number
  readonly line: string
  readonly parent: string
}

/** A process that belongs to the stage, by its command line (words end with a blank) and that of its parent. */
const STAGES: readonly (readonly [name: string, is: (seen: Seen) => boolean])[] = [
  ['before the namespaces', ({ line }) => /^bash .* unshare /s.test(line)],
  ['making the namespaces', ({ line }) => line.startsWith('unshare ')],
  ['the first process of the namespaces', ({ line }) => /^bash .*mapped/s.test(line) && !line.includes('unshare')],
  ['setting the routes', ({ line }) => /^\/bin\/sh -c \nip link/.test(line)],
  ['opening the sockets', ({ line }) => /node -e \nconst net/.test(line)],
  ['before the program', ({ line }) => /^bash .* nsenter /s.test(line)],
  ['limiting the program', ({ line }) => line.startsWith('prlimit ')],
  ['entering the namespaces', ({ line }) => line.startsWith('nsenter ')],
  ['bwrap', ({ line, parent }) => line.startsWith('bwrap ') && !parent.startsWith('bwrap ')],
  ['the first process of bwrap', ({ line, parent }) => line.startsWith('bwrap ') && parent.startsWith('bwrap ')],
  [
    'becoming the user',
    ({ line }) => line.includes('setpriv --reuid') && !/^(?:bash|prlimit|nsenter|bwrap) /.test(line),
  ],
  ['the program', ({ line }) => line === `sleep ${MARK} `],
  ['the place of calls', ({ line }) => line.startsWith('/bin/bash --noprofile --norc -c \ncd /runtime/calls')],
]

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

const lineOf = (pid: number | string): string => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' ')

function* below(pid: number, parent: string): Generator<Seen> {
  for (const child of read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)) {
    const line = lineOf(child)
    yield { pid: child, above: pid, line, parent }
    yield* below(child, line)
  }
}

/**
 * What is left of a runtime on `directory`: one of these words is in the command line, the variables or the mounts of a process.
 */
function left(words: readonly string[]): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => !/^State:\s*[ZX]/m.test(read(`/proc/${pid}/status`)))
    .map((pid) => [pid, lineOf(pid), read(`/proc/${pid}/environ`), read(`/proc/${pid}/mountinfo`)] as const)
    .filter(([, ...texts]) => texts.some((text) => words.some((word) => text.includes(word))))
    .map(([pid, line]) => `${pid}: ${line.slice(0, 120)}`)
}

/** Kills a runtime while a process of the stage stands still. Whether the stage was met. */
async function killAt(t: TestContext, is: (seen: Seen) => boolean): Promise<boolean> {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-starts-'))
  const runtime = spawn(process.execPath, [RUNTIME, directory, MARK, 'starts'], { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => {
    runtime.kill('SIGKILL')
    rmSync(directory, { recursive: true, force: true })
  })
  await once(runtime.stdout, 'data')
  let held: Seen | undefined
  for (let tries = 0; tries < 6 && held === undefined; tries++) {
    runtime.stdin.write('\n')
    for (const end = Date.now() + 1500; Date.now() < end && held === undefined; ) {
      held = [...below(runtime.pid!, '')].find(is)
      if (held === undefined) await pause(0)
    }
  }
  if (held !== undefined) signal(held.pid, 'SIGSTOP')
  runtime.kill('SIGKILL')
  await once(runtime, 'exit')
  await pause(30)
  // `nsenter` stands still with what it started, as long as nobody wakes it too.
  if (held !== undefined) for (const pid of [held.pid, held.above]) signal(pid, 'SIGCONT')
  const words = [directory, `sleep ${MARK}`, `/proc/${runtime.pid}/fd/`]
  for (let tries = 0; left(words).length > 0 && tries < 100; tries++) await pause(50)
  assert.deepEqual(left(words), [])
  return held !== undefined
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // It has ended.
  }
}

for (const [name, is] of STAGES)
  test(`nothing is left of a start when the runtime is killed: ${name}`, async (t) => {
    if ((await lab(t)) === undefined) return
    if (!(await hasChildren())) return t.skip('not run: this kernel does not list the children of a process')
    if (name === 'becoming the user' && process.getuid?.() !== 0) return
    assert.equal(await killAt(t, is), true, 'the stage was met')
  })

async function hasChildren(): Promise<boolean> {
  const child = spawn('sleep', ['5'])
  await once(child, 'spawn')
  const listed = [...below(process.pid, '')].length > 0
  child.kill('SIGKILL')
  return listed
}
