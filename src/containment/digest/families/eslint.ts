/** ESLint's stylish report: a file's name, its problems below it, the number of problems at the end. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, Report } from './report.ts'

const PROBLEM = /^ +\d+:\d+ +(error|warning) +(\S.*?)(?: {2,}(@?[\w/.-]+))?$/u
const FILE = /^(?:\/|[A-Za-z]:[\\/]|\.{0,2}[\w@.-]+[\\/])\S.*$|^[\w.-]+\.[cm]?[jt]sx?$|^<(?:text|input)>$/u
const TOTAL = /^✖ (\d+) problems? \((\d+) errors?, (\d+) warnings?\)$/u
const FIXABLE = /^ {2}\d+ errors? and \d+ warnings? potentially fixable/u

class Eslint implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  #file: Line | undefined
  #total: { problems: number } | undefined

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text === '') return true
    const problem = PROBLEM.exec(text)
    if (problem !== null && this.#file !== undefined) {
      const [, severity, message, rule] = problem
      this.#found.add(line, {
        severity: severity as 'error' | 'warning',
        file: this.#file.text,
        code: rule,
        message: message!,
        end: text.length,
        above: this.#file.n,
      })
      this.#found.close()
      return true
    }
    const total = TOTAL.exec(text)
    if (total !== null) {
      this.#total = { problems: Number(total[1]) }
      this.#report.verdict(n)
      return true
    }
    if (FIXABLE.test(text)) {
      this.#report.item('total', n)
      return true
    }
    if (/^ESLint found too many warnings/u.test(text)) {
      this.#report.item('cause', n, n, 10)
      return true
    }
    if (FILE.test(text)) {
      this.#file = line
      return true
    }
    return false
  }

  end(): Reading | undefined {
    const { errors, warnings } = this.#found
    const total = this.#total
    if (total === undefined || total.problems === 0) return undefined
    this.#found.end()
    if (total.problems !== errors + warnings)
      this.#report.fact(`${total.problems} problems are counted, the output has ${errors + warnings}`)
    return this.#report.reading(errors > 0 ? true : undefined, { head: 0, tail: 1 })
  }
}

export const eslint: Family = {
  id: 'eslint',
  detect: (probe: Probe) => anyLine(probe, TOTAL),
  reader: () => new Eslint(),
}
