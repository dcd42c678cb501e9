/**
 * Words and variables that are not UTF-8, such as old file names. Node reads them with replacement characters and could
 * not hand them on; the system still has them as they are, and a shell script can hold them.
 */
import { isUtf8 } from 'node:buffer'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** An argv that does the same as another, and how to clean up behind it. */
export interface Spelled {
  readonly argv: readonly string[]
  done(): void
}

const NOTHING: Spelled['done'] = () => {}

/**
 * `argv`, of which the last `given` words are the last of our own argv, as something that Node can start: itself where all
 * of it and of the environment is UTF-8, else a script that sets the variables and becomes the command. Linux only.
 */
export function spelled(argv: readonly string[], given: number): Spelled {
  const words = wordsOf('cmdline').slice(-given)
  const variables = wordsOf('environ').filter((entry) => !isUtf8(entry))
  if (variables.length === 0 && words.every((word) => isUtf8(word))) return { argv, done: NOTHING }
  // Something else than we think is there: better a replacement character than another word.
  if (given === 0 || !words.every((word, at) => word.toString() === argv[argv.length - given + at]))
    return { argv, done: NOTHING }
  const lines = [
    ...variables.flatMap((entry) => {
      const end = entry.indexOf('=')
      const name = entry.toString('latin1', 0, Math.max(0, end))
      return /^[A-Za-z_]\w*$/.test(name) ? [`export ${name}=${quoted(entry.subarray(end + 1))}\n`] : []
    }),
    `exec ${[...argv.slice(0, -given).map((word) => Buffer.from(word)), ...words].map(quoted).join(' ')}\n`,
  ]
  try {
    const dir = mkdtempSync(join(tmpdir(), 'ctx-words-'))
    const file = join(dir, 'command')
    writeFileSync(file, Buffer.from(lines.join(''), 'latin1'), { mode: 0o600 })
    return { argv: ['/bin/sh', file], done: () => rmSync(dir, { recursive: true, force: true }) }
  } catch {
    return { argv, done: NOTHING }
  }
}

const quoted = (word: Uint8Array): string => `'${Buffer.from(word).toString('latin1').replaceAll("'", `'\\''`)}'`

/** Entries of a list of `/proc/self` that end with a zero byte each. */
function wordsOf(list: 'cmdline' | 'environ'): readonly Buffer[] {
  let bytes: Buffer
  try {
    bytes = readFileSync(`/proc/self/${list}`)
  } catch {
    return []
  }
  const words: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const end = bytes.indexOf(0, at)
    words.push(bytes.subarray(at, end < 0 ? bytes.length : end))
    at = end < 0 ? bytes.length : end + 1
  }
  return words
}
