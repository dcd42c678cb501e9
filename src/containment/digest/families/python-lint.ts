/** mypy, ruff and flake8: one line a finding, or ruff's reports with the source below. */
import type { Family, Line, Probe, Reader, Reading } from '../family.ts'
import { Diagnostics } from './diagnostics.ts'
import { anyLine, calls, markOf, Report } from './report.ts'

const MYPY =
  /^([^\s:][^:]*\.(?:pyi?|ipynb)):(\d+)(?::(\d+))?(?::\d+:\d+)?: (error|warning|note): (.*?)(?: {2}\[([\w-]+)\])?$/u
const CODED = /^([^\s:][^:]*):(\d+):(\d+): ([A-Z]{1,4}\d{2,4}|invalid-syntax:|SyntaxError:)(?: \[\*\])? (.*)$/u
const REPORT = /^([A-Z]{1,4}\d{2,4}|invalid-syntax:?)(?: \[\*\])? (.*)$/u
const ARROW = /^ *--> (\S.*?):(\d+):(\d+)$/u
const FOUND = /^Found (\d+) errors?\b.*$/u
const GOOD =
  /^(?:All checks passed!|Success: no issues found in \d+ source files?|\d+ files? (?:already formatted|left unchanged))/u
const WOULD = /^(?:Would reformat: \S|\d+ files? would be reformatted)/u
const STATISTIC = /^ *\d+\s+(?:\[[*-]\] |- )?[A-Z]{1,4}\d{2,4}\s+/u

class PythonLint implements Reader {
  readonly #report = new Report()
  readonly #found = new Diagnostics(this.#report)
  #held: { line: Line; code: string; message: string } | undefined
  #said: { n: number; errors: number } | undefined
  #good = false
  #would = 0
  #statistics = 0
  #reports = false

  line(line: Line): void {
    if (this.#read(line)) this.#report.parsed++
    else this.#report.other++
  }

  #read(line: Line): boolean {
    const { text, n } = line
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) {
      const arrow = ARROW.exec(text)
      if (arrow !== null) {
        const { code, message } = held
        this.#found.add(held.line, { severity: 'error', file: arrow[1], code, message, end: held.line.text.length })
        this.#found.placed(line)
        return true
      }
    }
    if (text === '') {
      this.#found.close()
      return true
    }
    if (/^\s|^\d+ +[|+-]/u.test(text)) {
      this.#found.goesOn(n)
      if (STATISTIC.test(text)) this.#statistics++
      return this.#found.open || this.#reports || STATISTIC.test(text)
    }
    const mypy = MYPY.exec(text)
    if (mypy !== null) {
      const [, file, , , severity, message, code] = mypy
      if (severity === 'note') {
        this.#found.goesOn(n)
        return true
      }
      const end = text.indexOf(message!) - 2
      this.#found.add(line, { severity: severity as 'error' | 'warning', file, code, message: message!, end })
      return true
    }
    const coded = CODED.exec(text)
    if (coded !== null) {
      const [, file, , , code, message] = coded
      const end = text.length - message!.length - 1
      this.#found.add(line, { severity: 'error', file, code, message: message!, end })
      return true
    }
    const found = FOUND.exec(text)
    if (found !== null) {
      this.#found.close()
      this.#said = { n, errors: Number(found[1]) }
      this.#report.verdict(n)
      return true
    }
    if (GOOD.test(text)) {
      this.#found.close()
      this.#good = true
      this.#report.verdict(n)
      return true
    }
    if (WOULD.test(text)) {
      this.#would++
      if (text.startsWith('Would')) this.#report.failure(markOf(line), text)
      else this.#report.verdict(n)
      return true
    }
    if (STATISTIC.test(text)) {
      this.#statistics++
      this.#report.item('total', n)
      return true
    }
    if (/^(?:\[\*\] \d+|No fixes available|help: |\d+$|warning: )/u.test(text)) {
      if (text.startsWith('[') || text.startsWith('warning')) this.#report.item('total', n, n, 1)
      return true
    }
    const report = REPORT.exec(text)
    if (report !== null) {
      this.#found.close()
      this.#held = { line, code: report[1]!, message: report[2]! }
      this.#reports = true
      return true
    }
    this.#found.close()
    return false
  }

  end(): Reading | undefined {
    const report = this.#report
    const { errors, warnings } = this.#found
    if (errors + warnings + this.#would + this.#statistics === 0 && this.#said === undefined && !this.#good)
      return undefined
    if (report.other > report.parsed) return undefined
    this.#found.end(1)
    const said = this.#said
    if (said !== undefined && errors > 0 && said.errors !== errors)
      report.fact(`${said.errors} errors are counted, the output has ${errors}`)
    const failed = errors > 0 || (said?.errors ?? 0) > 0 || this.#would > 0
    return report.reading(failed ? true : this.#good ? false : undefined, { head: 0, tail: 1 })
  }
}

export const pythonLint: Family = {
  id: 'python-lint',
  detect: (probe: Probe) =>
    calls(probe, 'mypy', 'dmypy', 'ruff', 'flake8', 'pycodestyle', 'pyflakes') ||
    anyLine(probe, MYPY) ||
    anyLine(probe, CODED),
  reader: () => new PythonLint(),
}
