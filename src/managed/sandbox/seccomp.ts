/**
 * The system calls that a sandbox is refused, as a classic BPF program for `bwrap --seccomp`. Written from the tables
 * below: a filter that a person can read is one that a person can check.
 */

interface Arch {
  /** AUDIT_ARCH of the kernel. */
  readonly audit: number
  readonly column: 0 | 1
  /** Highest number of the native table; x32 calls lie above it. */
  readonly x32: boolean
}

const ARCHS: Readonly<Record<string, Arch>> = {
  x64: { audit: 0xc000003e, column: 0, x32: true },
  arm64: { audit: 0xc00000b7, column: 1, x32: false },
}

const EPERM = 1
const ENOSYS = 38
const EAFNOSUPPORT = 97

type Numbers = readonly [x64: number | undefined, arm64: number | undefined]

/** Refused whatever the arguments. Each row: name, numbers on x86_64 and aarch64, and why no program needs it here. */
const REFUSED: readonly (readonly [string, number | undefined, number | undefined, string])[] = [
  ['mount', 165, 40, 'mounts'],
  ['umount2', 166, 39, 'mounts'],
  ['pivot_root', 155, 41, 'mounts'],
  ['chroot', 161, 51, 'mounts'],
  ['open_tree', 428, 428, 'mounts'],
  ['move_mount', 429, 429, 'mounts'],
  ['fsopen', 430, 430, 'mounts'],
  ['fsconfig', 431, 431, 'mounts'],
  ['fsmount', 432, 432, 'mounts'],
  ['fspick', 433, 433, 'mounts'],
  ['mount_setattr', 442, 442, 'mounts'],
  ['open_tree_attr', 467, 467, 'mounts'],
  ['unshare', 272, 97, 'new namespaces bring back capabilities'],
  ['setns', 308, 268, 'other namespaces'],
  ['ptrace', 101, 117, 'reaches into other processes'],
  ['process_vm_readv', 310, 270, 'reaches into other processes'],
  ['process_vm_writev', 311, 271, 'reaches into other processes'],
  ['process_madvise', 440, 440, 'reaches into other processes'],
  ['pidfd_getfd', 438, 438, 'reaches into other processes'],
  ['kcmp', 312, 272, 'reaches into other processes'],
  ['bpf', 321, 280, 'code in the kernel'],
  ['perf_event_open', 298, 241, 'kernel interface with a long record of holes'],
  ['userfaultfd', 323, 282, 'makes holes in the kernel easy to use'],
  ['keyctl', 250, 219, 'keys are not separated by namespaces'],
  ['add_key', 248, 217, 'keys are not separated by namespaces'],
  ['request_key', 249, 218, 'keys are not separated by namespaces'],
  ['name_to_handle_at', 303, 264, 'opens files past the root'],
  ['open_by_handle_at', 304, 265, 'opens files past the root'],
  ['init_module', 175, 105, 'code in the kernel'],
  ['finit_module', 313, 273, 'code in the kernel'],
  ['delete_module', 176, 106, 'code in the kernel'],
  ['kexec_load', 246, 104, 'code in the kernel'],
  ['kexec_file_load', 320, 294, 'code in the kernel'],
  ['reboot', 169, 142, 'the machine'],
  ['swapon', 167, 224, 'the machine'],
  ['swapoff', 168, 225, 'the machine'],
  ['acct', 163, 89, 'the machine'],
  ['quotactl', 179, 60, 'the machine'],
  ['quotactl_fd', 443, 443, 'the machine'],
  ['syslog', 103, 116, 'reads the log of the kernel'],
  ['settimeofday', 164, 170, 'the clock of the machine'],
  ['clock_settime', 227, 112, 'the clock of the machine'],
  ['clock_adjtime', 305, 266, 'the clock of the machine'],
  ['adjtimex', 159, 171, 'the clock of the machine'],
  ['sethostname', 170, 161, 'the machine'],
  ['setdomainname', 171, 162, 'the machine'],
  ['vhangup', 153, 58, 'terminals of others'],
  ['lookup_dcookie', 212, 18, 'gone from the kernel'],
  ['nfsservctl', 180, 42, 'gone from the kernel'],
  ['migrate_pages', 256, 238, 'memory of other processes'],
  ['move_pages', 279, 239, 'memory of other processes'],
  ['fanotify_init', 300, 262, 'watches files of others'],
  ['iopl', 172, undefined, 'ports of the machine'],
  ['ioperm', 173, undefined, 'ports of the machine'],
  ['modify_ldt', 154, undefined, 'old interface of the processor'],
  ['uselib', 134, undefined, 'gone from the kernel'],
  ['ustat', 136, undefined, 'gone from the kernel'],
  ['_sysctl', 156, undefined, 'gone from the kernel'],
  ['create_module', 174, undefined, 'gone from the kernel'],
  ['get_kernel_syms', 177, undefined, 'gone from the kernel'],
  ['query_module', 178, undefined, 'gone from the kernel'],
]

/** Answered as if the kernel did not know them: programs then take the older way, which can be judged. */
const UNKNOWN: readonly (readonly [string, number, number])[] = [
  ['clone3', 435, 435],
  ['io_uring_setup', 425, 425],
  ['io_uring_enter', 426, 426],
  ['io_uring_register', 427, 427],
]

const CLONE: Numbers = [56, 220]
const SOCKET: Numbers = [41, 198]
const SOCKETPAIR: Numbers = [53, 199]
const IOCTL: Numbers = [16, 29]
/** NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET; NEWTIME is no flag of clone. */
const CLONE_NAMESPACES = 0x00020000 | 0x02000000 | 0x04000000 | 0x08000000 | 0x10000000 | 0x20000000 | 0x40000000
/** AF_UNIX, AF_INET, AF_INET6 and AF_NETLINK; through the last the C library lists interfaces. */
const FAMILIES = [1, 2, 10, 16]
/** NETLINK_ROUTE. */
const NETLINK_ROUTE = 0
/** TIOCSTI types into a terminal, TIOCLINUX pastes into one. */
const TERMINAL_IOCTLS = [0x5412, 0x541c]

const LOAD = 0x20
const JEQ = 0x15
const JGE = 0x35
const JSET = 0x45
const RET = 0x06
const ALLOW = 0x7fff0000
const KILL = 0x80000000
const errno = (code: number): number => 0x00050000 | code

/** Offsets in `struct seccomp_data`; both machines are little-endian, so the low half of an argument comes first. */
const NR = 0
const ARCH = 4
const argument = (index: number): number => 16 + 8 * index

/** A small assembler: every test jumps to the next line or past the verdict that follows it. */
class Assembler {
  readonly #lines: (readonly [code: number, jt: number, jf: number, k: number])[] = []

  load(offset: number): void {
    this.#lines.push([LOAD, 0, 0, offset])
  }

  answer(verdict: number): void {
    this.#lines.push([RET, 0, 0, verdict])
  }

  /** The verdict holds where the loaded word compares as said. */
  when(code: number, k: number, verdict: number): void {
    this.#lines.push([code, 0, 1, k])
    this.answer(verdict)
  }

  /** The verdict holds where it does not. */
  unless(code: number, k: number, verdict: number): void {
    this.#lines.push([code, 1, 0, k])
    this.answer(verdict)
  }

  /** `body` is run only for the call `number`, with the number loaded before and after it. */
  only(number: number, body: () => void): void {
    const at = this.#lines.length
    this.#lines.push([JEQ, 0, 0, number])
    body()
    this.load(NR)
    this.#lines[at] = [JEQ, 0, this.#lines.length - at - 1, number]
  }

  bytes(): Buffer {
    const out = Buffer.alloc(this.#lines.length * 8)
    this.#lines.forEach(([code, jt, jf, k], index) => {
      out.writeUInt16LE(code, index * 8)
      out.writeUInt8(jt, index * 8 + 2)
      out.writeUInt8(jf, index * 8 + 3)
      out.writeUInt32LE(k >>> 0, index * 8 + 4)
    })
    return out
  }
}

/**
 * The filter for `arch` as `process.arch` names it, an array of `struct sock_filter`. Throws for an architecture whose
 * numbers are not in the tables.
 */
export function seccompProgram(arch: string): Buffer {
  const machine = ARCHS[arch]
  if (machine === undefined) throw new Error(`no table of system calls for ${arch}; x64 and arm64 are known`)
  const at = (numbers: Numbers): number => numbers[machine.column]!
  const out = new Assembler()
  out.load(ARCH)
  out.unless(JEQ, machine.audit, KILL)
  out.load(NR)
  if (machine.x32) out.when(JGE, 0x40000000, errno(ENOSYS))
  for (const row of REFUSED) {
    const number = row[machine.column + 1] as number | undefined
    if (number !== undefined) out.when(JEQ, number, errno(EPERM))
  }
  for (const row of UNKNOWN) out.when(JEQ, row[machine.column + 1] as number, errno(ENOSYS))
  out.only(at(CLONE), () => {
    out.load(argument(0))
    out.when(JSET, CLONE_NAMESPACES, errno(EPERM))
  })
  for (const call of [SOCKET, SOCKETPAIR]) {
    out.only(at(call), () => {
      out.load(argument(0))
      const [unix, inet, inet6, netlink] = FAMILIES as [number, number, number, number]
      for (const family of [unix, inet, inet6]) out.when(JEQ, family, ALLOW)
      out.unless(JEQ, netlink, errno(EAFNOSUPPORT))
      out.load(argument(2))
      out.unless(JEQ, NETLINK_ROUTE, errno(EAFNOSUPPORT))
    })
  }
  out.only(at(IOCTL), () => {
    out.load(argument(1))
    for (const request of TERMINAL_IOCTLS) out.when(JEQ, request, errno(EPERM))
  })
  out.answer(ALLOW)
  return out.bytes()
}
