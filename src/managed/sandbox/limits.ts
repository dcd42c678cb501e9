/** What one program in a sandbox may use. */

export interface Limits {
  /** Seconds of processor time of one process. */
  readonly cpuSeconds: number
  /** Bytes of private memory of one process, and of a whole environment where control groups can be used. */
  readonly memoryBytes: number
  /** Processes and threads of an environment. */
  readonly processes: number
  /** Open files of one process. */
  readonly openFiles: number
  /** Bytes of one file. */
  readonly fileBytes: number
  /** Bytes below `/dev/shm`, which is memory. */
  readonly sharedBytes: number
}

export const MIB = 1024 * 1024

/** Room for a build with tests; a runaway meets its bound within seconds. */
export const DEFAULT_LIMITS: Limits = {
  cpuSeconds: 1800,
  memoryBytes: 4096 * MIB,
  processes: 512,
  openFiles: 4096,
  fileBytes: 4096 * MIB,
  sharedBytes: 256 * MIB,
}

/** What the kernel takes: bytes of one word or variable of a program, without the NUL that ends it. */
const LONGEST_WORD = 131_071
/** Bytes of all words and variables together, with room for those of the programs that start it. */
const MOST_WORDS = 1536 * 1024

/**
 * Why a program cannot be started with these words and variables, as one clause; undefined where it can. The kernel itself
 * would only say that the list is too long.
 */
export function tooLong(argv: readonly string[], env: Readonly<Record<string, string>>): string | undefined {
  const words = [
    ...argv.map((word, at) => [`word ${at + 1} of the command`, word] as const),
    ...Object.entries(env).map(([name, value]) => [`the variable ${name}`, `${name}=${value}`] as const),
  ].map(([what, word]) => [what, Buffer.byteLength(word)] as const)
  const long = words.find(([, bytes]) => bytes > LONGEST_WORD)
  if (long !== undefined) return `${long[0]} has ${long[1]} bytes, and the system takes up to ${LONGEST_WORD}`
  // Each takes a pointer and a NUL as well.
  const all = words.reduce((sum, [, bytes]) => sum + bytes + 9, 0)
  return all > MOST_WORDS
    ? `command and variables have ${all} bytes together, and the system takes up to ${MOST_WORDS}`
    : undefined
}

/** `prlimit` and its options; the program follows. */
export function limitWords(limits: Limits): string[] {
  return [
    'prlimit',
    `--cpu=${limits.cpuSeconds}`,
    // Reserved address space is no use of memory: only what can be written is counted.
    `--data=${limits.memoryBytes}`,
    `--nproc=${limits.processes}`,
    `--nofile=${limits.openFiles}`,
    `--fsize=${limits.fileBytes}`,
    '--core=0',
    '--',
  ]
}
