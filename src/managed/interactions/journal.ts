/**
 * One append-only file of JSON lines for each interaction, below the state directory. A line that a crash cut off is left
 * out when the file is read, and ended before anything more is written.
 */
import {
  appendFileSync,
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs'
import { join } from 'node:path'
import { type Folded, fold, type Line } from './fold.ts'
import { isEnded } from './wire.ts'

const ID = /^int_[0-9a-z]{8,64}$/

export class Journals {
  readonly #directory: string

  /** `directory` is made, for its owner alone, where it is absent. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true, mode: 0o700 })
    this.#directory = directory
  }

  #file(id: string): string | undefined {
    return ID.test(id) ? join(this.#directory, `${id}.jsonl`) : undefined
  }

  append(id: string, line: Line): void {
    const file = this.#file(id)
    if (file !== undefined) appendFileSync(file, `${JSON.stringify(line)}\n`, { mode: 0o600 })
  }

  /** Everything of an interaction; undefined where there is none of that id. */
  read(id: string): Folded | undefined {
    const file = this.#file(id)
    if (file === undefined) return undefined
    let text: string
    try {
      text = readFileSync(file, 'utf8')
    } catch {
      return undefined
    }
    return fold(text.split('\n').flatMap(lineOf))
  }

  remove(id: string): void {
    const file = this.#file(id)
    if (file !== undefined) rmSync(file, { force: true })
  }

  /** Ids of interactions that had not ended, as the last lines say. Their files end with a whole line afterwards. */
  open(): readonly string[] {
    const out: string[] = []
    for (const name of readdirSync(this.#directory)) {
      const id = name.replace(/\.jsonl$/, '')
      if (name === id || !ID.test(id) || this.#endsWell(join(this.#directory, name))) continue
      const folded = this.read(id)
      if (folded === undefined) this.remove(id)
      else if (!isEnded(folded.view.status)) {
        appendFileSync(join(this.#directory, name), '\n')
        out.push(id)
      }
    }
    return out
  }

  /** Whether the file ends with the line that ends an interaction: then it is not read. */
  #endsWell(file: string): boolean {
    const handle = openSync(file, 'r')
    try {
      const { size } = fstatSync(handle)
      const bytes = Buffer.alloc(Math.min(size, TAIL))
      readSync(handle, bytes, 0, bytes.length, size - bytes.length)
      return bytes.toString('utf8').endsWith(`${JSON.stringify(LAST)}\n`)
    } finally {
      closeSync(handle)
    }
  }
}

/** The line behind everything of an interaction that has ended. */
export const LAST: Line = { is: 'head', head: {} }
const TAIL = 256

function lineOf(text: string): Line[] {
  if (text === '') return []
  try {
    return [JSON.parse(text) as Line]
  } catch {
    return []
  }
}
