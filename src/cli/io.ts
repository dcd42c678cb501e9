/** What a verb may touch of the process it runs in. */
export interface Io {
  out(text: string): void
  err(text: string): void
  readonly cwd: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** Whether stdout is a terminal that wants colour. */
  readonly colour: boolean
  /** Characters in a line of the terminal; undefined where stdout is none. */
  readonly columns?: number | undefined
}

/** Where we are; by its last name where that directory is gone. */
function workingDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return process.env['PWD'] ?? '/'
  }
}

/** The process's own streams. */
export const processIo = (): Io => ({
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  cwd: workingDirectory(),
  env: process.env,
  columns: process.stdout.columns,
  colour: process.stdout.isTTY === true && !process.env['NO_COLOR'],
})

/** Exit codes of everything but `check`; of `ctx run` only the last, for bad usage and for failures of ours. */
export const EXIT = { ok: 0, problem: 1, usage: 2, internal: 70, ownFailure: 125 } as const
