/** Programs that try to get out, each beside a control that shows that the attempt itself works where nothing stops it. */
import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { need } from '../../../test/need.ts'
import { lab } from './sandbox.testing.ts'

const SECRET = 'host-secret-1f3a'

/** A directory of the host with a secret, a UNIX socket, an abstract one and a TCP port, all of which answer the host. */
async function host(t: TestContext) {
  const directory = mkdtempSync(join(tmpdir(), 'sallyport-host-'))
  writeFileSync(join(directory, 'secret'), SECRET)
  mkdirSync(join(directory, 'drop'))
  const abstract = `sallyport-test-${process.pid}`
  const servers = [join(directory, 'sock'), `\0${abstract}`, { host: '127.0.0.1', port: 0 }].map((at) => {
    const server = createServer((socket) => socket.end(SECRET))
    server.listen(at as never)
    return server
  })
  await Promise.all(servers.map((server) => new Promise((resolve) => server.once('listening', resolve))))
  t.after(() => {
    for (const server of servers) server.close()
    rmSync(directory, { recursive: true, force: true })
  })
  return { directory, abstract, port: (servers[2]!.address() as { port: number }).port }
}

type Host = Awaited<ReturnType<typeof host>>

const CONNECT = (family: string, address: string) =>
  `python3 -c "import socket; s=socket.socket(socket.${family}); s.settimeout(5); s.connect(${address}); print(s.recv(99).decode())"`
/** A system call by its number on this machine; prints its errno, 0 where it succeeded. */
const CALL = (number: number, ...args: (number | string)[]) =>
  `python3 -c "import ctypes; c=ctypes.CDLL(None, use_errno=True); r=c.syscall(${[number, ...args].join(',')}); print('errno', ctypes.get_errno() if r < 0 else 0)"`
const x64 = process.arch === 'x64'

interface Attempt {
  readonly name: string
  /** Code of bash in the sandbox. */
  readonly attack: (host: Host) => string
  /** Must not be in what the attack says. */
  readonly never?: RegExp
  /** Must be in it. */
  readonly says?: RegExp
  /** The same means where nothing stops them, in the sandbox (`control`) or on the host (`onHost`). */
  readonly control?: readonly [code: string, says: RegExp]
  readonly onHost?: (host: Host) => readonly [program: string, args: readonly string[], says: RegExp]
}

const ATTEMPTS: readonly Attempt[] = [
  {
    name: 'reads a file of the host',
    attack: ({ directory }) => `cat ${directory}/secret`,
    never: new RegExp(SECRET),
    says: /No such file/,
    onHost: ({ directory }) => ['cat', [join(directory, 'secret')], new RegExp(SECRET)],
  },
  {
    name: 'looks for the home, the state and the environment of the runtime',
    attack: () =>
      'ls -d /root/.[a-z]* /home/*; ls /var/lib /etc/shadow /etc/ssh; cat /proc/[0-9]*/environ | tr "\\0" "\\n"',
    never: /SALLYPORT_SECRET|shadow$|\.ssh|dpkg/m,
    says: /\/home\/agent/,
  },
  {
    name: 'looks through the roots of all processes',
    attack: ({ directory }) =>
      `for p in /proc/[0-9]*; do cat $p/root${directory}/secret $p/cwd/../../..${directory}/secret; done; ls /proc | grep -c '^[0-9]'`,
    never: new RegExp(SECRET),
    says: /^\d$/m,
  },
  {
    name: 'signals the runtime',
    attack: () => `kill -9 ${process.pid}; kill -9 -1; echo still`,
    never: /nothing/,
    control: ['sleep 60 & kill -9 $!; wait $!; echo $?', /137/],
  },
  {
    name: 'writes to the system',
    attack: () =>
      'for d in /usr /usr/bin /bin /lib /etc /runtime /runtime/bin; do echo x > $d/planted && echo wrote $d; done; rm -f /bin/sh /runtime/bin/node && echo removed; mv /usr /usr2 && echo moved',
    never: /wrote|removed|moved/,
    says: /Read-only file system/,
    control: ['echo x > /opt/planted && echo wrote', /wrote/],
  },
  {
    name: 'writes to the kernel',
    attack: () =>
      'for f in $(find /proc -path "/proc/[0-9]*" -prune -o -writable -print -o -name kpagecount -print) /proc/sysrq-trigger /proc/sys/kernel/core_pattern; do (exec 9<>$f) 2>&1 && echo opened $f; done; ls /sys/kernel /sys/fs',
    never: /opened/,
    says: /Permission denied/,
    control: ['echo 500 > /proc/self/oom_score_adj && echo wrote', /wrote/],
  },
  {
    name: 'mounts',
    attack: () => CALL(x64 ? 165 : 40, "b'none'", "b'/mnt'", "b'tmpfs'", 0, 0),
    says: /errno 1$/m,
    control: [CALL(x64 ? 39 : 172), /errno 0/],
  },
  {
    name: 'makes a user namespace',
    attack: () =>
      `unshare -Ur id; ${CALL(x64 ? 272 : 97, 0x10000000)}; ${CALL(x64 ? 56 : 220, 0x10000011, 0, 0, 0, 0)}; ${CALL(435, 0, 0)}`,
    never: /uid=0/,
    says: /errno 1\nerrno 1\nerrno 38/,
    onHost: () => ['unshare', ['-Ur', 'id'], /uid=0/],
  },
  {
    name: 'traces a process',
    attack: () => CALL(x64 ? 101 : 117, 0, 0, 0, 0),
    says: /errno 1$/m,
    onHost: () => ['python3', ['-c', "import ctypes; print('errno', ctypes.CDLL(None).ptrace(0,0,0,0))"], /errno 0/],
  },
  {
    name: 'types into a terminal',
    attack: () => `python3 -c "import pty,fcntl; m,s=pty.openpty(); fcntl.ioctl(s, 0x5412, b'x')"`,
    says: /PermissionError|Operation not permitted/,
    control: [
      `python3 -c "import pty,fcntl; m,s=pty.openpty(); fcntl.ioctl(s, 0x5413, b'12345678'); print('asked')"`,
      /asked/,
    ],
  },
  {
    name: 'opens sockets that see packets, machines or the kernel',
    attack: () => `python3 -c "
import socket
for f in (17, 40, 38, 16):
    try: socket.socket(f, 3 if f != 38 else 5, 12 if f == 16 else 0); print('open', f)
    except OSError as e: print('refused', f)"`,
    never: /open/,
    says: /refused 17\nrefused 40\nrefused 38\nrefused 16/,
    control: [
      `python3 -c "import socket; socket.socket(socket.AF_INET6); socket.socket(16, 3, 0); print('open')"`,
      /open/,
    ],
  },
  {
    name: 'uses the keys of the host',
    attack: () => CALL(x64 ? 250 : 219, 0, -5, 0, 0, 0),
    says: /errno 1$/m,
  },
  {
    name: 'opens rings of the kernel',
    attack: () => CALL(425, 8, 0),
    says: /errno 38/,
  },
  {
    name: 'connects to a UNIX socket of the host',
    attack: ({ directory }) => CONNECT('AF_UNIX', `'${directory}/sock'`),
    never: new RegExp(SECRET),
    says: /FileNotFoundError/,
    onHost: ({ directory }) => [
      'python3',
      ['-c', `import socket; s=socket.socket(socket.AF_UNIX); s.connect('${directory}/sock'); print(s.recv(99))`],
      new RegExp(SECRET),
    ],
  },
  {
    name: 'connects to an abstract socket of the host',
    attack: ({ abstract }) => CONNECT('AF_UNIX', `'\\\\0${abstract}'`),
    never: new RegExp(SECRET),
    says: /ConnectionRefusedError/,
    onHost: ({ abstract }) => [
      'python3',
      ['-c', `import socket; s=socket.socket(socket.AF_UNIX); s.connect('\\0${abstract}'); print(s.recv(99))`],
      new RegExp(SECRET),
    ],
  },
  {
    name: 'connects to a port of the host',
    attack: ({ port }) => CONNECT('AF_INET', `('127.0.0.1', ${port})`),
    never: new RegExp(SECRET),
    says: /ConnectionRefusedError/,
    onHost: ({ port }) => [
      'python3',
      ['-c', `import socket; s=socket.create_connection(('127.0.0.1',${port})); print(s.recv(99))`],
      new RegExp(SECRET),
    ],
  },
  {
    name: 'makes a device, or finds one of the machine',
    attack: () => 'mknod /workspace/d1 b 8 0 && echo made; mknod /workspace/d2 c 1 1 && echo made; ls /dev',
    never: /made\n|\bvda\b|\bsda\b|\bmem\b|\bkmsg\b|\bfuse\b|\bkvm\b/,
    says: /null/,
    control: ['mknod /workspace/pipe p && echo made; echo x > /dev/null && echo wrote', /made\nwrote/],
  },
  {
    name: 'gains rights by a program of root',
    attack: () => 'grep -E "NoNewPrivs|CapEff|CapPrm|Seccomp:" /proc/self/status; id -u; su -c id 2>&1',
    never: /uid=0/,
    says: /CapPrm:\t0+\nCapEff:\t0+\nNoNewPrivs:\t1\nSeccomp:\t2\n1000/,
  },
  {
    name: 'changes its route out',
    attack: () =>
      'ip route del local default dev lo table local; ip link set lo down; ip addr add 10.0.0.1/8 dev lo; ip link show',
    says: /Operation not permitted/,
    never: /eth0|ens/,
  },
  {
    name: 'leaves a root by another root',
    attack: () => 'python3 -c "import os; os.chroot(\'/tmp\')"',
    says: /PermissionError/,
  },
]

test('no program gets out', async (t) => {
  for (const program of ['python3', 'unshare']) if (!need(t, program)) return
  process.env['SALLYPORT_SECRET'] = SECRET
  t.after(() => delete process.env['SALLYPORT_SECRET'])
  const one = await lab(t)
  if (one === undefined) return
  const outside = await host(t)
  const { id } = await one.environments.create({})
  for (const { name, attack, never, says, control, onHost } of ATTEMPTS) {
    const { output } = await one.bash(id, attack(outside))
    if (never !== undefined) assert.doesNotMatch(output, never, name)
    if (says !== undefined) assert.match(output, says, name)
    if (control !== undefined) assert.match((await one.bash(id, control[0])).output, control[1], `control: ${name}`)
    if (onHost === undefined) continue
    const [program, args, said] = onHost(outside)
    const { stdout } = await new Promise<{ stdout: string }>((resolve) => {
      const child = spawn(program, args)
      let stdout = ''
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk.toString()
      })
      child.on('close', () => resolve({ stdout }))
    })
    assert.match(stdout, said, `control on the host: ${name}`)
  }
})

/** Links that a program makes, and what the file tools and the files interface do with them. */
const LINKS: readonly (readonly [string, (directory: string) => string])[] = [
  ['an absolute link', (directory) => `ln -s ${directory} out`],
  ['a link upwards', (directory) => `ln -s ../../../../../../../../../..${directory} out`],
  ['a link to the root of a process', (directory) => `ln -s /proc/self/root${directory} out`],
  ['a link to an open directory', (directory) => `ln -s /proc/1/cwd/../../..${directory} out`],
  ['a link to a link', (directory) => `ln -s ${directory} a; ln -s a out`],
]

test('the file tools follow no link to the outside', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash, tool } = one
  const { directory } = await host(t)
  for (const [name, link] of LINKS) {
    const { id } = await environments.create({})
    await bash(id, link(directory))
    const files = await environments.files(id)
    const viewed = await tool(id, 'view_file', { path: 'out/secret' })
    assert.deepEqual([viewed.isError, viewed.output.includes(SECRET)], [true, false], name)
    assert.equal(await files.read('/workspace/out/secret', 100), undefined, name)
    const listed = await tool(id, 'list_dir', { path: 'out' })
    assert.equal(listed.output.includes('secret'), false, name)
    await tool(id, 'write_to_file', { path: 'out/drop/planted', content: 'x' })
    await tool(id, 'delete_file', { path: 'out/secret' })
    await tool(id, 'write_to_file', { path: 'out/secret', content: 'x' })
    await files.remove('/workspace/out/secret').catch(() => {})
    assert.equal(readFileSync(join(directory, 'secret'), 'utf8'), SECRET, name)
    assert.deepEqual(readdirSync(join(directory, 'drop')), [], name)
    // Beneath the root the same link works, as it does for a program.
    await bash(id, `mkdir -p ${directory}; echo inside > ${directory}/secret; ls out/ >/dev/null 2>&1`)
    const inside = (await tool(id, 'view_file', { path: 'out/secret' })).output
    assert.equal(inside, name.includes('process') || name.includes('open') ? inside : 'inside\n', name)
    await environments.remove(id)
  }
})

test('a name that is swapped for a link while it is looked at leads nowhere else', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { environments, bash } = one
  const { directory } = await host(t)
  const { id } = await environments.create({})
  const files = await environments.files(id)
  const swap = `mkdir -p dir; echo inside > dir/secret; ln -s ${directory} link
    python3 -c "
import ctypes
c = ctypes.CDLL(None)
while c.syscall(${x64 ? 316 : 276}, -100, b'dir', -100, b'link', 2) == 0: pass" & echo on`
  assert.equal((await bash(id, swap)).output, 'on\n')
  let inside = 0
  let missed = 0
  for (let tries = 0; tries < 4000 || (inside === 0 && tries < 20_000); tries++) {
    const bytes = await files.read('/workspace/dir/secret', 100).catch(() => undefined)
    const text = bytes === undefined ? undefined : Buffer.from(bytes).toString()
    assert.notEqual(text, SECRET)
    if (text === 'inside\n') inside++
    else missed++
    if (tries % 10 === 0) await files.write('/workspace/dir/drop/planted', Buffer.from('x'), true).catch(() => {})
    if (tries % 50 === 0) await files.remove('/workspace/dir/drop').catch(() => {})
  }
  // The race was on: both states were met.
  assert.ok(inside > 0 && missed > 0, `${inside} ${missed}`)
  assert.deepEqual(readdirSync(join(directory, 'drop')), [])
  assert.equal(readFileSync(join(directory, 'secret'), 'utf8'), SECRET)
})

test('a pipe, a device and a socket are no files, and nobody waits for them', async (t) => {
  const one = await lab(t)
  if (one === undefined) return
  const { id } = await one.environments.create({})
  await one.bash(
    id,
    `mkfifo pipe; ln -s /dev/zero zero; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind('sock')"`,
  )
  for (const path of ['pipe', 'zero', 'sock']) {
    const outcome = await one.tool(id, 'view_file', { path })
    assert.equal(outcome.isError, true, path)
  }
})

const RUNTIME = fileURLToPath(new URL('./runtime.testing.ts', import.meta.url))

test('what the runtime itself was started with does not get inside', async (t) => {
  if ((await lab(t)) === undefined) return
  const { directory } = await host(t)
  const open = openSync(directory, 'r')
  // The eighth descriptor of the runtime is a directory of the host, not closed on exec.
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'ignore', 'ignore', open] as const
  const child = spawnSync(
    process.execPath,
    [RUNTIME, directory, 'cat /proc/self/fd/7/secret; ls /proc/self/fd | tr "\\n" " "'],
    {
      stdio: [...stdio],
      encoding: 'utf8',
    },
  )
  closeSync(open)
  // A notice may stand before it.
  assert.equal(child.stdout.split('\n').at(-2), '0 1 2 3 ', child.stderr)
})

test('all of it holds without root too', async (t) => {
  if (process.getuid?.() !== 0) return t.skip('this run is one without root')
  if (!need(t, 'setpriv')) return
  const ids = ['--reuid', '65534', '--regid', '65534', '--clear-groups']
  const sees = spawnSync('setpriv', [...ids, process.execPath, '--version'], { stdio: 'ignore', cwd: '/' })
  if (sees.status !== 0) return t.skip('not run: another user cannot reach the program that runs the tests')
  const files = [import.meta.url, new URL('./hogs.test.ts', import.meta.url)].map((url) => fileURLToPath(url))
  const { NODE_TEST_CONTEXT: _, ...env } = process.env
  const child = spawnSync('setpriv', [...ids, process.execPath, '--test', '--test-reporter=tap', ...files], {
    env: { ...env, HOME: '/nonexistent' },
    encoding: 'utf8',
    timeout: 240_000,
  })
  assert.equal(child.status, 0, child.stdout)
  assert.match(child.stdout, /# pass [6-9]/)
})
