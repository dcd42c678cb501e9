/** What `ctx run` is asked for, checked. */
import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Flags as they are typed. */
export interface RunFlags {
  readonly focus?: string
  readonly cwd?: string
  readonly shell?: boolean
  readonly timeout?: string
  readonly budget?: string
  readonly raw?: boolean
  readonly bg?: boolean
  readonly bgAfter?: string
  readonly pty?: boolean
  /** Only between ourselves: what the process of a job is told. */
  readonly asJob?: string
}

export interface RunOptions {
  readonly focus: string | undefined
  /** Absolute, an existing directory. */
  readonly cwd: string
  /** It was named by `--cwd`. */
  readonly elsewhere: boolean
  readonly shell: boolean
  readonly timeoutMs: number | undefined
  /** Tokens of the digest. */
  readonly budget: number
  readonly raw: boolean
  /** Milliseconds after which the command goes on in the background; 0: at once. Undefined: never. */
  readonly bgAfterMs: number | undefined
  readonly pty: boolean
  readonly argv: readonly string[]
}

export const DIGEST_TOKENS = 600
/** As far as a timer of Node reaches. */
const MOST_SECONDS = 2_147_483

/** The options, or a clause that says what is wrong. */
export function runOptions(
  flags: RunFlags,
  argv: readonly string[],
  cwd: string,
  budget: number | undefined,
): RunOptions | { readonly refused: string } {
  if (argv.length === 0) return { refused: 'there is no command; it goes behind --' }
  if (flags.shell && argv.length > 1)
    return { refused: `--shell takes the whole line as one argument, and got ${argv.length}; quote the line` }
  const timeout = flags.timeout === undefined ? undefined : milliseconds(flags.timeout)
  if (Number.isNaN(timeout)) return { refused: badSeconds('--timeout', flags.timeout) }
  const after = flags.bgAfter === undefined ? undefined : milliseconds(flags.bgAfter)
  if (Number.isNaN(after)) return { refused: badSeconds('--bg-after', flags.bgAfter) }
  const tokens = flags.budget === undefined ? (budget ?? DIGEST_TOKENS) : Number(flags.budget)
  if (!Number.isInteger(tokens) || tokens < 1)
    return { refused: `--budget ${flags.budget} is no whole number of tokens from 1 on` }
  if (flags.raw && (flags.bg || after !== undefined))
    return {
      refused: '--raw passes the output on as it comes, so the command cannot go to the background; leave one out',
    }
  const dir = resolve(cwd, flags.cwd ?? '.')
  if (flags.cwd !== undefined && statSync(dir, { throwIfNoEntry: false })?.isDirectory() !== true)
    return { refused: `there is no directory ${dir}` }
  return {
    focus: flags.focus,
    cwd: dir,
    elsewhere: flags.cwd !== undefined,
    shell: flags.shell === true,
    timeoutMs: timeout,
    budget: tokens,
    raw: flags.raw === true,
    bgAfterMs: flags.bg ? 0 : after,
    pty: flags.pty === true,
    argv,
  }
}

/** Milliseconds of a number of seconds; NaN for what is no number above 0. */
export function milliseconds(text: string): number {
  const value = /^(?:\d+\.?\d*|\.\d+)$/.test(text) ? Number(text) : Number.NaN
  return value > 0 && value <= MOST_SECONDS ? Math.ceil(value * 1000) : Number.NaN
}

const badSeconds = (flag: string, text: string | undefined): string =>
  `${flag} ${text} is no number of seconds above 0 and up to ${MOST_SECONDS}`
