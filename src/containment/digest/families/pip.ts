/** pip: what is installed, what cannot be, and of a build that failed the last error that it threw. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { anyLine, calls, markOf, Report } from './report.ts'
import { counted } from './words.ts'

const STEP =
  /^\s*(?:Collecting |Downloading |Using cached |Processing |Looking in |Requirement already satisfied|Installing |Preparing |Building |Created wheel|Stored in|Getting requirements|Obtaining |Attempting uninstall|Found existing|Uninstalling |Successfully uninstalled|Running |Using legacy|━|\[notice\]|Cloning |Resolved |Discarding |INFO: |Saved |Link |Not uninstalling |Can't uninstall )/u
const ERROR = /^(?:ERROR|error): (.*)$/u
const DONE = /^(?:Successfully (?:installed|built|downloaded) |No broken requirements|Found existing installation)/u
const OUTPUT = /^ *╰─> \[\d+ lines of output\]$/u
const THROWN =
  /^ +(?:[A-Za-z_][\w.]*\.)?[A-Z]\w*(?:Error|Exception|Exit)(?:: .*)?$|^ +(?:fatal )?error: |: (?:fatal )?error: /u

/** Lines of a conflict that are shown. */
const CONFLICT = 6

class Pip implements Reader {
  readonly #report = new Report()
  #output = false
  #thrown: number | undefined
  #errors = 0
  #satisfied = 0
  #conflict = 0
  #done = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    if (text.trim() === '') return true
    if (this.#output) {
      if (text.trim() === '[end of output]') this.#output = false
      else if (THROWN.test(text)) this.#thrown = n
      return true
    }
    if (OUTPUT.test(text)) {
      this.#output = true
      return true
    }
    const error = ERROR.exec(text.trimStart())
    if (error !== null) {
      this.#errors++
      this.#report.failure(markOf(line), error[1]!)
      if (this.#errors === 1) this.#report.item('cause', n, n, 10)
      return true
    }
    if (text === 'The conflict is caused by:') {
      this.#conflict = 1
      return true
    }
    if (this.#conflict > 0 && /^ {4}\S/u.test(text)) {
      if (this.#conflict++ <= CONFLICT) this.#report.item('cause', n, n, 9)
      return true
    }
    if (DONE.test(text)) {
      this.#done = true
      this.#report.verdict(n)
      return true
    }
    if (/^\s*(?:WARNING|DEPRECATION): /u.test(text)) {
      this.#report.often(text.replace(/'[^']*'|\d+/gu, ''), n, 2)
      return true
    }
    if (/^ *× /u.test(text)) {
      this.#report.item('cause', n, n, 8)
      return true
    }
    if (/^ *(?:│|╰─>|note: |hint: |To fix this you could|\d\. (?:loosen|remove) )/u.test(text)) return true
    if (text.startsWith('Requirement already satisfied')) this.#satisfied++
    return STEP.test(text)
  }

  end(): Reading | undefined {
    const report = this.#report
    if (this.#errors === 0 && !this.#done && report.parsed < 2) return undefined
    if (report.other > report.parsed) return undefined
    if (this.#thrown !== undefined) report.item('cause', this.#thrown, this.#thrown, 20)
    if (this.#satisfied > 0) report.fact(`${counted(this.#satisfied, 'requirement')} already satisfied`)
    return report.reading(this.#errors > 0 ? true : this.#done ? false : undefined, { head: 0, tail: 2 })
  }
}

export const pip: Family = {
  id: 'pip',
  detect: (probe: Probe) =>
    calls(probe, 'pip', 'pip3') ||
    anyLine(
      probe,
      /^(?:Successfully installed \S+-\d|ERROR: (?:No matching distribution found for |Cannot install |ResolutionImpossible)|Requirement already satisfied: )/u,
    ),
  reader: () => new Pip(),
}
