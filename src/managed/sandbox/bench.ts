/**
 * Where the calls of an agent run one after another: one sandbox whose programs see each other, so that what a call left
 * running can be asked, and ended, by a later one. Everything in it ends together.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, mkdirSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Exit, Program, Running } from './driver.ts'
import { CALLS_INSIDE } from './layout.ts'

/**
 * Reads the number of a call a line, starts it with pipes of its own, and says when these are open and how it ended: by a
 * status, or by a signal, which `setsid` tells apart (a shell does not) and a program can lie about for itself alone. Behind the output of the program it writes the call's
 * mark into both. It is spoken to over descriptor 6: what a program of the same user could open through `/proc`, its own stdout
 * say, is listened to by nobody.
 */
export const BENCH = `
cd ${CALLS_INSIDE}
exec < /dev/null > /dev/null 2>&1
while IFS= read -r call <&6; do
  (
    mapfile -d '' -t words < "$call/words"
    mapfile -d '' -t variables < "$call/variables"
    IFS= read -r mark < "$call/mark"
    exec 7< "$call/input" 8> "$call/out" 9> "$call/err"
    echo "open $call" >&6
    run=(/usr/bin/env -i --default-signal=INT,QUIT "\${variables[@]}" "\${words[@]:1}")
    cd -- "\${words[0]}" 2>&9 &&
      how=$(exec /usr/bin/setsid --fork --wait /bin/sh -c 'exec "$@" 0<&7 1>&8 2>&9 7<&- 8>&- 9>&-' sh "\${run[@]}" 2>&1 6<&-)
    status=$?
    [[ $how != *' did not exit normally'* ]] || status=signal-$((status & 127))
    printf %s "$mark" >&8
    printf %s "$mark" >&9
    echo "end $call $status" >&6
  ) &
done
`

/** Milliseconds until a bench that starts no call any more is given up. */
const OPENS_WITHIN = 15_000
const READ = constants.O_RDONLY | constants.O_NONBLOCK

interface Waiting {
  opened(): void
  ended(exit: Exit): void
}

export class Bench {
  readonly #running: Running
  readonly #directory: string
  readonly #waiting = new Map<string, Waiting>()
  #count = 0
  #active = 0
  #closed = false

  /** `running`: a sandbox in which `BENCH` runs; `directory`: what it sees as the place of calls. */
  constructor(running: Running, directory: string) {
    this.#running = running
    this.#directory = directory
    mkdirSync(directory, { recursive: true, mode: 0o755 })
    let text = ''
    running.control!.on('data', (chunk: Buffer) => {
      const lines = (text + chunk.toString('latin1')).split('\n')
      text = lines.pop()!.slice(0, 100)
      for (const line of lines) this.#heard(line)
    })
    for (const stream of [running.stdout, running.stderr]) stream.resume()
    void running.gone.then(() => {
      this.#closed = true
      for (const one of this.#waiting.values()) one.ended({})
      rmSync(directory, { recursive: true, force: true })
    })
  }

  /** Whether it can take a call now. */
  get free(): boolean {
    return !this.#closed && this.#active === 0
  }

  get gone(): Promise<void> {
    return this.#running.gone
  }

  kill(): void {
    this.#closed = true
    this.#running.kill()
  }

  /** Starts a program in it. Undefined where the bench does not take it, and is gone then. */
  async call(program: Program, mark: string): Promise<Running | undefined> {
    const call = String(++this.#count)
    this.#active++
    const directory = join(this.#directory, call)
    let end: (exit: Exit) => void = () => {}
    const ended = new Promise<Exit>((resolve) => {
      end = resolve
    }).finally(() => {
      this.#active--
      this.#waiting.delete(call)
    })
    const pipes: number[] = []
    try {
      await writeCall(directory, program, mark)
      for (const name of ['out', 'err']) pipes.push(openSync(join(directory, name), READ))
      const opened = await new Promise<boolean>((resolve) => {
        this.#waiting.set(call, {
          opened: () => resolve(true),
          ended: (exit) => {
            end(exit)
            resolve(false)
          },
        })
        setTimeout(resolve, OPENS_WITHIN, false).unref()
        if (this.#closed) resolve(false)
        else this.#running.control!.write(`${call}\n`)
      })
      if (!opened) throw new Error('the call was not taken')
    } catch {
      for (const pipe of pipes) closeSync(pipe)
      this.kill()
      end({})
      return undefined
    } finally {
      rmSync(directory, { recursive: true, force: true })
    }
    const [stdout, stderr] = pipes.map((fd) => new Socket({ fd, readable: true, writable: false }))
    return { ...this.#running, stdout: stdout!, stderr: stderr!, mark, ended, kill: () => this.kill() }
  }

  #heard(line: string): void {
    const [word, call = '', status = ''] = line.split(' ')
    const waiting = this.#waiting.get(call)
    if (word === 'open') waiting?.opened()
    if (word !== 'end') return
    const signal = /^signal-(\d+)$/.exec(status)?.[1]
    waiting?.ended(signal === undefined ? { status: Number(status) } : { signal: Number(signal) })
  }
}

/** Everything that the bench has to know of a call, in files that it may only read, and the pipes for what it says. */
async function writeCall(directory: string, program: Program, mark: string): Promise<void> {
  mkdirSync(directory, { mode: 0o755 })
  const variables = Object.entries(program.env).map(([name, value]) => `${name}=${value}`)
  const listed = (words: readonly string[]) => words.map((word) => `${word}\0`).join('')
  const files = { words: listed([program.cwd, ...program.argv]), variables: listed(variables), mark: `${mark}\n` }
  for (const [name, content] of Object.entries({ ...files, input: program.input }))
    writeFileSync(join(directory, name), content, { mode: 0o644 })
  // Others may write into them: only those inside can reach them.
  await promisify(execFile)('mkfifo', ['-m', '666', 'out', 'err'], { cwd: directory })
}
