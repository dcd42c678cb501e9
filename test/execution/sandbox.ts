/**
 * Runs shell text where it can do no harm: bubblewrap with no network, no environment, nothing of this machine but its
 * programs (read only), and a home directory in memory that is made anew for each run.
 */
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type Entry, readTar } from './tar.ts'
import { absolute, BEFORE, DIRTY, HOME, PLACES, type Place, ROOT } from './tree.ts'

export type Snapshot = ReadonlyMap<string, Entry>

/** Seconds of one call: the longest honest one takes well under one. */
const CALL_SECONDS = 8
/** The whole run, should the limits within fail. */
const RUN_MS = 60_000
/** Bytes of home and of temp: some hundred times what the tree holds. */
const MOST_BYTES = 64 << 20
/** Bytes that one file may have, in blocks of 1024, and seconds of processor time of one process. */
const LIMITS = 'ulimit -f 16384 -t 10 -c 0'

export const PATH = '/opt/node/bin:/usr/bin:/bin'

/** The environment of every call, as the guard is told, too. */
export const ENVIRONMENT: Readonly<Record<string, string>> = {
  HOME,
  USER: 'dev',
  LOGNAME: 'dev',
  SHELL: '/bin/bash',
  LANG: 'C.UTF-8',
  PATH,
}

export interface Sandbox {
  /** The tree that every run starts from. */
  readonly start: Snapshot
  /** Runs calls one after the other in one fresh tree; the tree after each. */
  run(calls: readonly string[]): Promise<readonly Snapshot[]>
  /** Runs each call in a fresh tree of its own under strace; what it wrote of the system calls named. */
  traced(calls: readonly string[], named: string): Promise<readonly string[]>
  close(): void
}

/** A directory of the system as it is here: a directory, or the link that stands for it. */
function systemDirs(): string[] {
  return ['/bin', '/sbin', '/lib', '/lib64', '/lib32'].flatMap((path) => {
    if (!existsSync(path)) return []
    return lstatSync(path).isSymbolicLink() ? ['--symlink', readlinkSync(path), path] : ['--ro-bind', path, path]
  })
}

function wrapperOf(dir: string): string[] {
  const etc = ['alternatives', 'ld.so.cache', 'ld.so.conf', 'ld.so.conf.d', 'python3', 'perl'].map(
    (name) => `/etc/${name}`,
  )
  return [
    ...['--unshare-all', '--die-with-parent', '--new-session', '--uid', '1000', '--gid', '1000', '--clearenv'],
    ...['--hostname', 'sandbox', '--ro-bind', '/usr', '/usr', ...systemDirs()],
    ...etc.flatMap((path) => (existsSync(path) ? ['--ro-bind', path, path] : [])),
    ...['--ro-bind', join(dir, 'passwd'), '/etc/passwd', '--ro-bind', process.execPath, '/opt/node/bin/node'],
    ...['--proc', '/proc', '--dev', '/dev', '--size', String(MOST_BYTES), '--tmpfs', '/tmp'],
    ...['--size', String(MOST_BYTES), '--tmpfs', HOME, '--ro-bind', dir, '/seed', '--remount-ro', '/', '--chdir', '/'],
    ...Object.entries(ENVIRONMENT).flatMap(([name, value]) => ['--setenv', name, value]),
  ]
}

/** Why there can be no sandbox on this machine (no user namespaces, say), or undefined where there can. */
export function canRun(): string | undefined {
  const tried = spawnSync('bwrap', ['--unshare-all', '--uid', '1000', '--ro-bind', '/', '/', 'true'], {
    encoding: 'utf8',
    timeout: RUN_MS,
  })
  return tried.status === 0 ? undefined : (tried.error?.message ?? tried.stderr.trim())
}

/** Runs a script in the sandbox; its standard output. Standard error is kept for the error of a failed run only. */
function bubblewrap(dir: string, args: readonly string[], input?: Buffer): Promise<Buffer> {
  return new Promise((done, fail) => {
    const child = spawn('bwrap', [...wrapperOf(dir), '--', ...args], {
      stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
      env: { PATH: process.env['PATH'] },
      timeout: RUN_MS,
      killSignal: 'SIGKILL',
    })
    const out: Buffer[] = []
    let err = ''
    child.stdout!.on('data', (part: Buffer) => out.push(part))
    child.stderr!.on('data', (part: Buffer) => {
      if (err.length < 2_000) err += part.toString()
    })
    child.on('error', fail)
    child.on('close', (code) => {
      if (code === 0) done(Buffer.concat(out))
      else fail(new Error(`the sandbox ended with ${code}: ${err.slice(0, 2_000)}`))
    })
    child.stdin?.end(input)
  })
}

/** Where the archive waits for its length to be known: no call looks there. */
const WAITING = '/dev/shm/.tree'

/** The trees of home and temp as an archive, with its length before it. */
const DUMP = `tar -C / --sort=name --format=gnu -cf ${WAITING} ${HOME.slice(1)} tmp 2>/dev/null
stat -c %s ${WAITING}; cat ${WAITING}; rm -f ${WAITING}`

/** Each call gets a process group of its own that has ended, with all of its children, before the tree is looked at. */
const DRIVER = `
tar -C / -xpf /seed/start.tar || exit 9
for call in "$@"; do
  ( cd ${ROOT} && ${LIMITS} && exec timeout -s KILL ${CALL_SECONDS} bash -c "$call" ) </dev/null >/dev/null 2>&1
  for pid in /proc/[0-9]*; do
    pid=\${pid#/proc/}
    [ "$pid" -gt 2 ] && [ "$pid" != $$ ] && kill -9 "$pid" 2>/dev/null
  done
  chmod -f u+rwx ${HOME} ${ROOT}
  ${DUMP}
done
exit 0
`

/** Where the trace lies until it is printed: no call looks there. */
const TRACE = '/dev/shm/.trace'

const TRACER = `
named=$1; shift
for call in "$@"; do
  rm -rf ${HOME}/* ${HOME}/.[!.]* /tmp/* /tmp/.[!.]* ${TRACE}; tar -C / -xpf /seed/start.tar || exit 9
  ( cd ${ROOT} && ${LIMITS} && exec timeout -s KILL ${CALL_SECONDS} strace -f -qq -y -s 4096 -e signal=none -e trace="$named" -o ${TRACE} bash -c "$call" ) </dev/null >/dev/null 2>&1
  for pid in /proc/[0-9]*; do
    pid=\${pid#/proc/}
    [ "$pid" -gt 2 ] && [ "$pid" != $$ ] && kill -9 "$pid" 2>/dev/null
  done
  cat ${TRACE} 2>/dev/null; printf '\\0'
done
exit 0
`

const HISTORY = `
cd ${ROOT} || exit 9
git init -q -b main . && git config user.name dev && git config user.email dev@example.invalid || exit 9
find .git/hooks -name '*.sample' -delete
git add -A && git commit -q -m one || exit 9`

const REST = `
cd ${ROOT} && git add -A && git commit -q -m two || exit 9
git checkout -q -b side && echo 'export const b = 3' > lib/b.ts && git commit -q -a -m side && git checkout -q main || exit 9
git gc -q && rm -rf .git/logs .git/info || exit 9
printf %s "$1" > ${DIRTY.path}
mkdir -p build && cd build || exit 9
mkdir -p .s/src/core .s/lib && echo packed > .s/src/core/rates.ts && echo packed > .s/lib/a.ts
tar -C .s -cf rail.tar src lib && tar -C .s -cf free.tar lib && ( cd .s && zip -qr ../rail.zip src lib && zip -qr ../free.zip lib )
rm -rf .s
printf '%s\\n' '--- a/src/core/rates.ts' '+++ b/src/core/rates.ts' '@@ -1,2 +1,2 @@' '-export const rate = 7' '+export const rate = 8' ' export const base = 100' > rail.patch
printf '%s\\n' '--- a/lib/a.ts' '+++ b/lib/a.ts' '@@ -1 +1 @@' '-export const a = 1' '+export const a = 9' > free.patch
for one in rail free; do
  file=$(sed -n 's,^--- a/,,p' $one.patch)
  { echo "diff --git a/$file b/$file"; cat $one.patch; } > $one-git.patch
  { printf '%s\\n' 'From 0123456789012345678901234567890123456789 Mon Sep 17 00:00:00 2001' 'From: a <a@example.invalid>' 'Date: Mon, 1 Jan 2024 00:00:00 +0000' 'Subject: [PATCH] change' '' '---'; cat $one-git.patch; } > $one.mbox
done
cd / && tar -C / --sort=name --format=gnu -cf - ${HOME.slice(1)} tmp
`

/** Lays the scratch tree out and makes its history, all of it in the sandbox. Throws where there can be no sandbox. */
export async function openSandbox(): Promise<Sandbox> {
  const dir = mkdtempSync(join(tmpdir(), 'execution-'))
  try {
    writeFileSync(join(dir, 'passwd'), `root:x:0:0::/root:/bin/sh\ndev:x:1000:1000::${HOME}:/bin/bash\n`)
    const now = layOut(PLACES.filter(({ path }) => path in BEFORE))
    const script = [
      layOut(PLACES.map((place) => ({ ...place, content: BEFORE[place.path] ?? place.content }))),
      HISTORY,
      now,
      REST,
    ]
    const made = await bubblewrap(dir, ['bash', '-c', script.join('\n'), 'make', DIRTY.content])
    writeFileSync(join(dir, 'start.tar'), made)
    return {
      start: readTar(made, ''),
      async run(calls) {
        const bytes = await bubblewrap(dir, ['bash', '-c', DRIVER, 'driver', ...calls])
        return snapshots(bytes, calls.length)
      },
      async traced(calls, named) {
        const bytes = await bubblewrap(dir, ['bash', '-c', TRACER, 'tracer', named, ...calls])
        return bytes.toString('latin1').split('\0').slice(0, calls.length)
      },
      close: () => rmSync(dir, { recursive: true, force: true }),
    }
  } catch (error) {
    rmSync(dir, { recursive: true, force: true })
    throw error
  }
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** Shell text that writes these places. */
function layOut(places: readonly Place[]): string {
  const lines: string[] = ['umask 022']
  const put = (path: string, content: string) => {
    lines.push(`mkdir -p ${quoted(dirname(path))} && printf %s ${quoted(content)} > ${quoted(path)}`)
  }
  for (const { path, content, link, mode } of places) {
    const at = absolute(path)
    if (link !== undefined) {
      lines.push(`mkdir -p ${quoted(dirname(at))} && ln -s ${quoted(link)} ${quoted(at)}`)
      continue
    }
    put(at, content)
    if (mode !== undefined) lines.push(`chmod ${mode} ${quoted(at)}`)
  }
  return lines.join('\n')
}

function snapshots(bytes: Buffer, count: number): Snapshot[] {
  const out: Snapshot[] = []
  let at = 0
  for (let i = 0; i < count; i++) {
    const end = bytes.indexOf(10, at)
    const size = Number(bytes.subarray(at, end).toString())
    if (end < 0 || !Number.isInteger(size)) throw new Error('the sandbox gave no tree')
    out.push(readTar(bytes.subarray(end + 1, end + 1 + size), ''))
    at = end + 1 + size
  }
  return out
}
