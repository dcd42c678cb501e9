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
