/** Reads a unified or combined diff line by line: what each line is, and how many lines of a hunk are still to come. */

export type DiffLine =
  /** `diff --git a/x b/x`, `diff --cc x`, or `--- x` where no such line came before. */
  | 'file'
  /** Modes, index, rename, and the names behind `---` and `+++`. */
  | 'header'
  /** Differs in a way that has no lines: binary, or only on one side. */
  | 'whole'
  | 'hunk'
  | 'added'
  | 'removed'
  | 'context'
  /** `\ No newline at end of file`. */
  | 'mark'

const FILE = /^diff (?:--git|--cc|--combined|-[a-zA-Z]+ ) ?\S/u
const HEADER =
  /^(?:index [0-9a-f]{4,}|(?:old|new|deleted file|new file) mode |mode \d|(?:dis)?similarity index |(?:rename|copy) (?:from|to) |--- \S|\+\+\+ \S|GIT binary patch|(?:literal|delta) \d+|Index: |=+$)/u
const HUNK = /^(@@+) ((?:-\d+(?:,\d+)? )+)\+(\d+)(?:,(\d+))? @@+/u
/** Files that are told of without a hunk. */
const BINARY = /^(?:Binary files|Files) .* differ$|^Only in .+: ./u

export class Hunks {
  /** Lines of the hunk that are still to come, one number a parent, and of the new side. */
  #old: number[] = []
  #new = 0
  #inFile = false
  /** A hunk of the file came: another `---` begins another file. */
  #hunked = false
  #patch = false

  /** Whether a hunk is not at its end. */
  get open(): boolean {
    return this.#new > 0 || this.#old.some((count) => count > 0)
  }

  /** Forgets an unfinished hunk: lines are missing. */
  reset(): void {
    this.#old = []
    this.#new = 0
    this.#inFile = false
    this.#patch = false
  }

  /** Undefined: not a line of a diff. */
  read(text: string): DiffLine | undefined {
    if (this.open) {
      const inside = this.#inside(text)
      if (inside !== undefined) return inside
      this.reset()
    }
    if (FILE.test(text)) {
      this.#inFile = true
      this.#hunked = false
      this.#patch = false
      return 'file'
    }
    const hunk = HUNK.exec(text)
    if (hunk !== null) {
      this.#old = hunk[2]!.trim().split(' ').map(lengthOf)
      this.#new = hunk[4] === undefined ? 1 : Number(hunk[4])
      this.#patch = false
      this.#hunked = true
      return 'hunk'
    }
    if (text.startsWith('\\ No newline')) return 'mark'
    if (BINARY.test(text)) return 'whole'
    if (this.#patch) {
      if (text === '' || /^[A-Za-z][!-~]{5,}$/u.test(text) || HEADER.test(text)) return 'header'
      this.#patch = false
    }
    if (text.startsWith('--- ') && (!this.#inFile || this.#hunked)) {
      this.#inFile = true
      this.#hunked = false
      return 'file'
    }
    if (this.#inFile && HEADER.test(text)) {
      this.#patch = text === 'GIT binary patch'
      return 'header'
    }
    return undefined
  }

  #inside(text: string): DiffLine | undefined {
    const parents = this.#old.length
    const marks = text.slice(0, parents)
    if (text.startsWith('\\ No newline')) return 'mark'
    // Some programs strip the blank of an empty context line.
    if (text === '' || /^ +$/u.test(marks)) {
      this.#old = this.#old.map((count) => count - 1)
      this.#new--
      return 'context'
    }
    if (/^[ +]+$/u.test(marks)) {
      this.#old = this.#old.map((count, at) => (marks[at] === ' ' ? count - 1 : count))
      this.#new--
      return 'added'
    }
    if (/^[ -]+$/u.test(marks)) {
      this.#old = this.#old.map((count, at) => (marks[at] === '-' ? count - 1 : count))
      return 'removed'
    }
    return undefined
  }
}

function lengthOf(range: string): number {
  const comma = range.indexOf(',')
  return comma < 0 ? 1 : Number(range.slice(comma + 1))
}
