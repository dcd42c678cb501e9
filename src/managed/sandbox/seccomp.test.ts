import assert from 'node:assert/strict'
import { test } from 'node:test'
import { seccompProgram } from './seccomp.ts'

const AUDIT = { x64: 0xc000003e, arm64: 0xc00000b7 } as const
type Arch = keyof typeof AUDIT

const ALLOW = 0x7fff0000
const KILL = 0x80000000
const EPERM = 0x00050001
const ENOSYS = 0x00050026
const NO_FAMILY = 0x00050061

/** What the kernel would answer: an interpreter of the instructions that the program may use. */
function verdict(arch: Arch, nr: number, args: readonly number[] = [], audit: number = AUDIT[arch]): number {
  const program = seccompProgram(arch)
  const data = Buffer.alloc(64)
  data.writeUInt32LE(nr, 0)
  data.writeUInt32LE(audit, 4)
  args.forEach((arg, index) => data.writeBigUInt64LE(BigInt(arg), 16 + index * 8))
  let word = 0
  for (let at = 0; at < program.length / 8; at++) {
    const code = program.readUInt16LE(at * 8)
    const [jt, jf, k] = [program[at * 8 + 2]!, program[at * 8 + 3]!, program.readUInt32LE(at * 8 + 4)]
    if (code === 0x20) word = data.readUInt32LE(k)
    else if (code === 0x06) return k
    else {
      const held = code === 0x15 ? word === k : code === 0x35 ? word >= k : (word & k) !== 0
      assert.ok([0x15, 0x35, 0x45].includes(code), `instruction ${code}`)
      at += held ? jt : jf
    }
  }
  throw new Error('the program ended without a verdict')
}

/** Call, numbers on both machines, arguments, verdict. Numbers from the kernel's tables (`asm/unistd_64.h`, `asm-generic/unistd.h`). */
const ROWS: readonly (readonly [string, number, number, readonly number[], number])[] = [
  ['read', 0, 63, [], ALLOW],
  ['openat', 257, 56, [], ALLOW],
  ['execve', 59, 221, [], ALLOW],
  ['kill', 62, 129, [], ALLOW],
  ['mount', 165, 40, [], EPERM],
  ['umount2', 166, 39, [], EPERM],
  ['pivot_root', 155, 41, [], EPERM],
  ['chroot', 161, 51, [], EPERM],
  ['unshare', 272, 97, [0x10000000], EPERM],
  ['setns', 308, 268, [], EPERM],
  ['ptrace', 101, 117, [], EPERM],
  ['process_vm_writev', 311, 271, [], EPERM],
  ['bpf', 321, 280, [], EPERM],
  ['keyctl', 250, 219, [], EPERM],
  ['userfaultfd', 323, 282, [], EPERM],
  ['perf_event_open', 298, 241, [], EPERM],
  ['open_by_handle_at', 304, 265, [], EPERM],
  ['finit_module', 313, 273, [], EPERM],
  ['move_mount', 429, 429, [], EPERM],
  ['clone3', 435, 435, [], ENOSYS],
  ['io_uring_setup', 425, 425, [], ENOSYS],
  ['clone of a thread', 56, 220, [0x003d0f00], ALLOW],
  ['clone of a process', 56, 220, [17], ALLOW],
  ['clone with a user namespace', 56, 220, [0x10000011], EPERM],
  ['clone with a network namespace', 56, 220, [0x40000011], EPERM],
  ['clone with mounts', 56, 220, [0x00020011], EPERM],
  ['a UNIX socket', 41, 198, [1, 1, 0], ALLOW],
  ['TCP', 41, 198, [2, 1, 6], ALLOW],
  ['TCP over IPv6', 41, 198, [10, 1, 6], ALLOW],
  ['routes', 41, 198, [16, 3, 0], ALLOW],
  ['audit by netlink', 41, 198, [16, 3, 9], NO_FAMILY],
  ['netfilter by netlink', 41, 198, [16, 3, 12], NO_FAMILY],
  ['packets', 41, 198, [17, 3, 3], NO_FAMILY],
  ['vsock', 41, 198, [40, 1, 0], NO_FAMILY],
  ['kernel crypto', 41, 198, [38, 5, 0], NO_FAMILY],
  ['a family in the high half only', 41, 198, [2 ** 32 + 17, 3, 3], NO_FAMILY],
  ['a pair of sockets', 53, 199, [1, 1, 0], ALLOW],
  ['a pair of another family', 53, 199, [40, 1, 0], NO_FAMILY],
  ['size of a terminal', 16, 29, [0, 0x5413], ALLOW],
  ['typing into a terminal', 16, 29, [0, 0x5412], EPERM],
  ['typing, with a high half that the kernel drops', 16, 29, [0, 2 ** 32 + 0x5412], EPERM],
  ['pasting into a terminal', 16, 29, [0, 0x541c], EPERM],
]

for (const arch of ['x64', 'arm64'] as const)
  test(`the filter of system calls on ${arch}`, () => {
    for (const [name, x64, arm64, args, expected] of ROWS)
      assert.equal(verdict(arch, arch === 'x64' ? x64 : arm64, args) >>> 0, expected, name)
    assert.equal(verdict(arch, 0, [], 0x40000003) >>> 0, KILL, 'the calls of 32-bit programs')
    assert.ok(seccompProgram(arch).length / 8 <= 4096, 'the kernel takes 4096 instructions')
  })

test('the second table of x86_64 is closed', () => {
  assert.equal(verdict('x64', 0x40000000 + 165), ENOSYS)
  assert.equal(verdict('x64', 0x40000000), ENOSYS)
})

test('an architecture without a table is refused', () => {
  assert.throws(() => seccompProgram('riscv64'), /no table of system calls for riscv64/)
})
