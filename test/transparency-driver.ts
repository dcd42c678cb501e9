/**
 * Runs each case bare and under `ctx run --raw`, on equal scratch trees at the same path, and prints what was seen of both
 * as one JSON line a case. Started inside a sandbox by `transparency.test.ts`.
 */
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { constants } from 'node:os'
import { join } from 'node:path'
import { setTimeout as after } from 'node:timers/promises'
import type { Case, Seen } from './transparency-case.ts'

/** Where a case runs, and what lies beside it: the pipes and the streams that were read. */
const PLACE = '/tmp/place'
const BESIDE = '/tmp/beside'
/** A case that takes longer hangs. */
const MOST_MS = 20_000
/** Readers of a pipe end when nobody holds it any more; those that do not are told. */
const READERS_MS = 6_000

const [, , casesFile = '', program = ''] = process.argv

for (const one of JSON.parse(readFileSync(casesFile, 'utf8')) as Case[]) {
  const line = ['/bin/bash', '-c', one.line ?? '']
  // What cannot be executed is a matter of the shell that was to start it.
  const shellStarts = one.argv !== undefined && one.otherWords !== undefined
  const bare = await seenOf(one, shellStarts ? ['/bin/bash', '-c', '"$@"', 'bash', ...one.argv] : (one.argv ?? line))
  const command = one.argv ?? (one.by === 'argv' ? line : [one.line ?? ''])
  const shell = one.argv === undefined && one.by !== 'argv' ? ['--shell'] : []
  const wrapped = await seenOf(one, [program, 'run', '--raw', ...shell, ...(one.flags ?? []), '--', ...command])
  process.stdout.write(`${JSON.stringify({ name: one.name, bare, wrapped })}\n`)
}

async function seenOf(one: Case, argv: readonly string[]): Promise<Seen> {
  for (const dir of [PLACE, BESIDE]) {
    spawnSync('chmod', ['-R', 'u+rwx', dir], { stdio: 'ignore' })
    rmSync(dir, { recursive: true, force: true })
    mkdirSync(dir)
  }
  writeFileSync(join(PLACE, 'a.txt'), 'alpha\nbeta\ngamma\n')
  writeFileSync(join(PLACE, 'b.txt'), 'one\r\ntwo\r\n')
  mkdirSync(join(PLACE, 'sub dir'))
  writeFileSync(join(PLACE, 'sub dir', 'c.sh'), '#!/bin/sh\necho "in $0 with $*"\n', { mode: 0o755 })
  const prepared = one.prepare === undefined ? 0 : spawnSync('bash', ['-c', one.prepare], { cwd: PLACE }).status
  if (prepared !== 0) throw new Error(`${one.name}: its preparation failed`)
  return one.terminal ? onTerminal(one, argv) : throughPipes(one, argv)
}

async function throughPipes(one: Case, argv: readonly string[]): Promise<Seen> {
  const fifos = (one.merged ? ['out'] : ['out', 'err']).map((name) => join(BESIDE, name))
  spawnSync('mkfifo', fifos)
  const readers = fifos.map((fifo) => {
    const to = openSync(`${fifo}.seen`, 'w')
    const command = one.reader !== undefined && fifo.endsWith('out') ? one.reader : 'cat'
    const reader = spawn('bash', ['-c', `exec <"$1"; ${command}`, 'bash', fifo], { stdio: ['ignore', to, 'ignore'] })
    closeSync(to)
    return new Promise<boolean>((resolve) => reader.once('exit', () => resolve(true)))
  })
  const [out = 1, err = out] = fifos.map((fifo) => openSync(fifo, 'w'))
  const input = join(BESIDE, 'in')
  writeFileSync(input, Buffer.from(one.stdin ?? '', 'latin1'))
  const stdin = one.stdin === undefined ? 'ignore' : openSync(input, 'r')
  const child = spawn(argv[0]!, argv.slice(1), {
    cwd: PLACE,
    env: environment(one),
    stdio: [stdin, out, err],
    detached: true,
  })
  for (const fd of new Set([out, err])) closeSync(fd)
  if (typeof stdin === 'number') closeSync(stdin)
  const exit = await endOf(child, one.signal)
  const late = after(READERS_MS, false)
  const closed = await Promise.all(readers.map((reader) => Promise.race([reader, late])))
  const read = (name: string) => (existsSync(name) ? readFileSync(name, 'latin1') : '')
  return {
    exit,
    stdout: read(join(BESIDE, 'out.seen')),
    stderr: read(join(BESIDE, 'err.seen')),
    closed: closed.every(Boolean),
    tree: treeOf(),
  }
}

/** On a terminal that `script` makes, with keys that are typed when the file `ready` is there. */
async function onTerminal(one: Case, argv: readonly string[]): Promise<Seen> {
  const line = argv.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const child = spawn('script', ['-q', '-e', '-f', '-c', line, '/dev/null'], {
    cwd: PLACE,
    env: environment(one),
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  const parts: Buffer[] = []
  child.stdout!.on('data', (part: Buffer) => parts.push(part))
  child.stdin!.on('error', () => {})
  void ready().then(() => child.stdin!.write(Buffer.from(one.keys ?? '', 'latin1')))
  const exit = await endOf(child, undefined)
  return { exit, stdout: Buffer.concat(parts).toString('latin1'), stderr: '', closed: true, tree: treeOf() }
}

async function ready(): Promise<void> {
  for (let left = MOST_MS; left > 0 && !existsSync(join(PLACE, 'ready')); left -= 20) await after(20)
}

/** The status as a shell would give it. A signal of the case is sent when the file `ready` is there. */
async function endOf(child: ReturnType<typeof spawn>, signal: string | undefined): Promise<number | 'hangs'> {
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code, by) => resolve(by === null ? (code ?? 0) : 128 + constants.signals[by]))
    child.once('error', () => resolve(127))
  })
  if (signal !== undefined && child.pid !== undefined) {
    await ready()
    // As a terminal and a host do it: to the whole group.
    process.kill(-child.pid, signal)
  }
  const exit = await Promise.race([ended, after(MOST_MS, 'hangs' as const)])
  if (exit === 'hangs') child.kill('SIGKILL')
  return exit
}

function environment(one: Case): Record<string, string> {
  return {
    PATH: process.env['PATH'] ?? '',
    HOME: '/tmp/home',
    LANG: 'C.UTF-8',
    SHELL: '/bin/bash',
    TERM: 'dumb',
    XDG_STATE_HOME: '/tmp/state',
    ...one.env,
  }
}

/** Names, kinds, modes, sizes and contents of the place, in order. */
function treeOf(): string {
  const list = `find . -printf '%p %y %m %l\\n' | sort; find . -type f ! -name ready -print0 | sort -z | xargs -0 -r sha256sum`
  return spawnSync('bash', ['-c', list], { cwd: PLACE, encoding: 'latin1' }).stdout
}
