/** Recorded outputs of real tools with what a digest of each must show: `cases/digest/<family>/<name>.txt` and `.json`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { bytesOf } from '../../bytes.ts'
import { type Digest, type DigestInput, digestOf } from '../digest.ts'

const ROOT = join(import.meta.dirname, '../../../../cases/digest')

/** What stands beside a recorded output. */
export interface Expectation {
  /** The command line as it was typed, without anything that a shell would do to it. */
  readonly command: string
  readonly exit?: number
  readonly signal?: string
  /** Whose reading it must be: a family, or `generic` where every family must stand down, `*` where it does not matter. */
  readonly family: string
  /** Names of all failures. Each is shown, or the digest says how many are not and where they are. */
  readonly failures?: readonly string[]
  /** Texts that the digest must show: the runner's last word, the first cause with its place, totals. */
  readonly show?: readonly string[]
  /** Texts that it must show with words of the frame: `12 errors in 3 files`, `9× src/a.ts`. */
  readonly told?: readonly string[]
  /** Texts that it must not show. */
  readonly never?: readonly string[]
}

export interface Case {
  readonly family: string
  readonly name: string
  readonly expect: Expectation
  readonly bytes: Uint8Array
}

/** All recorded outputs, in the order of their names. */
export function corpus(): Case[] {
  return readdirSync(ROOT)
    .sort()
    .flatMap((family) => {
      const files = new Set(readdirSync(join(ROOT, family)))
      return [...files]
        .filter((file) => file.endsWith('.txt') && files.has(file.replace(/\.txt$/u, '.json')))
        .sort()
        .map((file) => {
          const name = file.slice(0, -'.txt'.length)
          const expect = JSON.parse(readFileSync(join(ROOT, family, `${name}.json`), 'utf8')) as Expectation
          return { family, name, expect, bytes: readFileSync(join(ROOT, family, file)) }
        })
    })
}

export const HANDLE = 'run:0123456789ab'

/** Words of a recorded command line. They hold nothing that a shell reads, quotes apart. */
export function commandsOf(command: string): DigestInput['commands'] {
  return command.split(' && ').map((simple) => {
    const words = (simple.match(/'[^']*'|\S+/gu) ?? []).map((word) => word.replace(/^'|'$/gu, ''))
    const [program = '', ...args] = words
    return { program: program.slice(program.lastIndexOf('/') + 1), args }
  })
}

/** The digest of some bytes under the command and the end of a case. */
export function digestCase(expect: Expectation, bytes: Uint8Array, budget = 600): Digest {
  const { command, exit, signal } = expect
  return digestOf({
    bytes: bytesOf(bytes),
    commands: commandsOf(command),
    label: command,
    ...(exit === undefined ? {} : { exit }),
    ...(signal === undefined ? {} : { signal }),
    budget,
    handle: HANDLE,
    windows: { first: 8 << 20, last: 4 << 20 },
    mask: (text) => ({ text, masked: 0 }),
  })
}
