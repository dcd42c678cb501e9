/** Reads a recorded output, keeps it and prints its digest. */
import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Bytes } from '../../containment/bytes.ts'
import { RUN_WINDOWS } from '../../containment/digest/digest.ts'
import { FAMILIES } from '../../containment/digest/families/index.ts'
import { present } from '../../containment/digest/present.ts'
import { userFamilies } from '../../containment/profiles/profiles.ts'
import { redactionKey } from '../../containment/redact/key.ts'
import { mask, maskSlice } from '../../containment/redact/redact.ts'
import { commandsOfLine } from '../../containment/run/commands.ts'
import { openStore } from '../../containment/store/store.ts'
import type { Sealed } from '../../containment/store/types.ts'
import { homeOf } from '../hook/person.ts'
import { EXIT, type Io } from '../io.ts'

export interface DigestFlags {
  readonly command?: string
  readonly exit?: string
  readonly budget?: string
  readonly focus?: string
  readonly json?: boolean
}

/** Tokens of a digest unless told otherwise, and the fewest that hold a verdict line. */
const BUDGET = 600
const LEAST = 60
const CHUNK = 1 << 20

/** Prints the digest of a file, or of standard input for `-`. Exit code 0, or 2 for bad input. */
export async function digestFile(flags: DigestFlags, file: string, io: Io): Promise<number> {
  const refuse = (why: string) => {
    io.err(`ctx digest: ${why}\n`)
    return EXIT.usage
  }
  const exit = numberOf(flags.exit)
  if (exit === 'wrong' || (exit ?? 0) > 255)
    return refuse(`--exit ${flags.exit} is no exit code; it is a number from 0 to 255`)
  const budget = numberOf(flags.budget)
  if (budget === 'wrong' || (budget ?? LEAST) < LEAST)
    return refuse(`--budget ${flags.budget} is no budget; it is a number of tokens, at least ${LEAST}`)
  const home = homeOf(io.env)
  const store = openStore({ env: io.env, home })
  const command = flags.command ?? ''
  const argv = ['ctx', 'digest', ...(command === '' ? [] : ['--command', command])]
  let kept: Sealed
  try {
    const spool = store.create({ argv, cwd: io.cwd })
    try {
      each(file === '-' ? 0 : resolve(io.cwd, file), (chunk) => spool.append('stdout', chunk))
    } catch (error) {
      spool.drop()
      throw error
    }
    kept = spool.seal(exit === undefined ? {} : { exit })
  } catch (error) {
    return refuse(`${file === '-' ? 'standard input' : file} cannot be read: ${reason(error)}`)
  }
  if (kept.notice !== undefined) io.err(`ctx digest: ${kept.notice}\n`)
  const key = redactionKey(io.env, home)
  const bytes: Bytes = kept.stream('merged')
  const input = {
    bytes,
    commands: commandsOfLine(command),
    label: mask(command, key).text,
    budget: budget ?? BUDGET,
    windows: RUN_WINDOWS,
    mask: (text: string) => mask(text, key),
    maskSlice: (before: string, text: string, behind: string) => maskSlice(before, text, behind, key),
    ...(exit === undefined ? {} : { exit }),
    ...(kept.handle === undefined ? {} : { handle: kept.handle }),
    ...(flags.focus === undefined ? {} : { focus: flags.focus }),
    ...(kept.stopped === undefined ? {} : { stopped: kept.stopped.at }),
  }
  const digest = present(input, { families: [...(await userFamilies(io.env, home, io.cwd)), ...FAMILIES] })
  if (flags.json) {
    const { status, tokens, rawTokens, masked, addresses, text } = digest
    const out = { v: 1, status, exit_code: exit ?? null, tokens, raw_tokens: rawTokens, masked, addresses, text }
    io.out(`${JSON.stringify(out)}\n`)
  } else io.out(digest.text)
  return EXIT.ok
}

/** Undefined where nothing was said. */
function numberOf(text: string | undefined): number | undefined | 'wrong' {
  if (text === undefined) return undefined
  return /^\d{1,9}$/.test(text) ? Number(text) : 'wrong'
}

/** Reads a file, or a descriptor, chunk by chunk. */
function each(from: string | number, take: (chunk: Uint8Array) => void): void {
  const handle = typeof from === 'number' ? from : openSync(from, 'r')
  try {
    if (fstatSync(handle).isDirectory()) throw new Error('it is a directory')
    const buffer = new Uint8Array(CHUNK)
    for (;;) {
      let read: number
      try {
        read = readSync(handle, buffer)
      } catch (error) {
        // A terminal or pipe that does not block says this where it has nothing yet.
        if ((error as NodeJS.ErrnoException).code === 'EAGAIN') {
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
          continue
        }
        if ((error as NodeJS.ErrnoException).code === 'EOF') return
        throw error
      }
      if (read === 0) return
      take(buffer.subarray(0, read))
    }
  } finally {
    if (typeof from !== 'number') closeSync(handle)
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission denied',
  EISDIR: 'it is a directory',
}

function reason(error: unknown): string {
  const code = (error as NodeJS.ErrnoException).code ?? ''
  return REASONS[code] ?? (error instanceof Error ? error.message : String(error))
}
